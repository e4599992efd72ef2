"""Tags: names for versions of a table."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional, Tuple, TypedDict

from . import _core
from .errors import CoreError, string_map, text, translate


class Tag(TypedDict):
    branch: Optional[str]
    version: int
    created_at: Optional[datetime]
    updated_at: Optional[datetime]
    manifest_size: int
    metadata: Dict[str, str]


class Tags:
    """The tags of a table; :attr:`LanceDataset.tags`.

    >>> data = lance.write_dataset({"id": [1]}, "memory://tags-example")
    >>> data.tags.create("first")
    >>> data.tags.get_version("first")
    1
    """

    def __init__(self, dataset: Any):
        self._dataset = dataset

    def list(self) -> Dict[str, Tag]:
        """All tags by name."""
        return {name: _tag(info) for name, info in self._infos().items()}

    def list_ordered(self, order: Optional[str] = None) -> List[Tuple[str, Tag]]:
        """All tags ordered by version: ``desc`` (default) or ``asc``."""
        if order not in (None, "asc", "desc"):
            raise ValueError(f"Invalid sort order '{order}'. Valid values are: asc, desc")
        sign = 1 if order == "asc" else -1
        return sorted(self.list().items(), key=lambda item: (sign * item[1]["version"], item[0]))

    def get_version(self, tag: str) -> int:
        """The version that ``tag`` names."""
        info = self._infos().get(text("tag", tag))
        if info is None:
            raise ValueError(f"Ref not found error: tag {tag} does not exist")
        return info.version

    def create(self, tag: str, reference: Any = None) -> None:
        """Names a version: a number, ``(branch, number)``; default this one."""
        self._call("create_tag", tag, self._reference(reference))

    def update(self, tag: str, reference: Any = None) -> None:
        """Moves a tag to another version."""
        self._call("update_tag", tag, self._reference(reference))

    def delete(self, tag: str) -> None:
        """Deletes a tag; the version stays."""
        self._call("delete_tag", tag)

    def replace_metadata(self, tag: str, metadata: Dict[str, str]) -> None:
        """Replaces the entries that are kept with a tag."""
        self._call("replace_tag_metadata", tag, string_map("metadata", metadata))

    def _reference(self, reference: Any) -> Any:
        return self._dataset._reference(reference)

    def _call(self, method: str, tag: str, *arguments: Any) -> None:
        text("tag", tag)
        try:
            getattr(self._dataset._core, method)(tag, *arguments)
        except CoreError as error:
            raise translate(error, "refs", tag) from None

    def _infos(self) -> Dict[str, _core.TagInfo]:
        try:
            return self._dataset._core.tags()
        except CoreError as error:
            raise translate(error, "refs") from None


def _tag(info: _core.TagInfo) -> Tag:
    return {
        "branch": info.branch,
        "version": info.version,
        "created_at": _time(info.created_at),
        "updated_at": _time(info.updated_at),
        "manifest_size": info.manifest_size,
        "metadata": info.metadata,
    }


def _time(text: Optional[str]) -> Optional[datetime]:
    return None if text is None else datetime.fromisoformat(text)
