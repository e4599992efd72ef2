"""Measures filters next to pylance: on the same table, written by pylance; every answer is compared.

usage: python bench/filters.py [--rows N] [--only WORD] [--write-docs]

Medians of alternating runs, warm. Then TPC-H queries 1 and 6 on `lineitem`: DuckDB over our dataset, over
pylance's, and over a Parquet file of the same rows.
"""

import argparse
import pathlib
import statistics
import tempfile
import time

import duckdb  # before tables are opened: see docs/expressions.md
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lance as pylance
import lancecpp

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "benchmarks.md"
MARK = "<!-- filters -->"
SEED = 11
REPEATS = 7
WIDE = [f"w{i}" for i in range(12)]
WORDS = (
    "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which "
    "special requests packages deposits accounts carefully quickly furiously ironic regular express final pending bold"
).split()
CITIES = "Berlin Paris Lisbon Oslo Vienna Madrid Rome Athens Dublin Prague Warsaw Riga".split()


def make_table(rows):
    random = np.random.default_rng(SEED)
    words = random.integers(0, len(WORDS), (rows, 8))
    comments = [" ".join(WORDS[i] for i in row) for row in words]
    nulls = random.random(rows) < 0.05
    columns = {
        "id": pa.array(random.permutation(rows).astype(np.int64)),
        "price": pa.array(np.round(random.random(rows) * 1000, 2)),
        "quantity": pa.array(random.integers(0, 50, rows).astype(np.int32), mask=nulls),
        "city": pa.array([CITIES[i] for i in random.integers(0, len(CITIES), rows)]),
        "name": pa.array([f"customer#{i:09d}" for i in random.integers(0, rows * 4, rows)]),
        "comment": pa.array(comments),
        "day": pa.array(random.integers(18000, 20000, rows).astype(np.int32)).cast(pa.date32()),
        "at": pa.array(random.integers(0, 10**15, rows)).cast(pa.timestamp("us")),
    }
    for name in WIDE:
        columns[name] = pa.array(random.standard_normal(rows))
    return pa.table(columns)


def queries(rows):
    random = np.random.default_rng(SEED + 1)
    some = ", ".join(str(i) for i in random.integers(0, rows, 20))
    many = ", ".join(str(i) for i in random.integers(0, rows * 100, 2000))
    names = ", ".join(f"'customer#{i:09d}'" for i in random.integers(0, rows * 4, 200))
    wide = ["name", "comment"] + WIDE

    def table(filter, columns=None):
        return lambda dataset: dataset.to_table(columns=columns, filter=filter)

    def count(filter):
        return lambda dataset: dataset.count_rows(filter)

    # name -> (how many times as fast it has to be, what to run)
    return {
        "selective filter, wide projection": (2, table("id < 1000", wide)),
        "one row of 14 columns": (2, table("id = 4711", wide)),
        "IN of 20, wide projection": (2, table(f"id IN ({some})", wide)),
        "full-scan filter, price": (1.5, table("price > 500", ["id", "price"])),
        "full-scan filter, three columns": (1.5, table("price < 300 AND quantity > 10 AND city = 'Oslo'", ["id"])),
        "full-scan filter, OR": (1.5, table("price < 10 OR quantity IS NULL", ["id"])),
        "arithmetic": (1.5, table("price * quantity > 40000", ["id"])),
        "dates and timestamps": (1.5, table("day >= date '2020-01-01' AND at < timestamp '1990-01-01 00:00:00'", ["id"])),
        "LIKE '%word%'": (1.5, table("comment LIKE '%ironic%'", ["id"])),
        "LIKE '%two%words%'": (1.5, table("comment LIKE '%special%requests%'", ["id"])),
        "NOT LIKE, few left": (1.5, table("comment NOT LIKE '%e%'", ["id"])),
        "LIKE 'prefix%'": (1.5, table("name LIKE 'customer#0000%'", ["id"])),
        "regexp_like": (1.5, table("regexp_like(comment, 'fur[a-z]+ly bold')", ["id"])),
        "regexp_like, no literal": (1.5, table("regexp_like(name, '[0-9]99[13]$')", ["id"])),
        "count price > 500": (2, count("price > 500")),
        "count city = 'Riga'": (2, count("city = 'Riga'")),
        "count IN of 20": (2, count(f"id IN ({some})")),
        "count IN of 2,000": (2, count(f"id IN ({many})")),
        "count IN of 200 strings": (2, count(f"name IN ({names})")),
        "count upper(city) = 'RIGA'": (2, count("upper(city) = 'RIGA'")),
        "count upper(name) = …": (2, count("upper(name) = 'CUSTOMER#000000077'")),
        "count length(comment) > 50": (2, count("length(comment) > 50")),
        "count split_part(name, …)": (2, count("split_part(name, '#', 2) = '000000077'")),
        "count quantity IS NULL": (2, count("quantity IS NULL")),
        "count date_part": (2, count("date_part('year', day) = 2020")),
        "10 rows by _rowid": (2, table(f"_rowid IN ({', '.join(some.split(', ')[:10])})", wide)),
    }


