"""Changes of a table beside appends: columns, config, restore, compaction, clean-up, transactions."""

import json
import pickle
from datetime import timedelta

import pyarrow as pa
import pytest


@pytest.fixture
def table(lance, path):
    """Ten rows in three fragments."""
    data = pa.table({"id": range(10), "s": [{"x": i, "y": str(i)} for i in range(10)]})
    return lance.write_dataset(data, path, max_rows_per_file=4)


def ids(table):
    return table.to_table(columns=["id"])["id"].to_pylist()


# Columns.


def test_drop_columns(table):
    table.drop_columns(["s.x"])
    assert table.schema.field("s").type == pa.struct([("y", pa.string())])
    table.drop_columns(["s.y"])  # the last member takes the struct with it
    assert table.schema.names == ["id"]
    assert table.version == 3
    for columns in (["nope"], ["id"]):
        with pytest.raises(ValueError):
            table.drop_columns(columns)
    assert table.latest_version == 3


def test_alter_columns(table):
    table.alter_columns({"path": "id", "name": "key", "nullable": False})
    assert table.schema.field("key") == pa.field("key", pa.int64(), nullable=False)
    table.alter_columns({"path": "key", "data_type": pa.int8()}, {"path": "s.x", "name": "z"})
    assert table.schema.field("key").type == pa.int8()
    assert table.to_table().to_pylist()[3] == {"key": 3, "s": {"z": 3, "y": "3"}}
    with pytest.raises(ValueError):
        table.alter_columns({"path": "key"})
    for wrong in (
        {"path": "nope", "name": "x"},
        {"path": "key", "name": "s"},
        {"path": "key", "data_type": pa.string()},
    ):
        with pytest.raises(OSError):
            table.alter_columns(wrong)
    assert table.latest_version == 3


def test_cast_of_a_member(lancecpp, pylance, path):
    data = pa.table({"s": [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}]})
    table = lancecpp.write_dataset(data, path)
    table.alter_columns({"path": "s.x", "data_type": pa.int16()})
    expected = data["s"].to_pylist()
    assert table.to_table()["s"].to_pylist() == expected
    read = pylance.dataset(path).to_table()["s"]
    assert read.to_pylist() == expected
    assert read.type.field("x").type == pa.int16()


def test_nulls_stand_against_not_null(lance, path):
    table = lance.write_dataset(pa.table({"a": [1, None]}), path)
    with pytest.raises(OSError, match="NULL"):
        table.alter_columns({"path": "a", "nullable": False})


def test_add_null_columns(table):
    table.add_columns(pa.field("a", pa.int32()))
    table.add_columns([pa.field("b", pa.string())])
    table.add_columns(pa.schema([pa.field("c", pa.list_(pa.int8()))]))
    row = table.to_table(columns=["a", "b", "c"]).to_pylist()[0]
    assert row == {"a": None, "b": None, "c": None}
    assert [len(f.data_files()) for f in table.get_fragments()] == [1, 1, 1]
    for wrong in (pa.field("d", pa.int32(), nullable=False), pa.field("id", pa.int32())):
        with pytest.raises(OSError):
            table.add_columns(wrong)


