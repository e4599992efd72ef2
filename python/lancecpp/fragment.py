"""Fragments: the horizontal pieces of a table, each with its data files and deletions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Literal, Optional, Tuple, Union

from . import _core, wire
from .arrow_stream import raise_source_error, to_stream
from .errors import CoreError, refuse_later_work, text, translate, unsigned
from .pyarrow_classes import CountsAs, takes_pyarrow_arguments
from .scanner import (
    LanceScanner,
    encoding_overrides,
    make_scanner,
    positions,
    take_failed,
    taken_columns,
)
from .schema import LanceSchema

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from .dataset import LanceDataset

# Of a row address: the position in the fragment.
_OFFSET_BITS = 0xFFFFFFFF


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


@dataclass(frozen=True)
class RowIdMeta:
    """The stable ids of a fragment's rows, as the table stores them."""

    data: bytes

    def asdict(self) -> Dict[str, Any]:
        return {"Inline": list(self.data)}

    @staticmethod
    def from_dict(values: Dict[str, Any]) -> "RowIdMeta":
        return RowIdMeta(bytes(values["Inline"]))


@dataclass(frozen=True)
class RowDatasetVersionMeta:
    """The versions that created (or last updated) a fragment's rows, as the table stores them."""

    data: bytes

    def json(self) -> str:
        return json.dumps({"inline": list(self.data)})

    @staticmethod
    def from_json(json_data: str) -> "RowDatasetVersionMeta":
        return RowDatasetVersionMeta(bytes(json.loads(json_data)["inline"]))


@dataclass
class FragmentMetadata:
    """What the table's manifest says about a fragment."""

    id: int
    files: List[DataFile]
    physical_rows: int
    deletion_file: Optional[DeletionFile] = None
    row_id_meta: Optional[RowIdMeta] = None
    created_at_version_meta: Optional[RowDatasetVersionMeta] = None
    last_updated_at_version_meta: Optional[RowDatasetVersionMeta] = None
    overlays: List[Any] = field(default_factory=list)

    @property
    def num_deletions(self) -> int:
        """The number of deleted rows."""
        return 0 if self.deletion_file is None else self.deletion_file.num_deleted_rows

    @property
    def num_rows(self) -> int:
        return self.physical_rows - self.num_deletions

    def data_files(self) -> List[DataFile]:
        """The files that hold its columns."""
        return self.files

    def to_json(self) -> Dict[str, Any]:
        """The metadata as plain dicts and lists, ready for ``json.dumps``."""
        created, updated = self.created_at_version_meta, self.last_updated_at_version_meta
        return {
            "id": self.id,
            "files": [asdict(file) for file in self.files],
            "overlays": list(self.overlays),
            "physical_rows": self.physical_rows,
            "deletion_file": None if self.deletion_file is None else self.deletion_file.asdict(),
            "row_id_meta": None if self.row_id_meta is None else self.row_id_meta.asdict(),
            "created_at_version_meta": None if created is None else json.loads(created.json()),
            "last_updated_at_version_meta": None if updated is None else json.loads(updated.json()),
        }

    @staticmethod
    def from_json(json_data: str) -> "FragmentMetadata":
        values = json.loads(json_data)
        deletion_file = values.get("deletion_file")
        row_ids = values.get("row_id_meta")

        def versions(key: str) -> Optional[RowDatasetVersionMeta]:
            value = values.get(key)
            return None if value is None else RowDatasetVersionMeta.from_json(json.dumps(value))

        return FragmentMetadata(
            id=values["id"],
            files=[DataFile(**file) for file in values["files"]],
            physical_rows=values["physical_rows"],
            deletion_file=None if deletion_file is None else DeletionFile(**deletion_file),
            row_id_meta=None if row_ids is None else RowIdMeta.from_dict(row_ids),
            created_at_version_meta=versions("created_at_version_meta"),
            last_updated_at_version_meta=versions("last_updated_at_version_meta"),
        )


def encode_data_file(file: DataFile) -> bytes:
    return (
        wire.text(1, file.path)
        + wire.packed(2, file.fields)
        + wire.packed(3, file.column_indices or [])
        + wire.number(4, file.file_major_version)
        + wire.number(5, file.file_minor_version)
        + wire.number(6, file.file_size_bytes)
        + wire.present(7, file.base_id)
    )


