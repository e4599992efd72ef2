"""Arguments of wrong types: the error names the argument and what was given, nothing changes."""

import datetime
import inspect

import pyarrow as pa
import pytest

TABLE = pa.table({"a": [1, 2, 3], "b": [4, 5, 6], "s": ["x", "y", "z"]})


@pytest.fixture
def table(lancecpp, path):
    return lancecpp.write_dataset(TABLE, path)


# A call, the exception, and what its text says.
CALLS = {
    # A str is no list of names, though it could be taken for its letters.
    "drop_columns": (lambda t: t.drop_columns("ab"), TypeError, "'columns'.*list of str.*'ab'"),
    "drop_columns_empty": (lambda t: t.drop_columns(""), TypeError, "'columns'.*list of str"),
    "drop_columns_int": (lambda t: t.drop_columns([3]), TypeError, "'columns': 'int'"),
    "delete_config_keys": (lambda t: t.delete_config_keys("ab"), TypeError, "'keys'.*'ab'"),
    "delete_config_keys_int": (lambda t: t.delete_config_keys([1]), TypeError, "'keys': 'int'"),
    "take_columns": (lambda t: t.take([0], columns="a"), TypeError, "'columns'.*'a'"),
    "fragment_take": (
        lambda t: t.get_fragment(0).take([0], columns="a"), TypeError, "'columns'.*'a'"),
    "excluded": (
        lambda t: t.optimize.compact_files(excluded_fragment_ids="01"), TypeError,
        "'excluded_fragment_ids'.*list of int.*'01'"),
    "versions": (lambda t: t.cleanup_old_versions(versions="12"), TypeError, "'versions'.*'12'"),
    "versions_int": (lambda t: t.cleanup_old_versions(versions=1), TypeError, "'versions'.*int 1"),
    "merge_insert": (lambda t: t.merge_insert(3), TypeError, "'on'.*'int'"),
    "merge_insert_int": (lambda t: t.merge_insert([3]), TypeError, "'on'.*'int'"),
    # Names, texts and flags.
    "alter_name": (
        lambda t: t.alter_columns({"path": "a", "name": 3}), TypeError, "'name': 'int'.*'str'"),
    "alter_path": (
        lambda t: t.alter_columns({"path": 3, "name": "x"}), TypeError, "'path': 'int'.*'str'"),
    "alter_nullable": (
        lambda t: t.alter_columns({"path": "a", "nullable": "no"}), TypeError,
        "'nullable': 'str'.*'bool'"),
    "alter_type": (
        lambda t: t.alter_columns({"path": "a", "data_type": "int32"}), TypeError,
        "'data_type'.*DataType.*'int32'"),
    "alter_key": (
        lambda t: t.alter_columns({"path": "a", "name": "b2", "nulable": True}), ValueError,
        "nulable.*name, nullable, and data_type"),
    "alter_str": (lambda t: t.alter_columns("a"), TypeError, "dict.*got str"),
    "update_value": (lambda t: t.update({"a": 1}), TypeError, "'updates': 'int'.*'str'"),
    "update_key": (lambda t: t.update({3: "a"}), TypeError, "'updates': 'int'.*'str'"),
    "update_str": (lambda t: t.update("a"), TypeError, "'updates': 'str'.*'dict'"),
    "update_where": (lambda t: t.update({"a": "1"}, where=3), TypeError, "'where'.*int 3"),
    "update_version": (
        lambda t: t.update({"a": "1"}, data_storage_version=2.1), TypeError,
        "'data_storage_version': 'float'"),
    "update_config": (lambda t: t.update_config({"a": 3}), TypeError, "'values': 'int'.*'str'"),
    "update_config_str": (lambda t: t.update_config("a"), TypeError, "'values': 'str'.*'dict'"),
    "update_config_flag": (
        lambda t: t.update_config({"a": "1"}, replace=1), TypeError, "'replace': 'int'.*'bool'"),
    "update_metadata": (lambda t: t.update_metadata({"a": 3}), TypeError, "'values': 'int'"),
    "replace_schema_metadata": (
        lambda t: t.replace_schema_metadata({"a": 3}), TypeError, "'values': 'int'.*'str'"),
    "replace_field_metadata": (
        lambda t: t.replace_field_metadata("a", {"x": 3}), TypeError, "'field_updates': 'int'"),
    "tag": (lambda t: t.tags.create(3, 1), TypeError, "'tag': 'int'.*'str'"),
    "tag_version": (lambda t: t.tags.get_version(3), TypeError, "'tag': 'int'.*'str'"),
    "tag_metadata": (
        lambda t: t.tags.replace_metadata("x", {"a": 3}), TypeError, "'metadata': 'int'.*'str'"),
    "branch": (lambda t: t.create_branch(3), TypeError, "'branch': 'int'.*'str'"),
    "branch_delete": (lambda t: t.branches.delete(3), TypeError, "'branch': 'int'.*'str'"),
    "merge": (lambda t: t.merge(TABLE, 3), TypeError, "'left_on': 'int'.*'str'"),
    "merge_right": (lambda t: t.merge(TABLE, "a", 3), TypeError, "'right_on': 'int'.*'str'"),
    "merge_condition": (
        lambda t: t.merge_insert("a").when_matched_update_all(3), TypeError, "'condition': 'int'"),
    "merge_expr": (
        lambda t: t.merge_insert("a").when_not_matched_by_source_delete(3), TypeError,
        "'expr': 'int'"),
    "merge_timeout": (
        lambda t: t.merge_insert("a").retry_timeout("1s"), TypeError, "'timeout': 'str'"),
    "merge_version": (
        lambda t: t.merge_insert("a").data_storage_version(3), TypeError, "'version': 'int'"),
    "delete": (lambda t: t.delete(True), TypeError, "'predicate'.*SQL.*bool True"),
    "delete_timeout": (
        lambda t: t.delete("a > 1", retry_timeout="x"), TypeError, "'retry_timeout': 'str'"),
    "fragment_delete": (
        lambda t: t.get_fragment(0).delete(3), TypeError, "'predicate': 'int'.*'str'"),
    "take_blobs": (lambda t: t.take_blobs(3, indices=[0]), TypeError, "'blob_column': 'int'"),
    # Reading.
    "filter": (lambda t: t.to_table(filter=5), TypeError, "'filter'.*SQL.*int 5"),
    "surrogate": (lambda t: t.count_rows("s = '\ud800'"), ValueError, "'filter'.*surrogate"),
    "take_none": (lambda t: t.take(None), TypeError, "'indices'.*NoneType"),
    "take_str": (lambda t: t.take("01"), TypeError, "'indices'.*str"),
    "readahead": (lambda t: t.to_table(batch_readahead=0), ValueError, "batch_readahead must be"),
    "readahead_negative": (
        lambda t: t.to_table(batch_readahead=-1), ValueError, "batch_readahead must be"),
    "fragment_readahead": (
        lambda t: t.to_table(fragment_readahead=-1), ValueError, "fragment_readahead must be"),
    "late_materialization": (
        lambda t: t.to_table(late_materialization="ab"), ValueError, "late_materialization must"),
    "scan_in_order": (
        lambda t: t.to_table(scan_in_order=3), TypeError, "'scan_in_order': 'int'.*'bool'"),
    # Upkeep.
    "target_negative": (
        lambda t: t.optimize.compact_files(target_rows_per_fragment=-1), OverflowError,
        "'target_rows_per_fragment': can't convert negative"),
    "target_str": (
        lambda t: t.optimize.compact_files(target_rows_per_fragment="x"), TypeError,
        "'target_rows_per_fragment': 'str'"),
    "target_big": (
        lambda t: t.optimize.compact_files(target_rows_per_fragment=2**70), OverflowError,
        "'target_rows_per_fragment': int too big"),
    "threshold": (
        lambda t: t.optimize.compact_files(materialize_deletions_threshold="x"), TypeError,
        "'materialize_deletions_threshold': must be real number"),
    "older_than": (lambda t: t.cleanup_old_versions(3), TypeError, "'older_than': 'int'"),
    "unverified": (
        lambda t: t.cleanup_old_versions(delete_unverified=3), TypeError,
        "'delete_unverified': 'int'.*'bool'"),
    # Writing.
    "message": (
        lambda t: t.insert(TABLE, commit_message=3), TypeError, "'commit_message': 'int'.*'str'"),
    "storage_version": (
        lambda t: t.insert(TABLE, data_storage_version=2.1), TypeError,
        "'data_storage_version': 'float'.*'str'"),
    "auto_cleanup": (
        lambda t: t.insert(TABLE, auto_cleanup_options=3), TypeError,
        "auto_cleanup_options.*'interval'.*got 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_named(table, name):
    call, kind, text = CALLS[name]
    with pytest.raises(kind, match=text) as raised:
        call(table)
    assert "_core" not in str(raised.value) and "\n" not in str(raised.value)
    assert table.latest_version == 1
    assert table.schema == TABLE.schema


def test_a_path_that_no_file_can_have(lancecpp, tmp_path):
    with pytest.raises(ValueError, match="'uri'.*surrogate"):
        lancecpp.write_dataset(TABLE, str(tmp_path / "q\ud800"))
    assert list(tmp_path.iterdir()) == []


def test_files(lancecpp, tmp_path):
    path = tmp_path / "file.lance"
    file = lancecpp.file
    with file.LanceFileWriter(path) as writer:
        writer.write_batch(TABLE)
        with pytest.raises(TypeError, match="'data'.*bytes.*str"):
            writer.add_global_buffer("x")
        with pytest.raises(TypeError, match="'value': 'int'"):
            writer.add_schema_metadata("a", 3)
        assert writer.add_global_buffer(bytearray(b"x")) == 1
    for columns in ("s", [1]):
        with pytest.raises(TypeError, match="'columns'"):
            file.LanceFileReader(path, columns=columns)
    with pytest.raises(TypeError, match="'version': 'float'"):
        file.LanceFileWriter(tmp_path / "new", version=2.1)
    with pytest.raises(TypeError, match="'schema'.*Schema.*int"):
        file.LanceFileWriter(tmp_path / "new", 3)
    twice = file.LanceFileReader(path, columns=["s", "s"])
    assert twice.read_all().to_table().column_names == ["s"]
    assert repr(file.LanceFileReader(path)) == (
        f"LanceFileReader(path={str(path)!r}, rows=3, columns=['a', 'b', 's'])"
    )


def test_a_column_taken_twice_comes_once(table):
    assert table.take([1], columns=["a", "a"]).to_pydict() == {"a": [2]}
    assert table.take([1], columns=("a", "s")).to_pydict() == {"a": [2], "s": ["y"]}
    assert table.get_fragment(0).take([0], columns=["a", "a"]).to_pydict() == {"a": [1]}


def test_a_version_goes_before_a_time(lancecpp, table):
    long_ago = datetime.datetime(1999, 1, 1)
    assert lancecpp.dataset(table.uri, version=1, asof=long_ago).version == 1


def test_an_age_that_no_clock_has(table):
    stats = table.cleanup_old_versions(older_than=datetime.timedelta(days=99999999))
    assert stats.old_versions == 0


def test_the_last_guard(lancecpp, table):
    """What no check before has seen is told without the internal classes."""
    with pytest.raises(TypeError, match="create_tag: an argument has a wrong type.*given are int"):
        table._core.create_tag(3, 1)
    with pytest.raises(TypeError, match="alter_columns: an argument has a wrong type or value$"):
        table._core.alter_columns([(3, None, None, None)])
    with pytest.raises(TypeError, match="batch_size: an argument has a wrong type.*given are str"):
        lancecpp._core.CompactionOptions().batch_size = "x"


def test_everything_public_has_a_docstring(lancecpp):
    file = lancecpp.file
    for kind in (
        lancecpp.LanceDataset, lancecpp.LanceFragment, lancecpp.LanceScanner,
        lancecpp.MergeInsertBuilder, file.LanceFileReader, file.LanceFileWriter,
    ):  # fmt: skip
        for name, member in inspect.getmembers(kind):
            if not name.startswith("_"):
                assert inspect.getdoc(member), f"{kind.__name__}.{name}"
