"""Numbers about a version of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, List, TypedDict

from .errors import unsigned
from .file import LanceFileReader
from .fragment import data_file_path

if TYPE_CHECKING:
    from .dataset import LanceDataset


class DatasetStats(TypedDict):
    num_deleted_rows: int
    num_fragments: int
    num_small_files: int


@dataclass
class FieldStatistics:
    """The bytes that the pages of a field take, in all data files."""

    id: int
    bytes_on_disk: int


@dataclass
class DataStatistics:
    """The same for each field, in the order of the schema."""

    fields: List[FieldStatistics]


class LanceStats:
    """:attr:`LanceDataset.stats`.

    >>> data = lance.write_dataset({"id": [1, 2, 3]}, "memory://stats-example", max_rows_per_file=2)
    >>> data.stats.dataset_stats()
    {'num_deleted_rows': 0, 'num_fragments': 2, 'num_small_files': 2}
    """

    def __init__(self, dataset: "LanceDataset"):
        self._dataset = dataset

    def dataset_stats(self, max_rows_per_group: int = 1024) -> DatasetStats:
        """Counts of deleted rows, fragments, and fragments of fewer rows than given."""
        limit = unsigned("max_rows_per_group", max_rows_per_group)
        fragments = self._dataset._core.fragments()
        return {
            "num_deleted_rows": sum(fragment.num_deletions for fragment in fragments),
            "num_fragments": len(fragments),
            "num_small_files": sum(fragment.physical_rows < limit for fragment in fragments),
        }

    def data_stats(self) -> DataStatistics:
        """How much room each field takes; opens all data files of 2.1 and later."""
        sizes: Dict[int, int] = {id: 0 for id, _ in self._dataset._core.field_ids}
        for info in self._dataset._core.fragments():
            for file in info.files:
                columns = LanceFileReader(data_file_path(self._dataset, file)).file_statistics().columns
                for id, column in zip(file.fields, file.column_indices):
                    if id in sizes and 0 <= column < len(columns):
                        sizes[id] += columns[column].size_bytes
        return DataStatistics([FieldStatistics(id, size) for id, size in sizes.items()])