def seconds(call, argument):
    begin = time.perf_counter()
    call(argument)
    return time.perf_counter() - begin


def medians(calls):
    """Of runs that take turns, so that what slows the machine slows all."""
    times = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            times[name].append(seconds(lambda _: call(), None))
    return {name: statistics.median(of) for name, of in times.items()}


def ordered(result):
    return result if isinstance(result, int) else result.combine_chunks()


def compare_filters(rows, only, folder):
    path = str(folder / "filters.lance")
    pylance.write_dataset(make_table(rows), path, data_storage_version="2.2", max_rows_per_file=rows // 2)
    ours, theirs = lancecpp.dataset(path), pylance.dataset(path)
    lines = ["| filter | lancecpp, ms | pylance, ms | times as fast | wanted |", "|---|---:|---:|---:|---:|"]
    for name, (wanted, run) in queries(rows).items():
        if only and only not in name:
            continue
        assert ordered(run(ours)) == ordered(run(theirs)), name
        times = medians({"ours": lambda: run(ours), "theirs": lambda: run(theirs)})
        ratio = times["theirs"] / times["ours"]
        mark = "" if ratio >= wanted else " ✗"
        lines.append(f"| {name} | {times['ours'] * 1e3:.2f} | {times['theirs'] * 1e3:.2f} | {ratio:.2f}{mark} | {wanted} |")
        print(lines[-1], flush=True)
    return lines


Q1 = """
select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_discount), count(*)
from {table} where l_shipdate <= date '1998-09-02' group by all order by all"""
Q6 = """
select sum(l_extendedprice * l_discount) from {table} where l_shipdate >= date '1994-01-01'
  and l_shipdate < date '1995-01-01' and l_discount between 0.05 and 0.07 and l_quantity < 24"""


def lineitem(rows):
    """Columns of TPC-H's lineitem with its distributions, made without its generator."""
    random = np.random.default_rng(SEED)
    ship = random.integers(8036, 10562, rows).astype(np.int32)
    money = pa.decimal128(15, 2)

    def cents(values):
        # Decimals from their unscaled values.
        low = np.asarray(values, np.int64)
        both = np.stack([low, low >> 63], axis=1)
        return pa.Array.from_buffers(money, len(low), [None, pa.py_buffer(both.tobytes())])

    flags = np.where(ship > 9298, 2, random.integers(0, 2, rows))
    return pa.table(
        {
            "l_orderkey": pa.array(np.arange(rows) // 4, pa.int64()),
            "l_partkey": pa.array(random.integers(1, 200_000, rows)),
            "l_suppkey": pa.array(random.integers(1, 10_000, rows)),
            "l_linenumber": pa.array((np.arange(rows) % 4 + 1).astype(np.int32)),
            "l_quantity": cents(random.integers(1, 51, rows) * 100),
            "l_extendedprice": cents(random.integers(90_000, 10_500_000, rows)),
            "l_discount": cents(random.integers(0, 11, rows)),
            "l_tax": cents(random.integers(0, 9, rows)),
            "l_returnflag": pa.array(np.array(["A", "R", "N"])[flags]),
            "l_linestatus": pa.array(np.where(ship > 9298, "O", "F")),
            "l_shipdate": pa.array(ship).cast(pa.date32()),
            "l_comment": pa.array([" ".join(WORDS[i] for i in row) for row in random.integers(0, len(WORDS), (rows, 4))]),
        }
    )


def compare_engines(rows, folder):
    table = lineitem(rows)
    pq.write_table(table, folder / "lineitem.parquet")
    path = str(folder / "lineitem.lance")
    lancecpp.write_dataset(table, path)
    del table
    connection = duckdb.connect()
    connection.register("lancecpp", lancecpp.dataset(path))
    connection.register("pylance", pylance.dataset(path))
    connection.sql(f"create view parquet as from '{folder / 'lineitem.parquet'}'")
    sources = ["lancecpp", "pylance", "parquet"]
    lines = ["| DuckDB over | lancecpp, ms | pylance | Parquet |", "|---|---:|---:|---:|"]
    for name, query in {"TPC-H query 1": Q1, "TPC-H query 6": Q6}.items():

        def run(source, query=query):
            return connection.sql(query.format(table=source)).fetchall()

        answers = [run(source) for source in sources]
        assert answers[0] == answers[1] == answers[2], name
        times = medians({source: lambda source=source: run(source) for source in sources})
        mine = times["lancecpp"]
        lines.append(f"| {name} | {mine * 1e3:.1f} | {times['pylance'] / mine:.2f} × | {times['parquet'] / mine:.2f} × |")
        print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", help="the filters with this in their names")
    parser.add_argument("--write-docs", action="store_true", help=f"keep the tables in {DOCUMENT.name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = compare_filters(arguments.rows, arguments.only, pathlib.Path(folder))
        if not arguments.only:
            lines += [""] + compare_engines(arguments.rows, pathlib.Path(folder))
    if arguments.write_docs:
        before = DOCUMENT.read_text().split(MARK)[0].rstrip()
        DOCUMENT.write_text(f"{before}\n\n{MARK}\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
