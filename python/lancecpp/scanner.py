"""Scans: what to read, and the object that reads it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from . import _core
from .errors import (
    CoreError,
    flag,
    names,
    refuse_later_work,
    string_map,
    text,
    translate,
    unsigned,
    unsigned_list,
)
from .pushdown import PushedFilter, filtered, keep_back, push_down, within
from .pyarrow_classes import CountsAs
from .scan_statistics import telling

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    from .dataset import LanceDataset

# Arguments that change how fast a scan is, never what it returns; the engine chooses by itself.
_TUNING = (
    "batch_readahead",
    "disable_scoring_autoprojection",
    "fast_search",
    "fragment_readahead",
    "io_buffer_size",
    "late_materialization",
    "prefilter",
    "scan_in_order",
    "use_scalar_index",
    "use_stats",
)
# Arguments that would change the result, and are refused so far.
_LATER = frozenset(
    "full_text_query index_segments nearest".split()
)
_BLOB_HANDLING = {
    "all_binary": _core.BlobHandling.bytes,
    "all_descriptions": _core.BlobHandling.descriptions,
    "blobs_descriptions": _core.BlobHandling.descriptions,
}
_BLOB_MODES = ("lazy", "bytes", "descriptions")
# Marks blobs among the columns of a scan.
_BLOB_KEY = b"lance-encoding:blob"
_ROW_ADDRESS = "_rowaddr"


@dataclass
class ColumnOrdering:
    """A column that a scan puts its rows in order by.

    >>> data = lance.write_dataset({"x": [2, None, 3]}, "memory://order-example")
    >>> data.to_table(order_by=[lance.ColumnOrdering("x", ascending=False)])["x"].to_pylist()
    [3, 2, None]
    """

    column_name: str
    """A top-level name, or the path of a member of a struct (``a.b``)."""
    ascending: bool = True
    nulls_first: bool = False


def make_scanner(dataset: "LanceDataset", arguments: Dict[str, Any]) -> "LanceScanner":
    """The scanner for the keyword arguments of ``scanner()`` on ``dataset``."""
    arguments = dict(arguments)
    sql, expression = _conditions([arguments.pop("filter", None), dataset._row_filter])
    pushed = PushedFilter()
    if expression is not None:
        # The engine takes one condition.
        divide = push_down if sql is None else keep_back
        pushed = divide(expression, dataset._core)
    late_columns = arguments.get("late_materialization")
    options = _scan_options(arguments)
    if isinstance(late_columns, list):
        _check_columns(dataset._core, late_columns)
    conditions = {"filter": sql, "substrait_filter": pushed.substrait}
    return LanceScanner(dataset, _changed(options, **conditions), pushed)


def _scan_options(arguments: Dict[str, Any]) -> _core.ScanOptions:
    """The engine's options for keyword arguments other than the filter."""
    arguments = {name: value for name, value in arguments.items() if value is not None}
    for name in _TUNING:
        if name in arguments:
            _check_tuning(name, arguments.pop(name))
    columns = arguments.pop("columns", None)
    expressions = column_expressions(columns) if isinstance(columns, dict) else None
    options = _core.ScanOptions(
        columns=None if expressions is not None else column_names("scanner", columns),
        expressions=expressions,
        limit=_row_count("Limit", arguments.pop("limit", None)),
        offset=_row_count("Offset", arguments.pop("offset", None)) or 0,
        batch_size=_batch_size(arguments.pop("batch_size", None)),
        batch_size_bytes=_batch_bytes(arguments.pop("batch_size_bytes", None)),
        strict_batch_size=flag("strict_batch_size", arguments.pop("strict_batch_size", False)),
        order_by=_sort_keys(arguments.pop("order_by", None)),
        with_row_id=flag("with_row_id", arguments.pop("with_row_id", False)),
        with_row_address=flag("with_row_address", arguments.pop("with_row_address", False)),
        fragments=_fragment_ids(arguments.pop("fragments", None)),
        blob_handling=_blob_handling(arguments.pop("blob_handling", "blobs_descriptions")),
        output_encodings=encoding_overrides(arguments.pop("output_encodings", None)),
        include_deleted_rows=flag(
            "include_deleted_rows", arguments.pop("include_deleted_rows", False)
        ),
        row_allowlist=_row_set("row_addr_allowlist", arguments.pop("row_addr_allowlist", None)),
        row_blocklist=_row_set("row_addr_blocklist", arguments.pop("row_addr_blocklist", None)),
        on_done=_teller(arguments.pop("scan_stats_callback", None)),
    )
    for name in arguments:
        if name not in _LATER:
            raise TypeError(f"scanner() got an unexpected keyword argument '{name}'")
    refuse_later_work("scanner", arguments)
    return options


