"""Which rows a scan gives beside its filter: deleted ones, and those of lists; and what it took."""

import importlib
import logging
import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest

DELETED = (2, 3, 9, 17)


def module_of(lance, name):
    return importlib.import_module(f"{lance.__name__}.{name}")


def serialized(lance, rows):
    return module_of(lance, "dataset").serialize_row_addrs(rows)


@pytest.fixture(params=[False, True], ids=["addresses", "stable"])
def table(lance, path, request):
    data = {"x": list(range(20)), "s": [f"v{i}" for i in range(20)]}
    made = lance.write_dataset(
        pa.table(data), path, max_rows_per_file=8, enable_stable_row_ids=request.param
    )
    made.delete(f"x in {DELETED}")
    made.is_stable = request.param
    return made


def ids_of(table, rows):
    return [row if table.is_stable else (row // 8 << 32) + row % 8 for row in rows]


def scan(table, **arguments):
    return table.scanner(**{"with_row_id": True, "include_deleted_rows": True, **arguments}).to_table()


def test_deleted_rows_have_no_id(table):
    live = [row for row in range(20) if row not in DELETED]
    ids = dict(zip(live, ids_of(table, live)))
    got = scan(table, with_row_address=True)
    assert got["x"].to_pylist() == list(range(20))
    assert got["s"].to_pylist() == [f"v{i}" for i in range(20)]
    assert got["_rowid"].to_pylist() == [ids.get(row) for row in range(20)]
    addresses = [None if row in DELETED else (row // 8 << 32) + row % 8 for row in range(20)]
    assert got["_rowaddr"].to_pylist() == addresses
    assert scan(table, columns=[]).column_names == ["_rowid"]
    got = scan(table, columns=["x", "_rowoffset"])
    offsets = [0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 14, 15]
    assert got["_rowoffset"].to_pylist() == offsets


def test_deleted_rows_are_filtered_like_others(table):
    assert scan(table, columns=["x"], filter="x < 5")["x"].to_pylist() == [0, 1, 2, 3, 4]
    assert scan(table, columns=["x"], filter="_rowid is null")["x"].to_pylist() == list(DELETED)

    for name in ("_rowid", "_rowaddr"):
        assert scan(table, columns=["x"], filter=f"{name} = 2").num_rows == 0
        assert scan(table, columns=["x"], filter=f"{name} in (1, 2)")["x"].to_pylist() == [1]
    assert scan(table, columns=["x"], filter="x < 12", offset=2, limit=3)["x"].to_pylist() == [2, 3, 4]
    assert scan(table, offset=2, limit=5)["_rowid"].to_pylist() == [None, None, *ids_of(table, [4, 5, 6])]
    computed = scan(table, columns={"y": "x + 1", "r": "_rowid"})
    assert computed["r"].null_count == 4 and computed["y"].to_pylist() == list(range(1, 21))
    fragment = table.get_fragments()[1]
    assert scan(table, fragments=[fragment])["x"].to_pylist() == list(range(8, 16))
    got = fragment.to_table(columns=["x"], with_row_id=True, include_deleted_rows=True)
    assert got["x"].to_pylist() == list(range(8, 16))


def test_deleted_rows_in_order(lance, table):
    order = [module_of(lance, "dataset").ColumnOrdering("x", ascending=False)]
    assert scan(table, columns=["x", "s"], order_by=order)["x"].to_pylist() == list(range(19, -1, -1))
    got = scan(table, columns=["x", "s"], order_by=order, limit=5)
    assert got["x"].to_pylist() == [19, 18, 17, 16, 15]
    assert got["_rowid"].to_pylist()[2] is None


def test_deleted_rows_are_counted(table):
    arguments = {"with_row_id": True, "include_deleted_rows": True}
    assert table.scanner(**arguments).count_rows() == 20
    assert table.scanner(filter="x < 5", **arguments).count_rows() == 5
    assert [b.num_rows for b in table.scanner(batch_size=3, strict_batch_size=True, **arguments).to_batches()] == [3] * 6 + [2]


def test_deleted_rows_need_the_row_id(table):
    for arguments in ({}, {"with_row_address": True}, {"columns": ["x"]}):
        with pytest.raises(ValueError, match="include_deleted_rows is set but with_row_id is false"):
            table.scanner(include_deleted_rows=True, **arguments).to_table()
    got = table.scanner(include_deleted_rows=True, columns=["_rowid"]).to_table()
    assert got.num_rows == 20 and got["_rowid"].null_count == 4
    with pytest.raises(TypeError, match="include_deleted_rows"):
        table.scanner(include_deleted_rows=1, with_row_id=True).to_table()
    assert table.scanner(include_deleted_rows=False).to_table().num_rows == 16


def test_deleted_rows_and_a_condition_of_pyarrow(lancecpp, path):
    made = lancecpp.write_dataset({"s": ["a", "B", "c", "D"]}, path)
    made.delete("s in ('B', 'c')")
    got = scan(made, filter=pc.utf8_is_upper(pc.field("s")))
    assert got["s"].to_pylist() == ["B", "D"] and got["_rowid"].to_pylist() == [None, 3]


def test_deleted_rows_of_the_first_format(lancecpp, pylance, path):
    theirs = pylance.write_dataset(pa.table({"x": [1, 2, 3]}), path, data_storage_version="legacy")
    theirs.delete("x = 2")
    made = lancecpp.dataset(path)
    # The reference leaves them out as soon as there is a condition.
    assert scan(made, filter="x > 1")["_rowid"].to_pylist() == [None, 2]
    assert made.scanner(with_row_id=True, include_deleted_rows=True).count_rows() == 3


def test_lists_of_rows(lance, table):
    listed = serialized(lance, ids_of(table, [0, 2, 4, 8, 9]))

    def rows(**arguments):
        return table.scanner(columns=["x"], **arguments).to_table()["x"].to_pylist()

    live = [row for row in range(20) if row not in DELETED]
    others = [row for row in live if row not in (0, 4, 8)]
    assert rows(row_addr_allowlist=listed) == [0, 4, 8]
    assert rows(row_addr_blocklist=listed) == others
    first = serialized(lance, ids_of(table, [0]))
    assert rows(row_addr_allowlist=listed, row_addr_blocklist=first) == [4, 8]
    none = serialized(lance, [])
    assert rows(row_addr_allowlist=none) == []
    assert rows(row_addr_blocklist=none) == live
    assert rows(row_addr_allowlist=bytearray(listed), filter="x > 0") == [4, 8]
    assert rows(row_addr_allowlist=listed, filter="_rowid > 0") == [4, 8]
    assert rows(row_addr_allowlist=listed, filter="_rowaddr > 0") == [4, 8]
    assert rows(row_addr_allowlist=listed, limit=2) == [0, 4]
    assert rows(row_addr_allowlist=listed, offset=1) == [4, 8]
    assert rows(row_addr_blocklist=listed, offset=1, limit=2) == others[1:3]
    order = [module_of(lance, "dataset").ColumnOrdering("x", ascending=False)]
    assert rows(row_addr_allowlist=listed, order_by=order) == [8, 4, 0]
    assert rows(row_addr_allowlist=listed, fragments=[table.get_fragments()[1]]) == [8]
    assert table.scanner(row_addr_allowlist=listed).count_rows() == 3
    assert table.scanner(row_addr_blocklist=listed, filter="x > 5").count_rows() == 11
    assert rows(row_addr_allowlist=serialized(lance, [1, 1000, 1 << 40, (1 << 64) - 1])) == [1]
    got = scan(table, row_addr_allowlist=listed)
    assert got["x"].to_pylist() == [0, 2, 4, 8, 9] and got["_rowid"].null_count == 2
    assert scan(table, row_addr_blocklist=listed).num_rows == 15
    assert table.scanner(columns={"y": "x + 1"}, row_addr_allowlist=listed).to_table()["y"].to_pylist() == [1, 5, 9]


def test_a_list_of_a_whole_fragment(lance, table):
    whole = (1).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(4)
    got = table.scanner(columns=["x"], row_addr_allowlist=whole).to_table()["x"].to_pylist()
    assert got == ([] if table.is_stable else [8, 10, 11, 12, 13, 14, 15])


def test_lists_that_are_none(lance, table):
    listed = serialized(lance, [0, 1 << 32])
    for broken in (b"", b"abc", listed[:-1]):
        for name in ("row_addr_allowlist", "row_addr_blocklist"):
            with pytest.raises(ValueError, match="is not a serialized"):
                table.scanner(**{name: broken}).to_table()
    with pytest.raises(TypeError, match="row_addr_allowlist"):
        table.scanner(row_addr_allowlist="abc").to_table()


def test_damaged_lists_do_no_harm(lancecpp, path):
    made = lancecpp.write_dataset({"x": list(range(100))}, path)
    listed = serialized(lancecpp, [0, 5, 70, 1 << 32, *range(1 << 33, (1 << 33) + 5000)])
    random.seed(7)
    for _ in range(2000):
        broken = bytearray(listed)
        broken[random.randrange(40)] = random.randrange(256)
        try:
            assert made.scanner(row_addr_allowlist=broken).to_table().num_rows <= 100
        except ValueError as error:
            assert "row_addr_allowlist is not a serialized set of row ids" in str(error)


def test_serialized_lists_are_the_same(lancecpp, pylance):
    random.seed(3)
    for rows in ([], [7], [5, 5, 1], [random.getrandbits(34) for _ in range(9000)], range(20000)):
        rows = list(rows)
        ours, theirs = serialized(lancecpp, rows), serialized(pylance, rows)
        assert ours == theirs


def test_lists_against_the_reference(lancecpp, pylance, path):
    random.seed(11)
    count = 30_000
    values = pa.table({"x": pa.array([random.randrange(1000) for _ in range(count)])})
    for stable in (False, True):
        uri = f"{path}{stable}"
        theirs = pylance.write_dataset(values, uri, max_rows_per_file=7000, enable_stable_row_ids=stable)
        theirs.delete("x % 7 = 3")
        theirs.update({"x": "x + 1"}, where="x < 50")
        ids = theirs.to_table(with_row_id=True)["_rowid"].to_pylist()
        ours = lancecpp.dataset(uri)
        allowed = serialized(pylance, random.sample(ids, 9000) + [1 << 50])
        blocked = serialized(pylance, random.sample(ids, 5000))
        for arguments in (
            {"row_addr_allowlist": allowed},
            {"row_addr_blocklist": blocked, "filter": "x > 500"},
            {"row_addr_allowlist": allowed, "row_addr_blocklist": blocked, "filter": "x < 600 or _rowid < 9"},
            {"row_addr_allowlist": allowed, "offset": 100, "limit": 1000},
            {"row_addr_blocklist": blocked, "include_deleted_rows": True},
        ):
            arguments["with_row_id"] = True
            expected = theirs.scanner(**arguments).to_table()
            got = ours.scanner(**arguments).to_table()
            assert got.to_pydict() == expected.to_pydict()


# Statistics.


def test_statistics_are_told_at_the_end(lance, table):
    seen = []
    scanner = table.scanner(columns=["x"], scan_stats_callback=seen.append)
    for run in (
        scanner.to_table,
        lambda: list(scanner.to_batches()),
        lambda: scanner.to_reader().read_all(),
        lambda: table.scanner(columns=["x"], filter="x > 3", scan_stats_callback=seen.append).to_table(),
    ):
        before = len(seen)
        run()
        assert len(seen) == before + 1
    for statistics in seen:
        assert isinstance(statistics, lance.ScanStatistics)
        assert statistics.iops > 0 and statistics.bytes_read > 0 and statistics.requests > 0
        assert statistics.indices_loaded == 0 and statistics.index_comparisons == 0
        assert statistics.all_counts["fragments_scanned"] == 3
        assert statistics.all_counts["rows_scanned"] == 16
        assert all(isinstance(time, int) for time in statistics.all_times.values())


def test_statistics_of_what_does_not_end(lance, table):
    seen = []
    batches = table.scanner(scan_stats_callback=seen.append, batch_size=1).to_batches()
    next(batches)
    del batches
    scanner = table.scanner(columns={"y": "1 / (x - 5)"}, scan_stats_callback=seen.append)
    with pytest.raises(Exception):
        scanner.to_table()
    table.scanner(scan_stats_callback=seen.append).count_rows()
    table.scanner(scan_stats_callback=seen.append, filter="x > 2").analyze_plan()
    assert seen == []


def test_a_callback_that_raises(lance, table, caplog):
    def raises(_):
        raise KeyError("the callback broke")

    with caplog.at_level(logging.ERROR, "lancecpp"):
        assert table.scanner(scan_stats_callback=raises).to_table().num_rows == 16
    if lance.__name__ == "lancecpp":
        assert "scan_stats_callback raised an exception" in caplog.text
        assert "the callback broke" in caplog.text
    with pytest.raises(ValueError, match="callable"):
        table.scanner(scan_stats_callback=5).to_table()


def test_statistics_count_the_reads(lancecpp, path):
    lancecpp.write_dataset({"x": list(range(1000)), "s": ["a" * 50] * 1000}, path)
    order = [lancecpp.ColumnOrdering("x", ascending=False)]
    for arguments in (
        {"columns": ["x"]},
        {"columns": ["s"], "filter": "x > 990"},
        {"columns": ["s"], "order_by": order},
        {"columns": ["s"], "order_by": order, "limit": 3},
        {"columns": [], "with_row_id": True, "order_by": order},
    ):
        table = lancecpp.dataset(path)
        seen = []
        scanner = table.scanner(scan_stats_callback=seen.append, **arguments)
        scanner.projected_schema
        table.io_stats_incremental()
        scanner.to_table()
        counted = table.io_stats_incremental()
        assert (seen[0].iops, seen[0].bytes_read) == (counted.read_iops, counted.read_bytes)


def test_an_interrupt_in_the_callback_is_raised(lancecpp, path):
    def interrupted(_):
        raise KeyboardInterrupt

    table = lancecpp.write_dataset({"x": [1]}, path)
    with pytest.raises(KeyboardInterrupt):
        table.scanner(scan_stats_callback=interrupted).to_table()
        for _ in range(1000):
            pass


# Plans.


def test_a_sort_is_analyzed_with_its_keys(lancecpp, path):
    values = {"k": list(range(1000)), "s": ["a" * 50] * 1000}
    lancecpp.write_dataset(values, path)
    for limit in (None, 3):
        table = lancecpp.dataset(path)
        table.io_stats_incremental()
        scanner = table.scanner(columns=["s"], order_by=["k"], limit=limit)
        plan = scanner.analyze_plan()
        counted = table.io_stats_incremental()
        lines = plan.splitlines()
        assert f"reads={counted.read_iops}, bytes={counted.read_bytes}, " in lines[0]
        keys = [line for line in lines if "Read: columns=[k, _rowaddr]" in line]
        assert len(keys) == 1 and "rows=1000" in keys[0] and "reads=0" not in keys[0]
        assert ("ReadBest: columns=[s]" in plan) == (limit is not None)
        explained = scanner.explain_plan()
        assert "Read: columns=[k, _rowaddr]" in explained


def test_analyze_scans_once(lancecpp, path):
    lancecpp.write_dataset({"s": [f"a{i}" for i in range(5000)], "x": list(range(5000))}, path)

    def reads(run):
        table = lancecpp.dataset(path)
        scanner = table.scanner(filter=pc.utf8_upper(pc.field("s")) == "A7")
        table.io_stats_incremental()
        result = run(scanner)
        return table.io_stats_incremental().read_iops, result

    expected, rows = reads(lambda scanner: scanner.to_table().num_rows)
    assert rows == 1
    counted, plan = reads(lambda scanner: scanner.analyze_plan())
    assert counted == expected
    assert plan.startswith("PyArrowFilter: condition=") and "; rows=1, " in plan.splitlines()[0]