def test_add_columns_of_a_reader(table):
    batches = [pa.record_batch({"v": [i * 2]}) for i in range(10)]
    table.add_columns(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
    assert table.to_table(columns=["v"])["v"].to_pylist() == list(range(0, 20, 2))
    for count in (9, 11):
        batch = pa.record_batch({"w": list(range(count))})
        with pytest.raises(OSError):
            table.add_columns(pa.RecordBatchReader.from_batches(batch.schema, [batch]))
    assert table.latest_version == 2


def test_add_columns_of_expressions(lance, table):
    table.delete("id = 3")
    table.add_columns({"twice": "id * 2", "label": "concat('n', cast(id as string))"}, batch_size=3)
    rows = table.to_table(columns=["id", "twice", "label"]).to_pylist()
    assert rows and all(row["twice"] == 2 * row["id"] for row in rows)
    assert all(row["label"] == f"n{row['id']}" for row in rows)
    with pytest.raises((OSError, ValueError), match="nothing"):
        table.add_columns({"x": "nothing + 1"})
    with pytest.raises((OSError, ValueError), match="twice"):
        table.add_columns({"twice": "id"})


def test_add_columns_of_a_function(lance, table, tmp_path):
    seen = []

    @lance.batch_udf(
        output_schema=pa.schema([("v", pa.int64())]), checkpoint_file=tmp_path / "checkpoint"
    )
    def twice(batch):
        seen.append(batch.schema.names)
        return pa.record_batch({"v": [2 * i for i in batch["id"].to_pylist()]})

    table.add_columns(twice, read_columns=["id"], batch_size=3)
    assert table.to_table(columns=["v"])["v"].to_pylist() == list(range(0, 20, 2))
    assert seen[0] == ["id"]
    table.add_columns(lambda batch: pa.record_batch({"w": batch["id"]}), read_columns=["id"])
    assert table.to_table(columns=["w"])["w"].to_pylist() == list(range(10))


def test_merge(table):
    table.merge(pa.table({"id": [1, 1, 7, 99], "v": ["a", "b", "c", "d"]}), "id")
    values = table.to_table(columns=["v"])["v"].to_pylist()
    assert values == [None, "b", None, None, None, None, None, "c", None, None]
    table.merge(pa.table({"key": [2], "w": [0.5]}), "id", "key")
    assert table.to_table(columns=["w"])["w"].to_pylist()[2] == 0.5
    for right, left_on in (
        (pa.table({"id": [1], "v": ["x"]}), "id"),
        (pa.table({"id": [1], "u": ["x"]}), "nope"),
        (pa.table({"id": ["1"], "u": ["x"]}), "id"),
    ):
        with pytest.raises(OSError):
            table.merge(right, left_on)


# Config and metadata.


def test_config(table):
    assert table.update_config({"a": "1", "b": "2"}) == {"a": "1", "b": "2"}
    assert table.update_config({"a": None}) == {"b": "2"}
    assert table.update_config({"c": "3"}, replace=True) == {"c": "3"}
    table.delete_config_keys(["c"])
    assert table.config() == {}


def test_metadata(table):
    assert table.update_metadata({"a": "1"}) == {"a": "1"} == table.metadata
    assert table.update_schema_metadata({"k": "v"}) == {"k": "v"}
    table.update_field_metadata({"s.x": {"unit": "m"}})
    assert table.schema.field("s").type.field("x").metadata == {b"unit": b"m"}
    with pytest.raises(OSError, match="not found"):
        table.update_field_metadata({"nope": {"k": "v"}})


# Rows.


def test_truncate_and_restore(lance, path, table):
    table.truncate_table()
    assert table.count_rows() == 0 and table.get_fragments() == []
    old = lance.dataset(path, version=1)
    old.restore()
    assert (old.version, old.count_rows()) == (3, 10)
    old.insert(pa.table({"id": [10]}))
    assert [f.fragment_id for f in old.get_fragments()] == [0, 1, 2, 3]


# Compaction.


def test_compact_files(table):
    metrics = table.optimize.compact_files()
    assert (metrics.fragments_removed, metrics.fragments_added) == (3, 1)
    assert (metrics.files_removed, metrics.files_added) == (3, 1)
    assert ids(table) == list(range(10))
    assert table.version == 3  # ids were reserved by a version of its own
    assert table.optimize.compact_files().fragments_removed == 0
    assert table.latest_version == 3


def test_compaction_keeps_row_ids(lance, path):
    table = lance.write_dataset(
        pa.table({"id": range(10)}), path, max_rows_per_file=3, enable_stable_row_ids=True
    )
    updated = table.get_fragment(0).metadata
    before = table.to_table(columns=["_rowid", "id"]).to_pylist()
    table.optimize.compact_files(target_rows_per_fragment=5)
    assert table.to_table(columns=["_rowid", "id"]).to_pylist() == before
    assert [f.physical_rows for f in table.get_fragments()] == [5, 5]
    assert updated.row_id_meta is not None


def test_compaction_in_steps(lance, table):
    from importlib import import_module

    optimize = import_module(lance.__name__ + ".optimize")
    plan = optimize.Compaction.plan(table, {"target_rows_per_fragment": 100})
    assert plan.num_tasks() == 1
    results = [task.execute(table) for task in plan.tasks]
    metrics = optimize.Compaction.commit(table, pickle.loads(pickle.dumps(results)))
    assert metrics.fragments_added == 1
    assert ids(table) == list(range(10))


# Clean-up.


def test_cleanup(lance, path, table):
    table.insert(pa.table({"id": [10]}))
    table.tags.create("keep", 1)
    lance.write_dataset(pa.table({"id": [0]}), path, mode="overwrite")
    table = lance.dataset(path)
    with pytest.raises(OSError, match="tag"):
        table.cleanup_old_versions(older_than=timedelta(0))
    stats = table.cleanup_old_versions(
        older_than=timedelta(0), error_if_tagged_old_versions=False
    )
    assert (stats.old_versions, stats.data_files_removed) == (1, 1)
    assert [v["version"] for v in table.versions()] == [1, 3]
    assert lance.dataset(path, version="keep").count_rows() == 10
    table.tags.delete("keep")
    assert table.cleanup_old_versions(retain_versions=1).data_files_removed == 3
    assert table.count_rows() == 1


def test_cleanup_keeps_fresh_files_of_no_version(lance, path, table):
    lance.fragment.write_fragments(pa.table({"id": [1]}), path)
    assert table.cleanup_old_versions(older_than=timedelta(0)).data_files_removed == 0
    stats = table.cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)
    assert stats.data_files_removed == 1
    assert table.count_rows() == 10


