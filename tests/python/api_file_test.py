"""lancecpp.file: single data files, as pylance's lance.file."""

import importlib
import inspect
import json
import pathlib

import numpy as np
import pyarrow as pa
import pytest

ROWS = 5000
TABLE = pa.table(
    {
        "i": pa.array(range(ROWS), pa.int64()),
        "s": pa.array([None if i % 7 == 3 else f"text {i}" for i in range(ROWS)]),
        "p": pa.array(
            [None if i % 5 == 1 else {"x": i, "y": {"z": float(i)}} for i in range(ROWS)]
        ),
        "l": pa.array(
            [None if i % 11 == 1 else [{"u": i, "v": str(k)} for k in range(i % 4)] for i in range(ROWS)]
        ),
    }
)  # fmt: skip


@pytest.fixture
def file(lance):
    """The module lance.file or lancecpp.file."""
    return importlib.import_module(f"{lance.__name__}.file")


@pytest.fixture
def other():
    """Both of them, each to read what the other wrote."""
    return [importlib.import_module(name) for name in ("lance.file", "lancecpp.file")]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "data.lance")


def write(file, path, data=TABLE, **options):
    with file.LanceFileWriter(path, **options) as writer:
        writer.write_batch(data)
    return path


def table_of(file, path, **options):
    return file.LanceFileReader(path, **options).read_all().to_table()


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_both_ways(other, tmp_path, version):
    for n, writer in enumerate(other):
        path = write(writer, str(tmp_path / f"{n}.lance"), version=version)
        for reader in other:
            assert table_of(reader, path) == TABLE


def test_all(file, path):
    reader = file.LanceFileReader(pathlib.Path(write(file, path)))
    assert reader.num_rows() == ROWS
    results = reader.read_all()
    assert [batch.num_rows for batch in results.to_batches()] == [1024] * 4 + [904]
    batches = reader.read_all(batch_size=2000, batch_readahead=2).to_batches()
    assert isinstance(batches, pa.RecordBatchReader)
    assert pa.Table.from_batches(batches) == TABLE
    assert file.LanceFileReader("file://" + path).num_rows() == ROWS


def test_range(file, path):
    reader = file.LanceFileReader(write(file, path))
    for start, count in [(0, 1), (10, 3), (1000, 3000), (4998, 2), (ROWS, 0), (0, ROWS)]:
        assert reader.read_range(start, count).to_table() == TABLE.slice(start, count)
    batches = reader.read_range(100, 250, batch_size=100).to_batches()
    assert [batch.num_rows for batch in batches] == [100, 100, 50]
    for start, count in [(4998, 5), (6000, 1)]:
        with pytest.raises(ValueError):
            reader.read_range(start, count)
    with pytest.raises(OverflowError):
        reader.read_range(-1, 1)


def test_take(file, path):
    reader = file.LanceFileReader(write(file, path))
    rows = [0, 1, 2, 7, 500, 4095, 4096, 4999]
    for indices in (rows, tuple(rows), np.array(rows)):
        assert reader.take_rows(indices).to_table() == TABLE.take(rows)
    batches = reader.take_rows(range(0, 100), batch_size=30).to_batches()
    assert [batch.num_rows for batch in batches] == [30, 30, 30, 10]
    assert reader.take_rows([]).to_table() == TABLE.slice(0, 0)
    for wrong in ([3, 1], [1, 1], [ROWS]):
        with pytest.raises(ValueError):
            reader.take_rows(wrong).to_table()
    with pytest.raises(OverflowError):
        reader.take_rows([-1])


def test_columns(file, path):
    write(file, path)
    assert table_of(file, path, columns=["s", "i"]) == TABLE.select(["s", "i"])
    for columns in (["zz"], []):
        with pytest.raises((OSError, ValueError)):
            file.LanceFileReader(path, columns=columns)


