"""Faults of other implementations that their users reported: the same inputs, and what is right.

Written by pylance, where it can, and read by us.
"""

import ctypes
import random

import pyarrow as pa
import pytest

PREFIX = "lance-encoding:"


def rewritten(pylance, lancecpp, path, table, version, **kwargs):
    """The table as we read it from a file of pylance."""
    pylance.write_dataset(table, path, data_storage_version=version, **kwargs)
    return lancecpp.dataset(path)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "t.lance")


def blob_table(pylance, values):
    return pa.table([pylance.blob_array(values)], schema=pa.schema([pylance.blob_field("b")]))


def test_lance_8067_empty_blob_is_not_null(pylance, lancecpp, path):
    dataset = rewritten(pylance, lancecpp, path, blob_table(pylance, [b"", b"payload"]), "2.2")
    files = dataset.to_pandas()["b"]
    assert files[0] is not None and files[0].size() == 0 and files[0].read() == b""
    assert files[1].read() == b"payload"


@pytest.mark.parametrize("last", [b"", None])
@pytest.mark.parametrize("preserve_order", [None, True, False])
def test_lance_7899_last_requested_blobs_are_empty(
    pylance, lancecpp, path, last, preserve_order
):
    dataset = rewritten(pylance, lancecpp, path, blob_table(pylance, [b"x", last, last]), "2.2")
    for rows in ({"indices": [0, 1, 2]}, {"addresses": [0, 1, 2]}, {"ids": [0, 1, 2]}):
        got = dataset.read_blobs("b", preserve_order=preserve_order, **rows)
        assert sorted(got) == [(0, b"x"), (1, last), (2, last)]
    assert dataset.read_blobs("b", indices=[1]) == [(1, last)]


