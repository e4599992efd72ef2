"""Rows of a source brought into a table by their keys."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from . import _core
from .arrow_stream import raise_source_error, to_stream
from .errors import CoreError, flag, names, optional_text, seconds, text, translate, unsigned
from .move import move
from .transaction import Transaction, decode_transaction

if TYPE_CHECKING:
    import pyarrow as pa

    from .dataset import LanceDataset

_DEFAULT_RETRIES = 10
_DEFAULT_TIMEOUT = timedelta(seconds=30)
_WRITE_MODES = ("auto", "rewrite_rows", "rewrite_columns")


class MergeInsertBuilder:
    """What :meth:`LanceDataset.merge_insert` does with matched and other rows; its methods can be
    chained.

    >>> data = lance.write_dataset({"id": [1, 2], "x": ["a", "b"]}, "memory://upsert-example")
    >>> upsert = data.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    >>> upsert.execute({"id": [2, 3], "x": ["B", "C"]})
    {'num_inserted_rows': 1, 'num_updated_rows': 1, 'num_deleted_rows': 0}
    >>> data.to_table().to_pydict()
    {'id': [1, 2, 3], 'x': ['a', 'B', 'C']}
    """

    def __init__(self, dataset: "LanceDataset", on: Union[str, Iterable[str], None]):
        self._dataset = dataset
        self._options = _core.MergeInsertOptions()
        columns = names("on", [on] if isinstance(on, str) else [] if on is None else on)
        try:
            self._options.on = dataset._core.merge_key(columns)
        except CoreError as error:
            raise translate(error, "schema") from None
        self._retries = _DEFAULT_RETRIES
        self._timeout = _DEFAULT_TIMEOUT

    def when_matched_update_all(self, condition: Optional[str] = None) -> "MergeInsertBuilder":
        """Rows of the table with a key of the source take its values; columns that the source lacks
        keep theirs.

        ``condition``: only where this is true, an SQL condition over ``source.x`` and ``target.x``.
        """
        return self._when_matched(_core.WhenMatched.update_all, condition)

    def when_matched_delete(self) -> "MergeInsertBuilder":
        """Rows of the table with a key of the source are deleted."""
        return self._when_matched(_core.WhenMatched.delete)

    def when_matched_fail(self) -> "MergeInsertBuilder":
        """No row of the table may have a key of the source."""
        return self._when_matched(_core.WhenMatched.fail)

    def _when_matched(
        self, action: _core.WhenMatched, condition: Optional[str] = None
    ) -> "MergeInsertBuilder":
        self._options.when_matched = action
        self._options.update_condition = optional_text("condition", condition)
        return self

    def when_not_matched_insert_all(self) -> "MergeInsertBuilder":
        """Rows of the source with other keys than the table's are inserted; columns that the source
        lacks are null."""
        self._options.insert_not_matched = True
        return self

    def when_not_matched_by_source_delete(
        self, expr: Optional[str] = None
    ) -> "MergeInsertBuilder":
        """Rows of the table with other keys than the source's are deleted; with ``expr`` only those
        for which this SQL condition is true."""
        if optional_text("expr", expr) is not None:
            try:
                self._dataset._core.scan_schema(_core.ScanOptions(filter=expr))
            except CoreError as error:
                raise translate(error, "scan") from None
        self._options.delete_not_matched_by_source = True
        self._options.delete_condition = expr
        return self

    def conflict_retries(self, max_retries: int) -> "MergeInsertBuilder":
        """How often all is done anew when other writers have changed the same rows meanwhile."""
        self._retries = unsigned("max_retries", max_retries, bits=32)
        return self

    def retry_timeout(self, timeout: timedelta) -> "MergeInsertBuilder":
        """After this time nothing is done anew."""
        self._timeout = timedelta(seconds=seconds("timeout", timeout))
        return self

    def use_index(self, use_index: bool) -> "MergeInsertBuilder":
        """Indexes are not used so far, whatever is given."""
        return self

    def write_mode(self, mode: str) -> "MergeInsertBuilder":
        """``auto`` and ``rewrite_rows`` write changed rows anew. ``rewrite_columns`` writes the
        columns of the source, for all rows of the fragments that have a changed one, and leaves
        the other columns where they are; it is for updates of matched rows only.
        """
        if mode not in _WRITE_MODES:
            raise ValueError(
                f"Invalid write_mode: {mode}. Expected one of "
                f"{', '.join(repr(one) for one in _WRITE_MODES)}"
            )
        self._options.rewrites_columns = mode == "rewrite_columns"
        return self

    def target_bases(self, bases: List[str]) -> "MergeInsertBuilder":
        """New fragments go to these base paths in turn, given by name or path; the table's URI stands
        for its own folder."""
        self._options.target_bases = names("bases", bases)
        return self

    def target_all_bases(self, include_primary: bool = True) -> "MergeInsertBuilder":
        """New fragments go to all base paths in turn, with ``include_primary`` after the table's own
        folder."""
        self._options.target_all_bases = flag("include_primary", include_primary)
        return self

    def data_storage_version(self, version: str) -> "MergeInsertBuilder":
        """The version of the data files that are written; default the table's."""
        self._options.data_storage_version = text("version", version)
        return self

    def execute(self, data_obj: Any, *, schema: Optional["pa.Schema"] = None) -> Dict[str, int]:
        """Does it as one version, to which the dataset moves; all of ``data_obj`` is held in memory.

        Returns the numbers of rows inserted, updated and deleted.
        """
        _, stats = self._run(partial(move, self._dataset, "merge_insert"), data_obj, schema)
        return _counts(stats)

    def execute_uncommitted(
        self, data_obj: Any, *, schema: Optional["pa.Schema"] = None
    ) -> Tuple[Transaction, Dict[str, int]]:
        """Writes the files, and returns the transaction to commit with the counts."""
        content, stats = self._run(self._dataset._core.merge_insert_uncommitted, data_obj, schema)
        return decode_transaction(content), _counts(stats)

    def execute_batches(self, new_data: Any) -> Dict[str, int]:
        """:meth:`execute`, for data that is in memory."""
        return self.execute(new_data)

    def execute_uncommitted_batches(self, new_data: Any) -> Tuple[Transaction, Dict[str, int]]:
        """:meth:`execute_uncommitted`, for data that is in memory."""
        return self.execute_uncommitted(new_data)

    def explain_plan(self, schema: Optional["pa.Schema"] = None, verbose: bool = False) -> str:
        """The steps for a source of this schema (default the table's), as text."""
        wanted = self._dataset.schema if schema is None else schema
        try:
            return self._dataset._core.explain_merge_insert(wanted, self._options)
        except CoreError as error:
            raise translate(error, "change") from None

    def analyze_plan(self, data_obj: Any, *, schema: Optional["pa.Schema"] = None) -> str:
        """Does all but the commit, and tells what the steps came to, as text."""
        return self._run(self._dataset._core.analyze_merge_insert, data_obj, schema)

    def _run(self, method: Callable[..., Any], data_obj: Any, schema: Optional["pa.Schema"]) -> Any:
        if not self._changes_anything():
            raise ValueError(
                "Invalid user input: The merge insert job is not configured to change the data in "
                "any way"
            )
        self._options.set_retries(self._retries, self._timeout.total_seconds())
        stream = to_stream(data_obj, schema)
        try:
            return method(stream, self._options)
        except CoreError as error:
            raise_source_error(stream)
            raise translate(error, "change") from None

    def _changes_anything(self) -> bool:
        return (
            self._options.when_matched != _core.WhenMatched.do_nothing
            or self._options.insert_not_matched
            or self._options.delete_not_matched_by_source
        )


def _counts(stats: _core.MergeInsertStats) -> Dict[str, int]:
    return {
        "num_inserted_rows": stats.inserted_rows,
        "num_updated_rows": stats.updated_rows,
        "num_deleted_rows": stats.deleted_rows,
    }
