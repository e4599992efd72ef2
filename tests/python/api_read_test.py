"""scanner, to_table, to_batches, to_pandas, take, head, slice, sample."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

ROWS = 11
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "name": pa.array([None if i % 3 == 1 else f"n{i}" for i in range(ROWS)]),
        "point": pa.array([{"x": i, "y": {"z": float(i)}} for i in range(ROWS)]),
        "tags": pa.array([list(range(i % 4)) if i != 5 else None for i in range(ROWS)]),
    }
)


@pytest.fixture
def table(lance, path):
    """Fragments of 4, 4, 2 and 1 rows."""
    lance.write_dataset(TABLE.take(list(range(10))), path, max_rows_per_file=4)
    return lance.write_dataset(TABLE.take([10]), path, mode="append")


def ids(data):
    return data["id"].to_pylist()


def test_everything(table):
    assert table.to_table() == TABLE
    assert table.schema == TABLE.schema
    assert table.count_rows() == len(table) == ROWS


# Columns.


def test_columns_in_the_order_asked(table):
    assert table.to_table(columns=["name", "id"]) == TABLE.select(["name", "id"])


def test_no_columns(table):
    assert table.to_table(columns=[]).num_columns == 0


def test_no_columns_keeps_the_row_count(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    assert sum(b.num_rows for b in table.to_batches(columns=[])) == ROWS


def test_nested_column(table):
    flat = table.to_table(columns=["point.x", "point.y.z"])
    assert flat.schema.names == ["point.x", "point.y.z"]
    assert flat.to_pydict() == {
        "point.x": list(range(ROWS)),
        "point.y.z": [float(i) for i in range(ROWS)],
    }


def test_members_of_structs_in_lists(lance, path):
    rows = [None if i % 9 == 2 else [{"u": i, "v": i * 10}] * (i % 3) for i in range(100)]
    data = pa.table({"l": pa.array(rows, pa.list_(pa.struct({"u": pa.int64(), "v": pa.int64()})))})
    table = lance.write_dataset(data, path)
    taken = table.take([5, 2, 4], columns=["l.item.v"])
    assert taken.schema == pa.schema({"l": pa.list_(pa.struct({"v": pa.int64()}))})
    assert taken["l"].to_pylist() == [[{"v": 50}] * 2, None, [{"v": 40}]]
    with pytest.raises(ValueError):
        table.to_table(columns=["l.item.v"])


def test_nested_columns_read_only_their_leaves(lancecpp, path):
    values = pa.array(range(0, 10**12, 10**7))  # 100,000 numbers that don't compress
    items = pa.StructArray.from_arrays([values] * 4, names=list("abcd"))
    lists = pa.ListArray.from_arrays(pa.array(range(len(items) + 1), pa.int32()), items)
    lancecpp.write_dataset(pa.table({"s": items, "l": lists}), path)

    def bytes_read(read):
        table = lancecpp.dataset(path)
        read(table)
        return table.io_stats_incremental().read_bytes

    everything = bytes_read(lambda table: table.to_table())
    rows = range(len(items))
    assert bytes_read(lambda table: table.to_table(columns=["s.b"])) < everything / 6
    assert bytes_read(lambda table: table.take(rows, columns=["s.b"])) < everything / 6
    assert bytes_read(lambda table: table.take(rows, columns=["l.item.c"])) < everything / 6
    assert bytes_read(lambda table: table.take(rows, columns=["l.item.c", "s.a"])) < everything / 3


def test_nested_column_of_take_keeps_the_struct(table):
    taken = table.take([3, 0], columns=["point.x"])
    assert taken.to_pylist() == [{"point": {"x": 3}}, {"point": {"x": 0}}]


def addresses():
    fragments = [(i // 4, i % 4) for i in range(10)] + [(3, 0)]
    return [(fragment << 32) + offset for fragment, offset in fragments]


def test_row_ids_and_addresses(table):
    both = table.to_table(columns=["id"], with_row_id=True, with_row_address=True)
    assert both.schema == pa.schema(
        [("id", pa.int64()), ("_rowid", pa.uint64()), ("_rowaddr", pa.uint64())]
    )
    assert both["_rowid"].to_pylist() == both["_rowaddr"].to_pylist() == addresses()


def test_row_id_as_a_column(table):
    read = table.to_table(columns=["_rowid", "id"])
    assert read.schema.names == ["_rowid", "id"]
    assert read["_rowid"].to_pylist() == addresses()
    assert table.to_table(columns=["_rowaddr"])["_rowaddr"].to_pylist() == addresses()
    assert table.take([5], columns=["id", "_rowid"])["_rowid"].to_pylist() == [(1 << 32) + 1]


# Rows.


def test_limit_and_offset(table):
    for offset in [None, 0, 1, 3, 4, 9, 10, 11, 100]:
        for limit in [None, 0, 1, 4, 5, 11, 2**40]:
            start = offset or 0
            wanted = list(range(ROWS))[start : None if limit is None else start + limit]
            read = table.to_table(columns=["id"], limit=limit, offset=offset)
            assert ids(read) == wanted, (limit, offset)


def test_batch_size(table):
    def rows(**arguments):
        return [batch.num_rows for batch in table.to_batches(columns=["id"], **arguments)]

    assert rows(batch_size=3) == [3, 1, 3, 1, 2, 1]
    assert rows() == [4, 4, 2, 1]
    assert sum(rows(batch_size=1)) == ROWS
    assert sum(rows(limit=5, offset=2)) == 5


def test_to_batches_is_lazy_and_restartable(table):
    first, second = table.to_batches(batch_size=1), table.to_batches(batch_size=1)
    assert next(first)["id"].to_pylist() == [0]
    assert next(second)["id"].to_pylist() == [0]
    assert next(first)["id"].to_pylist() == [1]
    del first
    assert sum(batch.num_rows for batch in second) == ROWS - 1


def test_fragments_in_the_order_asked(table):
    reversed_ids = ids(
        table.scanner(columns=["id"], fragments=table.get_fragments()[::-1]).to_table()
    )
    assert reversed_ids == [10, 8, 9, 4, 5, 6, 7, 0, 1, 2, 3]
    only = table.scanner(columns=["id"], fragments=[table.get_fragment(1)])
    assert ids(only.to_table()) == [4, 5, 6, 7]
    assert only.count_rows() == 4
    assert table.scanner(fragments=[]).to_table().num_rows == 0


def test_tuning_arguments_change_nothing(table):
    tuned = table.to_table(
        batch_readahead=2,
        fragment_readahead=1,
        io_buffer_size=1 << 20,
        late_materialization=True,
        use_stats=False,
        use_scalar_index=False,
        prefilter=False,
        scan_in_order=True,
    )
    assert tuned == TABLE


def test_columns_that_are_read_late_are_known(table):
    assert table.to_table(late_materialization=["name", "point.x", "_rowid"]) == TABLE
    with pytest.raises((RuntimeError, ValueError), match="nope"):
        table.to_table(filter="id > 3", late_materialization=["id", "nope"])


def test_scan_out_of_order_has_the_same_rows(table):
    assert sorted(ids(table.to_table(columns=["id"], scan_in_order=False))) == list(range(ROWS))


@pytest.fixture
def many_rows(lancecpp, path):
    """200,000 rows in four fragments, with texts of 10 MB. Those kept by `kept` have even ids."""
    rows = 200_000
    data = {"id": range(rows), "kept": [i % 2 == 0 for i in range(rows)], "text": [f"{i:050}" for i in range(rows)]}
    return lancecpp.write_dataset(pa.table(data), path, max_rows_per_file=60_000)


def test_an_offset_behind_a_filter(many_rows):
    many_rows.delete("id % 10 = 4")
    kept = [i for i in range(0, 200_000, 2) if i % 10 != 4]
    for offset in (8191, 8192, 23_999, 24_000, 70_000, 79_999, 80_000, 10**9):
        for limit in (0, 1, 9000):
            found = many_rows.to_table(columns=["id", "text"], filter="kept", offset=offset, limit=limit)
            assert ids(found) == kept[offset:][:limit]
            assert found["text"].to_pylist() == [f"{i:050}" for i in ids(found)]
    assert ids(many_rows.to_table(columns=["id"], filter="kept", offset=20_000)) == kept[20_000:]
    scanner = many_rows.scanner(columns={"t": "right(text, 6)"}, filter="kept", offset=70_000, batch_size=1000)
    assert [int(t) for batch in scanner.to_batches() for t in batch["t"].to_pylist()] == kept[70_000:]
    found = many_rows.to_table(filter=f"_rowid < {3 << 32} AND kept", offset=30_000, limit=2, with_row_id=True)
    assert ids(found) == kept[30_000:30_002]
    assert many_rows.to_table(columns=[], filter="kept", offset=70_000, with_row_id=True).num_rows == 10_000


def test_an_offset_behind_a_filter_of_some_fragments(many_rows):
    first, second, third, _ = many_rows.get_fragments()
    for fragments in ([second], [third, first], [first, third, first]):
        kept = [i for f in fragments for i in range(f.fragment_id * 60_000, (f.fragment_id + 1) * 60_000, 2)]
        for offset in (20_000, 29_999, 50_000, 70_000):
            found = many_rows.scanner(columns=["id"], filter="kept", offset=offset, limit=3, fragments=fragments)
            assert ids(found.to_table()) == kept[offset : offset + 3]


def test_an_offset_reads_the_columns_of_the_filter_alone(many_rows):
    def read(**arguments):
        many_rows.io_stats_incremental()
        assert many_rows.to_table(filter="kept", limit=100, **arguments).num_rows == 100
        return many_rows.io_stats_incremental()

    start = read(columns=["text"])
    behind = read(columns=["text"], offset=90_000)
    # 25 KB of booleans, some of them twice.
    assert behind.read_bytes < start.read_bytes + 60_000
    assert behind.read_iops < start.read_iops + 40
    plan = many_rows.scanner(columns=["text"], filter="kept", limit=100, offset=90_000).analyze_plan()
    rows_read = re.search("ReadKept:.*rows=([0-9,]+)", plan)
    assert int(rows_read[1].replace(",", "")) < 1000, plan


# Scanner.


def test_scanner(table):
    scanner = table.scanner(columns=["id"], with_row_id=True, limit=3)
    assert scanner.projected_schema == pa.schema([("id", pa.int64()), ("_rowid", pa.uint64())])
    assert scanner.dataset_schema == TABLE.schema
    assert scanner.to_table() == scanner.to_table()
    assert sum(batch.num_rows for batch in scanner.to_batches()) == 3
    assert scanner.head(2).num_rows == 2
    assert scanner.head(100).num_rows == 3


def test_reader(table):
    reader = table.scanner(columns=["id"]).to_reader()
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.schema == pa.schema([("id", pa.int64())])
    assert ids(reader.read_all()) == list(range(ROWS))


def test_a_reader_outlives_its_table(table):
    reader = table.scanner(batch_size=2).to_reader()
    del table
    assert reader.read_all() == TABLE


def test_default_scan_options(lance, path):
    lance.write_dataset(TABLE, path)
    table = lance.dataset(path, default_scan_options={"with_row_id": True})
    assert table.to_table(columns=["id"]).schema.names == ["id", "_rowid"]
    assert table.to_table(columns=["id"], with_row_id=False).schema.names == ["id"]


# Take, head, slice, sample.


@pytest.mark.parametrize(
    "indices",
    [[], [0], [10], [3, 1, 1, 10, 0], list(range(ROWS)), [7] * 5, list(range(ROWS - 1, -1, -1))],
)
def test_take(table, indices):
    wanted = TABLE.take(pa.array(indices, pa.int64()))
    assert table.take(indices).to_pylist() == wanted.to_pylist()
    assert table.take(indices, columns=["name"]).to_pylist() == wanted.select(["name"]).to_pylist()
    assert table.take(indices).schema == TABLE.schema


def test_take_index_kinds(table):
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    kinds = [
        (3, 1),
        range(3, 0, -2),
        pa.array([3, 1]),
        pa.array([9, 3, 1], pa.uint8()).slice(1),
        pa.chunked_array([[3], [1]]),
        pandas.Series([3, 1]),
        [numpy.int32(3), True],
    ]
    for dtype in ["i8", "u8", "i4", "u4", "i2", "u1"]:
        kinds.append(numpy.array([3, 1], dtype=dtype))
    kinds.append(numpy.array([3, 9, 1, 9])[::2])
    for kind in kinds:
        assert ids(table.take(kind, columns=["id"])) == [3, 1], kind


def test_head(table):
    assert table.head(3) == TABLE.slice(0, 3)
    assert table.head(3, columns=["id"]) == TABLE.select(["id"]).slice(0, 3)
    assert table.head(0).num_rows == 0
    assert table.head(100) == TABLE


def test_slice(table):
    assert table.slice(2, 7) == TABLE.slice(2, 5)
    assert table.slice(5, 100, columns=["id"]) == TABLE.select(["id"]).slice(5)
    assert table.slice(5, 5).num_rows == 0


def test_sample(table):
    picked = ids(table.sample(5, columns=["id"]))
    assert len(set(picked)) == 5
    assert set(picked) <= set(range(ROWS))
    ordered = ids(table.sample(8, randomize_order=False))
    assert ordered == sorted(set(ordered))
    assert table.sample(0).num_rows == 0


# Deletions and columns added or dropped by pylance.


@pytest.mark.parametrize("fraction", [3, 50])
def test_deleted_rows(lance, pylance, path, fraction):
    rows = 3000
    made = pylance.write_dataset({"id": list(range(rows))}, path, max_rows_per_file=1000)
    made.delete(f"id % {fraction} = 0")
    live = [i for i in range(rows) if i % fraction]
    table = lance.dataset(path)
    assert table.count_rows() == len(live)
    assert ids(table.to_table()) == live
    assert ids(table.to_table(limit=50, offset=900)) == live[900:950]
    assert ids(table.take([0, 1, len(live) - 1, 700])) == [live[0], live[1], live[-1], live[700]]
    assert sum(f.num_deletions for f in table.get_fragments()) == rows - len(live)
    with_ids = table.to_table(with_row_id=True)
    assert with_ids["_rowid"].to_pylist() == [(i // 1000 << 32) + i % 1000 for i in live]


def test_evolved_columns(lance, pylance, path):
    made = pylance.write_dataset({"a": [1, 2, 3], "b": ["x", "y", "z"]}, path, max_rows_per_file=2)
    made.add_columns({"c": "a * 10"})
    made.alter_columns({"path": "a", "name": "renamed"})
    made.drop_columns(["b"])
    table = lance.dataset(path)
    assert table.to_table().to_pydict() == {"renamed": [1, 2, 3], "c": [10, 20, 30]}
    assert table.take([2, 0], columns=["c"]).to_pydict() == {"c": [30, 10]}


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize("writer", ["pylance", "lancecpp"])
def test_fragments_of_dropped_columns(lance, request, path, writer, version):
    """The last column was dropped: fragments without the others list a field above all of the table's."""
    write = request.getfixturevalue(writer).write_dataset
    write(pa.table({"id": [1, 2], "cat": ["a", "b"], "z": [1, 2]}), path, data_storage_version=version)
    write(pa.table({"id": [3], "z": [3]}), path, mode="append").drop_columns(["z"])
    table = lance.dataset(path)
    assert table.count_rows("cat IS NULL") == 1
    assert table.to_table(columns=["cat"])["cat"].to_pylist() == ["a", "b", None]
    assert table.to_table(columns={"c": "upper(cat)"})["c"].to_pylist() == ["A", "B", None]
    assert table.take([2, 0], columns=["cat"])["cat"].to_pylist() == [None, "a"]


