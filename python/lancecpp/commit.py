"""Conflicts between commits."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Callable

CommitLock = Callable[[int], AbstractContextManager]


class CommitConflictError(OSError):
    """Another writer committed something that this change does not go with.

    ``retryable``: whether the change can be made again from the new version. Raised by
    :meth:`LanceDataset.add_columns`, :meth:`LanceDataset.commit` and
    :meth:`LanceDataset.commit_batch`; elsewhere a conflict is a plain OSError, as in pylance.
    """

    def __init__(self, message: str = "", retryable: bool = True):
        super().__init__(message)
        self.retryable = retryable
