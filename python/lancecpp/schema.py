"""The schema of a table with the ids of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from . import _core
from .errors import text

if TYPE_CHECKING:
    import pyarrow as pa


class LanceField:
    """A field, its id and its children."""

    def __init__(self, field: "pa.Field", id: int, children: List["LanceField"]):
        self._field = field
        self._id = id
        self._children = children

    def __repr__(self) -> str:
        return f"LanceField(id={self._id}, name={self._field.name!r}, type={self._field.type})"

    def name(self) -> str:
        return self._field.name

    def id(self) -> int:
        return self._id

    def children(self) -> List["LanceField"]:
        return self._children

    @property
    def metadata(self) -> Dict[str, str]:
        return {k.decode(): v.decode() for k, v in (self._field.metadata or {}).items()}

    def to_arrow(self) -> "pa.Field":
        return self._field


class LanceSchema:
    """The fields of a table; :attr:`LanceDataset.lance_schema`.

    >>> data = lance.write_dataset([{"a": 1, "s": {"x": 2}}], "memory://schema-example")
    >>> data.lance_schema.field("s.x").id()
    2
    """

    def __init__(self, schema: "pa.Schema", ids: List[Tuple[int, str]]):
        """``ids``: id and name of every field, parents before their children."""
        self._schema = schema
        remaining = iter(ids)
        self._fields = [_with_ids(field, remaining) for field in schema]

    def __repr__(self) -> str:
        return f"LanceSchema({self._fields})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LanceSchema):
            return NotImplemented
        return self._schema.equals(other._schema, check_metadata=True) and [
            f.id() for f in _walk(self._fields)
        ] == [f.id() for f in _walk(other._fields)]

    def fields(self) -> List[LanceField]:
        """The top-level fields."""
        return self._fields

    def field(self, path: str) -> Optional[LanceField]:
        """The field at ``path`` (``a.b``), or None."""
        return _find(self._fields, text("path", path).split("."))

    def field_case_insensitive(self, path: str) -> Optional[LanceField]:
        return self.field(path) or _find(self._fields, path.split("."), fold=True)

    def to_pyarrow(self) -> "pa.Schema":
        return self._schema

    @staticmethod
    def from_pyarrow(schema: "pa.Schema") -> "LanceSchema":
        """With ids numbered from 0, parents before their children."""
        return LanceSchema.from_serialized(_core.serialize_fields(schema))

    @staticmethod
    def from_serialized(fields: List[bytes]) -> "LanceSchema":
        """Of the messages ``lance.file.Field``, parents before their children."""
        schema, ids = _core.parse_fields(fields)
        return LanceSchema(schema, [(id, "") for id in ids])

    def serialized_fields(self) -> List[bytes]:
        return _core.serialize_fields(self._schema, [field.id() for field in _walk(self._fields)])

    def __reduce__(self) -> Any:
        return (LanceSchema.from_serialized, (self.serialized_fields(),))


def _walk(fields: List[LanceField]) -> Iterator[LanceField]:
    for field in fields:
        yield field
        yield from _walk(field.children())


def _find(
    fields: List[LanceField], names: List[str], *, fold: bool = False
) -> Optional[LanceField]:
    for field in fields:
        same = field.name() == names[0]
        if same or (fold and field.name().lower() == names[0].lower()):
            return field if len(names) == 1 else _find(field.children(), names[1:], fold=fold)
    return None


def _with_ids(field: "pa.Field", ids: Iterator[Tuple[int, str]]) -> LanceField:
    id, _ = next(ids)
    return LanceField(field, id, [_with_ids(child, ids) for child in _children(field.type)])


def _children(type: "pa.DataType") -> List["pa.Field"]:
    """The fields below one of ``type`` that have ids of their own."""
    import pyarrow as pa

    if isinstance(type, pa.BaseExtensionType):
        type = type.storage_type
    if pa.types.is_struct(type):
        return [type.field(i) for i in range(type.num_fields)]
    if pa.types.is_map(type):
        pairs = pa.struct([type.key_field, type.item_field])
        return [pa.field("entries", pairs, nullable=False)]
    if pa.types.is_list(type) or pa.types.is_large_list(type):
        return [type.value_field]
    if pa.types.is_fixed_size_list(type):
        # A vector, also of vectors, is one field.
        inner = type.value_type
        while pa.types.is_fixed_size_list(inner):
            inner = inner.value_type
        return [type.value_field] if pa.types.is_nested(inner) else []
    return []
