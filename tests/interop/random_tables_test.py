"""Random tables, three ways: theirs read by us, ours read by them, ours read by us.

LANCE_INTEROP_SEEDS sets how many tables are tried (default 40); a failure names its seed.
"""

import os

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import random_tables

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))
VERSIONS = ["2.0", "2.1", "2.2", "2.3"]


def _same(expected, got, what):
    difference = random_tables.difference(expected, got)
    assert difference is None, f"{what}: {difference}"


def _check_reads(engine, path, expected, seed):
    """Scan, range and random rows of the table at `path`, each against `expected`."""
    rng = np.random.default_rng(seed)
    dataset = engine.dataset(path)
    assert dataset.count_rows() == expected.num_rows
    _same(expected, dataset.to_table(), "scan")
    n = expected.num_rows
    if n == 0:
        return
    start = int(rng.integers(0, n))
    _same(expected.slice(start, 50), dataset.to_table(offset=start, limit=50), f"offset {start}, limit 50")
    rows = rng.integers(0, n, min(n, 40))  # unsorted, with duplicates
    _same(expected.take(pa.array(rows)), dataset.take(rows.tolist()), f"take {rows.tolist()}")


def _check_members(engine, path, expected):
    """Members of structs read alone, down to the innermost, are null where the struct is."""
    dataset = engine.dataset(path)
    for field in expected.schema:
        column = expected[field.name].combine_chunks()
        name = field.name
        while pa.types.is_struct(column.type) and column.type.num_fields > 0:
            member = column.type.field(column.type.num_fields - 1)
            column = pc.struct_field(column, [column.type.num_fields - 1])
            name = f"{name}.{member.name}"
            got = dataset.to_table(columns=[name])
            _same(pa.table({name: column}), got.rename_columns([name]), f"member {name}")


def _write(engine, path, table, version, seed):
    """In one to three files, several pages each when the seed says so."""
    rng = np.random.default_rng(seed + 1)
    rows = max(1, table.num_rows)
    # With semantic types, the default of 2.3, pylance refuses the table.
    options = {"semantic_types": False} if engine.__name__ == "lancecpp" else {}
    engine.write_dataset(
        table,
        path,
        data_storage_version=version,
        max_rows_per_file=int(rng.integers(1, 4)) * rows // 2 + 1,
        data_cache_bytes=[None, 4096, 65536][rng.integers(0, 3)],
        **options,
    )


def _write_ours(lancecpp, pylance, path, table, version, seed):
    """What we refuse, as 2.0 has no place for it, the reference refuses too."""
    try:
        _write(lancecpp, path, table, version, seed)
    except Exception as refusal:
        assert version == "2.0" and "null struct" in str(refusal), refusal
        with pytest.raises(Exception, match="does not encode struct validity"):
            _write(pylance, path, table, version, seed)
        pytest.skip(f"refused: {refusal!s:.80}")


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.mark.parametrize("version", ["legacy", *VERSIONS])
@pytest.mark.parametrize("seed", SEEDS)
def test_theirs_read_by_us(seed, version, tmp_path, pylance, lancecpp):
    table = random_tables.table(seed)
    path = str(tmp_path / "t.lance")
    try:
        _write(pylance, path, table, version, seed)
        expected = pylance.dataset(path).to_table()
    except BaseException as error:  # the reference panics on a few shapes
        pytest.skip(f"pylance can't: {error!s:.80}")
    _check_reads(lancecpp, path, expected, seed)
    _check_members(lancecpp, path, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_ours_read_by_them(seed, version, tmp_path, pylance, lancecpp):
    table = random_tables.table(seed)
    path = str(tmp_path / "t.lance")
    _write_ours(lancecpp, pylance, path, table, version, seed)
    _same(table, pylance.dataset(path).to_table(), "pylance's scan")
    _check_reads(pylance, path, table, seed)
    if version != "2.0":  # where structs can't be null
        _check_members(pylance, path, table)


@pytest.mark.parametrize("seed", SEEDS)
def test_ours_read_by_us(seed, version, tmp_path, pylance, lancecpp):
    table = random_tables.table(seed)
    path = str(tmp_path / "t.lance")
    _write_ours(lancecpp, pylance, path, table, version, seed)
    _check_reads(lancecpp, path, table, seed)
