"""The same values through both engines, in both directions."""

import datetime
import decimal
import random

import pyarrow as pa
import pytest

ROWS = 2500


def column(name, seed, nulls):
    pick = random.Random(f"{name}-{seed}-{nulls}")

    def values(make):
        return [None if pick.random() < nulls else make() for _ in range(ROWS)]

    day = datetime.date(2020, 1, 1)
    makers = {
        "int8": (pa.int8(), lambda: pick.randint(-128, 127)),
        "int64": (pa.int64(), lambda: pick.randint(-(2**63), 2**63 - 1)),
        "uint16": (pa.uint16(), lambda: pick.randint(0, 65535)),
        "small_ints": (pa.int64(), lambda: pick.randint(0, 9)),
        "float64": (pa.float64(), pick.random),
        "float32": (pa.float32(), lambda: float(pick.randint(0, 1000)) / 8),
        "bool": (pa.bool_(), lambda: pick.random() < 0.5),
        "string": (pa.string(), lambda: "x" * pick.randint(0, 12) + str(pick.random())),
        "few_strings": (pa.string(), lambda: pick.choice(["red", "green", "blue"])),
        "binary": (pa.binary(), lambda: pick.randbytes(pick.randint(0, 40))),
        "large_string": (pa.large_string(), lambda: str(pick.random())),
        "date32": (pa.date32(), lambda: day + datetime.timedelta(pick.randint(0, 9999))),
        "timestamp": (
            pa.timestamp("us", "UTC"),
            lambda: datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
            + datetime.timedelta(microseconds=pick.randint(0, 10**15)),
        ),
        "decimal": (
            pa.decimal128(20, 3),
            lambda: decimal.Decimal(pick.randint(-(10**9), 10**9)) / 1000,
        ),
        "vector": (
            pa.list_(pa.float32(), 16),
            lambda: [float(pick.randint(0, 99)) for _ in range(16)],
        ),
        "list": (
            pa.list_(pa.int32()),
            lambda: [pick.randint(0, 99) for _ in range(pick.randint(0, 5))],
        ),
        "struct": (
            pa.struct([("x", pa.int32()), ("y", pa.string())]),
            lambda: {"x": pick.randint(0, 9), "y": str(pick.random())},
        ),
        "list_of_struct": (
            pa.list_(pa.struct([("x", pa.int32())])),
            lambda: [{"x": i} for i in range(pick.randint(0, 3))],
        ),
        "long_string": (pa.string(), lambda: "word " * pick.randint(0, 800)),
        "dictionary": (pa.dictionary(pa.int32(), pa.string()), lambda: pick.choice(["a", "b"])),
    }
    type_, make = makers[name]
    return pa.array(values(make), type_)


NAMES = (
    "int8 int64 uint16 small_ints float64 float32 bool string few_strings binary large_string "
    "date32 timestamp decimal vector list struct list_of_struct long_string dictionary"
).split()


def same(left, right):
    """Dictionaries may be encoded differently; values must be equal."""
    assert left.schema == right.schema
    assert left.num_rows == right.num_rows
    for name in left.schema.names:
        assert left[name].to_pylist() == right[name].to_pylist(), name


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("nulls", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_both_ways(lancecpp, pylance, tmp_path, name, nulls, version):
    table = pa.table({name: column(name, 1, nulls)})
    options = {"max_rows_per_file": 1030, "data_storage_version": version}
    theirs = pylance.write_dataset(table, tmp_path / "theirs", **options)
    expected = theirs.to_table()
    positions = [0, ROWS - 1, 1029, 1030, 1030, 5, 2047, 2048]
    ours = lancecpp.write_dataset(table, tmp_path / "ours", **options)
    for written in (theirs, ours):
        for module in (lancecpp, pylance):
            read = module.dataset(written.uri)
            same(read.to_table(), expected)
            same(read.take(positions), expected.take(positions))


def test_appends_in_turn(lancecpp, pylance, path):
    parts = [pa.table({n: column(n, seed, 0.1) for n in NAMES}) for seed in range(3)]
    pylance.write_dataset(parts[0], path)
    lancecpp.write_dataset(parts[1], path, mode="append")
    pylance.write_dataset(parts[2], path, mode="append")
    expected = pa.concat_tables(parts)
    for module in (lancecpp, pylance):
        same(module.dataset(path).to_table(), expected)
        assert module.dataset(path).latest_version == 3


def test_pylance_validates_and_evolves_what_we_write(lancecpp, pylance, path):
    lancecpp.write_dataset({"id": list(range(100)), "x": ["v"] * 100}, path, max_rows_per_file=30)
    table = pylance.dataset(path)
    table.validate()
    table.delete("id >= 10 and id < 50")
    table.add_columns({"double": "id * 2"})
    table.optimize.compact_files()
    wanted = list(range(10)) + list(range(50, 100))
    ours = lancecpp.dataset(path)
    assert ours.to_table(columns=["double"])["double"].to_pylist() == [2 * i for i in wanted]
    lancecpp.write_dataset({"id": [7], "x": ["w"], "double": [14]}, path, mode="append")
    assert pylance.dataset(path).count_rows(filter="id = 7") == 2


@pytest.mark.parametrize("version", ["legacy", "2.0"])
def test_older_storage(lancecpp, pylance, path, version):
    """Columns in files of their own, deletions, dictionaries of several fragments; appends to 2.0."""
    words = pa.array(["a", "b", "c", "a", "d", "b"]).dictionary_encode()
    rows = pa.table({"id": range(6), "word": words, "s": [{"x": [i, i]} for i in range(6)]})
    table = pylance.write_dataset(
        rows, path, data_storage_version=version, max_rows_per_file=4, max_rows_per_group=2
    )
    table.delete("id = 1")
    table.add_columns({"double": "id * 2"})
    ours = lancecpp.dataset(path)
    expected = pylance.dataset(path).to_table()
    same(ours.to_table(), expected)
    taken = ours.take([4, 0, 3, 4])
    assert taken["double"].to_pylist() == [10, 0, 8, 10]
    assert taken["word"].to_pylist() == expected["word"].take([4, 0, 3, 4]).to_pylist()
    for columns in (["double"], ["s"], ["word", "id"]):
        same(ours.to_table(columns=columns), expected.select(columns))
    if version == "legacy":
        with pytest.raises(OSError, match="0.1"):
            lancecpp.write_dataset(rows, path, mode="append")
        return
    lancecpp.write_dataset(rows, path, mode="append")
    same(lancecpp.dataset(path).to_table(), pylance.dataset(path).to_table())


def test_dictionaries_with_nulls_in_several_files_of_2_0(lancecpp, pylance, path):
    words = pa.array(["a", None, "b"]).dictionary_encode()
    for _ in range(2):
        rows = pa.table({"word": words, "words": [["x"], None, ["y"]]})
        pylance.write_dataset(rows, path, data_storage_version="2.0", mode="append")
    ours = lancecpp.dataset(path)
    assert ours.to_table()["word"].to_pylist() == ["a", None, "b"] * 2
    taken = ours.take([5, 1, 0, 4])
    assert taken["word"].to_pylist() == ["b", None, "a", None]
    assert taken["words"].to_pylist() == [["y"], None, ["x"], None]
