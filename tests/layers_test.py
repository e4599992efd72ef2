"""The layers: a folder includes only what its place in the picture allows.

docs/architecture.md has the picture. Includes are read from the sources, so that a header reached
through a folder that happens to be on the include path is found too.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)

# What a layer may include besides itself. `proto` stands for the generated messages.
ALLOWED = {
    "base": set(),
    "io": {"base"},
    "proto": set(),
    "schema": {"base", "io", "proto"},
    # Pure: from bytes to values and back, no stores.
    "encoding": {"base", "proto"},
    "file": {"base", "io", "proto", "schema", "encoding"},
    "table": {"base", "io", "proto", "schema", "encoding", "file"},
    # Knows columns by their Arrow schema, not where they are stored.
    "query": {"base", "proto", "schema"},
    "dataset": {"base", "io", "proto", "schema", "encoding", "file", "table", "query"},
    # The doors: they translate arguments.
    "capi": {"base", "io", "schema", "file", "table", "dataset"},
    "cli": {"base", "io", "proto", "schema", "encoding", "file", "table", "dataset"},
    "python": {"base", "io", "schema", "file", "table", "dataset"},
}
DOORS = {"capi", "cli", "python"}

# Public headers belong to the layer that implements them.
PUBLIC_HEADERS = {
    "lance/export.h": "base",
    "lance/error.h": "base",
    "lance/blob.h": "dataset",
    "lance/dataset.h": "dataset",
    "lance/index_segments.h": "dataset",
    "lance/table_files.h": "dataset",
    "lance/c.h": "capi",
}

# Slow to compile, or a dependency that a user of our headers would have to have.
BANNED_IN_HEADERS = ("arrow/compute/", "arrow/acero/", "arrow/dataset/", "nlohmann/json.hpp", "CLI/")
# They can neither stop early nor spill: not used at all.
BANNED = ("arrow/acero/", "arrow/dataset/")


def sources():
    folders = {name: SRC / name for name in ALLOWED if name != "python"}
    folders["python"] = ROOT / "python"
    for layer, folder in folders.items():
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".cc", ".h", ".c"}:
                yield layer, path
    for path in sorted((ROOT / "include" / "lance").glob("*.h")):
        yield PUBLIC_HEADERS.get(f"lance/{path.name}"), path


SOURCES = list(sources())
HEADERS = [path for _, path in SOURCES if path.suffix == ".h"]


def includes(path):
    return INCLUDE.findall(path.read_text())


def layer_of(include):
    """The layer that an include names, or None for a library's header."""
    if include in PUBLIC_HEADERS:
        return PUBLIC_HEADERS[include]
    if include.endswith(".pb.h"):
        return "proto"
    first = include.split("/")[0]
    return first if first in ALLOWED and (SRC / include).exists() else None


def name(path):
    return str(path.relative_to(ROOT))


def test_there_are_sources():
    assert len({layer for layer, _ in SOURCES}) >= 6


def test_every_folder_is_a_known_layer():
    assert {path.relative_to(SRC).parts[0] for _, path in SOURCES if SRC in path.parents} <= set(ALLOWED)
    assert {path.name for path in SRC.iterdir() if any(path.rglob("*.cc"))} <= set(ALLOWED)


def test_every_public_header_has_a_layer():
    assert [name(path) for layer, path in SOURCES if layer is None] == []


@pytest.mark.parametrize("layer", ALLOWED)
def test_includes_only_layers_above(layer):
    wrong = [
        f"{name(path)} includes {include} ({target})"
        for owner, path in SOURCES
        if owner == layer
        for include in includes(path)
        if (target := layer_of(include)) not in {None, layer} | ALLOWED[layer]
    ]
    assert wrong == []


def test_headers_include_nothing_slow():
    wrong = [
        f"{name(path)} includes {include}"
        for path in HEADERS
        for include in includes(path)
        if include.startswith(BANNED_IN_HEADERS)
    ]
    assert wrong == []


def test_nothing_includes_acero_or_arrow_dataset():
    wrong = [
        f"{name(path)} includes {include}"
        for layer, path in SOURCES
        for include in includes(path)
        if include.startswith(BANNED)
    ]
    assert wrong == []


def test_public_headers_stand_alone():
    """An installed header may include only what is installed with it, Arrow, and the standard library."""
    wrong = [
        f"{name(path)} includes {include}"
        for path in sorted((ROOT / "include" / "lance").glob("*.h"))
        for include in includes(path)
        if "/" in include and not include.startswith(("lance/", "arrow/"))
    ]
    assert wrong == []


def test_headers_are_guarded():
    guard = re.compile(r"^#(pragma once|ifndef \w+_H_?)$", re.MULTILINE)
    assert [name(path) for path in HEADERS if not guard.search(path.read_text())] == []


def test_cmake_links_only_allowed_layers():
    """The DEPENDS of each lance_layer() keep to the same table."""
    wrong = []
    for layer in set(ALLOWED) - {"python", "proto"}:
        text = (SRC / layer / "CMakeLists.txt").read_text()
        declared = re.search(rf"lance_layer\(\s*{layer}\b([^)]*)\)", text)
        if declared is None:
            assert layer in DOORS, layer
            continue
        depends = re.search(r"DEPENDS\s+([a-z\s]+)", declared.group(1))
        named = set(depends.group(1).split()) if depends else set()
        if named - ALLOWED[layer]:
            wrong.append(f"{layer} links {sorted(named - ALLOWED[layer])}")
    assert wrong == []
