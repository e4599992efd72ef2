"""write_dataset and insert: sources, modes, and what an append may bring."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pytest

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string())])
ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": None}, {"id": 3, "name": "c"}]
TABLE = pa.Table.from_pylist(ROWS, schema=SCHEMA)


def batches():
    yield from TABLE.to_batches(max_chunksize=2)


class Stream:
    """A pyarrow-free producer: only the C stream interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


SOURCES = {
    "table": lambda: TABLE,
    "sliced_table": lambda: pa.concat_tables([TABLE, TABLE]).slice(3, 3),
    "batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: TABLE.to_reader(max_chunksize=1),
    "reader_of_generator": lambda: pa.RecordBatchReader.from_batches(SCHEMA, batches()),
    "dicts": lambda: ROWS,
    "columns": lambda: {"id": [1, 2, 3], "name": ["a", None, "c"]},
    "dataset": lambda: pa.dataset.dataset(TABLE),
    "scanner": lambda: pa.dataset.dataset(TABLE).scanner(),
}


@pytest.mark.parametrize("source", SOURCES)
def test_source(lance, path, source):
    written = lance.write_dataset(SOURCES[source](), path)
    assert written.schema == SCHEMA
    assert written.to_table() == TABLE
    assert lance.dataset(path).to_table() == TABLE


@pytest.mark.parametrize("kind", [list, iter, lambda b: (x for x in b)])
def test_iterable_of_batches(lance, path, kind):
    written = lance.write_dataset(kind(list(batches())), path, schema=SCHEMA)
    assert written.to_table() == TABLE


def test_iterable_is_cast_to_the_schema(lance, path):
    wanted = pa.schema([("id", pa.string()), ("name", pa.large_string())])
    written = lance.write_dataset(batches(), path, schema=wanted)
    assert written.schema == wanted
    assert written.to_table() == TABLE.cast(wanted)


def test_any_object_with_a_stream(lancecpp, path):
    assert lancecpp.write_dataset(Stream(), path).to_table() == TABLE


def test_empty_iterable(lance, path):
    written = lance.write_dataset([], path, schema=SCHEMA)
    assert written.schema == SCHEMA
    assert written.count_rows() == 0
    assert len(written) == 0


def test_dicts_with_schema(lance, path):
    wanted = pa.schema([("id", pa.int16()), ("name", pa.string())])
    assert lance.write_dataset(ROWS, path, schema=wanted).schema == wanted


def test_pandas(lance, path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2, 3], "x": [0.5, None, 1.5]})
    written = lance.write_dataset(frame, path)
    assert written.schema.names == ["id", "x"]
    pandas.testing.assert_frame_equal(written.to_pandas(), frame)


def test_pandas_index_goes_in_only_with_a_schema_that_names_it(lance, path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2]}, index=pandas.Index([7, 8], name="key"))
    wanted = pa.schema([("id", pa.int64()), ("key", pa.int64())])
    written = lance.write_dataset(frame, path, schema=wanted)
    assert written.to_table().to_pydict() == {"id": [1, 2], "key": [7, 8]}


