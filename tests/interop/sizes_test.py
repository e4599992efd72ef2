"""Columns that one of the two writers could store in far fewer bytes than the other: ours are hardly larger
than the reference's, and both read both."""

import os
import random

import numpy as np
import pyarrow as pa
import pytest

import random_tables

lance_file = pytest.importorskip("lance.file")
SEED = int(os.environ.get("LANCE_TEST_SEED", "1"))
ROWS = 100_000
MOST = 1.02
# Some bytes of a description.
SPARE_BYTES = 64


def _generator():
    return np.random.default_rng(SEED)


def _vectors(values, size, null=0.0):
    rows = len(values) // size
    mask = pa.array(_generator().random(rows) < null) if null else None
    return pa.FixedSizeListArray.from_arrays(pa.array(np.asarray(values, "f4")), size, mask=mask)


def _random_vectors(size, null, rows=5000):
    return _vectors(_generator().standard_normal(rows * size), size, null)


def _few_vectors(size, null=0.0, rows=20_000):
    rng = _generator()
    items = rng.standard_normal((50, size))
    return _vectors(items[rng.integers(0, 50, rows)].reshape(-1), size, null)


def _vectors_with_null_items():
    rng = _generator()
    validity = rng.random((20, 16)) < 0.8
    picks = rng.integers(0, 20, 20_000)
    values = pa.array(rng.standard_normal((20, 16))[picks].reshape(-1), mask=~validity[picks].reshape(-1))
    return pa.FixedSizeListArray.from_arrays(values, 16)


def _lists(lengths, make):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype("i4")
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(make(int(offsets[-1]))))


def _mostly_empty(make, empty=0.9):
    rng = _generator()
    return _lists(np.where(rng.random(ROWS) < empty, 0, rng.integers(1, 6, ROWS)), make)


