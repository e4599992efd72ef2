"""Random tables of pylance, upgraded to semantic types and read in random output encodings; what was
read goes back into the table, and through compaction.

LANCE_INTEROP_SEEDS sets how many tables are tried (default 40); a failure names its seed.
"""

import os

import numpy as np
import pyarrow as pa
import pytest

import random_tables

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))
ENCODINGS = {
    "string": ["utf8", "large_utf8", "utf8_view", "dictionary:int32:utf8", "dictionary:uint64:large_utf8"],
    "binary": ["binary", "large_binary", "binary_view", "dictionary:int32:large_binary"],
    "list": ["list", "large_list"],
    "decimal": ["decimal128", "decimal256"],
}


def random_encodings(rng, dataset):
    encodings = {}
    for field in dataset.semantic_schema:
        names = ENCODINGS.get(field.semantic_type.split(":")[0], [])
        if field.semantic_type.startswith("decimal") and int(field.parameters.split("=")[1].split(",")[0]) > 38:
            names = names[1:]
        if names and rng.integers(0, 4):
            encodings[field.path] = names[rng.integers(0, len(names))]
    return encodings


ROWS = 60  # that are compared, at each end: Python's values are slow


def values(table):
    rows = pa.concat_tables([table.slice(0, ROWS), table.slice(max(0, table.num_rows - ROWS))])
    return {name: repr(rows[name].to_pylist()) for name in table.column_names}


def check(table, expected, schema):
    table.validate(full=True)
    assert table.schema == schema
    assert table.num_rows == expected.num_rows
    assert values(table) == values(expected)


@pytest.mark.parametrize("version", ["legacy", "2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("seed", SEEDS)
def test_upgraded(seed, version, tmp_path, pylance, lancecpp):
    table = random_tables.table(seed)
    path = str(tmp_path / "t.lance")
    try:
        pylance.write_dataset(table, path, data_storage_version=version, max_rows_per_file=table.num_rows // 2 + 1)
        pylance.dataset(path).to_table()
    except BaseException as error:  # the reference panics on a few shapes
        pytest.skip(f"pylance can't: {error!s:.80}")
    dataset = lancecpp.dataset(path)
    expected = dataset.to_table()
    try:
        dataset.upgrade_semantic_types()
    except (OSError, ValueError, NotImplementedError) as error:
        assert "belongs to no semantic type" in str(error)
        pytest.skip("no semantic type")
    check(dataset.to_table(), expected, expected.schema)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        encodings = random_encodings(rng, dataset)
        shown = dataset.to_table(output_encodings=encodings)
        check(shown, expected, dataset.scanner(output_encodings=encodings).projected_schema)
        if expected.num_rows:
            rows = rng.integers(0, expected.num_rows, 20).tolist()
            assert values(dataset.take(rows, output_encodings=encodings)) == values(dataset.take(rows))
        if version != "legacy":  # which can't be written
            dataset = lancecpp.write_dataset(shown.slice(0, ROWS), path, mode="append")
            expected = pa.concat_tables([expected, expected.slice(0, ROWS)])
            check(dataset.to_table(), expected, expected.schema)
    if version != "legacy":
        dataset.optimize.compact_files()
        check(dataset.to_table(), expected, expected.schema)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("seed", SEEDS)
def test_made_by_us(seed, version, tmp_path, lancecpp):
    table = random_tables.table(seed)
    path = str(tmp_path / "t.lance")
    try:
        dataset = lancecpp.write_dataset(table, path, data_storage_version=version, semantic_types=True)
    except (OSError, ValueError, NotImplementedError) as error:
        assert "no semantic type" in str(error) or (version == "2.0" and "null struct" in str(error))
        pytest.skip(f"refused: {error!s:.80}")
    check(dataset.to_table(), table, table.schema)
    again = lancecpp.write_dataset(
        dataset.to_table(output_encodings=random_encodings(np.random.default_rng(seed), dataset)),
        path + "2",
        data_storage_version=version,
        semantic_types=True,
    )
    assert values(again.to_table()) == values(table)
