"""DuckDB, Polars, DataFusion and pandas read a table as a pyarrow dataset.

Each query is also run on the same rows in memory, through the same engine: the answers must be the
same. What is pushed down is counted in bytes.
"""

import datetime
import decimal
import functools
import operator
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pytest

ROWS = 4000
F = pc.field


def make_table():
    n = range(ROWS)

    def some(values, type_=None):
        return pa.array([None if i % 11 == 3 else v for i, v in zip(n, values)], type_)

    return pa.table(
        {
            "row": pa.array(n, pa.int64()),
            "i": some([i * 7 % 100 for i in n], pa.int32()),
            "u": some([i % 256 for i in n], pa.uint8()),
            "f": some([float("nan") if i % 13 == 5 else (i % 200) / 8 - 3 for i in n], pa.float64()),
            "s": some([f"name {i % 50}" for i in n], pa.string()),
            "b": some([i % 3 == 0 for i in n], pa.bool_()),
            "bin": some([bytes([i % 7, 200]) for i in n], pa.binary()),
            "d": some([datetime.date(2020, 1, 1) + datetime.timedelta(i % 400) for i in n], pa.date32()),
            "ts": some([datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=i * 1000) for i in n], pa.timestamp("us")),
            "tz": some([i * 10**9 for i in n], pa.timestamp("us", "UTC")),
            "dec": some([decimal.Decimal(i % 300) / 4 for i in n], pa.decimal128(10, 2)),
            "dict": some([f"kind {i % 5}" for i in n]).dictionary_encode(),
            "st": some([{"x": i % 10, "y": f"y{i % 3}"} for i in n]),
            "li": some([[i % 4] * (i % 3) for i in n], pa.list_(pa.int64())),
            "vec": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(64 * ROWS, dtype=np.float32)), 64),
            "dur": some(n, pa.duration("ms")),
            "bulk": pa.array([f"{i * 2654435761 % 2**32:08x}" * 20 for i in n]),
        }
    )


def plain(table):
    """With texts for floats: NaN does not equal itself."""
    return table.set_column(table.column_names.index("f"), "f", table["f"].cast("string"))


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def data(table, tmp_path_factory):
    """The same in three fragments."""
    pytest.importorskip("duckdb")  # before the table is opened, see lancecpp.pyarrow_classes
    import lancecpp

    uri = str(tmp_path_factory.mktemp("engines") / "t.lance")
    return lancecpp.write_dataset(table, uri, max_rows_per_file=1500)


def bytes_of(data, run):
    data.io_stats_incremental()
    run()
    return data.io_stats_incremental().read_bytes


# What an engine asks isinstance for.


def test_counts_as_pyarrow_classes(data):
    assert isinstance(data, pads.Dataset)
    assert isinstance(data.scanner(), pads.Scanner)
    assert all(isinstance(fragment, pads.Fragment) for fragment in data.get_fragments())
    import lancecpp

    assert isinstance(data, lancecpp.LanceDataset)
    assert issubclass(data.__class__, lancecpp.LanceDataset)
    for ours, theirs in (
        (lancecpp.LanceDataset, pads.Dataset),
        (lancecpp.LanceScanner, pads.Scanner),
        (lancecpp.LanceFragment, pads.Fragment),
    ):
        inherited = [n for n in dir(theirs) if not n.startswith("_") and getattr(ours, n, None) is None]
        assert inherited == [], "pyarrow's own would look for a C++ object that is not there"


def test_datasets_opened_after_duckdb_are_of_pyarrows_class(data):
    code = """
import sys, lancecpp
before = lancecpp.write_dataset({"a": [1, 2]}, "memory://real")
import duckdb
after = lancecpp.dataset("memory://real")
import pyarrow.dataset
assert type(before) is lancecpp.LanceDataset
assert pyarrow.dataset.Dataset in type(after).__mro__
assert type(after).__name__ == "LanceDataset"
for data in (before, after, after.checkout_version(1), lancecpp.LanceDataset("memory://real")):
    assert duckdb.sql("select sum(a) from data where a > 1").fetchall() == [(2,)]
    assert data.to_table().num_rows == 2
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_counts_as_a_dataset_only_once_that_is_loaded():
    code = """
import sys, lancecpp
data = lancecpp.write_dataset({"a": [1]}, "memory://lazy")
assert data.__class__ is type(data) is lancecpp.LanceDataset
assert data.to_table(filter="a = 1").num_rows == 1
assert "pyarrow.dataset" not in sys.modules
import pyarrow.dataset
assert isinstance(data, pyarrow.dataset.Dataset)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# Expressions of pyarrow: as pyarrow evaluates them, except for what SQL sees differently.

