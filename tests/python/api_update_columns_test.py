"""Columns updated in place: update_columns, and merge-inserts that rewrite columns. Both engines."""

import pyarrow as pa
import pytest

ROWS = pa.table(
    {
        "a": range(6),
        "s": [str(i) for i in range(6)],
        "st": [{"x": i, "y": i * 2} for i in range(6)],
        "l": [[i] for i in range(6)],
    }
)


@pytest.fixture
def table(lance, path):
    """Two fragments of three rows; ids 0, 1, 2 (3, 4), 5 (6)."""
    return lance.write_dataset(ROWS, path, max_rows_per_file=3)


def files(fragment):
    """The fields of the files that hold any."""
    return [file.fields for file in fragment.files if set(file.fields) != {-2}]


def commit(lance, table, fragment, fields, **more):
    operation = lance.LanceOperation.Update(
        updated_fragments=[fragment], fields_modified=fields, **more
    )
    return lance.LanceDataset.commit(table, operation, read_version=table.version)


def column(table, name="s"):
    return table.to_table(columns=[name])[name].to_pylist()


def portable(offsets):
    """A Roaring bitmap of an array container."""
    head = b":0\x00\x00\x01\x00\x00\x00\x00\x00" + (len(offsets) - 1).to_bytes(2, "little")
    return head + b"\x10\x00\x00\x00" + b"".join(i.to_bytes(2, "little") for i in offsets)


def test_by_a_key(lance, table):
    source = pa.table({"a": [1, 2, 5], "s": ["X", "Y", "Z"]})
    fragment, fields, offsets = table.get_fragment(0).update_columns(
        source, left_on="a", with_offsets=True
    )
    assert (files(fragment), fields, offsets) == ([[0, -2, 3, 4, 6], [1]], [1], portable([1, 2]))
    assert column(table) == list("012345")
    made = commit(
        lance,
        table,
        fragment,
        fields,
        update_mode="rewrite_columns",
        updated_fragment_offsets={0: offsets},
    )
    assert column(made) == ["0", "X", "Y", "3", "4", "5"]
    assert made.to_table().drop_columns(["s"]) == ROWS.drop_columns(["s"])
    made.validate()
    operation = made.read_transaction(2).operation
    assert operation.update_mode == "rewrite_columns" and operation.fields_modified == [1]
    assert operation.updated_fragment_offsets == {0: offsets}


def test_by_row_id(lance, table):
    ids = pa.array([4], pa.uint64())
    fragment, fields = table.get_fragment(0).update_columns(
        pa.table({"_rowid": pa.array([1], pa.uint64()), "s": ["X"]})
    )
    assert column(commit(lance, table, fragment, fields)) == ["0", "X", "2", "3", "4", "5"]
    with pytest.raises(ValueError, match="Index column type mismatch"):
        table.get_fragment(0).update_columns(pa.table({"_rowid": ids.cast(pa.int64()), "s": ["X"]}))


def test_by_row_address_and_other_names(lance, table):
    address = pa.array([(1 << 32) + 2], pa.uint64())
    fragment, fields = table.get_fragment(1).update_columns(
        pa.table({"_rowaddr": address, "s": ["X"]}), "_rowaddr"
    )
    made = commit(lance, table, fragment, fields)
    fragment, fields = made.get_fragment(1).update_columns(pa.table({"k": [3], "s": ["Y"]}), "a", "k")
    assert column(commit(lance, made, fragment, fields)) == ["0", "1", "2", "Y", "4", "X"]


def test_the_key_itself(lance, table):
    fragment, fields = table.get_fragment(0).update_columns(
        pa.table({"k": [1], "a": [100]}), "a", "k"
    )
    assert fields == [0]
    assert column(commit(lance, table, fragment, fields), "a") == [0, 100, 2, 3, 4, 5]


