"""Rows of a source brought into a table by their keys."""

from datetime import timedelta

import pyarrow as pa
import pytest

NAN = float("nan")


@pytest.fixture(params=[False, True], ids=["addresses", "stable"])
def table(request, lance, path):
    data = pa.table(
        {
            "k": pa.array([1, 2, 3, 4, 5, None], pa.int64()),
            "v": list("abcdef"),
            "w": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        }
    )
    return lance.write_dataset(data, path, max_rows_per_file=3, enable_stable_row_ids=request.param)


@pytest.fixture
def source():
    """Two keys of the table, a new one, and none."""
    return pa.table(
        {"k": pa.array([2, 3, 9, None], pa.int64()), "v": list("XYZN"), "w": [20.0, 30.0, 90.0, 0.0]}
    )


def rows(table, *columns):
    return sorted(
        (tuple(row.values()) for row in table.to_table(columns=list(columns) or None).to_pylist()),
        key=repr,
    )


def counts(inserted=0, updated=0, deleted=0):
    return {
        "num_inserted_rows": inserted,
        "num_updated_rows": updated,
        "num_deleted_rows": deleted,
    }


def upsert(table, on="k"):
    return table.merge_insert(on).when_matched_update_all().when_not_matched_insert_all()


def test_upsert(table, source):
    before = dict(rows(table, "k", "_rowid"))
    assert upsert(table).execute(source) == counts(2, 2)
    assert table.version == 2
    assert rows(table, "k", "v", "w") == [
        (1, "a", 1.0),
        (2, "X", 20.0),
        (3, "Y", 30.0),
        (4, "d", 4.0),
        (5, "e", 5.0),
        (9, "Z", 90.0),
        (None, "N", 0.0),
        (None, "f", 6.0),
    ]
    after = dict(rows(table.checkout_version(2), "v", "_rowid"))
    if table.has_stable_row_ids:
        assert (after["X"], after["Y"]) == (before[2], before[3])
        assert sorted((after["Z"], after["N"])) == [6, 7]
        versions = ["v", "_row_created_at_version", "_row_last_updated_at_version"]
        assert set(rows(table, *versions)) >= {("X", 1, 2), ("Z", 2, 2), ("a", 1, 1)}
    operation = table.read_transaction(2).operation
    assert type(operation).__name__ == "Update"
    assert operation.removed_fragment_ids == []
    assert [f.id for f in operation.updated_fragments] == [0]
    assert [f.physical_rows for f in operation.new_fragments] == [4]
    assert operation.fields_for_preserving_frag_bitmap == [0, 1, 2]
    assert operation.update_mode == "rewrite_rows"
    table.validate()


def test_only_inserts(table, source):
    assert table.merge_insert("k").when_not_matched_insert_all().execute(source) == counts(2)
    assert rows(table, "v") == [(v,) for v in "NZabcdef"]


def test_only_updates(table, source):
    assert table.merge_insert("k").when_matched_update_all().execute(source) == counts(updated=2)
    assert rows(table, "v") == [(v,) for v in "XYadef"]
    assert [f.num_deletions for f in table.get_fragments()] == [2, 0, 0]


def test_all_rows_of_a_fragment(table, source):
    whole = pa.table({"k": [3, 2, 1], "v": list("ZYX"), "w": [0.0, 0.0, 0.0]})
    assert upsert(table).execute(whole) == counts(updated=3)
    assert [f.fragment_id for f in table.get_fragments()] == [1, 2]
    assert rows(table, "k", "v")[:3] == [(1, "X"), (2, "Y"), (3, "Z")]


def test_condition(table, source):
    builder = table.merge_insert("k").when_matched_update_all(
        "source.w > target.w and source.w > 25 and target._rowaddr < 100"
    )
    assert builder.when_not_matched_insert_all().execute(source) == counts(2, 1)
    assert rows(table, "v") == [(v,) for v in "NYZabdef"]


def test_matched_rows_are_deleted(table, source):
    assert table.merge_insert("k").when_matched_delete().execute(source.select(["k"])) == counts(
        deleted=2
    )
    assert rows(table, "v") == [(v,) for v in "adef"]
    builder = table.merge_insert("k").when_matched_delete().when_not_matched_insert_all()
    more = pa.table({"k": [4, 10], "v": ["4", "10"], "w": [0.0, 0.0]})
    assert builder.execute(more) == counts(1, 0, 1)
    assert rows(table, "v") == [("10",), ("a",), ("e",), ("f",)]


