"""Faults of other implementations that their users reported: the same inputs, and what is right.

Written by pylance, where it can, and read by us.
"""

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


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_lance_7015_json_inside_a_list_of_structs(pylance, lancecpp, tmp_path, version):
    from lance.file import LanceFileReader, LanceFileWriter

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
    try:
        with LanceFileWriter(path, table.schema, version=version) as writer:
            writer.write_batch(table)
        expected = LanceFileReader(path).read_all().to_table()
    except BaseException as error:
        pytest.skip(f"pylance can't: {error!s:.80}")
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
