"""Measures changes of rows: a small append, a delete, an update, and merge-inserts, next to pylance.

usage: python bench/changes.py [--rows N] [--rounds N]

Each change starts from a fresh table of its own; the engines take turns. Shows our median, and the
median over the rounds of (pylance's time / ours in that round): above 1, ours is faster.
"""

import argparse
import shutil
import statistics
import tempfile
import time

import numpy as np
import pyarrow as pa

import lance as pylance
import lancecpp

ENGINES = {"lancecpp": lancecpp, "pylance": pylance}
SEED = 7
MERGED_ROWS = 20_000
ROWS_PER_FILE = 250_000


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


def measure(original, rounds, changes):
    """{change: {engine: [seconds]}}"""
    found = {}
    names = [name for name in vars(Changes) if not name.startswith("_")]
    for round_number in range(rounds):
        for name in names:
            order = list(ENGINES)
            if round_number % 2:
                order.reverse()
            for engine in order:
                with tempfile.TemporaryDirectory() as folder:
                    path = shutil.copytree(original, f"{folder}/table")
                    table = ENGINES[engine].dataset(path)
                    start = time.perf_counter()
                    getattr(changes, name)(table)
                    found.setdefault(name, {}).setdefault(engine, []).append(time.perf_counter() - start)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        original = f"{folder}/original"
        pylance.write_dataset(rows(np.arange(options.rows), SEED), original, max_rows_per_file=ROWS_PER_FILE)
        found = measure(original, options.rounds, Changes(options.rows))
    print(f"{options.rows:,} rows of 5 columns; merges of {MERGED_ROWS:,} rows, half of them new; {options.rounds} rounds\n")
    print("| | lancecpp | pylance / lancecpp |\n|---|---:|---:|")
    for name, by_engine in found.items():
        ours = by_engine["lancecpp"]
        ratios = [theirs / mine for theirs, mine in zip(by_engine["pylance"], ours)]
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
        print(f"| {name.replace('_', ' ')} | {statistics.median(ours) * 1e3:.1f} ms | {spread} |")


if __name__ == "__main__":
    main()
