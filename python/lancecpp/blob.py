"""Blobs: values too large for the pages of a table, read in pieces when asked."""

from __future__ import annotations

import io
from typing import Any, List, Optional, Sequence, Tuple

from . import _core
from .errors import CoreError, translate, unsigned

DEFAULT_BLOB_BUFFER_SIZE = 512 * 1024


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
