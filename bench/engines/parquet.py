"""Parquet through pyarrow, zstd. It has no random access by row: a take reads the row groups it needs."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

NAME = "parquet"
PACKAGE = "pyarrow.parquet"
FORMAT = "Parquet, zstd"


class Handle:
    def __init__(self, path):
        self.file = pq.ParquetFile(path, pre_buffer=True)
        metadata = self.file.metadata
        counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        self.ends = np.cumsum(counts)


def write(table, path):
    # Row groups of 64 Ki rows: a compromise between scans and takes.
    pq.write_table(table, path, compression="zstd", row_group_size=65536)


def open(path):
    return Handle(path)


def scan(handle, columns=None):
    return handle.file.read(columns=columns)


def batches(handle):
    return handle.file.iter_batches()


def take(handle, rows):
    rows = np.asarray(rows)
    groups = np.searchsorted(handle.ends, rows, side="right")
    needed, place = np.unique(groups, return_inverse=True)
    starts = np.concatenate([[0], handle.ends[:-1]])
    lengths = handle.ends[needed] - starts[needed]
    starts_in_result = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    table = handle.file.read_row_groups(needed.tolist())
    return table.take(pa.array(rows - starts[groups] + starts_in_result[place]))
