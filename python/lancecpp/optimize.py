"""Compaction: rewriting small and half-deleted fragments into fewer full ones."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from . import _core, wire
from .errors import (
    CoreError,
    flag,
    optional_text,
    translate,
    unsigned,
    unsigned_list,
)
from .fragment import FragmentMetadata, decode_fragment, encode_fragment
from .move import move

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
# Their names in JSON. Whatever is asked for, pages are encoded anew.
_MODES = {
    "reencode": "Reencode",
    "try_binary_copy": "TryBinaryCopy",
    "force_binary_copy": "ForceBinaryCopy",
}
# Of pylance's JSON.
_DEFAULTS: Dict[str, Any] = {
    "target_rows_per_fragment": 1024 * 1024,
    "max_rows_per_group": 1024,
    "max_bytes_per_file": None,
    "materialize_deletions": True,
    "materialize_deletions_threshold": 0.1,
    "num_threads": None,
    "batch_size": None,
    "io_buffer_size": None,
    "defer_index_remap": False,
    "index_remap_mode": "Direct",
    "compaction_mode": None,
    "enable_binary_copy": False,
    "enable_binary_copy_force": False,
    "binary_copy_read_batch_bytes": 16 * 1024 * 1024,
    "max_source_fragments": None,
    "max_source_rows": None,
    "max_source_bytes": None,
    "excluded_fragment_ids": [],
    "max_overlays_per_fragment": 10,
    "data_storage_version": None,
    "has_eager_remappable_index": None,
}


def _core_options(options: Dict[str, Any]) -> _core.CompactionOptions:
    made = _core.CompactionOptions()
    for name, value in options.items():
        checked = None if value is None else _checked(name, value)
        if name in _OPTIONS:
            if checked is not None:
                setattr(made, name, checked)
        elif name == "compaction_mode":
            if value is not None and value not in _MODES:
                raise ValueError(f"Invalid compaction mode: {value}; there are {', '.join(_MODES)}")
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


def _fragments_to_json(fragments: List[FragmentMetadata]) -> List[Dict[str, Any]]:
    return [fragment.to_json() for fragment in fragments]


def _fragments_from_json(values: List[Dict[str, Any]]) -> List[FragmentMetadata]:
    return [FragmentMetadata.from_json(json.dumps(value)) for value in values]


def _options_to_json(options: Dict[str, Any]) -> Dict[str, Any]:
    """All options that pylance has, by its names; those that only it has are off."""
    mode = options.get("compaction_mode")
    values = {**_DEFAULTS, **options}
    values["compaction_mode"] = None if mode is None else _MODES[mode]
    return values


def _options_from_json(values: Dict[str, Any]) -> Dict[str, Any]:
    """Those that differ from the defaults."""
    known = (*_OPTIONS, *_WITHOUT_EFFECT)
    options = {
        name: values[name]
        for name in known
        if values.get(name) is not None and values[name] != _DEFAULTS[name]
    }
    mode = values.get("compaction_mode")
    if mode is not None:
        options["compaction_mode"] = next(
            (name for name, theirs in _MODES.items() if theirs == mode), mode
        )
    return options


def _from_json(kind: str, read: Callable[[Dict[str, Any]], Any], json_data: str) -> Any:
    try:
        return read(json.loads(json_data))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"Could not load {kind} due to error: {type(error).__name__}: {error}"
        ) from None


@dataclass
class RewriteResult:
    """What a task wrote; nothing of it is committed yet. Its JSON is that of pylance."""

    read_version: int
    # The message RewriteGroup of the transaction.
    group: bytes = field(repr=False)
    metrics: CompactionMetrics

    @property
    def original_fragments(self) -> List[FragmentMetadata]:
        """The fragments that were read."""
        return [decode_fragment(one) for one in wire.Message(self.group).messages(1)]

    @property
    def new_fragments(self) -> List[FragmentMetadata]:
        """Those that are to take their place; they get their ids when they are committed."""
        return [decode_fragment(one) for one in wire.Message(self.group).messages(2)]

    def json(self) -> str:
        return json.dumps(
            {
                "metrics": vars(self.metrics),
                "new_fragments": _fragments_to_json(self.new_fragments),
                "read_version": self.read_version,
                "original_fragments": _fragments_to_json(self.original_fragments),
                # Of rows under indexes that must follow them, which are not compacted here.
                "row_addrs": None,
            }
        )

    @staticmethod
    def from_json(json_data: str) -> "RewriteResult":
        def read(values: Dict[str, Any]) -> RewriteResult:
            old = _fragments_from_json(values["original_fragments"])
            new = _fragments_from_json(values["new_fragments"])
            group = [wire.data(1, encode_fragment(one)) for one in old]
            group += [wire.data(2, encode_fragment(one)) for one in new]
            metrics = CompactionMetrics(**values["metrics"])
            return RewriteResult(values["read_version"], b"".join(group), metrics)

        return _from_json("RewriteResult", read, json_data)


@dataclass
class CompactionTask:
    """Fragments to rewrite together. May be sent to another process, also as JSON, which is that of
    pylance."""

    read_version: int
    fragments: List[FragmentMetadata]
    options: Dict[str, Any] = field(default_factory=dict, repr=False)

    def execute(self, dataset: "LanceDataset") -> RewriteResult:
        """Writes the new fragments; :meth:`Compaction.commit` puts them in the place of the old."""
        if dataset.version != self.read_version:
            dataset = dataset.checkout_version(self.read_version)
        try:
            version, group, metrics = dataset._core.run_compaction_task(
                [fragment.id for fragment in self.fragments], _core_options(self.options)
            )
        except CoreError as error:
            raise translate(error, "change") from None
        return RewriteResult(version, group, CompactionMetrics(*metrics))

    def json(self) -> str:
        return json.dumps(
            {
                "task": {"fragments": _fragments_to_json(self.fragments)},
                "read_version": self.read_version,
                "options": _options_to_json(self.options),
            }
        )

    @staticmethod
    def from_json(json_data: str) -> "CompactionTask":
        def read(values: Dict[str, Any]) -> CompactionTask:
            fragments = _fragments_from_json(values["task"]["fragments"])
            options = _options_from_json(values["options"])
            return CompactionTask(values["read_version"], fragments, options)

        return _from_json("CompactionTask", read, json_data)


@dataclass(repr=False)
class CompactionPlan:
    """The tasks of a compaction. Its JSON is that of pylance."""

    read_version: int
    tasks: List[CompactionTask]
    options: Dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"CompactionPlan(read_version={self.read_version}, "
            f"tasks=<{len(self.tasks)} compaction tasks>)"
        )

    def num_tasks(self) -> int:
        return len(self.tasks)

    def json(self) -> str:
        return json.dumps(
            {
                "tasks": [{"fragments": _fragments_to_json(task.fragments)} for task in self.tasks],
                "read_version": self.read_version,
                "options": _options_to_json(self.options),
            }
        )

    @staticmethod
    def from_json(json_data: str) -> "CompactionPlan":
        def read(values: Dict[str, Any]) -> CompactionPlan:
            version = values["read_version"]
            options = _options_from_json(values["options"])
            tasks = [
                CompactionTask(version, _fragments_from_json(task["fragments"]), options)
                for task in values["tasks"]
            ]
            return CompactionPlan(version, tasks, options)

        return _from_json("CompactionPlan", read, json_data)


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


def _fragments_of(dataset: "LanceDataset", ids: List[int]) -> List[FragmentMetadata]:
    return [decode_fragment(dataset._core.serialized_fragment(id)) for id in ids]


class Compaction:
    """Compaction in steps: plan, execute the tasks (anywhere), commit the results."""

    @staticmethod
    def plan(dataset: "LanceDataset", options: Optional[Dict[str, Any]] = None) -> CompactionPlan:
        given = _checked_options(dataset, options)
        try:
            version, tasks = dataset._core.plan_compaction(_core_options(given))
        except CoreError as error:
            raise translate(error, "change") from None
        return CompactionPlan(
            version,
            [CompactionTask(version, _fragments_of(dataset, ids), given) for ids in tasks],
            given,
        )

    @staticmethod
    def commit(
        dataset: "LanceDataset",
        rewrites: List[RewriteResult],
        options: Optional[Dict[str, Any]] = None,
    ) -> CompactionMetrics:
        try:
            move(
                dataset,
                "commit_compaction",
                [(rewrite.read_version, rewrite.group) for rewrite in rewrites],
            )
        except CoreError as error:
            raise translate(error, "change") from None
        return sum((rewrite.metrics for rewrite in rewrites), CompactionMetrics())

    @staticmethod
    def execute(dataset: "LanceDataset", options: Optional[Dict[str, Any]] = None) -> CompactionMetrics:
        given = _checked_options(dataset, options)
        try:
            _, metrics = move(dataset, "compact", _core_options(given))
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
        compaction_mode:
            ``reencode``, ``try_binary_copy`` or ``force_binary_copy``. The rows are the same with
            each: pages are always encoded anew here, never copied.

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
