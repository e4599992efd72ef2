"""LanceFragment and its metadata."""

import json
import os

import pyarrow as pa
import pytest

TABLE = pa.table({"id": list(range(10)), "s": [{"x": i} for i in range(10)]})


@pytest.fixture
def table(lance, path):
    return lance.write_dataset(TABLE, path, max_rows_per_file=4)


def test_list(lance, table):
    fragments = table.get_fragments()
    assert [f.fragment_id for f in fragments] == [0, 1, 2]
    assert all(isinstance(f, lance.LanceFragment) for f in fragments)
    assert table.get_fragment(1).fragment_id == 1
    assert table.get_fragment(99) is None
    ids = table.fragment_ids()
    assert ids == {0, 1, 2}
    assert list(ids) == [0, 1, 2]
    assert 1 in ids
    assert len(ids) == 3


def test_counts_and_schema(table):
    last = table.get_fragments()[2]
    assert (last.count_rows(), last.physical_rows, last.num_deletions) == (2, 2, 0)
    assert last.schema == TABLE.schema
    assert last.deletion_file() is None


def test_metadata(path, table):
    metadata = table.get_fragments()[1].metadata
    assert (metadata.id, metadata.physical_rows, metadata.num_rows) == (1, 4, 4)
    assert (metadata.num_deletions, metadata.deletion_file) == (0, None)
    (file,) = metadata.files
    assert table.get_fragments()[1].data_files() == [file]
    assert (file.file_major_version, file.file_minor_version) == (2, 2)
    assert len(file.fields) == len(file.column_indices) == 2
    assert file.base_id is None
    assert os.path.getsize(os.path.join(path, "data", file.path)) == file.file_size_bytes


def test_metadata_as_json(lance, table):
    metadata = table.get_fragments()[1].metadata
    values = metadata.to_json()
    assert values["id"] == 1
    assert values["physical_rows"] == 4
    assert values["files"][0]["path"] == metadata.files[0].path
    assert lance.FragmentMetadata.from_json(json.dumps(values)) == metadata


def test_read(table):
    fragment = table.get_fragments()[1]
    assert fragment.to_table() == TABLE.slice(4, 4)
    assert fragment.to_table(["id"], None, 2, 1)["id"].to_pylist() == [5, 6]
    assert fragment.head(2) == TABLE.slice(4, 2)
    assert fragment.head(100).num_rows == 4
    scanner = fragment.scanner(columns=["id"], with_row_id=True, offset=3)
    assert scanner.to_table().to_pydict() == {"id": [7], "_rowid": [(1 << 32) + 3]}
    assert [b.num_rows for b in fragment.to_batches(batch_size=3)] == [3, 1]


def test_take(table):
    fragment = table.get_fragments()[1]
    assert fragment.take([0, 2, 3]).to_pylist() == TABLE.take([4, 6, 7]).to_pylist()
    assert fragment.take([1], columns=["id"])["id"].to_pylist() == [5]


def test_take_in_any_order(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path, max_rows_per_file=4)
    taken = table.get_fragment(1).take([3, 0, 3], columns=["id"])
    assert taken["id"].to_pylist() == [7, 4, 7]


def test_to_pandas(table):
    pytest.importorskip("pandas")
    assert table.get_fragments()[2].to_pandas(["id"])["id"].to_list() == [8, 9]


@pytest.mark.parametrize(
    ("rows", "deleted", "kind", "suffix"),
    [(10, 2, "array", "arrow"), (20000, 8000, "bitmap", "bin")],
)
def test_deletions(lance, pylance, path, rows, deleted, kind, suffix):
    pylance.write_dataset({"id": list(range(rows))}, path).delete(f"id < {deleted}")
    fragment = lance.dataset(path).get_fragments()[0]
    assert (fragment.count_rows(), fragment.physical_rows) == (rows - deleted, rows)
    assert fragment.num_deletions == deleted
    assert fragment.metadata.num_rows == rows - deleted
    file = fragment.metadata.deletion_file
    assert (file.file_type, file.num_deleted_rows) == (kind, deleted)
    assert repr(file) == f"DeletionFile(type='{kind}', num_deleted_rows={deleted})"
    name = f"_deletions/0-{file.read_version}-{file.id}.{suffix}"
    assert fragment.deletion_file() == file.path(0) == name
    assert os.path.exists(os.path.join(path, name))
    assert file.asdict() == json.loads(file.json())
    assert fragment.metadata == lance.FragmentMetadata.from_json(
        json.dumps(fragment.metadata.to_json())
    )
    assert fragment.take([0, 1])["id"].to_pylist() == [deleted, deleted + 1]


def test_a_fragment_that_is_not_there(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    with pytest.raises(ValueError, match="Fragment 7"):
        lancecpp.LanceFragment(table, 7)


def test_delete(lance, path, table):
    fragment = table.get_fragment(1)
    assert fragment.delete("id > 100").num_deletions == 0
    assert fragment.delete("id >= 0") is None
    with pytest.raises(OSError):
        fragment.delete("nope = 1")
    updated = fragment.delete("id IN (4, 6, 9)")
    assert updated.num_deletions == 2
    operation = lance.LanceOperation.Delete([updated], [], "id IN (4, 6)")
    done = lance.LanceDataset.commit(path, operation, read_version=1)
    assert done.to_table()["id"].to_pylist() == [0, 1, 2, 3, 5, 7, 8, 9]
    assert table.count_rows() == 10
