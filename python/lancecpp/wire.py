"""The wire form of protocol buffers: just enough to write and read the messages of transactions.

A message is bytes; what its fields mean is known in :mod:`lancecpp.transaction`.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Optional, Tuple, Union

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MASK = (1 << 64) - 1

Value = Union[int, bytes]


def _varint(value: int) -> bytes:
    value &= _MASK  # negative numbers take ten bytes
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: Optional[int]) -> bytes:
    """A number or bool; what is zero or None is left out."""
    return _varint(field << 3 | _VARINT) + _varint(int(value)) if value else b""


def present(field: int, value: Optional[int]) -> bytes:
    """A number that is written even if it is zero; None is left out."""
    return b"" if value is None else _varint(field << 3 | _VARINT) + _varint(int(value))


def data(field: int, value: bytes) -> bytes:
    """Bytes or a message, also an empty one."""
    return _varint(field << 3 | _BYTES) + _varint(len(value)) + value


def text(field: int, value: Optional[str]) -> bytes:
    """A string; an empty one and None are left out."""
    return data(field, value.encode()) if value else b""


def packed(field: int, values: Iterable[int]) -> bytes:
    """A list of numbers."""
    content = b"".join(_varint(value) for value in values)
    return data(field, content) if content else b""


def text_map(field: int, values: Dict[str, str]) -> bytes:
    return b"".join(
        data(field, data(1, key.encode()) + data(2, value.encode()))
        for key, value in values.items()
    )


class Message:
    """The fields of a message, read."""

    def __init__(self, content: bytes):
        self._fields: Dict[int, List[Value]] = {}
        for field, value in _walk(content):
            self._fields.setdefault(field, []).append(value)

    def fields(self) -> Iterable[int]:
        return self._fields

    def has(self, field: int) -> bool:
        return field in self._fields

    def number(self, field: int) -> int:
        values = self._fields.get(field)
        return int(values[-1]) if values else 0  # type: ignore[arg-type]

    def optional_number(self, field: int) -> Optional[int]:
        return self.number(field) if self.has(field) else None

    def data(self, field: int) -> bytes:
        values = self._fields.get(field)
        return bytes(values[-1]) if values else b""  # type: ignore[arg-type]

    def text(self, field: int) -> str:
        return self.data(field).decode()

    def optional_text(self, field: int) -> Optional[str]:
        return self.text(field) if self.has(field) else None

    def messages(self, field: int) -> List[bytes]:
        return [bytes(value) for value in self._fields.get(field, [])]  # type: ignore[arg-type]

    def numbers(self, field: int) -> List[int]:
        """A list, packed or not."""
        out: List[int] = []
        for value in self._fields.get(field, []):
            if isinstance(value, int):
                out.append(value)
                continue
            at = 0
            while at < len(value):
                item, at = _read_varint(value, at)
                out.append(item)
        return out

    def text_map(self, field: int) -> Dict[str, str]:
        entries = (Message(entry) for entry in self.messages(field))
        return {entry.text(1): entry.text(2) for entry in entries}


def signed(value: int) -> int:
    """A 64-bit number as the signed one that it stands for."""
    return value - (1 << 64) if value >> 63 else value


def _walk(content: bytes) -> Iterator[Tuple[int, Value]]:
    at = 0
    while at < len(content):
        tag, at = _read_varint(content, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _read_varint(content, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _read_varint(content, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"message has a field of an unknown wire type: {kind}")
        if size > len(content) - at:
            raise ValueError("message ends inside a field")
        yield tag >> 3, content[at : at + size]
        at += size


def _read_varint(content: bytes, at: int) -> Tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at == len(content):
            break
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _MASK, at
    raise ValueError("message ends inside a number")
