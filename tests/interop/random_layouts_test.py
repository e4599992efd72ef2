"""Random tables over hints, packed structs, maps, blobs and versions: those of pylance read by us,
and ours by pylance.

LANCE_INTEROP_SEEDS sets how many are tried per version (default 40); a failure names its seed.
"""

import os

import numpy as np
import pyarrow as pa
import pytest

import random_layouts
import random_tables

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))


def _same(expected, got, what):
    difference = random_tables.difference(expected, got)
    assert difference is None, f"{what}: {difference}"


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("seed", SEEDS)
def test_layouts(seed, version, tmp_path, pylance, lancecpp):
    table = random_layouts.table(seed, version)
    path = str(tmp_path / "t.lance")
    rng = np.random.default_rng(seed + 1)
    rows = max(1, table.num_rows)
    try:
        pylance.write_dataset(
            table,
            path,
            data_storage_version=version,
            max_rows_per_file=int(rng.integers(1, 4)) * rows // 2 + 1,
            data_cache_bytes=[None, 4096, 65536][rng.integers(0, 3)],
        )
        expected = pylance.dataset(path).to_table()
    except BaseException as error:  # the reference refuses or panics on some
        pytest.skip(f"pylance can't: {error!s:.80}")
    # What was written counts where the reference can't read its own files.
    if not expected.schema.equals(table.schema) or random_tables.difference(table, expected):
        expected = table if expected.schema.equals(table.schema) else expected
    dataset = lancecpp.dataset(path)
    _same(expected, dataset.to_table(), "scan")
    n = expected.num_rows
    if n == 0:
        return
    start = int(rng.integers(0, n))
    _same(
        expected.slice(start, 50),
        dataset.to_table(offset=start, limit=50),
        f"offset {start}, limit 50",
    )
    positions = rng.integers(0, n, min(n, 40)).tolist()  # unsorted, with duplicates
    _same(expected.take(pa.array(positions)), dataset.take(positions), f"take {positions}")


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("seed", SEEDS)
def test_layouts_of_ours(seed, version, tmp_path, pylance, lancecpp):
    table = random_layouts.table(seed, version)
    path = str(tmp_path / "t.lance")
    try:
        dataset = lancecpp.write_dataset(
            table,
            path,
            data_storage_version=version,
            max_rows_per_file=table.num_rows // 2 + 1,
            semantic_types=False,
        )
    except Exception as error:
        assert any(part in str(error) for part in random_layouts.REFUSED), error
        pytest.skip(f"refused: {error!s:.80}")
    _same(table, dataset.to_table(), "scan by ours")
    _same(table, pylance.dataset(path).to_table(), "scan by pylance")
    n = table.num_rows
    if n == 0:
        return
    positions = np.random.default_rng(seed + 1).integers(0, n, min(n, 40)).tolist()
    expected = table.take(pa.array(positions))
    _same(expected, dataset.take(positions), f"take {positions} by ours")
    try:
        taken = pylance.dataset(path).take(positions)
    except BaseException as error:  # of its own files too: only nulls of a packed struct are taken
        assert "DataBlockBuilder didn't see any data" in str(error)
        return
    _same(expected, taken, f"take {positions} by pylance")


@pytest.mark.parametrize("kind", ["2.0", "2.1", "2.2", "v2 2.2", "v2 2.3"])
@pytest.mark.parametrize("place", ["column", "struct", "list"])
@pytest.mark.parametrize("seed", range(max(1, len(SEEDS) // 4)))
def test_blobs_of_ours(seed, place, kind, tmp_path, pylance, lancecpp):
    version = kind.split()[-1]
    values = random_layouts.blobs(seed)
    path = str(tmp_path / "t.lance")
    if kind.startswith("v2"):
        field = lancecpp.blob_field("b", inline_size_threshold=1000, dedicated_size_threshold=100000)
        array = lancecpp.blob_array(values)
    else:
        field = pa.field("b", pa.large_binary(), metadata=random_layouts.BLOB)
        array = pa.array(values, pa.large_binary())
    if place == "struct":
        mask = [i % 3 == 1 and kind != "2.0" for i in range(len(values))]
        array = pa.StructArray.from_arrays([array], fields=[field], mask=pa.array(mask))
        values = [None if null else {"b": value} for null, value in zip(mask, values)]
        field = pa.field("s", array.type)
    if place == "list":
        if kind in ("2.0", "2.1"):
            pytest.skip("blobs of version 1 have no place in lists")
        array = pa.ListArray.from_arrays(
            pa.array([min(i * 3, len(values)) for i in range(len(values) // 3 + 2)], pa.int32()),
            array,
            type=pa.list_(field),
        )
        values = [values[i : i + 3] for i in range(0, len(array) * 3, 3)]
        field = pa.field("l", array.type)
    table = pa.table([array], schema=pa.schema([field]))
    rows = table.num_rows // 2 + 1
    lancecpp.write_dataset(
        table, path, data_storage_version=version, max_rows_per_file=rows, semantic_types=False
    )
    for _ in range(2):
        ours, theirs = lancecpp.dataset(path), pylance.dataset(path)
        if kind != "2.0":  # the reference shows nulls of 2.0 as they are stored, as position 1
            _same(theirs.to_table(), ours.to_table(), "descriptors")
        assert ours.to_table(blob_handling="all_binary")[field.name].to_pylist() == values
        if place != "list":  # the reference fails on lists of bytes
            assert theirs.to_table(blob_handling="all_binary")[field.name].to_pylist() == values
        ours.optimize.compact_files()


@pytest.mark.parametrize("kind", ["2.1", "2.2", "v2 2.2", "v2 2.3"])
@pytest.mark.parametrize("seed", range(max(1, len(SEEDS) // 4)))
def test_blobs(seed, kind, tmp_path, pylance, lancecpp):
    values = random_layouts.blobs(seed)
    path = str(tmp_path / "t.lance")
    rng = np.random.default_rng(seed + 1)
    if kind.startswith("v2"):
        field = pylance.blob_field("b", inline_size_threshold=1000, dedicated_size_threshold=100000)
        array = pylance.blob_array(values)
    else:
        field = pa.field("b", pa.large_binary(), metadata=random_layouts.BLOB)
        array = pa.array(values, pa.large_binary())
    pylance.write_dataset(
        pa.table([array], schema=pa.schema([field])),
        path,
        data_storage_version=kind.split()[-1],
        max_rows_per_file=int(rng.integers(1, 3)) * len(values) // 2 + 1,
        data_cache_bytes=[None, 4096][rng.integers(0, 2)],
    )
    dataset, reference = lancecpp.dataset(path), pylance.dataset(path)
    _same(reference.to_table(), dataset.to_table(), "descriptors")
    assert dataset.to_table(blob_handling="all_binary")["b"].to_pylist() == values
    positions = rng.integers(0, len(values), min(len(values), 20)).tolist()
    want = [values[i] for i in positions]
    assert [f and f.readall() for f in dataset.take_blobs("b", indices=positions)] == want
    assert [data for _, data in dataset.read_blobs("b", indices=positions)] == want
