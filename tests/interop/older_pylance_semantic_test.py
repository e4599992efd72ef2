"""Tables of an older pylance get semantic types: reads stay the same, and that pylance refuses them.

$LANCE_OLDER_PYLANCE is a folder to put on PYTHONPATH; ./dev test installs it.
"""

import os

import pyarrow as pa
import pytest

import older_pylance


def run(*arguments):
    return older_pylance.answer("older_pylance_semantic.py", *arguments)


def more(table):
    """Rows to append, in another layout where there is one."""
    swap = {pa.string(): pa.large_string(), pa.large_string(): pa.string_view(), pa.binary(): pa.large_binary()}
    type = table.schema.field("x").type
    if type in swap:
        return table.set_column(1, "x", table["x"].combine_chunks().cast(swap[type]))
    return table


def test_upgrades(lancecpp, pylance, tmp_path):
    paths = run("make", str(tmp_path))
    kinds = {os.path.basename(path).split("-")[0] for path in paths}
    assert {"string", "large_string", "dict", "large_list", "decimal128", "decimal256", "large_binary"} <= kinds
    for path in paths:
        theirs = pylance.dataset(path).to_table()
        dataset = lancecpp.dataset(path)
        before = dataset.to_table()
        ids = dataset.lance_schema
        dataset.upgrade_semantic_types()
        now = lancecpp.dataset(path)
        assert now.to_table().equals(before, check_metadata=True), path
        assert now.to_table() == theirs, path
        assert now.lance_schema == ids, path
        assert now.take([2, 0]) == theirs.take([2, 0]), path
        if "0.1" not in path:  # files of which can't be written
            now = lancecpp.write_dataset(more(theirs), path, mode="append")
            want = theirs["x"].to_pylist() * 2
            assert now.to_table()["x"].to_pylist() == want, path
            assert now.schema == theirs.schema, path
    findings = run("open", *paths)
    assert set(findings) == set(paths)
    for path, finding in findings.items():
        assert "support" in finding.lower(), (path, finding)
        with pytest.raises(Exception, match="(?i)support"):
            pylance.dataset(path)