def test_nested_columns(lance, table):
    row = {"a": [1], "st": [{"x": 100, "y": None}], "l": [[7, 8]]}
    source = pa.table(row, schema=ROWS.select(["a", "st", "l"]).schema)
    fragment, fields = table.get_fragment(0).update_columns(source, "a")
    assert (files(fragment), fields) == ([[0, 1, -2, -2, -2], [3, 4, 6]], [3, 4, 6])
    made = commit(lance, table, fragment, fields)
    assert column(made, "st")[:3] == [{"x": 0, "y": 0}, {"x": 100, "y": None}, {"x": 2, "y": 4}]
    assert column(made, "l")[:3] == [[0], [7, 8], [2]]


def test_version_2_0(lance, path):
    table = lance.write_dataset(ROWS, path, data_storage_version="2.0")
    source = pa.table({"a": [1], "st": [{"x": 100, "y": 1}]})
    fragment, fields = table.get_fragment(0).update_columns(source, "a")
    assert (files(fragment), fields) == ([[0, 1, -2, -2, -2, 5, 6], [2, 3, 4]], [2, 3, 4])
    made = commit(lance, table, fragment, fields)
    assert column(made, "st")[1] == {"x": 100, "y": 1} and column(made, "st")[2] == {"x": 2, "y": 4}


def test_all_columns_of_a_file(lance, table):
    source = ROWS.slice(1, 1).set_column(1, "s", pa.array(["X"]))
    source = source.append_column("_rowid", pa.array([1], pa.uint64()))
    fragment, fields = table.get_fragment(0).update_columns(source)
    assert fields == [0, 1, 3, 4, 6]
    made = commit(lance, table, fragment, fields)
    assert len(made.get_fragment(0).data_files()) == 1
    assert column(made) == ["0", "X", "2", "3", "4", "5"]


def test_deleted_rows_stay_deleted(lance, table):
    table.delete("a = 1")
    fragment, fields, offsets = table.get_fragment(0).update_columns(
        pa.table({"a": [1, 2], "s": ["X", "Y"]}), "a", with_offsets=True
    )
    assert offsets == portable([2])
    made = commit(lance, table, fragment, fields)
    assert column(made) == ["0", "Y", "3", "4", "5"]
    made.validate()


def test_nothing_matches(lance, table):
    fragment, fields, offsets = table.get_fragment(0).update_columns(
        pa.table({"a": [100], "s": ["X"]}), "a", with_offsets=True
    )
    assert (fields, offsets) == ([1], b":0\x00\x00\x00\x00\x00\x00")
    assert column(commit(lance, table, fragment, fields)) == list("012345")


def test_nulls(lance, table):
    source = pa.table({"a": pa.array([1, None]), "s": pa.array([None, "z"])})
    fragment, fields, offsets = table.get_fragment(0).update_columns(source, "a", with_offsets=True)
    assert offsets == portable([1])
    assert column(commit(lance, table, fragment, fields))[:3] == ["0", None, "2"]


def test_stable_row_ids_and_versions(lance, path):
    table = lance.write_dataset(ROWS, path, max_rows_per_file=3, enable_stable_row_ids=True)
    source = pa.table({"_rowid": pa.array([4], pa.uint64()), "s": ["X"]})
    fragment, fields, offsets = table.get_fragment(1).update_columns(source, with_offsets=True)
    made = commit(
        lance,
        table,
        fragment,
        fields,
        update_mode="rewrite_columns",
        updated_fragment_offsets={1: offsets},
    )
    versions = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    assert made.to_table(columns=versions).to_pydict() == {
        "_rowid": list(range(6)),
        "_row_created_at_version": [1] * 6,
        "_row_last_updated_at_version": [1, 1, 1, 1, 2, 1],
    }


