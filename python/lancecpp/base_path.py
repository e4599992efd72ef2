"""Places beside a table's own folder in which its files may lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from . import wire


@dataclass
class DatasetBasePath:
    """A registered place; ``is_dataset_root`` if it has the folders of a table."""

    path: str
    name: Optional[str] = None
    is_dataset_root: bool = False
    id: Optional[int] = None

    def encode(self) -> bytes:
        return (
            wire.number(1, self.id)
            + (b"" if self.name is None else wire.data(2, self.name.encode()))
            + wire.number(3, self.is_dataset_root)
            + wire.text(4, self.path)
        )

    @staticmethod
    def decode(content: bytes) -> "DatasetBasePath":
        message = wire.Message(content)
        return DatasetBasePath(
            message.text(4), message.optional_text(2), bool(message.number(3)), message.number(1)
        )