def test_no_row_may_match(table, source):
    builder = table.merge_insert("k").when_matched_fail().when_not_matched_insert_all()
    with pytest.raises(OSError, match="found matching row with key values: k = 2"):
        builder.execute(source)
    assert table.latest_version == 1
    assert builder.execute(source.slice(2)) == counts(2)


def test_unmatched_rows_of_the_table(table, source):
    """A null key matches nothing, so that its row goes."""
    builder = table.merge_insert("k").when_not_matched_by_source_delete()
    assert builder.execute(source) == counts(deleted=4)
    assert rows(table, "k") == [(2,), (3,)]
    assert [f.fragment_id for f in table.get_fragments()] == [0]


def test_unmatched_rows_of_the_table_by_condition(table, source):
    builder = upsert(table).when_not_matched_by_source_delete("w > 4 and k is not null")
    assert builder.execute(source) == counts(2, 2, 1)
    assert rows(table, "v") == [(v,) for v in "NXYZadf"]
    with pytest.raises(ValueError):
        upsert(table).when_not_matched_by_source_delete("nope > 4")


def test_source_without_some_columns(table, source):
    assert upsert(table).execute(source.select(["v", "k"])) == counts(2, 2)
    assert rows(table, "k", "v", "w")[1:3] == [(2, "X", 2.0), (3, "Y", 3.0)]
    assert rows(table, "v", "w")[0:4] == [("N", None), ("X", 2.0), ("Y", 3.0), ("Z", None)]
    assert {tuple(d.fields) for f in table.get_fragments() for d in f.data_files()} == {(0, 1, 2)}
    table.validate()


def test_source_without_members(lance, path):
    data = pa.table({"k": [1, 2], "s": [{"a": 1, "b": "x"}, {"a": 3, "b": "y"}], "v": [1, 2]})
    table = lance.write_dataset(data, path)
    members = pa.table({"k": [1, 5], "s": [{"a": 10}, {"a": 7}]})
    assert upsert(table).execute(members) == counts(1, 1)
    assert sorted(table.to_table().to_pylist(), key=lambda row: row["k"]) == [
        {"k": 1, "s": {"a": 10, "b": "x"}, "v": 1},
        {"k": 2, "s": {"a": 3, "b": "y"}, "v": 2},
        {"k": 5, "s": {"a": 7, "b": None}, "v": None},
    ]
    table.validate()


def test_missing_columns_that_may_not_be_null(lance, path):
    schema = pa.schema([pa.field("k", pa.int64(), False), pa.field("v", pa.string(), False), ("w", pa.int64())])
    table = lance.write_dataset(pa.table({"k": [1, 2], "v": ["a", "b"], "w": [1, 2]}, schema=schema), path)
    some = pa.table({"k": [1, 9], "w": [5, 6]})
    with pytest.raises(OSError):
        upsert(table).execute(some)
    assert table.merge_insert("k").when_matched_update_all().execute(some) == counts(updated=1)
    assert rows(table) == [(1, "a", 5), (2, "b", 2)]
    with pytest.raises(OSError):
        upsert(table).execute(pa.table({"k": [9], "v": pa.array([None], pa.string())}))
    assert upsert(table).execute(pa.table({"k": [9], "v": ["c"], "w": [1]})) == counts(1)


def test_no_rows_miss_no_column(lance, path):
    schema = pa.schema([pa.field("k", pa.int64()), pa.field("v", pa.string(), nullable=False)])
    table = lance.write_dataset(pa.table({"k": [1], "v": ["a"]}, schema=schema), path)
    nothing = pa.table({"k": pa.array([], pa.int64())})
    assert upsert(table).execute(nothing) == counts(0, 0)
    assert table.to_table().to_pylist() == [{"k": 1, "v": "a"}]


