"""Branches: histories that start from a version of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, TypedDict

from .errors import CoreError, string_map, text, translate

if TYPE_CHECKING:
    from . import _core


class Branch(TypedDict):
    parent_branch: Optional[str]
    branch_identifier: List[Tuple[int, str]]
    parent_version: int
    create_at: int
    manifest_size: int
    metadata: Dict[str, str]


class Branches:
    """The branches of a table; :attr:`LanceDataset.branches`.

    >>> data = lance.write_dataset({"id": [1]}, "memory://branches-example")
    >>> dev = data.create_branch("dev")
    >>> dev.insert({"id": [2]})
    >>> data.count_rows(), dev.count_rows(), list(data.branches.list())
    (1, 2, ['dev'])
    """

    def __init__(self, dataset: Any):
        self._dataset = dataset

    def list(self) -> Dict[str, Branch]:
        """All branches by name."""
        try:
            infos = self._dataset._core.branches()
        except CoreError as error:
            raise translate(error, "refs") from None
        return {name: _branch(info) for name, info in infos.items()}

    def list_ordered(self, order: Optional[str] = None) -> List[Tuple[str, Branch]]:
        """All branches ordered by the version they started from: ``desc`` (default) or ``asc``."""
        if order not in (None, "asc", "desc"):
            raise ValueError(f"Invalid sort order '{order}'. Valid values are: asc, desc")
        sign = 1 if order == "asc" else -1
        return sorted(
            self.list().items(), key=lambda item: (sign * item[1]["parent_version"], item[0])
        )

    def delete(self, branch: str) -> None:
        """Deletes a branch with its versions and files."""
        try:
            self._dataset._core.delete_branch(text("branch", branch))
        except CoreError as error:
            raise translate(error, "refs", branch) from None

    def replace_metadata(self, branch: str, metadata: Dict[str, str]) -> None:
        """Replaces the entries that are kept with a branch."""
        entries = string_map("metadata", metadata)
        try:
            self._dataset._core.replace_branch_metadata(text("branch", branch), entries)
        except CoreError as error:
            raise translate(error, "refs", branch) from None


def _branch(info: "_core.BranchInfo") -> Branch:
    return {
        "parent_branch": info.parent_branch,
        "branch_identifier": info.identifier,
        "parent_version": info.parent_version,
        "create_at": info.created_at,
        "manifest_size": info.manifest_size,
        "metadata": info.metadata,
    }
