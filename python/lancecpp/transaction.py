"""Transactions: what a commit did, or is to do when it is made in pieces elsewhere."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from . import _core, wire
from .base_path import DatasetBasePath
from .fragment import DataFile, FragmentMetadata, decode_data_file, decode_fragment
from .fragment import encode_data_file, encode_fragment
from .schema import LanceSchema

if TYPE_CHECKING:
    import pyarrow as pa

Schema = Union["pa.Schema", LanceSchema]

# Modes of an Update, by their numbers.
_UPDATE_MODES = ["rewrite_rows", "rewrite_columns"]


def _check_fragments(fragments: Any) -> None:
    if not isinstance(fragments, list):
        raise TypeError(f"fragments must be list[FragmentMetadata], got {type(fragments)}")
    for fragment in fragments:
        if not isinstance(fragment, FragmentMetadata):
            raise TypeError(f"fragments must be list[FragmentMetadata], got {type(fragment)}")


def _fragments(number: int, fragments: List[FragmentMetadata]) -> bytes:
    return b"".join(wire.data(number, encode_fragment(fragment)) for fragment in fragments)


def _decode_fragments(message: wire.Message, number: int) -> List[FragmentMetadata]:
    return [decode_fragment(fragment) for fragment in message.messages(number)]


def _schema(number: int, schema: Schema) -> bytes:
    if isinstance(schema, LanceSchema):
        fields = schema.serialized_fields()
    else:
        fields = _core.serialize_fields(schema)
    return b"".join(wire.data(number, one) for one in fields)


def _schema_metadata(number: int, schema: Schema) -> bytes:
    arrow = schema.to_pyarrow() if isinstance(schema, LanceSchema) else schema
    return b"".join(
        wire.data(number, wire.data(1, key) + wire.data(2, value))
        for key, value in (arrow.metadata or {}).items()
    )


def _decode_schema(message: wire.Message, number: int) -> LanceSchema:
    return LanceSchema.from_serialized(message.messages(number))


class LanceOperation:
    """The kinds of operations that a transaction may hold."""

    class BaseOperation:
        """What all operations have in common."""

    @dataclass
    class Append(BaseOperation):
        """Adds fragments."""

        fragments: List[FragmentMetadata]

        def __post_init__(self) -> None:
            _check_fragments(self.fragments)

    @dataclass
    class Delete(BaseOperation):
        """Deletes rows: fragments with new deletion files, and fragments as a whole."""

        updated_fragments: List[FragmentMetadata]
        deleted_fragment_ids: List[int]
        predicate: str

        def __post_init__(self) -> None:
            _check_fragments(self.updated_fragments)

    @dataclass
    class Overwrite(BaseOperation):
        """Creates a table, or replaces contents and schema."""

        new_schema: Any
        fragments: List[FragmentMetadata]
        initial_bases: Optional[List[DatasetBasePath]] = None

        def __post_init__(self) -> None:
            _check_fragments(self.fragments)

    @dataclass
    class Merge(BaseOperation):
        """Adds columns: all fragments with their new files, and the whole schema."""

        fragments: List[FragmentMetadata]
        schema: Any
        preserves_nullability: bool = False

        def __post_init__(self) -> None:
            _check_fragments(self.fragments)

    @dataclass
    class Restore(BaseOperation):
        """Goes back to a version."""

        version: int

    @dataclass
    class RewriteGroup:
        """Fragments, and those that take their place."""

        old_fragments: List[FragmentMetadata]
        new_fragments: List[FragmentMetadata]

    @dataclass
    class RewrittenIndex:
        """An index that takes the place of another one; can't be committed here."""

        old_id: str
        new_id: str
        new_details_type_url: str
        new_details_value: bytes
        new_index_version: int

    @dataclass
    class Rewrite(BaseOperation):
        """Puts fragments with the same rows in the place of others."""

        groups: List["LanceOperation.RewriteGroup"]
        rewritten_indices: List["LanceOperation.RewrittenIndex"] = field(default_factory=list)

    @dataclass
    class CreateIndex(BaseOperation):
        """Adds and removes segments of indexes; can't be committed here."""

        new_indices: List[Any]
        removed_indices: List[Any]

    @dataclass
    class Update(BaseOperation):
        """Changes rows: old ones deleted and new ones added, or columns rewritten in place."""

        removed_fragment_ids: List[int] = field(default_factory=list)
        updated_fragments: List[FragmentMetadata] = field(default_factory=list)
        new_fragments: List[FragmentMetadata] = field(default_factory=list)
        fields_modified: List[int] = field(default_factory=list)
        fields_for_preserving_frag_bitmap: List[int] = field(default_factory=list)
        update_mode: str = ""
        #: Of ``rewrite_columns``: by fragment the rows with new values, as a portable Roaring bitmap.
        updated_fragment_offsets: Optional[Dict[int, Union[bytes, List[int]]]] = None

        def __post_init__(self) -> None:
            _check_fragments(self.updated_fragments)
            _check_fragments(self.new_fragments)
            if self.update_mode not in ("", *_UPDATE_MODES):
                raise ValueError(f"Invalid update_mode: {self.update_mode}")

    @dataclass
    class Project(BaseOperation):
        """Drops, renames or reorders columns: the whole schema that stays."""

        schema: Any
        preserves_nullability: bool = False

    @dataclass
    class UpdateMap:
        """Changes of a map; a value of None deletes the key."""

        updates: Dict[str, Optional[str]]
        replace: bool = False

    @dataclass
    class UpdateConfig(BaseOperation):
        """Changes config and metadata; fields by their ids."""

        config_updates: Optional["LanceOperation.UpdateMap"] = None
        table_metadata_updates: Optional["LanceOperation.UpdateMap"] = None
        schema_metadata_updates: Optional["LanceOperation.UpdateMap"] = None
        field_metadata_updates: Dict[int, "LanceOperation.UpdateMap"] = field(default_factory=dict)

    @dataclass
    class DataReplacementGroup:
        """A data file whose fields take the place of the fragment's."""

        fragment_id: int
        new_file: DataFile

    @dataclass
    class DataReplacement(BaseOperation):
        """Replaces whole columns of fragments."""

        replacements: List["LanceOperation.DataReplacementGroup"]

    @dataclass
    class DataOverlayFile:
        """New values of some rows of a fragment, by their physical offsets; those of each field, or
        of all fields at once."""

        data_file: DataFile
        offsets: Union[Iterable[int], List[Iterable[int]]]
        committed_version: Optional[int] = None

    @dataclass
    class DataOverlayGroup:
        """The overlays of a fragment, the oldest one first."""

        fragment_id: int
        overlays: List["LanceOperation.DataOverlayFile"]

    @dataclass
    class DataOverlay(BaseOperation):
        """Lays new values over those of fragments; can't be committed here."""

        groups: List["LanceOperation.DataOverlayGroup"]

    @dataclass
    class Clone(BaseOperation):
        """Says that the version is the copy of another table's."""

        is_shallow: bool
        ref_name: Optional[str]
        ref_version: int
        ref_path: str
        branch_name: Optional[str] = None