# Transactions.


def test_append_by_hand(lance, path, table):
    pieces = lance.fragment.write_fragments(pa.table({"id": [10, 11]}), path, max_rows_per_file=1)
    assert len(pieces) == 2
    pieces = [lance.FragmentMetadata.from_json(json.dumps(p.to_json())) for p in pieces]
    operation = lance.LanceOperation.Append(pickle.loads(pickle.dumps(pieces)))
    made = lance.LanceDataset.commit(path, operation, read_version=1, commit_message="by hand")
    assert ids(made) == list(range(12))
    with pytest.raises(ValueError, match="read_version"):
        lance.LanceDataset.commit(path, operation)
    read = made.read_transaction(2)
    assert isinstance(read.operation, lance.LanceOperation.Append)
    assert read.transaction_properties["__lance_commit_message"] == "by hand"


def test_create_by_hand(lance, path):
    data = pa.table({"id": [1, 2]})
    pieces = lance.fragment.write_fragments(data, path)
    made = lance.LanceDataset.commit(path, lance.LanceOperation.Overwrite(data.schema, pieces))
    assert (made.version, ids(made)) == (1, [1, 2])


def test_transaction_of_write_fragments(lance, path, table):
    transaction = lance.fragment.write_fragments(
        pa.table({"id": [10]}), table, return_transaction=True
    )
    assert ids(lance.LanceDataset.commit(table, transaction))[-1] == 10


def test_delete_by_hand(lance, path, table):
    fragment = table.get_fragment(1).delete_rows([0, 3])
    assert fragment.num_deletions == 2
    operation = lance.LanceOperation.Delete([fragment], [2], "by hand")
    made = lance.LanceDataset.commit(path, operation, read_version=1)
    assert ids(made) == [0, 1, 2, 3, 5, 6]
    assert table.get_fragment(1).delete_rows([0, 1, 2, 3]) is None