def written_by_pylance(path, table, version):
    """Writes a file; what pylance reads back of it. Skips the test where pylance can't."""
    from lance.file import LanceFileReader, LanceFileWriter

    try:
        with LanceFileWriter(path, table.schema, version=version) as writer:
            writer.write_batch(table)
        return LanceFileReader(path).read_all().to_table()
    except BaseException as error:
        pytest.skip(f"pylance can't: {error!s:.80}")


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_lance_7015_json_inside_a_list_of_structs(pylance, lancecpp, tmp_path, version):
    item = pa.struct([pa.field("j", pa.json_(pa.utf8())), pa.field("i", pa.int32())])
    storage = pa.array(
        [[{"j": '{"k":1}', "i": 1}, {"j": None, "i": 2}], None, [], [{"j": "[]", "i": None}]],
        pa.list_(pa.struct([("j", pa.utf8()), ("i", pa.int32())])),
    )
    structs = storage.values
    values = pa.StructArray.from_arrays(
        [pa.ExtensionArray.from_storage(pa.json_(pa.utf8()), structs.field(0)), structs.field(1)],
        fields=list(item),
    )
    lists = pa.ListArray.from_arrays(storage.offsets, values, mask=storage.is_null())
    path = str(tmp_path / "f.lance")
    table = pa.table({"l": lists})
    expected = written_by_pylance(path, table, version)
    from lancecpp.file import LanceFileReader as OurReader

    got = OurReader(path).read_all().to_table()
    assert got["l"].to_pylist() == expected["l"].to_pylist()


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_lance_6776_deeply_nested_structs(pylance, lancecpp, path, version):
    random.seed(1)

    def value(depth):
        if random.random() < 0.2:
            return None
        if depth == 0:
            return random.randrange(1000)
        return {
            "n": random.choice([None, "x", "yy"]),
            "l": random.choice([None, [], [value(depth - 1) for _ in range(random.randrange(4))]]),
        }

    type_ = pa.int32()
    for _ in range(4):
        type_ = pa.struct([("n", pa.string()), ("l", pa.list_(type_))])
    table = pa.table({"s": pa.array([value(4) for _ in range(700)], type_)})
    dataset = rewritten(pylance, lancecpp, path, table, version)
    assert dataset.to_table().equals(table)
    rows = [random.randrange(700) for _ in range(50)]
    assert dataset.take(rows)["s"].to_pylist() == table.take(pa.array(rows))["s"].to_pylist()


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
@pytest.mark.parametrize("nulls_first", [False, True])
def test_lance_5074_pages_with_and_without_nulls(pylance, lancecpp, path, version, nulls_first):
    full = pa.record_batch({"x": pa.array(range(3000), pa.int32()), "s": [f"s{i}" for i in range(3000)]})
    sparse = pa.record_batch(
        {
            "x": pa.array([None if i % 3 else i for i in range(3000)], pa.int32()),
            "s": [None if i % 5 else f"s{i}" for i in range(3000)],
        }
    )
    batches = [sparse, full] if nulls_first else [full, sparse]
    table = pa.Table.from_batches(batches)
    reader = pa.RecordBatchReader.from_batches(table.schema, batches)
    dataset = rewritten(pylance, lancecpp, path, reader, version, data_cache_bytes=1)
    assert len(dataset.get_fragments()) == 1
    assert dataset.to_table().equals(table)
    assert dataset.to_table(offset=2900, limit=200).equals(table.slice(2900, 200))


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_lance_5994_runs_of_timestamps_compressed(pylance, lancecpp, path, version, compression):
    metadata = {
        PREFIX + "structural-encoding": "miniblock",
        PREFIX + "compression": compression,
    }
    times = pa.array([1700000000 + i // 100 for i in range(10000)], pa.timestamp("us", "UTC"))
    schema = pa.schema([pa.field("t", times.type, metadata=metadata)])
    table = pa.table([times], schema=schema)
    assert rewritten(pylance, lancecpp, path, table, version).to_table().equals(table)


VERSIONS = ["2.0", "2.1", "2.2", "2.3"]
OUR_VERSIONS = ["2.1", "2.2"]
# A null that a bug turns into the zero of its type.
NULLED = {
    "int": pa.array([None, 42], pa.int32()),
    "int8": pa.array([7, None, None], pa.int8()),
    "date": pa.array([0, None, 19000], pa.int32()).cast(pa.date32()),
    "date64": pa.array([None, 86400000], pa.int64()).cast(pa.date64()),
    "timestamp": pa.array([None, 1], pa.timestamp("us", "UTC")),
    "time": pa.array([None, 5], pa.time64("us")),
    "decimal": pa.array([None, 3], pa.decimal128(10, 2)),
    "bool": pa.array([None, False, True], pa.bool_()),
    "double": pa.array([0.0, None], pa.float64()),
    "fixed binary": pa.array([None, b"xyz"], pa.binary(3)),
    "string": pa.array([None, "", "a"]),
    "list": pa.array([None, [], [None, 1]], pa.list_(pa.int32())),
    "dictionary": pa.array(["a", None]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", NULLED)
@pytest.mark.parametrize("version", VERSIONS)
def test_duckdb_1325_nulls_are_not_zeros(pylance, lancecpp, path, version, kind):
    table = pa.table({"x": NULLED[kind]})
    dataset = rewritten(pylance, lancecpp, path, table, version)
    assert dataset.to_table()["x"].to_pylist() == table["x"].to_pylist()
    assert dataset.take([1, 0])["x"].to_pylist() == table["x"].to_pylist()[1::-1]
    if version in OUR_VERSIONS:
        ours = lancecpp.write_dataset(table, path + "-ours", data_storage_version=version)
        assert ours.to_table()["x"].to_pylist() == table["x"].to_pylist()
        theirs = pylance.dataset(path + "-ours").to_table()
        assert theirs["x"].to_pylist() == table["x"].to_pylist()


# Files of 0.1 hold no nulls: what comes back is what the reference makes of their bytes.
@pytest.mark.parametrize("kind", NULLED)
def test_lance_1643_nulls_of_the_first_format(pylance, lancecpp, path, kind):
    dataset = rewritten(pylance, lancecpp, path, pa.table({"x": NULLED[kind]}), "0.1")
    expected = pylance.dataset(path).to_table()
    assert dataset.to_table().equals(expected)
    assert dataset.take([1, 0]).equals(expected.take([1, 0]))


VECTORS = {
    "items": pa.array([[1, None], [3, 4]], pa.list_(pa.float32(), 2)),
    "lists": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.float32(), 2)),
    "both": pa.array([[1, None], None, [None, None], [3, 4]], pa.list_(pa.float16(), 2)),
    "bools": pa.array([[True, None, False], None], pa.list_(pa.bool_(), 3)),
    "wide": pa.array([[None] * 99 + [1.5], None, [2.0] * 100], pa.list_(pa.float64(), 100)),
    "nested": pa.array([[[1, None]], None, [None], [[3, 4]]], pa.list_(pa.list_(pa.int16(), 2), 1)),
    "in lists": pa.array([[[1, None], None], None, []], pa.list_(pa.list_(pa.int32(), 2))),
    "in structs": pa.array([{"v": [1, None]}, {"v": None}], pa.struct([("v", pa.list_(pa.int32(), 2))])),
    "all items null": pa.array([[None, None], [None, None]], pa.list_(pa.int64(), 2)),
}


@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.parametrize("version", VERSIONS)
def test_lance_2907_vectors_with_nulls_inside(pylance, lancecpp, path, version, kind):
    table = pa.table({"v": VECTORS[kind]})
    dataset = rewritten(pylance, lancecpp, path, table, version)
    assert dataset.to_table()["v"].to_pylist() == table["v"].to_pylist()
    assert dataset.take([1, 0])["v"].to_pylist() == table["v"].to_pylist()[1::-1]
    if version in OUR_VERSIONS:
        lancecpp.write_dataset(table, path + "-ours", data_storage_version=version)
        theirs = pylance.dataset(path + "-ours").to_table()
        assert theirs["v"].to_pylist() == table["v"].to_pylist()


@pytest.mark.parametrize("version", ["0.1", *VERSIONS])
def test_duckdb_2240_children_of_null_vectors_are_whole(pylance, lancecpp, path, version):
    table = pa.table({"v": pa.array([[1, 2, 3], None], pa.list_(pa.int32(), 3))})
    got = rewritten(pylance, lancecpp, path, table, version).to_table()["v"]
    for array in got.chunks:
        assert len(array.values) == 3 * (len(array) + array.offset)
        assert array.values.buffers()[1].size >= 4 * len(array.values)
        array.validate(full=True)


def with_short_items(batch, length):
    """The batch with fewer items in its first column, as another engine may hand it over by the C data
    interface, which checks nothing."""
    array, schema = ctypes.create_string_buffer(80), ctypes.create_string_buffer(72)
    addresses = ctypes.addressof(array), ctypes.addressof(schema)
    batch._export_to_c(*addresses)
    at = addresses[0]
    for _ in range(2):  # the column, its items
        at = ctypes.c_uint64.from_address(ctypes.c_uint64.from_address(at + 48).value).value
    ctypes.c_int64.from_address(at).value = length
    return pa.RecordBatch._import_from_c(*addresses)


@pytest.mark.parametrize("version", OUR_VERSIONS)
@pytest.mark.parametrize("as_stream", [False, True])
def test_duckdb_2240_short_children_are_refused(lancecpp, path, version, as_stream):
    whole = pa.record_batch({"v": pa.array([[1, 2, 3], None], pa.list_(pa.int32(), 3))})
    source = with_short_items(whole, 3)
    if as_stream:
        source = pa.RecordBatchReader.from_batches(source.schema, [source])
    with pytest.raises((ValueError, OSError, RuntimeError)):
        lancecpp.write_dataset(source, path, data_storage_version=version)


# Relatives of 7015: wherever a JSON field may stand.
@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("place", ["top", "struct", "list"])
def test_lance_7015_json_in_other_places(pylance, lancecpp, tmp_path, version, place):
    from lancecpp.file import LanceFileReader as OurReader

    texts = pa.array(['{"k":1}', None, "[]", '"x"'])
    json = pa.ExtensionArray.from_storage(pa.json_(pa.utf8()), texts)
    if place == "struct":
        json = pa.StructArray.from_arrays([json], fields=[pa.field("j", json.type)])
    elif place == "list":
        json = pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 4], pa.int32()), json)
    path = str(tmp_path / "f.lance")
    table = pa.table({"c": json})
    expected = written_by_pylance(path, table, version)
    got = OurReader(path).read_all().to_table()
    assert got.schema.equals(expected.schema)
    assert got["c"].to_pylist() == expected["c"].to_pylist()
