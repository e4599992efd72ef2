"""Blob columns: what scans show of them, and reading them as files or as bytes.

The tables are written by pylance and read by both.
"""

import hashlib
import io
import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

BLOB_V1 = {"lance-encoding:blob": "true"}
VALUES = [b"abc", None, b"", b"q" * 5000, b"z" * 70000, b"w" * 100]


def _fixtures():
    given = os.environ.get("LANCE_FIXTURES")
    if given:
        return Path(given)
    for parent in Path(__file__).resolve().parents:
        if (parent / "shared" / "fixtures" / "hints14").exists():
            return parent / "shared" / "fixtures"
    return None


FIXTURES = _fixtures()
TABLES = (
    "blob_v1_table",
    "blob_v2_table_v2.2",
    "blob_v2_table_v2.3",
    "blob_v2_table_thresholds_v2.2",
    "blob_v2_table_thresholds_v2.3",
)
EXTERNAL = Path("/tmp/lance-fixtures/blob_v2_external.bin")


def write_v1(pylance, path, values=VALUES, **kwargs):
    schema = pa.schema(
        [pa.field("id", pa.int64()), pa.field("b", pa.large_binary(), metadata=BLOB_V1)]
    )
    table = pa.table([range(len(values)), values], schema=schema)
    pylance.write_dataset(table, path, data_storage_version="2.1", **kwargs)


def write_v2(pylance, path, values=VALUES, version="2.2", field={}, **kwargs):
    schema = pa.schema([pa.field("id", pa.int64()), pylance.blob_field("b", **field)])
    table = pa.table(
        [pa.array(range(len(values)), pa.int64()), pylance.blob_array(values)], schema=schema
    )
    pylance.write_dataset(table, path, data_storage_version=version, **kwargs)


WRITERS = {"v1": write_v1, "v2": write_v2}


@pytest.fixture(params=WRITERS)
def written(request, pylance, path):
    WRITERS[request.param](pylance, path)
    return path


def same_columns(expected, got):
    """Schemas equal with the metadata of fields, and values equal."""
    assert got.schema.equals(expected.schema, check_metadata=True), got.schema
    assert got.combine_chunks().equals(expected.combine_chunks())


@pytest.mark.skipif(FIXTURES is None, reason="no fixtures")
@pytest.mark.parametrize("name", TABLES)
def test_fixtures(lancecpp, name):
    folder = FIXTURES / "hints14" / name
    if (folder / "external.bin").exists():
        EXTERNAL.parent.mkdir(exist_ok=True)
        shutil.copy(folder / "external.bin", EXTERNAL)
    dataset = lancecpp.dataset(str(folder / "data.lance"))
    same_columns(pa.ipc.open_file(folder / "expected.arrow").read_all(), dataset.to_table())
    wanted = json.loads((folder / "expected.json").read_text())["blobs_by_row_offset"]
    files = dataset.take_blobs("b", indices=list(range(len(wanted))))
    read = dataset.read_blobs("b", indices=list(range(len(wanted))))
    scanned = dataset.to_table(columns=["b"], blob_handling="all_binary")["b"].to_pylist()
    for want, file, (_, data), from_scan in zip(wanted, files, read, scanned, strict=True):
        assert from_scan == data
        if want is None:
            assert file is None and data is None
            continue
        assert file.readall() == data
        assert file.size() == len(data)
        if isinstance(want, dict):
            assert want == {"size": len(data), "sha1": hashlib.sha1(data).hexdigest()}
        else:
            assert data.hex() == want


def test_scan_gives_descriptors_or_bytes(lance, pylance, written):
    dataset = lance.dataset(written)
    reference = pylance.dataset(written)
    for handling in (None, "blobs_descriptions", "all_descriptions", "all_binary"):
        got = dataset.to_table(blob_handling=handling)
        same_columns(reference.to_table(blob_handling=handling), got)
        batches = list(dataset.to_batches(blob_handling=handling, batch_size=2))
        assert pa.Table.from_batches(batches).equals(got)
    assert dataset.to_table(columns=["b"], blob_handling="all_binary")["b"].to_pylist() == VALUES
    with pytest.raises(ValueError, match="Expected one of"):
        dataset.scanner(blob_handling="bytes")


