"""Files written here are read by the reference implementation, and are hardly larger than its own.

LANCE_WRITE_IPC_TOOL names the tool write_ipc_as_lance. Failures print the seed.
"""

import json
import os
import random
import subprocess

import numpy as np
import pyarrow as pa
import pytest

import lancecpp

import random_arrays

lance_file = pytest.importorskip("lance.file")

TOOL = os.environ.get("LANCE_WRITE_IPC_TOOL")
SEED = int(os.environ.get("LANCE_TEST_SEED", "1"))
DEFAULT_PAGE_BYTES = 8 << 20

pytestmark = pytest.mark.skipif(not TOOL, reason="LANCE_WRITE_IPC_TOOL is not set")

# The reference can't read these from several pages, its own files neither: structs above lists
# and fixed-size lists of structs lose count of their rows.
ONE_PAGE_ONLY = {"struct_list_struct_list", "struct_map", "fsl_struct"}


def write_ours(table, folder, version, batch_rows, page_bytes):
    ipc = folder / "table.arrow"
    with pa.OSFile(str(ipc), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    path = folder / "ours.lance"
    path.unlink(missing_ok=True)
    subprocess.run([TOOL, ipc, path, version, str(batch_rows), str(page_bytes)], check=True,
                   capture_output=True, text=True)
    return str(path)


def write_theirs(table, folder, version):
    path = str(folder / "theirs.lance")
    with lance_file.LanceFileWriter(path, table.schema, version=version) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    return path


def values(table):
    """As Python objects: types that only differ by views or dictionaries are equal then."""
    return table["x"].to_pylist()


def check(table, path, rows):
    reader = lance_file.LanceFileReader(path)
    expected = values(table)
    assert values(reader.read_all().to_table()) == expected
    picked = sorted({0, rows // 3, rows // 2, rows - 1})
    taken = lance_file.LanceFileReader(path).take_rows(picked).to_table()
    assert values(taken) == [expected[row] for row in picked]
    start, count = rows // 4, max(1, rows // 2)
    part = lance_file.LanceFileReader(path).read_range(start, min(count, rows - start)).to_table()
    assert values(part) == expected[start:start + count]


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("nulls", [0, 0.15, 1])
@pytest.mark.parametrize("kind", sorted(random_arrays.KINDS))
def test_reference_reads_our_file(kind, nulls, version, tmp_path):
    if version == "2.1" and kind in random_arrays.KINDS_SINCE_2_2:
        pytest.skip("needs 2.2")
    for rows in (1, 1023, 1025, 4096):
        seed = SEED + rows
        table = pa.table({"x": random_arrays.make(kind, rows, nulls, seed)})
        print(f"kind {kind} rows {rows} nulls {nulls} version {version} seed {seed}")
        path = write_ours(table, tmp_path, version, 0, DEFAULT_PAGE_BYTES)
        check(table, path, rows)
        theirs = write_theirs(table, tmp_path, version)
        # A page may gain or lose some padding to 64 bytes.
        assert os.path.getsize(path) <= 1.15 * os.path.getsize(theirs) + 64
        if kind in ONE_PAGE_ONLY:
            continue
        check(table, write_ours(table, tmp_path, version, rows // 3 + 1, 1), rows)


HINTS = [
    {"compression": "none"},
    {"compression": "lz4"},
    {"compression": "zstd", "compression-level": "12"},
    {"compression": "fsst"},
    {"compression": "lz4", "bss": "on"},
    {"compression": "zstd", "bss": "on"},
    {"rle-threshold": "0.0"},
    {"rle-threshold": "0.5", "compression": "lz4"},
    {"structural-encoding": "fullzip"},
    {"structural-encoding": "fullzip", "compression": "zstd"},
    {"structural-encoding": "fullzip", "compression": "fsst"},
    {"structural-encoding": "miniblock"},
    {"structural-encoding": "miniblock", "compression": "zstd"},
    {"minichunk-size": "128"},
    {"minichunk-size": "16384"},
    {"dict-divisor": "100000"},
    {"dict-size-ratio": "0.99", "dict-values-compression": "zstd"},
    {"dict-values-compression": "none"},
    {"profile": "small"},
    {"profile": "small", "structural-encoding": "fullzip"},
    {"profile": "small", "compression": "none"},
]


def with_metadata(type_, metadata):
    """The type with the metadata on its leaves, as far as Arrow lets them have some."""
    def field(old):
        return pa.field(old.name, with_metadata(old.type, metadata), old.nullable, metadata)

    if pa.types.is_struct(type_):
        return pa.struct([field(child) for child in type_])
    if pa.types.is_large_list(type_):
        return pa.large_list(field(type_.value_field))
    if pa.types.is_list(type_):
        return pa.list_(field(type_.value_field))
    return type_


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("hints", HINTS, ids=lambda hints: "_".join(f"{k}={v}" for k, v in hints.items()))
def test_reference_reads_what_hints_make(hints, version, tmp_path):
    metadata = {f"lance-encoding:{key}": value for key, value in hints.items()}
    refused = []
    for kind in sorted(random_arrays.KINDS):
        if version == "2.1" and kind in random_arrays.KINDS_SINCE_2_2:
            continue
        rows = 2500
        array = random_arrays.make(kind, rows, 0.15, SEED)
        type_ = with_metadata(array.type, metadata)
        schema = pa.schema([pa.field("x", type_, metadata=metadata)])
        table = pa.table([array.cast(type_) if type_ != array.type else array], schema=schema)
        print(f"kind {kind} hints {hints} version {version} seed {SEED}")
        try:
            path = write_ours(table, tmp_path, version, 0, DEFAULT_PAGE_BYTES)
        except subprocess.CalledProcessError as error:
            assert "choose structural-encoding fullzip" in error.stderr, error.stderr
            refused.append(kind)
            continue
        check(table, path, rows)
    assert not refused or hints.get("structural-encoding") == "miniblock", refused


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("nulls", [0, 0.15])
@pytest.mark.parametrize("kind", sorted(random_arrays.KINDS))
def test_profile_small(kind, nulls, version, tmp_path):
    if version == "2.1" and kind in random_arrays.KINDS_SINCE_2_2:
        pytest.skip("needs 2.2")
    for rows in (1, 1025, 9000):
        table = pa.table({"x": random_arrays.make(kind, rows, nulls, SEED + rows)})
        plain = os.path.getsize(write_ours(table, tmp_path, version, 0, DEFAULT_PAGE_BYTES))
        table = table.replace_schema_metadata({"lance-encoding:profile": "small"})
        path = write_ours(table, tmp_path, version, 0, DEFAULT_PAGE_BYTES)
        check(table, path, rows)
        # The metadata itself is some bytes, and so are chunks of a single value.
        assert os.path.getsize(path) <= 1.01 * plain + 256


def json_text(random, rows):
    cities = ["Berlin", "Paris", "Lisbon", "Oslo", "Vienna"]
    return [json.dumps({"id": random.randrange(10**9), "score": round(random.random(), 4),
                        "city": random.choice(cities), "tags": ["a", "b"]}) for _ in range(rows)]


def skewed_words(random, rows):
    return [f"word number {min(int(random.expovariate(0.7)), 30)}" for _ in range(rows)]


@pytest.mark.parametrize("make, part", [(json_text, 0.65), (skewed_words, 0.65)])
def test_profile_small_against_reference(make, part, tmp_path):
    texts = pa.array(make(random.Random(SEED), 60000))
    field = pa.field("x", pa.string(), metadata={"lance-encoding:profile": "small"})
    table = pa.table([texts], schema=pa.schema([field]))
    path = write_ours(table, tmp_path, "2.2", 0, DEFAULT_PAGE_BYTES)
    check(table, path, table.num_rows)
    theirs = write_theirs(pa.table({"x": texts}), tmp_path, "2.2")
    assert os.path.getsize(path) <= part * os.path.getsize(theirs)


def test_bytes_are_the_same_each_time(tmp_path):
    table = pa.table({"x": random_arrays.make("string_long", 3000, 0.1, SEED)})
    first = open(write_ours(table, tmp_path, "2.2", 500, 10000), "rb").read()
    assert open(write_ours(table, tmp_path, "2.2", 500, 10000), "rb").read() == first


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_dictionaries_below_null_structs(version, tmp_path):
    """Every item that is there is null, by a struct above it."""
    type_ = pa.list_(pa.struct([("a", pa.dictionary(pa.int8(), pa.string()))]))
    for rows in ([None, [None], [None]], [[], [None], [None]], [[{"a": None}], [None]]):
        table = pa.table({"x": pa.array(rows, type_)})
        for path in (write_ours(table, tmp_path, version, 0, DEFAULT_PAGE_BYTES), write_theirs(table, tmp_path, version)):
            assert values(lancecpp.file.LanceFileReader(path).read_all().to_table()) == rows
            assert values(lance_file.LanceFileReader(path).read_all().to_table()) == rows


def mostly_zero(part):
    rng = np.random.default_rng(SEED)
    return pa.array(np.where(rng.random(60000) < part, 0, rng.integers(0, 1 << 40, 60000)))


UNEVEN = {
    "few other than zero": lambda: mostly_zero(0.99),
    "some other than zero": lambda: mostly_zero(0.9),
    "a constant of 7 bytes and a null": lambda: pa.array([b"x" * 7] * 19999 + [None], pa.binary(7)),
    "short words and a long one": lambda: pa.array([f"w{i % 977}".encode() for i in range(19999)] + [b"y" * 420000]),
}


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("kind", UNEVEN)
def test_uneven_columns_are_not_larger(kind, version, tmp_path):
    table = pa.table({"x": UNEVEN[kind]()})
    path = write_ours(table, tmp_path, version, 0, DEFAULT_PAGE_BYTES)
    check(table, path, table.num_rows)
    theirs = write_theirs(table, tmp_path, version)
    assert os.path.getsize(path) <= 1.01 * os.path.getsize(theirs)