def decode_data_file(content: bytes) -> DataFile:
    message = wire.Message(content)
    return DataFile(
        path=message.text(1),
        fields=[wire.signed(value) for value in message.numbers(2)],
        column_indices=[wire.signed(value) for value in message.numbers(3)],
        file_major_version=message.number(4),
        file_minor_version=message.number(5),
        file_size_bytes=message.number(6) or None,
        base_id=message.optional_number(7),
    )


_DELETION_KINDS = ["array", "bitmap"]


def _encode_deletion_file(file: DeletionFile) -> bytes:
    return (
        wire.number(1, _DELETION_KINDS.index(file.file_type))
        + wire.number(2, file.read_version)
        + wire.number(3, file.id)
        + wire.number(4, file.num_deleted_rows)
        + wire.present(7, file.base_id)
    )


def _decode_deletion_file(content: bytes) -> DeletionFile:
    message = wire.Message(content)
    return DeletionFile(
        file_type=_DELETION_KINDS[message.number(1)],
        read_version=message.number(2),
        id=message.number(3),
        num_deleted_rows=message.number(4),
        base_id=message.optional_number(7),
    )


def encode_fragment(fragment: FragmentMetadata) -> bytes:
    """The message ``lance.table.DataFragment``."""
    if fragment.overlays:
        raise NotImplementedError("fragments with data overlay files are not supported")
    content = wire.number(1, fragment.id)
    content += b"".join(wire.data(2, encode_data_file(file)) for file in fragment.files)
    if fragment.deletion_file is not None:
        content += wire.data(3, _encode_deletion_file(fragment.deletion_file))
    content += wire.number(4, fragment.physical_rows)
    for number, meta in (
        (5, fragment.row_id_meta),
        (7, fragment.last_updated_at_version_meta),
        (9, fragment.created_at_version_meta),
    ):
        if meta is not None:
            content += wire.data(number, meta.data)
    return content


def decode_fragment(content: bytes) -> FragmentMetadata:
    message = wire.Message(content)

    def versions(number: int) -> Optional[RowDatasetVersionMeta]:
        return RowDatasetVersionMeta(message.data(number)) if message.has(number) else None

    return FragmentMetadata(
        id=message.number(1),
        files=[decode_data_file(file) for file in message.messages(2)],
        physical_rows=message.number(4),
        deletion_file=_decode_deletion_file(message.data(3)) if message.has(3) else None,
        row_id_meta=RowIdMeta(message.data(5)) if message.has(5) else None,
        created_at_version_meta=versions(9),
        last_updated_at_version_meta=versions(7),
    )


def field_paths(fields: List[bytes]) -> Dict[int, str]:
    """The paths of serialized fields by their ids."""
    paths: Dict[int, str] = {}
    for content in fields:
        message = wire.Message(content)
        id, parent = wire.signed(message.number(3)), wire.signed(message.number(4))
        above = paths.get(parent) if parent != id else None
        paths[id] = message.text(2) if above is None else f"{above}.{message.text(2)}"
    return paths