@pytest.mark.parametrize("clause", ["when_matched_update_all", "when_matched_delete"])
def test_two_rows_of_the_source_for_one(table, clause):
    twice = pa.table({"k": [2, 2], "v": ["X", "Y"], "w": [20.0, 30.0]})
    builder = getattr(table.merge_insert("k"), clause)()
    with pytest.raises(OSError, match=r"Ambiguous merge inserts .* \(k = 2\)"):
        builder.execute(twice)
    assert table.latest_version == 1


def test_two_rows_of_the_source_of_which_one_counts(table):
    twice = pa.table({"k": [2, 2, 7, 7], "v": list("XYAB"), "w": [20.0, 30.0, 0.0, 0.0]})
    builder = table.merge_insert("k").when_matched_update_all("source.w > 25")
    assert builder.execute(twice) == counts(updated=1)
    assert rows(table, "v") == [(v,) for v in "Yacdef"]
    assert table.merge_insert("k").when_not_matched_insert_all().execute(twice) == counts(2)
    assert rows(table, "v") == [(v,) for v in "ABYacdef"]


def test_permuted_columns_with_a_repeated_key(table, source):
    permuted = source.select(["w", "v", "k"])
    with pytest.raises(OSError, match="Ambiguous"):
        upsert(table).execute(pa.concat_tables([permuted, permuted]))
    assert upsert(table).execute(permuted) == counts(2, 2)
    assert (2, "X", 20.0) in rows(table)


def test_one_row_of_the_source_for_two(lance, path):
    table = lance.write_dataset({"k": [1, 1, 2], "v": ["a", "b", "c"]}, path)
    assert upsert(table).execute({"k": [1], "v": ["X"]}) == counts(updated=2)
    assert rows(table) == [(1, "X"), (1, "X"), (2, "c")]
    assert table.merge_insert("k").when_matched_delete().execute({"k": [1]}) == counts(deleted=2)


def test_nothing_to_do_is_a_version_too(table, source):
    assert upsert(table).execute(source.slice(0, 0)) == counts()
    builder = table.merge_insert("k").when_matched_update_all()
    assert builder.execute(source.slice(2)) == counts()
    assert table.version == 3
    assert [f.num_deletions for f in table.get_fragments()] == [0, 0]
    builder = table.merge_insert("k").when_not_matched_by_source_delete()
    assert builder.execute(source.slice(0, 0)) == counts(deleted=6)
    assert table.get_fragments() == []
    assert upsert(table).execute(source) == counts(4)


def test_several_keys(table):
    both = pa.table(
        {
            "k": pa.array([2, 3, 9, None], pa.int64()),
            "v": list("bYZf"),
            "w": [20.0, 30.0, 90.0, 0.0],
        }
    )
    assert upsert(table, ["k", "v"]).execute(both) == counts(3, 1)
    assert (2, "b", 20.0) in rows(table) and (2, "b", 2.0) not in rows(table)
    assert rows(table, "v").count(("f",)) == 2


@pytest.mark.parametrize(
    "target, keys, matched",
    [
        (pa.array([NAN, -0.0, 1.0, None]), pa.array([NAN, 0.0, None]), 1),
        (pa.array([1.5, 2], pa.float16()), pa.array([1.5], pa.float16()), 1),
        (pa.array([True, False, None]), pa.array([True]), 1),
        (pa.array([b"a", b"", None]), pa.array([b"", None]), 1),
        (pa.array(["a", "ab", ""]), pa.array(["ab", "b", ""]), 2),
        (pa.array(["a", "b"], pa.large_string()), pa.array(["b"], pa.large_string()), 1),
        (pa.array([1, -2], pa.int8()), pa.array([-2], pa.int8()), 1),
        (pa.array([1, 2], pa.uint16()), pa.array([2], pa.uint16()), 1),
        (pa.array([1, 2], pa.date32()), pa.array([2], pa.date32()), 1),
        (pa.array([1, 2], pa.timestamp("us", "UTC")), pa.array([2], pa.timestamp("us", "UTC")), 1),
        (pa.array([1, 2], pa.time32("s")), pa.array([2], pa.time32("s")), 1),
        (pa.array([1, 2], pa.duration("s")), pa.array([2], pa.duration("s")), 1),
        (pa.array([1, 2], pa.decimal128(20, 2)), pa.array([2], pa.decimal128(20, 2)), 1),
        (pa.array([b"aa", b"bb"], pa.binary(2)), pa.array([b"bb"], pa.binary(2)), 1),
        (pa.array([b"aaa", b"bbb"], pa.binary(3)), pa.array([b"bbb"], pa.binary(3)), 1),
        (pa.array([[1], [2, 3], []]), pa.array([[2, 3], []]), 2),
        (pa.array([{"a": 1}, {"a": 2}]), pa.array([{"a": 2}]), 1),
        (
            pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float32(), 2)),
            pa.array([[3.0, 4.0]], pa.list_(pa.float32(), 2)),
            1,
        ),
        (
            pa.array(["a", "b", None]).dictionary_encode(),
            pa.array(["z", "b"]).dictionary_encode(),
            1,
        ),
        (pa.array([None, None], pa.null()), pa.array([None], pa.null()), 0),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else str(value),
)
def test_types_of_keys(lance, path, target, keys, matched):
    table = lance.write_dataset(pa.table({"k": target, "v": range(len(target))}), path)
    data = pa.table({"k": keys, "v": range(100, 100 + len(keys))})
    assert upsert(table).execute(data) == counts(len(keys) - matched, matched)
    assert table.count_rows() == len(target) + len(keys) - matched


