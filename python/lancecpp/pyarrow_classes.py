"""Makes tables, fragments and scanners count as those of ``pyarrow.dataset``.

Engines ask ``isinstance(data, pyarrow.dataset.Dataset)`` before they push conditions down. Deriving
from that class would import ``pyarrow.dataset``, which takes longer than all the rest; whoever asks
has imported it already. So each class shows a subclass of both as its ``__class__`` from then on.

DuckDB looks at the type itself. Tables that are opened after it was imported really are of that
subclass. They are not always, as functions of pyarrow that take the C++ object out of a dataset,
instead of calling its methods, don't notice that there is none.
"""

from __future__ import annotations

import functools
import sys
from typing import Any


class CountsAs:
    """A descriptor for ``__class__``: the owner, or a subclass of it and of the named class."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, instance: Any, owner: type) -> type:
        real = owner if instance is None else type(instance)
        module = sys.modules.get("pyarrow.dataset")
        theirs = getattr(module, self._name, None)
        return real if theirs is None or issubclass(real, theirs) else _combined(real, theirs)


def new_dataset(ours: type) -> Any:
    """A new table without its attributes."""
    if "duckdb" not in sys.modules:
        return object.__new__(ours)
    import pyarrow.dataset

    theirs = pyarrow.dataset.Dataset
    return theirs.__new__(ours if issubclass(ours, theirs) else _combined(ours, theirs))


@functools.lru_cache(maxsize=None)
def _combined(ours: type, theirs: type) -> type:
    return type(ours.__name__, (ours, theirs), {"__module__": ours.__module__})


def takes_pyarrow_arguments(method: Any) -> Any:
    """Lets a method have the arguments of its namesake in ``pyarrow.dataset`` too, which have no
    effect here: a schema by position, and those about threads and memory by name."""

    @functools.wraps(method)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        for name in _WITHOUT_EFFECT:
            kwargs.pop(name, None)
        if args and _is_schema(args[0]):
            args = args[1:]
        return method(self, *args, **kwargs)

    return wrapper


_WITHOUT_EFFECT = ("cache_metadata", "fragment_scan_options", "memory_pool", "use_threads")


def _is_schema(value: Any) -> bool:
    import pyarrow as pa

    return isinstance(value, pa.Schema)
