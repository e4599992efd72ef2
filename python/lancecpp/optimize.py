"""Compaction: rewriting small and half-deleted fragments into fewer full ones."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import _core, wire
from .errors import (
    CoreError,
    flag,
    optional_text,
    refuse_later_work,
    translate,
    unsigned,
    unsigned_list,
)
from .fragment import FragmentMetadata, decode_fragment

if TYPE_CHECKING:
    from .dataset import LanceDataset

# Options of the engine; the others only tune speed or belong to other kinds of files.
_OPTIONS = (
    "target_rows_per_fragment",
    "max_bytes_per_file",
    "materialize_deletions",
    "materialize_deletions_threshold",
    "batch_size",
    "max_source_fragments",
    "max_source_rows",
    "max_source_bytes",
    "excluded_fragment_ids",
    "data_storage_version",
)
_WITHOUT_EFFECT = (
    "max_rows_per_group",
    "num_threads",
    "io_buffer_size",
    "binary_copy_read_batch_bytes",
    "defer_index_remap",
)
_COUNTS = (
    "target_rows_per_fragment",
    "max_bytes_per_file",
    "batch_size",
    "max_source_fragments",
    "max_source_rows",
    "max_source_bytes",
    "max_rows_per_group",
    "num_threads",
    "io_buffer_size",
    "binary_copy_read_batch_bytes",
)
_MODES = ("reencode", "try_binary_copy", "force_binary_copy")


def _core_options(options: Dict[str, Any]) -> _core.CompactionOptions:
    made = _core.CompactionOptions()
    for name, value in options.items():
        checked = None if value is None else _checked(name, value)
        if name in _OPTIONS:
            if checked is not None:
                setattr(made, name, checked)
        elif name == "compaction_mode":
            if value not in (None, *_MODES):
                raise ValueError(f"Invalid compaction mode: {value}; there are {', '.join(_MODES)}")
            if value == "force_binary_copy":
                refuse_later_work("compact_files", {"compaction_mode='force_binary_copy'": True})
        elif name not in _WITHOUT_EFFECT:
            raise ValueError(f"Invalid compaction option: {name}")
    return made


def _checked(name: str, value: Any) -> Any:
    """An option's value, if it is of the type that the option takes."""
    if name in _COUNTS:
        return unsigned(name, value)
    if name in ("materialize_deletions", "defer_index_remap"):
        return flag(name, value)
    if name == "data_storage_version":
        return optional_text(name, value)
    if name == "materialize_deletions_threshold":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(
                f"argument '{name}': must be real number, not {type(value).__name__}"
            )
        return float(value)
    if name == "excluded_fragment_ids":
        return unsigned_list(name, value)
    return value


@dataclass
class CompactionMetrics:
    """Numbers of fragments and files (with deletion files) taken out and put in."""

    fragments_removed: int = 0
    fragments_added: int = 0
    files_removed: int = 0
    files_added: int = 0

    def __add__(self, other: "CompactionMetrics") -> "CompactionMetrics":
        return CompactionMetrics(
            self.fragments_removed + other.fragments_removed,
            self.fragments_added + other.fragments_added,
            self.files_removed + other.files_removed,
            self.files_added + other.files_added,
        )


@dataclass
class RewriteResult:
    """What a task wrote; nothing of it is committed yet."""

    read_version: int
    group: bytes
    metrics: CompactionMetrics

    @property
    def original_fragments(self) -> List[FragmentMetadata]:
        return [decode_fragment(one) for one in wire.Message(self.group).messages(1)]

    @property
    def new_fragments(self) -> List[FragmentMetadata]:
        return [decode_fragment(one) for one in wire.Message(self.group).messages(2)]

    def json(self) -> str:
        return json.dumps(
            {
                "read_version": self.read_version,
                "group": base64.b64encode(self.group).decode(),
                "metrics": vars(self.metrics),
            }
        )

    @staticmethod
    def from_json(json_data: str) -> "RewriteResult":
        values = json.loads(json_data)
        return RewriteResult(
            values["read_version"],
            base64.b64decode(values["group"]),
            CompactionMetrics(**values["metrics"]),
        )


@dataclass
class CompactionTask:
    """Fragments to rewrite together. May be sent to another process."""

    read_version: int
    fragment_ids: List[int]
    options: Dict[str, Any]

    def execute(self, dataset: "LanceDataset") -> RewriteResult:
        if dataset.version != self.read_version:
            dataset = dataset.checkout_version(self.read_version)
        try:
            version, group, metrics = dataset._core.run_compaction_task(
                self.fragment_ids, _core_options(self.options)
            )
        except CoreError as error:
            raise translate(error, "change") from None
        return RewriteResult(version, group, CompactionMetrics(*metrics))

    @property
    def fragments(self) -> List[int]:
        return self.fragment_ids

    def json(self) -> str:
        return json.dumps(vars(self))

    @staticmethod
    def from_json(json_data: str) -> "CompactionTask":
        return CompactionTask(**json.loads(json_data))


