"""Fragments: the horizontal pieces of a table, each with its data files and deletions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Literal, Optional, Union

from . import _core
from .errors import CoreError, refuse_later_work
from .scanner import LanceScanner, column_names, scan_options, table_to_pandas, take_failed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from .dataset import LanceDataset


@dataclass
class DataFile:
    """A data file of a fragment: which fields it holds, and in which of its columns."""

    path: str
    fields: List[int]
    column_indices: Optional[List[int]] = None
    file_major_version: int = 0
    file_minor_version: int = 0
    file_size_bytes: Optional[int] = None
    base_id: Optional[int] = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.column_indices is None:
            self.column_indices = []


@dataclass(repr=False)
class DeletionFile:
    """The file that lists the deleted rows of a fragment."""

    read_version: int
    id: int
    file_type: str
    num_deleted_rows: int
    base_id: Optional[int] = None

    def __repr__(self) -> str:
        return f"DeletionFile(type='{self.file_type}', num_deleted_rows={self.num_deleted_rows})"

    def path(self, fragment_id: int, base_uri: Optional[str] = None) -> str:
        """Where the file lies, below ``base_uri`` or relative to the table."""
        suffix = "arrow" if self.file_type == "array" else "bin"
        name = f"_deletions/{fragment_id}-{self.read_version}-{self.id}.{suffix}"
        return name if base_uri is None else f"{base_uri.rstrip('/')}/{name}"

    def asdict(self) -> Dict[str, Any]:
        return asdict(self)

    def json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(json_data: str) -> "DeletionFile":
        return DeletionFile(**json.loads(json_data))


@dataclass
class FragmentMetadata:
    """What the table's manifest says about a fragment."""

    id: int
    files: List[DataFile]
    physical_rows: int
    deletion_file: Optional[DeletionFile] = None

    @property
    def num_deletions(self) -> int:
        return 0 if self.deletion_file is None else self.deletion_file.num_deleted_rows

    @property
    def num_rows(self) -> int:
        return self.physical_rows - self.num_deletions

    def data_files(self) -> List[DataFile]:
        return self.files

    def to_json(self) -> Dict[str, Any]:
        """The metadata as plain dicts and lists, ready for ``json.dumps``."""
        return asdict(self)

    @staticmethod
    def from_json(json_data: str) -> "FragmentMetadata":
        values = json.loads(json_data)
        deletion_file = values.get("deletion_file")
        return FragmentMetadata(
            id=values["id"],
            files=[DataFile(**file) for file in values["files"]],
            physical_rows=values["physical_rows"],
            deletion_file=None if deletion_file is None else DeletionFile(**deletion_file),
        )


def _data_file(info: _core.DataFileInfo) -> DataFile:
    return DataFile(
        path=info.path,
        fields=info.fields,
        column_indices=info.column_indices,
        file_major_version=info.file_major_version,
        file_minor_version=info.file_minor_version,
        file_size_bytes=info.file_size_bytes,
        base_id=info.base_id,
    )


def _deletion_file(info: Optional[_core.DeletionFileInfo]) -> Optional[DeletionFile]:
    if info is None:
        return None
    return DeletionFile(
        read_version=info.read_version,
        id=info.id,
        file_type=info.file_type,
        num_deleted_rows=info.num_deleted_rows,
        base_id=info.base_id,
    )


