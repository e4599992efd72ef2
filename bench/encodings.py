"""Measures what each legal choice of layout and codec costs, for each kind of column.

usage: python bench/encodings.py [--rows N] [--write-docs]

Each choice is asked for by field metadata (`lance-encoding:*`), written once, and measured: bytes on
disk, a warm scan, and a warm take of 1,000 random rows. `chosen` is what the writer picks by itself;
`pylance` is the reference's own choice, read by the reference. The first table compares them: bytes as
a part of pylance's, and how many times as fast.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import tempfile
import time

import numpy as np
import pyarrow as pa

import lance as pylance
import lancecpp

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "encodings.md"
SEED = 7
TAKE_ROWS = 1000
REPEATS = 5
# Takes are short: the first ones warm up.
TAKES = 30
WARM_UP_TAKES = 5

WORDS = (
    "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were her all she there would their we him been has when who will more no if out so said what up its about "
    "into than them can only other new some could time these two may then do first any my now such like our over man"
).split()
CITIES = "Berlin Paris Lisbon Oslo Vienna Madrid Rome Athens Dublin Prague Warsaw Riga".split()
TOPICS = "news sports science music travel food health games".split()


def words(random, rows, low, high):
    counts = random.integers(low, high, rows)
    picked = random.zipf(1.3, int(counts.sum())) % len(WORDS)
    out, at = [], 0
    for count in counts:
        out.append(" ".join(WORDS[i] for i in picked[at : at + count]))
        at += count
    return out


def json_texts(random, rows):
    ids = random.integers(0, 10**9, rows)
    scores = np.round(random.random(rows), 4)
    city = random.integers(0, len(CITIES), rows)
    return [
        json.dumps({"id": int(i), "score": float(s), "city": CITIES[c], "tags": ["a", "b"]})
        for i, s, c in zip(ids, scores, city)
    ]


def urls(random, rows):
    ids = random.integers(0, 10**7, rows)
    topic = random.integers(0, len(TOPICS), rows)
    return [f"https://www.example.com/{TOPICS[t]}/article-{i}.html?ref={i % 97}" for t, i in zip(topic, ids)]


def lists(random, rows):
    offsets = np.concatenate([[0], np.cumsum(random.integers(0, 6, rows))]).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, pa.array(random.integers(0, 1000, offsets[-1], dtype=np.int32)))


def vectors(random, rows, dimension, type_):
    values = random.standard_normal(rows * dimension, dtype=np.float32).astype(type_)
    return pa.FixedSizeListArray.from_arrays(pa.array(values), dimension)


def struct(random, rows):
    return pa.StructArray.from_arrays(
        [pa.array(random.integers(0, 100, rows)), pa.array(random.standard_normal(rows))], ["count", "score"]
    )


# name -> (what to try, maker)
KINDS = {
    "int64 random": ("numbers", lambda r, n: pa.array(r.integers(-(2**62), 2**62, n))),
    "int64 sorted": ("numbers", lambda r, n: pa.array(np.cumsum(r.integers(0, 100, n)))),
    "int64 of 20 values": ("numbers", lambda r, n: pa.array(r.integers(-(2**62), 2**62, 20)[r.integers(0, 20, n)])),
    "int32 of 20 values": ("numbers", lambda r, n: pa.array(r.integers(-(2**31), 2**31, 20, dtype=np.int32)[r.integers(0, 20, n)])),
    "int32 clustered": ("numbers", lambda r, n: pa.array(np.repeat(r.integers(0, 10**6, n // 50 + 1, dtype=np.int32), 50)[:n])),
    "int32 below 1000": ("numbers", lambda r, n: pa.array(r.integers(0, 1000, n, dtype=np.int32))),
    "float64": ("numbers", lambda r, n: pa.array(r.standard_normal(n))),
    "float64 prices": ("numbers", lambda r, n: pa.array(np.round(r.random(n) * 500, 2))),
    "float32": ("numbers", lambda r, n: pa.array(r.standard_normal(n, dtype=np.float32))),
    "timestamp": (
        "numbers",
        lambda r, n: pa.array((np.datetime64("2024-01-01", "us") + np.cumsum(r.integers(0, 10**6, n)).astype("timedelta64[us]"))),
    ),
    "string of 12 values": ("strings", lambda r, n: pa.array([CITIES[i] for i in r.integers(0, len(CITIES), n)])),
    "string of 12 values, skewed": (
        "strings",
        lambda r, n: pa.array([CITIES[i] for i in np.minimum(r.geometric(0.45, n) - 1, len(CITIES) - 1)]),
    ),
    "string short": ("strings", lambda r, n: pa.array([f"{i:x}" for i in r.integers(0, 2**40, n)])),
    "string of words": ("strings", lambda r, n: pa.array(words(r, n, 4, 12))),
    "string long": ("strings", lambda r, n: pa.array(words(r, n // 10, 80, 240))),
    "URL": ("strings", lambda r, n: pa.array(urls(r, n))),
    "JSON": ("strings", lambda r, n: pa.array(json_texts(r, n))),
    "list of int32": ("lists", lists),
    "struct": ("plain", struct),
    "128 float16": ("vectors", lambda r, n: vectors(r, n // 10, 128, np.float16)),
    "768 float32": ("vectors", lambda r, n: vectors(r, n // 50, 768, np.float32)),
}

CHOICES = {
    "numbers": [
        {"profile": "small"},
        {"compression": "none"},
        {"compression": "lz4", "bss": "off"},
        {"compression": "zstd", "bss": "off"},
        {"compression": "lz4", "bss": "on"},
        {"compression": "zstd", "bss": "on"},
        {"rle-threshold": "0"},
        {"structural-encoding": "fullzip"},
    ],
    "strings": [
        {"profile": "small"},
        {"compression": "none"},
        {"compression": "fsst", "dict-divisor": "1000000"},
        {"compression": "lz4", "dict-divisor": "1000000"},
        {"compression": "zstd", "dict-divisor": "1000000"},
        {"compression": "zstd", "dict-divisor": "1000000", "minichunk-size": "16384"},
        {"minichunk-size": "1024"},
        {"minichunk-size": "16384"},
        {"structural-encoding": "fullzip"},
        {"structural-encoding": "fullzip", "compression": "none"},
        {"structural-encoding": "fullzip", "compression": "zstd"},
        {"structural-encoding": "miniblock", "compression": "zstd"},
    ],
    "lists": [{"profile": "small"}, {"structural-encoding": "fullzip"}],
    "plain": [{"profile": "small"}],
    "vectors": [
        {"structural-encoding": "miniblock"},
        {"structural-encoding": "miniblock", "compression": "zstd"},
        {"structural-encoding": "fullzip"},
    ],
}


def median_ms(calls):
    times = []
    for call in calls:
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def measure(engine, table, folder):
    path = folder / "table.lance"
    shutil.rmtree(path, ignore_errors=True)
    engine.write_dataset(table, str(path), data_storage_version="2.2")
    size = sum(p.stat().st_size for p in (path / "data").iterdir())
    dataset = engine.dataset(str(path))
    assert dataset.to_table().equals(table), "what was read differs from what was written"
    scan = median_ms([dataset.to_table] * REPEATS)
    random = np.random.default_rng(SEED)
    picks = [random.integers(0, len(table), TAKE_ROWS).tolist() for _ in range(TAKES)]
    for rows in picks[:WARM_UP_TAKES]:
        dataset.take(rows)
    take = median_ms([lambda rows=rows: dataset.take(rows) for rows in picks[WARM_UP_TAKES:]])
    return size, scan, take


def with_hints(array, hints):
    metadata = {f"lance-encoding:{key}": value for key, value in hints.items()} or None
    return pa.table([array], schema=pa.schema([pa.field("x", array.type, metadata=metadata)]))


def describe(hints):
    return " ".join(f"{key}={value}" for key, value in hints.items())


def rows_of(name, count, folder):
    what, make = KINDS[name]
    array = make(np.random.default_rng(SEED), count)
    found = [("chosen", measure(lancecpp, with_hints(array, {}), folder))]
    found.append(("pylance", measure(pylance, with_hints(array, {}), folder)))
    for hints in CHOICES[what]:
        try:
            found.append((describe(hints), measure(lancecpp, with_hints(array, hints), folder)))
        except OSError as error:
            found.append((describe(hints), str(error).split(":")[0]))
    return array, found


def table_text(name, array, found):
    raw = pa.table([array], names=["x"]).nbytes
    lines = [f"### {name}", "", f"{len(array):,} rows, {raw / 1e6:.1f} MB in memory.", ""]
    lines += ["| choice | bytes / memory | scan, ms | take 1,000, ms |", "|---|---:|---:|---:|"]
    for choice, values in found:
        if isinstance(values, str):
            lines.append(f"| {choice} | refused: {values} | | |")
        else:
            size, scan, take = values
            lines.append(f"| {choice} | {size / raw:.3f} | {scan:.2f} | {take:.2f} |")
    return "\n".join(lines) + "\n"


def summary_row(name, found):
    """Of the writer's own choice and of the profile `small`, against pylance."""
    results = dict(found)
    theirs = results["pylance"]
    cells = []
    for choice in ("chosen", "profile=small"):
        if choice not in results:
            cells += ["", "", ""]
            continue
        size, scan, take = results[choice]
        cells += [f"{size / theirs[0]:.2f}", f"{theirs[2] / take:.1f}", f"{theirs[1] / scan:.1f}"]
    return f"| {name} | " + " | ".join(cells) + " |"


def summary_text(rows):
    head = "| | bytes | take 1,000 | scan | `small`: bytes | take 1,000 | scan |"
    return "\n".join(["### Against pylance", "", head, "|---|" + "---:|" * 6, *rows]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--write-docs", action="store_true", help=f"keep the tables in {DOCUMENT.name}")
    arguments = parser.parse_args()
    texts, summary = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in KINDS:
            array, found = rows_of(name, arguments.rows, pathlib.Path(folder))
            texts.append(table_text(name, array, found))
            summary.append(summary_row(name, found))
            print(texts[-1], flush=True)
    texts.insert(0, summary_text(summary))
    print(texts[0])
    if arguments.write_docs:
        before = DOCUMENT.read_text().split("<!-- tables -->")[0]
        DOCUMENT.write_text(before + "<!-- tables -->\n" + "\n".join(texts))


if __name__ == "__main__":
    main()