def test_take_and_fragments(lance, pylance, written):
    dataset, reference = lance.dataset(written), pylance.dataset(written)
    same_columns(reference.take([3, 1], columns=["b"]), dataset.take([3, 1], columns=["b"]))
    fragment = dataset.get_fragments()[0]
    if lance is not pylance or pylance.dataset(written).data_storage_version == "2.1":
        taken = fragment.take([0, 1, 4], columns=["b"])  # of v2, pylance can't
        assert taken["b"].to_pylist() == [b"abc", None, VALUES[4]]
    got = fragment.to_table(columns=["b"], blob_handling="all_binary")
    assert got["b"].to_pylist() == VALUES


def test_take_blobs_keeps_order_and_repeats(lance, written):
    dataset = lance.dataset(written)
    files = dataset.take_blobs("b", indices=[5, 1, 0, 5, 2])
    assert [None if f is None else f.readall() for f in files] == [
        VALUES[5],
        None,
        b"abc",
        VALUES[5],
        b"",
    ]
    assert dataset.take_blobs("b", indices=[]) == []
    for rows in ({"addresses": [3, 0]}, {"ids": [3, 0]}, {"indices": pa.array([3, 0])}):
        assert [f.size() for f in dataset.take_blobs("b", **rows)] == [5000, 3]


def test_read_blobs(lance, written):
    dataset = lance.dataset(written)
    assert dataset.read_blobs("b", indices=[2, 0, 1, 2]) == [(2, b""), (0, b"abc"), (1, None), (2, b"")]
    assert dataset.read_blobs("b", ids=[4]) == [(4, VALUES[4])]


def test_which_rows(lance, pylance, written):
    pylance.dataset(written).delete("id = 0")
    dataset = lance.dataset(written)
    assert [f and f.size() for f in dataset.take_blobs("b", indices=[0, 1, 2])] == [None, 0, 5000]
    assert dataset.read_blobs("b", indices=[2]) == [(3, VALUES[3])]
    assert dataset.read_blobs("b", addresses=[3]) == [(3, VALUES[3])]
    for wrong in ({}, {"ids": [1], "indices": [1]}):
        with pytest.raises(ValueError, match="Exactly one of"):
            dataset.take_blobs("b", **wrong)
    with pytest.raises(ValueError):
        dataset.take_blobs("b", indices=[17])
    with pytest.raises(ValueError):
        dataset.take_blobs("b", addresses=[17])
    with pytest.raises(NotImplementedError, match="deleted"):
        dataset.take_blobs("b", addresses=[0])
    with pytest.raises(ValueError, match="not a blob column"):
        dataset.take_blobs("id", indices=[1])


def test_stable_row_ids(lance, pylance, path):
    write_v1(pylance, path, [b"a", None, b"cc"], enable_stable_row_ids=True)
    write_v1(pylance, path, [b"d", b"", b"fff"], mode="append")
    pylance.dataset(path).delete("b is not null and _rowid = 0")
    dataset = lance.dataset(path)
    assert [f.readall() for f in dataset.take_blobs("b", ids=[5, 2, 3])] == [b"fff", b"cc", b"d"]
    assert dataset.read_blobs("b", ids=[4, 1]) == [((1 << 32) + 1, b""), (1, None)]
    with pytest.raises(ValueError, match="first missing row ID 77"):
        dataset.take_blobs("b", ids=[5, 77])


