"""order_by, strict_batch_size, batch_size_bytes of scans."""

import datetime
import decimal
import importlib
import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest


def random_table(seed, rows):
    source = random.Random(seed)

    def some(values):
        return [None if source.random() < 0.2 else source.choice(values) for _ in range(rows)]

    floats = [0.0, -0.0, 1.5, -2.5, float("nan"), float("inf"), float("-inf")]
    return pa.table(
        {
            "row": pa.array(range(rows), pa.int64()),
            "i": pa.array(some([1, 2, 3, -7]), pa.int32()),
            "u": pa.array(some([0, 2**64 - 1, 5]), pa.uint64()),
            "f": pa.array(some(floats), pa.float64()),
            "g": pa.array(some(floats), pa.float32()),
            "s": pa.array(some(["", "a", "B", "é", "ab"])),
            "b": pa.array(some([True, False])),
            "d": pa.array(some([decimal.Decimal("1.50"), decimal.Decimal("-3.00")]), pa.decimal128(9, 2)),
            "t": pa.array(some([datetime.datetime(1960, 1, 1), datetime.datetime(2020, 1, 1)]), pa.timestamp("us")),
            "k": pa.array(some(["x", "y"])).dictionary_encode(),
            "bin": pa.array(some([b"", b"\xff", b"a"]), pa.binary()),
            "st": pa.array(some([{"m": 1}, {"m": 2}])),
        }
    )


def order_of(value, ascending, nulls_first):
    """A key for Python's sort."""
    if value is None:
        return (0 if nulls_first else 2, 0)
    if isinstance(value, float):
        # NaN is the largest; -0 comes before 0.
        value = (1, 0, 0) if value != value else (0, value, 0 if str(value)[0] == "-" else 1)
    if isinstance(value, str):
        value = value.encode()
    return (1, value)


def expected_rows(table, keys):
    rows = table.to_pylist()
    numbers = list(range(len(rows)))
    for column, ascending, nulls_first in reversed(keys):
        values = [row[column] for row in rows]
        present = [n for n in numbers if values[n] is not None]
        absent = [n for n in numbers if values[n] is None]
        # Stable also downwards.
        present.sort(key=lambda n: order_of(values[n], True, False)[1], reverse=False)
        if not ascending:
            groups = {}
            for n in present:
                groups.setdefault(order_of(values[n], True, False)[1], []).append(n)
            present = [n for key in sorted(groups, reverse=True) for n in groups[key]]
        numbers = absent + present if nulls_first else present + absent
    return numbers


@pytest.mark.parametrize("seed", range(12))
def test_random_orders(lancecpp, path, seed):
    table = random_table(seed, 500)
    data = lancecpp.write_dataset(table, path, max_rows_per_file=130)
    data.delete("row % 7 = 3")
    table = table.filter(pc.not_equal(pa.array([r % 7 for r in range(500)]), 3))
    source = random.Random(seed)
    names = ["i", "u", "f", "g", "s", "b", "d", "t", "k", "bin"]
    keys = [(source.choice(names), source.random() < 0.5, source.random() < 0.5) for _ in range(source.randint(1, 3))]
    order_by = [lancecpp.ColumnOrdering(*key) for key in keys]
    order = expected_rows(table, keys)
    expected = [table["row"][n].as_py() for n in order]
    assert data.to_table(order_by=order_by, columns=["row"])["row"].to_pylist() == expected
    for limit, offset in ((0, 0), (1, 0), (17, 5), (10_000, 3), (5, 10_000)):
        got = data.to_table(order_by=order_by, columns=["row"], limit=limit, offset=offset)
        assert got["row"].to_pylist() == expected[offset:][:limit]
    batches = data.to_batches(order_by=order_by, batch_size=100)
    whole = pa.Table.from_batches(list(batches))
    assert whole["row"].to_pylist() == expected
    assert whole.schema == data.schema
    kept = [row for row in expected if row % 2 == 0]
    filtered = data.to_table(order_by=order_by, filter="row % 2 = 0", columns={"r": "row + 1"}, limit=50)
    assert filtered["r"].to_pylist() == [row + 1 for row in kept[:50]]


def test_as_the_reference(lance, path):
    table = pa.table({"a": [3, 1, None, 2, 1], "b": [1.0, float("nan"), -0.0, None, 0.0], "s": list("xyzwv")})
    data = lance.write_dataset(table, path)
    assert data.to_table(order_by=["a"])["s"].to_pylist() == ["y", "v", "w", "x", "z"]
    assert data.to_table(order_by="a", limit=2, offset=1)["s"].to_pylist() == ["v", "w"]
    assert data.to_table(order_by=["b"])["s"].to_pylist() == ["z", "v", "x", "y", "w"]
    assert data.to_table(order_by=["a"], with_row_id=True)["_rowid"].to_pylist() == [1, 4, 3, 0, 2]
    ordering = importlib.import_module(lance.__name__ + ".dataset").ColumnOrdering
    reverse = [ordering("a", ascending=False, nulls_first=True), ordering("s")]
    assert data.to_table(order_by=reverse)["s"].to_pylist() == ["z", "x", "w", "v", "y"]
    assert data.to_table(order_by=[])["s"].to_pylist() == list("xyzwv")


