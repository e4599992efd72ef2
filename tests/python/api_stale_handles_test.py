"""Writes through handles of versions that are no longer the newest."""

import importlib
import shutil

import pyarrow as pa
import pytest


@pytest.fixture
def table(lance, path):
    return lance.write_dataset({"id": range(9), "x": [0] * 9}, path, max_rows_per_file=3)


def clean_up_next_version(lance, table):
    """Leaves the newest of three versions that were committed after that of `table`."""
    other = lance.dataset(table.uri)
    other.delete("id = 1")
    other.delete("id = 2")
    other.delete("id = 5")
    other.cleanup_old_versions(retain_versions=1)
    assert [one["version"] for one in other.versions()] == [4]


def test_truncating_goes_on_from_the_newest_version(lance, table):
    lance.dataset(table.uri).delete("id = 1")
    table.truncate_table()
    assert table.version == 3
    assert lance.dataset(table.uri).count_rows() == 0


@pytest.mark.parametrize("how", ["overwrite", "restore"])
def test_an_append_by_handle_is_one_to_the_version_of_the_handle(lance, table, how):
    if how == "overwrite":
        lance.write_dataset({"id": [1], "x": [1]}, table.uri, mode="overwrite")
    else:
        lance.dataset(table.uri).restore()
    with pytest.raises(OSError, match=f"(?i)incompatible.*{how}"):
        lance.write_dataset({"id": [2], "x": [2]}, table, mode="append")
    rows = lance.dataset(table.uri).count_rows()
    lance.write_dataset({"id": [2], "x": [2]}, table.uri, mode="append")
    assert lance.dataset(table.uri).count_rows() == rows + 1


@pytest.mark.parametrize("change", ["rename", "drop"])
def test_an_append_by_handle_knows_its_columns(lance, table, change):
    other = lance.dataset(table.uri)
    if change == "rename":
        other.alter_columns({"path": "x", "name": "y"})
    else:
        other.drop_columns(["x"])
    lance.write_dataset({"id": [20], "x": [7]}, table, mode="append")
    rows = lance.dataset(table.uri).to_table(filter="id = 20").to_pylist()
    assert rows == [{"id": 20, "y": 7} if change == "rename" else {"id": 20}]


def test_what_commutes_with_everything_is_committed_over_versions_that_are_gone(lance, table):
    config, rename, append, replace = [lance.dataset(table.uri) for _ in range(4)]
    clean_up_next_version(lance, table)
    assert config.update_config({"a": "b"}) == {"a": "b"}
    rename.alter_columns({"path": "x", "name": "y"})
    lance.write_dataset({"id": [20], "x": [7]}, append, mode="append")
    assert lance.dataset(table.uri).to_table(filter="id = 20").to_pylist() == [{"id": 20, "y": 7}]
    lance.write_dataset({"z": [1]}, replace, mode="overwrite")
    newest = lance.dataset(table.uri)
    assert newest.version == 8
    assert newest.to_table().to_pydict() == {"z": [1]}
    assert newest.config() == {"a": "b"}


def test_what_may_conflict_with_versions_that_are_gone_is_refused(lancecpp, path):
    table = lancecpp.write_dataset({"id": range(9), "x": [0] * 9}, path, max_rows_per_file=3)
    handles = [lancecpp.dataset(path) for _ in range(4)]
    other = lancecpp.dataset(path)
    other.update_config({"a": "1"})
    other.alter_columns({"path": "x", "name": "y"})
    other.delete("id = 5")
    other.cleanup_old_versions(retain_versions=1)
    same_key, same_schema, added, compacted = handles
    for change in (
        lambda: same_key.update_config({"a": "2"}),
        lambda: same_schema.alter_columns({"path": "id", "name": "key"}),
        lambda: same_schema.update_field_metadata({"id": {"k": "v"}}),
        lambda: lancecpp.write_dataset({"id": [9], "x": [9]}, same_schema, mode="append"),
        lambda: added.add_columns({"z": "id"}),
        lambda: compacted.optimize.compact_files(),
    ):
        with pytest.raises(OSError, match="version 2, committed meanwhile, was cleaned up"):
            change()
    table.update_config({"b": "1"})
    assert lancecpp.dataset(path).config() == {"a": "1", "b": "1"}
    # These choose their rows anew.
    assert same_schema.delete("id = 1") == {"num_deleted_rows": 1}


