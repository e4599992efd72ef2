"""Bad input gets a clear error, of the class that pylance raises, and changes nothing."""

import os
import shutil

import numpy as np
import pyarrow as pa
import pytest

TABLE = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"], "s": [{"x": 1}, {"x": 2}, None]})


@pytest.fixture
def table(lance, path):
    return lance.write_dataset(TABLE, path)


# Opening.


def test_open_missing(lance, tmp_path):
    with pytest.raises(ValueError, match="Dataset at path .*nope.* was not found"):
        lance.dataset(tmp_path / "nope")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="Dataset at path .*empty.* was not found"):
        lance.dataset(tmp_path / "empty")
    assert os.listdir(tmp_path) == ["empty"]
    assert os.listdir(tmp_path / "empty") == []


def test_open_a_file(lance, tmp_path):
    (tmp_path / "file").write_text("hello")
    with pytest.raises(ValueError):
        lance.dataset(tmp_path / "file")


def test_open_what_is_no_path(lance):
    with pytest.raises(ValueError, match="Must specify either 'uri'"):
        lance.dataset()
    with pytest.raises(TypeError, match="'int' object is not an instance of 'str'"):
        lance.dataset(5)
    with pytest.raises(ValueError, match="foo"):
        lance.dataset("foo://bucket/table")


@pytest.mark.parametrize("version", [0, 99, 2**40])
def test_open_a_missing_version(lance, path, table, version):
    with pytest.raises(ValueError, match="was not found|does not exist|version"):
        lance.dataset(path, version=version)
    with pytest.raises(OSError, match="was not found|does not exist|version"):
        table.checkout_version(version)


def test_open_a_missing_tag(lance, path, table):
    with pytest.raises(ValueError, match="Ref not found error: tag .?nope.? does not exist"):
        lance.dataset(path, version="nope")
    with pytest.raises(OSError, match="Ref not found error: tag .?nope.? does not exist"):
        table.checkout_version("nope")
    with pytest.raises(ValueError, match="Ref not found error: tag .?nope.? does not exist"):
        table.tags.get_version("nope")


def test_a_version_that_is_none(lance, path, table):
    with pytest.raises(OverflowError):
        lance.dataset(path, version=-1)
    with pytest.raises(OverflowError):
        table.checkout_version(-1)
    for version in (1.5, None, [1]):
        with pytest.raises(ValueError):
            table.checkout_version(version)


@pytest.mark.parametrize(("asof", "error"), [("yesterday", ValueError), (5, TypeError)])
def test_a_time_that_is_none(lance, path, table, asof, error):
    with pytest.raises(error):
        lance.dataset(path, asof=asof)


@pytest.mark.parametrize("text", ["2500-01-01", "9999-12-31", "9999-12-31 23:59:59+00:00"])
def test_a_time_far_ahead_is_the_newest_version(lancecpp, path, text):
    written = lancecpp.write_dataset(TABLE, path)
    assert lancecpp.dataset(path, asof=text).version == written.version


def test_a_time_long_ago(lancecpp, path):
    lancecpp.write_dataset(TABLE, path)
    for text in ("0001-01-01", "1600-01-01"):
        with pytest.raises(ValueError, match="no version"):
            lancecpp.dataset(path, asof=text)


