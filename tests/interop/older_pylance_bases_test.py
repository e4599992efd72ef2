"""Tables over several base paths, with columns that were updated in place and with row ids that came
later, are read and changed further by an older pylance."""

import pyarrow as pa

import older_pylance


def test_bases_patches_and_migrated_ids(lancecpp, tmp_path):
    path = str(tmp_path / "table")
    base = lancecpp.DatasetBasePath(str(tmp_path / "base"), "base", is_dataset_root=True)
    plain = lancecpp.DatasetBasePath(str(tmp_path / "plain"), "plain")
    keys = pa.array(range(20), pa.int32())
    table = lancecpp.write_dataset(
        pa.table({"key": keys, "v": [i * 1.5 for i in range(20)]}),
        path,
        initial_bases=[base, plain],
        target_all_bases=True,
        max_rows_per_file=6,
    )
    table.delete("key = 3")
    patch = pa.table({"key": pa.array([9, 15], pa.int32()), "v": [0.25, 0.5]})
    table.add_columns({"w": "key + 1"})
    upsert = table.merge_insert("key").when_matched_update_all().write_mode("rewrite_columns")
    upsert.execute(patch)
    migrated = table.deep_clone(path + "-migrated")
    migrated.migrate_to_stable_row_ids()
    paths = [path, migrated.uri]
    assert older_pylance.answer("older_pylance_changes.py", *paths) == dict.fromkeys(paths, "")
    for uri in paths:
        changed = lancecpp.dataset(uri)
        changed.validate()
        assert changed.to_table().num_rows == changed.count_rows()