EXPRESSIONS = {
    "comparison": F("i") > 30,
    "other type": F("i") > 30.5,
    "wider integer": F("u") < pa.scalar(300, pa.int64()),
    "columns": F("i") < F("u"),
    "columns of other types": F("dec") > F("i"),
    "is_in": F("i").isin([1, 7, 14]),
    "is_in int32": F("i").isin(pa.array([1, 7, 14], pa.int32())),
    "is_in strings": F("s").isin(["name 3", "name 4", "no"]),
    "is_in empty": F("s").isin(pa.array([], pa.string())),
    "is_valid": F("f").is_valid(),
    "is_null": F("s").is_null(),
    "is_null of NaN too": F("f").is_null(nan_is_null=True),
    "is_nan": F("f").is_nan(),
    "duckdb's IN": pc.if_else(F("i").is_valid(), F("i").isin(pa.array([7], pa.int32())), pa.scalar(None, pa.bool_())),
    "and": (F("i") > 30) & (F("s") == "name 9"),
    "or with null": (F("i") > 90) | F("s").is_null(),
    "not": ~(F("i") > 30),
    "boolean": F("b"),
    "not boolean": ~F("b"),
    "binary": F("bin") == b"\x03\xc8",
    "date": F("d") >= datetime.date(2020, 6, 1),
    "timestamp": F("ts") < datetime.datetime(2020, 1, 10),
    "timestamp with zone": F("tz") >= datetime.datetime(1970, 1, 10, tzinfo=datetime.timezone.utc),
    "decimal": F("dec") == decimal.Decimal("1.50"),
    "decimal and float": F("dec") > 1.5,
    "dictionary": F("dict") == "kind 3",
    "dictionary scalar": F("dict") == pa.array(["kind 3"]).dictionary_encode()[0],
    "dictionary is_in": F("dict").isin(["kind 1", "kind 2"]),
    "struct": F("st", "x") > 7,
    "cast": F("i").cast("int64") > 90,
    "unsafe cast": F("i").cast("int8", safe=False) > 10,
    "cast to string": F("i").cast("string") == "42",
    "arithmetic": F("i") * 2 + 1 > 150,
    "upper": pc.utf8_upper(F("s")) == "NAME 7",
    "length": pc.utf8_length(F("s")) == 6,
    "starts_with": pc.starts_with(F("s"), "name 1"),
    "like": pc.match_like(F("s"), "%e 1_"),
    "regex": pc.match_substring_regex(F("s"), "[12]$"),
    "starts_with, any case": pc.starts_with(F("s"), "NAME 1", ignore_case=True),
    "substring, any case": pc.match_substring(F("s"), "E 1", ignore_case=True),
    "choice by null": pc.if_else(F("b"), F("row"), F("i").cast("int64")) == 14,
    "and of null": pc.is_null(pc.and_not_kleene(F("b"), F("b"))) | (F("row") == 1),
    "sum that wraps": pc.add(F("u"), pc.scalar(250).cast("uint8")) < 3,
    "cast that wraps": F("row").cast("int8", safe=False) == -1,
    "duration": F("dur") > pa.scalar(3000, pa.duration("ms")),
    "null of a vector": F("vec").is_null() | (F("row") == 3),
    "year": pc.year(F("ts")) == 2020,
    "list length": pc.list_value_length(F("li")) == 2,
    "coalesce": pc.coalesce(F("i"), 0) == 0,
    "pushed and not": (F("i") > 30) & (pc.utf8_upper(F("s")) == "NAME 7") & pc.starts_with(F("s"), "n"),
    "true": pc.scalar(True),
    "null": F("i") == pa.scalar(None, pa.int32()),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_of_pyarrow(data, table, name):
    expression = EXPRESSIONS[name]
    expected = table.filter(expression)
    rows = expected["row"].to_pylist()
    assert plain(data.to_table(filter=expression)).equals(plain(expected))
    assert data.count_rows(expression) == len(rows)
    assert data.scanner(filter=expression).count_rows() == len(rows)
    assert data.to_table(columns=["row"], filter=expression, offset=3, limit=10)["row"].to_pylist() == rows[3:13]
    computed = data.to_table(columns={"i": "row + 1", "w": "upper(s)"}, filter=expression)
    assert computed["i"].to_pylist() == [row + 1 for row in rows]
    assert computed.column_names == ["i", "w"]
    assert data.filter(expression).count_rows() == len(rows)
    reader = data.scanner(columns=["s", "row"], filter=expression, with_row_id=True).to_reader()
    assert reader.schema.names == ["s", "row", "_rowid"]
    assert reader.read_all()["row"].to_pylist() == rows
    assert [r for batch in data.to_batches(filter=expression, columns=["row"]) for r in batch["row"].to_pylist()] == rows
    head = data.head(5, columns=["row"], filter=expression)
    assert head["row"].to_pylist() == rows[:5]


@pytest.mark.parametrize("name", ["or with null", "regex"])
def test_filters_add_up(data, table, name):
    both = data.filter(EXPRESSIONS[name]).filter(F("row") < 1000)
    expected = table.filter(EXPRESSIONS[name] & (F("row") < 1000))
    assert plain(both.to_table()).equals(plain(expected))
    assert both.to_table(filter="row % 2 = 0").num_rows == sum(row % 2 == 0 for row in expected["row"].to_pylist())
    assert both.to_table(filter=F("row") > 500).num_rows == sum(row > 500 for row in expected["row"].to_pylist())
    assert both.take([1, 0])["row"].to_pylist() == expected["row"].to_pylist()[1::-1]
    with pytest.raises(ValueError, match="filtered"):
        both.get_fragments()


def test_null_in_a_list_is_sqls(data, table):
    """x IN (…, NULL) is never true for a null x, as in SQL and pylance; pyarrow's is_in is."""
    expression = F("s").isin(["name 3", None])
    assert data.count_rows(expression) == table["s"].to_pylist().count("name 3")
    inverted = ~F("i").isin(pa.array([7], pa.int32()))
    assert data.count_rows(inverted) == sum(i is not None and i != 7 for i in table["i"].to_pylist())


def test_vectors_and_durations_keep_nothing_from_being_pushed_down(data):
    """Substrait has no word for them; they are only in the table."""
    expression = (F("i") == 42) & (F("row") < 500)
    plan = data.scanner(columns=["vec"], filter=expression).explain_plan()
    assert "PyArrowFilter" not in plan and "columns=[row, i]" in plan
    everything = bytes_of(data, lambda: data.to_table(columns=["vec", "i", "row"]))
    assert bytes_of(data, lambda: data.to_table(columns=["vec"], filter=expression)) < everything / 2
    assert data.count_rows(expression) == data.count_rows("i = 42 AND row < 500")


def test_unknown_columns_are_named(data):
    with pytest.raises(ValueError, match="nothing"):
        data.to_table(filter=F("nothing") == 1)
    with pytest.raises(ValueError, match="nothing"):
        data.to_table(filter=(F("i") == 1) & (pc.utf8_upper(F("nothing")) == "X"))


CHAINS = {
    "or": lambda n: functools.reduce(operator.or_, [pc.field("id") == i for i in range(n)]),
    "or, from the right": lambda n: functools.reduce(lambda a, b: b | a, [pc.field("id") == i for i in range(n)]),
    "and": lambda n: functools.reduce(operator.and_, [pc.field("id") != i for i in range(n)]),
    "or of and": lambda n: functools.reduce(
        operator.or_, [(pc.field("id") == i) & (pc.field("id") < n - 1) for i in range(n)]
    ),
    "not": lambda n: functools.reduce(lambda a, _: ~a, range(n), pc.field("id") == 3),
    "plus": lambda n: functools.reduce(lambda a, _: a + 1, range(n), pc.field("id")) == n + 3,
}


@pytest.mark.parametrize("terms", [1, 2, 3, 7, 30, 1500])
@pytest.mark.parametrize("chain", CHAINS)
def test_long_chains_of_conditions(tmp_path, chain, terms):
    """That they end is tested too: pyarrow's time for Substrait doubles with each level of an expression."""
    import lancecpp

    rows = pa.table({"id": range(2000)})
    dataset = lancecpp.write_dataset(rows, str(tmp_path / "t.lance"))
    condition = CHAINS[chain](terms)
    expected = rows.filter(condition)
    assert dataset.to_table(filter=condition) == expected
    assert dataset.count_rows(filter=condition) == expected.num_rows


def test_the_part_for_pyarrow_shows_in_plans(data):
    scanner = data.scanner(columns=["row"], filter=(F("i") > 30) & (pc.utf8_upper(F("s")) == "NAME 7"))
    steps = [line.split(":")[0].strip() for line in scanner.explain_plan().splitlines()]
    assert steps[0] == "PyArrowFilter" and "Filter" in steps
    assert "rows=4000" in scanner.explain_plan()
    figures, *steps = scanner.analyze_plan().splitlines()
    assert f"; rows={scanner.count_rows()}, time=" in figures
    # All columns that are read are named.
    assert any("columns=[s" in step or "s]" in step for step in steps)
    assert "PyArrowFilter" in scanner.analyze_plan(count_rows=True)


# Engines.

CONDITIONS = [
    "i > 30", "i = 42", "i <> 42", "i in (1, 7, 14)", "i not in (1, 7, 14)", "i is null", "i is not null",
    "i between 10 and 20 or s = 'name 9'", "i + 1 > 90", "u > 250", "i > u", "i > 30.5",
    "f > 20", "f <> 1", "f >= 20 and f < 21", "f is null",
    "s = 'name 7'", "s > 'name 4'", "s in ('name 3', 'name 4')", "s like 'name 1%'", "s like '%7'", "s not like '%7'",
    "upper(s) = 'NAME 7'", "s is null or s = 'name 1'", "length(cast(s as varchar)) = 6", "coalesce(i, 0) = 0",
    "b", "not b", "b is null", "b = true", "b is not true",
    "d >= date '2020-06-01'", "d = '2020-06-01'", "ts < timestamp '2020-01-10 00:00:00'",
    "ts between timestamp '2020-01-05 00:00:00' and timestamp '2020-01-06 12:00:00'",
    "dec = 1.5", "dec > 70", "dec in (1.25, 2.5)", "not (i > 30 and s = 'name 9')",
    "cast(i as varchar) = '42'", "cast(i as bigint) * 1000000000 > 90000000000", "1 = 1", "1 = 2",
]  # fmt: skip
DUCKDB_ONLY = ["dict = 'kind 3'", "dict in ('kind 1', 'kind 2')", "bin = '\\x03\\xC8'::blob", "st.x > 7", "st.y = 'y1'",
               "tz >= timestamptz '1970-01-10 00:00:00+00'", "isnan(f)", "i = any([1, 7])", "list_contains(li, 2)"]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS + DUCKDB_ONLY)