def test_file_interface(lance, written):
    file = lance.dataset(written).take_blobs("b", indices=[3])[0]
    assert isinstance(file, io.BufferedIOBase)
    assert (file.readable(), file.seekable(), file.writable(), file.closed) == (True, True, False, False)
    assert (file.size(), file.tell(), file.read(2), file.tell()) == (5000, 0, b"qq", 2)
    assert (file.seek(-3, io.SEEK_END), file.read(), file.read(1)) == (4997, b"qqq", b"")
    assert (file.seek(10), file.seek(5, io.SEEK_CUR), file.read1(4)) == (10, 15, b"qqqq")
    buffer = bytearray(7)
    assert (file.seek(4996), file.readinto(buffer), bytes(buffer[:4])) == (4996, 4, b"qqqq")
    assert (file.seek(99999), file.tell(), file.read(3)) == (99999, 99999, b"")
    with pytest.raises(ValueError, match="negative seek value -1"):
        file.seek(-1)
    with pytest.raises(ValueError, match="Invalid whence: 5"):
        file.seek(0, 5)
    file.seek(1)
    assert (file.read_range(1, 2), file.read_ranges([(0, 1), (2, 2)])) == (b"qq", [b"q", b"qq"])
    assert file.tell() == 1
    for offset, length in ((4999, 2), (6000, 0)):
        with pytest.raises(ValueError, match="exceeds blob size 5000"):
            file.read_range(offset, length)
    with pytest.raises(OverflowError):
        file.read_range(-1, 2)
    with pytest.raises(io.UnsupportedOperation):
        file.write(b"x")
    assert repr(file) == "<BlobFile size=5000>"
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        file.read()
    with pytest.raises(ValueError, match="already closed"):
        file.read_range(0, 1)
    assert file.size() == 5000


@pytest.mark.parametrize("buffer_size", [0, 7, 1 << 19])
def test_sequential_reads(lance, pylance, path, buffer_size):
    data = bytes(i * 7 % 251 for i in range(3000))
    write_v1(pylance, path, [b"before", data, b"after"])
    file = lance.dataset(path).take_blobs("b", indices=[1], buffer_size=buffer_size)[0]
    got = b""
    for size in (1, 5, 0, 13, 100, 3, 2000, 5000):
        got += file.read(size)
        assert file.tell() == len(got)
    assert got == data
    file.seek(1000)
    assert file.read(10) == data[1000:1010]
    assert b"".join(iter(lambda: file.read(64), b"")) == data[1010:]


def test_reads_are_lazy(lancecpp, pylance, path):
    write_v1(pylance, path, [b"x" * 100000] * 4)
    dataset = lancecpp.dataset(path)
    files = dataset.take_blobs("b", indices=[0, 1, 2, 3])
    dataset.io_stats_incremental()
    files[2].seek(50000)
    assert dataset.io_stats_incremental().read_iops == 0
    assert files[2].read_range(10, 100) == b"x" * 100
    stats = dataset.io_stats_incremental()
    assert (stats.read_iops, stats.read_bytes) == (1, 100)
    dataset.read_blobs("b", indices=[1])
    dataset.io_stats_incremental()
    dataset.read_blobs("b", indices=[3])  # the index of the page is known by now
    assert dataset.io_stats_incremental().read_iops == 2


def test_nested_blobs(lance, pylance, path, tmp_path):
    blob = pa.field("b", pa.large_binary(), metadata=BLOB_V1)
    rows = [{"b": b"xx", "i": 1}, None, {"b": None, "i": 2}, {"b": b"", "i": 3}]
    table = pa.table({"s": pa.array(rows, pa.struct([blob, pa.field("i", pa.int8())]))})
    pylance.write_dataset(table, path, data_storage_version="2.1")
    field = pylance.blob_field("b")
    blobs = pylance.blob_array([b"xx", None, b"", b"y" * 70000])
    members = [field, pa.field("i", pa.int8())]
    mask = pa.array([False, True, False, False])
    structs = pa.StructArray.from_arrays(
        [blobs, pa.array([1, 2, 3, 4], pa.int8())], fields=members, mask=mask
    )
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 2, 4, 4]), blobs, type=pa.list_(pa.field("item", field.type))
    )
    other = str(tmp_path / "v2.lance")
    pylance.write_dataset(
        pa.table({"s": structs, "l": lists}), other, data_storage_version="2.2"
    )
    for where in (path, other):
        dataset, reference = lance.dataset(where), pylance.dataset(where)
        for handling in ("blobs_descriptions", "all_binary"):
            for columns in (None, ["s.b"]):
                same_columns(
                    reference.to_table(columns=columns, blob_handling=handling),
                    dataset.to_table(columns=columns, blob_handling=handling),
                )
        sizes = [f and f.size() for f in dataset.take_blobs("s.b", indices=[0, 1, 2, 3])]
        assert sizes == [f and f.size() for f in reference.take_blobs("s.b", indices=[0, 1, 2, 3])]


