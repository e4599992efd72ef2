"""The documentation is true: its links lead somewhere and its Python examples run."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links(document):
    targets = [target.split("#")[0] for target in LINK.findall(document.read_text())]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if PYTHON.search(d.read_text())], ids=name)
def test_python_examples(document, tmp_path, monkeypatch):
    """The blocks of a document run in order, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in PYTHON.findall(document.read_text()):
        exec(compile(block, name(document), "exec"), namespace)