def test_paths_that_are_none(lancecpp, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for uri in ("", "a\0b.lance"):
        with pytest.raises(ValueError):
            lancecpp.dataset(uri)
        with pytest.raises(ValueError):
            lancecpp.write_dataset(TABLE, uri)
    assert os.listdir(tmp_path) == []


def test_flags_are_bools(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    for value in (1, "yes", None.__class__):
        with pytest.raises(TypeError, match="with_row_id"):
            table.to_table(with_row_id=value)
        with pytest.raises(TypeError, match="enable_stable_row_ids"):
            lancecpp.write_dataset(TABLE, path + "2", enable_stable_row_ids=value)
    with pytest.raises(OverflowError, match="limit"):
        table.to_table(limit=1 << 63)


def test_a_vanished_data_file_is_an_os_error(lancecpp, path):
    lancecpp.write_dataset(TABLE, path)
    for file in os.listdir(os.path.join(path, "data")):
        os.remove(os.path.join(path, "data", file))
    with pytest.raises(OSError, match="data"):
        lancecpp.dataset(path).to_table()


# Writing.


def test_a_column_given_twice_is_refused(lance, path):
    lance.write_dataset(pa.table({"a": [1], "b": [2]}), path)
    twice = pa.table([pa.array([7]), pa.array([8]), pa.array([9])], names=["a", "a", "b"])
    with pytest.raises(OSError):
        lance.write_dataset(twice, path, mode="append")
    assert lance.dataset(path).count_rows() == 1


def test_no_table_can_be_made_there(lancecpp, tmp_path):
    (tmp_path / "file").write_text("x")
    for target in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match="file"):
            lancecpp.write_dataset(TABLE, target, mode="overwrite")


def test_create_over_a_table(lance, path, table):
    with pytest.raises(OSError, match="Dataset already exists"):
        lance.write_dataset(TABLE, path)
    with pytest.raises(OSError, match="Dataset already exists"):
        table.insert(TABLE, mode="create")
    assert lance.dataset(path).version == 1


def test_mode(lance, path):
    with pytest.raises(ValueError, match="Invalid mode"):
        lance.write_dataset(TABLE, path, mode="upsert")
    assert not os.path.exists(path)


def test_storage_version(lance, path):
    with pytest.raises(ValueError, match="9.9"):
        lance.write_dataset(TABLE, path, data_storage_version="9.9")
    assert not os.path.exists(path)


def test_no_target(lance):
    with pytest.raises(ValueError, match="Must specify either 'uri'"):
        lance.write_dataset(TABLE)
    with pytest.raises(TypeError):
        lance.write_dataset(TABLE, 5)


@pytest.mark.parametrize("data", [5, None, 1.5, object()])
def test_data_of_unknown_type(lance, path, data):
    with pytest.raises(TypeError, match="Unknown data type"):
        lance.write_dataset(data, path)


def test_iterable_without_schema(lance, path):
    for data in ([], [TABLE.to_batches()[0]], iter(TABLE.to_batches()), [1, 2]):
        with pytest.raises(ValueError, match="Must provide schema"):
            lance.write_dataset(data, path)
    assert not os.path.exists(path)


def test_iterable_of_something_else(lance, path):
    with pytest.raises(OSError, match="Expected RecordBatch, got"):
        lance.write_dataset(iter([{"id": 1}]), path, schema=pa.schema([("id", pa.int64())]))


def test_columns_of_unequal_length(lance, path):
    with pytest.raises(ValueError):
        lance.write_dataset({"a": [1, 2], "b": [1]}, path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pa.table([[1], [2]], names=["a", "a"]), "a"),
        (pa.table({"a.b": [1]}), "a.b"),
        (pa.table({"_rowid": [1]}), "_rowid"),
    ],
)
def test_column_names_that_are_not_possible(lance, path, data, words):
    with pytest.raises(OSError, match=words):
        lance.write_dataset(data, path)
    with pytest.raises(ValueError):
        lance.dataset(path)


def test_a_type_that_is_not_storable(lance, path):
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(OSError, match="(?i)union"):
        lance.write_dataset(pa.table({"u": union}), path)
    with pytest.raises(ValueError):
        lance.dataset(path)


def test_sizes_of_nothing(lancecpp, path):
    for name in ("max_rows_per_file", "max_bytes_per_file"):
        with pytest.raises(ValueError, match=name):
            lancecpp.write_dataset(TABLE, path, **{name: 0})
    assert not os.path.exists(path)


def test_negative_sizes(lance, path):
    with pytest.raises(OverflowError):
        lance.write_dataset(TABLE, path, max_rows_per_file=-1)


def test_transaction_properties_are_text(lance, path):
    with pytest.raises(TypeError):
        lance.write_dataset(TABLE, path, transaction_properties={"k": 1})


def test_unknown_keyword(lance, path, table):
    with pytest.raises(TypeError, match="colour"):
        lance.write_dataset(TABLE, path, colour=1)
    with pytest.raises(TypeError, match="colour"):
        table.insert(TABLE, colour=1)
    with pytest.raises(TypeError, match="colour"):
        table.to_table(colour=1)
    with pytest.raises(TypeError, match="uri"):
        table.insert(TABLE, uri="elsewhere")


