"""Changes that move an open table to the version that they made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from .dataset import LanceDataset


def move(dataset: "LanceDataset", method: str, *arguments: Any, **named: Any) -> Any:
    """Calls a method of the engine on ``dataset``, which then is at the version that it returns, alone
    or in front of what else it returns. No signal handler runs in between: Ctrl-C that comes after
    the commit is raised when the table is there already."""
    function = getattr(_core.Dataset, method).__wrapped__
    return _core.move(dataset, function, dataset._core, *arguments, **named)


def move_to(dataset: "LanceDataset", function: Any, *arguments: Any, **named: Any) -> Any:
    """The same with a function that is no method of an open table."""
    return _core.move(dataset, function.__wrapped__, *arguments, **named)