def _check_tuning(name: str, value: Any) -> None:
    """Has no effect, but a wrong value is a mistake all the same."""
    if name == "late_materialization":
        if not isinstance(value, bool):
            if not isinstance(value, list):
                raise ValueError("late_materialization must be a bool or a list of strings")
            names(name, value)
    elif name == "io_buffer_size":
        unsigned(name, value)
    elif name in ("batch_readahead", "fragment_readahead"):
        if _row_count(name, value) == 0 and name == "batch_readahead":
            raise ValueError("batch_readahead must be greater than 0, got 0")
    else:
        flag(name, value)


def _check_columns(core: _core.Dataset, columns: List[str]) -> None:
    """Names that the table doesn't have are a mistake, also where they have no effect."""
    try:
        core.scan_schema(_core.ScanOptions(columns=list(dict.fromkeys(columns))))
    except CoreError as error:
        raise translate(error, "scan") from None


def column_names(call: str, columns: Any) -> Optional[List[str]]:
    """``columns`` as a list of names, or None for all."""
    if columns is None:
        return None
    if isinstance(columns, dict):
        raise NotImplementedError(
            f"{call}: argument 'columns' as a dict of expressions is not supported by this version "
            "of lancecpp; pass a list of names"
        )
    if not isinstance(columns, list):
        raise TypeError(f"columns must be a list or dict[name, expression], got {type(columns)}")
    return names("columns", columns)


def taken_columns(columns: Any) -> Optional[List[str]]:
    """The columns of a take, where a sequence of any type does and a name may come twice."""
    if columns is None or isinstance(columns, dict):
        return column_names("take", columns)
    return list(dict.fromkeys(names("columns", columns)))


def positions(indices: Any) -> Any:
    """What may be the positions of rows; the engine looks at each of them."""
    if indices is None or isinstance(indices, (str, bytes)):
        raise TypeError(
            f"argument 'indices': expected a sequence of int, got {type(indices).__name__}"
        )
    return indices


def encoding_overrides(encodings: Optional[Dict[str, str]]) -> Dict[str, str]:
    """``output_encodings``: by path, instead of those of the table."""
    return string_map("output_encodings", encodings or {})


def column_expressions(columns: Dict[Any, Any]) -> List[Tuple[str, str]]:
    """``{name: expression}`` as pairs."""
    return [(text("columns", name), text("columns", sql)) for name, sql in columns.items()]


def filter_argument(
    condition: Any, dataset: "LanceDataset", name: str = "filter"
) -> Dict[str, Any]:
    """The engine's options for an SQL condition, or a pyarrow expression that it understands."""
    sql, expression = _conditions([condition], name)
    if expression is None:
        return {"filter": sql}
    pushed = push_down(expression, dataset._core)
    if pushed.rest is not None:
        raise ValueError(f"the condition has no equivalent in SQL: {pushed.rest}")
    return {"substrait_filter": pushed.substrait}


def _conditions(
    filters: Iterable[Any], name: str = "filter"
) -> Tuple[Optional[str], Optional["pc.Expression"]]:
    """All conditions of a scan: one in SQL at most, and those of pyarrow together."""
    sql = None
    expression = None
    for condition in filters:
        if condition is None:
            continue
        if isinstance(condition, str):
            sql = text(name, condition)
            continue
        import pyarrow.compute as pc

        if not isinstance(condition, pc.Expression):
            raise TypeError(
                f"argument '{name}': expected an SQL condition as a str, or a pyarrow expression, "
                f"got {type(condition).__name__} {condition!r}"
            )
        expression = condition if expression is None else expression & condition
    return sql, expression


def take_failed(core: _core.Dataset, columns: Dict[str, Any], error: CoreError) -> Exception:
    """The exception for a failed take: a wrong column is named like that of a scan (ValueError), a
    wrong position is an OSError, but both are the same to the engine."""
    try:
        core.scan_schema(_core.ScanOptions(**columns))
    except CoreError:
        return translate(error, "scan")
    return translate(error, "take")


def _row_count(name: str, value: Any) -> Optional[int]:
    if value is None:
        return None
    if not hasattr(value, "__index__"):
        unsigned(name.lower(), value)
    if value < 0:
        raise ValueError(f"{name} must be non-negative, got {value}")
    return unsigned(name.lower(), value, bits=63)


