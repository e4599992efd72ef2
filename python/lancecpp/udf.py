"""Functions over batches as a source of new columns."""

from __future__ import annotations

import os
import pickle
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Union

from .arrow_stream import BatchSource, is_instance_of, to_stream

if TYPE_CHECKING:
    import pyarrow as pa


class BatchUDF:
    """A function from a batch of existing columns to one of new columns, of as many rows."""

    def __init__(
        self,
        func: Callable[["pa.RecordBatch"], Any],
        output_schema: Optional["pa.Schema"] = None,
        checkpoint_file: Optional[Union[str, os.PathLike]] = None,
    ):
        self.func = func
        self.output_schema = output_schema
        self.cache = None if checkpoint_file is None else BatchUDFCheckpoint(checkpoint_file)

    def __call__(self, batch: "pa.RecordBatch") -> Any:
        return self.func(batch)


def batch_udf(
    output_schema: Optional["pa.Schema"] = None,
    checkpoint_file: Optional[Union[str, os.PathLike]] = None,
) -> Callable[[Callable[["pa.RecordBatch"], Any]], BatchUDF]:
    """Makes a function over batches an argument of :meth:`LanceDataset.add_columns`.

    Parameters
    ----------
    output_schema:
        Of the new columns; default that of the first result.
    checkpoint_file:
        Results are kept in this file until the columns are committed: what was computed before a
        failure is not computed again.

    >>> import pyarrow as pa, pyarrow.compute as pc
    >>> data = lance.write_dataset({"x": [1, 2]}, "memory://udf-example")
    >>> @lance.batch_udf(output_schema=pa.schema([("twice", pa.int64())]))
    ... def twice(batch):
    ...     return pa.record_batch({"twice": pc.multiply(batch["x"], 2)})
    >>> data.add_columns(twice)
    >>> data.to_table().to_pydict()
    {'x': [1, 2], 'twice': [2, 4]}
    """
    return lambda func: BatchUDF(func, output_schema, checkpoint_file)


class BatchUDFCheckpoint:
    """Results of a function by the number of their batch, in a file."""

    def __init__(self, path: Union[str, os.PathLike]):
        self.path = os.fspath(path)
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS batches (batch_index INT PRIMARY KEY, result BLOB)"
            )

    def get_batch(self, index: int) -> Optional["pa.RecordBatch"]:
        with closing(sqlite3.connect(self.path)) as connection:
            row = connection.execute(
                "SELECT result FROM batches WHERE batch_index = ?", (index,)
            ).fetchone()
        return None if row is None else pickle.loads(row[0])

    def insert_batch(self, index: int, batch: "pa.RecordBatch") -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(
                "INSERT OR REPLACE INTO batches VALUES (?, ?)", (index, pickle.dumps(batch))
            )

    def cleanup(self) -> None:
        os.remove(self.path)


def new_columns(
    source: Any,
    transforms: Any,
    read_columns: Optional[List[str]],
    reader_schema: Optional["pa.Schema"],
    batch_size: Optional[int],
) -> Any:
    """What ``transforms`` gives for the rows of ``source`` (a table or fragment): a stream."""
    if isinstance(transforms, dict):
        computed = source.scanner(columns=_stored(source, transforms), batch_size=batch_size)
        return BatchSource(computed.to_batches(), computed.projected_schema, is_own=True)
    if callable(transforms) and not hasattr(transforms, "__arrow_c_stream__"):
        udf = transforms if isinstance(transforms, BatchUDF) else BatchUDF(transforms)
        return _run(udf, source, read_columns, batch_size)
    return to_stream(transforms, reader_schema)


def _stored(source: Any, expressions: Dict[str, str]) -> Dict[str, str]:
    """Without semantic types a column made of a JSON column has its bytes, as in pylance."""
    import pyarrow as pa

    if getattr(source, "_dataset", source).has_semantic_types:
        return expressions
    shown = source.scanner(columns=expressions).projected_schema
    return {
        name: f"CASE WHEN ({sql}) IS NOT NULL THEN ({sql}) END"
        if isinstance(shown.field(name).type, pa.JsonType)
        else sql
        for name, sql in expressions.items()
    }


def _as_batch(result: Any) -> "pa.RecordBatch":
    import pyarrow as pa

    if not is_instance_of(result, "pandas", "DataFrame"):
        raise TypeError(
            f"the function returned {type(result).__name__}, expected a pyarrow.RecordBatch or a "
            "pandas.DataFrame with the new columns, of as many rows as its argument"
        )
    return pa.RecordBatch.from_pandas(result, preserve_index=False)


def _run(
    udf: BatchUDF, source: Any, read_columns: Optional[List[str]], batch_size: Optional[int]
) -> BatchSource:
    import pyarrow as pa

    inputs = source.to_batches(columns=read_columns, batch_size=batch_size)

    def results() -> Iterator["pa.RecordBatch"]:
        for index, batch in enumerate(inputs):
            result = None if udf.cache is None else udf.cache.get_batch(index)
            if result is None:
                result = udf.func(batch)
                if not isinstance(result, pa.RecordBatch):
                    result = _as_batch(result)
                if udf.cache is not None:
                    udf.cache.insert_batch(index, result)
            if result.num_rows != batch.num_rows:
                raise ValueError(
                    f"the function made {result.num_rows} rows of {batch.num_rows}"
                )
            yield result

    made = results()
    schema, first = udf.output_schema, []
    if schema is None:
        first = [batch for batch in (next(made, None),) if batch is not None]
        if not first:
            raise ValueError("output_schema is needed for a table without rows")
        schema = first[0].schema

    def all_results() -> Iterator["pa.RecordBatch"]:
        yield from first
        yield from made

    return BatchSource(all_results(), schema)
