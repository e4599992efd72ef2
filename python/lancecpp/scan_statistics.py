"""What a scan has read."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any, Callable, Dict

from . import _core


@dataclass(frozen=True)
class ScanStatistics:
    """What ``scan_stats_callback`` of :meth:`LanceDataset.scanner` is called with.

    >>> data = lance.write_dataset({"id": [1, 2, 3]}, "memory://statistics-example")
    >>> seen = []
    >>> data.scanner(scan_stats_callback=seen.append).to_table().num_rows
    3
    >>> seen[0].all_counts["rows_scanned"]
    3
    """

    iops: int
    """Requests to the store; neighbouring ranges are read by one."""
    requests: int
    """The same."""
    bytes_read: int
    indices_loaded: int = 0
    parts_loaded: int = 0
    index_comparisons: int = 0
    index_cache_hits: int = 0
    index_cache_misses: int = 0
    all_counts: Dict[str, int] = field(default_factory=dict)
    all_times: Dict[str, int] = field(default_factory=dict)
    """By the step of the plan, in nanoseconds summed over threads."""


def telling(callback: Callable[[ScanStatistics], Any]) -> Callable[[_core.ScanStatistics], None]:
    """Calls ``callback`` for the engine. What it raises is logged, and the scan goes on."""
    if not callable(callback):
        raise ValueError("scan_stats_callback must be callable")

    def tell(done: _core.ScanStatistics) -> None:
        statistics = ScanStatistics(
            iops=done.reads,
            requests=done.reads,
            bytes_read=done.read_bytes,
            all_counts={"fragments_scanned": done.fragments, "rows_scanned": done.rows},
            all_times=done.nanoseconds,
        )
        try:
            callback(statistics)
        except KeyboardInterrupt:
            raise  # which it is when the scan has returned
        except BaseException:
            logging.getLogger("lancecpp").exception("scan_stats_callback raised an exception")

    return tell
