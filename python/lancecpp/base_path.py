"""Places beside a table's own folder in which its files may lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional, Tuple

from . import wire
from .errors import flag, optional_text, string_map, text, unsigned


@dataclass
class DatasetBasePath:
    """A registered place; ``is_dataset_root`` if it has the folders of a table. An id of 0 is given out
    when it is registered."""

    path: str
    name: Optional[str] = None
    is_dataset_root: bool = False
    id: Optional[int] = None

    def __post_init__(self) -> None:
        if self.id is None:
            self.id = 0

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


def base_tuples(name: str, bases: Any) -> List[Tuple[int, Optional[str], bool, str]]:
    """Bases as the engine takes them: id (0: the next one), name, whether it is a root, path."""
    if isinstance(bases, (str, DatasetBasePath)) or not isinstance(bases, Iterable):
        raise TypeError(f"argument '{name}': expected a list of DatasetBasePath, got {bases!r}")
    tuples = []
    for base in bases:
        # Those of pylance have the same attributes.
        if not all(hasattr(base, key) for key in ("id", "name", "is_dataset_root", "path")):
            raise TypeError(
                f"argument '{name}': expected a DatasetBasePath, got {type(base).__name__} {base!r}"
            )
        tuples.append(
            (
                unsigned("id", base.id, bits=32),
                optional_text("name", base.name),
                flag("is_dataset_root", base.is_dataset_root),
                text("path", base.path),
            )
        )
    return tuples


def check_base_store_params(params: Optional[Dict[str, Dict[str, str]]]) -> None:
    """Options of the stores of base paths, by their URIs. Local stores have none: what is given is
    ignored; a base path in another store fails when it is used."""
    if params is None:
        return
    if not isinstance(params, dict):
        raise TypeError(
            "argument 'base_store_params': "
            f"'{type(params).__name__}' object is not an instance of 'dict'"
        )
    for uri, options in params.items():
        string_map("base_store_params", options)
        text("base_store_params", uri)