def _batch_size(value: Any) -> Optional[int]:
    if value is None:
        return None
    rows = unsigned("batch_size", value)
    if not 1 <= rows < 1 << 32:
        raise ValueError(
            f"Invalid user input: batch_size must be between 1 and 4294967295, got {rows}"
        )
    return rows


def _batch_bytes(value: Any) -> Optional[int]:
    if value is None:
        return None
    size = unsigned("batch_size_bytes", value)
    if size == 0:
        raise ValueError("Invalid user input: batch_size_bytes must be at least 1, got 0")
    return size


def _sort_keys(order_by: Any) -> List[Tuple[str, bool, bool]]:
    """``order_by`` as (column, ascending, nulls first)."""
    if order_by is None:
        return []
    if isinstance(order_by, (str, ColumnOrdering)):
        order_by = [order_by]
    keys = []
    for key in order_by:
        if isinstance(key, str):
            key = ColumnOrdering(key)
        try:
            column, ascending, nulls_first = key.column_name, key.ascending, key.nulls_first
        except AttributeError:
            raise TypeError(
                f"order_by: expected names of columns or ColumnOrdering, got {key!r}"
            ) from None
        keys.append(
            (text("order_by", column), flag("ascending", ascending), flag("nulls_first", nulls_first))
        )
    return keys


def serialize_row_addrs(addrs: Iterable[int]) -> bytes:
    """Row ids as ``row_addr_allowlist`` and ``row_addr_blocklist`` of a scan take them.

    >>> data = lance.write_dataset({"id": [5, 6, 7]}, "memory://allowlist-example")
    >>> from lancecpp.dataset import serialize_row_addrs
    >>> wanted = serialize_row_addrs([0, 2])
    >>> data.scanner(row_addr_allowlist=wanted).to_table().to_pydict()
    {'id': [5, 7]}
    """
    return _core.serialize_row_ids(unsigned_list("addrs", list(addrs)))


def _row_set(name: str, value: Any) -> Optional[bytes]:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    raise TypeError(
        f"argument '{name}': expected the bytes that serialize_row_addrs gives, "
        f"got {type(value).__name__}"
    )


def _teller(callback: Any) -> Any:
    return None if callback is None else telling(callback)


def _blob_handling(value: Any) -> _core.BlobHandling:
    if value not in _BLOB_HANDLING:
        known = ", ".join(_BLOB_HANDLING)
        raise ValueError(f"Invalid blob_handling: {value}. Expected one of: {known}")
    return _BLOB_HANDLING[value]


def _changed(options: _core.ScanOptions, **changes: Any) -> _core.ScanOptions:
    """A copy of the options with some of them replaced."""
    names = (
        "columns",
        "expressions",
        "filter",
        "substrait_filter",
        "limit",
        "offset",
        "batch_size",
        "batch_size_bytes",
        "strict_batch_size",
        "order_by",
        "with_row_id",
        "with_row_address",
        "fragments",
        "blob_handling",
        "output_encodings",
        "include_deleted_rows",
        "row_allowlist",
        "row_blocklist",
        "on_done",
    )
    return _core.ScanOptions(**{**{name: getattr(options, name) for name in names}, **changes})


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _fragment_ids(fragments: Any) -> Optional[List[int]]:
    if fragments is None:
        return None
    from .fragment import LanceFragment

    ids = []
    for fragment in fragments:
        if not isinstance(fragment, LanceFragment):
            raise TypeError(
                f"fragments must be an iterable of LanceFragment. Got {type(fragment)} instead."
            )
        ids.append(fragment.fragment_id)
    return ids


def _objects(values: List[Any], index: Any) -> "pd.Series":
    import pandas as pd

    if not len(index):  # a frame without other columns has no rows yet
        index = None
    return pd.Series(values, index=index, dtype=object)


