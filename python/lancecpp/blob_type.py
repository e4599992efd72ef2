"""The Arrow type of blob columns, as they are given to write.

Kept apart from the package: it needs pyarrow, which is loaded when first used.
"""

from __future__ import annotations

from typing import Any, List

import pyarrow as pa

from .blob import Blob

_MEMBERS = [
    pa.field("data", pa.large_binary()),
    pa.field("uri", pa.string()),
    pa.field("position", pa.uint64()),
    pa.field("size", pa.uint64()),
]


class BlobType(pa.ExtensionType):
    """``lance.blob.v2``: bytes, or the URI of an object (or of a range of one) that holds them.

    Stored as ``struct<data: large_binary, uri: string, position: uint64, size: uint64>``, or with
    the first two members only.
    """

    def __init__(self, storage_type: pa.DataType = pa.struct(_MEMBERS)) -> None:
        names = [field.name for field in storage_type] if pa.types.is_struct(storage_type) else []
        if storage_type not in (pa.struct(_MEMBERS), pa.struct(_MEMBERS[:2])):
            raise TypeError(f"a blob is no {storage_type} with the members {names}")
        super().__init__(storage_type, "lance.blob.v2")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> "BlobType":
        return cls(storage_type)

    def __arrow_ext_class__(self) -> type:
        return BlobArray

    def __reduce__(self) -> Any:
        return type(self), (self.storage_type,)


class BlobArray(pa.ExtensionArray):
    """Blobs to write; see :func:`blob_array`."""

    @classmethod
    def from_pylist(cls, values: List[Any]) -> "BlobArray":
        blobs = [None if value is None else Blob.of(value) for value in values]
        members = [
            pa.array([None if b is None else getattr(b, field.name) for b in blobs], field.type)
            for field in _MEMBERS
        ]
        mask = pa.array([blob is None for blob in blobs], pa.bool_())
        storage = pa.StructArray.from_arrays(members, fields=_MEMBERS, mask=mask)
        return pa.ExtensionArray.from_storage(registered_type(), storage)


def registered_type() -> pa.ExtensionType:
    """The type by that name that this process knows: ours, or that of another library."""
    try:
        pa.register_extension_type(BlobType())
    except pa.ArrowKeyError:
        pass
    # Only reading a schema tells which class is registered.
    field = pa.field("b", BlobType().storage_type)
    field = field.with_metadata({"ARROW:extension:name": "lance.blob.v2", "ARROW:extension:metadata": ""})
    return pa.ipc.read_schema(pa.schema([field]).serialize()).field(0).type