@dataclass
class Transaction:
    """An operation, and the version that it was made from."""

    read_version: int
    operation: LanceOperation.BaseOperation
    uuid: str = field(default_factory=lambda: str(uuid.uuid4()))
    transaction_properties: Optional[Dict[str, str]] = field(default_factory=dict)


def _encode_map(number: int, change: Optional[LanceOperation.UpdateMap]) -> bytes:
    if change is None:
        return b""
    entries = b""
    for key, value in change.updates.items():
        entry = wire.data(1, key.encode())
        if value is not None:
            entry += wire.data(2, value.encode())
        entries += wire.data(1, entry)
    return wire.data(number, entries + wire.number(2, change.replace))


def _decode_map(message: wire.Message, number: int) -> Optional[LanceOperation.UpdateMap]:
    if not message.has(number):
        return None
    inner = wire.Message(message.data(number))
    entries = (wire.Message(entry) for entry in inner.messages(1))
    return LanceOperation.UpdateMap(
        {entry.text(1): entry.optional_text(2) for entry in entries}, bool(inner.number(2))
    )


def _encode_overwrite(op: LanceOperation.Overwrite) -> bytes:
    bases = b"".join(wire.data(5, base.encode()) for base in op.initial_bases or [])
    return (
        _fragments(1, op.fragments)
        + _schema(2, op.new_schema)
        + _schema_metadata(3, op.new_schema)
        + bases
    )


