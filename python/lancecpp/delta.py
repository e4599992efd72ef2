"""What has changed between two versions of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional

from .transaction import Transaction

if TYPE_CHECKING:
    import pyarrow as pa

    from .dataset import LanceDataset

_CREATED = "_row_created_at_version"
_UPDATED = "_row_last_updated_at_version"


class DatasetDelta:
    """The changes after one version up to another; made by :meth:`LanceDataset.delta`.

    Rows are told apart by their stable ids: tables without them have no inserted or updated rows.
    """

    def __init__(self, dataset: "LanceDataset", begin_version: int, end_version: int):
        self._dataset = dataset
        self._begin = begin_version
        self._end = end_version

    def list_transactions(self) -> List[Transaction]:
        """What made each version in the range."""
        known = {version["version"] for version in self._dataset.versions()}
        for version in range(self._begin + 1, self._end + 1):
            if version not in known:
                raise ValueError(
                    f"Version not found error: Can not find version {version}, please check if it "
                    "has been cleanup."
                )
        return [
            self._dataset.read_transaction(version)
            for version in range(self._begin + 1, self._end + 1)
        ]

    def get_inserted_rows(self) -> "pa.RecordBatchReader":
        """Rows that are new, with their ids and versions."""
        return self._rows(lambda created, updated: self._in_range(created))

    def get_updated_rows(self) -> "pa.RecordBatchReader":
        """Rows that were there before and have changed, with their ids and versions."""
        import pyarrow.compute as pc

        return self._rows(
            lambda created, updated: pc.and_(
                pc.less_equal(created, self._begin), self._in_range(updated)
            )
        )

    def get_deleted_row_ids(self) -> "pa.RecordBatchReader":
        """The ids of rows that are there no more: batches of one column ``_rowid``."""
        import pyarrow as pa
        import pyarrow.compute as pc

        before, after = (self._dataset.checkout_version(v) for v in (self._begin, self._end))
        for version in (before, after):
            if not version.has_stable_row_ids:
                raise ValueError(
                    "Invalid user input: deleted row ids require stable row ids, version "
                    f"{version.version} does not use them"
                )
        left = after.to_table(columns=["_rowid"])["_rowid"]
        all_ids = before.to_table(columns=["_rowid"])
        gone = all_ids.filter(pc.invert(pc.is_in(all_ids["_rowid"], value_set=left)))
        return pa.RecordBatchReader.from_batches(gone.schema, gone.to_batches())

    def _in_range(self, versions: Any) -> Any:
        import pyarrow.compute as pc

        return pc.and_(pc.greater(versions, self._begin), pc.less_equal(versions, self._end))

    def _rows(self, wanted: Callable[[Any, Any], Any]) -> "pa.RecordBatchReader":
        import pyarrow as pa

        version = self._dataset.checkout_version(self._end)
        names = [*version.schema.names, "_rowid", _CREATED, _UPDATED]
        scanner = version.scanner(columns=names)

        def batches() -> Iterator["pa.RecordBatch"]:
            for batch in scanner.to_batches():
                picked = batch.filter(wanted(batch[_CREATED], batch[_UPDATED]))
                if picked.num_rows > 0:
                    yield picked

        return pa.RecordBatchReader.from_batches(scanner.projected_schema, batches())


def make_delta(
    dataset: "LanceDataset",
    compared_against: Optional[int],
    begin_version: Optional[int],
    end_version: Optional[int],
) -> DatasetDelta:
    if compared_against is not None:
        if begin_version is not None or end_version is not None:
            raise ValueError(
                "compared_against and begin_version / end_version can't be given together"
            )
        begin_version, end_version = sorted((compared_against, dataset.version))
    if begin_version is None and end_version is None:
        raise ValueError(
            "Invalid user input: Must specify either compared_against or both begin_version and "
            "end_version"
        )
    if begin_version is None or end_version is None:
        raise ValueError("Invalid user input: Must specify both begin_version and end_version")
    return DatasetDelta(dataset, begin_version, end_version)