def test_merge_by_hand(lance, path, table):
    merged, schema = [], None
    for fragment in table.get_fragments():
        right = pa.table({"id": list(range(10)), "v": [str(i) for i in range(10)]})
        metadata, schema = fragment.merge(right, "id")
        merged.append(metadata)
    made = lance.LanceDataset.commit(
        path, lance.LanceOperation.Merge(merged, schema), read_version=1
    )
    assert made.to_table(columns=["v"])["v"].to_pylist() == [str(i) for i in range(10)]


def test_project_by_hand(lance, path, table):
    field_ids = [field.id() for field in table.lance_schema.fields()]
    operation = lance.LanceOperation.Project(table.lance_schema)
    made = lance.LanceDataset.commit(path, operation, read_version=1)
    assert [field.id() for field in made.lance_schema.fields()] == field_ids


def test_detached(lance, path, table):
    pieces = lance.fragment.write_fragments(pa.table({"id": [10]}), path)
    operation = lance.LanceOperation.Append(pieces)
    made = lance.LanceDataset.commit(path, operation, read_version=1, detached=True)
    assert made.version >> 63 == 1
    assert made.count_rows() == 11
    assert lance.dataset(path).version == 1
    assert lance.dataset(path, version=made.version).count_rows() == 11


def test_conflict(lance, path, table):
    first = table.get_fragment(0).delete_rows([1])
    second = table.get_fragment(0).delete_rows([2])
    commit = lance.LanceDataset.commit
    commit(path, lance.LanceOperation.Delete([first], [], "a"), read_version=1)
    with pytest.raises(OSError):
        commit(path, lance.LanceOperation.Delete([second], [], "b"), read_version=1)
    other = table.get_fragment(1).delete_rows([0])
    made = commit(path, lance.LanceOperation.Delete([other], [], "c"), read_version=1)
    assert ids(made) == [0, 2, 3, 5, 6, 7, 8, 9]


def test_commit_batch(lance, path, table):
    pieces = [
        lance.fragment.write_fragments(pa.table({"id": [i]}), path, return_transaction=True)
        for i in (10, 11)
    ]
    made = lance.LanceDataset.commit_batch(path, pieces)
    assert ids(made["dataset"]) == list(range(12))
    assert made["dataset"].version == 2


def test_fragment_metadata_reads_the_others(lancecpp, pylance, path):
    table = lancecpp.write_dataset(
        {"id": [1, 2]}, path, enable_stable_row_ids=True, max_rows_per_file=1
    )
    for ours, theirs in zip(table.get_fragments(), pylance.dataset(path).get_fragments()):
        assert ours.metadata.to_json() == theirs.metadata.to_json()
        text = json.dumps(ours.metadata.to_json())
        assert pylance.FragmentMetadata.from_json(text) == theirs.metadata


# Clones and upkeep.


def test_clones(lance, path, table, tmp_path):
    table.tags.create("v1", 1)
    table.insert(pa.table({"id": [10]}))
    shallow = table.shallow_clone(str(tmp_path / "shallow"), "v1")
    deep = table.deep_clone(str(tmp_path / "deep"), 2)
    assert (ids(shallow), ids(deep)) == (list(range(10)), list(range(11)))
    shallow.insert(pa.table({"id": [99]}))
    deep.insert(pa.table({"id": [98]}))
    assert (ids(shallow)[-1], ids(deep)[-1], ids(table)[-1]) == (99, 98, 10)
    assert list(shallow.base_paths()) == [0] and deep.base_paths() == {}
    with pytest.raises(OSError, match="exists"):
        table.shallow_clone(str(tmp_path / "shallow"), 1)


def test_migrate_manifest_paths(lance, path):
    table = lance.write_dataset({"id": [1]}, path, enable_v2_manifest_paths=False)
    table.migrate_manifest_paths_v2()
    table = lance.dataset(path)
    table.insert({"id": [2]})
    assert table.version == 2 and ids(table) == [1, 2]