def test_nested_columns(file, path):
    write(file, path)
    read = table_of(file, path, columns=["p.y.z"])
    assert read.schema == pa.schema({"p": pa.struct({"y": pa.struct({"z": pa.float64()})})})
    assert read["p"].to_pylist()[:3] == [{"y": {"z": 0.0}}, None, {"y": {"z": 2.0}}]
    read = table_of(file, path, columns=["p.y", "i", "p.x"])
    assert read.schema.names == ["p", "i"]
    assert [f.name for f in read.schema.field("p").type] == ["y", "x"]
    read = table_of(file, path, columns=["l.item.v"])
    assert read.schema == pa.schema({"l": pa.list_(pa.struct({"v": pa.string()}))})
    expected = [
        None if row is None else [{"v": item["v"]} for item in row] for row in TABLE["l"].to_pylist()
    ]
    assert read["l"].to_pylist() == expected


def test_files_that_are_none(file, tmp_path):
    with pytest.raises(ValueError, match="none.lance"):
        file.LanceFileReader(str(tmp_path / "none.lance"))
    (tmp_path / "bad.lance").write_bytes(b"x" * 100)
    with pytest.raises(OSError):
        file.LanceFileReader(str(tmp_path / "bad.lance"))


def test_writer(file, path):
    writer = file.LanceFileWriter(path)
    assert writer.size_bytes is None and not writer.closed
    assert writer.write_batch(TABLE) is None
    assert writer.write_batch(TABLE.slice(0, 10).to_batches()[0]) is None
    assert writer.add_schema_metadata("key", "value") is None
    assert writer.add_global_buffer(b"abc") == 1
    assert writer.add_global_buffer(b"") == 2
    assert not pathlib.Path(path).exists() or file.__name__ == "lance.file"
    assert writer.close() == ROWS + 10
    assert writer.close() is None and writer.closed
    assert writer.size_bytes == pathlib.Path(path).stat().st_size

    reader = file.LanceFileReader(path)
    assert reader.read_all().to_table().schema.metadata == {b"key": b"value"}
    assert [reader.read_global_buffer(i) for i in (1, 2)] == [b"abc", b""]
    assert len(reader.read_global_buffer(0)) > 0
    with pytest.raises(ValueError, match="request for global buffer at index 3"):
        reader.read_global_buffer(3)
    with pytest.raises(OverflowError):
        reader.read_global_buffer(-1)


def test_buffers_and_metadata_before_the_first_batch(file, path):
    writer = file.LanceFileWriter(path, TABLE.schema)
    assert writer.add_global_buffer(b"first") == 1
    writer.add_schema_metadata("key", "value")
    writer.write_batch(TABLE)
    assert writer.close() == ROWS
    reader = file.LanceFileReader(path)
    assert reader.read_global_buffer(1) == b"first"
    assert reader.metadata().schema.metadata == {b"key": b"value"}


def test_without_schema_buffers_wait_for_the_first_batch(lancecpp, path):
    from lancecpp.file import LanceFileReader, LanceFileWriter

    with LanceFileWriter(path) as writer:
        assert writer.add_global_buffer(b"first") == 1
        writer.add_schema_metadata("key", "value")
        writer.write_batch(TABLE)
    assert LanceFileReader(path).read_global_buffer(1) == b"first"
    assert LanceFileReader(path).metadata().schema.metadata == {b"key": b"value"}
    with pytest.raises(ValueError, match="closed"):
        writer.write_batch(TABLE)


def test_no_rows(file, path):
    with pytest.raises(ValueError, match="No schema provided"):
        file.LanceFileWriter(path).close()
    assert not pathlib.Path(path).exists()
    assert file.LanceFileWriter(path, TABLE.schema).close() == 0
    assert table_of(file, path) == TABLE.slice(0, 0)


def test_data_that_does_not_fit(file, path):
    writer = file.LanceFileWriter(path, pa.schema({"i": pa.int64(), "s": pa.string()}))
    good = {"i": pa.array([1]), "s": pa.array(["b"])}
    for wrong in ({"i": good["i"]}, {**good, "i": pa.array(["a"])}):
        with pytest.raises(ValueError):
            writer.write_batch(pa.record_batch(wrong))
    for wrong in ({"i": [1]}, None):
        with pytest.raises(TypeError):
            writer.write_batch(wrong)
    writer.write_batch(pa.record_batch({**good, "extra": pa.array([1])}))
    assert writer.close() == 1
    assert table_of(file, path) == pa.table(good)