def test_refusals(lance, table):
    fragment = table.get_fragment(0)
    for source, left, right, message in [
        ({"a": [1], "zz": [1]}, "a", None, "zz"),
        ({"k": [1], "s": ["q"]}, "a", None, "Column a does not exist in the right side"),
        ({"k": [1], "s": ["q"]}, "k", None, "Column k does not exist in the left side"),
        ({"a": [1], "_rowaddr": pa.array([1], pa.uint64())}, "a", None, "_rowaddr"),
        ({"a": pa.array([1], pa.int32()), "s": ["q"]}, "a", None, "Index column type mismatch"),
    ]:
        with pytest.raises(ValueError, match=message):
            fragment.update_columns(pa.table(source), left, right)
    with pytest.raises((ValueError, RuntimeError), match="s"):
        fragment.update_columns(pa.table({"a": [1], "s": [7]}), "a")
    with pytest.raises((ValueError, RuntimeError)):
        fragment.update_columns(pa.table({"a": [1]}), "a")


def test_many_rows(lance, path):
    """More than are put together at once, and rows of the source in any order."""
    count = 100_000
    table = lance.write_dataset({"a": range(count), "s": [f"{i}" for i in range(count)]}, path)
    changed = list(range(count - 1, 0, -3))
    source = pa.table({"a": changed, "s": [f"new {i}" for i in changed]})
    fragment, fields = table.get_fragment(0).update_columns(source, "a")
    expected = [f"{i}" for i in range(count)]
    for i in changed:
        expected[i] = f"new {i}"
    assert column(commit(lance, table, fragment, fields)) == expected


# Merge-inserts.


def rewrite(table, source, on="a", condition=None):
    builder = table.merge_insert(on).write_mode("rewrite_columns")
    return builder.when_matched_update_all(condition).execute(source)


def updated(count):
    return {"num_inserted_rows": 0, "num_updated_rows": count, "num_deleted_rows": 0}


@pytest.mark.parametrize("stable", [False, True])
def test_merge_insert(stable, lance, path):
    table = lance.write_dataset(ROWS, path, max_rows_per_file=3, enable_stable_row_ids=stable)
    source = pa.table({"s": ["m", "n", "o"], "a": [4, 1, 99]})
    assert rewrite(table, source) == updated(2)
    assert column(table) == ["0", "n", "2", "3", "m", "5"]
    for fragment in table.get_fragments():
        assert files(fragment.metadata) == [[0, -2, 3, 4, 6], [1]]
    operation = table.read_transaction(2).operation
    assert operation.update_mode == "rewrite_columns" and operation.new_fragments == []
    assert operation.fields_modified == [1] and operation.fields_for_preserving_frag_bitmap == []
    offsets = {0: portable([1]), 1: portable([1])} if stable else None
    assert operation.updated_fragment_offsets == offsets
    if stable:
        versions = column(table, "_row_last_updated_at_version")
        assert versions == [1, 2, 1, 1, 2, 1]
    table.validate()


def test_merge_insert_with_a_condition(lance, table):
    source = pa.table({"a": [1, 4], "s": ["m", "n"]})
    assert rewrite(table, source, condition="target.a = 1") == updated(1)
    assert column(table) == ["0", "m", "2", "3", "4", "5"]
    assert len(table.get_fragment(1).data_files()) == 1


def test_merge_insert_that_matches_nothing(lance, table):
    assert rewrite(table, pa.table({"a": [100], "s": ["p"]})) == updated(0)
    operation = table.read_transaction(2).operation
    assert (operation.updated_fragments, operation.fields_modified) == ([], [])


def test_merge_insert_of_members(lance, table):
    assert rewrite(table, pa.table({"a": [1], "st": [{"x": 1000}]})) == updated(1)
    assert column(table, "st")[:3] == [{"x": 0, "y": 0}, {"x": 1000, "y": 2}, {"x": 2, "y": 4}]
    assert files(table.get_fragment(0).metadata) == [[0, 1, -2, 4, 6], [3]]
    assert rewrite(table, pa.table({"a": [1], "st": [{"x": 3, "y": 4}]})) == updated(1)
    assert column(table, "st")[1] == {"x": 3, "y": 4}
    assert files(table.get_fragment(0).metadata) == [[0, 1, -2, -2, 6], [3, 4]]