def _decode_overwrite(message: wire.Message) -> LanceOperation.Overwrite:
    bases = [DatasetBasePath.decode(base) for base in message.messages(5)]
    return LanceOperation.Overwrite(
        _decode_schema(message, 2), _decode_fragments(message, 1), bases or None
    )


def _encode_rewrite(op: LanceOperation.Rewrite) -> bytes:
    if op.rewritten_indices:
        raise NotImplementedError("committing rewritten indices is not supported")
    return b"".join(
        wire.data(3, _fragments(1, group.old_fragments) + _fragments(2, group.new_fragments))
        for group in op.groups
    )


def _decode_rewrite(message: wire.Message) -> LanceOperation.Rewrite:
    groups = [wire.Message(group) for group in message.messages(3)]
    return LanceOperation.Rewrite(
        [
            LanceOperation.RewriteGroup(_decode_fragments(group, 1), _decode_fragments(group, 2))
            for group in groups
        ]
    )


def _encode_update(op: LanceOperation.Update) -> bytes:
    offsets = b"".join(
        wire.data(10, wire.present(1, fragment) + wire.data(2, rows))
        if isinstance(rows, bytes)
        else wire.data(9, wire.present(1, fragment) + wire.data(2, wire.packed(1, rows)))
        for fragment, rows in (op.updated_fragment_offsets or {}).items()
    )
    mode = _UPDATE_MODES.index(op.update_mode) if op.update_mode else 0
    return (
        wire.packed(1, op.removed_fragment_ids)
        + _fragments(2, op.updated_fragments)
        + _fragments(3, op.new_fragments)
        + wire.packed(4, op.fields_modified)
        + wire.packed(6, op.fields_for_preserving_frag_bitmap)
        + wire.number(7, mode)
        + offsets
    )


def _decode_update(message: wire.Message) -> LanceOperation.Update:
    entries = [wire.Message(entry) for entry in message.messages(9)]
    offsets: Dict[int, Union[bytes, List[int]]] = {
        entry.number(1): wire.Message(entry.data(2)).numbers(1) for entry in entries
    }
    for bitmap in (wire.Message(entry) for entry in message.messages(10)):
        offsets[bitmap.number(1)] = bitmap.data(2)
    return LanceOperation.Update(
        message.numbers(1),
        _decode_fragments(message, 2),
        _decode_fragments(message, 3),
        message.numbers(4),
        message.numbers(6),
        _UPDATE_MODES[message.number(7)],
        offsets or None,
    )


def _encode_config(op: LanceOperation.UpdateConfig) -> bytes:
    fields = b"".join(
        wire.data(9, wire.present(1, id) + _encode_map(2, change))
        for id, change in op.field_metadata_updates.items()
    )
    return (
        _encode_map(6, op.config_updates)
        + _encode_map(7, op.table_metadata_updates)
        + _encode_map(8, op.schema_metadata_updates)
        + fields
    )


def _decode_config(message: wire.Message) -> LanceOperation.UpdateConfig:
    fields = {}
    for entry in (wire.Message(entry) for entry in message.messages(9)):
        change = _decode_map(entry, 2)
        fields[entry.number(1)] = change or LanceOperation.UpdateMap({})
    return LanceOperation.UpdateConfig(
        _decode_map(message, 6), _decode_map(message, 7), _decode_map(message, 8), fields
    )


def _encode_replacement(op: LanceOperation.DataReplacement) -> bytes:
    return b"".join(
        wire.data(
            1, wire.number(1, group.fragment_id) + wire.data(2, encode_data_file(group.new_file))
        )
        for group in op.replacements
    )


def _decode_replacement(message: wire.Message) -> LanceOperation.DataReplacement:
    groups = (wire.Message(group) for group in message.messages(1))
    return LanceOperation.DataReplacement(
        [
            LanceOperation.DataReplacementGroup(group.number(1), decode_data_file(group.data(2)))
            for group in groups
        ]
    )


