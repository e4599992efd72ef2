"""Fragments committed by hand whose files aren't what the table says: reading and validating tell."""

import json
import os
import shutil

import pyarrow as pa
import pytest

BASE = pa.table(
    {
        "x": pa.array([1, 2, 3], pa.int64()),
        "s": ["a", "b", "c"],
        "f": pa.array([1.0, 2.0, 3.0], pa.float64()),
        "v": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.float32(), 2)),
        "st": [{"a": 1}, {"a": 2}, {"a": 3}],
    }
)
# What stands in the place of a column, and what is said of it.
OTHERS = {
    "int32": ("x", pa.array([7, 8, 9], pa.int32()), "int32.*expected int64"),
    "double": ("x", pa.array([1.5, 2.0, 3.0]), "double.*expected int64"),
    "unsigned": ("x", pa.array([1, 2, 1 << 63], pa.uint64()), "uint64.*expected int64"),
    "timestamp": ("x", pa.array([1, 2, 3], pa.timestamp("us")), "timestamp:us.*expected int64"),
    "text": ("x", pa.array(["p", "qqqqqqq", "r"]), "string.*expected int64"),
    "number": ("s", pa.array([7, 8, 9]), "int64.*expected string"),
    "bytes": ("s", pa.array([b"\xff\xfe", b"q", b"r"]), "binary.*expected string"),
    "dimension": ("v", pa.array([[1, 2, 3]] * 3, pa.list_(pa.float32(), 3)), "list:float:3.*expected fixed_size_list:float:2"),
    "flat": ("v", pa.array([1, 2, 3], pa.float32()), "float.*expected fixed_size_list:float:2"),
    "member": ("st", pa.array([{"a": 1.5}, {"a": 2.0}, {"a": 3.0}]), "double.*expected int64"),
}


def append_by_hand(lancecpp, path, data, version, edit=None):
    """A table with BASE, and behind it the files of ``data`` as if they had its columns."""
    options = {"data_storage_version": version}
    if version == "2.3":
        options["semantic_types"] = True
    table = lancecpp.write_dataset(BASE, path, **options)
    other = lancecpp.write_dataset(data, path + ".other", **options)
    fragments = []
    for fragment in other.get_fragments():
        content = fragment.metadata.to_json()
        content = json.loads(content) if isinstance(content, str) else content
        if edit is not None:
            edit(content)
        fragments.append(lancecpp.FragmentMetadata.from_json(json.dumps(content)))
    for name in os.listdir(path + ".other/data"):
        shutil.copy(f"{path}.other/data/{name}", f"{path}/data/{name}")
    operation = lancecpp.LanceOperation.Append(fragments)
    return lancecpp.LanceDataset.commit(path, operation, read_version=table.version)


def check(table, column, message):
    for run in (
        lambda: table.to_table(),
        lambda: table.to_table(columns=[column]),
        lambda: table.take([4]),
        lambda: list(table.to_batches(columns=[column])),
        lambda: table.validate(),
    ):
        with pytest.raises(OSError, match=message) as raised:
            run()
        assert ".lance" in str(raised.value)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("other", OTHERS)
def test_values_of_another_type(lancecpp, path, version, other):
    column, values, message = OTHERS[other]
    data = BASE.set_column(BASE.column_names.index(column), column, values)
    table = append_by_hand(lancecpp, path, data, version)
    check(table, column, f"(?s){message}|another type than its table|descriptors")
    for name in BASE.column_names:
        if name != column:
            got = table.to_table(columns=[name])[name].to_pylist()
            assert got == BASE[name].to_pylist() * 2


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize("rows", [1, 5])
def test_another_number_of_rows(lancecpp, path, version, rows):
    def edit(content):
        content["physical_rows"] = rows

    table = append_by_hand(lancecpp, path, BASE, version, edit)
    for run in (lambda: table.to_table(), lambda: table.take([3]), lambda: table.validate()):
        with pytest.raises(OSError, match=f"rows.*, expected {rows}"):
            run()


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_columns_in_other_places(lancecpp, path, version):
    def beyond(content):
        file = content["files"][0]
        file["column_indices"] = [index + 100 if index >= 0 else -1 for index in file["column_indices"]]

    table = append_by_hand(lancecpp, path, BASE, version, beyond)
    check(table, "x", "column 100, the file has 5")


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_missing_columns_are_null(lancecpp, path, version):
    table = append_by_hand(lancecpp, path, BASE.drop_columns(["st"]), version)
    assert table.to_table()["st"].to_pylist() == [{"a": 1}, {"a": 2}, {"a": 3}, None, None, None]
    table.validate()


def test_wide_files_are_validated(lancecpp, path):
    """Their own schema is not among what is read anyway."""
    names = [f"a column with a rather long name, number {i}" for i in range(1500)]
    table = lancecpp.write_dataset(pa.table({name: [1] for name in names}), path)
    other = lancecpp.write_dataset(pa.table({name: [1.5] for name in names}), path + ".other")
    fragment = other.get_fragments()[0].metadata
    for name in os.listdir(path + ".other/data"):
        shutil.copy(f"{path}.other/data/{name}", f"{path}/data/{name}")
    operation = lancecpp.LanceOperation.Append([fragment])
    table = lancecpp.LanceDataset.commit(path, operation, read_version=1)
    with pytest.raises(OSError, match="double values .* expected int64"):
        table.validate()