def test_json_and_blobs(lance, path):
    blob = {"lance-encoding:blob": "true"}
    schema = pa.schema(
        [("k", pa.int64()), ("j", pa.json_()), pa.field("b", pa.large_binary(), metadata=blob)]
    )

    def data(keys, texts, blobs):
        json = pa.array(texts, pa.string()).cast(pa.json_())
        return pa.table([pa.array(keys), json, pa.array(blobs, pa.large_binary())], schema=schema)

    table = lance.write_dataset(
        data([1, 2, 3], ['{"a": 1}', "[]", None], [b"1", b"2" * 1000, None]),
        path,
        data_storage_version="2.1",
    )
    assert upsert(table).execute(data([2, 4], ['{"b": 2}', "4"], [b"two", b""])) == counts(1, 1)
    assert upsert(table).execute(data([3], ["3"], [b"3"]).select(["k", "j"])) == counts(0, 1)
    assert sorted(table.to_table(columns=["k", "j"]).to_pylist(), key=lambda row: row["k"]) == [
        {"k": 1, "j": '{"a":1}'},
        {"k": 2, "j": '{"b":2}'},
        {"k": 3, "j": "3"},
        {"k": 4, "j": "4"},
    ]
    keys = table.to_table(columns=["k"])["k"].to_pylist()
    blobs = table.take_blobs("b", indices=range(4))
    assert {key: file and file.read() for key, file in zip(keys, blobs)} == {
        1: b"1",
        2: b"two",
        3: None,
        4: b"",
    }


def test_wrong_sources_and_keys(table, source):
    for on in ("nope", ["k", "nope"], [], None):
        with pytest.raises(ValueError):
            table.merge_insert(on)
    with pytest.raises(ValueError, match="not configured"):
        table.merge_insert("k").execute(source)
    wrong = [
        source.drop_columns(["k"]),
        source.append_column("z", source["w"]),
        source.set_column(0, "k", source["k"].cast(pa.int32())),
        source.set_column(1, "v", source["v"].cast(pa.binary())),
    ]
    for data in wrong:
        with pytest.raises(OSError):
            upsert(table).execute(data)
    for condition in ("w > 2", "source.nope > 1", "source.w +", "source.v"):
        with pytest.raises(OSError):
            table.merge_insert("k").when_matched_update_all(condition).execute(source)
    assert table.latest_version == 1


def test_what_else_keys_may_be_called(table, source):
    assert upsert(table, "K").execute(source) == counts(2, 2)
    assert upsert(table, ("k", "k")).execute(source.slice(0, 3)) == counts(0, 3)


def test_the_last_word_about_matched_rows_counts(table, source):
    builder = table.merge_insert("k").when_matched_fail().when_matched_update_all()
    assert builder.execute(source) == counts(updated=2)
    builder = table.merge_insert("k").when_matched_update_all().when_matched_delete()
    assert builder.execute(source) == counts(deleted=2)


