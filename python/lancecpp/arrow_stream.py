"""Turns what users pass as data into something with the Arrow C stream interface."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    import pyarrow as pa


class BatchSource:
    """Batches of a Python iterable, cast to one schema while they are pulled.

    The consumer sees failures of the iterable as text only; ``error`` keeps the exception itself.
    ``is_own``: the batches are computed by this package.
    """

    def __init__(self, batches: Iterable, schema: "pa.Schema", is_own: bool = False):
        self._batches = batches
        self.schema = schema
        self.is_own = is_own
        self.error: Optional[BaseException] = None

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_batches(self.schema, self._pull())
        return reader.__arrow_c_stream__(requested_schema)

    def _pull(self) -> Iterator["pa.RecordBatch"]:
        try:
            for item in self._batches:
                yield from _as_batches(item, self.schema)
        except GeneratorExit:
            raise
        except BaseException as error:
            self.error = error
            raise


def _as_batches(item: Any, schema: "pa.Schema") -> "Iterable[pa.RecordBatch]":
    import pyarrow as pa

    if not isinstance(item, (pa.RecordBatch, pa.Table)):
        raise TypeError(f"Expected RecordBatch, got {type(item)}")
    if not item.schema.equals(schema):
        item = item.cast(schema)
    return item.to_batches() if isinstance(item, pa.Table) else (item,)


def to_stream(data: Any, schema: Optional["pa.Schema"] = None) -> Any:
    """An object that the engine can pull batches from; reads nothing yet where that is possible.

    ``schema`` is used for data without one of its own (iterables, dicts) and for pandas.
    """
    import pyarrow as pa

    if isinstance(data, (pa.Table, pa.RecordBatch, BatchSource)):
        return data
    if isinstance(data, pa.RecordBatchReader):
        return BatchSource(data, data.schema)
    if is_instance_of(data, "pandas", "DataFrame"):
        return pa.Table.from_pandas(data, schema=schema)
    if is_instance_of(data, "pyarrow.dataset", "Dataset"):
        return data.scanner().to_reader()
    if is_instance_of(data, "pyarrow.dataset", "Scanner"):
        return data.to_reader()
    if is_instance_of(data, "pandas", "Series"):
        raise ValueError("Cannot write a Series, it is one column: pass series.to_frame()")
    if hasattr(data, "__arrow_c_stream__"):
        return data
    if isinstance(data, dict):
        return pa.Table.from_pydict(data, schema=schema)
    if isinstance(data, list) and data and isinstance(data[0], dict):
        for row in data:
            if not isinstance(row, dict):
                raise TypeError(f"Expected a dict for each row, got {type(row)}")
        return pa.Table.from_pylist(data, schema=schema)
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        if schema is None:
            raise ValueError(
                "Must provide schema to write dataset from RecordBatch iterable: pass schema=..."
            )
        return BatchSource(data, schema)
    raise TypeError(
        f"Unknown data type {type(data)}. Pass a pyarrow Table, RecordBatch or RecordBatchReader, "
        "an object with __arrow_c_stream__ (polars, duckdb), a pandas DataFrame, a dict of "
        "columns, a list of dicts, or an iterable of RecordBatch with its schema"
    )


def is_instance_of(data: Any, module: str, name: str) -> bool:
    """isinstance without importing ``module``: an object of it exists only once it is loaded."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(data, getattr(loaded, name))


def raise_source_error(stream: Any) -> None:
    """If the write failed because the data source did, says so with the source's exception."""
    if not isinstance(stream, BatchSource) or stream.error is None:
        return
    error = stream.error
    if not isinstance(error, Exception):  # KeyboardInterrupt, SystemExit
        raise error
    if stream.is_own:
        raise OSError(str(error)) from None
    raise OSError(
        f"The data source failed, nothing was written: {type(error).__name__}: {error}"
    ) from error