def test_conflicts_have_a_class_where_columns_are_added_and_transactions_committed(lance, table):
    conflict = importlib.import_module(f"{lance.__name__}.commit").CommitConflictError
    assert issubclass(conflict, OSError)
    handles = [lance.dataset(table.uri) for _ in range(4)]
    lance.dataset(table.uri).delete("id = 1")
    for change in (
        lambda: handles[0].add_columns({"z": "id"}),
        lambda: handles[1].add_columns(pa.field("z", pa.int8())),
    ):
        with pytest.raises(conflict) as caught:
            change()
        assert caught.value.retryable
    lance.write_dataset({"id": [1]}, table.uri, mode="overwrite")
    operation = lance.LanceOperation.Delete([], [0], "id < 3")
    with pytest.raises(conflict) as caught:
        lance.LanceDataset.commit(table.uri, operation, read_version=2)
    assert not caught.value.retryable
    for change in (
        lambda: handles[2].alter_columns({"path": "x", "data_type": pa.int32()}),
        lambda: handles[3].merge(pa.table({"id": [1], "w": [1]}), "id"),
    ):
        with pytest.raises(OSError) as caught:
            change()
        assert not isinstance(caught.value, conflict)


CHANGES_OF_GONE = {
    "config": lambda _, table: table.update_config({"a": "b"}),
    "insert": lambda _, table: table.insert({"id": [3]}),
    "truncate": lambda _, table: table.truncate_table(),
    "rename": lambda _, table: table.alter_columns({"path": "id", "name": "key"}),
    "append": lambda lancecpp, table: lancecpp.write_dataset({"id": [3]}, table, mode="append"),
    "delete": lambda _, table: table.delete("id = 1"),
    "update": lambda _, table: table.update({"id": "5"}),
}


@pytest.mark.parametrize("versions", [0, 1, 2, 3])
@pytest.mark.parametrize("change", CHANGES_OF_GONE)
def test_a_handle_of_a_table_that_is_gone_changes_nothing(lancecpp, path, change, versions):
    lancecpp.write_dataset({"id": [1]}, path)
    stale = lancecpp.write_dataset({"id": [2]}, path, mode="append")
    shutil.rmtree(path)
    is_remade = versions > 0
    for version in range(versions):
        # Manifests of the same size, some of them.
        data = {"id": [7, 8]} if version + 1 == versions else {"id": [1 + version]}
        lancecpp.write_dataset(data, path, mode="overwrite" if versions > 2 else "append")
    left = lancecpp.dataset(path).to_table().to_pydict() if is_remade else None
    with pytest.raises(OSError, match="was removed or made anew; open it again|cannot open"):
        CHANGES_OF_GONE[change](lancecpp, stale)
    if is_remade:
        assert lancecpp.dataset(path).to_table().to_pydict() == left
        assert lancecpp.dataset(path).version == versions
    else:
        with pytest.raises(ValueError, match="not found"):
            lancecpp.dataset(path)


def test_an_identical_table_made_anew_is_another_one(lancecpp, path):
    def make():
        lancecpp.write_dataset({"id": [1]}, path)
        return lancecpp.write_dataset({"id": [2]}, path, mode="append")

    stale = make()
    shutil.rmtree(path)
    make()
    for change in CHANGES_OF_GONE.values():
        with pytest.raises(OSError, match="was removed or made anew; open it again|cannot open"):
            change(lancecpp, stale)
    with pytest.raises(OSError):
        stale.to_table()
    assert lancecpp.dataset(path).to_table()["id"].to_pylist() == [1, 2]


def test_a_copied_table_is_the_same(lancecpp, path, tmp_path):
    table = lancecpp.write_dataset({"id": [1]}, path)
    shutil.copytree(path, tmp_path / "copy")
    shutil.rmtree(path)
    shutil.move(tmp_path / "copy", path)
    table.insert({"id": [2]})
    assert table.to_table()["id"].to_pylist() == [1, 2]


def test_looking_whether_a_table_is_the_same_is_one_read(lancecpp, path):
    table = lancecpp.write_dataset({"id": [1]}, path)
    table.io_stats_incremental()
    for _ in range(3):
        table.update_config({"a": "b"})
        counted = table.io_stats_incremental()
        assert counted.read_iops == 1
        assert counted.read_bytes < 2000