def test_duckdb(data, table, condition):
    duckdb = pytest.importorskip("duckdb")
    query = f"select row, s, dec from t where {condition} order by row"
    connection = duckdb.connect()
    got = connection.from_arrow(data).query("t", query).fetchall()
    assert got == connection.from_arrow(table).query("t", query).fetchall()


def test_duckdb_by_name(data, table):
    duckdb = pytest.importorskip("duckdb")
    flights, plain_rows = data, table  # noqa: F841  found by their names
    query = "select dict, count(*), sum(i), max(dec), min(ts) from {} where b group by all order by all"
    assert duckdb.sql(query.format("flights")).fetchall() == duckdb.sql(query.format("plain_rows")).fetchall()
    join = "select count(*) from {0} a join {0} b on a.row = b.i where a.u < 9"
    assert duckdb.sql(join.format("flights")).fetchall() == duckdb.sql(join.format("plain_rows")).fetchall()
    assert duckdb.sql("select count(*) from flights").fetchall() == [(ROWS,)]
    assert duckdb.sql("select row from flights limit 2").fetchall() == [(0,), (1,)]


def test_duckdb_reads_what_it_needs(data):
    duckdb = pytest.importorskip("duckdb")

    def read_by(query):
        flights = data  # noqa: F841  found by its name
        return bytes_of(data, lambda: flights and duckdb.sql(query).fetchall())

    everything = read_by("select * from flights")
    one_column = read_by("select sum(i) from flights")
    selective = read_by("select bulk from flights where row = 17")
    unselective = read_by("select bulk from flights where row % 2 = 0")
    assert one_column * 10 < everything
    assert selective * 4 < unselective


