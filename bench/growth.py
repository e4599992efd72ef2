"""How cost grows with rows and with columns: each step in a process of its own, streamed.

usage: python bench/growth.py [--most-rows N] [--write-docs]

Rows are {int64, string of 12 bytes}, from a stream that makes them as they are asked for; columns are
int32. Shows processor seconds, their growth per row or column against the step before, and peak
memory above that of the package. A table of 1 row tells what a step costs before its first row.
"""

import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
MARKS = ("<!-- growth -->", "<!-- end of growth -->")
BATCH_ROWS = 65_536
ROWS = (1_000_000, 10_000_000, 100_000_000)
COLUMNS = (1, 20, 200, 2_000)
ROWS_OF_COLUMNS = 20_000
TAKEN = 1_000


def memory_kb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def stream_of(rows):
    """Batches are views of one that is made once, so that making them costs next to nothing."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(5)
    strings = pa.array([f"{i:012x}" for i in random.integers(0, 2**44, BATCH_ROWS)])
    whole = pa.record_batch({"id": np.arange(BATCH_ROWS), "name": strings})

    def batches():
        for first in range(0, rows, BATCH_ROWS):
            yield whole.slice(0, min(BATCH_ROWS, rows - first))

    return pa.RecordBatchReader.from_batches(whole.schema, batches())


def columns_of(count):
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(6)
    return pa.table(
        {f"c{i}": random.integers(0, 1000, ROWS_OF_COLUMNS, dtype=np.int32) for i in range(count)}
    )



STEPS = {
    "write rows": lambda lance, path, size: lance.write_dataset(stream_of(size), path),
    "open, count": lambda lance, path, size: lance.dataset(path).count_rows(),
    "stream rows": lambda lance, path, size: sum(len(b) for b in lance.dataset(path).to_batches()),
    "count id < 10": lambda lance, path, size: lance.dataset(path).count_rows("id < 10"),
    "take 1,000": lambda lance, path, size: lance.dataset(path).take(
        [i * (size // TAKEN) for i in range(TAKEN)]
    ),
    "delete id % 1000 = 7": lambda lance, path, size: lance.dataset(path).delete("id % 1000 = 7"),
    "write columns": lambda lance, path, size: lance.write_dataset(columns_of(size), path),
    "read columns": lambda lance, path, size: lance.dataset(path).to_table(),
    "read one column": lambda lance, path, size: lance.dataset(path).to_table(columns=["c0"]),
}


def run_step(name, path, size):
    """In this process: what the step took beyond a run of it on next to nothing."""
    import numpy  # noqa: F401
    import pyarrow  # noqa: F401

    import lancecpp

    start_memory, start = memory_kb(), time.process_time()
    STEPS[name](lancecpp, path, size)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "megabytes": (memory_kb() - start_memory) / 1024}))


def measure(name, path, size):
    command = [sys.executable, __file__, "--step", name, path, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def table_of(names, sizes, what, folder):
    found = {name: [] for name in names}
    for size in sizes:
        path = str(folder / "table.lance")
        shutil.rmtree(path, ignore_errors=True)
        for name in names:
            found[name].append(measure(name, path, size))
            print(name, f"{size:,}", found[name][-1], flush=True)
    head = f"| {what} | " + " | ".join(f"{size:,}" for size in sizes) + " |"
    lines = [head, "|---|" + "---:|" * len(sizes)]
    for name, results in found.items():
        cells = [f"{r['seconds']:.3f} s, {r['megabytes']:.0f} MB" for r in results]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-rows", type=int, default=ROWS[-1], help="default %(default)s")
    parser.add_argument("--write-docs", action="store_true", help=f"keep the tables in {DOCUMENT.name}")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        run_step(options.step[0], options.step[1], int(options.step[2]))
        return
    names = list(STEPS)
    with tempfile.TemporaryDirectory() as folder:
        rows = [size for size in ROWS if size <= options.most_rows]
        lines = table_of(names[:6], rows, "rows", pathlib.Path(folder))
        lines += ["", *table_of(names[6:], COLUMNS, "columns", pathlib.Path(folder))]
    text = "\n".join(lines)
    print(text)
    if options.write_docs:
        before = DOCUMENT.read_text()
        block = f"{MARKS[0]}\n{text}\n{MARKS[1]}"
        after, count = re.subn(f"{MARKS[0]}.*{MARKS[1]}", lambda _: block, before, flags=re.S)
        assert count == 1, f"{DOCUMENT} has no place for the tables"
        DOCUMENT.write_text(after)


if __name__ == "__main__":
    main()
