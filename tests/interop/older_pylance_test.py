"""Our tables read by an older pylance, and its tables read by us; ./dev test installs it.

$LANCE_OLDER_PYLANCE is a folder to put on PYTHONPATH. It runs once for all tables of a file version.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import random_tables

FOLDER = os.environ.get("LANCE_OLDER_PYLANCE")
SEEDS = range(1000, 1000 + int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))

if FOLDER is None:
    assert os.environ.get("CI") != "true", "LANCE_OLDER_PYLANCE is not set"
    pytest.skip("LANCE_OLDER_PYLANCE is not set", allow_module_level=True)


@pytest.fixture(scope="module", params=["2.1", "2.2"])
def batch(request, tmp_path_factory):
    """(folder, version, {seed: what the older pylance found})"""
    import lancecpp

    version, folder = request.param, tmp_path_factory.mktemp("older")
    for seed in SEEDS:
        path = str(folder / f"ours-{version}-{seed}.lance")
        lancecpp.write_dataset(random_tables.table(seed), path, data_storage_version=version)
    here = pathlib.Path(__file__).parent
    command = [sys.executable, str(here / "older_pylance_batch.py"), str(folder), version, *map(str, SEEDS)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": FOLDER}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, version, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_ours_read_by_it(batch, seed):
    found = batch[2][str(seed)]
    if found.startswith("skip: "):
        pytest.skip(found)
    assert found == ""


@pytest.mark.parametrize("seed", SEEDS)
def test_its_read_by_us(batch, seed, lancecpp):
    folder, version, findings = batch
    if findings[str(seed)].startswith("skip: "):
        pytest.skip(findings[str(seed)])
    got = lancecpp.dataset(str(folder / f"theirs-{version}-{seed}.lance")).to_table()
    assert random_tables.difference(random_tables.table(seed), got) is None