def test_merge_insert_by_two_keys(lance, table):
    source = pa.table({"l": [[7], [8]], "a": [1, 2], "s": ["1", "x"]})
    assert rewrite(table, source, on=["a", "s"]) == updated(1)
    assert column(table, "l")[:3] == [[0], [7], [2]]


def test_merge_insert_uncommitted(lance, table):
    builder = table.merge_insert("a").write_mode("rewrite_columns").when_matched_update_all()
    transaction, stats = builder.execute_uncommitted(pa.table({"a": [1], "s": ["z"]}))
    assert stats["num_updated_rows"] == 1 and column(table) == list("012345")
    made = lance.LanceDataset.commit(table, transaction)
    assert column(made)[1] == "z"


def test_merge_inserts_that_rewriting_columns_cannot_express(lance, table):
    cannot = "RewriteColumns cannot express this merge insert: "
    some = ROWS.select(["a", "s"])

    def builder():
        return table.merge_insert("a").write_mode("rewrite_columns")

    for made, source, reason in [
        (builder().when_matched_update_all(), ROWS, "the source covers every dataset column"),
        (builder().when_matched_update_all(), ROWS.select(["a"]), "no column besides the join key"),
        (
            builder().when_matched_update_all().when_not_matched_insert_all(),
            some,
            "inserting unmatched source rows adds rows",
        ),
        (builder().when_matched_delete(), some, "when_matched must update"),
        (builder().when_matched_fail(), some, "when_matched must update"),
        (
            builder().when_matched_update_all().when_not_matched_by_source_delete(),
            some,
            "deleting target rows unmatched by the source",
        ),
    ]:
        with pytest.raises(OSError, match=cannot + ".*" + reason):
            made.execute(source)
    with pytest.raises(OSError, match="Ambiguous merge inserts"):
        rewrite(table, pa.table({"a": [1, 1], "s": ["p", "q"]}))
    with pytest.raises(ValueError, match="Invalid write_mode: zz"):
        table.merge_insert("a").write_mode("zz")
    assert table.latest_version == 1


def test_merge_inserts_of_two_writers(lancecpp, path):
    """The second one does its work anew from what the first one has made."""
    table = lancecpp.write_dataset(ROWS, path)
    other = lancecpp.dataset(path)
    rewrite(table, pa.table({"a": [1], "s": ["x"]}))
    rewrite(other, pa.table({"a": [2], "s": ["y"]}))
    assert other.version == 3 and column(other)[:3] == ["0", "x", "y"]
    third = lancecpp.dataset(path, version=2)
    third.delete("a = 5")
    assert column(third) == ["0", "x", "y", "3", "4"]


def test_semantic_types(lancecpp, path):
    """Sources of any layout; the column keeps its own."""
    table = lancecpp.write_dataset(ROWS.drop_columns(["st"]), path, semantic_types=True)
    rewrite(table, pa.table({"a": pa.array([1], pa.int64()), "s": pa.array(["v"], pa.string_view())}))
    source = pa.table({"a": [2], "s": pa.array(["w"], pa.large_string()).dictionary_encode()})
    fragment, fields = table.get_fragment(0).update_columns(source, "a")
    made = commit(lancecpp, table, fragment, fields)
    assert made.schema.field("s").type == pa.string()
    assert column(made) == ["0", "v", "w", "3", "4", "5"]


def test_json_and_blobs(lancecpp, path):
    data = pa.table(
        {
            "a": range(3),
            "j": pa.array(['{"x":0}', None, "[1]"], pa.json_()),
            "b": lancecpp.blob_array([b"x", b"y", None]),
        }
    )
    table = lancecpp.write_dataset(data, path)
    rewrite(table, pa.table({"a": [1], "j": pa.array(['{"y":1}'], pa.json_())}))
    assert column(table, "j") == ['{"x":0}', '{"y":1}', "[1]"]
    with pytest.raises(OSError, match="holds blobs"):
        rewrite(table, pa.table({"a": [1], "b": lancecpp.blob_array([b"z"])}))