_Codec = Tuple[int, type, Callable[[Any], bytes], Callable[[wire.Message], Any]]

# Field number, class, and the two directions of each operation.
_CODECS: List[_Codec] = [
    (
        100,
        LanceOperation.Append,
        lambda op: _fragments(1, op.fragments),
        lambda m: LanceOperation.Append(_decode_fragments(m, 1)),
    ),
    (
        101,
        LanceOperation.Delete,
        lambda op: _fragments(1, op.updated_fragments)
        + wire.packed(2, op.deleted_fragment_ids)
        + wire.text(3, op.predicate),
        lambda m: LanceOperation.Delete(_decode_fragments(m, 1), m.numbers(2), m.text(3)),
    ),
    (102, LanceOperation.Overwrite, _encode_overwrite, _decode_overwrite),
    (104, LanceOperation.Rewrite, _encode_rewrite, _decode_rewrite),
    (
        105,
        LanceOperation.Merge,
        lambda op: _fragments(1, op.fragments)
        + _schema(2, op.schema)
        + wire.number(4, op.preserves_nullability),
        lambda m: LanceOperation.Merge(
            _decode_fragments(m, 1), _decode_schema(m, 2), bool(m.number(4))
        ),
    ),
    (
        106,
        LanceOperation.Restore,
        lambda op: wire.number(1, op.version),
        lambda m: LanceOperation.Restore(m.number(1)),
    ),
    (108, LanceOperation.Update, _encode_update, _decode_update),
    (
        109,
        LanceOperation.Project,
        lambda op: _schema(1, op.schema) + wire.number(2, op.preserves_nullability),
        lambda m: LanceOperation.Project(_decode_schema(m, 1), bool(m.number(2))),
    ),
    (110, LanceOperation.UpdateConfig, _encode_config, _decode_config),
    (111, LanceOperation.DataReplacement, _encode_replacement, _decode_replacement),
    (
        113,
        LanceOperation.Clone,
        lambda op: wire.number(1, op.is_shallow)
        + wire.text(2, op.ref_name)
        + wire.number(3, op.ref_version)
        + wire.text(4, op.ref_path)
        + wire.text(5, op.branch_name),
        lambda m: LanceOperation.Clone(
            bool(m.number(1)), m.optional_text(2), m.number(3), m.text(4), m.optional_text(5)
        ),
    ),
]


def has_arrow_schema(operation: LanceOperation.BaseOperation) -> bool:
    schemas = (getattr(operation, name, None) for name in ("schema", "new_schema"))
    return any(schema is not None and not isinstance(schema, LanceSchema) for schema in schemas)


def with_encodings(transaction: Transaction) -> Transaction:
    """For a table with semantic types: the layouts of an Arrow schema as output encodings."""
    operation: Any = transaction.operation
    for name in ("schema", "new_schema"):
        schema = getattr(operation, name, None)
        if schema is None or isinstance(schema, LanceSchema):
            continue
        fields, ids = _core.parse_fields(_core.serialize_fields(schema, None, True))
        recorded = LanceSchema(fields.with_metadata(schema.metadata), [(id, "") for id in ids])
        operation = replace(operation, **{name: recorded})
    return replace(transaction, operation=operation)


def encode_transaction(transaction: Transaction) -> bytes:
    for number, kind, encode, _ in _CODECS:
        if type(transaction.operation) is kind:
            return (
                wire.number(1, transaction.read_version)
                + wire.text(2, transaction.uuid)
                + wire.text_map(4, transaction.transaction_properties or {})
                + wire.data(number, encode(transaction.operation))
            )
    raise NotImplementedError(
        f"committing an operation of type {type(transaction.operation).__name__} is not supported"
    )


def decode_transaction(content: bytes) -> Transaction:
    """An operation of a kind without a class here becomes a bare BaseOperation."""
    message = wire.Message(content)
    operation: LanceOperation.BaseOperation = LanceOperation.BaseOperation()
    for number, _, _, decode in _CODECS:
        if message.has(number):
            operation = decode(wire.Message(message.data(number)))
    return Transaction(message.number(1), operation, message.text(2), message.text_map(4))
