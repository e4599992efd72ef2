"""Opening and reading a table at one of its versions."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    Optional,
    Tuple,
    TypedDict,
    Union,
)

from . import _core
from .base_path import check_base_store_params
from .bitmap import Bitmap
from .blob import DEFAULT_BLOB_BUFFER_SIZE, BlobFile, read_blob_ranges, row_selection
from .changes import TableChanges
from .errors import CoreError, refuse_later_work, text, translate, unsigned
from .files import all_files, tracked_files
from .fragment import LanceFragment
from .indices import IndexDescription, IndexInformation, describe_indices, list_indices
from .pyarrow_classes import CountsAs, new_dataset, takes_pyarrow_arguments
from .scanner import (
    ColumnOrdering,
    LanceScanner,
    column_expressions,
    encoding_overrides,
    make_scanner,
    positions,
    serialize_row_addrs,
    take_failed,
    taken_columns,
)
from .scan_statistics import ScanStatistics
from .schema import LanceSchema
from .semantic_schema import SemanticSchema
from .stats import LanceStats
from .tags import Tags
from .version_reference import Reference, uri_text, version_reference
from .write import InPlace, write_dataset

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

__all__ = ["IOStats", "LanceDataset", "LanceScanner", "Tags", "Version", "dataset", "write_dataset"]

Columns = Optional[Union[List[str], Dict[str, str]]]
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Version(TypedDict):
    version: int
    timestamp: datetime
    metadata: Dict[str, str]


class VersionRef(TypedDict):
    version: int


@dataclass
class IOStats:
    """Requests to the store and bytes moved."""

    read_iops: int
    read_bytes: int
    write_iops: int
    written_bytes: int


def dataset(
    uri: Optional[Union[str, os.PathLike]] = None,
    version: Optional[Union[int, str]] = None,
    asof: Optional[Union[datetime, str]] = None,
    block_size: Optional[int] = None,
    commit_lock: Optional[Any] = None,
    index_cache_size: Optional[int] = None,
    storage_options: Optional[Dict[str, str]] = None,
    default_scan_options: Optional[Dict[str, Any]] = None,
    metadata_cache_size_bytes: Optional[int] = None,
    index_cache_size_bytes: Optional[int] = None,
    read_params: Optional[Dict[str, Any]] = None,
    session: Optional[Any] = None,
    namespace_client: Optional[Any] = None,
    table_id: Optional[List[str]] = None,
    base_store_params: Optional[Dict[str, Dict[str, str]]] = None,
) -> "LanceDataset":
    """Opens a table.

    Parameters
    ----------
    uri:
        A path, or a ``file://`` or ``memory://`` URI.
    version:
        A number or the name of a tag; default the newest version.
    asof:
        The newest version committed strictly before this time (a naive time is local). A string
        is read as ISO 8601. Has no effect when a version is given.
    default_scan_options:
        Arguments of :meth:`LanceDataset.scanner` to use where a call gives none.

    >>> written = lance.write_dataset({"id": [1, 2]}, "memory://open-example")
    >>> lance.dataset("memory://open-example").count_rows()
    2
    """
    refuse_later_work(
        "dataset", {"namespace_client": namespace_client, "table_id": table_id, "session": session}
    )
    if uri is None:
        raise ValueError("Must specify either 'uri' or both 'namespace_client' and 'table_id'.")
    return LanceDataset._from_core(
        _open(
            uri_text(uri),
            version,
            asof,
            commit_lock=commit_lock,
            storage_options=storage_options,
            base_store_params=base_store_params,
        ),
        default_scan_options,
    )


def _open(
    uri: str,
    version: Any,
    asof: Any,
    *,
    commit_lock: Any,
    storage_options: Any,
    base_store_params: Any,
) -> _core.Dataset:
    refuse_later_work(
        "dataset",
        {
            "commit_lock": commit_lock,
            "storage_options": storage_options or None,
        },
    )
    check_base_store_params(base_store_params)
    reference = None if version is None else version_reference(version)
    as_of_ns = None if asof is None or version is not None else _nanoseconds(asof)
    try:
        return _core.Dataset.open(uri, reference, as_of_ns)
    except CoreError as error:
        raise translate(error, "open", reference) from None


def _nanoseconds(asof: Any) -> int:
    """Nanoseconds since the epoch; a naive time is local."""
    if isinstance(asof, str):
        try:
            asof = datetime.fromisoformat(asof)
        except ValueError:
            raise ValueError(
                f"Failed to parse timestamp string {asof}: expected ISO 8601, such as "
                "2024-05-31 14:00:00"
            ) from None
    if not isinstance(asof, datetime):
        raise TypeError(f"Unrecognized version timestamp {asof} of type {type(asof)}")
    try:
        zoned = asof if asof.tzinfo else asof.astimezone()
    except (OverflowError, ValueError):  # the first and the last days of the calendar
        zoned = asof.replace(tzinfo=timezone.utc)
    since = zoned - _EPOCH
    nanoseconds = (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000
    # Beyond the years 1677 to 2262 there are no versions that could be told apart.
    return max(-(2**63), min(nanoseconds, 2**63 - 1))


def _version_dict(info: _core.VersionInfo) -> Version:
    seconds, nanoseconds = divmod(info.timestamp_ns, 10**9)
    timestamp = datetime.fromtimestamp(seconds).replace(microsecond=nanoseconds // 1000)
    return {"version": info.version, "timestamp": timestamp, "metadata": info.metadata}


class LanceDataset(TableChanges):
    """A table at one version.

    Made by :func:`dataset` and :func:`write_dataset`. A version never changes; ``insert`` and
    ``checkout_latest`` move this object to another one. May be used from several threads, and
    pickled (the path and the version are).

    >>> data = lance.write_dataset({"id": [0, 1, 2, 3]}, "memory://dataset-example")
    >>> data.schema
    id: int64
    >>> data.to_table(limit=2).to_pydict()
    {'id': [0, 1]}
    >>> data.take([3, 0]).to_pydict()
    {'id': [3, 0]}
    """

    _core: _core.Dataset
    _default_scan_options: Dict[str, Any]
    _counters_before: Tuple[int, int, int, int]
    # Of filter(): only rows for which it is true are in the dataset.
    _row_filter: Optional["pc.Expression"]

    __class__ = CountsAs("Dataset")  # type: ignore[assignment]

    def __new__(cls, *args: Any, **kwargs: Any) -> "LanceDataset":
        return new_dataset(cls)

    def __init__(
        self,
        uri: Union[str, os.PathLike],
        version: Optional[Union[int, str]] = None,
        block_size: Optional[int] = None,
        index_cache_size: Optional[int] = None,
        metadata_cache_size: Optional[int] = None,
        commit_lock: Optional[Any] = None,
        storage_options: Optional[Dict[str, str]] = None,
        serialized_manifest: Optional[bytes] = None,
        default_scan_options: Optional[Dict[str, Any]] = None,
        metadata_cache_size_bytes: Optional[int] = None,
        index_cache_size_bytes: Optional[int] = None,
        read_params: Optional[Dict[str, Any]] = None,
        session: Optional[Any] = None,
        namespace_client: Optional[Any] = None,
        table_id: Optional[List[str]] = None,
        namespace_client_managed_versioning: bool = False,
        base_store_params: Optional[Dict[str, Dict[str, str]]] = None,
    ):
        refuse_later_work(
            "LanceDataset",
            {
                "serialized_manifest": serialized_manifest,
                "session": session,
                "namespace_client": namespace_client,
                "table_id": table_id,
                "namespace_client_managed_versioning": namespace_client_managed_versioning,
            },
        )
        opened = _open(
            uri_text(uri),
            version,
            None,
            commit_lock=commit_lock,
            storage_options=storage_options,
            base_store_params=base_store_params,
        )
        self._attach(opened, default_scan_options)

    @classmethod
    def _from_core(
        cls, core: _core.Dataset, default_scan_options: Optional[Dict[str, Any]] = None
    ) -> "LanceDataset":
        made = cls.__new__(cls)
        made._attach(core, default_scan_options)
        return made

    def _attach(self, core: _core.Dataset, default_scan_options: Optional[Dict[str, Any]]) -> None:
        self._core = core
        self._default_scan_options = dict(default_scan_options or {})
        self._row_filter = None
        self._counters_before = (0, 0, 0, 0)

    def __repr__(self) -> str:
        return (
            f"LanceDataset(uri={self.uri!r}, version={self.version}, rows={self.count_rows()}, "
            f"fragments={len(self._core.fragments())})"
        )

    def __len__(self) -> int:
        return self.count_rows()

    def __reduce__(self) -> Any:
        # Another process may have another working directory.
        uri = self.uri if "://" in self.uri else os.path.abspath(self.uri)
        return (_reopen, (uri, self.version, self._default_scan_options, self._row_filter))

    def __copy__(self) -> "LanceDataset":
        made = LanceDataset._from_core(self._core, self._default_scan_options)
        made._row_filter = self._row_filter
        return made

    # What this version is.

    @property
    def uri(self) -> str:
        """Where the table is, as it was opened."""
        return self._core.uri

    @property
    def version(self) -> int:
        """The number of this version."""
        return self._core.version

    @property
    def schema(self) -> "pa.Schema":
        """The Arrow schema of this version."""
        return self._core.schema

    @property
    def lance_schema(self) -> LanceSchema:
        """The schema with the ids of the fields."""
        return LanceSchema(self._core.schema, self._core.field_ids)

    @property
    def has_semantic_types(self) -> bool:
        """Whether columns take any layout of their values (docs/semantic-types.md)."""
        return self._core.has_semantic_types

    @property
    def semantic_schema(self) -> SemanticSchema:
        """What each field means, whatever its layout. Of a table without semantic types: what an
        upgrade would make of it.

        >>> data = lance.write_dataset({"name": ["a"]}, "memory://semantic", semantic_types=True)
        >>> data.semantic_schema
        path | semantic type | output encoding | recorded | extension
        name | string        | utf8            |          |
        """
        try:
            return SemanticSchema(self._core.semantic_schema())
        except CoreError as error:
            raise translate(error, "open") from None

    @property
    def data_storage_version(self) -> str:
        """The version of the file format, such as ``2.2``."""
        return self._core.data_storage_version

    @property
    def max_field_id(self) -> int:
        """The largest id that a field of this version has or had."""
        return self._core.max_field_id

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep their ids when they are rewritten."""
        return self._core.has_stable_row_ids

    @property
    def metadata(self) -> Dict[str, str]:
        """The metadata of the table."""
        return self._core.table_metadata()

    def config(self) -> Dict[str, str]:
        """The configuration of the table."""
        return self._core.config()

    @property
    def stats(self) -> LanceStats:
        """Numbers about this version."""
        return LanceStats(self)

    @property
    def has_index(self) -> bool:
        """Whether there is an index."""
        return bool(describe_indices(self))

    def describe_indices(self) -> List[IndexDescription]:
        """The indexes of this version, by their names. They are neither built nor used here."""
        return describe_indices(self)

    def list_indices(self) -> List[IndexInformation]:
        """The segments of the indexes of this version, as dicts."""
        return list_indices(self)

    # Other versions.

    @property
    def latest_version(self) -> int:
        """The number of the newest version."""
        try:
            return self._core.latest_version()
        except CoreError as error:
            raise translate(error, "versions") from None

    def versions(self) -> List[Version]:
        """All versions in ascending order, with commit time (local) and counts.

        >>> data = lance.write_dataset({"id": [1]}, "memory://versions-example")
        >>> data = lance.write_dataset({"id": [2]}, data, mode="append")
        >>> [(v["version"], v["metadata"]["total_rows"]) for v in data.versions()]
        [(1, '1'), (2, '2')]
        """
        try:
            return [_version_dict(info) for info in self._core.versions()]
        except CoreError as error:
            raise translate(error, "versions") from None

    def version_refs(self) -> List[VersionRef]:
        """The numbers of all versions, ascending, without reading any of them.

        >>> data = lance.write_dataset({"id": [1]}, "memory://refs-example")
        >>> data.version_refs()
        [{'version': 1}]
        """
        try:
            return [{"version": version} for version in self._core.version_numbers()]
        except CoreError as error:
            raise translate(error, "versions") from None

    def get_version(self) -> Version:
        """This version, as in :meth:`versions`."""
        return _version_dict(self._core.info())

    def checkout_version(
        self, version: Union[int, str, Tuple[Optional[str], Optional[int]]]
    ) -> "LanceDataset":
        """Another version: a number, a tag, or ``(branch, number)``; None for the newest.

        >>> data = lance.write_dataset({"id": [1]}, "memory://checkout-example")
        >>> data = lance.write_dataset({"id": [2]}, data, mode="append")
        >>> data.checkout_version(1).count_rows()
        1
        """
        return LanceDataset._from_core(
            self._checkout(version_reference(version)), self._default_scan_options
        )

    def checkout_latest(self) -> None:
        """Moves this object to the newest version."""
        self._core = self._checkout((self._core.branch, None))

    def _checkout(self, reference: Reference) -> _core.Dataset:
        try:
            return self._core.checkout(reference)
        except CoreError as error:
            raise translate(error, "checkout", reference) from None

    @property
    def tags(self) -> Tags:
        """The tags of the table, to list, change and delete."""
        return Tags(self)

    # Reading.

    @takes_pyarrow_arguments
    def scanner(
        self,
        columns: Columns = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Optional[Any] = None,
        batch_size: Optional[int] = None,
        batch_size_bytes: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        fragments: Optional[Iterable[LanceFragment]] = None,
        index_segments: Optional[Iterable[Any]] = None,
        full_text_query: Optional[Any] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        fast_search: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        blob_handling: Optional[
            Literal["all_binary", "blobs_descriptions", "all_descriptions"]
        ] = None,
        use_scalar_index: Optional[bool] = None,
        include_deleted_rows: Optional[bool] = None,
        scan_stats_callback: Optional[Callable[[ScanStatistics], Any]] = None,
        strict_batch_size: Optional[bool] = None,
        order_by: Optional[List[Any]] = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        row_addr_allowlist: Optional[bytes] = None,
        row_addr_blocklist: Optional[bytes] = None,
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> LanceScanner:
        """What to read, to be run later.

        Parameters
        ----------
        columns:
            Names or paths (``a.b``) in the order wanted, also ``_rowid`` and ``_rowaddr``; default
            all columns. Or a dict of names and the SQL expressions that compute them.
        filter:
            A condition in SQL, or a pyarrow expression: only rows for which it is true. See
            docs/expressions.md.
        limit, offset:
            At most so many rows, after skipping so many; of those that pass the filter.
        batch_size:
            Rows per batch at most; default 8192.
        strict_batch_size:
            Every batch but the last has just as many rows.
        batch_size_bytes:
            About so many bytes per batch, if that is fewer rows.
        order_by:
            Columns that the rows are put in order by, before offset and limit: names, or
            :class:`ColumnOrdering`. Equal rows stay in the order of the table; NaN is above all numbers.
            With a limit only the keys are read of all rows; without one, what is too much for memory
            (see ``LANCE_MEM_POOL_SIZE``) goes to a temporary file.
        fragments:
            Read these fragments only, in this order.
        output_encodings:
            In tables with semantic types, by path the layout that a column is returned in, instead
            of its own: ``{"name": "utf8_view"}``. See docs/semantic-types.md.
        with_row_id, with_row_address:
            Add the column ``_rowid`` / ``_rowaddr`` at the end.
        include_deleted_rows:
            Return also the rows that were deleted but are still stored; their ``_rowid`` and
            ``_rowaddr`` are null, also for the filter. Needs ``with_row_id``.
        row_addr_allowlist, row_addr_blocklist:
            Only the rows whose ``_rowid`` is in the one set and not in the other, before offset and
            limit; sets as :func:`serialize_row_addrs` makes them.
        scan_stats_callback:
            Called with :class:`ScanStatistics` once all rows were returned; not by
            :meth:`LanceScanner.count_rows`, and not when the scan fails or is left before its end.
            What it raises is logged.

        Arguments that only tune speed are accepted and have no effect; those of searches raise
        NotImplementedError.

        >>> data = lance.write_dataset({"id": [0, 1, 2]}, "memory://filter-example")
        >>> data.scanner(columns={"twice": "id * 2"}, filter="id <> 1").to_table().to_pydict()
        {'twice': [0, 4]}
        """
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments)

    @takes_pyarrow_arguments
    def to_table(
        self,
        columns: Columns = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Optional[Any] = None,
        batch_size: Optional[int] = None,
        batch_size_bytes: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        fast_search: Optional[bool] = None,
        full_text_query: Optional[Any] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        blob_handling: Optional[str] = None,
        use_scalar_index: Optional[bool] = None,
        include_deleted_rows: Optional[bool] = None,
        order_by: Optional[List[Any]] = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> "pa.Table":
        """Reads rows into a table; the arguments are those of :meth:`scanner`.

        >>> data = lance.write_dataset({"id": [0, 1], "x": [1.5, 2.5]}, "memory://table-example")
        >>> data.to_table(columns=["x"], offset=1).to_pydict()
        {'x': [2.5]}
        """
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments).to_table()

    @takes_pyarrow_arguments
    def to_batches(
        self,
        columns: Columns = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Optional[Any] = None,
        batch_size: Optional[int] = None,
        batch_size_bytes: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        full_text_query: Optional[Any] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        blob_handling: Optional[str] = None,
        use_scalar_index: Optional[bool] = None,
        strict_batch_size: Optional[bool] = None,
        order_by: Optional[List[Any]] = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        output_encodings: Optional[Dict[str, str]] = None,
        **kwargs: Any,
    ) -> Iterator["pa.RecordBatch"]:
        """Reads rows batch by batch, in bounded memory; the arguments are those of :meth:`scanner`.

        >>> data = lance.write_dataset({"id": [0, 1, 2]}, "memory://batches-example")
        >>> [batch.num_rows for batch in data.to_batches(batch_size=2)]
        [2, 1]
        """
        arguments = {
            name: value for name, value in locals().items() if name not in ("self", "kwargs")
        }
        return self._scanner({**arguments, **kwargs}).to_batches()

    def to_pandas(
        self,
        columns: Columns = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Optional[Any] = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        fast_search: Optional[bool] = None,
        full_text_query: Optional[Any] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        blob_mode: str = "lazy",
        use_scalar_index: Optional[bool] = None,
        include_deleted_rows: Optional[bool] = None,
        order_by: Optional[List[Any]] = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        output_encodings: Optional[Dict[str, str]] = None,
        **kwargs: Any,
    ) -> "pd.DataFrame":
        """Reads rows into a pandas DataFrame; ``kwargs`` go to ``pyarrow.Table.to_pandas``."""
        arguments = {
            name: value
            for name, value in locals().items()
            if name not in ("self", "kwargs", "blob_mode")
        }
        return self._scanner(arguments).to_pandas(blob_mode=blob_mode, **kwargs)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The whole table as an Arrow C stream: polars, duckdb and others read it directly."""
        return self.scanner().__arrow_c_stream__(requested_schema)

    def _scanner(self, arguments: Dict[str, Any]) -> LanceScanner:
        given = {name: value for name, value in arguments.items() if value is not None}
        return make_scanner(self, {**self._default_scan_options, **given})

    @takes_pyarrow_arguments
    def count_rows(self, filter: Optional[Any] = None, **kwargs: Any) -> int:
        """The number of live rows, or of those for which a condition in SQL is true.

        >>> data = lance.write_dataset({"id": [0, 1, 2]}, "memory://count-example")
        >>> data.count_rows("id > 0")
        2
        """
        if filter is not None or kwargs or self._row_filter is not None:
            return self._scanner({"filter": filter, **kwargs}).count_rows()
        try:
            return self._core.count_rows()
        except CoreError as error:
            raise translate(error, "scan") from None

    def take(
        self,
        indices: Any,
        columns: Columns = None,
        *,
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> "pa.Table":
        """Rows by their position among the live rows, in the given order, duplicates kept.

        ``indices`` is a sequence of int, a numpy array or a pyarrow array; ``columns`` and
        ``output_encodings`` as in :meth:`scanner`.

        >>> data = lance.write_dataset({"id": [10, 11, 12]}, "memory://take-example")
        >>> data.take([2, 0, 2], columns=["id"]).to_pydict()
        {'id': [12, 10, 12]}
        >>> data.take([2], columns={"next": "id + 1"}).to_pydict()
        {'next': [13]}
        """
        positions(indices)
        if self._row_filter is not None:
            return self.to_table(columns=columns, output_encodings=output_encodings).take(indices)
        encodings = encoding_overrides(output_encodings)
        if isinstance(columns, dict):
            return self._take_expressions(indices, columns, encodings)
        names = taken_columns(columns)
        try:
            return self._core.take(indices, names, encodings)
        except CoreError as error:
            options = {"columns": names, "output_encodings": encodings}
            raise take_failed(self._core, options, error) from None

    def _take_expressions(
        self, indices: Any, columns: Dict[str, str], encodings: Dict[str, str]
    ) -> "pa.Table":
        expressions = column_expressions(columns)
        try:
            return self._core.take_expressions(indices, expressions, encodings)
        except CoreError as error:
            options = {"expressions": expressions, "output_encodings": encodings}
            raise take_failed(self._core, options, error) from None

    @takes_pyarrow_arguments
    def head(self, num_rows: int, **kwargs: Any) -> "pa.Table":
        """The first ``num_rows`` rows; ``kwargs`` are those of :meth:`to_table`."""
        return self.to_table(limit=num_rows, **kwargs)

    def slice(self, start: int, end: int, columns: Columns = None) -> "pa.Table":
        """The rows from position ``start`` up to ``end``, without it."""
        if start < 0:
            raise ValueError(f"start must be non-negative, got {start}")
        if end < start:
            raise ValueError(f"end ({end}) must be >= start ({start})")
        return self.to_table(columns=columns, offset=start, limit=end - start)

    def sample(
        self,
        num_rows: int,
        columns: Columns = None,
        randomize_order: bool = True,
        **kwargs: Any,
    ) -> "pa.Table":
        """``num_rows`` rows picked at random, each at most once.

        With ``randomize_order=False`` they are in the order of the table.
        """
        positions = random.sample(range(self.count_rows()), num_rows)
        if not randomize_order:
            positions.sort()
        return self.take(positions, columns=columns, **kwargs)

    # Blobs.

    def take_blobs(
        self,
        blob_column: str,
        ids: Optional[Any] = None,
        addresses: Optional[Any] = None,
        indices: Optional[Any] = None,
        *,
        buffer_size: int = DEFAULT_BLOB_BUFFER_SIZE,
    ) -> List[Optional[BlobFile]]:
        """Values of a blob column as files that are read when asked; None for a null.

        Give one of ``ids`` (``_rowid``), ``addresses`` (``_rowaddr``) and ``indices`` (positions
        among the live rows). The files come in the given order.
        """
        key, rows = row_selection(ids, addresses, indices)
        try:
            blobs = self._core.take_blobs(text("blob_column", blob_column), key, rows)
        except CoreError as error:
            raise translate(error, "scan") from None
        return [None if blob is None else BlobFile(blob, buffer_size) for blob in blobs]

    def read_blob_ranges(
        self,
        blob_column: str,
        requests: Iterable[Tuple[int, int, int]],
        *,
        selector: Literal["ids", "addresses", "indices"],
        io_buffer_size: Optional[int] = None,
        preserve_order: Optional[bool] = None,
    ) -> List[Tuple[int, int, Optional[bytes]]]:
        """Parts of values of a blob column: ``(row, offset, length)`` each.

        ``selector`` says what names the rows: ``_rowid``, ``_rowaddr``, or positions among the live
        rows. Returns ``(number of the request, row address, bytes)`` in the order of the requests;
        the bytes of a null are None.
        """
        return read_blob_ranges(self, blob_column, requests, selector)

    def read_blobs(
        self,
        blob_column: str,
        ids: Optional[Any] = None,
        addresses: Optional[Any] = None,
        indices: Optional[Any] = None,
        *,
        io_buffer_size: Optional[int] = None,
        preserve_order: Optional[bool] = None,
    ) -> List[Tuple[int, Optional[bytes]]]:
        """``(row address, bytes)`` for each of the rows, in the given order; None for a null.

        The rows are named as in :meth:`take_blobs`. Neighbouring values are read as one request.
        """
        key, rows = row_selection(ids, addresses, indices)
        try:
            batch = self._core.read_blobs(text("blob_column", blob_column), key, rows)
        except CoreError as error:
            raise translate(error, "scan") from None
        return list(zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()))

    # What else a pyarrow.dataset.Dataset has.

    def filter(self, expression: "pc.Expression") -> "LanceDataset":
        """This version with only the rows for which a pyarrow expression is true.

        >>> import pyarrow.compute as pc
        >>> data = lance.write_dataset({"id": [0, 1, 2]}, "memory://filtered-example")
        >>> data.filter(pc.field("id") > 0).count_rows()
        2
        """
        made = self.__copy__()
        before = self._row_filter
        made._row_filter = expression if before is None else before & expression
        return made

    @property
    def partition_expression(self) -> None:
        """Nothing is known of all rows of a table."""
        return None

    def replace_schema(self, schema: "pa.Schema") -> "LanceDataset":
        """Not supported: use :meth:`alter_columns` to cast columns."""
        raise NotImplementedError("replace_schema: use alter_columns to cast columns")

    def sort_by(self, sorting: Any, **kwargs: Any) -> Any:
        """The rows in another order, as a ``pyarrow.dataset.InMemoryDataset``."""
        import pyarrow.dataset

        return pyarrow.dataset.dataset(self.to_table().sort_by(sorting, **kwargs))

    def join(self, *args: Any, **kwargs: Any) -> Any:
        """Not supported: use ``to_table()`` and ``pyarrow.Table.join``, or an engine."""
        raise NotImplementedError("join: use to_table() and pyarrow.Table.join, or an engine")

    def join_asof(self, *args: Any, **kwargs: Any) -> Any:
        """Not supported: use ``to_table()`` and ``pyarrow.Table.join_asof``."""
        raise NotImplementedError("join_asof: use to_table() and pyarrow.Table.join_asof")

    # Fragments.

    def get_fragments(self, filter: Optional[Any] = None) -> List[LanceFragment]:
        """The fragments. A filter leaves out those without a row for which it is true, if that can
        be told without reading them: none so far."""
        if self._row_filter is not None:
            raise ValueError("a filtered dataset has no fragments: it may have parts of them only")
        return [LanceFragment(self, info.id, fragment=info) for info in self._core.fragments()]

    def get_fragment(self, fragment_id: int) -> Optional[LanceFragment]:
        """The fragment, or None if this version has none of that id."""
        wanted = unsigned("fragment_id", fragment_id)
        for info in self._core.fragments():
            if info.id == wanted:
                return LanceFragment(self, wanted, fragment=info)
        return None

    def fragment_ids(self) -> Bitmap:
        """The ids of the fragments."""
        return Bitmap(info.id for info in self._core.fragments())

    # Writing.

    def insert(self, data: Any, *, mode: str = "append", **kwargs: Any) -> None:
        """:func:`write_dataset` into this table; this object moves to the new version.

        >>> data = lance.write_dataset({"id": [1]}, "memory://insert-example")
        >>> data.insert({"id": [2]})
        >>> data.to_table().to_pydict()
        {'id': [1, 2]}
        """
        write_dataset(data, InPlace(self), mode=mode, **kwargs)

    # Files.

    def tracked_files(
        self, *, min_version: Optional[int] = None, progress: Optional[Any] = None
    ) -> "pa.RecordBatchReader":
        """The files that versions (from ``min_version`` on) name, once for each version: its number,
        ``base_uri``, ``path`` below that, and ``type``.

        ``progress`` is called with the numbers of versions that were read, and that there are.
        """
        return tracked_files(self, min_version, progress)

    def all_files(self) -> "pa.RecordBatchReader":
        """The files below the table's own root, whether a version names them or not: ``base_uri``,
        ``path`` below that, ``size_bytes`` and ``last_modified``."""
        return all_files(self)

    # Counters.

    def io_stats_snapshot(self) -> IOStats:
        """Requests to the store since opening or the last ``io_stats_incremental``."""
        now = self._counters()
        return IOStats(*(new - old for new, old in zip(now, self._counters_before)))

    def io_stats_incremental(self) -> IOStats:
        """The same, and starts counting anew."""
        stats = self.io_stats_snapshot()
        self._counters_before = self._counters()
        return stats

    def _counters(self) -> Tuple[int, int, int, int]:
        counters = self._core.io_counters()
        return (counters.reads, counters.read_bytes, counters.writes, counters.written_bytes)


def _reopen(
    uri: str,
    version: int,
    default_scan_options: Dict[str, Any],
    row_filter: Optional["pc.Expression"],
) -> LanceDataset:
    made = LanceDataset(uri, version, default_scan_options=default_scan_options)
    made._row_filter = row_filter
    return made