def test_polars(lance, path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": [1, 2, 3], "name": ["a", None, "c"]})
    written = lance.write_dataset(frame, path)
    assert written.to_table().to_pylist() == ROWS


def test_duckdb_relation(lancecpp, path):
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select i as id, 'n' || i as name from range(3000) t(i)")
    written = lancecpp.write_dataset(relation, path)
    assert written.count_rows() == 3000
    assert written.take([2999]).to_pylist() == [{"id": 2999, "name": "n2999"}]


def test_duckdb_reader(lance, path):
    duckdb = pytest.importorskip("duckdb")
    reader = duckdb.sql("select i as id from range(5000) t(i)").arrow()
    assert lance.write_dataset(reader, path).to_table()["id"].to_pylist() == list(range(5000))


def test_a_lance_table_as_source(lance, path, tmp_path):
    first = lance.write_dataset(TABLE, path)
    assert lance.write_dataset(first, tmp_path / "copy").to_table() == TABLE
    scanner = first.scanner(columns=["name"], limit=2)
    part = lance.write_dataset(scanner, tmp_path / "part")
    assert part.to_table() == TABLE.select([1]).slice(0, 2)


def test_a_table_of_itself(lance, path):
    table = lance.write_dataset(TABLE, path)
    table = lance.write_dataset(table, path, mode="append")
    assert table.to_table() == pa.concat_tables([TABLE, TABLE])
    assert lance.write_dataset(table, path, mode="overwrite").count_rows() == 6


def test_a_reader_already_read_gives_no_rows(lance, path):
    reader = TABLE.to_reader()
    reader.read_all()
    assert lance.write_dataset(reader, path).count_rows() == 0


# Where.


def test_path_kinds(lance, tmp_path, monkeypatch):
    lance.write_dataset(TABLE, tmp_path / "a.lance")
    assert lance.dataset(str(tmp_path / "a.lance")).count_rows() == 3
    assert lance.dataset(f"file://{tmp_path}/a.lance").count_rows() == 3
    assert lance.dataset(f"{tmp_path}/a.lance/").count_rows() == 3
    monkeypatch.chdir(tmp_path)
    assert lance.dataset("a.lance").count_rows() == 3
    lance.write_dataset(TABLE, "b.lance")
    assert (tmp_path / "b.lance" / "_versions").is_dir()
    monkeypatch.chdir("/")
    assert lance.dataset(Path(tmp_path) / "b.lance").count_rows() == 3


def test_unusual_path_names(lance, tmp_path):
    for name in ["with space", "ümläut-表", "percent%20sign", "a+b&c=d#e?f"]:
        lance.write_dataset(TABLE, tmp_path / name / "t")
        assert lance.dataset(tmp_path / name / "t").count_rows() == 3, name
        assert (tmp_path / name / "t" / "_versions").is_dir(), name


def test_a_relative_path_survives_chdir(lance, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = lance.write_dataset(TABLE, "t")
    monkeypatch.chdir("/")
    assert table.to_table() == TABLE


# Modes.


def test_create_append_overwrite(lance, path):
    table = lance.write_dataset(TABLE, path)
    assert (table.version, table.latest_version) == (1, 1)
    table = lance.write_dataset(TABLE, path, mode="append")
    assert (table.version, table.count_rows()) == (2, 6)
    table = lance.write_dataset({"z": [1.5]}, path, mode="overwrite")
    assert (table.version, table.count_rows()) == (3, 1)
    assert table.schema.names == ["z"]
    assert lance.dataset(path, version=2).count_rows() == 6
    assert lance.dataset(path, version=1).to_table() == TABLE


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_mode_makes_a_missing_table(lance, path, mode):
    assert lance.write_dataset(TABLE, path, mode=mode).version == 1


def test_an_open_table_as_target(lance, path):
    table = lance.write_dataset(TABLE, path)
    appended = lance.write_dataset(TABLE, table, mode="append")
    assert (appended.version, appended.count_rows()) == (2, 6)
    assert (table.version, table.count_rows()) == (1, 3)


def test_append_from_an_old_version_goes_on_top_of_the_newest(lance, path):
    lance.write_dataset(TABLE, path)
    lance.write_dataset(TABLE, path, mode="append")
    old = lance.dataset(path, version=1)
    assert lance.write_dataset(TABLE, old, mode="append").count_rows() == 9


def test_insert(lance, path):
    table = lance.write_dataset(TABLE, path)
    assert table.insert(TABLE) is None
    assert (table.version, table.count_rows()) == (2, 6)
    table.insert(ROWS[:1], mode="overwrite", schema=SCHEMA)
    assert (table.version, table.count_rows()) == (3, 1)


def test_append_of_no_rows_is_a_version(lance, path):
    lance.write_dataset(TABLE, path)
    table = lance.write_dataset(TABLE.slice(0, 0), path, mode="append")
    assert (table.version, table.count_rows()) == (2, 3)


# What an append may bring.


def test_append_in_another_column_order(lance, path):
    lance.write_dataset(TABLE, path)
    table = lance.write_dataset(TABLE.select(["name", "id"]), path, mode="append")
    assert table.to_table() == pa.concat_tables([TABLE, TABLE])


def test_append_of_a_column_subset_fills_nulls(lance, path):
    lance.write_dataset(TABLE, path)
    table = lance.write_dataset({"name": ["only"]}, path, mode="append")
    assert table.to_table().slice(3).to_pylist() == [{"id": None, "name": "only"}]
    assert table.take([3, 0]).to_pylist() == [{"id": None, "name": "only"}, ROWS[0]]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"id": ["text"], "name": ["x"]}, ["id", "int64", "string"]),
        ({"id": pa.array([1], pa.int32()), "name": ["x"]}, ["id", "int64", "int32"]),
        ({"id": [1], "name": [b"x"]}, ["name", "string", "binary"]),
        ({"id": [1], "other": ["x"]}, ["other"]),
    ],
)
def test_append_that_does_not_fit(lance, path, data, words):
    lance.write_dataset(TABLE, path)
    before = tree(path)
    with pytest.raises(OSError, match="different schema|field|column") as raised:
        lance.write_dataset(pa.table(data), path, mode="append")
    for word in words:
        assert word in str(raised.value)
    assert lance.dataset(path).version == 1
    assert manifests(tree(path)) == manifests(before)


