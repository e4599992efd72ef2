"""Vortex. Rows to take must be given sorted and distinct; a caller who wants them in another order
puts them back, as is done here. Scans return Vortex's own choice of types (string views)."""

import numpy as np
import pyarrow as pa
import vortex

NAME = "vortex"
PACKAGE = "vortex"
FORMAT = "Vortex"


class Handle:
    def __init__(self, path):
        self.file = vortex.open(path)
        # Arrow cannot reorder view types, so takes ask for plain ones.
        self.plain_schema = pa.schema(map(_plain, self.file.dtype.to_arrow_schema()))


def _plain(field):
    if pa.types.is_string_view(field.type):
        return field.with_type(pa.string())
    return field


def write(table, path):
    vortex.io.write(table, path)


def open(path):
    return Handle(path)


def scan(handle, columns=None):
    return handle.file.to_arrow(columns).read_all()


def batches(handle):
    return handle.file.to_arrow()


def take(handle, rows):
    wanted, place = np.unique(np.asarray(rows, dtype=np.uint64), return_inverse=True)
    reader = handle.file.to_arrow(indices=vortex.array(pa.array(wanted)), schema=handle.plain_schema)
    table = reader.read_all()
    return table if len(rows) == 1 else table.take(pa.array(place))
