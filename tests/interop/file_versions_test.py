"""Files of versions 2.0 and 2.3 written here, read by the reference, which refuses what we refuse, and by
us; hardly larger than its own."""

import os

import pyarrow as pa
import pytest

import random_arrays
from ours_to_theirs_test import check, values, with_metadata

lance_file = pytest.importorskip("lance.file")
SEED = int(os.environ.get("LANCE_TEST_SEED", "1"))
ROWS = (1, 1023, 3000)
# Some bytes of the descriptions of several columns.
SPARE_BYTES = 256


def write(writer_class, table, path, version, batch_rows=None, **options):
    with writer_class(str(path), table.schema, version=version, **options) as writer:
        for batch in table.to_batches(max_chunksize=batch_rows):
            writer.write_batch(batch)
    return str(path)


def check_ours(lancecpp, table, path):
    reader = lancecpp.file.LanceFileReader(path)
    assert values(reader.read_all().to_table()) == values(table)


def error_of(action):
    try:
        action()
    except BaseException as error:  # the reference panics now and then
        return str(error)
    return None


@pytest.mark.parametrize("version", ["2.0", "2.3"])
@pytest.mark.parametrize("nulls", [0, 0.15, 1])
@pytest.mark.parametrize("kind", sorted(random_arrays.KINDS))
def test_kinds(kind, nulls, version, tmp_path, lancecpp):
    for rows in ROWS:
        seed = SEED + rows
        table = pa.table({"x": random_arrays.make(kind, rows, nulls, seed)})
        print(f"kind {kind} rows {rows} nulls {nulls} version {version} seed {seed}")
        ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
        refusal = error_of(lambda: write(lancecpp.file.LanceFileWriter, table, ours, version))
        other = error_of(lambda: write(lance_file.LanceFileWriter, table, theirs, version))
        if refusal is not None:
            assert version == "2.0" and ("null struct" in refusal or "file version 2.2 or later" in refusal), refusal
            # It writes fixed-size lists of structs, but can't read them.
            assert other is not None or kind == "fsl_struct"
            continue
        check(table, str(ours), rows)
        check_ours(lancecpp, table, str(ours))
        if other is None:
            assert os.path.getsize(ours) <= 1.02 * os.path.getsize(theirs) + SPARE_BYTES
        if rows > 1:
            write(lancecpp.file.LanceFileWriter, table, ours, version, rows // 3 + 1, data_cache_bytes=1)
            check(table, str(ours), rows)


HINTS = [
    ("2.0", {"compression": "zstd", "compression-level": "5"}),
    ("2.0", {"compression": "lz4"}),
    ("2.0", {"compression": "fsst"}),
    ("2.3", {"structural-encoding": "sparse"}),
    ("2.3", {"structural-encoding": "sparse", "compression": "zstd"}),
    ("2.3", {"structural-encoding": "fullzip"}),
    ("2.3", {"compression": "lz4"}),
    ("2.3", {"profile": "small"}),
    ("2.3", {"profile": "small", "structural-encoding": "sparse"}),
]


@pytest.mark.parametrize("version, hints", HINTS, ids=str)
@pytest.mark.parametrize("kind", sorted(random_arrays.KINDS))
def test_hints(kind, version, hints, tmp_path, lancecpp):
    metadata = {f"lance-encoding:{key}": value for key, value in hints.items()}
    array = random_arrays.make(kind, 2500, 0.15, SEED)
    type_ = with_metadata(array.type, metadata)
    schema = pa.schema([pa.field("x", type_, metadata=metadata)])
    table = pa.table([array.cast(type_) if type_ != array.type else array], schema=schema)
    path = tmp_path / "ours.lance"
    refusal = error_of(lambda: write(lancecpp.file.LanceFileWriter, table, path, version))
    if refusal is not None:
        assert version == "2.0" and ("null struct" in refusal or "file version 2.2 or later" in refusal), refusal
        return
    check(table, str(path), table.num_rows)
    check_ours(lancecpp, table, str(path))


def test_sparse_pages_need_2_3(tmp_path, lancecpp):
    metadata = {"lance-encoding:structural-encoding": "sparse"}
    table = pa.table([pa.array([1, None])], schema=pa.schema([pa.field("x", pa.int64(), metadata=metadata)]))
    with pytest.raises(Exception, match="file version 2.3.*'x'|'x'.*file version 2.3"):
        write(lancecpp.file.LanceFileWriter, table, tmp_path / "f.lance", "2.2")


def test_legacy_files_are_not_written(tmp_path, lancecpp):
    table = pa.table({"x": [1]})
    with pytest.raises(Exception, match="0.1 can be read, not written"):
        write(lancecpp.file.LanceFileWriter, table, tmp_path / "f.lance", "legacy")


@pytest.mark.parametrize("maker", ["pylance", "lancecpp"])
def test_tables_of_2_0_live_on(maker, tmp_path, pylance, lancecpp):
    """Appends, updates, merges, new columns and compaction keep a table's version."""
    path = str(tmp_path / "t.lance")
    type_ = pa.struct([("a", pa.int32()), ("l", pa.list_(pa.string()))])
    rows = lambda ids: pa.table({  # noqa: E731
        "id": pa.array(ids, pa.int64()),
        "s": pa.array([{"a": i, "l": None if i % 3 else [f"x{i}", None]} for i in ids], type_),
        "v": pa.array([None if i % 7 == 0 else [i, i + 1.0] for i in ids], pa.list_(pa.float32(), 2)),
    })
    {"pylance": pylance, "lancecpp": lancecpp}[maker].write_dataset(rows(range(300)), path, data_storage_version="2.0")
    dataset = lancecpp.write_dataset(rows(range(300, 500)), path, mode="append")
    dataset.delete("id % 10 = 4")
    dataset.update({"v": "NULL"}, where="id < 20")
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows(range(490, 600)))
    dataset.add_columns({"twice": "id * 2"})
    dataset.optimize.compact_files()
    assert dataset.data_storage_version == "2.0"
    theirs = pylance.dataset(path)
    got = theirs.to_table().sort_by("id").to_pylist()
    ids = [i for i in range(600) if i % 10 != 4 or i >= 490]
    want = rows(ids).to_pylist()
    for row in want:
        row["twice"] = row["id"] * 2
        if row["id"] < 20:
            row["v"] = None
    assert got == want
    assert lancecpp.dataset(path).to_table().sort_by("id").to_pylist() == want
    assert {(f.file_major_version, f.file_minor_version) for fragment in theirs.get_fragments()
            for f in fragment.metadata.files} == {(2, 0)}
    theirs.validate()


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_structs_without_members(version, tmp_path, pylance, lancecpp):
    table = pa.table({"e": pa.array([{}] * 5, pa.struct([])), "i": range(5)})
    for maker in (pylance, lancecpp):
        path = str(tmp_path / maker.__name__)
        options = {"semantic_types": False} if maker is lancecpp else {}
        maker.write_dataset(table, path, data_storage_version=version, **options)
        for reader in (pylance, lancecpp):
            assert reader.dataset(path).to_table(columns=["e"])["e"].to_pylist() == [{}] * 5
