"""Our tables read by an older pylance, and its tables read by us; ./dev test installs it.

$LANCE_OLDER_PYLANCE is a folder to put on PYTHONPATH. It runs once for all tables of a kind and a
file version.
"""

import importlib
import os

import pytest

import older_pylance
import random_layouts
import random_tables

COUNT = int(os.environ.get("LANCE_INTEROP_SEEDS", "40"))
SEEDS = range(1000, 1000 + COUNT)
# What makes the tables, the file version, and the seeds. We write all but the legacy
# one; 2.3 of the older one is another format.
BATCHES = [("random_tables", version, SEEDS) for version in ("2.1", "2.2")]
FEWER = SEEDS[: max(1, COUNT // 4)]
BATCHES += [("random_layouts", version, FEWER) for version in ("2.0", "2.1", "2.2")]
BATCHES += [("random_tables", version, FEWER) for version in ("legacy", "2.0")]
CASES = [(maker, version, seed) for maker, version, seeds in BATCHES for seed in seeds]
OUR_VERSIONS = ("2.0", "2.1", "2.2")


def make(maker, version, seed):
    return importlib.import_module(maker).table(seed, version)


@pytest.fixture(scope="module")
def batches(tmp_path_factory):
    """{(maker, version): (folder, {seed: what the older pylance found})}"""
    import lancecpp

    out = {}
    for maker, version, seeds in BATCHES:
        folder = tmp_path_factory.mktemp("older")
        refused = {}
        for seed in seeds if version in OUR_VERSIONS else ():
            try:
                lancecpp.write_dataset(
                    make(maker, version, seed),
                    str(folder / f"ours-{seed}.lance"),
                    data_storage_version=version,
                )
            except Exception as error:
                assert any(part in str(error) for part in random_layouts.REFUSED), error
                refused[str(seed)] = f"skip ours: {error!s:.80}"
        found = older_pylance.answer("older_pylance_batch.py", folder, maker, version, *seeds)
        out[maker, version] = folder, found | refused
    return out


@pytest.mark.parametrize("maker, version, seed", [case for case in CASES if case[1] in OUR_VERSIONS])
def test_ours_read_by_it(batches, maker, version, seed):
    found = batches[maker, version][1][str(seed)]
    if found.startswith("skip"):
        pytest.skip(found)
    assert found == ""


@pytest.mark.parametrize("maker, version, seed", CASES)
def test_its_read_by_us(batches, maker, version, seed, pylance, lancecpp):
    folder, findings = batches[maker, version]
    if findings[str(seed)].startswith("skip: "):
        pytest.skip(findings[str(seed)])
    path = str(folder / f"theirs-{seed}.lance")
    expected = make(maker, version, seed)
    if version in ("legacy", "2.0"):  # not all of it comes back
        expected = pylance.dataset(path).to_table()
    assert random_tables.difference(expected, lancecpp.dataset(path).to_table()) is None


def test_its_blobs_read_by_us(tmp_path, pylance, lancecpp):
    """With nulls they have one layer more than those of the newer one, which shows the nulls as empty."""
    path = str(tmp_path / "t.lance")
    script = f"""
import lance, pyarrow as pa
blobs = lance.blob_array([b"abc", None, b"d" * 5000, b"", None])
table = pa.table([blobs], schema=pa.schema([lance.blob_field("b")]))
lance.write_dataset(table, {path!r}, data_storage_version="2.2")
"""
    older_pylance.run("-c", script)
    ours = lancecpp.dataset(path)
    assert ours.to_table().schema == pylance.dataset(path).to_table().schema
    got = ours.to_table(blob_handling="all_binary")["b"].to_pylist()
    assert got == [b"abc", None, b"d" * 5000, b"", None]
