"""Tables that we changed in every way are read and changed further by an older pylance.

$LANCE_OLDER_PYLANCE is a folder to put on PYTHONPATH; ./dev test installs it.
"""

import pyarrow as pa
import pytest

import older_pylance


def keys(values):
    return pa.array(values, pa.int32())


def changed_table(lance, path, stable):
    """Paths of a table, a branch and clones of it."""
    data = pa.table({"id": range(20), "s": [{"x": i, "y": str(i)} for i in range(20)]})
    table = lance.write_dataset(data, path, max_rows_per_file=6, enable_stable_row_ids=stable)
    table.add_columns(pa.table({"v": [i * 1.5 for i in range(20)]}))
    table.alter_columns({"path": "id", "data_type": pa.int32(), "name": "key"})
    table.drop_columns(["s.x"])
    fragments = [
        table.get_fragment(1).delete_rows([0]),
        table.get_fragment(0).delete_rows(list(range(5))),
    ]
    operation = lance.LanceOperation.Delete(fragments, [], "picked")
    table = lance.LanceDataset.commit(path, operation, read_version=table.version)
    table.delete("key = 11")
    table.update({"v": "v + 0.5"}, where="key > 15")
    upsert = table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
    upsert.execute(pa.table({"key": keys([12, 30]), "v": [0.5, 0.25]}))
    table.update_config({"a": "1"})
    table.tags.create("tag")
    branch = table.create_branch("dev")
    branch.insert(pa.table({"key": keys([100])}))
    table.merge(pa.table({"key": keys([7, 9]), "w": ["a", "b"]}), "key")
    table.optimize.compact_files(target_rows_per_fragment=8)
    clones = [table.shallow_clone(path + "-shallow"), table.deep_clone(path + "-deep")]
    return [path, branch.uri, *(clone.uri for clone in clones)]


@pytest.mark.parametrize("stable", [False, True])
def test_changes(stable, lancecpp, tmp_path):
    paths = changed_table(lancecpp, str(tmp_path / "table"), stable)
    assert older_pylance.answer("older_pylance_changes.py", *paths) == dict.fromkeys(paths, "")
    for path in paths:
        table = lancecpp.dataset(path)
        table.validate()
        assert table.to_table().num_rows == table.count_rows()
        for version in table.versions():
            lancecpp.dataset(path, version=version["version"]).to_table()
