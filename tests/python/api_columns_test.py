"""What columns are after they were added or cast."""

import pyarrow as pa
import pytest

# Members of structs.


@pytest.fixture
def nested(lance, path):
    rows = [{"a": 1, "n": {"x": 1}}, None, {"a": 3, "n": None}]
    data = pa.table({"id": [1, 2, 3], "st": rows, "l": [[{"q": 1}], [], None]})
    return lance.write_dataset(data, path, max_rows_per_file=2)


def member(*path, type=pa.int32()):
    """A schema with one field at the path below structs."""
    for name in reversed(path[1:]):
        type = pa.struct([pa.field(name, type)])
    return pa.schema([pa.field(path[0], type)])


def test_new_members_are_null(lance, pylance, nested):
    nested.add_columns(member("st", "zz"))
    nested.add_columns(member("st", "n", "y", type=pa.string()))
    assert nested.version == 3
    expected = [{"a": 1, "n": {"x": 1, "y": None}, "zz": None}, None, {"a": 3, "n": None, "zz": None}]
    for read in (nested, pylance.dataset(nested.uri)):
        assert read.to_table(columns=["st"])["st"].to_pylist() == expected
    new = {"a": 4, "n": {"x": 4, "y": "four"}, "zz": 4}
    nested.insert(pa.table({"id": [4], "st": [new], "l": [[{"q": 4}]]}, schema=nested.schema))
    nested.update({"id": "id + 10"}, where="st.zz IS NULL")
    nested.optimize.compact_files()
    for read in (nested, pylance.dataset(nested.uri)):
        rows = read.to_table().sort_by("id").to_pylist()
        assert [row["id"] for row in rows] == [4, 11, 12, 13]
        assert [row["st"] for row in rows] == [new, *expected]


def test_new_members_of_items_are_null(lance, pylance, nested):
    nested.add_columns(pa.schema([pa.field("l", pa.list_(pa.struct([("w", pa.int8())])))]))
    for read in (nested, pylance.dataset(nested.uri)):
        assert read.to_table()["l"].to_pylist() == [[{"q": 1, "w": None}], [], None]


def test_new_members_that_are_none(lance, nested):
    for schema in (
        member("st", "a", type=pa.int64()),
        member("st", "a"),
        member("st", "n", "x", type=pa.string()),
        pa.schema([pa.field("st", pa.int32())]),
        member("id", "zz"),
        pa.schema([pa.field("st", pa.struct([("k", pa.int8())]), nullable=False)]),
    ):
        with pytest.raises(OSError, match="already exists|Type conflicts|must be nullable"):
            nested.add_columns(schema)
    assert nested.latest_version == 1


def test_new_members_in_other_versions_of_files(lancecpp, pylance, path):
    table = lancecpp.write_dataset({"st": [{"a": 1}]}, path, data_storage_version="2.1")
    table.add_columns(member("st", "zz"))
    for read in (table, pylance.dataset(path)):
        assert read.to_table().to_pylist() == [{"st": {"a": 1, "zz": None}}]
    with pytest.raises(OSError, match="must be nullable.*st.b"):
        table.add_columns(pa.schema([pa.field("st", pa.struct([pa.field("b", pa.int8(), False)]))]))
    old = lancecpp.write_dataset({"st": [{"a": 1}]}, path + "0", data_storage_version="2.0")
    with pytest.raises(OSError, match="2.1 or later"):
        old.add_columns(member("st", "zz"))


# Nullability of what SQL computes.

NEVER_NULL = (
    "1", "'a'", "id", "id + 1", "-id", "id = 1", "id > 1 AND b", "NOT b", "x IS NULL", "x IS NOT NULL",
    "coalesce(x, 1)", "coalesce(x, id)", "CAST(id AS string)", "s LIKE 'a%'", "id IN (1, 2)",
    "id BETWEEN 1 AND 2", "st.m", "l", "s || 'a'", "round(f)", "date_trunc('day', t)",
    "date_part('year', t)", "starts_with(s, 'a')", "regexp_like(s, 'a')", "strpos(s, 'a')",
)  # fmt: skip
PERHAPS_NULL = (
    "NULL", "x", "x + 1", "id + x", "x = 1", "b OR x = 1", "coalesce(x, x)", "nullif(id, 7)",
    "try_cast(s AS int)", "lower(s)", "x IN (1, 2)", "l[1]", "strpos(n, 'a')", "s || n", "abs(id)",
)  # fmt: skip


