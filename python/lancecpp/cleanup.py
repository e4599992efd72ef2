"""What cleaning up old versions did, or would do."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Dict, List, Optional, Set

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
    #: Files that could not be removed; the next clean-up tries again.
    failed_deletes: int = 0


@dataclass
class CleanupCandidateFile:
    """A file that would be removed."""

    path: str
    kind: str
    #: No version uses it, as far as is known: it may be of a write that has failed, or goes on.
    unverified: bool
    size_bytes: int


@dataclass
class CleanupReferencedBranch:
    """A branch that starts from a version of this one, which therefore stays."""

    name: str
    referenced_version: int
    cleanup_candidate: bool = False


@dataclass
class CleanupExplanation:
    """Counts of what would be removed, and on demand the files."""

    read_version: int
    stats: CleanupStats
    candidate_files: List[CleanupCandidateFile]
    candidate_files_truncated: bool
    candidate_file_limit: int
    referenced_branches: List[CleanupReferencedBranch]
    warnings: List[str]


# By the folder that a file lies in.
_KINDS = {
    "_versions": "manifest",
    "_transactions": "transaction",
    "_deletions": "deletion",
    "_indices": "index",
    "data": "data",
}


def cleanup_stats(core: Any) -> CleanupStats:
    return CleanupStats(
        core.bytes_removed,
        core.old_versions,
        core.data_files_removed,
        core.transaction_files_removed,
        core.index_files_removed,
        core.deletion_files_removed,
        core.failed_deletions,
    )


def explanation(
    core: Any,
    version: int,
    branches: List[CleanupReferencedBranch],
    limit: int,
    tracked: Optional[Set[str]],
) -> CleanupExplanation:
    """Of the engine's answer; ``limit``: files to list at most; ``tracked``: the paths of those that
    versions name, or None to list none."""
    candidates = core.candidates if tracked is not None else []
    files = [
        CleanupCandidateFile(path, _kind(path), path not in (tracked or ()), size)
        for path, size in candidates[:limit]
    ]
    truncated = len(candidates) > limit
    warnings = [f"candidate_files truncated to {limit} entries"] if truncated else []
    return CleanupExplanation(
        version, cleanup_stats(core), files, truncated, limit, branches, warnings
    )


def _kind(path: str) -> str:
    folders = path.split("/")[:-1]
    return next((_KINDS[name] for name in reversed(folders) if name in _KINDS), "other")


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
