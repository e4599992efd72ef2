"""What cleaning up old versions did, or would do."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Dict, List, Optional

from .errors import flag, refuse_later_work, unsigned, unsigned_list

_DEFAULT_AGE = timedelta(days=14)


@dataclass
class CleanupStats:
    """Counts of what was removed."""

    bytes_removed: int
    old_versions: int
    data_files_removed: int = 0
    transaction_files_removed: int = 0
    index_files_removed: int = 0
    deletion_files_removed: int = 0


@dataclass
class CleanupCandidateFile:
    path: str
    size_bytes: int


@dataclass
class CleanupExplanation:
    """Counts of what would be removed, and on demand the files."""

    stats: CleanupStats
    files: List[CleanupCandidateFile] = field(default_factory=list)


def cleanup_stats(core: Any) -> CleanupStats:
    return CleanupStats(
        core.bytes_removed,
        core.old_versions,
        core.data_files_removed,
        core.transaction_files_removed,
        core.index_files_removed,
        core.deletion_files_removed,
    )


def cleanup_policy(
    older_than: Optional[timedelta],
    retain_versions: Optional[int],
    versions: Optional[List[int]],
    delete_unverified: bool,
    error_if_tagged_old_versions: bool,
    delete_rate_limit: Optional[int],
    dry_run: bool,
) -> Dict[str, Any]:
    """The engine's arguments. Without a condition, versions older than 14 days."""
    refuse_later_work("cleanup_old_versions", {"delete_rate_limit": delete_rate_limit})
    if older_than is None and retain_versions is None and versions is None:
        older_than = _DEFAULT_AGE
    before = None
    if older_than is not None:
        if not isinstance(older_than, timedelta):
            raise TypeError(
                f"argument 'older_than': '{type(older_than).__name__}' object is not an instance "
                "of 'timedelta'"
            )
        age = (older_than.days * 86400 + older_than.seconds) * 10**9
        before = time.time_ns() - age - older_than.microseconds * 1000
        # Beyond the years 1677 to 2262 there are no versions that could be told apart.
        before = max(-(2**63), min(before, 2**63 - 1))
    if retain_versions is not None and unsigned("retain_versions", retain_versions) == 0:
        raise ValueError("Invalid user input: retain_versions must be at least 1, got 0")
    return {
        "before_timestamp_ns": before,
        "retain_versions": retain_versions,
        "versions": None if versions is None else unsigned_list("versions", versions),
        "delete_unverified": flag("delete_unverified", delete_unverified),
        "error_if_tagged_old_versions": flag(
            "error_if_tagged_old_versions", error_if_tagged_old_versions
        ),
        "dry_run": dry_run,
    }
