"""Conditions that pyarrow made: what the engine understands is handed to it as Substrait, pyarrow
evaluates the rest on what the engine returns."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional, Set

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


_MOST_COST = 300_000


@dataclass
class PushedFilter:
    """A condition in two parts, both of which have to be true."""

    substrait: Optional[bytes] = None
    rest: Optional["pc.Expression"] = None
    rest_columns: List[str] = field(default_factory=list)


def push_down(condition: "pc.Expression", core: _core.Dataset) -> PushedFilter:
    """As much as possible of ``condition`` for the engine."""
    schema = _plain_schema(core.schema)
    unknown = _unknown_columns(core.schema)
    load, (serialized,) = condition.__reduce__()
    parts = [
        _Part(_load(load, part), _load(load, plain), read, keeps and unknown.isdisjoint(read), cost)
        for part, plain, read, keeps, cost in _core.split_filter(bytes(serialized), schema)
    ]
    substrait_schema = _substrait_schema(schema, unknown)

    def accepted(chosen: List[_Part]) -> Optional[bytes]:
        return _accepted(_conjunction([part.plain for part in chosen]), core, substrait_schema)

    pushed = _affordable([part for part in parts if part.may_be_pushed])
    substrait = accepted(pushed) if pushed else None
    if pushed and substrait is None:
        pushed = [part for part in pushed if accepted([part]) is not None]
        substrait = accepted(pushed) if pushed else None
    known = set(pushed) if substrait is not None else set()
    rest = [part for part in parts if part not in known]
    columns = list(dict.fromkeys(name for part in rest for name in part.read))
    return PushedFilter(substrait, _conjunction([part.condition for part in rest]) if rest else None, columns)


def keep_back(condition: "pc.Expression", core: _core.Dataset) -> PushedFilter:
    """All of ``condition`` for pyarrow."""
    _, (serialized,) = condition.__reduce__()
    parts = _core.split_filter(bytes(serialized), _plain_schema(core.schema))
    columns = list(dict.fromkeys(name for _, _, read, _, _ in parts for name in read))
    return PushedFilter(rest=condition, rest_columns=columns)


def filtered(
    batches: Iterable["pa.RecordBatch"], condition: Any, schema: "pa.Schema"
) -> Iterator["pa.RecordBatch"]:
    """The rows for which ``condition`` is true; the first columns, named as in ``schema``."""
    import pyarrow as pa

    for batch in batches:
        plain = _without_views(pa.Table.from_batches([batch]))
        kept = plain.filter(condition).combine_chunks()
        for part in kept.to_batches():
            columns = part.columns[: len(schema)]
            if columns:
                columns = [
                    column if column.type == field.type else column.cast(field.type)
                    for column, field in zip(columns, schema)
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
            else:
                yield part.select([])


def _without_views(table: "pa.Table") -> "pa.Table":
    """pyarrow has hardly any function for views."""
    import pyarrow as pa

    fields = [field.with_type(_without_view(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields)) if fields != list(table.schema) else table


def _without_view(type_: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    if type_ == pa.string_view():
        return pa.large_string()
    if type_ == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_struct(type_):
        return pa.struct([field.with_type(_without_view(field.type)) for field in type_])
    if pa.types.is_list(type_):
        return pa.list_(type_.value_field.with_type(_without_view(type_.value_type)))
    return type_


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


@dataclass(eq=False)
class _Part:
    """One of the conditions that all have to be true."""

    condition: "pc.Expression"
    plain: "pc.Expression"
    """The same in Substrait's terms."""
    read: List[str]
    may_be_pushed: bool
    cost: float
    """To make Substrait of it."""


def _affordable(parts: List[_Part]) -> List[_Part]:
    """As many parts as pyarrow makes Substrait of in half a second or so: together they cost what each does
    times their number, as each level of the tree over them doubles it."""
    chosen, total = 0, 0.0
    by_cost = sorted(parts, key=lambda part: part.cost)
    for part in by_cost:
        total += part.cost
        if total * (chosen + 1) > _MOST_COST:
            break
        chosen += 1
    affordable = set(by_cost[:chosen])
    return [part for part in parts if part in affordable]


def _accepted(
    condition: "pc.Expression", core: _core.Dataset, schema: "pa.Schema"
) -> Optional[bytes]:
    """The condition as Substrait, or None if that can't be or the engine doesn't take it."""
    import pyarrow as pa

    try:
        substrait = bytes(condition.to_substrait(schema))
        core.scan_schema(_core.ScanOptions(columns=[], substrait_filter=substrait))
    except (pa.ArrowException, CoreError):
        return None
    return substrait


def _unknown_columns(schema: "pa.Schema") -> Set[str]:
    """Columns about which pyarrow and the engine can't talk: Substrait lacks their types, or, as for JSON, what
    pyarrow sees of them isn't what the engine compares."""
    import pyarrow as pa
    import pyarrow.compute as pc

    anything = pc.scalar(True)

    def is_known(columns: "pa.Schema") -> bool:
        try:
            anything.to_substrait(columns)
        except pa.ArrowException:
            return False
        return True

    plain = _plain_schema(schema)
    unknown = {column.name for column in schema if isinstance(column.type, pa.JsonType)}
    # Most tables have none: one question then, however many columns.
    if not is_known(plain):
        unknown.update(column.name for column in plain if not is_known(pa.schema([column])))
    return unknown


def _substrait_schema(schema: "pa.Schema", unknown: Set[str]) -> "pa.Schema":
    """The same columns in their places; those that Substrait lacks have another type, and are not used."""
    import pyarrow as pa

    return pa.schema(
        [column.with_type(pa.binary()) if column.name in unknown else column for column in schema]
    )


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
        else:
            column = column.with_type(_without_view(column.type))
        fields.append(column)
    return pa.schema(fields + [pa.field(name, pa.uint64()) for name in _VIRTUAL_COLUMNS])


def _load(load: Any, serialized: bytes) -> "pc.Expression":
    import pyarrow as pa

    return load(pa.py_buffer(serialized))


def _conjunction(parts: List["pc.Expression"]) -> "pc.Expression":
    # A balanced tree: pyarrow's time for Substrait doubles with each level.
    while len(parts) > 1:
        parts = [functools.reduce(operator.and_, parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return parts[0]
