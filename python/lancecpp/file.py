"""Single data files: read, write, and look into them without a table around.

>>> import lancecpp as lance, pyarrow as pa
>>> from lancecpp.file import LanceFileReader, LanceFileWriter
>>> with LanceFileWriter("memory://file-example.lance") as writer:
...     writer.write_batch(pa.table({"id": [1, 2, 3]}))
>>> LanceFileReader("memory://file-example.lance").read_range(1, 2).to_table().to_pydict()
{'id': [2, 3]}
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, TypeVar, Union

from . import _core
from .errors import (
    CoreError,
    names,
    optional_text,
    refuse_later_work,
    text,
    translate,
    unsigned,
)

if TYPE_CHECKING:
    import pyarrow as pa

_STABLE_VERSION = "2.2"
_T = TypeVar("_T")


def stable_version() -> str:
    """The version of data files that is written by default."""
    return _STABLE_VERSION


def _call(verb: str, work: Callable[[], _T]) -> _T:
    try:
        return work()
    except CoreError as error:
        raise translate(error, verb) from None


class ReaderResults:
    """Rows that were asked for, in the form that is wanted."""

    def __init__(self, reader: "pa.RecordBatchReader"):
        self.reader = reader

    def to_batches(self) -> "pa.RecordBatchReader":
        """A reader that gives the rows batch by batch."""
        return self.reader

    def to_table(self) -> "pa.Table":
        """All rows."""
        return self.reader.read_all()


@dataclass(frozen=True)
class LanceBufferDescriptor:
    """Where some bytes of the file lie."""

    position: int
    size: int


@dataclass(frozen=True)
class LancePageMetadata:
    """One page of a column: its buffers, and how its values are encoded."""

    buffers: List[LanceBufferDescriptor]
    encoding: str


@dataclass(frozen=True)
class LanceColumnMetadata:
    """One column of the file: from version 2.1 on, one leaf of the schema."""

    column_buffers: List[LanceBufferDescriptor]
    pages: List[LancePageMetadata]


@dataclass(frozen=True)
class LanceFileMetadata:
    """What a file holds, without its values."""

    schema: "pa.Schema"
    num_rows: int
    num_data_bytes: int
    num_column_metadata_bytes: int
    num_global_buffer_bytes: int
    global_buffers: List[LanceBufferDescriptor]
    columns: List[LanceColumnMetadata]
    major_version: int
    minor_version: int


@dataclass(frozen=True)
class LanceColumnStatistics:
    """Size of one column."""

    num_pages: int
    size_bytes: int


@dataclass(frozen=True)
class LanceFileStatistics:
    """Sizes of the columns, in their order in the file."""

    columns: List[LanceColumnStatistics]


def _descriptors(ranges: List[_core.ByteRange]) -> List[LanceBufferDescriptor]:
    return [LanceBufferDescriptor(one.offset, one.size) for one in ranges]


class LanceFileReader:
    """Reads one data file.

    Parameters
    ----------
    path:
        A path, a ``file://`` or ``memory://`` URI.
    columns:
        Only these columns, in this order; paths into structs and lists (``a.b``) read only what
        they name. All columns by default.
    """

    def __init__(
        self,
        path: Union[str, os.PathLike],
        storage_options: Optional[Dict[str, str]] = None,
        columns: Optional[List[str]] = None,
        *,
        namespace_client: Optional[Any] = None,
        table_id: Optional[List[str]] = None,
        _inner_reader: Optional[_core.FileReader] = None,
    ):
        refuse_later_work(
            "LanceFileReader",
            {
                "storage_options": storage_options or None,
                "namespace_client": namespace_client,
                "table_id": table_id,
            },
        )
        # A name may come twice, the column doesn't.
        wanted = None if columns is None else list(dict.fromkeys(names("columns", columns)))
        if wanted == []:
            raise ValueError("Attempt to read zero columns from the file: name at least one")
        self._path = text("path", os.fspath(path))
        self._reader = _inner_reader or _call(
            "open_file", lambda: _core.FileReader.open(self._path, wanted)
        )

    def __repr__(self) -> str:
        return (
            f"LanceFileReader(path={self._path!r}, rows={self.num_rows()}, "
            f"columns={self._reader.schema.names})"
        )

    def read_all(self, *, batch_size: int = 1024, batch_readahead: int = 16) -> ReaderResults:
        """All rows. ``batch_readahead`` has no effect: the engine chooses by itself."""
        return self.read_range(0, self._reader.num_rows, batch_size=batch_size)

    def read_range(
        self, start: int, num_rows: int, *, batch_size: int = 1024, batch_readahead: int = 16
    ) -> ReaderResults:
        """The rows from ``start`` on; a range beyond the end is a ValueError."""
        first, count = unsigned("start", start), unsigned("num_rows", num_rows)
        rows = unsigned("batch_size", batch_size)
        return self._results(lambda: self._reader.read_range(first, count, rows))

    def take_rows(
        self, indices: Any, *, batch_size: int = 1024, batch_readahead: int = 16
    ) -> ReaderResults:
        """The rows at ``indices``, which ascend strictly."""
        for i in range(len(indices) - 1):
            if indices[i] >= indices[i + 1]:
                raise ValueError(
                    "Indices must be sorted in ascending order for file API, "
                    f"got {indices[i]} before {indices[i + 1]}"
                )
        rows = unsigned("batch_size", batch_size)
        return self._results(lambda: self._reader.take_rows(indices, rows))

    def _results(self, read: Callable[[], _core.BatchReader]) -> ReaderResults:
        import pyarrow as pa

        return ReaderResults(pa.RecordBatchReader.from_stream(_call("read_file", read)))

    def metadata(self) -> LanceFileMetadata:
        """Schema, sizes, and the pages of every column with their encodings."""
        shown = _call("read_file", self._reader.inspect)
        buffer_bytes = sum(buffer.size for buffer in shown.global_buffers)
        return LanceFileMetadata(
            schema=self._reader.schema,
            num_rows=shown.rows,
            num_data_bytes=shown.column_metadata_offset - buffer_bytes,
            num_column_metadata_bytes=shown.column_metadata_bytes,
            num_global_buffer_bytes=buffer_bytes,
            global_buffers=_descriptors(shown.global_buffers),
            columns=[
                LanceColumnMetadata(
                    column_buffers=_descriptors(column.buffers),
                    pages=[
                        LancePageMetadata(_descriptors(page.buffers), page.encoding)
                        for page in column.pages
                    ],
                )
                for column in shown.columns
            ],
            major_version=shown.major_version,
            minor_version=shown.minor_version,
        )

    def file_statistics(self) -> LanceFileStatistics:
        """Pages and stored bytes of every column."""
        columns = _call("read_file", self._reader.inspect).columns
        return LanceFileStatistics(
            [
                LanceColumnStatistics(
                    num_pages=len(column.pages),
                    size_bytes=sum(b.size for page in column.pages for b in page.buffers),
                )
                for column in columns
            ]
        )

    def read_global_buffer(self, index: int) -> bytes:
        """The bytes of a global buffer; 0 holds the schema, those of the writer follow."""
        number = unsigned("index", index)
        return _call("read_file", lambda: self._reader.read_global_buffer(number))

    def num_rows(self) -> int:
        """Rows of the file."""
        return self._reader.num_rows


class LanceFileWriter:
    """Writes one data file, which is there once the writer is closed.

    Parameters
    ----------
    path:
        A path, a ``file://`` or ``memory://`` URI.
    schema:
        Columns to write. By default those of the first batch.
    data_cache_bytes:
        Input buffered before pages are written, shared by the columns. By default 7 MiB, and at least 256 KiB each.
    version:
        Version of the file: ``2.2`` (the default), ``2.0``, ``2.1``, ``2.3`` (unstable), ``stable`` or
        ``next``.
    max_page_bytes:
        Of a page at most, as far as rows can be split. It has an effect in version 2.0 only, as in
        the reference.
    keep_original_array:
        Without effect.

    Attributes
    ----------
    size_bytes:
        Size of the file, once it is closed.
    """

    def __init__(
        self,
        path: Union[str, os.PathLike],
        schema: Optional["pa.Schema"] = None,
        *,
        data_cache_bytes: Optional[int] = None,
        version: Optional[str] = None,
        storage_options: Optional[Dict[str, str]] = None,
        namespace_client: Optional[Any] = None,
        table_id: Optional[List[str]] = None,
        max_page_bytes: Optional[int] = None,
        _inner_writer: Optional[_core.FileWriter] = None,
        **kwargs: Any,
    ):
        refuse_later_work(
            "LanceFileWriter",
            {
                "storage_options": storage_options or None,
                "namespace_client": namespace_client,
                "table_id": table_id,
            },
        )
        kwargs.pop("keep_original_array", None)
        if kwargs:
            raise TypeError(
                f"LanceFileWriter.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        import pyarrow as pa

        if schema is not None and not isinstance(schema, pa.Schema):
            raise TypeError(
                f"argument 'schema': expected a pyarrow.Schema, got {type(schema).__name__}"
            )
        place, file_version = text("path", os.fspath(path)), optional_text("version", version)
        page_bytes = None if max_page_bytes is None else unsigned("max_page_bytes", max_page_bytes)
        if page_bytes == 0:
            raise ValueError("max_page_bytes must be greater than 0, got 0")
        cache = None if data_cache_bytes is None else unsigned("data_cache_bytes", data_cache_bytes)
        self._writer = _inner_writer or _call(
            "write_file",
            lambda: _core.FileWriter(
                place,
                None if schema is None else schema.empty_table(),
                cache,
                file_version,
                page_bytes,
            ),
        )
        self.closed = False
        self.size_bytes: Optional[int] = None

    def write_batch(self, batch: Union["pa.RecordBatch", "pa.Table"]) -> None:
        """Adds rows. Columns are found by their names; those the schema lacks are left out."""
        import pyarrow as pa

        if not isinstance(batch, (pa.RecordBatch, pa.Table)):
            raise TypeError(
                f"argument 'batch': Expected instance of pyarrow.lib.RecordBatch, got {type(batch)}"
            )
        self._check_open()
        _call("write_file", lambda: self._writer.write_batch(batch))

    def close(self) -> Optional[int]:
        """Writes what is left and the metadata; returns the number of rows, the first time."""
        if self.closed:
            return None
        self.closed = True
        rows, self.size_bytes = _call("write_file", self._writer.finish)
        return rows

    def add_schema_metadata(self, key: str, value: str) -> None:
        """Adds an entry to the metadata of the schema."""
        self._check_open()
        self._writer.add_schema_metadata(text("key", key), text("value", value))

    def add_global_buffer(self, data: bytes) -> int:
        """Adds bytes of the caller's own; returns the index to read them by: 1, 2, …"""
        self._check_open()
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"argument 'data': expected bytes, got {type(data).__name__}")
        return _call("write_file", lambda: self._writer.add_global_buffer(bytes(data)))

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the file is closed; open a new writer to write more")

    def __enter__(self) -> "LanceFileWriter":
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self.close()


__all__ = [
    "LanceFileReader",
    "LanceFileWriter",
    "LanceFileMetadata",
    "LanceColumnMetadata",
    "LancePageMetadata",
    "LanceBufferDescriptor",
    "LanceFileStatistics",
    "stable_version",
]
