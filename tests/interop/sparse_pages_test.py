"""Pages of 2.3 that store their structure apart from their values: every form that pylance writes,
read whole and in parts, and what a row of each costs."""

import random

import pyarrow as pa
import pytest

import random_tables

ROWS = 3000
SPARSE = {"lance-encoding:structural-encoding": "sparse"}


def mostly_null(values, share=0.8):
    rng = random.Random(1)
    return [None if rng.random() < share else value for value in values]


def _chunked():
    rng = random.Random(2)
    lists = [[rng.randrange(10**9) for _ in range(rng.randrange(4))] for _ in range(ROWS)]
    return pa.array(mostly_null(lists, 0.3), pa.list_(pa.int32()))


def _chunked_struct():
    rng = random.Random(3)
    values = [{"t": str(rng.random()), "l": mostly_null([[1], [], [2, 3]], 0.3)} for _ in range(ROWS)]
    return pa.array(mostly_null(values), pa.struct([("t", pa.string()), ("l", pa.list_(pa.list_(pa.int8())))]))


def _zipped_fixed():
    rng = random.Random(4)
    vectors = [[rng.random() for _ in range(96)] for _ in range(ROWS)]
    return pa.array(mostly_null(vectors), pa.list_(pa.float32(), 96))


def _zipped_variable():
    rng = random.Random(5)
    return pa.array(mostly_null([rng.randbytes(300 + i % 300).hex() for i in range(ROWS)]))


def _indexed():
    rng = random.Random(6)
    items = [rng.randbytes(1000).hex() for _ in range(50)]
    return pa.array(mostly_null([rng.choice(items) for _ in range(ROWS)]))


# name: array, hints, what the description of the page says, reads of one row of a page that is open
KINDS = {
    "chunked": (_chunked, SPARSE, "Chunked", 1),
    "chunked_struct": (_chunked_struct, SPARSE, "Chunked", 2),
    "zipped_fixed": (_zipped_fixed, None, "Zipped", 1),
    "zipped_variable": (_zipped_variable, None, "Zipped", 1),
    "indexed": (_indexed, None, "Indexed", 0),
    "constant": (lambda: pa.array(mostly_null([7] * ROWS)), None, "Constant", 0),
    "none": (lambda: pa.nulls(ROWS, pa.list_(pa.string())), None, "None", 0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_pages(kind, tmp_path, pylance, lancecpp):
    from lance.file import LanceFileReader

    make, hints, description, reads = KINDS[kind]
    array = make()
    path = str(tmp_path / "t.lance")
    table = pa.table([array], schema=pa.schema([pa.field("x", array.type, metadata=hints)]))
    pylance.write_dataset(table, path, data_storage_version="2.3")
    (file,) = (tmp_path / "t.lance" / "data").iterdir()
    pages = [page.encoding for column in LanceFileReader(str(file)).metadata().columns for page in column.pages]
    assert all("Sparse(" in page and description in page for page in pages)

    dataset = lancecpp.dataset(path)
    assert random_tables.difference(table, dataset.to_table()) is None
    for start in (0, 1, 1023, 1024, 2990):
        part = dataset.to_table(offset=start, limit=77)
        assert random_tables.difference(table.slice(start, 77), part) is None, start
    rng = random.Random(7)
    rows = [rng.randrange(ROWS) for _ in range(200)]
    assert random_tables.difference(table.take(pa.array(rows)), dataset.take(rows)) is None

    valid = next((row for row in range(1500, ROWS) if array[row].is_valid), 1500)
    dataset.io_stats_incremental()
    dataset.take([valid])
    assert dataset.io_stats_incremental().read_iops <= reads