class LanceScanner:
    """What a scan reads, to be run as a table, batch by batch or as a stream.

    Made by :meth:`LanceDataset.scanner` and :meth:`LanceFragment.scanner`; may be run many times.

    >>> data = lance.write_dataset({"id": [0, 1, 2, 3]}, "memory://scanner-example")
    >>> scanner = data.scanner(columns=["id"], limit=2)
    >>> scanner.projected_schema
    id: int64
    >>> scanner.to_table().to_pydict()
    {'id': [0, 1]}
    """

    __class__ = CountsAs("Scanner")  # type: ignore[assignment]

    def __init__(
        self,
        dataset: "LanceDataset",
        options: _core.ScanOptions,
        filter: PushedFilter = PushedFilter(),
    ):
        self._dataset = dataset
        self._core = dataset._core
        self._options = options
        # Of it the options have the part that the engine takes.
        self._filter = filter

    @staticmethod
    def from_dataset(*args: Any, **kwargs: Any) -> Any:
        """Not supported: use :meth:`LanceDataset.scanner`."""
        raise NotImplementedError("from_dataset: use LanceDataset.scanner")

    @staticmethod
    def from_fragment(*args: Any, **kwargs: Any) -> Any:
        """Not supported: use :meth:`LanceFragment.scanner`."""
        raise NotImplementedError("from_fragment: use LanceFragment.scanner")

    @staticmethod
    def from_batches(*args: Any, **kwargs: Any) -> Any:
        """Not supported: use ``pyarrow.dataset.Scanner.from_batches``."""
        raise NotImplementedError("from_batches: use pyarrow.dataset.Scanner.from_batches")

    def _changed(self, **changes: Any) -> "LanceScanner":
        return LanceScanner(self._dataset, _changed(self._options, **changes), self._filter)

    def to_table(self) -> "pa.Table":
        """All rows as one table."""
        if self._filter.rest is not None:
            import pyarrow as pa

            return pa.Table.from_batches(self.to_batches(), self.projected_schema)
        try:
            return self._core.to_table(self._options)
        except CoreError as error:
            raise translate(error, "scan") from None

    def to_batches(self) -> Iterator["pa.RecordBatch"]:
        """An iterator that reads while it is pulled, in bounded memory."""
        if self._filter.rest is not None:
            yield from within(
                self._rest_filtered(), self._options.offset, self._options.limit
            )
            return
        try:
            for batch in self._core.scan(self._options):
                yield batch
        except CoreError as error:
            raise translate(error, "scan") from None

    def scan_batches(self) -> Iterator[Any]:
        """The batches as pyarrow's scanners give them, each with the fragment that it is of: not
        known here."""
        from pyarrow.dataset import TaggedRecordBatch

        return (TaggedRecordBatch(batch, None) for batch in self.to_batches())

    def _before_rest(self) -> "LanceScanner":
        """The scan whose rows pyarrow's part of the filter gets."""
        schema = self.projected_schema
        columns = [name for name in self._filter.rest_columns if name not in schema.names]
        names = list(schema.names) + columns
        changes: Dict[str, Any] = {"columns": names}
        if self._options.expressions is not None:
            # What is computed may have the names of other columns.
            columns = self._filter.rest_columns
            computed = dict(self._options.expressions)
            outputs = [(f"\0{i}", computed.get(n, n)) for i, n in enumerate(schema.names)]
            changes = {"expressions": outputs + [(name, _quoted(name)) for name in columns]}
        return LanceScanner(
            self._dataset,
            _changed(
                self._options,
                limit=None,
                offset=0,
                strict_batch_size=False,
                # Names of the columns have it too, where it is wanted.
                with_row_id=self._options.include_deleted_rows,
                with_row_address=False,
                **changes,
            ),
        )

    def _rest_filtered(self) -> Iterator["pa.RecordBatch"]:
        """The rows for which pyarrow's part of the filter is true too."""
        batches = self._before_rest().to_batches()
        return filtered(batches, self._filter.rest, self.projected_schema)

    def to_reader(self) -> "pa.RecordBatchReader":
        """A pyarrow reader that reads while it is pulled, in bounded memory."""
        import pyarrow as pa

        if self._filter.rest is not None:
            return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())
        try:
            return pa.RecordBatchReader.from_stream(self._core.scan(self._options))
        except CoreError as error:
            raise translate(error, "scan") from None

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if self._filter.rest is not None:
            return self.to_reader().__arrow_c_stream__(requested_schema)
        try:
            return self._core.scan(self._options).__arrow_c_stream__(requested_schema)
        except CoreError as error:
            raise translate(error, "scan") from None

    def to_pandas(self, *, blob_mode: str = "lazy", **kwargs: Any) -> "pd.DataFrame":
        """All rows as a pandas DataFrame; ``kwargs`` go to ``pyarrow.Table.to_pandas``.

        ``blob_mode`` says what blob columns hold: ``lazy`` a :class:`BlobFile` for each value,
        ``bytes`` their bytes, ``descriptions`` where the bytes are.
        """
        if blob_mode not in _BLOB_MODES:
            raise ValueError(
                f"blob_mode must be one of: {', '.join(map(repr, _BLOB_MODES))}, got {blob_mode!r}"
            )
        if blob_mode == "bytes":
            scanner = self._changed(blob_handling=_core.BlobHandling.bytes)
            return scanner.to_table().to_pandas(**kwargs)
        if blob_mode == "lazy" and self._options.blob_handling != _core.BlobHandling.bytes:
            schema = self.projected_schema
            blobs = [field.name for field in schema if _BLOB_KEY in (field.metadata or {})]
            if blobs:
                return self._to_pandas_with_files(schema.names, blobs, kwargs)
        return self.to_table().to_pandas(**kwargs)

    def _to_pandas_with_files(
        self, names: List[str], blobs: List[str], arguments: Dict[str, Any]
    ) -> "pd.DataFrame":
        table = self._changed(with_row_address=True).to_table()
        addresses = table[_ROW_ADDRESS].combine_chunks()
        plain = [name for name in names if name not in blobs]
        frame = table.select(plain).to_pandas(**arguments)
        for name in blobs:
            files = self._dataset.take_blobs(name, addresses=addresses)
            frame.insert(names.index(name), name, _objects(files, frame.index))
        return frame

    def head(self, num_rows: int) -> "pa.Table":
        """The first ``num_rows`` rows of the scan."""
        rows = _row_count("num_rows", num_rows)
        limit = self._options.limit
        return self._changed(limit=rows if limit is None else min(rows, limit)).to_table()

    def count_rows(self) -> int:
        """The number of rows; not for a scan with a limit or an offset."""
        if self._options.limit is not None or self._options.offset:
            raise ValueError(
                "Invalid user input: Cannot use limit/offset with aggregate. Apply limit to the "
                "result instead."
            )
        if self._filter.rest is not None:
            scanner = self._changed(columns=[], expressions=None, on_done=None)
            return sum(batch.num_rows for batch in scanner.to_batches())
        try:
            return self._core.count_scan(self._options)
        except CoreError as error:
            raise translate(error, "scan") from None

    def explain_plan(self, verbose: bool = False) -> str:
        """The steps of the scan, the last one first; see docs/expressions.md.

        >>> data = lance.write_dataset({"id": [1, 2], "x": [3, 4]}, "memory://explain-example")
        >>> print(data.scanner(columns=["x"], filter="id > 1").explain_plan())
        Project: columns=[x]
          ReadKept: columns=[x]
            Filter: condition=id > 1
              Read: columns=[id], fragments=1, rows=2
        """
        if self._filter.rest is not None:
            return self._above(self._before_rest().explain_plan(verbose))
        try:
            return self._core.explain_scan(self._options, verbose).rstrip("\n")
        except CoreError as error:
            raise translate(error, "scan") from None

    def analyze_plan(self, count_rows: bool = False) -> str:
        """Runs the scan (or its count) and says what each step did: rows, reads, bytes, time."""
        scanner = self._changed(columns=[], expressions=None) if count_rows else self
        if self._filter.rest is not None:
            return scanner._analyze_with_rest()
        return scanner._analyze()

    def _analyze(self, on_batch: Optional[Callable[["pa.RecordBatch"], None]] = None) -> str:
        try:
            return self._core.analyze_scan(self._options, on_batch).rstrip("\n")
        except CoreError as error:
            raise translate(error, "scan") from None

    def _analyze_with_rest(self) -> str:
        rows = 0
        seconds = 0.0
        schema = self.projected_schema

        def test(batch: "pa.RecordBatch") -> None:
            nonlocal rows, seconds
            started = time.perf_counter()
            rows += sum(kept.num_rows for kept in filtered([batch], self._filter.rest, schema))
            seconds += time.perf_counter() - started

        plan = self._before_rest()._analyze(test)
        return self._above(plan, f"; rows={rows}, time={seconds * 1000:.3f} ms")

    def _above(self, plan: str, figures: str = "") -> str:
        """What pyarrow does with the rows of a plan."""
        lines = [f"PyArrowFilter: condition={self._filter.rest}{figures}"]
        return "\n".join(lines + ["  " + line for line in plan.splitlines()])

    def take(self, indices: Any) -> "pa.Table":
        """Not supported: use :meth:`LanceDataset.take`."""
        raise NotImplementedError("take: use LanceDataset.take")

    @property
    def projected_schema(self) -> "pa.Schema":
        """The schema of what the scan returns."""
        try:
            return self._core.scan_schema(self._options)
        except CoreError as error:
            raise translate(error, "scan") from None

    @property
    def dataset_schema(self) -> "pa.Schema":
        """The schema of the table."""
        return self._core.schema