@pytest.fixture
def typed(lance, path):
    member = pa.field("m", pa.int32(), False)
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), False),
            pa.field("x", pa.int64()),
            pa.field("f", pa.float64(), False),
            pa.field("s", pa.string(), False),
            pa.field("n", pa.string()),
            pa.field("b", pa.bool_(), False),
            pa.field("t", pa.timestamp("us"), False),
            pa.field("l", pa.list_(pa.int32()), False),
            pa.field("st", pa.struct([member]), False),
        ]
    )
    row = {"id": 1, "x": None, "f": 1.5, "s": "a", "n": None, "b": True, "t": 0, "l": [1], "st": {"m": 1}}
    return lance.write_dataset(pa.Table.from_pylist([row], schema=schema), path)


def test_nullability_of_what_is_computed(typed):
    expressions = NEVER_NULL + PERHAPS_NULL
    columns = {f"c{number}": sql for number, sql in enumerate(expressions)}
    shown = typed.to_table(columns=columns).schema
    typed.add_columns(columns)
    for name, sql in columns.items():
        assert typed.schema.field(name).nullable == (sql in PERHAPS_NULL), sql
        assert shown.field(name).nullable == (sql in PERHAPS_NULL), sql


def test_rows_without_a_new_column_that_is_never_null(lance, typed):
    """They can't come after it."""
    stale = lance.dataset(typed.uri)
    rows = typed.to_table()
    typed.add_columns({"z": "id + 1"})
    with pytest.raises(OSError, match="(?i)preempted"):
        lance.write_dataset(rows, stale, mode="append")


# Metadata of a column that is cast.


def test_a_cast_drops_what_was_said_of_the_old_values(lance, path):
    inner = pa.field("m", pa.int32(), metadata={"a": "b"})
    extension = {"ARROW:extension:name": "some.thing", "x": "y"}
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), metadata={"a": "b"}),
            pa.field("l", pa.list_(pa.field("item", pa.int32())), metadata={"a": "b"}),
            pa.field("st", pa.struct([inner]), metadata={"q": "r"}),
            pa.field("e", pa.string(), metadata=extension),
        ],
        metadata={"s": "m"},
    )
    data = pa.table({"id": [1], "l": [[1]], "st": [{"m": 1}], "e": ["x"]}, schema=schema)
    table = lance.write_dataset(data, path)
    table.alter_columns({"path": "id", "name": "key"})
    assert table.schema.field("key").metadata == {b"a": b"b"}
    table.alter_columns(
        {"path": "key", "data_type": pa.int32()},
        {"path": "l", "data_type": pa.list_(pa.int64())},
        {"path": "st.m", "data_type": pa.int64()},
        {"path": "e", "data_type": pa.large_string()},
    )
    kept = {field.name: field.metadata for field in table.schema if field.metadata}
    assert kept == {"st": {b"q": b"r"}}
    assert table.schema.field("st").type.field("m").metadata is None
    assert table.schema.metadata == {b"s": b"m"}


def test_a_cast_keeps_encodings_and_keys(lancecpp, path):
    """pylance loses these too."""
    metadata = {"lance-encoding:compression": "zstd", "lance-schema:unenforced-primary-key": "true"}
    schema = pa.schema([pa.field("k", pa.int64(), False, metadata={**metadata, "a": "b"})])
    table = lancecpp.write_dataset(pa.table({"k": [1]}, schema=schema), path)
    table.alter_columns({"path": "k", "data_type": pa.int32()})
    kept = table.schema.field("k").metadata
    assert kept == {key.encode(): value.encode() for key, value in metadata.items()}
    table.merge_insert().when_not_matched_insert_all().execute(pa.table({"k": pa.array([2], pa.int32())}))