def test_lists_come_whole(lancecpp, path):
    data = pa.table({"a": range(2), "l": [[{"x": 1, "y": 2}], []], "keep": [1, 2]})
    table = lancecpp.write_dataset(data, path)
    with pytest.raises(OSError, match="lacks members of the items of column 'l'"):
        rewrite(table, pa.table({"a": [0], "l": [[{"x": 5}, {"x": 6}]]}))
    rewrite(table, pa.table({"a": [0], "l": [[{"x": 5, "y": 6}, {"x": 7, "y": 8}]]}))
    assert column(table, "l") == [[{"x": 5, "y": 6}, {"x": 7, "y": 8}], []]


def test_required_columns(lancecpp, path):
    schema = pa.schema([("a", pa.int64()), pa.field("x", pa.int64(), False), ("y", pa.int64())])
    table = lancecpp.write_dataset(pa.table({"a": [1], "x": [1], "y": [1]}, schema=schema), path)
    with pytest.raises(OSError, match="null in a field that is not nullable: field 'x'"):
        rewrite(table, pa.table({"a": [1], "x": pa.array([None], pa.int64())}))
    assert table.latest_version == 1 and column(table, "x") == [1]


def test_columns_without_a_file(lancecpp, path):
    table = lancecpp.write_dataset(ROWS, path)
    table.add_columns(pa.field("late", pa.string()))
    rewrite(table, pa.table({"a": [1], "late": ["x"]}))
    assert column(table, "late") == [None, "x", None, None, None, None]


def test_analysis(lancecpp, table):
    builder = table.merge_insert("a").write_mode("rewrite_columns").when_matched_update_all()
    plan = builder.analyze_plan(pa.table({"a": [1, 4], "s": ["m", "n"]}))
    assert "num_files_written=2" in plan and "num_updated_rows=2" in plan
    assert "bytes_written=0" not in plan and table.latest_version == 1


# Row ids that come later.


def test_migration_to_stable_row_ids(lancecpp, path):
    table = lancecpp.write_dataset(ROWS, path, max_rows_per_file=3)
    table.delete("a = 1")
    files_before = [f.path for fragment in table.get_fragments() for f in fragment.data_files()]
    before = table.to_table()
    table.migrate_to_stable_row_ids()
    assert (table.version, table.has_stable_row_ids) == (3, True)
    assert table.to_table() == before
    assert column(table, "_rowid") == [0, 2, 3, 4, 5]
    assert [f.path for fragment in table.get_fragments() for f in fragment.data_files()] == files_before
    assert column(table, "_row_created_at_version") == [1] * 5
    table.migrate_to_stable_row_ids()
    assert table.version == 3
    table.update({"s": "'new'"}, where="a = 2")
    table.insert(ROWS.slice(0, 1))
    rows = table.to_table(columns=["a", "_rowid", "_row_last_updated_at_version"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (0, 0, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1), (2, 2, 4), (0, 6, 5)
    ]
    table.optimize.compact_files()
    assert column(table, "_rowid") == [0, 3, 4, 5, 2, 6]
    with pytest.raises(OSError, match="before the table got stable row ids"):
        table.checkout_version(1).restore()
    assert lancecpp.dataset(path, version=2).to_table() == before


def test_migration_against_other_writers(lancecpp, path):
    table = lancecpp.write_dataset(ROWS, path)
    late = lancecpp.dataset(path)
    table.insert(ROWS)
    with pytest.raises(OSError, match="retry"):
        late.migrate_to_stable_row_ids()
    stale = lancecpp.dataset(path)
    table.migrate_to_stable_row_ids()
    stale.insert(ROWS)
    assert column(stale, "_rowid") == list(range(18))
    older = lancecpp.dataset(path, version=2)
    older.delete("a = 1")
    assert older.has_stable_row_ids and older.count_rows() == 15


def test_migration_of_an_empty_table(lancecpp, path):
    table = lancecpp.write_dataset(ROWS.slice(0, 0), path)
    table.migrate_to_stable_row_ids()
    table.insert(ROWS)
    assert column(table, "_rowid") == list(range(6))
