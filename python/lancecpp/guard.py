"""Keeps the extension module's own words for a wrong argument from users.

Arguments are checked where a public function hands them on. What slips through is refused by the
extension module with a message of several lines that names internal classes: this is its last guard,
for all methods, functions and properties that are set. Constructors can't be wrapped.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable

# Of a call, and of a value inside of a list or dict.
_MARKS = ("incompatible function arguments", "std::bad_cast")
_GIVEN = "Invoked with types: "


def guard(module: ModuleType) -> None:
    """Wraps what ``module`` has."""
    for name, member in list(vars(module).items()):
        if isinstance(member, type):
            _guard_class(member)
        elif type(member).__name__ == "nb_func":
            setattr(module, name, _guarded(member, name))


def _guard_class(kind: type) -> None:
    for name, member in list(vars(kind).items()):
        if name.startswith("__"):
            continue
        form = type(member).__name__
        if form == "nb_method":
            setattr(kind, name, _guarded(member, name))
        elif form == "nb_func":
            setattr(kind, name, staticmethod(_guarded(member, name)))
        elif isinstance(member, property) and member.fset is not None:
            setattr(kind, name, property(member.fget, _guarded(member.fset, name)))


def _guarded(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, RuntimeError) as error:
            if not any(mark in str(error) for mark in _MARKS):
                raise
            raise TypeError(_message(name, str(error))) from None

    call.__name__ = name
    call.__wrapped__ = function  # type: ignore[attr-defined]
    call.__doc__ = function.__doc__
    return call


def _message(name: str, error: str) -> str:
    """The same in one line, without the classes of the module."""
    called, mark, _ = error.partition("(): " + _MARKS[0])
    if mark and called:  # setters have no name
        name = called  # which may be one that ``name`` has called
    given = error.partition(_GIVEN)[2].split(", ")
    shown = ", ".join(kind for kind in given if kind and "lancecpp._core." not in kind)
    return f"{name}: an argument has a wrong type or value" + (shown and f"; given are {shown}")
