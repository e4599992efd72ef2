"""Tries an installed wheel in an environment that has only what the wheel asks for; prints its sizes.

usage: check_wheel.py WHEEL
"""

import importlib.metadata
import pathlib
import sys
import tempfile
import zipfile

import pyarrow as pa

import lancecpp as lance

INSTALLED_LIMIT = 15_000_000
ALLOWED = {"lancecpp", "pyarrow", "pip", "setuptools", "numpy"}


def check_environment():
    found = {d.metadata["Name"].lower() for d in importlib.metadata.distributions()}
    assert found <= ALLOWED, f"not a clean environment: {sorted(found - ALLOWED)}"


def check_tables(folder):
    table = pa.table({"id": range(5000), "name": [f"name {i % 97}" for i in range(5000)]})
    path = str(folder / "t.lance")
    lance.write_dataset(table.slice(0, 3000), path)
    lance.write_dataset(table.slice(3000), path, mode="append")
    dataset = lance.dataset(path)
    assert dataset.version == 2
    assert dataset.to_table().equals(table)
    assert dataset.take([4999, 0, 0]).equals(table.take([4999, 0, 0]))
    assert lance.dataset(path, version=1).count_rows() == 3000


def sizes(wheel):
    installed = sum(entry.file_size for entry in zipfile.ZipFile(wheel).infolist())
    assert installed < INSTALLED_LIMIT, f"{installed:,} bytes installed, {INSTALLED_LIMIT:,} allowed"
    return f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, installed {installed / 1e6:.2f} MB"


if __name__ == "__main__":
    check_environment()
    with tempfile.TemporaryDirectory() as temporary:
        check_tables(pathlib.Path(temporary))
    print(sizes(pathlib.Path(sys.argv[1])))
