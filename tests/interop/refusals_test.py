"""What the reference refuses to write, we refuse as well: clearly, with nothing left behind."""

import decimal

import pyarrow as pa
import pytest

PACKED = {"lance-encoding:packed": "true"}
VERSIONS = ["2.1", "2.2"]


def _struct(nulls):
    members = [pa.array([1, None if nulls else 2], pa.int32()), pa.array([1.5, 2.5])]
    return pa.StructArray.from_arrays(members, ["a", "b"])


# name: array, hints, versions
REFUSED = {
    "interval": (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), None, VERSIONS),
    "decimal32": (pa.array([decimal.Decimal("1.25")], pa.decimal32(5, 2)), None, VERSIONS),
    "decimal64": (pa.array([decimal.Decimal("1.25")], pa.decimal64(12, 4)), None, VERSIONS),
    "list_view": (pa.array([[1]], pa.list_view(pa.int32())), None, VERSIONS),
    "union": (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), None, VERSIONS),
    "run_end": (pa.RunEndEncodedArray.from_arrays([2], [7]), None, VERSIONS),
    "vector of strings": (pa.array([["a", "b"]], pa.list_(pa.string(), 2)), None, VERSIONS),
    "vector of lists": (pa.array([[[1]]], pa.list_(pa.list_(pa.int8()), 1)), None, VERSIONS),
    "map": (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())), None, ["2.1"]),
    "sorted map": (
        pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32(), keys_sorted=True)),
        None,
        VERSIONS,
    ),
    "packed text": (
        pa.StructArray.from_arrays([pa.array(["x"]), pa.array([1])], ["a", "b"]),
        PACKED,
        ["2.1"],
    ),
    "packed nulls": (_struct(nulls=True), PACKED, VERSIONS),
}
CASES = [(kind, version) for kind, case in REFUSED.items() for version in case[2]]


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("kind, version", CASES)
def test_types(lancecpp, tmp_path, kind, version, inside):
    from lancecpp.file import LanceFileWriter

    array, hints, _ = REFUSED[kind]
    field = pa.field("x", array.type, metadata=hints)
    if inside:
        array = pa.StructArray.from_arrays([array], fields=[field])
        field = pa.field("s", array.type)
    table = pa.table([array], schema=pa.schema([field]))
    path = tmp_path / "t.lance"
    with pytest.raises((ValueError, OSError, RuntimeError, NotImplementedError), match="x"):
        lancecpp.write_dataset(table, str(path), data_storage_version=version)
    assert not list(path.glob("_versions/*")) and not list(path.glob("data/*"))
    file = tmp_path / "f.lance"
    with pytest.raises((ValueError, OSError, RuntimeError, NotImplementedError)):
        with LanceFileWriter(str(file), table.schema, version=version) as writer:
            writer.write_batch(table)