@pytest.mark.parametrize("condition", CONDITIONS)
def test_datafusion(data, table, condition):
    datafusion = pytest.importorskip("datafusion")
    query = f"select row, s, dec from t where {condition} order by row"
    context = datafusion.SessionContext()
    context.register_dataset("t", data)
    plain = datafusion.SessionContext()
    plain.register_record_batches("t", [table.to_batches()])

    def run(session):
        try:
            return pa.Table.from_batches(session.sql(query).collect(), schema=pa.schema([table.schema.field(n) for n in ("row", "s", "dec")])).to_pylist()
        except Exception as error:
            return type(error)

    expected = run(plain)
    if isinstance(expected, type):
        pytest.skip("DataFusion refuses it")
    assert run(context) == expected


def test_datafusion_reads_what_it_needs(data):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    context.register_dataset("t", data)
    assert context.sql("select count(*) from t").to_pydict() == {"count(*)": [ROWS]}
    everything = bytes_of(data, lambda: context.sql("select * from t").collect())
    assert bytes_of(data, lambda: context.sql("select sum(i) from t").collect()) * 10 < everything
    assert bytes_of(data, lambda: context.sql("select bulk from t where row = 17").collect()) * 4 < everything


def polars_predicates(pl):
    c = pl.col
    return [
        c("i") > 30, c("i") == 42, c("i").is_in([1, 7, 14]), ~c("i").is_in([1, 7, 14]), c("i").is_null(), c("i").is_not_null(),
        c("i").is_between(10, 20), c("i") + 1 > 90, c("i") > c("u"), c("i") > 30.5, c("f") < 3, c("f").is_nan(),
        c("s") == "name 7", c("s").is_in(["name 3", "name 4"]), c("s").str.starts_with("name 1"), c("s").str.to_uppercase() == "NAME 7",
        c("b"), ~c("b"), c("d") >= datetime.date(2020, 6, 1), c("ts") < datetime.datetime(2020, 1, 10),
        c("tz") >= datetime.datetime(1970, 1, 10, tzinfo=datetime.timezone.utc), c("dict").cast(pl.String) == "kind 3",
        c("dec") > 70, c("st").struct.field("x") > 7, (c("i") > 30) & (c("s") == "name 9") | c("u").is_null(), c("li").list.len() == 2,
    ]  # fmt: skip