def test_append_of_null_into_a_column_without_nulls(lance, path):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    lance.write_dataset(pa.table({"id": [1]}, schema=schema), path)
    with pytest.raises(OSError, match="id"):
        lance.write_dataset(pa.table({"id": pa.array([None], pa.int64())}), path, mode="append")
    assert lance.dataset(path).version == 1


# Options.


def test_max_rows_per_file(lance, path):
    table = lance.write_dataset({"id": list(range(10))}, path, max_rows_per_file=4)
    assert [f.count_rows() for f in table.get_fragments()] == [4, 4, 2]
    assert table.to_table()["id"].to_pylist() == list(range(10))
    table = lance.write_dataset({"id": [10]}, path, mode="append", max_rows_per_file=4)
    assert [f.fragment_id for f in table.get_fragments()] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("asked", "stored"), [("2.1", "2.1"), ("2.2", "2.2"), ("stable", None), (None, "2.2")]
)
def test_data_storage_version(lance, path, asked, stored):
    table = lance.write_dataset(TABLE, path, data_storage_version=asked)
    if stored is not None:
        assert table.data_storage_version == stored
    assert table.to_table() == TABLE


def test_an_append_keeps_the_storage_version_of_the_table(lance, path):
    lance.write_dataset(TABLE, path, data_storage_version="2.1")
    table = lance.write_dataset(TABLE, path, mode="append")
    assert table.data_storage_version == "2.1"
    assert {f.file_minor_version for x in table.get_fragments() for f in x.data_files()} == {1}


def test_an_append_may_have_another_storage_version(lance, pylance, path):
    lance.write_dataset(TABLE, path, data_storage_version="2.1")
    table = lance.write_dataset(TABLE, path, mode="append", data_storage_version="2.2")
    assert table.data_storage_version == "2.1"
    assert [f.data_files()[0].file_minor_version for f in table.get_fragments()] == [1, 2]
    assert table.to_table() == pylance.dataset(path).to_table() == pa.concat_tables([TABLE, TABLE])
    for refused in ("legacy", "0.1"):
        with pytest.raises(OSError):
            lance.write_dataset(TABLE, path, mode="append", data_storage_version=refused)


def test_manifest_names(lance, tmp_path):
    lance.write_dataset(TABLE, tmp_path / "v2")
    assert "18446744073709551614.manifest" in os.listdir(tmp_path / "v2" / "_versions")
    lance.write_dataset(TABLE, tmp_path / "v1", enable_v2_manifest_paths=False)
    lance.write_dataset(TABLE, tmp_path / "v1", mode="append")
    names = set(os.listdir(tmp_path / "v1" / "_versions"))
    assert {"1.manifest", "2.manifest"} <= names


def test_stable_row_ids(lance, path):
    table = lance.write_dataset(TABLE, path, enable_stable_row_ids=True)
    assert table.has_stable_row_ids is True
    table = lance.write_dataset(TABLE, path, mode="append")
    assert table.has_stable_row_ids is True
    assert table.to_table(with_row_id=True)["_rowid"].to_pylist() == list(range(6))
    assert not lance.write_dataset(TABLE, path + "2").has_stable_row_ids


def test_schema_and_field_metadata(lance, path):
    schema = pa.schema(
        [pa.field("id", pa.int64(), nullable=False, metadata={"unit": "m"})], metadata={"k": "v"}
    )
    table = lance.write_dataset(pa.table({"id": [1]}, schema=schema), path)
    assert table.schema.equals(schema, check_metadata=True)
    assert table.schema_metadata == {"k": "v"}
    assert table.to_table().schema.equals(schema, check_metadata=True)
    assert lance.dataset(path).take([0]).schema.field("id").metadata == {b"unit": b"m"}


def test_transaction_properties_reach_the_transaction(lance, pylance, path):
    lance.write_dataset(TABLE, path, commit_message="hello", transaction_properties={"k": "v"})
    properties = pylance.dataset(path).read_transaction(1).transaction_properties
    assert properties["k"] == "v"
    assert "hello" in properties.values()