def test_old_files_of_a_promoted_column(lance, pylance, path):
    write_v1(pylance, path)
    write_v2(pylance, path, [b"new", None, b"n" * 70000], mode="append")
    dataset, reference = lance.dataset(path), pylance.dataset(path)
    for handling in ("blobs_descriptions", "all_binary"):
        same_columns(
            reference.to_table(blob_handling=handling), dataset.to_table(blob_handling=handling)
        )
    rows = list(range(len(VALUES) + 3))
    got = [f and f.readall() for f in dataset.take_blobs("b", indices=rows)]
    assert got == VALUES + [b"new", None, b"n" * 70000]


def test_external_blobs(lance, pylance, path, tmp_path):
    outside = tmp_path / "outside.bin"
    outside.write_bytes(bytes(range(256)) * 4)
    uri = outside.as_uri()
    values = [pylance.Blob.from_uri(uri), pylance.Blob.from_uri(uri, position=16, size=32), None]
    write_v2(pylance, path, values, allow_external_blob_outside_bases=True)
    dataset = lance.dataset(path)
    got = [f and f.readall() for f in dataset.take_blobs("b", indices=[0, 1, 2])]
    assert got == [bytes(range(256)) * 4, bytes(range(16, 48)), None]
    assert [data for _, data in dataset.read_blobs("b", indices=[1, 0])] == [got[1], got[0]]


def test_packed_and_dedicated_blobs(lance, pylance, path):
    values = [b"i" * 10, b"p" * 100, b"P" * 200, b"d" * 3000, None, b""]
    field = {"inline_size_threshold": 50, "dedicated_size_threshold": 1000}
    write_v2(pylance, path, values, field=field)
    dataset = lance.dataset(path)
    kinds = [row and row["kind"] for row in dataset.to_table()["b"].to_pylist()]
    assert kinds == [0, 1, 1, 2, None, 0]
    assert [f and f.readall() for f in dataset.take_blobs("b", indices=range(6))] == values
    assert dataset.to_table(columns=["b"], blob_handling="all_binary")["b"].to_pylist() == values


def test_missing_sidecar_is_named(lancecpp, pylance, path):
    write_v2(pylance, path, [b"p" * 100], field={"inline_size_threshold": 50})
    for sidecar in Path(path).glob("data/*/*.blob"):
        sidecar.unlink()
    dataset = lancecpp.dataset(path)
    assert dataset.to_table()["b"].to_pylist()[0]["size"] == 100
    with pytest.raises((OSError, ValueError), match=r"\.blob"):
        dataset.read_blobs("b", indices=[0])


def test_pandas(lance, written):
    pytest.importorskip("pandas")
    dataset = lance.dataset(written)
    frame = dataset.to_pandas()
    assert list(frame.columns) == ["id", "b"]
    assert [None if f is None else f.readall() for f in frame["b"]] == VALUES
    assert list(dataset.to_pandas(blob_mode="bytes")["b"]) == VALUES
    assert frame["b"][1] is None
    described = dataset.to_pandas(columns=["b"], blob_mode="descriptions")["b"]
    assert described[3]["size"] == 5000
    only = dataset.to_pandas(columns=["b"])
    assert [f and f.size() for f in only["b"]] == [len(v) if v is not None else None for v in VALUES]
    with pytest.raises(ValueError, match="blob_mode must be one of"):
        dataset.to_pandas(blob_mode="zz")