def test_polars(data, table):
    pl = pytest.importorskip("polars")
    plain = pl.from_arrow(table)
    for predicate in polars_predicates(pl):
        lazy = pl.scan_pyarrow_dataset(data).filter(predicate).select("row", "s", "dec")
        assert lazy.collect().equals(plain.filter(predicate).select("row", "s", "dec")), str(predicate)
    scanned = pl.scan_pyarrow_dataset(data)
    assert scanned.head(3).select("row").collect()["row"].to_list() == [0, 1, 2]
    assert scanned.select(pl.len()).collect().item() == ROWS
    counts = scanned.group_by("b").agg(pl.col("i").sum()).sort("b").collect()
    assert counts.equals(plain.group_by("b").agg(pl.col("i").sum()).sort("b"))


def test_polars_reads_what_it_needs(data):
    pl = pytest.importorskip("polars")
    scanned = pl.scan_pyarrow_dataset(data)
    everything = bytes_of(data, scanned.collect)
    assert bytes_of(data, scanned.select(pl.col("i").sum()).collect) * 10 < everything
    assert bytes_of(data, scanned.filter(pl.col("row") == 17).select("bulk").collect) * 4 < everything


def test_pandas(data, table):
    pytest.importorskip("pandas")
    frame = data.to_table(columns=["row", "i"], filter=F("i") > 90).to_pandas()
    expected = table.select(["row", "i"]).filter(F("i") > 90).to_pandas()
    assert frame.equals(expected)
    assert np.array_equal(data.to_pandas(columns=["row"], filter="i > 90")["row"], expected["row"])


def test_pyarrow_reads_it(data, table):
    assert plain(pads.Scanner.from_batches(data.scanner().to_reader()).to_table()).equals(plain(table))
    assert data.scanner(use_threads=False, memory_pool=None).to_table().num_rows == ROWS
    assert [batch.record_batch.num_rows for batch in data.scanner(columns=["i"], limit=5).scan_batches()] == [5]
    assert data.sort_by([("row", "descending")]).head(1)["row"].to_pylist() == [ROWS - 1]
    with pytest.raises(NotImplementedError):
        data.join(data, "row")
    assert data.partition_expression is None


def test_datasets_with_filters_can_be_pickled_and_copied(data):
    import copy
    import pickle

    kept = data.filter(F("i") > 90)
    for made in (pickle.loads(pickle.dumps(kept)), copy.copy(kept)):
        assert made.count_rows() == kept.count_rows() < ROWS


def test_engines_as_pylance(data, pylance):
    """Where the reference works through an engine, the answers are the same."""
    duckdb = pytest.importorskip("duckdb")
    theirs = pylance.dataset(data.uri)
    for condition in CONDITIONS + DUCKDB_ONLY:
        query = f"select row from t where {condition} order by row"
        try:
            expected = duckdb.from_arrow(theirs).query("t", query).fetchall()
        except Exception:
            continue
        assert duckdb.from_arrow(data).query("t", query).fetchall() == expected, condition