def test_members_addresses_and_views(lancecpp, path):
    table = random_table(1, 100)
    data = lancecpp.write_dataset(table, path, data_storage_version="2.3", semantic_types=True)
    members = [value and value["m"] for value in table["st"].to_pylist()]
    expected = sorted(range(100), key=lambda n: (members[n] is None, members[n] or 0))
    got = data.to_table(order_by=["st.m"], columns=["row", "s", "st"], with_row_address=True, limit=40,
                        output_encodings={"s": "utf8_view"})
    assert got["_rowaddr"].to_pylist() == expected[:40]
    assert got.column_names == ["row", "s", "st", "_rowaddr"]
    assert got.schema.field("s").type == pa.string_view()
    assert got["s"].to_pylist() == [table["s"][n].as_py() for n in expected[:40]]
    whole = data.to_table(order_by=["st.m"], columns=["s"], output_encodings={"s": "utf8_view"})
    assert whole.schema.field("s").type == pa.string_view()
    assert whole["s"].to_pylist() == [table["s"][n].as_py() for n in expected]
    assert data.to_table(order_by=["st.m"], columns=[]).num_rows == 100


def test_what_has_no_order_is_refused(lancecpp, path):
    data = lancecpp.write_dataset({"a": [1], "l": [[1]]}, path)
    with pytest.raises(ValueError, match="nope"):
        data.to_table(order_by=["nope"])
    with pytest.raises(ValueError, match="'l'.*ordered|ordered.*'l'"):
        data.to_table(order_by=["l"])
    with pytest.raises(TypeError, match="order_by"):
        data.to_table(order_by=[3])


def test_only_the_keys_are_read_of_all_rows(lancecpp, path):
    rows = 50_000
    table = pa.table({"k": pa.array([i * 7919 % rows for i in range(rows)]), "bulk": pa.array([f"{i:0100d}" for i in range(rows)])})
    data = lancecpp.write_dataset(table, path)
    data.io_stats_incremental()
    data.to_table(columns=["k"])
    keys = data.io_stats_incremental().read_bytes
    best = data.to_table(order_by=["k"], limit=3)
    assert best["k"].to_pylist() == [0, 1, 2]
    assert data.io_stats_incremental().read_bytes < 3 * keys
    assert "Sort: order_by=[k ASC NULLS LAST]" in data.scanner(order_by=["k"], limit=3).explain_plan()
    assert "Sort: order_by=[k ASC NULLS LAST]; rows=3, " in data.scanner(order_by=["k"], limit=3).analyze_plan()


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_dictionaries_with_nulls(lancecpp, path, version):
    letters = ["a", None, "b", "a", None, "c"]
    table = pa.table({"id": [3, 1, 2, 5, 4, 0], "d": pa.array(letters).dictionary_encode()})
    data = lancecpp.write_dataset(table, path, data_storage_version=version, max_rows_per_file=2)
    assert data.to_table(order_by=["id"])["d"].to_pylist() == ["c", None, "b", "a", None, "a"]
    assert data.to_table(order_by=["id"], limit=2)["d"].to_pylist() == ["c", None]
    assert data.to_table(order_by=["d"])["d"].to_pylist() == ["a", "a", "b", "c", None, None]


def test_more_rows_than_memory(lancecpp, path, monkeypatch):
    monkeypatch.setenv("LANCE_MEM_POOL_SIZE", "100000")
    rows = 30_000
    table = pa.table({"k": pa.array([i * 7919 % rows for i in range(rows)]), "s": pa.array([f"{i:050d}" for i in range(rows)])})
    data = lancecpp.write_dataset(table, path)
    got = data.to_table(order_by=["k"])
    assert got["k"].to_pylist() == list(range(rows))
    assert got["s"].to_pylist() == table.take(pc.sort_indices(table["k"]))["s"].to_pylist()


# Sizes of batches.


def test_strict_batch_size(lance, path):
    data = lance.write_dataset({"a": list(range(1000))}, path, max_rows_per_file=130)
    for condition in (None, "a % 3 = 0"):
        scanner = data.scanner(batch_size=64, strict_batch_size=True, filter=condition)
        sizes = [batch.num_rows for batch in scanner.to_batches()]
        assert set(sizes[:-1]) == {64} and 0 < sizes[-1] <= 64
        assert scanner.to_table() == data.to_table(filter=condition)


def test_what_a_filter_leaves_is_put_together(lancecpp, path):
    data = lancecpp.write_dataset({"a": list(range(100_000))}, path, max_rows_per_file=10_000)
    sizes = [batch.num_rows for batch in data.to_batches(filter="a % 1000 = 1")]
    assert sizes == [100]


def test_batch_size_bytes(lancecpp, path):
    table = pa.table({"a": pa.array(range(10_000), pa.int64())})
    data = lancecpp.write_dataset(table, path)
    sizes = [batch.num_rows for batch in data.scanner(batch_size_bytes=800).to_batches()]
    assert sum(sizes) == 10_000 and 90 <= sizes[0] <= 110
    assert data.scanner(batch_size_bytes=1).to_table() == table
    with pytest.raises(ValueError, match="strict_batch_size"):
        data.scanner(batch_size_bytes=800, strict_batch_size=True).to_table()
    with pytest.raises(ValueError, match="at least 1"):
        data.scanner(batch_size_bytes=0)
