"""Run with an older pylance on PYTHONPATH: reads our tables and writes its own, all in one process.

usage: older_pylance_batch.py FOLDER MAKER VERSION SEED…   prints {seed: finding}, empty where all is well
"""

import importlib
import json
import os
import sys

import lance

import random_tables


def finding(folder, maker, version, seed):
    """What is wrong with our table, or `skip: …` where this pylance cannot keep such a table itself."""
    table = importlib.import_module(maker).table(seed, version)
    theirs = f"{folder}/theirs-{seed}.lance"
    try:
        lance.write_dataset(table, theirs, data_storage_version=version)
        lance.dataset(theirs).to_table()
    except BaseException as error:  # it panics on a few shapes
        return f"skip: {error!s:.80}"
    ours = f"{folder}/ours-{seed}.lance"
    if not os.path.exists(ours):
        return ""
    try:
        dataset = lance.dataset(ours)
        difference = random_tables.difference(table, dataset.to_table())
        if difference is None and table.num_rows > 0:
            rows = list(range(table.num_rows - 1, -1, -max(1, table.num_rows // 20)))
            difference = random_tables.difference(table.take(rows), dataset.take(rows))
        return difference or ""
    except BaseException as error:
        return f"{type(error).__name__}: {error!s:.200}"


if __name__ == "__main__":
    assert lance.__file__.startswith(os.environ["LANCE_OLDER_PYLANCE"]), lance.__file__
    folder, maker, version, *seeds = sys.argv[1:]
    print(json.dumps({seed: finding(folder, maker, version, int(seed)) for seed in seeds}))