def test_sources_of_many_kinds(table, source):
    batches = source.to_batches(max_chunksize=1)
    reader = pa.RecordBatchReader.from_batches(source.schema, batches)
    assert upsert(table).execute(reader) == counts(2, 2)
    assert upsert(table).execute(iter(batches[:3]), schema=source.schema) == counts(0, 3)
    assert upsert(table).execute(batches[0]) == counts(0, 1)


def test_uncommitted(lance, table, source):
    transaction, stats = upsert(table).execute_uncommitted(source)
    assert stats == counts(2, 2)
    assert table.latest_version == 1
    committed = lance.LanceDataset.commit(table, transaction)
    assert (committed.version, committed.count_rows()) == (2, 8)
    assert rows(committed, "v") == [(v,) for v in "NXYZadef"]
    committed.validate()


# Two handles of one version.


def key_schema():
    key = {"lance-schema:unenforced-primary-key": "true"}
    return pa.schema([pa.field("k", pa.int64(), False, key), ("v", pa.string())])


def keyed(*keys):
    return pa.table({"k": list(keys), "v": [str(key) for key in keys]}, schema=key_schema())


@pytest.fixture
def twins(lance, path):
    """Two handles of a table with the primary key k = 1, 2, 3."""
    table = lance.write_dataset(keyed(1, 2, 3), path, max_rows_per_file=2)
    return table, lance.dataset(path)


def once(table, on="k"):
    return upsert(table, on).conflict_retries(0)


def test_primary_key_is_the_default(twins):
    first, _ = twins
    assert upsert(first, None).execute(keyed(3, 4)) == counts(1, 1)


def test_the_same_new_key_twice(twins):
    first, second = twins
    assert upsert(first).execute(keyed(7)) == counts(1)
    with pytest.raises(OSError):
        once(second).execute(keyed(7))
    assert upsert(second).retry_timeout(timedelta(seconds=60)).execute(keyed(7)) == counts(0, 1)
    assert rows(second, "k") == [(1,), (2,), (3,), (7,)]


def test_other_new_keys(twins):
    first, second = twins
    assert upsert(first).execute(keyed(7)) == counts(1)
    assert once(second).execute(keyed(8)) == counts(1)
    assert rows(second, "k") == [(1,), (2,), (3,), (7,), (8,)]


def test_an_append_meanwhile(lance, twins):
    first, second = twins
    lance.write_dataset(keyed(7), first.uri, mode="append")
    with pytest.raises(OSError):
        once(second).execute(keyed(7))
    assert upsert(second).execute(keyed(7)) == counts(0, 1)


def test_the_same_row_twice(twins):
    first, second = twins
    upsert(first).execute(keyed(1))
    with pytest.raises(OSError):
        once(second).execute(keyed(1))
    assert once(second).execute(keyed(2)) == counts(0, 1)
    assert rows(second) == [(1, "1"), (2, "2"), (3, "3")]


def test_a_row_deleted_meanwhile(twins):
    first, second = twins
    first.delete("k = 1")
    with pytest.raises(OSError):
        once(second).execute(keyed(1))
    assert upsert(second).execute(keyed(1)) == counts(1)


def test_another_row_deleted_meanwhile(twins):
    first, second = twins
    first.delete("k = 2")
    assert once(second).execute(keyed(1)) == counts(0, 1)
    assert rows(second, "k") == [(1,), (3,)]


def test_all_rows_deleted_meanwhile(twins):
    first, second = twins
    first.delete("true")
    with pytest.raises(OSError):
        once(second).execute(keyed(1))
    assert upsert(second).execute(keyed(1)) == counts(1)


def test_other_keys_than_the_primary_one(lance, path):
    """The reference watches the primary key only, and inserts both rows."""
    lance.write_dataset({"k": [1], "v": ["a"]}, path)
    first, second = lance.dataset(path), lance.dataset(path)
    assert once(first).execute({"k": [7], "v": ["b"]}) == counts(1)
    if lance.__name__ == "lance":
        assert once(second).execute({"k": [7], "v": ["c"]}) == counts(1)
        assert rows(second, "k") == [(1,), (7,), (7,)]
        return
    with pytest.raises(OSError):
        once(second).execute({"k": [7], "v": ["c"]})
    assert upsert(second).execute({"k": [7], "v": ["c"]}) == counts(0, 1)
    assert rows(second) == [(1, "a"), (7, "c")]


