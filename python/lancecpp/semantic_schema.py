"""What the fields of a table mean, whatever their layout."""

from __future__ import annotations

from typing import Iterator, List, Optional, Union

from . import _core


class SemanticSchema:
    """The fields of a table in pre-order; :attr:`LanceDataset.semantic_schema`.

    Each has ``id``, ``path``, ``semantic_type`` (its canonical name), ``parameters``,
    ``output_encoding`` (that reads have), ``recorded_encoding`` (that the table says, None for the
    default) and ``extension``.

    >>> data = lance.write_dataset({"price": [1.5]}, "memory://prices", semantic_types=True)
    >>> [(field.path, field.semantic_type) for field in data.semantic_schema]
    [('price', 'double')]
    """

    def __init__(self, fields: List[_core.SemanticField]):
        self._fields = fields

    def __len__(self) -> int:
        return len(self._fields)

    def __iter__(self) -> Iterator[_core.SemanticField]:
        return iter(self._fields)

    def __getitem__(self, key: Union[int, str]) -> _core.SemanticField:
        """By position, or by path."""
        if isinstance(key, int):
            return self._fields[key]
        field = self.field(key)
        if field is None:
            raise KeyError(key)
        return field

    def field(self, path: str) -> Optional[_core.SemanticField]:
        """The field at ``path`` (``a.b``), or None."""
        return next((field for field in self._fields if field.path == path), None)

    def __repr__(self) -> str:
        rows = [("path", "semantic type", "output encoding", "recorded", "extension")]
        rows += [
            (
                f.path,
                f.semantic_type,
                f.output_encoding or "",
                f.recorded_encoding or "",
                f.extension or "",
            )
            for f in self._fields
        ]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = (" | ".join(text.ljust(width) for text, width in zip(row, widths)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)
