"""Measures what the output encodings of semantic types cost, next to a plain read of what is stored.

usage: python bench/semantic_types.py [--rows N]

`plain` is the same column in a table without semantic types; the contract allows 1.3 times that for
views of strings and for other dictionaries. The ways take turns, so that what else the machine does
falls on all of them.
"""

import argparse
import pathlib
import statistics
import tempfile
import time

import numpy as np
import pyarrow as pa

import lancecpp

REPEATS = 15
SEED = 7

# stored: output encodings
WAYS = {
    "utf8": ["utf8", "large_utf8", "utf8_view"],
    "dictionary:int32:utf8": ["dictionary:int32:utf8", "dictionary:int16:utf8", "dictionary:int64:large_utf8"],
}  # fmt: skip


def column(stored, rows):
    random = np.random.default_rng(SEED)
    if stored == "utf8":
        lengths = random.integers(4, 60, rows)
        letters = "".join(map(chr, random.integers(97, 123, int(lengths.sum()))))
        ends = np.cumsum(lengths)
        return pa.array([letters[end - size : end] for end, size in zip(ends, lengths)])
    words = pa.array([f"{city}, number {i}" for i, city in enumerate("Berlin Paris Lisbon Oslo".split() * 250)])
    return pa.DictionaryArray.from_arrays(pa.array(random.integers(0, len(words), rows), pa.int32()), words)


def seconds(read):
    start = time.perf_counter()
    read()
    return time.perf_counter() - start


def measure(folder, stored, rows):
    data = pa.table({"x": column(stored, rows)})
    plain = lancecpp.write_dataset(data, f"{folder}/{stored}-plain")
    table = lancecpp.write_dataset(data, f"{folder}/{stored}-semantic", semantic_types=True)
    reads = {"plain": plain.to_table}
    for encoding in WAYS[stored]:
        reads[encoding] = lambda encoding=encoding: table.to_table(output_encodings={"x": encoding})
    times = {name: [] for name in reads}
    for _ in range(REPEATS):
        for name, read in reads.items():
            times[name].append(seconds(read))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{stored:24} {name:28} {median * 1000:8.2f} ms {median / medians['plain']:6.2f} x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        for stored in WAYS:
            measure(pathlib.Path(folder), stored, rows)


if __name__ == "__main__":
    main()