def test_compaction_meanwhile(twins):
    first, second = twins
    first.optimize.compact_files()
    with pytest.raises(OSError):
        once(second).execute(keyed(1))
    assert upsert(second).execute(keyed(1)) == counts(0, 1)


def test_an_overwrite_meanwhile(lance, twins):
    first, second = twins
    lance.write_dataset(keyed(7), first.uri, mode="overwrite")
    with pytest.raises(OSError, match="incompatible"):
        upsert(second).execute(keyed(1))


def test_plans(table, source):
    builder = upsert(table).when_not_matched_by_source_delete("w > 4")
    line = (
        "on=[k], when_matched=UpdateAll, when_not_matched=InsertAll, when_not_matched_by_source="
    )
    assert line in builder.explain_plan()
    analyzed = builder.analyze_plan(source)
    assert "num_inserted_rows=2" in analyzed and "num_updated_rows=2" in analyzed
    assert table.latest_version == 1
    assert upsert(table).execute(source) == counts(2, 2)


VECTORS = pa.list_(pa.list_(pa.int16(), 2), 2)


@pytest.mark.parametrize("wrap", [False, True], ids=["plain", "in_struct"])
def test_slices_of_nested_vectors(lance, path, wrap):
    vectors = pa.array([[[i, 1], [2, 3]] for i in range(8)], VECTORS)
    column = pa.StructArray.from_arrays([vectors], ["f"]) if wrap else vectors
    data = pa.table({"id": pa.array(range(8), pa.int64()), "c": column})
    table = lance.write_dataset(data, path)
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(data.slice(3, 4))
    assert table.to_table().sort_by("id").equals(data)
    right = data.slice(2, 4).rename_columns(["k", "joined"])
    table.merge(right, "id", "k")
    expected = [None, None, *column.slice(2, 4).to_pylist(), None, None]
    assert table.to_table().sort_by("id")["joined"].to_pylist() == expected


@pytest.mark.parametrize("stable", [False, True])
def test_blobs_stay_where_the_source_has_none(lance, path, stable):
    values = [b"a", None, b"", b"x" * 70000]
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("b"), pa.field("m", pa.string())])
    data = pa.table([pa.array([1, 2, 3, 4], pa.int64()), lance.blob_array(values), pa.array(["q"] * 4)], schema=schema)
    table = lance.write_dataset(data, path, data_storage_version="2.2", enable_stable_row_ids=stable)
    source = pa.table({"id": pa.array([1, 4, 9], pa.int64()), "m": ["Z"] * 3})
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)
    found = table.to_table(columns=["id", "m"]).to_pylist()
    blobs = table.take_blobs("b", indices=list(range(len(found))))
    read = {row["id"]: (row["m"], blob and blob.readall()) for row, blob in zip(found, blobs)}
    assert read == {1: ("Z", values[0]), 2: ("q", None), 3: ("q", b""), 4: ("Z", values[3]), 9: ("Z", None)}


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_dictionaries_without_items(lance, path, version):
    """Of columns, or parts of them, that are null throughout."""
    type_ = pa.dictionary(pa.int8(), pa.string())
    nulls = pa.table({"id": [1, 2], "d": pa.array([None, None], type_)})
    table = lance.write_dataset(nulls, path, data_storage_version=version)
    assert table.to_table()["d"].to_pylist() == [None, None]
    words = pa.table({"id": [3, 4], "d": pa.array(["a", "b"], type_)})
    table = lance.write_dataset(words, path, mode="append")
    table.update({"d": "NULL"}, where="id = 3")
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(pa.table({"id": [4, 5]}))
    table.optimize.compact_files()
    read = {row["id"]: row["d"] for row in table.to_table().to_pylist()}
    assert read == {1: None, 2: None, 3: None, 4: "b", 5: None}


@pytest.mark.parametrize("version", ["2.0", "2.2"])
def test_views_are_joined(lance, path, version):
    table = lance.write_dataset(pa.table({"id": [1, 2, 3]}), path, data_storage_version=version)
    right = pa.table({"k": [3, 1], "w": pa.array(["a", None], pa.string_view())})
    table.merge(right, "id", "k")
    assert table.to_table()["w"].to_pylist() == [None, None, "a"]
    assert table.schema.field("w").type == pa.string()
