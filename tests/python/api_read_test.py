"""scanner, to_table, to_batches, to_pandas, take, head, slice, sample."""

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


def test_scan_out_of_order_has_the_same_rows(table):
    assert sorted(ids(table.to_table(columns=["id"], scan_in_order=False))) == list(range(ROWS))


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
