"""Writing blob columns: where values go, references, and what later changes keep.

`lance` is pylance or lancecpp; what one writes, both read.
"""

import datetime
import os
import pickle
from pathlib import Path

import pyarrow as pa
import pytest

VALUES = [b"i" * 10, b"p" * 100, None, b"", b"d" * 3000, b"P" * 200]
THRESHOLDS = {"inline_size_threshold": 50, "dedicated_size_threshold": 1000}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "table")


def table(lance, values=VALUES, **thresholds):
    field = lance.blob_field("b", **{**THRESHOLDS, **thresholds})
    schema = pa.schema([pa.field("id", pa.int64()), field])
    return pa.table([pa.array(range(len(values)), pa.int64()), lance.blob_array(values)], schema=schema)


def contents(pylance, lancecpp, path):
    """The rows with their bytes, by id; both readers must agree."""
    rows = [
        {row["id"]: row["b"] for row in engine.dataset(path).to_table(blob_handling="all_binary").to_pylist()}
        for engine in (pylance, lancecpp)
    ]
    assert rows[0] == rows[1]
    return rows[1]


def kinds(dataset):
    return [row and row["kind"] for row in dataset.to_table()["b"].to_pylist()]


def test_places(lance, pylance, lancecpp, path):
    dataset = lance.write_dataset(table(lance), path)
    assert kinds(dataset) == [0, 1, None, 0, 2, 1]
    assert sorted(file.stat().st_size for file in Path(path).glob("data/*/*.blob")) == [300, 3000]
    assert contents(pylance, lancecpp, path) == dict(enumerate(VALUES))


def test_packs_end_at_their_size(lance, pylance, lancecpp, path):
    values = [b"p" * 100] * 5
    lance.write_dataset(table(lance, values, pack_file_size_threshold=250), path)
    assert sorted(file.stat().st_size for file in Path(path).glob("data/*/*.blob")) == [100, 200, 200]
    lance.write_dataset(table(lance, values), path, mode="overwrite", blob_pack_file_size_threshold=300)
    assert contents(pylance, lancecpp, path) == dict(enumerate(values))


def test_appends_follow_the_thresholds_of_the_table(lance, pylance, lancecpp, path):
    lance.write_dataset(table(lance, [b"p" * 100]), path)
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("b")])
    more = pa.table([pa.array([1], pa.int64()), lance.blob_array([b"q" * 100])], schema=schema)
    dataset = lance.write_dataset(more, path, mode="append")
    assert kinds(dataset) == [1, 1]


def test_changes_keep_values(lancecpp, pylance, path, tmp_path):
    outside = tmp_path / "outside.bin"
    outside.write_bytes(bytes(range(200)))
    values = [*VALUES, outside.as_uri(), lancecpp.Blob.from_uri(outside.as_uri(), 10, 20)]
    whole = bytes(range(200))
    want = dict(enumerate([*VALUES, whole, whole[10:30]]))
    for mode in ("create", "append"):
        data = table(lancecpp, values)
        if mode == "append":
            data = data.set_column(0, "id", pa.array([100 + i for i in range(len(values))], pa.int64()))
        lancecpp.write_dataset(data, path, mode=mode, allow_external_blob_outside_bases=True)
    want |= {100 + key: value for key, value in want.items()}
    assert contents(pylance, lancecpp, path) == want
    lancecpp.dataset(path).update({"id": "id + 1000"}, where="id >= 104")
    want = {key + 1000 if key >= 104 else key: value for key, value in want.items()}
    assert contents(pylance, lancecpp, path) == want
    lancecpp.dataset(path).delete("id = 1")
    del want[1]
    lancecpp.dataset(path).optimize.compact_files()
    dataset = lancecpp.dataset(path)
    assert len(dataset.get_fragments()) == 1
    assert contents(pylance, lancecpp, path) == want
    assert kinds(dataset).count(3) == 4  # still references
    dataset.cleanup_old_versions(older_than=datetime.timedelta(0), delete_unverified=True)
    assert contents(pylance, lancecpp, path) == want


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_columns_marked_by_metadata(lance, pylance, lancecpp, path, version):
    field = pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    schema = pa.schema([pa.field("id", pa.int64()), field])
    for mode in ("create", "append"):
        ids = [i + (100 if mode == "append" else 0) for i in range(len(VALUES))]
        lance.write_dataset(
            pa.table([ids, VALUES], schema=schema), path, mode=mode, data_storage_version=version
        )
    want = dict(enumerate(VALUES))
    want |= {100 + key: value for key, value in want.items()}
    assert contents(pylance, lancecpp, path) == want
    lance.dataset(path).optimize.compact_files()
    assert contents(pylance, lancecpp, path) == want
    shown = lance.dataset(path).to_table().schema.field("b").type
    assert shown.num_fields == (2 if version == "2.1" else 5)


