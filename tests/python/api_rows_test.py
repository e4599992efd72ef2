"""Rows deleted and updated by conditions."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.compute as pc
import pytest


@pytest.fixture(params=[False, True], ids=["addresses", "stable"])
def table(request, lance, path):
    data = pa.table({"id": range(10), "x": [i / 2 for i in range(10)], "s": list("abcdefghij")})
    return lance.write_dataset(
        data, path, max_rows_per_file=4, enable_stable_row_ids=request.param
    )


def ids(table):
    return table.to_table(columns=["id"])["id"].to_pylist()


def test_delete(table):
    assert table.delete("id >= 3 AND s <> 'e'") == {"num_deleted_rows": 6}
    assert ids(table) == [0, 1, 2, 4]
    assert table.delete("false") == {"num_deleted_rows": 0}
    assert table.version == 3  # nothing deleted is a version too
    assert table.delete("id IN (0, 1, 2)") == {"num_deleted_rows": 3}
    assert [f.fragment_id for f in table.get_fragments()] == [1]
    assert table.delete("true") == {"num_deleted_rows": 1}
    assert table.count_rows() == 0


def test_delete_by_wrong_conditions(table):
    for condition in ("nope = 1", "", "id =", "id"):
        with pytest.raises(OSError):
            table.delete(condition)
    assert table.latest_version == 1


def test_delete_by_row_numbers(table):
    assert table.delete("_rowaddr >= 4294967296 AND _rowaddr < 8589934592") == {
        "num_deleted_rows": 4
    }
    assert ids(table) == [0, 1, 2, 3, 8, 9]
    third = table.to_table(columns=["_rowid"])["_rowid"].to_pylist()[2]
    assert table.delete(f"_rowid = {third}") == {"num_deleted_rows": 1}
    assert ids(table) == [0, 1, 3, 8, 9]


def test_conditions_as_expressions(table):
    assert table.delete(pc.field("id") > 6) == {"num_deleted_rows": 3}
    updated = table.update({"x": "0"}, where=(pc.field("s") == "a") | pc.field("x").is_null())
    assert updated == {"num_rows_updated": 1}
    assert table.to_table(filter="x = 0")["id"].to_pylist() == [0]
    assert "id" in table.read_transaction(2).operation.predicate


@pytest.mark.parametrize("type_", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.large_string(), pa.large_binary()], ids=str)
def test_conditions_on_types_that_only_arrow_has(lancecpp, path, type_):
    texts = pa.array(["1", "5", None, "200"])
    column = texts.cast(type_)
    narrow = texts.cast(pa.uint8() if pa.types.is_integer(type_) else pa.string())
    rows = pa.table({"id": range(4), "x": column, "narrow": narrow, "n": [0] * 4})
    table = lancecpp.write_dataset(rows, path)
    x = pc.field("x")
    assert table.update({"n": "7"}, where=x == column[1]) == {"num_rows_updated": 1}
    assert table.to_table(filter="n = 7")["id"].to_pylist() == [1]
    for condition in (x.isin([column[0].as_py(), column[3].as_py()]), (x == column[0]) | (x >= column[3])):
        assert table.count_rows(condition) == rows.filter(condition).num_rows
        assert "PyArrowFilter" not in table.scanner(filter=condition).explain_plan()
    if type_ != pa.large_binary():
        assert table.delete(pc.field("narrow") < x) == {"num_deleted_rows": 0}
    assert table.delete(~(x == column[0])) == {"num_deleted_rows": 2}
    assert ids(table) == [0, 2]


def test_deletion_files_pile_up(table):
    """Each holds all deletions of its fragment."""
    for id in (0, 1, 2):
        table.delete(f"id = {id}")
    (fragment,) = [f for f in table.get_fragments() if f.fragment_id == 0]
    assert fragment.num_deletions == 3
    assert fragment.metadata.deletion_file.read_version == 3
    table.delete("id = 3")
    assert [f.fragment_id for f in table.get_fragments()] == [1, 2]
    table.validate()


def test_update(table):
    before = {r["id"]: r["_rowid"] for r in table.to_table(columns=["id", "_rowid"]).to_pylist()}
    assert table.update({"x": "x * 10", "s": "upper(s)"}, where="id % 4 = 1") == {
        "num_rows_updated": 3
    }
    rows = {row["id"]: row for row in table.to_table().to_pylist()}
    assert rows[5] == {"id": 5, "x": 25.0, "s": "F"}
    assert rows[4] == {"id": 4, "x": 2.0, "s": "e"}
    assert ids(table) == [0, 2, 3, 4, 6, 7, 8, 1, 5, 9]
    if table.has_stable_row_ids:
        after = table.to_table(columns=["id", "_rowid"]).to_pylist()
        assert {r["id"]: r["_rowid"] for r in after} == before
        changed = table.delta(compared_against=1).get_updated_rows().read_all()
        assert sorted(changed["id"].to_pylist()) == [1, 5, 9]
    assert table.update({"s": "'z'"})["num_rows_updated"] == 10


@pytest.mark.parametrize(
    "column, sql, expected",
    [
        ("i8", "1.5", 1),
        ("i8", "'3'", 3),
        ("f", "k", 2.0),
        ("f", "'1.5'", 1.5),
        ("s", "k", "2"),
        ("s", "1.5", "1.5"),
        ("d", "'2020-01-01'", datetime.date(2020, 1, 1)),
        ("d", "ts", datetime.date(1970, 1, 1)),
        ("ts", "d", datetime.datetime(1970, 1, 2)),
        ("b", "1", True),
        ("b", "'true'", True),
        ("dc", "1.234", decimal.Decimal("1.23")),
        ("dc", "k", decimal.Decimal("2.00")),
        ("di", "'zz'", "zz"),
        ("di", "s", "a"),
        ("vec", "[3.0, 4.0]", [3.0, 4.0]),
        ("vec", "[1, 2]", [1.0, 2.0]),
        ("bin", "'abc'", b"abc"),
        ("bin", "X'00FF'", b"\x00\xff"),
        ("ls", "s", "a"),
        ("l", "[1, 2]", [1, 2]),
        ("l", "null", None),
        ("k", "null", None),
    ],
)
def test_values_are_cast(lance, path, column, sql, expected):
    row = {
        "k": pa.array([2], pa.int64()),
        "i8": pa.array([1], pa.int8()),
        "f": pa.array([1.0], pa.float32()),
        "s": ["a"],
        "d": pa.array([1], pa.date32()),
        "ts": pa.array([1], pa.timestamp("us")),
        "b": pa.array([False]),
        "dc": pa.array([5], pa.decimal128(10, 2)),
        "di": pa.array(["a"]).dictionary_encode(),
        "vec": pa.array([[1.0, 2.0]], pa.list_(pa.float32(), 2)),
        "bin": [b"x"],
        "ls": pa.array(["x"], pa.large_string()),
        "l": [[7]],
    }
    table = lance.write_dataset(pa.table(row), path)
    assert table.update({column: sql}) == {"num_rows_updated": 1}
    assert table.to_table()[column].to_pylist() == [expected]
    assert table.schema.field(column).type == pa.table(row).schema.field(column).type
    table.validate()


@pytest.mark.parametrize("sql", ["300", "k * 1000", "'x'", "cast('x' as int)"])
def test_values_that_do_not_fit(lance, path, sql):
    table = lance.write_dataset({"k": [1, 2]}, path)
    table.alter_columns({"path": "k", "data_type": pa.int8()})
    with pytest.raises((ValueError, OSError)):
        table.update({"k": sql})
    assert table.latest_version == 2


def test_nulls_where_none_may_be(lance, path):
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False)])
    table = lance.write_dataset(pa.table({"k": [1, 2]}, schema=schema), path)
    with pytest.raises(OSError):
        table.update({"k": "nullif(k, 1)"})
    assert table.latest_version == 1


def test_update_of_nested_columns(lance, path):
    data = pa.table({"k": [1, 2], "s": [{"a": 1, "b": [1]}, None], "v": [[1], []]})
    table = lance.write_dataset(data, path)
    table.update({"v": "make_array(s.a)"}, where="k = 1")
    assert table.to_table().to_pylist() == [
        {"k": 2, "s": None, "v": []},
        {"k": 1, "s": {"a": 1, "b": [1]}, "v": [1]},
    ]
    operation = table.read_transaction(2).operation
    assert operation.fields_for_preserving_frag_bitmap == [5, 6]
    with pytest.raises(ValueError):
        table.update({"s.a": "1"})


def test_update_in_another_version(lance, path):
    table = lance.write_dataset({"k": [1, 2]}, path, data_storage_version="2.1")
    table.update({"k": "k + 1"}, where="k = 1", data_storage_version="2.2")
    versions = [f.data_files()[0].file_minor_version for f in table.get_fragments()]
    assert versions == [1, 2]
    assert table.to_table()["k"].to_pylist() == [2, 2]


def test_blobs_stay(lance, path):
    blob = {"lance-encoding:blob": "true"}
    schema = pa.schema([("k", pa.int64()), pa.field("b", pa.large_binary(), metadata=blob)])
    data = pa.table({"k": [1, 2, 3], "b": [b"one", b"two" * 1000, None]}, schema=schema)
    table = lance.write_dataset(data, path, data_storage_version="2.1")
    table.delete("k = 1")
    table.update({"k": "k + 10"}, where="k = 2")
    assert table.to_table(columns=["k"])["k"].to_pylist() == [3, 12]
    assert [blob and blob.read() for blob in table.take_blobs("b", indices=[0, 1])] == [
        None,
        b"two" * 1000,
    ]


def test_wrong_updates(table):
    wrong = [
        ({}, None),
        ({"nope": "1"}, None),
        ({"X": "1"}, None),
        ({"x": "nope"}, None),
        ({"x": "x +"}, None),
        ({"x": "_rowid"}, None),
        ({"x": "1"}, "nope"),
        ({"x": "1"}, "x"),
    ]
    for updates, where in wrong:
        # What is wrong with a condition the reference may notice late.
        with pytest.raises(ValueError if where is None else (ValueError, OSError)):
            table.update(updates, where)
    assert table.latest_version == 1


# Two handles of one version.


@pytest.fixture
def twins(lance, table):
    return table, lance.dataset(table.uri)


def test_deleted_twice(twins):
    first, second = twins
    first.delete("id = 1")
    with pytest.raises(OSError):
        second.delete("id IN (1, 2)", conflict_retries=0)
    assert second.delete("id IN (1, 2)") == {"num_deleted_rows": 1}
    assert ids(second) == [0, 3, 4, 5, 6, 7, 8, 9]


def test_other_rows_of_the_same_fragment(twins):
    first, second = twins
    first.delete("id = 1")
    assert second.delete("id = 2", conflict_retries=0) == {"num_deleted_rows": 1}
    third = second.checkout_version(1)
    assert third.update({"x": "-1"}, "id = 0", conflict_retries=0) == {"num_rows_updated": 1}
    assert ids(third) == [3, 4, 5, 6, 7, 8, 9, 0]
    third.validate()


def test_updated_and_deleted(twins):
    first, second = twins
    first.update({"x": "x + 100"}, "id = 1")
    with pytest.raises(OSError):
        second.delete("x > 100 OR id = 1", conflict_retries=0)
    assert second.delete("x > 100") == {"num_deleted_rows": 0}  # of version 1
    assert second.delete("x > 100") == {"num_deleted_rows": 1}


def test_updated_twice(twins):
    first, second = twins
    first.update({"s": "concat(s, '1')"}, "id = 1")
    assert second.update({"s": "concat(s, '2')"}, "id = 1") == {"num_rows_updated": 1}
    assert second.to_table(filter="id = 1")["s"].to_pylist() == ["b12"]


def test_whole_fragments_at_once(twins):
    first, second = twins
    first.delete("id < 2")
    assert second.delete("id IN (2, 3)", conflict_retries=0) == {"num_deleted_rows": 2}
    assert [f.fragment_id for f in second.get_fragments()] == [1, 2]


def test_deleted_after_an_overwrite(lance, twins):
    first, second = twins
    lance.write_dataset({"id": [1]}, first.uri, mode="overwrite")
    with pytest.raises(OSError, match="incompatible"):
        second.delete("id = 1")


def test_both_read_it(pylance, lancecpp, path):
    data = pa.table({"id": range(100), "s": [str(i) for i in range(100)]})
    lancecpp.write_dataset(data, path, max_rows_per_file=30, enable_stable_row_ids=True)
    for lance in (lancecpp, pylance, lancecpp):
        lance.dataset(path).delete(f"id % 7 = {2 if lance is pylance else 1}")
        lance.dataset(path).update({"s": "concat(s, '!')"}, where="id < 50")
    columns = ["id", "s", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    ours = lancecpp.dataset(path).to_table(columns=columns)
    assert ours.to_pylist() == pylance.dataset(path).to_table(columns=columns).to_pylist()
    pylance.dataset(path).validate()