def data_file_path(dataset: "LanceDataset", file: Any) -> str:
    """Where a data file of a table lies."""
    if file.base_id is not None:
        base = dataset.base_paths()[file.base_id]
        return f"{base.path}/data/{file.path}" if base.is_dataset_root else f"{base.path}/{file.path}"
    return f"{dataset.uri}/data/{file.path}"


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

    __class__ = CountsAs("Fragment")  # type: ignore[assignment]

    def __repr__(self) -> str:
        paths = [file.path for file in self._info.files]
        return f"LanceFragment(id={self.fragment_id}, data_files={paths})"

    def __reduce__(self) -> Any:
        return (LanceFragment, (self._dataset, self.fragment_id))

    @property
    def fragment_id(self) -> int:
        """Its id, which stays the same in all versions."""
        return self._info.id

    @property
    def metadata(self) -> FragmentMetadata:
        """What the manifest says of it."""
        return decode_fragment(self._dataset._core.serialized_fragment(self.fragment_id))

    @property
    def schema(self) -> "pa.Schema":
        """The schema of the table."""
        return self._dataset.schema

    @property
    def physical_rows(self) -> int:
        """The number of rows with the deleted ones."""
        return self._info.physical_rows

    @property
    def num_deletions(self) -> int:
        """The number of deleted rows."""
        return self._info.num_deletions

    @property
    def physical_schema(self) -> "pa.Schema":
        """The schema of the table."""
        return self._dataset.schema

    @property
    def partition_expression(self) -> None:
        """Nothing is known of all rows of a fragment."""
        return None

    def data_files(self) -> List[DataFile]:
        """The files that hold its columns."""
        return [_data_file(info) for info in self._info.files]

    def deletion_file(self) -> Optional[str]:
        """The path of the deletion file relative to the table, if there is one."""
        info = self._info.deletion_file
        return None if info is None else info.path

    @takes_pyarrow_arguments
    def count_rows(self, filter: Optional[Any] = None) -> int:
        """The number of live rows, or of those for which a condition is true."""
        if filter is not None:
            return self.scanner(filter=filter).count_rows()
        return self._info.num_rows

    @takes_pyarrow_arguments
    def head(self, num_rows: int) -> "pa.Table":
        """The first ``num_rows`` rows."""
        return self.scanner(limit=num_rows).to_table()

    def take(
        self,
        indices: Any,
        columns: Optional[Union[List[str], Dict[str, str]]] = None,
        *,
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> "pa.Table":
        """Rows by their position among the live rows of this fragment, in the given order."""
        positions(indices)
        names = taken_columns(columns)
        encodings = encoding_overrides(output_encodings)
        core = self._dataset._core
        try:
            return core.take_from_fragment(self.fragment_id, indices, names, encodings)
        except CoreError as error:
            options = {"columns": names, "output_encodings": encodings}
            raise take_failed(core, options, error) from None

    @takes_pyarrow_arguments
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
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> LanceScanner:
        """A scan of this fragment; the arguments are those of :meth:`LanceDataset.scanner`."""
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments)

    @takes_pyarrow_arguments
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
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> Iterator["pa.RecordBatch"]:
        """Reads rows batch by batch; the arguments are those of :meth:`LanceDataset.scanner`."""
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments).to_batches()

    @takes_pyarrow_arguments
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
        output_encodings: Optional[Dict[str, str]] = None,
    ) -> "pa.Table":
        """Reads rows into a table; the arguments are those of :meth:`LanceDataset.scanner`."""
        arguments = {name: value for name, value in locals().items() if name != "self"}
        return self._scanner(arguments).to_table()

    # Pieces of changes, to be committed with LanceDataset.commit.

    @staticmethod
    def create(
        dataset_uri: Any,
        data: Any,
        fragment_id: Optional[int] = None,
        schema: Optional["pa.Schema"] = None,
        max_rows_per_group: int = 1024,
        progress: Optional[Any] = None,
        mode: str = "append",
        *,
        data_storage_version: Optional[str] = None,
        use_legacy_format: Optional[bool] = None,
        storage_options: Optional[Dict[str, str]] = None,
        namespace_client: Optional[Any] = None,
        table_id: Optional[List[str]] = None,
        session: Optional[Any] = None,
    ) -> FragmentMetadata:
        """Writes ``data`` as one fragment that no version has yet."""
        from .transaction import decode_transaction
        from .write import write_uncommitted

        transaction = write_uncommitted(
            data,
            dataset_uri,
            schema,
            progress=progress,
            fragment_id=fragment_id or 0,
            mode=mode,
            max_rows_per_file=2**32 - 1,
            max_rows_per_group=max_rows_per_group,
            max_bytes_per_file=90 * 1024 * 1024 * 1024,
            data_storage_version=data_storage_version,
            use_legacy_format=use_legacy_format,
            storage_options=storage_options,
            namespace_client=namespace_client,
            table_id=table_id,
            session=session,
        )
        written = decode_transaction(transaction).operation.fragments
        if len(written) != 1:
            raise ValueError(f"the data makes {len(written)} fragments, expected 1")
        written[0].id = fragment_id or 0
        return written[0]

    @staticmethod
    def create_from_file(
        filename: str, dataset: "LanceDataset", fragment_id: int
    ) -> FragmentMetadata:
        """A fragment of a file that lies in the table's data folder, whose columns are some of the
        table's; to be committed."""
        from .file import LanceFileReader

        file = DataFile(text("filename", filename), [])
        try:
            shown = LanceFileReader(data_file_path(dataset, file)).metadata()
        except ValueError as error:
            raise OSError(str(error)) from None
        for column in shown.schema:
            at = dataset.schema.get_field_index(column.name)
            if at < 0 or dataset.schema.field(at).type != column.type:
                raise OSError(
                    f"column '{column.name}' of {filename} is none of the table's: {column.type}"
                )
        file.file_major_version, file.file_minor_version = shown.major_version, shown.minor_version
        ids = {path: id for id, path in field_paths(dataset._core.serialized_fields()).items()}
        stored = field_paths(_core.serialize_fields(shown.schema))
        parents = {path.rpartition(".")[0] for path in stored.values()}
        has_all = (file.file_major_version, file.file_minor_version) < (2, 1)
        file.fields = [ids[path] for path in stored.values() if has_all or path not in parents]
        if len(file.fields) != len(shown.columns):
            raise NotImplementedError(
                f"{filename} has {len(shown.columns)} columns, and its schema {len(file.fields)}"
            )
        file.column_indices = list(range(len(file.fields)))
        return FragmentMetadata(unsigned("fragment_id", fragment_id), [file], shown.num_rows)

    def delete(self, predicate: str) -> Optional[FragmentMetadata]:
        """The fragment without the rows for which a condition in SQL is true; None if none is left.

        The table changes when that is committed.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            chosen = self._dataset._core.to_table(
                _core.ScanOptions(
                    columns=["_rowaddr"],
                    filter=text("predicate", predicate),
                    fragments=[self.fragment_id],
                )
            )
        except CoreError as error:
            raise translate(error, "change") from None
        if chosen.num_rows == 0:
            return self.metadata
        addresses = chosen["_rowaddr"].combine_chunks()
        return self.delete_rows(pc.bit_wise_and(addresses, pa.scalar(_OFFSET_BITS, pa.uint64())))

    def delete_rows(self, offsets: Any) -> Optional[FragmentMetadata]:
        """The fragment without the rows at these physical offsets; None if none is left."""
        try:
            content = self._dataset._core.delete_from_fragment(self.fragment_id, positions(offsets))
        except CoreError as error:
            raise translate(error, "change") from None
        return None if content is None else decode_fragment(content)

    def merge(
        self,
        data_obj: Any,
        left_on: str,
        right_on: Optional[str] = None,
        schema: Optional["pa.Schema"] = None,
    ) -> Tuple[FragmentMetadata, LanceSchema]:
        """The fragment with the columns of ``data_obj`` by a left join, and the table's schema."""
        stream = to_stream(data_obj, schema)
        try:
            return _widened(
                self._dataset._core.merge_into_fragment(
                    self.fragment_id,
                    stream,
                    text("left_on", left_on),
                    text("right_on", right_on or left_on),
                )
            )
        except CoreError as error:
            raise_source_error(stream)
            raise translate(error, "change") from None

    def merge_columns(
        self,
        value_func: Any,
        columns: Optional[List[str]] = None,
        batch_size: Optional[int] = None,
        reader_schema: Optional["pa.Schema"] = None,
    ) -> Tuple[FragmentMetadata, LanceSchema]:
        """The fragment with new columns: of a function of its batches, or of a reader."""
        from .udf import new_columns

        stream = to_stream(new_columns(self, value_func, columns, reader_schema, batch_size), None)
        try:
            return _widened(self._dataset._core.add_columns_to_fragment(self.fragment_id, stream))
        except CoreError as error:
            raise_source_error(stream)
            raise translate(error, "change") from None

    def update_columns(
        self,
        data_obj: Any,
        left_on: str = "_rowid",
        right_on: Optional[str] = None,
        schema: Optional["pa.Schema"] = None,
        *,
        with_offsets: bool = False,
    ) -> Union[Tuple[FragmentMetadata, List[int]], Tuple[FragmentMetadata, List[int], bytes]]:
        """The fragment with new values of columns, in the rows whose ``left_on`` equals the
        ``right_on`` of a row of ``data_obj``; the ids of the fields that have them; and with
        ``with_offsets`` which rows these are, for ``updated_fragment_offsets``.

        The table changes when that is committed.

        >>> data = lance.write_dataset({"id": [1, 2], "x": ["a", "b"]}, "memory://update-columns")
        >>> fragment, fields = data.get_fragment(0).update_columns({"id": [2], "x": ["B"]}, "id")
        >>> update = lance.LanceOperation.Update(
        ...     updated_fragments=[fragment], fields_modified=fields, update_mode="rewrite_columns"
        ... )
        >>> lance.LanceDataset.commit(data, update, read_version=1).to_table().to_pydict()
        {'id': [1, 2], 'x': ['a', 'B']}
        """
        stream = to_stream(data_obj, schema)
        try:
            content, fields, offsets = self._dataset._core.update_fragment_columns(
                self.fragment_id, stream, text("left_on", left_on), text("right_on", right_on or left_on)
            )
        except CoreError as error:
            raise_source_error(stream)
            raise translate(error, "schema") from None
        fragment = decode_fragment(content)
        return (fragment, fields, offsets) if with_offsets else (fragment, fields)

    def validate(self) -> None:
        """Raises if a file of this version is missing or damaged."""
        self._dataset.validate()

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
        """Reads rows into a pandas DataFrame; ``kwargs`` go to ``pyarrow.Table.to_pandas``."""
        scanner = self.scanner(
            columns=columns,
            filter=filter,
            limit=limit,
            offset=offset,
            batch_size=batch_size,
            with_row_id=with_row_id,
            with_row_address=with_row_address,
            order_by=order_by,
        )
        return scanner.to_pandas(blob_mode=blob_mode, **kwargs)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.scanner().__arrow_c_stream__(requested_schema)

    def _scanner(self, arguments: Dict[str, Any]) -> LanceScanner:
        return make_scanner(self._dataset, {**arguments, "fragments": [self]})