class LanceFragment:
    """One fragment of a version of a table.

    >>> data = lance.write_dataset({"id": [0, 1, 2, 3]}, "memory://fragment-example")
    >>> [fragment.fragment_id for fragment in data.get_fragments()]
    [0]
    >>> data.get_fragment(0).count_rows()
    4
    """

    def __init__(
        self,
        dataset: "LanceDataset",
        fragment_id: Optional[int],
        *,
        fragment: Optional[_core.FragmentInfo] = None,
    ):
        if fragment is None:
            found = [info for info in dataset._core.fragments() if info.id == fragment_id]
            if not found:
                raise ValueError(f"Fragment {fragment_id} is not in version {dataset.version}")
            fragment = found[0]
        self._dataset = dataset
        self._info = fragment

    def __repr__(self) -> str:
        paths = [file.path for file in self._info.files]
        return f"LanceFragment(id={self.fragment_id}, data_files={paths})"

    def __reduce__(self) -> Any:
        return (LanceFragment, (self._dataset, self.fragment_id))

    @property
    def fragment_id(self) -> int:
        return self._info.id

    @property
    def metadata(self) -> FragmentMetadata:
        return FragmentMetadata(
            id=self._info.id,
            files=self.data_files(),
            physical_rows=self._info.physical_rows,
            deletion_file=_deletion_file(self._info.deletion_file),
        )

    @property
    def schema(self) -> "pa.Schema":
        return self._dataset.schema

    @property
    def physical_rows(self) -> int:
        """The number of rows with the deleted ones."""
        return self._info.physical_rows

    @property
    def num_deletions(self) -> int:
        return self._info.num_deletions

    def data_files(self) -> List[DataFile]:
        return [_data_file(info) for info in self._info.files]

    def deletion_file(self) -> Optional[str]:
        """The path of the deletion file relative to the table, if there is one."""
        info = self._info.deletion_file
        return None if info is None else info.path

    def count_rows(self, filter: Optional[Any] = None) -> int:
        refuse_later_work("count_rows", {"filter": filter})
        return self._info.num_rows

    def head(self, num_rows: int) -> "pa.Table":
        """The first ``num_rows`` rows."""
        return self.scanner(limit=num_rows).to_table()

    def take(
        self,
        indices: Any,
        columns: Optional[Union[List[str], Dict[str, str]]] = None,
    ) -> "pa.Table":
        """Rows by their position among the live rows of this fragment, in the given order."""
        names = column_names("take", columns)
        try:
            return self._dataset._core.take_from_fragment(self.fragment_id, indices, names)
        except CoreError as error:
            raise take_failed(self._dataset._core, names, error) from None

    def scanner(
        self,
        *,
        columns: Optional[Union[List[str], Dict[str, str]]] = None,
        batch_size: Optional[int] = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        batch_readahead: int = 16,
        blob_handling: Optional[
            Literal["all_binary", "blobs_descriptions", "all_descriptions"]
        ] = None,
        order_by: Optional[List[Any]] = None,
        use_scalar_index: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        include_deleted_rows: Optional[bool] = None,
        batch_size_bytes: Optional[int] = None,
        strict_batch_size: Optional[bool] = None,
    ) -> LanceScanner:
        """A scan of this fragment; the arguments are those of :meth:`LanceDataset.scanner`."""
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments)

    def to_batches(
        self,
        *,
        columns: Optional[Union[List[str], Dict[str, str]]] = None,
        batch_size: Optional[int] = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        batch_readahead: int = 16,
        blob_handling: Optional[
            Literal["all_binary", "blobs_descriptions", "all_descriptions"]
        ] = None,
        order_by: Optional[List[Any]] = None,
        use_scalar_index: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        include_deleted_rows: Optional[bool] = None,
        batch_size_bytes: Optional[int] = None,
        strict_batch_size: Optional[bool] = None,
    ) -> Iterator["pa.RecordBatch"]:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments).to_batches()

    def to_table(
        self,
        columns: Optional[Union[List[str], Dict[str, str]]] = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        blob_handling: Optional[
            Literal["all_binary", "blobs_descriptions", "all_descriptions"]
        ] = None,
        order_by: Optional[List[Any]] = None,
        use_scalar_index: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Optional[Union[bool, List[str]]] = None,
        include_deleted_rows: Optional[bool] = None,
        batch_size_bytes: Optional[int] = None,
        strict_batch_size: Optional[bool] = None,
    ) -> "pa.Table":
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments).to_table()

    def to_pandas(
        self,
        columns: Optional[Union[List[str], Dict[str, str]]] = None,
        filter: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        batch_size: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        blob_mode: str = "lazy",
        order_by: Optional[List[Any]] = None,
        **kwargs: Any,
    ) -> "pd.DataFrame":
        table = self.scanner(
            columns=columns,
            filter=filter,
            limit=limit,
            offset=offset,
            batch_size=batch_size,
            with_row_id=with_row_id,
            with_row_address=with_row_address,
            order_by=order_by,
        ).to_table()
        return table_to_pandas(table, blob_mode, kwargs)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.scanner().__arrow_c_stream__(requested_schema)

    def _scanner(self, arguments: Dict[str, Any]) -> LanceScanner:
        return LanceScanner(self._dataset, scan_options({**arguments, "fragments": [self]}))