def test_options(file, path):
    flat = TABLE.select(["i", "s"])  # pylance can't write slices of structs
    with file.LanceFileWriter(path, flat.schema, data_cache_bytes=16000) as writer:
        for batch in flat.to_batches(max_chunksize=500):
            writer.write_batch(batch)
    assert table_of(file, path) == flat
    assert len(file.LanceFileReader(path).metadata().columns[1].pages) > 3
    write(file, path, max_page_bytes=4096, keep_original_array=True)
    assert table_of(file, path) == TABLE
    for version, footer in [("2.1", (2, 1)), ("2.2", (2, 2)), ("stable", (2, 2))]:
        metadata = file.LanceFileReader(write(file, path, version=version)).metadata()
        assert (metadata.major_version, metadata.minor_version) == footer
    with pytest.raises(ValueError):
        file.LanceFileWriter(path, TABLE.schema, max_page_bytes=0)
    with pytest.raises(ValueError):
        write(file, path, version="9")
    with pytest.raises(TypeError):
        file.LanceFileWriter(path, TABLE.schema, unheard_of=1)
    assert file.stable_version() == "2.2"


def test_an_exception_in_the_body_closes_the_file(file, path):
    with pytest.raises(KeyError):
        with file.LanceFileWriter(path, TABLE.schema) as writer:
            writer.write_batch(TABLE)
            raise KeyError
    assert file.LanceFileReader(path).num_rows() == ROWS


def facts(metadata):
    """All but the text of the encodings, which is each engine's own."""
    buffers = lambda found: [(b.position, b.size) for b in found]  # noqa: E731
    return {
        "schema": metadata.schema,
        "numbers": [
            metadata.num_rows,
            metadata.num_data_bytes,
            metadata.num_column_metadata_bytes,
            metadata.num_global_buffer_bytes,
            metadata.major_version,
            metadata.minor_version,
        ],
        "buffers": buffers(metadata.global_buffers),
        "columns": [
            [buffers(column.column_buffers), [buffers(page.buffers) for page in column.pages]]
            for column in metadata.columns
        ],
    }


def test_metadata_is_the_same(other, tmp_path):
    theirs, ours = other
    for n, writer in enumerate(other):
        path = write(writer, str(tmp_path / f"{n}.lance"))
        readers = [module.LanceFileReader(path) for module in other]
        assert facts(readers[0].metadata()) == facts(readers[1].metadata())
        sizes = [
            [(c.num_pages, c.size_bytes) for c in reader.file_statistics().columns]
            for reader in readers
        ]
        assert sizes[0] == sizes[1]
    metadata = ours.LanceFileReader(path).metadata()
    assert metadata.columns[0].pages[0].encoding.startswith("miniblock(")
    assert set(theirs.__all__) == set(ours.__all__)


def test_signatures_are_those_of_pylance(other):
    for owner in ("LanceFileReader", "LanceFileWriter", "ReaderResults"):
        theirs, ours = (getattr(module, owner) for module in other)
        for name, member in vars(theirs).items():
            if not inspect.isfunction(member) or name.startswith("__") and name != "__init__":
                continue
            shapes = [
                [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
                for f in (member, getattr(ours, name))
            ]
            assert shapes[0] == shapes[1], (owner, name)


def test_files_of_a_table(lancecpp, tmp_path):
    from lancecpp.file import LanceFileReader

    lancecpp.write_dataset(TABLE, str(tmp_path / "t"), max_rows_per_file=2000)
    files = sorted((tmp_path / "t" / "data").iterdir())
    assert sorted(LanceFileReader(f).num_rows() for f in files) == [1000, 2000, 2000]


def test_metadata_of_a_fixture(lancecpp):
    from lancecpp.file import LanceFileReader

    root = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "fixtures"
    folder = root / "files14" / "v2.2_pages_max4k"
    if not folder.exists():
        pytest.skip("fixtures are absent")
    metadata = LanceFileReader(folder / "file.lance").metadata()
    expected = json.loads((folder / "meta.json").read_text())
    assert facts(metadata)["columns"] == [
        [[], [[tuple(b) for b in page] for page in column["pages"]]]
        for column in expected["columns"]
    ]
