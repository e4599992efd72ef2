"""Blobs: values too large for the pages of a table, read in pieces when asked."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple

from . import _core
from .errors import CoreError, text, translate, unsigned

if TYPE_CHECKING:
    import pyarrow as pa

    from .blob_type import BlobArray
    from .dataset import LanceDataset

DEFAULT_BLOB_BUFFER_SIZE = 512 * 1024


@dataclass(frozen=True)
class Blob:
    """A value to write into a blob column: ``data``, or the ``uri`` of an object.

    ``position`` and ``size`` choose a range of that object; without them it is the whole object.
    """

    data: Optional[bytes] = None
    uri: Optional[str] = None
    position: Optional[int] = None
    size: Optional[int] = None

    def __post_init__(self) -> None:
        if (self.data is None) == (self.uri is None):
            raise ValueError("Blob must set either data or uri; use None for a null blob")
        if self.uri == "":
            raise ValueError("Blob uri cannot be empty")
        if (self.position is None) != (self.size is None):
            raise ValueError("Blob must set both position and size, or neither")
        if self.position is None:
            return
        if self.uri is None:
            raise ValueError("Blob position and size need a uri")
        if self.position < 0 or self.size < 0:
            raise ValueError("Blob position and size must be non-negative")
        if self.size == 0:
            raise ValueError("External blob range size must be greater than zero")

    @staticmethod
    def from_bytes(data: Any) -> "Blob":
        return Blob(data=bytes(data))

    @staticmethod
    def from_uri(uri: str, position: Optional[int] = None, size: Optional[int] = None) -> "Blob":
        return Blob(uri=uri, position=position, size=size)

    @staticmethod
    def empty() -> "Blob":
        return Blob(data=b"")

    @staticmethod
    def of(value: Any) -> "Blob":
        """Of bytes, of the text of a URI, or a Blob itself."""
        if isinstance(value, Blob):
            return value
        if isinstance(value, str):
            return Blob(uri=value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return Blob(data=bytes(value))
        if all(hasattr(value, name) for name in ("data", "uri", "position", "size")):
            return Blob(value.data, value.uri, value.position, value.size)
        raise TypeError(f"a blob is bytes, str (a URI), Blob or None, not {type(value).__name__}")


def blob_array(values: List[Any]) -> "BlobArray":
    """An array for a blob column of bytes, URIs (``str``), :class:`Blob` and None.

    >>> data = pa.table([lance.blob_array([b"abc", None])], schema=pa.schema([lance.blob_field("b")]))
    >>> data = lance.write_dataset(data, "memory://blob-example")
    >>> [blob and blob.readall() for blob in data.take_blobs("b", indices=[0, 1])]
    [b'abc', None]
    """
    from .blob_type import BlobArray
    from .dataset import LanceDataset

    return BlobArray.from_pylist(list(values))


def blob_field(
    name: str,
    *,
    nullable: bool = True,
    inline_size_threshold: Optional[int] = None,
    dedicated_size_threshold: Optional[int] = None,
    pack_file_size_threshold: Optional[int] = None,
) -> "pa.Field":
    """The field of a blob column (data files of 2.2 and later).

    Parameters
    ----------
    inline_size_threshold:
        Values of more bytes go to files beside the data file; default 64 KiB.
    dedicated_size_threshold:
        Values of more bytes get a file of their own; default 4 MiB.
    pack_file_size_threshold:
        Bytes that a file of several values may grow to; default 1 GiB.
    """
    import pyarrow as pa

    from .blob_type import registered_type

    metadata = {}
    for key, value, least in (
        ("inline", inline_size_threshold, 0),
        ("dedicated", dedicated_size_threshold, 1),
        ("pack-file", pack_file_size_threshold, 1),
    ):
        if value is None:
            continue
        if unsigned(f"{key.replace('-', '_')}_size_threshold", value) < least:
            raise ValueError(f"{key.replace('-', '_')}_size_threshold must be at least {least}")
        metadata[f"lance-encoding:blob-{key}-size-threshold"] = str(value)
    return pa.field(name, registered_type(), nullable=nullable, metadata=metadata or None)


class BlobFile(io.BufferedIOBase):
    """A value of a blob column as a seekable file that can only be read.

    Made by :meth:`LanceDataset.take_blobs`; nothing is read before the first ``read``. Reading in
    sequence fetches ``buffer_size`` bytes at a time; ``read_range`` and ``read_ranges`` read just
    what they are asked for, and leave the position as it is. Not for several threads at once.
    """

    def __init__(self, inner: _core.Blob, buffer_size: int = DEFAULT_BLOB_BUFFER_SIZE):
        self._inner = inner
        self._buffer_size = unsigned("buffer_size", buffer_size)
        self._position = 0
        # Bytes read ahead, and where they begin.
        self._ahead = b""
        self._ahead_start = 0

    def __repr__(self) -> str:
        return f"<BlobFile size={self.size()}>"

    def size(self) -> int:
        """The length of the value in bytes."""
        return self._inner.size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._ahead = b""
        super().close()

    def tell(self) -> int:
        self._check_open("tell")
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._check_open("seek")
        if whence == io.SEEK_SET:
            target = offset
        elif whence == io.SEEK_CUR:
            target = self._position + offset
        elif whence == io.SEEK_END:
            target = self.size() + offset
        else:
            raise ValueError(f"Invalid whence: {whence}")
        if target < 0:
            raise ValueError(f"negative seek value {target}")
        self._position = target
        return target

    def read(self, size: Optional[int] = -1) -> bytes:
        self._check_open("read")
        left = max(self.size() - self._position, 0)
        length = left if size is None or size < 0 else min(size, left)
        data = self._take_ahead(length)
        rest = length - len(data)
        if rest == 0:
            return data
        if rest >= self._buffer_size:
            more = self._fetch(self._position, rest)
        else:
            fetched = self._fetch(
                self._position, min(self._buffer_size, self.size() - self._position)
            )
            self._ahead, self._ahead_start = fetched, self._position
            more = fetched[:rest]
        self._position += rest
        return data + more if data else more

    def read1(self, size: int = -1) -> bytes:
        self._check_open("read")
        limit = self._buffer_size or DEFAULT_BLOB_BUFFER_SIZE
        return self.read(limit if size < 0 else size)

    def readall(self) -> bytes:
        """Everything from the position to the end."""
        return self.read(-1)

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def readinto1(self, buffer: Any) -> int:
        return self.readinto(buffer)

    def read_range(self, offset: int, length: int) -> bytes:
        """The bytes from ``offset`` on; a range beyond the end is a ValueError."""
        if self.closed:
            raise ValueError("Blob file is already closed")
        return self._fetch(unsigned("offset", offset), unsigned("length", length))

    def read_ranges(self, ranges: Sequence[Tuple[int, int]]) -> List[bytes]:
        """:meth:`read_range` of each ``(offset, length)``."""
        return [self.read_range(offset, length) for offset, length in ranges]

    def _take_ahead(self, length: int) -> bytes:
        start = self._position - self._ahead_start
        if not 0 <= start < len(self._ahead):
            return b""
        data = self._ahead[start : start + length]
        self._position += len(data)
        return data

    def _fetch(self, offset: int, length: int) -> bytes:
        try:
            return self._inner.read(offset, length)
        except CoreError as error:
            raise translate(error, "scan") from None

    def _check_open(self, call: str) -> None:
        if self.closed:
            raise ValueError(f"{call} of closed file")


def row_selection(ids: Any, addresses: Any, indices: Any) -> Tuple[_core.RowKey, Any]:
    """Which rows, and how they are named; exactly one is to be given."""
    given = [
        (key, rows)
        for key, rows in (
            (_core.RowKey.id, ids),
            (_core.RowKey.address, addresses),
            (_core.RowKey.index, indices),
        )
        if rows is not None
    ]
    if len(given) != 1:
        raise ValueError("Exactly one of ids, indices, or addresses must be specified")
    return given[0]


def read_blob_ranges(
    dataset: "LanceDataset",
    blob_column: str,
    requests: Iterable[Tuple[int, int, int]],
    selector: str,
) -> List[Tuple[int, int, Optional[bytes]]]:
    """:meth:`LanceDataset.read_blob_ranges`."""
    if selector not in ("ids", "addresses", "indices"):
        raise ValueError(
            f"selector must be one of 'ids', 'addresses', or 'indices', got {selector!r}"
        )
    wanted = [_checked_request(number, request) for number, request in enumerate(requests)]
    rows = sorted({row for row, _, _ in wanted})
    key, _ = row_selection(**{"ids": None, "addresses": None, "indices": None, selector: rows})
    try:
        blobs = dict(zip(rows, dataset._core.take_blobs(text("blob_column", blob_column), key, rows)))
    except CoreError as error:
        raise translate(error, "scan") from None
    addresses = _addresses(dataset, selector, rows)
    results: List[Tuple[int, int, Optional[bytes]]] = []
    for number, (row, offset, length) in enumerate(wanted):
        blob = blobs[row]
        if blob is not None and offset + length > blob.size:
            raise ValueError(
                f"Invalid user input: blob range request {number} of row {row}: it ends at "
                f"{offset + length}, but the blob has {blob.size} bytes"
            )
        data = None if blob is None else BlobFile(blob).read_range(offset, length)
        results.append((number, addresses[row], data))
    return results


def _checked_request(number: int, request: Any) -> Tuple[int, int, int]:
    if not isinstance(request, (tuple, list)) or len(request) != 3:
        raise ValueError(f"request {number} is not (row, offset, length): {request!r}")
    row, offset, length = (unsigned("requests", value) for value in request)
    if offset + length >= 1 << 64:
        raise ValueError(
            f"Invalid user input: blob range request {number}: offset {offset} and length {length} "
            "go beyond 64 bits"
        )
    return row, offset, length


def _addresses(dataset: "LanceDataset", selector: str, rows: List[int]) -> "dict[int, int]":
    if selector == "addresses" or not rows:
        return dict(zip(rows, rows))
    if selector == "indices":
        return dict(zip(rows, dataset.take(rows, columns=["_rowaddr"])["_rowaddr"].to_pylist()))
    found = dataset.to_table(
        columns=["_rowid", "_rowaddr"], filter=f"_rowid IN ({', '.join(map(str, rows))})"
    )
    return dict(zip(found["_rowid"].to_pylist(), found["_rowaddr"].to_pylist()))
