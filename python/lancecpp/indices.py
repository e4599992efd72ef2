"""What a table says of its indexes. They are neither built nor used here."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Dict, List, Optional, TypedDict

from . import wire
from .bitmap import Bitmap
from .errors import CoreError, translate
from .fragment import field_paths

if TYPE_CHECKING:
    from .dataset import LanceDataset

_DETAILS_SUFFIX = "IndexDetails"
# Of the message VectorIndexDetails.
_HNSW, _COMPRESSIONS = 3, {4: "PQ", 5: "SQ", 8: "FLAT"}


class IndexInformation(TypedDict):
    name: str
    type: str
    uuid: str
    fields: List[str]
    version: int
    fragment_ids: Bitmap
    base_id: Optional[int]


@dataclass
class IndexSegmentDescription:
    """One of the parts that an index consists of."""

    uuid: str
    #: The version of the table that it was made or changed from.
    dataset_version_at_last_update: int
    #: The fragments whose rows it knows; some may not be there any more.
    fragment_ids: Bitmap
    index_version: int
    created_at: Optional[datetime]
    size_bytes: Optional[int]
    base_id: Optional[int]
    covering_fields: List[int]


@dataclass
class IndexDescription:
    """An index of a version of a table."""

    name: str
    type_url: str
    index_type: str
    num_rows_indexed: int
    fields: List[int]
    field_names: List[str]
    segments: List[IndexSegmentDescription] = field(repr=False)

    @property
    def num_segments(self) -> int:
        return len(self.segments)

    @property
    def total_size_bytes(self) -> Optional[int]:
        """The bytes of its files; None where the table does not say."""
        sizes = [segment.size_bytes for segment in self.segments]
        return None if None in sizes else sum(size for size in sizes if size is not None)


def describe_indices(dataset: "LanceDataset") -> List[IndexDescription]:
    """The indexes by their names, each with its segments."""
    try:
        segments = dataset._core.index_segments()
    except CoreError as error:
        raise translate(error, "open") from None
    rows = {info.id: info.num_rows for info in dataset._core.fragments()}
    paths = field_paths(dataset._core.serialized_fields())
    described: Dict[str, IndexDescription] = {}
    for content, covered in segments:
        entry = wire.Message(content)
        segment = _segment(entry, Bitmap(covered or ()))
        ids = [wire.signed(id) for id in entry.numbers(2)]
        index = described.setdefault(entry.text(3), _empty(entry, ids, paths))
        index.segments.append(segment)
        index.num_rows_indexed += sum(rows.get(id, 0) for id in segment.fragment_ids)
    return sorted(described.values(), key=lambda index: index.name)


def list_indices(dataset: "LanceDataset") -> List[IndexInformation]:
    """The same, as a dict for each segment."""
    return [
        {
            "name": index.name,
            "type": index.index_type,
            "uuid": segment.uuid,
            "fields": index.field_names,
            "version": segment.dataset_version_at_last_update,
            "fragment_ids": segment.fragment_ids,
            "base_id": segment.base_id,
        }
        for index in describe_indices(dataset)
        for segment in index.segments
    ]


def _segment(entry: wire.Message, covered: Bitmap) -> IndexSegmentDescription:
    files = [wire.Message(file).number(2) for file in entry.messages(10)]
    milliseconds = entry.optional_number(8)
    return IndexSegmentDescription(
        uuid=str(uuid.UUID(bytes=wire.Message(entry.data(1)).data(1))),
        dataset_version_at_last_update=entry.number(4),
        fragment_ids=covered,
        index_version=entry.number(7),
        created_at=None
        if milliseconds is None
        else datetime.fromtimestamp(milliseconds / 1000, timezone.utc),
        size_bytes=sum(files) if files else None,
        base_id=entry.optional_number(9),
        covering_fields=[wire.signed(id) for id in entry.numbers(11)],
    )


def _empty(entry: wire.Message, ids: List[int], paths: Dict[int, str]) -> IndexDescription:
    details = wire.Message(entry.data(6))
    type_url = details.text(1)
    return IndexDescription(
        name=entry.text(3),
        type_url=type_url,
        index_type=_index_type(type_url, details.data(2)),
        num_rows_indexed=0,
        fields=ids,
        field_names=[paths.get(id, str(id)) for id in ids],
        segments=[],
    )


def _index_type(type_url: str, details: bytes) -> str:
    name = type_url.rpartition(".")[2]
    kind = name[: -len(_DETAILS_SUFFIX)] if name.endswith(_DETAILS_SUFFIX) else name
    if kind != "Vector":
        return kind or "Unknown"
    vector = wire.Message(details)
    for number, compression in _COMPRESSIONS.items():
        if vector.has(number):
            return f"IVF_{'HNSW_' if vector.has(_HNSW) else ''}{compression}"
    return kind