def _widened(parts: Any) -> Tuple[FragmentMetadata, LanceSchema]:
    fragment, fields = parts
    return decode_fragment(fragment), LanceSchema.from_serialized(fields)


def write_fragments(
    data: Any,
    dataset_uri: Any,
    schema: Optional["pa.Schema"] = None,
    *,
    return_transaction: bool = False,
    mode: str = "append",
    max_rows_per_file: int = 1024 * 1024,
    max_rows_per_group: int = 1024,
    max_bytes_per_file: int = 90 * 1024 * 1024 * 1024,
    data_cache_bytes: Optional[int] = None,
    max_page_bytes: Optional[int] = None,
    progress: Optional[Any] = None,
    data_storage_version: Optional[str] = None,
    use_legacy_format: Optional[bool] = None,
    storage_options: Optional[Dict[str, str]] = None,
    enable_stable_row_ids: bool = False,
    semantic_types: Optional[bool] = None,
    target_bases: Optional[List[str]] = None,
    target_all_bases: Optional[bool] = None,
    initial_bases: Optional[List[Any]] = None,
    base_store_params: Optional[Dict[str, Dict[str, str]]] = None,
    external_blob_mode: str = "reference",
    allow_external_blob_outside_bases: bool = False,
    namespace_client: Optional[Any] = None,
    table_id: Optional[List[str]] = None,
    session: Optional[Any] = None,
) -> Any:
    """Writes ``data`` into fragments that no version has yet, to be committed later.

    Returns their metadata, or with ``return_transaction`` the transaction that would add them.

    >>> data = lance.write_dataset({"id": [1]}, "memory://fragments-example")
    >>> pieces = lance.fragment.write_fragments({"id": [2, 3]}, "memory://fragments-example")
    >>> append = lance.LanceOperation.Append(pieces)
    >>> data = lance.LanceDataset.commit("memory://fragments-example", append, read_version=1)
    >>> data.count_rows()
    3
    """
    arguments = dict(locals())
    for name in ("data", "dataset_uri", "schema", "return_transaction"):
        del arguments[name]
    from .transaction import decode_transaction
    from .write import write_uncommitted

    transaction = decode_transaction(write_uncommitted(data, dataset_uri, schema, **arguments))
    return transaction if return_transaction else transaction.operation.fragments