def _half_empty(make, first=False):
    filled, empty = _generator().integers(0, 5, ROWS // 2), np.zeros(ROWS // 2, "i8")
    return _lists(np.concatenate([empty, filled] if first else [filled, empty]), make)


def _small(count):
    return _generator().integers(0, 3, count).astype("i1")


def _skewed(count, rare=0.01, bits=40):
    rng = _generator()
    return np.where(rng.random(count) < 1 - rare, 0, rng.integers(0, 1 << bits, count))


def _strings_of(make, rows=ROWS):
    rng = random.Random(SEED)
    return [make(rng) for _ in range(rows)]


def _words():
    return pa.array(_strings_of(lambda rng: f"word{rng.randrange(300)}"))


def _one_null(width):
    values = [b"x" * width] * 20_000
    values[7777] = None
    return pa.array(values, pa.binary(width))


def _with_one_long(type):
    values = _strings_of(lambda rng: "%x" % rng.getrandbits(24), 19_999)
    values.insert(7777, "q7z" * 140_000)
    return pa.array([value.encode() for value in values], type)


def _nulls_in_runs(values):
    null = np.repeat(_generator().random(ROWS // 1000) < 0.5, 1000)
    return pa.array(values, mask=null)


def _dictionary_of_nulls():
    words = _words().dictionary_encode()
    return words.take(pa.array(np.arange(ROWS), mask=_generator().random(ROWS) < 0.95))


def _runs(length, type):
    return pa.array(np.repeat(_generator().integers(0, 120, ROWS // length), length).astype(type))


VERSIONS = ("2.1", "2.2", "2.3")
# name: versions, what makes the column
CASES = {
    "mostly null vectors": (("2.3",), lambda: _random_vectors(100, 0.95)),
    "half null vectors": (("2.3",), lambda: _random_vectors(100, 0.6)),
    "some null vectors": (("2.3",), lambda: _random_vectors(100, 0.3)),
    "one vector": (("2.3",), lambda: _vectors(np.full(2_000_000, 1.5), 100)),
    "one vector and nulls": (("2.3",), lambda: _vectors(np.full(2_000_000, 1.5), 100, 0.9)),
    "few vectors": (("2.3",), lambda: _few_vectors(100)),
    "few vectors and nulls": (("2.3",), lambda: _few_vectors(100, 0.7)),
    "few short vectors": (("2.3",), lambda: _few_vectors(3)),
    "few vectors with null items": (("2.3",), _vectors_with_null_items),
    "prices": (("2.3",), lambda: pa.array(np.round(_generator().random(ROWS) * 100, 2))),
    "mostly empty lists": (("2.2", "2.3"), lambda: _mostly_empty(_small)),
    "nearly all empty lists": (("2.2", "2.3"), lambda: _mostly_empty(_small, 0.99)),
    "half of the lists empty": (("2.2", "2.3"), lambda: _mostly_empty(_small, 0.5)),
    "lists of words": (
        ("2.2", "2.3"),
        lambda: _mostly_empty(lambda count: _words().take(pa.array(np.arange(count) % ROWS)), 0.8),
    ),
    "lists, later empty": (("2.2", "2.3"), lambda: _half_empty(_small)),
    "lists, empty at first": (("2.2", "2.3"), lambda: _half_empty(_skewed, first=True)),
    "lists of bool, later empty": (("2.2", "2.3"), lambda: _half_empty(lambda n: _generator().random(n) < 0.5)),
    "rare numbers": (VERSIONS, lambda: pa.array(_skewed(ROWS))),
    "very rare numbers": (VERSIONS, lambda: pa.array(_skewed(ROWS, 0.001))),
    "one value and a null": (VERSIONS, lambda: _one_null(7)),
    "one long binary": (VERSIONS, lambda: _with_one_long(pa.binary())),
    "one long binary view": (VERSIONS, lambda: _with_one_long(pa.binary_view())),
    "nulls in runs": (VERSIONS, lambda: _nulls_in_runs(_generator().integers(0, 1 << 30, ROWS).astype("i4"))),
    "one value, nulls in runs": (("2.2", "2.3"), lambda: _nulls_in_runs(np.full(ROWS, 7))),
    "few decimals, nulls in runs": (
        ("2.2", "2.3"),
        lambda: _nulls_in_runs(_generator().integers(0, 20, ROWS).astype("i8")).cast(pa.decimal128(38, 0)),
    ),
    "keys, mostly null": (("2.3",), _dictionary_of_nulls),
    "long runs": (VERSIONS, lambda: _runs(1000, "i4")),
    "short runs": (VERSIONS, lambda: _runs(4, "i1")),
    "two numbers": (VERSIONS, lambda: pa.array(_generator().choice([1, 1 << 14], ROWS).astype("i2"))),
    "sorted with repeats": (VERSIONS, lambda: pa.array(np.sort(_generator().integers(0, 2000, 20_000)).astype("i4"))),
    "mostly empty binaries": (
        VERSIONS,
        lambda: pa.array(_strings_of(lambda rng: rng.randbytes(rng.randint(1, 9)) if rng.random() < 0.1 else b"", 20_000)),
    ),
    "null string views": (("2.0",), lambda: pa.array([None] * 20_000, pa.string_view())),
    "null binary views": (("2.0",), lambda: pa.array([None] * 20_000, pa.binary_view())),
    "null strings": (("2.0",), lambda: pa.array([None] * 20_000, pa.string())),
}


def write(writer_class, table, path, version):
    with writer_class(str(path), table.schema, version=version) as writer:
        writer.write_batch(table)
    return os.path.getsize(path)


def check(reader_class, table, path):
    """Whole, and some rows."""
    read = reader_class(str(path)).read_all().to_table()
    # Views may come back as what they are stored as.
    expected = table.cast(read.schema) if "view" in str(table.schema) else table
    assert random_tables.difference(expected, read) is None
    rows = sorted(random.Random(SEED).sample(range(table.num_rows), 50))
    taken = reader_class(str(path)).take_rows(rows).to_table()
    assert random_tables.difference(expected.take(pa.array(rows)), taken) is None


def compare(lancecpp, table, folder, version):
    ours, theirs = folder / "ours.lance", folder / "theirs.lance"
    size = write(lancecpp.file.LanceFileWriter, table, ours, version)
    other = write(lance_file.LanceFileWriter, table, theirs, version)
    check(lancecpp.file.LanceFileReader, table, ours)
    check(lance_file.LanceFileReader, table, ours)
    check(lancecpp.file.LanceFileReader, table, theirs)
    assert size <= MOST * other + SPARE_BYTES


@pytest.mark.parametrize("case", CASES)
def test_size(case, tmp_path, lancecpp):
    versions, make = CASES[case]
    table = pa.table({"x": make()})
    for version in versions:
        print(f"case {case} version {version} seed {SEED}")
        compare(lancecpp, table, tmp_path, version)


@pytest.mark.parametrize("version", ["2.2", "2.3"])
def test_size_of_compressed_keys(version, tmp_path, lancecpp):
    """The indices of a dictionary, where the column is to be compressed."""
    field = pa.field("x", pa.duration("ns"), metadata={"lance-encoding:compression": "zstd"})
    values = np.where(_generator().random(ROWS) < 0.01, 1 << 50, -(1 << 60))
    table = pa.table([pa.array(values, pa.duration("ns"))], schema=pa.schema([field]))
    compare(lancecpp, table, tmp_path, version)