def test_drop(lance, path, table):
    lance.LanceDataset.drop(path)
    with pytest.raises(OSError):
        lance.LanceDataset.drop(path)
    lance.LanceDataset.drop(path, ignore_not_found=True)


def test_validate_finds_a_lost_file(lancecpp, path, tmp_path):
    table = lancecpp.write_dataset({"id": [1]}, path)
    table.validate()
    next((tmp_path / "table.lance" / "data").iterdir()).unlink()
    with pytest.raises((OSError, ValueError)):
        lancecpp.dataset(path).validate()


def test_validate_finds_row_ids_that_are_live_twice(lance, path):
    table = lance.write_dataset(pa.table({"id": range(10)}), path, enable_stable_row_ids=True)
    fragment = table.get_fragments()[0].metadata
    table.validate()
    table = lance.LanceDataset.commit(path, lance.LanceOperation.Append([fragment]), read_version=1)
    with pytest.raises(OSError, match=r"[Rr]ow id 0 is live in .*fragment 0 .*and .*fragment 1"):
        table.validate()


def test_auto_cleanup(lance, path):
    options = {"interval": 2, "older_than_seconds": 0}
    if lance.__name__ == "lance":
        from lance.dataset import AutoCleanupConfig

        options = AutoCleanupConfig(**options)
    table = lance.write_dataset({"id": [0]}, path, auto_cleanup_options=options)
    assert table.config()["lance.auto_cleanup.interval"] == "2"
    for i in range(1, 5):
        table.insert(pa.table({"id": [i]}))
    assert len(table.versions()) < 5
    assert ids(table) == list(range(5))


# Change data.


def test_delta(lance, path):
    table = lance.write_dataset(
        pa.table({"id": [1, 2, 3]}), path, enable_stable_row_ids=True, max_rows_per_file=2
    )
    table.insert(pa.table({"id": [4]}))
    fragment = table.get_fragment(0).delete_rows([1])
    operation = lance.LanceOperation.Delete([fragment], [], "x")
    table = lance.LanceDataset.commit(path, operation, read_version=2)
    delta = table.delta(compared_against=1)
    assert [type(t.operation).__name__ for t in delta.list_transactions()] == ["Append", "Delete"]
    assert delta.get_inserted_rows().read_all().to_pylist() == [
        {
            "id": 4,
            "_rowid": 3,
            "_row_created_at_version": 2,
            "_row_last_updated_at_version": 2,
        }
    ]
    assert delta.get_updated_rows().read_all().num_rows == 0
    assert delta.get_deleted_row_ids().read_all().to_pydict() == {"_rowid": [1]}
    between = table.delta(begin_version=2, end_version=3)
    assert between.get_inserted_rows().read_all().num_rows == 0
    for wrong in ({}, {"begin_version": 1}):
        with pytest.raises(ValueError):
            table.delta(**wrong)


def test_delta_of_columns(lance, path):
    table = lance.write_dataset(pa.table({"id": [1, 2]}), path, enable_stable_row_ids=True)
    batch = pa.record_batch({"v": ["a", "b"]})
    table.add_columns(pa.RecordBatchReader.from_batches(batch.schema, [batch]))
    updated = table.delta(compared_against=1).get_updated_rows().read_all()
    assert updated["v"].to_pylist() == ["a", "b"]


# More transactions by hand.


def data_file(lance, path, name, batch, fields):
    """A data file in the folder of the table."""
    files = __import__(f"{lance.__name__}.file", fromlist=["LanceFileWriter"])
    with files.LanceFileWriter(f"{path}/data/{name}", batch.schema, version="2.2") as writer:
        writer.write_batch(batch)
    return lance.fragment.DataFile(name, fields, list(range(len(fields))), 2, 2)


