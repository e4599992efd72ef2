"""Measures changes of tables: appends, deletes, updates, merge-inserts, new columns, compaction, next to pylance.

usage: python bench/changes.py [--rows N] [--rounds N] [--write-docs]

Each change starts from a fresh table of its own; the engines take turns. Shows our median, and the
median over the rounds of (pylance's time / ours in that round): above 1, ours is faster. The same for the growth of
peak memory, measured in a process of its own for each.
"""

import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

import lance as pylance
import lancecpp

from worker import peak_growth

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
MARKS = ("<!-- changes -->", "<!-- end of changes -->")
ENGINES = {"lancecpp": lancecpp, "pylance": pylance}
SEED = 7
MERGED_ROWS = 20_000
ROWS_PER_FILE = 250_000
ROWS_PER_SMALL_FILE = 10_000
MEMORY_ROUNDS = 3


def rows(ids, seed):
    random = np.random.default_rng(seed)
    count = len(ids)
    return pa.table(
        {
            "id": pa.array(ids),
            "name": pa.array([f"user-{i:09d}" for i in ids]),
            "group": pa.array(random.integers(0, 1000, count, dtype=np.int32)),
            "score": pa.array(random.standard_normal(count)),
            "text": pa.array([f"note {i} of {i % 97} words and more of them" for i in ids]),
        }
    )


class Changes:
    """Each is named by what it does; takes an open table."""

    def __init__(self, count):
        random = np.random.default_rng(SEED)
        known = random.choice(count, MERGED_ROWS // 2, replace=False)
        new = np.arange(count, count + MERGED_ROWS - len(known))
        self._source = rows(random.permutation(np.concatenate([known, new])), SEED + 1)
        self._few = rows(np.arange(count, count + 100), SEED + 2)

    def append_100(self, table):
        table.insert(self._few)

    def delete_1_percent(self, table):
        table.delete("group < 10")

    def update_1_percent(self, table):
        table.update({"score": "score + 1"}, where="group < 10")

    def upsert_by_number(self, table):
        table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(self._source)

    def upsert_by_text(self, table):
        table.merge_insert("name").when_matched_update_all().when_not_matched_insert_all().execute(self._source)

    def upsert_by_two_columns(self, table):
        table.merge_insert(["id", "name"]).when_matched_update_all().when_not_matched_insert_all().execute(self._source)

    def upsert_two_of_five_columns(self, table):
        source = self._source.select(["id", "score"])
        table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)

    def insert_new_keys(self, table):
        table.merge_insert("id").when_not_matched_insert_all().execute(self._source)

    def upsert_and_delete_unmatched(self, table):
        builder = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        builder.when_not_matched_by_source_delete("group < 10").execute(self._source)

    def add_column_by_SQL(self, table):
        table.add_columns({"twice": "score * 2 + id"})

    def add_column_by_SQL_on_text(self, table):
        table.add_columns({"upper": "upper(name)"})

    def compact_small_files(self, table):
        table.optimize.compact_files()


def original_of(change, folder):
    return f"{folder}/small" if change == "compact_small_files" else f"{folder}/large"


def write_originals(count, folder):
    data = rows(np.arange(count), SEED)
    pylance.write_dataset(data, f"{folder}/large", max_rows_per_file=ROWS_PER_FILE)
    pylance.write_dataset(data, f"{folder}/small", max_rows_per_file=ROWS_PER_SMALL_FILE)


def names_of_changes():
    return [name for name in vars(Changes) if not name.startswith("_")]


def seconds_of(name, engine, changes, originals):
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copytree(original_of(name, originals), f"{folder}/table")
        table = ENGINES[engine].dataset(path)
        start = time.perf_counter()
        getattr(changes, name)(table)
        return time.perf_counter() - start


def growth_of(name, engine, options, originals):
    """Of peak memory, in bytes: in a process of its own."""
    arguments = ["--rows", str(options.rows), "--one", name, engine, str(originals)]
    printed = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True).stdout
    return int(printed)


def print_growth(name, engine, originals, count):
    changes = Changes(count)
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copytree(original_of(name, originals), f"{folder}/table")
        table = ENGINES[engine].dataset(path)
        print(peak_growth(lambda: getattr(changes, name)(table)))


def in_turns(rounds, names, measure):
    """{change: {engine: [measured]}}"""
    found = {name: {engine: [] for engine in ENGINES} for name in names}
    for round_number in range(rounds):
        for name in names:
            for engine in list(ENGINES)[:: -1 if round_number % 2 else 1]:
                found[name][engine].append(measure(name, engine))
    return found


def compared(by_engine):
    """Our median, and that of the ratios, with the least and the largest."""
    ratios = [theirs / max(mine, 1) for theirs, mine in zip(by_engine["pylance"], by_engine["lancecpp"])]
    spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
    return statistics.median(by_engine["lancecpp"]), spread


def table_of(times, growths):
    lines = [
        "| | lancecpp | pylance / lancecpp | peak memory | pylance / lancecpp |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in times:
        nanoseconds, spread = compared({engine: [s * 1e9 for s in found] for engine, found in times[name].items()})
        growth, growth_spread = compared(growths[name])
        label = name.replace("_", " ")
        lines.append(f"| {label} | {nanoseconds / 1e6:.1f} ms | {spread} | {growth / 1e6:.1f} MB | {growth_spread} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", nargs=3, metavar=("CHANGE", "ENGINE", "FOLDER"), help="show its growth of memory only")
    parser.add_argument("--write-docs", action="store_true", help=f"keep the table in {DOCUMENT.name}")
    options = parser.parse_args()
    if options.one:
        print_growth(*options.one, options.rows)
        return
    with tempfile.TemporaryDirectory() as folder:
        write_originals(options.rows, folder)
        changes = Changes(options.rows)
        names = names_of_changes()
        times = in_turns(options.rounds, names, lambda name, engine: seconds_of(name, engine, changes, folder))
        growths = in_turns(MEMORY_ROUNDS, names, lambda name, engine: growth_of(name, engine, options, folder))
    lines = table_of(times, growths)
    print("\n".join(lines))
    if options.write_docs:
        block = "\n".join([MARKS[0], *lines, MARKS[1]])
        text = DOCUMENT.read_text()
        DOCUMENT.write_text(re.sub(f"{MARKS[0]}.*{MARKS[1]}", lambda _: block, text, flags=re.S))


if __name__ == "__main__":
    main()