def test_fragments_of_fields_that_no_column_had(lancecpp, path):
    lancecpp.write_dataset(pa.table({"id": [1, 2], "cat": ["a", "b"], "z": [1, 2]}), path)
    table = lancecpp.write_dataset(pa.table({"id": [3], "z": [3]}), path, mode="append")
    table.drop_columns(["z"])
    manifest = max(Path(path, "_versions").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    content = manifest.read_bytes()
    fields = b"\x12\x02\x00\x02"  # 0 and 2
    assert content.count(fields) > 0
    manifest.write_bytes(content.replace(fields, b"\x12\x02\x00\x07"))
    with pytest.raises(OSError, match="fragment 1 has none of the columns, but a field 7"):
        lancecpp.dataset(path).to_table(columns=["cat"])


# Other libraries.


def test_to_pandas(table):
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas(columns=["id", "name"], limit=4)
    assert isinstance(frame, pandas.DataFrame)
    assert frame["id"].to_list() == [0, 1, 2, 3]
    assert table.scanner(columns=["id"]).to_pandas()["id"].sum() == sum(range(ROWS))


def test_stream_into_other_libraries(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path, max_rows_per_file=4)
    for source in (table, table.scanner(columns=["id", "name"]), table.get_fragment(0)):
        assert pa.table(source).num_rows in (ROWS, 4)
    assert pa.RecordBatchReader.from_stream(table).read_all() == TABLE
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(table)["id"].sum() == sum(range(ROWS))
    duckdb = pytest.importorskip("duckdb")
    scanned = table
    assert duckdb.sql("select sum(id) from scanned").fetchall() == [(sum(range(ROWS)),)]


def test_io_counters(lance, path):
    table = lance.write_dataset(TABLE, path)
    stats = table.io_stats_incremental()
    assert stats.write_iops > 0
    assert stats.written_bytes > 0
    table = lance.dataset(path)
    table.to_table()
    stats = table.io_stats_snapshot()
    assert stats.read_iops > 0
    assert stats.read_bytes > 0
    assert table.io_stats_incremental().read_iops == stats.read_iops
    assert table.io_stats_snapshot().read_iops == 0
