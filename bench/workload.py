"""The data and the row choices of the benchmark: the same bytes for every engine."""

import pathlib

import numpy as np
import pyarrow as pa

SEED = 20240229
WORDS = np.array(
    "red green blue amber quick slow warm cold north south river stone paper glass cloud field "
    "early late small large heavy light round plain quiet loud near far old new".split()
)

# name -> (rows, rows with --small)
TABLES = {"mixed": (1_000_000, 100_000), "vectors": (100_000, 10_000)}
VECTOR_WIDTH = 768


def make_mixed(rows):
    """Seven columns of different kinds; a tenth of `quantity` and `note` is null."""
    random = np.random.default_rng(SEED)
    words = WORDS[random.integers(0, len(WORDS), (rows, 6))]
    notes = [" ".join(line) for line in words.tolist()]
    lengths = random.integers(0, 5, rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    start = np.datetime64("2024-01-01T00:00:00", "us")
    return pa.table(
        {
            "id": pa.array(np.arange(rows, dtype=np.int64)),
            "quantity": pa.array(random.integers(0, 1000, rows, dtype=np.int32), mask=random.random(rows) < 0.1),
            "price": pa.array(random.normal(100.0, 15.0, rows)),
            "category": pa.array(WORDS[random.integers(0, 20, rows)]),
            "note": pa.array(notes, mask=random.random(rows) < 0.1),
            "time": pa.array(start + np.cumsum(random.integers(0, 2_000_000, rows)).astype("timedelta64[us]")),
            "tags": pa.ListArray.from_arrays(
                pa.array(offsets), pa.array(random.integers(0, 50, int(offsets[-1]), dtype=np.int32))
            ),
        }
    )


def make_vectors(rows):
    random = np.random.default_rng(SEED)
    values = random.standard_normal(rows * VECTOR_WIDTH, dtype=np.float32)
    return pa.table(
        {
            "id": pa.array(np.arange(rows, dtype=np.int64)),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(values), VECTOR_WIDTH),
        }
    )


MAKERS = {"mixed": make_mixed, "vectors": make_vectors}


def input_path(folder, name):
    return pathlib.Path(folder) / f"input-{name}.arrow"


def write_input(folder, name, rows):
    """Makes the input once, so that every process reads identical data."""
    path = input_path(folder, name)
    if not path.exists():
        table = MAKERS[name](rows)
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=65536)
    return path


def read_input(folder, name):
    """The input in memory (not mapped): writing it must not read a file at the same time."""
    with pa.OSFile(str(input_path(folder, name)), "rb") as source:
        return pa.ipc.open_file(source).read_all()


def input_shape(folder, name):
    """Schema and number of rows, without reading the data."""
    with pa.memory_map(str(input_path(folder, name))) as source:
        reader = pa.ipc.open_file(source)
        return reader.schema, sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))


def single_rows(rows, count, seed):
    return np.random.default_rng(seed).integers(0, rows, count).tolist()


def row_lists(rows, size, count, seed):
    """Distinct rows in random order."""
    random = np.random.default_rng(seed)
    return [random.choice(rows, size, replace=False).tolist() for _ in range(count)]