def test_references(lance, pylance, lancecpp, path, tmp_path):
    outside = tmp_path / "outside.bin"
    outside.write_bytes(b"0123456789")
    uri = outside.as_uri()
    data = table(lance, [uri, lance.Blob.from_uri(uri, position=2, size=3)])
    with pytest.raises((OSError, ValueError), match="outside registered external bases"):
        lance.write_dataset(data, path)
    assert not list(Path(path).glob("data/*")) or not list(Path(path).glob("_versions/*.manifest"))
    dataset = lance.write_dataset(data, path, allow_external_blob_outside_bases=True)
    assert kinds(dataset) == [3, 3]
    dataset = lance.write_dataset(data, path, mode="overwrite", external_blob_mode="ingest")
    assert kinds(dataset) == [0, 0]
    outside.unlink()
    assert contents(pylance, lancecpp, path) == {0: b"0123456789", 1: b"234"}


def test_a_failed_write_leaves_no_files(lancecpp, path, tmp_path):
    missing = (tmp_path / "missing.bin").as_uri()
    data = table(lancecpp, [b"p" * 100, b"d" * 3000, missing])
    with pytest.raises((OSError, ValueError), match="missing.bin"):
        lancecpp.write_dataset(data, path, external_blob_mode="ingest")
    assert not [file for file in Path(path).rglob("*") if file.is_file()]


def test_blob_values(lance):
    array = lance.blob_array([b"a", "file:///x", None, lance.Blob.empty(), lance.Blob.from_uri("u", 1, 2)])
    assert array.storage.to_pylist() == [
        {"data": b"a", "uri": None, "position": None, "size": None},
        {"data": None, "uri": "file:///x", "position": None, "size": None},
        None,
        {"data": b"", "uri": None, "position": None, "size": None},
        {"data": None, "uri": "u", "position": 1, "size": 2},
    ]
    assert array.type.extension_name == "lance.blob.v2"
    assert pickle.loads(pickle.dumps(lance.blob_field("b"))) == lance.blob_field("b")
    for wrong in (
        lambda: lance.Blob(),
        lambda: lance.Blob(data=b"a", uri="u"),
        lambda: lance.Blob.from_uri(""),
        lambda: lance.Blob(uri="u", position=1),
        lambda: lance.Blob(uri="u", position=1, size=0),
        lambda: lance.blob_array([""]),
        lambda: lance.blob_field("b", dedicated_size_threshold=0),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        lance.blob_array([1])


def test_wrong_values_are_named(lancecpp, path):
    both = pa.array([{"data": b"a", "uri": "u"}], lancecpp.BlobType().storage_type)
    data = pa.table([pa.ExtensionArray.from_storage(lancecpp.blob_field("b").type, both)], names=["b"])
    with pytest.raises((OSError, ValueError), match="'b', row 0.*"):
        lancecpp.write_dataset(data, path)
    field = lancecpp.blob_field("b").with_metadata({"lance-encoding:blob-inline-size-threshold": "x"})
    data = pa.table([lancecpp.blob_array([b"a"])], schema=pa.schema([field]))
    with pytest.raises((OSError, ValueError), match="blob-inline-size-threshold"):
        lancecpp.write_dataset(data, path)


@pytest.mark.parametrize("place", ["column", "struct", "list"])
@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("values", [["a"], [1], [[1]]], ids=["string", "int64", "list"])
def test_marks_on_other_types(lancecpp, path, tmp_path, values, version, place):
    """The extension of blobs stands for a struct; files of others could not be read by anybody."""
    from lancecpp.file import LanceFileWriter

    array = pa.array(values)
    field = pa.field("b", array.type, metadata={"ARROW:extension:name": "lance.blob.v2"})
    if place == "struct":
        array = pa.StructArray.from_arrays([array], fields=[field])
        field = pa.field("s", array.type)
    if place == "list":
        array = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), array, type=pa.list_(field))
        field = pa.field("l", array.type)
    where = {"column": "b", "struct": "s.b", "list": "l.b"}[place]
    table = pa.table([array], schema=pa.schema([field]))
    for data in (table, table.slice(0, 0)):
        with pytest.raises(OSError, match=f"unrecognized layout.*lance.blob.v2.*field '{where}'"):
            lancecpp.write_dataset(data, path, data_storage_version=version)
        assert not os.path.exists(path)
    with pytest.raises(ValueError, match=f"unrecognized layout.*lance.blob.v2.*field '{where}'"):
        LanceFileWriter(str(tmp_path / "f"), table.schema, version=version)
    dataset = lancecpp.write_dataset(pa.table({"i": [1]}), path, data_storage_version=version)
    with pytest.raises((OSError, ValueError), match=f"lance.blob.v2.*field '{where}'"):
        dataset.add_columns(field)