@dataclass
class CompactionPlan:
    """The tasks of a compaction."""

    read_version: int
    tasks: List[CompactionTask]

    def num_tasks(self) -> int:
        return len(self.tasks)

    def json(self) -> str:
        return json.dumps(
            {"read_version": self.read_version, "tasks": [vars(task) for task in self.tasks]}
        )

    @staticmethod
    def from_json(json_data: str) -> "CompactionPlan":
        values = json.loads(json_data)
        return CompactionPlan(
            values["read_version"], [CompactionTask(**task) for task in values["tasks"]]
        )


def _checked_options(
    dataset: "LanceDataset", options: Optional[Dict[str, Any]]
) -> Dict[str, Any]:
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if given.get("defer_index_remap") and dataset.has_stable_row_ids:
        raise OSError(
            "Not supported: Cannot compact with defer_index_remap: the dataset uses stable row "
            "IDs, whose indexes need no remapping"
        )
    return given


class Compaction:
    """Compaction in steps: plan, execute the tasks (anywhere), commit the results."""

    @staticmethod
    def plan(dataset: "LanceDataset", options: Optional[Dict[str, Any]] = None) -> CompactionPlan:
        given = _checked_options(dataset, options)
        try:
            version, tasks = dataset._core.plan_compaction(_core_options(given))
        except CoreError as error:
            raise translate(error, "change") from None
        return CompactionPlan(version, [CompactionTask(version, ids, given) for ids in tasks])

    @staticmethod
    def commit(
        dataset: "LanceDataset",
        rewrites: List[RewriteResult],
        options: Optional[Dict[str, Any]] = None,
    ) -> CompactionMetrics:
        try:
            dataset._core = dataset._core.commit_compaction(
                [(rewrite.read_version, rewrite.group) for rewrite in rewrites]
            )
        except CoreError as error:
            raise translate(error, "change") from None
        return sum((rewrite.metrics for rewrite in rewrites), CompactionMetrics())

    @staticmethod
    def execute(dataset: "LanceDataset", options: Optional[Dict[str, Any]] = None) -> CompactionMetrics:
        given = _checked_options(dataset, options)
        try:
            dataset._core, metrics = dataset._core.compact(_core_options(given))
        except CoreError as error:
            raise translate(error, "change") from None
        return CompactionMetrics(*metrics)


class DatasetOptimizer:
    """Upkeep of a table; :attr:`LanceDataset.optimize`."""

    def __init__(self, dataset: "LanceDataset"):
        self._dataset = dataset

    def compact_files(
        self,
        *,
        target_rows_per_fragment: Optional[int] = None,
        max_rows_per_group: Optional[int] = None,
        max_bytes_per_file: Optional[int] = None,
        materialize_deletions: Optional[bool] = None,
        materialize_deletions_threshold: Optional[float] = None,
        defer_index_remap: Optional[bool] = None,
        num_threads: Optional[int] = None,
        batch_size: Optional[int] = None,
        compaction_mode: Optional[str] = None,
        binary_copy_read_batch_bytes: Optional[int] = None,
        max_source_fragments: Optional[int] = None,
        max_source_rows: Optional[int] = None,
        max_source_bytes: Optional[int] = None,
        excluded_fragment_ids: Optional[List[int]] = None,
        data_storage_version: Optional[str] = None,
    ) -> CompactionMetrics:
        """Rewrites small and half-deleted fragments; the table moves to the new version.

        Parameters
        ----------
        target_rows_per_fragment:
            Rows of the new fragments; smaller ones are joined. Default 1,048,576.
        materialize_deletions, materialize_deletions_threshold:
            Rewrite fragments of which more than this part (default 0.1) is deleted.
        max_source_fragments, max_source_rows, max_source_bytes:
            Stop before these sums are passed; the next call goes on.

        >>> data = lance.write_dataset({"id": [1, 2]}, "memory://compact-example", max_rows_per_file=1)
        >>> data.optimize.compact_files()
        CompactionMetrics(fragments_removed=2, fragments_added=1, files_removed=2, files_added=1)
        """
        options = {name: value for name, value in locals().items() if name != "self"}
        return Compaction.execute(self._dataset, options)

    def enable_auto_cleanup(self, auto_cleanup_config: Any, **kwargs: Any) -> None:
        """Cleans up old versions after commits: ``{"interval": n, "older_than_seconds": s}``."""
        from .write import auto_cleanup_config as config_of

        self._dataset.update_config(config_of(auto_cleanup_config))

    def disable_auto_cleanup(self, **kwargs: Any) -> None:
        """Cleans up no more after commits."""
        keys = [key for key in self._dataset.config() if key.startswith("lance.auto_cleanup.")]
        self._dataset.delete_config_keys(keys)
