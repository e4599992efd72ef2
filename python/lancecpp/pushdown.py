"""Conditions that pyarrow made: what the engine understands is handed to it as Substrait, pyarrow
evaluates the rest on what the engine returns."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional

from . import _core
from .errors import CoreError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc

# What an expression may use beside the columns of the table, in the engine's order.
_VIRTUAL_COLUMNS = (
    "_rowid",
    "_rowaddr",
    "_row_created_at_version",
    "_row_last_updated_at_version",
    "_rowoffset",
)


@dataclass
class PushedFilter:
    """A condition in two parts, both of which have to be true."""

    substrait: Optional[bytes] = None
    rest: Optional["pc.Expression"] = None
    rest_columns: List[str] = field(default_factory=list)


def push_down(condition: "pc.Expression", core: _core.Dataset) -> PushedFilter:
    """As much as possible of ``condition`` for the engine."""
    schema = _plain_schema(core.schema)
    whole = _accepted(condition, core, schema)
    if whole is not None:
        return PushedFilter(substrait=whole)
    load, (serialized,) = condition.__reduce__()
    pushed: List["pc.Expression"] = []
    rest: List["pc.Expression"] = []
    columns: List[str] = []
    for part, plain, read in _core.split_filter(bytes(serialized), schema):
        candidate = _load(load, plain)
        if _accepted(candidate, core, schema) is not None:
            pushed.append(candidate)
        else:
            rest.append(_load(load, part))
            columns.extend(name for name in read if name not in columns)
    substrait = _accepted(_conjunction(pushed), core, schema) if pushed else None
    return PushedFilter(substrait, _conjunction(rest) if rest else None, columns)


def keep_back(condition: "pc.Expression", core: _core.Dataset) -> PushedFilter:
    """All of ``condition`` for pyarrow."""
    _, (serialized,) = condition.__reduce__()
    columns: List[str] = []
    for _, _, read in _core.split_filter(bytes(serialized), _plain_schema(core.schema)):
        columns.extend(name for name in read if name not in columns)
    return PushedFilter(rest=condition, rest_columns=columns)


def filtered(
    batches: Iterable["pa.RecordBatch"], condition: Any, schema: "pa.Schema"
) -> Iterator["pa.RecordBatch"]:
    """The rows for which ``condition`` is true; the first columns, named as in ``schema``."""
    import pyarrow as pa

    for batch in batches:
        kept = pa.Table.from_batches([batch]).filter(condition).combine_chunks()
        for part in kept.to_batches():
            columns = part.columns[: len(schema)]
            if columns:
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
            else:
                yield part.select([])


def within(
    batches: Iterable["pa.RecordBatch"], offset: int, limit: Optional[int]
) -> Iterator["pa.RecordBatch"]:
    """At most ``limit`` rows, after skipping ``offset``."""
    for batch in batches:
        if limit == 0:
            return
        skipped = min(offset, batch.num_rows)
        offset -= skipped
        batch = batch.slice(skipped, limit)
        if limit is not None:
            limit -= batch.num_rows
        if batch.num_rows:
            yield batch


def _accepted(
    condition: "pc.Expression", core: _core.Dataset, schema: "pa.Schema"
) -> Optional[bytes]:
    """The condition as Substrait, or None if that can't be or the engine doesn't take it."""
    import pyarrow as pa

    # What pyarrow sees of JSON is text, what the engine compares isn't. A name that is only part of
    # another one costs no more than speed.
    text = str(condition)
    if any(isinstance(column.type, pa.JsonType) and column.name in text for column in core.schema):
        return None
    try:
        substrait = bytes(condition.to_substrait(schema))
        core.scan_schema(_core.ScanOptions(columns=[], substrait_filter=substrait))
    except (pa.ArrowException, CoreError):
        return None
    return substrait


def _plain_schema(schema: "pa.Schema") -> "pa.Schema":
    """The columns that a condition may use: dictionaries and views, which the engine compares by their
    values, as these, and JSON as it is stored."""
    import pyarrow as pa

    fields = []
    for column in schema:
        if pa.types.is_dictionary(column.type):
            column = column.with_type(column.type.value_type)
        elif isinstance(column.type, pa.JsonType):
            column = column.with_type(pa.large_binary())
        elif column.type == pa.string_view():
            column = column.with_type(pa.string())
        elif column.type == pa.binary_view():
            column = column.with_type(pa.binary())
        fields.append(column)
    return pa.schema(fields + [pa.field(name, pa.uint64()) for name in _VIRTUAL_COLUMNS])


def _load(load: Any, serialized: bytes) -> "pc.Expression":
    import pyarrow as pa

    return load(pa.py_buffer(serialized))


def _conjunction(parts: List["pc.Expression"]) -> "pc.Expression":
    return functools.reduce(operator.and_, parts)
