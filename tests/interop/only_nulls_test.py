"""Types of which the encodings know nulls only: fixed-size lists of nulls, strings and values of no bytes
(their items are all null), and values of no bytes themselves outside of 2.2. Both ways, with nulls at all
levels; values are refused with the field's path."""

import numpy as np
import pyarrow as pa
import pytest

import random_tables

VERSIONS = ["2.0", "2.1", "2.2", "2.3"]
NO_BYTES = pa.binary(0)
LISTS = {
    "null": pa.list_(pa.null(), 3),
    "null nested": pa.list_(pa.list_(pa.null(), 2), 3),
    "string": pa.list_(pa.string(), 3),
    "large_binary": pa.list_(pa.large_binary(), 1),
    "string nested": pa.list_(pa.list_(pa.string(), 5), 2),
    "no bytes": pa.list_(NO_BYTES, 9),
}


def _null_list(type_, n, rng, share):
    """Lists of which some are null, and all items."""
    item = type_.value_type
    if pa.types.is_fixed_size_list(item):
        items = _null_list(item, n * type_.list_size, rng, share)
    else:
        items = pa.nulls(n * type_.list_size, item)
    mask = pa.array(rng.random(n) < share) if share else None
    return pa.FixedSizeListArray.from_arrays(items, type=type_, mask=mask)


def _inside(place, array, rng):
    n = len(array)
    if place == "struct":
        return pa.StructArray.from_arrays([array, pa.array(range(n))], ["a", "b"])
    if place == "null struct":
        return pa.StructArray.from_arrays([array], ["a"], mask=pa.array(rng.random(n) < 0.3))
    if place == "list":
        offsets = np.minimum(np.concatenate([[0], np.cumsum(rng.integers(0, 3, n))]), n)
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), array, mask=pa.array(rng.random(n) < 0.2)
        )
    return array


def _write(module, path, table, version):
    with module.LanceFileWriter(path, table.schema, version=version) as writer:
        for batch in table.to_batches(max_chunksize=len(table) // 2 + 1):
            writer.write_batch(batch)


def _check(module, path, table):
    read = module.LanceFileReader(path).read_all().to_table()
    read.validate(full=True)
    assert random_tables.difference(table, read) is None
    n = table.num_rows
    if n == 0:
        return
    rows = sorted({0, n // 2, n - 1})
    taken = module.LanceFileReader(path).take_rows(rows).to_table()
    assert random_tables.difference(table.take(pa.array(rows)), taken) is None


def _both_ways(table, version, tmp_path):
    import lance.file
    import lancecpp.file

    for writer in (lance.file, lancecpp.file):
        path = str(tmp_path / f"{writer.__name__}.lance")
        try:
            _write(writer, path, table, version)
            if writer is lance.file:
                _check(writer, path, table)
        except BaseException as error:  # structs with such members in 2.3
            assert writer is lance.file, error
            continue
        for reader in (lancecpp.file, lance.file):
            _check(reader, path, table)


@pytest.mark.parametrize("rows", [0, 1, 5, 1025, 20000])
@pytest.mark.parametrize("share", [0, 0.4, 1])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", LISTS)
def test_lists(kind, version, share, rows, tmp_path, pylance, lancecpp):
    if version == "2.0" and not kind.startswith("null"):
        pytest.skip("pylance panics when it reads them")
    rng = np.random.default_rng(rows)
    for place in ("column", "struct", "null struct", "list"):
        if place == "null struct" and version == "2.0":
            continue
        array = _inside(place, _null_list(LISTS[kind], rows, rng, share), rng)
        _both_ways(pa.table({"c": array}), version, tmp_path)


@pytest.mark.parametrize("rows", [1, 5, 1025, 20000])
@pytest.mark.parametrize("share", [0, 0.4, 1])
@pytest.mark.parametrize("version", VERSIONS)
def test_no_bytes(version, share, rows, tmp_path, pylance, lancecpp):
    from lancecpp.file import LanceFileWriter

    rng = np.random.default_rng(rows)
    mask = rng.random(rows) < share
    array = pa.array([None if null else b"" for null in mask], NO_BYTES)
    for place in ("column", "struct", "null struct", "list"):
        if place == "null struct" and version == "2.0":
            continue
        table = pa.table({"c": _inside(place, array, rng)})
        if version == "2.2" or share == 1:
            _both_ways(table, version, tmp_path)
            continue
        if place != "column":  # nulls above may cover all values
            continue
        with pytest.raises(NotImplementedError, match="only nulls: field 'c' is fixed_size_binary"):
            with LanceFileWriter(str(tmp_path / "f"), table.schema, version=version) as writer:
                writer.write_batch(table)


REFUSED = {
    "string": [["a", None, None]],
    "string nested": [[None, ["a", None, None, None, None]]],
    "large_binary": [[None], [b""]],
    "no bytes": [[None] * 8 + [b""]],
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", REFUSED)
def test_values_are_refused(kind, version, tmp_path, lancecpp):
    from lancecpp.file import LanceFileReader, LanceFileWriter

    vectors = pa.array([None, *REFUSED[kind]], LISTS[kind])
    table = pa.table({"s": pa.StructArray.from_arrays([vectors], ["v"])})
    with pytest.raises((NotImplementedError, OSError), match=r"s\.v'"):
        lancecpp.write_dataset(table, str(tmp_path / "t.lance"), data_storage_version=version)
    assert not (tmp_path / "t.lance").exists()
    if version == "2.0":
        return
    # Those under nulls don't count.
    hidden = pa.StructArray.from_arrays([vectors], ["v"], mask=pa.array([False] + [True] * (len(vectors) - 1)))
    table = pa.table({"s": hidden})
    with LanceFileWriter(str(tmp_path / "f"), table.schema, version=version) as writer:
        writer.write_batch(table)
    assert LanceFileReader(str(tmp_path / "f")).read_all().to_table()["s"].to_pylist() == hidden.to_pylist()


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_tables(version, tmp_path, pylance, lancecpp):
    path = str(tmp_path / "t.lance")
    rng = np.random.default_rng(1)
    columns = {name: _null_list(type_, 100, rng, 0.5) for name, type_ in LISTS.items()}
    columns["empty"] = pa.array([None if version != "2.2" or i % 3 else b"" for i in range(100)], NO_BYTES)
    table = pa.table({"i": range(100), **columns})
    options = {"data_storage_version": version, "semantic_types": False}
    data = lancecpp.write_dataset(table, path, **options)
    data = lancecpp.write_dataset(table, path, mode="append")
    data.delete("i % 2 = 1")
    data.update({"i": "i + 1000"}, where="i >= 50")
    data.optimize.compact_files()
    data.merge_insert("i").when_matched_update_all().when_not_matched_insert_all().execute(table)
    want = lancecpp.dataset(path).to_table()
    assert want.num_rows == 175
    assert sorted(want["i"].to_pylist())[:3] == [0, 0, 1]
    assert random_tables.difference(want, pylance.dataset(path).to_table()) is None
    assert data.to_table(filter="`null nested` is null").num_rows == want["null nested"].null_count
