"""Run with an older pylance on PYTHONPATH: reads, checks and changes tables that we changed.

usage: older_pylance_changes.py PATH…   prints {path: finding}, empty where all is well
"""

import json
import os
import sys

import lance
import pyarrow as pa


def finding(path):
    try:
        table = lance.dataset(path)
        rows = table.count_rows()
        try:
            table.validate()
        except OSError as error:
            # What it says of files with fields that lie elsewhere now, also of its own.
            if "Field id -2 is not in increasing order" not in str(error):
                raise
        table.delete("key = 8")
        table.insert(pa.table({"key": pa.array([55], pa.int32())}))
        table.update({"v": "1.0"}, where="key = 55")
        keys = pa.array([55, 9], pa.int32())
        counts = table.merge_insert("key").when_matched_update_all().execute(
            pa.table({"key": keys, "v": [2.0, 3.0]})
        )
        if counts["num_updated_rows"] == 0:
            return f"{counts} of the merge"
        table.optimize.compact_files()
        if table.count_rows() != rows:
            return f"{table.count_rows()} rows instead of {rows}"
        for version in table.versions():
            lance.dataset(path, version=version["version"]).to_table()
        return ""
    except BaseException as error:
        return f"{type(error).__name__}: {error!s:.200}"


if __name__ == "__main__":
    assert lance.__file__.startswith(os.environ["LANCE_OLDER_PYLANCE"]), lance.__file__
    print(json.dumps({path: finding(path) for path in sys.argv[1:]}))