# A failed write changes nothing.


def failing_batches():
    yield TABLE.to_batches()[0]
    raise ZeroDivisionError("the source broke")


@pytest.mark.parametrize("mode", ["create", "append", "overwrite"])
def test_a_source_that_fails(lance, path, mode):
    if mode != "create":
        lance.write_dataset(TABLE, path)
        before = tree(path)
    with pytest.raises(OSError, match="the source broke"):
        lance.write_dataset(failing_batches(), path, schema=SCHEMA, mode=mode)
    if mode == "create":
        with pytest.raises(ValueError):
            lance.dataset(path)
        assert manifests(tree(path)) == []
    else:
        assert lance.dataset(path).version == 1
        assert lance.dataset(path).to_table() == TABLE
        assert manifests(tree(path)) == manifests(before)


def test_the_exception_of_the_source_is_kept(lancecpp, path):
    with pytest.raises(OSError) as raised:
        lancecpp.write_dataset(failing_batches(), path, schema=SCHEMA)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_an_interrupt_in_the_source_is_an_interrupt(lancecpp, path):
    def interrupted():
        yield TABLE.to_batches()[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lancecpp.write_dataset(interrupted(), path, schema=SCHEMA)
    with pytest.raises(ValueError):
        lancecpp.dataset(path)


def test_a_failed_write_leaves_no_data_file(lancecpp, path):
    lancecpp.write_dataset(TABLE, path)
    before = tree(path)
    with pytest.raises(OSError):
        lancecpp.write_dataset(failing_batches(), path, schema=SCHEMA, mode="append")
    assert tree(path) == before


def tree(path):
    return sorted(
        os.path.relpath(os.path.join(folder, name), path)
        for folder, _, names in os.walk(path)
        for name in names
    )


def manifests(names):
    return [name for name in names if name.startswith("_versions")]


@pytest.mark.parametrize("scope", ["schema", "field"])
def test_profile_small_is_kept_by_the_table(lancecpp, pylance, path, scope):
    """Later writes and compaction follow it; pylance reads what comes of it."""
    rows = [f'{{"id": {i * 7919 % 10**6}, "city": "city {i % 7}"}}' for i in range(20000)]
    small = {"lance-encoding:profile": "small"}
    field = pa.field("text", pa.string(), metadata=small if scope == "field" else None)
    schema = pa.schema([field], metadata=small if scope == "schema" else None)
    plain = pa.table({"text": rows})

    def encodings(table):
        shown = [lancecpp.file.LanceFileReader(os.path.join(path, "data", file.path)).metadata()
                 for fragment in table.get_fragments() for file in fragment.data_files()]
        return [page.encoding for one in shown for column in one.columns for page in column.pages]

    lancecpp.write_dataset(plain.cast(schema), path)
    table = lancecpp.write_dataset(plain, path, mode="append")
    assert all("zstd" in encoding for encoding in encodings(table))
    if scope == "schema":
        table.add_columns({"more": "text"})
        assert all("zstd" in encoding for encoding in encodings(table))
        table.drop_columns(["more"])
    table.update({"text": "upper(text)"}, where="text LIKE '%city 3%'")
    table.optimize.compact_files()
    assert all("zstd" in encoding for encoding in encodings(table))
    assert pylance.dataset(path).to_table().equals(table.to_table())


def test_unknown_profile(lancecpp, path):
    field = pa.field("text", pa.string(), metadata={"lance-encoding:profile": "tiny"})
    with pytest.raises(OSError, match="'lance-encoding:profile' is 'tiny', expected fast or small.*'text'"):
        lancecpp.write_dataset(pa.table([["a"]], schema=pa.schema([field])), path)


def test_deep_schemas(lancecpp, path):
    """More levels than readers take are refused, by their path, before a file is written."""
    type_ = pa.int8()
    for level in range(127):
        type_ = pa.struct([(f"m{level}", type_)])
    deepest = pa.schema([("top", type_)]).empty_table()
    assert lancecpp.write_dataset(deepest, path).schema == deepest.schema
    deeper = pa.schema([("top", pa.struct([("more", type_)]))]).empty_table()
    with pytest.raises(OSError, match=r"nested too deeply: field 'top\.more\.m126.*\.m1\.m0' has more than 128 levels"):
        lancecpp.write_dataset(deeper, path, mode="overwrite")
    assert lancecpp.dataset(path).version == 1
