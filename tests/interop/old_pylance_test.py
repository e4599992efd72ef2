"""The older reference, pylance 7.0.0, in an environment of its own: one process for all tables.

Needs LANCE_OLD_PYTHON, a Python with pylance 7.0.0 (`./dev setup` makes one in .venv7).
"""

import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

import random_tables

HERE = Path(__file__).resolve().parent
SEEDS = range(1000, 1000 + int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))
VERSIONS = ["2.1", "2.2"]


def _python():
    given = os.environ.get("LANCE_OLD_PYTHON") or str(HERE.parents[1] / ".venv7" / "bin" / "python")
    if os.path.exists(given):
        return given
    if os.environ.get("CI") == "true":
        pytest.fail(f"no Python with pylance 7.0.0 at {given}")
    pytest.skip("no Python with pylance 7.0.0; run './dev setup'")


def _run(verb, folder):
    """The worker's faults, one a line."""
    done = subprocess.run(
        [_python(), str(HERE / "old_pylance_worker.py"), verb, str(folder)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def _cases(folder):
    """One folder a table, with its contents as Arrow IPC and the file version to use."""
    for seed in SEEDS:
        for version in VERSIONS:
            case = folder / f"{seed}-{version}"
            case.mkdir()
            table = random_tables.table(seed)
            with pa.OSFile(str(case / "expected.arrow"), "wb") as sink:
                with pa.ipc.new_file(sink, table.schema) as writer:
                    writer.write_table(table)
            (case / "version").write_text(version)
            yield case, table, version


def test_ours_read_and_appended_to(tmp_path, lancecpp):
    cases = list(_cases(tmp_path))
    for case, table, version in cases:
        lancecpp.write_dataset(table, str(case / "ours.lance"), data_storage_version=version)
    assert _run("read", tmp_path) == [f"{len(cases)} tables"]
    for case, table, _ in cases:  # their append on top of our table
        got = lancecpp.dataset(str(case / "ours.lance")).to_table()
        assert random_tables.difference(pa.concat_tables([table, table]), got) is None, case.name


def test_theirs_read_by_us(tmp_path, lancecpp):
    cases = list(_cases(tmp_path))
    faults = _run("write", tmp_path)
    refused = {line.split(":")[0] for line in faults[:-1]}
    # The older writer panics on a few shapes; most must be there.
    assert len(refused) < len(cases) // 4, faults
    for case, table, _ in cases:
        if case.name not in refused:
            got = lancecpp.dataset(str(case / "theirs.lance")).to_table()
            assert random_tables.difference(table, got) is None, case.name
