"""Runs under pylance 7.0.0: `old_pylance_worker.py read|write FOLDER`.

read:  FOLDER/*/ours.lance must equal FOLDER/*/expected.arrow; appends one copy of it on top.
write: writes FOLDER/*/expected.arrow as FOLDER/*/theirs.lance.

Prints one line for each fault, and the number of tables.
"""

import os
import sys

import lance
import pyarrow as pa

import random_tables


def _load(path):
    return pa.ipc.open_file(path).read_all()


def _read(folder):
    expected = _load(f"{folder}/expected.arrow")
    dataset = lance.dataset(f"{folder}/ours.lance")
    difference = random_tables.difference(expected, dataset.to_table())
    if difference is None and expected.num_rows > 0:
        rows = [i * 7919 % expected.num_rows for i in range(20)]
        difference = random_tables.difference(expected.take(pa.array(rows)), dataset.take(rows))
    if difference is not None:
        return difference
    lance.write_dataset(expected, f"{folder}/ours.lance", mode="append")
    return None


def _write(folder):
    version = open(f"{folder}/version").read()
    lance.write_dataset(
        _load(f"{folder}/expected.arrow"), f"{folder}/theirs.lance", data_storage_version=version
    )
    return None


def main():
    verb = {"read": _read, "write": _write}[sys.argv[1]]
    root = sys.argv[2]
    count = 0
    for case in sorted(os.listdir(root)):
        try:
            fault = verb(f"{root}/{case}")
        except BaseException as error:  # panics are no Exception
            fault = f"{type(error).__name__}: {error!s:.300}"
        if fault is not None:
            print(f"{case}: {fault}")
        count += 1
    print(f"{count} tables")


main()