def test_data_replacement_by_hand(lance, path):
    data = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    table = lance.write_dataset(data, path, enable_stable_row_ids=True)
    new_file = data_file(lance, path, "new.lance", pa.record_batch({"b": ["p", "q", "r"]}), [1])
    group = lance.LanceOperation.DataReplacementGroup(0, new_file)
    operation = lance.LanceOperation.DataReplacement([group])
    made = lance.LanceDataset.commit(path, operation, read_version=1)
    assert made.to_table().to_pydict() == {"a": [1, 2, 3], "b": ["p", "q", "r"]}
    assert [f.fields for f in made.get_fragments()[0].data_files()] == [[0, -2], [1]]
    versions = made.to_table(columns=["_row_last_updated_at_version"]).to_pydict()
    assert versions == {"_row_last_updated_at_version": [2, 2, 2]}
    # The file alone again: swapped as a whole.
    again = data_file(lance, path, "again.lance", pa.record_batch({"b": ["s", "t", "u"]}), [1])
    group = lance.LanceOperation.DataReplacementGroup(0, again)
    operation = lance.LanceOperation.DataReplacement([group])
    made = lance.LanceDataset.commit(path, operation, read_version=2)
    assert made.to_table(columns=["b"])["b"].to_pylist() == ["s", "t", "u"]
    assert [f.fields for f in made.get_fragments()[0].data_files()] == [[0, -2], [1]]


def test_update_by_hand(lance, path, table):
    updated = table.get_fragment(0).delete_rows([0])
    moved = lance.fragment.write_fragments(table.take([0]), path)
    operation = lance.LanceOperation.Update(
        removed_fragment_ids=[2],
        updated_fragments=[updated],
        new_fragments=moved,
        fields_modified=[],
        update_mode="rewrite_rows",
    )
    made = lance.LanceDataset.commit(path, operation, read_version=1)
    assert ids(made) == [1, 2, 3, 4, 5, 6, 7, 0]
    assert [f.fragment_id for f in made.get_fragments()] == [0, 1, 3]


def test_rewrite_by_hand(lance, path, table):
    old = [fragment.metadata for fragment in table.get_fragments()]
    new = lance.fragment.write_fragments(table.to_table(), path)
    group = lance.LanceOperation.RewriteGroup(old_fragments=old, new_fragments=new)
    operation = lance.LanceOperation.Rewrite(groups=[group], rewritten_indices=[])
    made = lance.LanceDataset.commit(path, operation, read_version=1)
    assert ids(made) == list(range(10))
    assert len(made.get_fragments()) == 1


def test_restore_by_hand(lance, path, table):
    table.truncate_table()
    made = lance.LanceDataset.commit(path, lance.LanceOperation.Restore(1))
    assert made.count_rows() == 10


def test_config_by_hand(lance, path, table):
    change = lance.LanceOperation.UpdateMap({"a": "1"})
    operation = lance.LanceOperation.UpdateConfig(config_updates=change)
    made = lance.LanceDataset.commit(path, operation, read_version=1)
    assert made.config() == {"a": "1"}


def test_transactions_of_every_version(pylance, lancecpp, path):
    """Both tell the same kinds of operations of a table that both changed."""
    table = lancecpp.write_dataset(pa.table({"id": range(6)}), path, max_rows_per_file=2)
    table.add_columns(pa.field("x", pa.int8()))
    table.alter_columns({"path": "x", "name": "y"})
    table.update_config({"a": "1"})
    table.optimize.compact_files()
    theirs = pylance.dataset(path)
    theirs.delete("id = 3")
    theirs.update({"y": "1"}, where="id < 2")
    theirs.restore()
    theirs.truncate_table()
    table = lancecpp.dataset(path)
    ours = [type(t.operation).__name__ for t in table.get_transactions(20)]
    assert len(ours) == table.version
    assert ours == [
        "Delete",
        "Restore",
        "Update",
        "Delete",
        "Rewrite",
        "BaseOperation",
        "UpdateConfig",
        "Project",
        "Merge",
        "Overwrite",
    ]
    names = [type(t.operation).__name__ for t in pylance.dataset(path).get_transactions(20)]
    assert names == ours
