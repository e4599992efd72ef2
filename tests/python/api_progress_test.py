"""write_dataset(progress=…) and (max_page_bytes=…)."""

import importlib
import os

import pyarrow as pa
import pytest

TABLE = pa.table({"a": range(10)})


def progress_of(lance, fails_in=None, error=KeyError("x")):
    """Keeps what it is told; raises in the method named."""
    module = importlib.import_module(f"{lance.__name__}.progress")

    class Progress(module.FragmentWriteProgress):
        def __init__(self):
            self.begun, self.completed = [], []

        def begin(self, fragment, **kwargs):
            assert not kwargs
            self.begun.append(fragment)
            if fails_in == "begin":
                raise error

        def complete(self, fragment, **kwargs):
            assert not kwargs
            self.completed.append(fragment)
            if fails_in == "complete":
                raise error

    return Progress()


def files_of(path):
    return sorted(os.listdir(f"{path}/data")) if os.path.exists(f"{path}/data") else []


def test_each_fragment(lance, path):
    progress = progress_of(lance)
    lance.write_dataset(TABLE, path, max_rows_per_file=4, progress=progress)
    assert [(f.id, f.files, f.physical_rows) for f in progress.begun] == [(0, [], None)] * 3
    # pylance says nothing of the last one.
    told = progress.completed[:2] if lance.__name__ == "lance" else progress.completed
    assert [(f.id, f.physical_rows) for f in told] == [(0, 4), (0, 4), (0, 2)][: len(told)]
    files = [file.path for fragment in told for file in fragment.files]
    assert set(files) <= set(files_of(path))
    assert all(file.file_size_bytes > 0 and file.fields == [0] for f in told for file in f.files)
    if lance.__name__ == "lancecpp":
        assert sorted(files) == files_of(path)
        stored = [f.metadata.files[0].path for f in lance.dataset(path).get_fragments()]
        assert files == stored


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_existing_tables(lance, path, mode):
    lance.write_dataset(TABLE, path)
    for table, fragments in ((TABLE, 1), (TABLE.slice(0, 0), 0)):
        progress = progress_of(lance)
        lance.write_dataset(table, path, mode=mode, progress=progress)
        assert len(progress.begun) == fragments
    data, progress = lance.dataset(path), progress_of(lance)
    data.insert(TABLE, progress=progress)
    assert len(progress.begun) == 1


def test_no_progress(lance, path):
    module = importlib.import_module(f"{lance.__name__}.progress")
    lance.write_dataset(TABLE, path, progress=module.NoopFragmentWriteProgress())
    lance.write_dataset(TABLE, path, mode="append", progress=None)
    assert lance.dataset(path).count_rows() == 20


def test_fragments(lance, path):
    lance.write_dataset(TABLE, path)
    progress = progress_of(lance)
    written = lance.fragment.write_fragments(TABLE, path, max_rows_per_file=6, progress=progress)
    assert len(progress.begun) == len(written) == 2
    assert progress.completed[0].files == written[0].files
    progress = progress_of(lance)
    written = lance.fragment.LanceFragment.create(path, TABLE, fragment_id=7, progress=progress)
    assert [fragment.id for fragment in progress.begun + progress.completed] == [7, 7]
    assert progress.completed[0] == written


def test_files_of_progress(lance, path, tmp_path):
    module = importlib.import_module(f"{lance.__name__}.progress")
    folder = tmp_path / "progress"
    progress = module.FileSystemFragmentWriteProgress(str(folder), {"worker": "1"})
    lance.fragment.LanceFragment.create(path, TABLE, fragment_id=3, progress=progress, mode="create")
    assert [file.name for file in folder.iterdir()] == ["fragment_3.json"]
    fragment = lance.fragment.FragmentMetadata(4, [], None)
    progress.begin(fragment)
    content = (folder / "fragment_4.in_progress").read_text()
    assert content == '{"fragment_id": 4, "metadata": {"worker": "1"}}'
    progress.complete(fragment)
    assert not (folder / "fragment_4.in_progress").exists()


@pytest.mark.parametrize("mode", ["create", "append", "overwrite"])
@pytest.mark.parametrize("method", ["begin", "complete"])
def test_errors(lancecpp, path, method, mode):
    if mode != "create":
        lancecpp.write_dataset(TABLE, path)
    files = files_of(path)
    with pytest.raises(OSError, match=rf"Failed to call {method}\(\).*KeyError: 'x'") as raised:
        progress = progress_of(lancecpp, method)
        lancecpp.write_dataset(TABLE, path, mode=mode, max_rows_per_file=4, progress=progress)
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(KeyboardInterrupt):
        progress = progress_of(lancecpp, method, KeyboardInterrupt())
        lancecpp.write_dataset(TABLE, path, mode=mode, progress=progress)
    assert files_of(path) == files
    if mode != "create":
        assert lancecpp.dataset(path).version == 1


def test_what_is_no_progress(lance, path):
    with pytest.raises(OSError, match=r"Failed to call begin\(\).*'int' object has no attribute '_do_begin'"):
        lance.write_dataset(TABLE, path, progress=5)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_max_page_bytes(lance, path, version):
    file = importlib.import_module(f"{lance.__name__}.file")
    table = pa.table({"i": range(5000), "l": [[i, i + 1] for i in range(5000)], "s": ["x" * 20] * 5000})
    for limit in (1 << 40, 4000):
        lance.write_dataset(
            table, path, mode="overwrite", data_storage_version=version, max_page_bytes=limit
        )
        assert lance.dataset(path).to_table() == table
        (name,) = [f.files[0].path for f in [x.metadata for x in lance.dataset(path).get_fragments()]]
        columns = file.LanceFileReader(f"{path}/data/{name}").metadata().columns
        pages = [len(column.pages) for column in columns]
        if version != "2.0" or limit > 4000:
            assert max(pages) == 1
        else:  # i, where lists end, their items, s
            assert pages[:2] == [10, 1] and 20 <= pages[2] <= 25 <= pages[3]


def test_bad_max_page_bytes(lance, path):
    with pytest.raises(OSError, match="max_page_bytes must be greater than 0, got 0"):
        lance.write_dataset(TABLE, path, max_page_bytes=0)
    with pytest.raises(OverflowError):
        lance.write_dataset(TABLE, path, max_page_bytes=-1)
    with pytest.raises(TypeError):
        lance.write_dataset(TABLE, path, max_page_bytes=1.5)