def test_unknown_keyword_behind_kwargs(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    with pytest.raises(TypeError, match="colour"):
        table.to_batches(colour=1)
    with pytest.raises(TypeError, match="colour"):
        table.count_rows(colour=1)
    with pytest.raises(TypeError, match="colour"):
        lancecpp.dataset(path, default_scan_options={"colour": 1}).to_table()


# Reading.


def test_unknown_column(lance, table):
    for read in (
        lambda: table.to_table(columns=["nam"]),
        lambda: table.scanner(columns=["nam"]).to_table(),
        lambda: list(table.to_batches(columns=["nam"])),
        lambda: table.to_table(columns=["NAME"]),
        lambda: table.to_table(columns=["s.y"]),
    ):
        with pytest.raises(ValueError):
            read()


def test_the_nearest_column_is_offered(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    for read in (
        lambda: table.to_table(columns=["nam"]),
        lambda: table.scanner(columns=["nam"]).projected_schema,
        lambda: table.scanner(columns=["nam"]).to_reader(),
        lambda: table.head(1, columns=["nam"]),
        lambda: table.take([0], columns=["nam"]),
        lambda: table.get_fragment(0).take([0], columns=["nam"]),
        lambda: table.get_fragment(0).to_table(columns=["nam"]),
        lambda: table.sample(1, columns=["nam"]),
    ):
        with pytest.raises(ValueError, match="nam.*name"):
            read()


def test_columns_of_the_wrong_kind(lance, table):
    for columns in ("id", ("id",), [1], [None]):
        with pytest.raises(TypeError):
            table.to_table(columns=columns)


def test_a_column_twice(lance, table):
    with pytest.raises(ValueError, match="id"):
        table.to_table(columns=["id", "id"])


def test_limits(lance, table):
    with pytest.raises(ValueError, match="Limit must be non-negative"):
        table.to_table(limit=-1)
    with pytest.raises(ValueError, match="Limit must be non-negative"):
        table.head(-1)
    with pytest.raises(ValueError, match="Offset must be non-negative"):
        table.to_table(offset=-1)
    with pytest.raises(ValueError, match="Limit must be non-negative"):
        table.get_fragments()[0].to_table(limit=-1)
    with pytest.raises(OverflowError):
        table.to_table(limit=2**64)
    with pytest.raises((TypeError, ValueError)):
        table.to_table(limit="all")
    with pytest.raises(TypeError):
        table.to_table(limit=1.5)


def test_batch_size(lance, table):
    with pytest.raises(ValueError, match="batch_size"):
        table.to_table(batch_size=0)
    with pytest.raises(OverflowError):
        table.to_table(batch_size=-1)


def test_fragments_of_the_wrong_kind(lance, table):
    with pytest.raises(TypeError, match="LanceFragment"):
        table.scanner(fragments=[0])
    with pytest.raises(OverflowError):
        table.get_fragment(-1)


def test_take_out_of_range(lance, table):
    for indices in ([3], [0, 3], [2**40], [2**64 - 1]):
        with pytest.raises(OSError):
            table.take(indices)
    with pytest.raises(OSError):
        table.get_fragments()[0].take([3])
    with pytest.raises(OverflowError):
        table.take([2**64])


def test_take_says_which_position(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    with pytest.raises(OSError, match="7.*3 rows|3 rows.*7"):
        table.take([0, 7])


def test_take_of_negative_positions(lance, table):
    numpy = pytest.importorskip("numpy")
    for indices in ([-1], numpy.array([-1]), pa.array([-1]), [0, -(2**70)]):
        with pytest.raises(OverflowError):
            table.take(indices)


def test_take_of_what_is_no_position(lance, table):
    for indices in (["a"], [None], [1.0], 3, {1}, iter([1])):
        with pytest.raises(TypeError):
            table.take(indices)


def test_take_of_arrays_that_are_no_positions(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    for indices in (pa.array([1.0]), pa.array([None, 1]), pa.array(["a"])):
        with pytest.raises(TypeError):
            table.take(indices)


def test_slice_and_sample(lance, table):
    with pytest.raises(ValueError, match="start"):
        table.slice(-1, 2)
    with pytest.raises(ValueError, match="end"):
        table.slice(2, 1)
    with pytest.raises(ValueError, match="Sample larger than population"):
        table.sample(4)
    with pytest.raises(ValueError):
        table.sample(-1)


def test_count_of_a_limited_scan(lance, table):
    with pytest.raises(ValueError, match="limit/offset"):
        table.scanner(limit=1).count_rows()


# What lancecpp does not do yet is refused by name, not ignored.


@pytest.mark.parametrize(
    "arguments",
    [
        {"nearest": {"column": "v", "q": [1.0]}},
        {"full_text_query": "word"},
        {"index_segments": ["a"]},
    ],
)
def test_later_arguments_of_a_scan(lancecpp, path, arguments):
    table = lancecpp.write_dataset(TABLE, path)
    with pytest.raises(NotImplementedError, match=next(iter(arguments))):
        table.scanner(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"storage_options": {"k": "v"}},
        {"session": object()},
        {"commit_lock": object()},
        {"namespace_client": object(), "table_id": ["a"]},
    ],
)
def test_later_arguments_of_open_and_write(lancecpp, path, arguments):
    lancecpp.write_dataset(TABLE, path)
    name = next(iter(arguments))
    with pytest.raises(NotImplementedError, match=name):
        lancecpp.dataset(path, **arguments)
    with pytest.raises(NotImplementedError, match=name):
        lancecpp.write_dataset(TABLE, path, mode="append", **arguments)
    assert lancecpp.dataset(path).version == 1


def test_wrong_filters(lance, path):
    table = lance.write_dataset(TABLE, path)
    for wrong in ("nope > 1", "id >", "id = 'a'", "id", "id = 1.5", "uper(id) = 1", ""):
        with pytest.raises(ValueError):
            table.to_table(filter=wrong)
    with pytest.raises(ValueError):
        table.to_table(columns={"x": "nope + 1"})


def test_filters_say_where_they_are_wrong(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    with pytest.raises(ValueError, match="no column 'idd'; did you mean 'id'.*character 11"):
        table.count_rows("id > 1 or idd = 2")
    with pytest.raises(TypeError, match="filter"):
        table.to_table(filter=1)


# Damaged tables.


def open_and_read(lancecpp, path):
    table = lancecpp.dataset(path)
    table.to_table()
    table.take([0])


def cut_positions(size):
    """Every length of a small file; a spread of lengths of a larger one."""
    return range(size) if size < 1200 else sorted({*range(0, size, 7), *range(size - 64, size)})


def test_a_data_file_cut_anywhere(lancecpp, path):
    lancecpp.write_dataset(TABLE, path)
    (name,) = os.listdir(os.path.join(path, "data"))
    file = os.path.join(path, "data", name)
    with open(file, "rb") as stream:
        content = stream.read()
    for size in cut_positions(len(content)):
        with open(file, "wb") as stream:
            stream.write(content[:size])
        with pytest.raises((OSError, ValueError, NotImplementedError)) as raised:
            open_and_read(lancecpp, path)
        assert str(raised.value), size


def test_a_manifest_cut_anywhere(lancecpp, path):
    lancecpp.write_dataset(TABLE, path)
    file = os.path.join(path, "_versions", "18446744073709551614.manifest")
    with open(file, "rb") as stream:
        content = stream.read()
    for size in cut_positions(len(content)):
        with open(file, "wb") as stream:
            stream.write(content[:size])
        with pytest.raises((OSError, ValueError)) as raised:
            open_and_read(lancecpp, path)
        assert str(raised.value), size


def test_a_data_file_that_is_gone(lance, path):
    table = lance.write_dataset(TABLE, path)
    shutil.rmtree(os.path.join(path, "data"))
    table = lance.dataset(path)
    assert table.count_rows() == 3
    with pytest.raises((OSError, ValueError)):
        table.to_table()
    with pytest.raises((OSError, ValueError)):
        table.take([0])


def test_a_data_file_that_is_something_else(lance, path):
    lance.write_dataset(TABLE, path)
    (name,) = os.listdir(os.path.join(path, "data"))
    with open(os.path.join(path, "data", name), "r+b") as stream:
        stream.write(os.urandom(os.path.getsize(os.path.join(path, "data", name))))
    with pytest.raises((OSError, ValueError)):
        lance.dataset(path).to_table()


# What an exception carries.


def test_code_and_place_of_an_error(lancecpp, tmp_path):
    with pytest.raises(ValueError) as raised:
        lancecpp.dataset(tmp_path / "nope")
    assert raised.value.code == "Not found"
    assert raised.value.verb == "open"
    assert isinstance(raised.value.place, dict)
    assert raised.value.__suppress_context__


# Files.


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_text_that_is_none(lancecpp, tmp_path, type_, version):
    path = tmp_path / "t.lance"
    text = pa.array(["hello", "wörld", None, "€uro", ""]).cast(type_)
    lancecpp.write_dataset(pa.table({"s": text}), path, data_storage_version=version)
    assert lancecpp.dataset(path).to_table()["s"].to_pylist() == text.to_pylist()
    (file,) = (path / "data").iterdir()
    content = file.read_bytes()
    assert content.count(b"hello") == 1
    file.write_bytes(content.replace(b"hello", b"h\xffllo"))
    with pytest.raises(OSError, match="not valid UTF-8.*'s'"):
        lancecpp.dataset(path).to_table()
    with pytest.raises(OSError, match="not valid UTF-8.*'s'"):
        lancecpp.dataset(path).take([0])


def test_text_cut_inside_of_a_character(lancecpp, tmp_path):
    path = tmp_path / "t.lance"
    lancecpp.write_dataset(pa.table({"s": ["ab€", "€cd"]}), path, data_storage_version="2.0")
    (file,) = (path / "data").iterdir()
    content = file.read_bytes()
    ends = (5).to_bytes(8, "little") + (10).to_bytes(8, "little")
    assert content.count(ends) == 1
    file.write_bytes(content.replace(ends, (4).to_bytes(8, "little") + ends[8:]))
    with pytest.raises(OSError, match="not valid UTF-8, value 0 of 2"):
        lancecpp.dataset(path).to_table()


def test_a_named_pipe(lancecpp, tmp_path):
    os.mkfifo(tmp_path / "pipe.lance")
    with pytest.raises(Exception, match="not a regular file"):
        lancecpp.file.LanceFileReader(str(tmp_path / "pipe.lance"))


def _unsound(type_, offsets):
    """An array whose offsets do not ascend, as another engine may hand it over."""
    width = np.int64 if "large" in str(type_) else np.int32
    buffers = [None, pa.py_buffer(np.array(offsets, width))]
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return pa.Array.from_buffers(type_, len(offsets) - 1, buffers, children=[pa.array(range(6), pa.int8())])
    return pa.Array.from_buffers(type_, len(offsets) - 1, [*buffers, pa.py_buffer(b"abcdef")])


@pytest.mark.parametrize("offsets", [[0, 500_000_000, 4, 6], [0, 3, 1, 5]], ids=str)
@pytest.mark.parametrize(
    "type_",
    [pa.string(), pa.binary(), pa.large_string(), pa.list_(pa.int8()), pa.large_list(pa.int8())],
    ids=str,
)
def test_offsets_that_do_not_ascend(lancecpp, path, type_, offsets):
    array = _unsound(type_, offsets)
    nested = pa.StructArray.from_arrays([array], ["s"])
    sound = pa.table({"id": [1, 2, 3]})
    for version in ("2.0", "2.1", "2.2"):
        for column in (array, nested):
            with pytest.raises(Exception, match="'c' is no sound Arrow array"):
                lancecpp.write_dataset(pa.table({"c": column}), path, data_storage_version=version)
    table = lancecpp.write_dataset(sound, path)
    with pytest.raises(Exception, match="'c' is no sound Arrow array"):
        table.merge(pa.table({"k": [1, 2, 3], "c": array}), "id", "k")
    with pytest.raises(Exception, match="'c' is no sound Arrow array"):
        table.add_columns(pa.table({"c": array}).to_reader())
    assert lancecpp.dataset(path).to_table().equals(sound)


def test_views_beyond_their_buffers(lancecpp, path):
    view = np.array([20, 0x61616161, 7, 0], np.int32)
    array = pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view), pa.py_buffer(b"a" * 20)])
    with pytest.raises(Exception, match="'c' is no sound Arrow array"):
        lancecpp.write_dataset(pa.table({"c": array}), path)


def test_texts_that_manifests_cannot_hold(lancecpp, path):
    data = pa.table({"c": [1, 2, 3]})
    table = lancecpp.write_dataset(data, path)
    bad = {b"\xff": b"x"}
    with pytest.raises(Exception, match="not valid UTF-8.*'z'"):
        table.add_columns(pa.field("z", pa.int64(), metadata=bad))
    with pytest.raises(Exception, match="not valid UTF-8"):
        lancecpp.write_dataset(data.replace_schema_metadata(bad), path, mode="overwrite")
    with pytest.raises(Exception, match="NUL"):
        lancecpp.write_dataset(pa.table([[1]], names=["a\0b"]), path, mode="overwrite")
    assert lancecpp.dataset(path).to_table().equals(data)
