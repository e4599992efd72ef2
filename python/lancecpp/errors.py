"""Which exception a failed call raises.

The engine reports ``_core.CoreError(code, text, place)``. Users of pylance expect builtin exception
classes that depend on what was being done as well as on what went wrong; this file is the only
place that knows which. Every exception made here has the attributes ``code``, ``place`` and
``verb`` of the error it stands for.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, Dict, List, Mapping, Optional, Type

from . import _core
from .commit import CommitConflictError

CoreError = _core.CoreError

CORRUPT = "Corrupt"
UNSUPPORTED = "Unsupported"
NOT_FOUND = "Not found"
ALREADY_EXISTS = "Already exists"
OVER_BUDGET = "Over budget"
USER_INPUT = "Invalid user input"
# What Arrow puts in front of failures that come out of streams.
_STREAM_KINDS = re.compile("^((Invalid|IOError|Not implemented): )+")
# Whether the change may be made again.
_CONFLICTS = {"Retryable commit conflict": True, "Incompatible commit conflict": False}

# Whatever is not listed (I/O, conflicts, damaged files, …) is an OSError.
_ANY_VERB: Dict[str, Type[Exception]] = {
    UNSUPPORTED: NotImplementedError,
    OVER_BUDGET: MemoryError,
    USER_INPUT: ValueError,
}

_BY_VERB: Dict[str, Dict[str, Type[Exception]]] = {
    # Opening fails with ValueError whatever the reason.
    "open": {
        CORRUPT: ValueError,
        NOT_FOUND: ValueError,
        UNSUPPORTED: ValueError,
        "I/O error": ValueError,
    },
    # The data given does not fit the table, or has a type that can't be stored.
    "write": {
        UNSUPPORTED: OSError,
        USER_INPUT: OSError,
    },
    # A column that the file does not have.
    "open_file": {
        NOT_FOUND: ValueError,
        USER_INPUT: OSError,
    },
    "checkout": {
        USER_INPUT: OSError,
    },
    # Tags and branches.
    "refs": {
        NOT_FOUND: ValueError,
        ALREADY_EXISTS: ValueError,
        USER_INPUT: OSError,
    },
    # Changes of the schema that need no look at the data.
    "schema": {
        USER_INPUT: ValueError,
    },
    # Everything else that commits a version.
    "change": {
        USER_INPUT: OSError,
        NOT_FOUND: OSError,
    },
    # The same where conflicts have a class of their own.
    "commit": {
        USER_INPUT: OSError,
        NOT_FOUND: OSError,
    },
    "drop": {
        NOT_FOUND: OSError,
    },
    # A position beyond the end.
    "take": {
        USER_INPUT: OSError,
    },
}


def translate(error: Exception, verb: str, reference: Any = None) -> Exception:
    """The exception to raise for a ``CoreError`` met in ``verb``.

    ``reference``: the version asked for, if any.
    """
    code, text, place = error.args
    text = _STREAM_KINDS.sub("", text).removesuffix(". Detail: ")
    kind = _BY_VERB.get(verb, {}).get(code) or _ANY_VERB.get(code, OSError)
    if code == USER_INPUT and kind is ValueError:
        text = f"Invalid user input: {text}"
    if code == ALREADY_EXISTS and verb == "refs":
        text = f"Ref conflict error: {text}"
    if code == NOT_FOUND and isinstance(reference, str):
        text = f"Ref not found error: {text}"
    if verb == "commit" and code in _CONFLICTS:
        raised: Exception = CommitConflictError(text, retryable=_CONFLICTS[code])
    else:
        raised = kind(text)
    raised.code = code  # type: ignore[attr-defined]
    raised.place = place  # type: ignore[attr-defined]
    raised.verb = verb  # type: ignore[attr-defined]
    return raised


def unsigned(name: str, value: Any, bits: int = 64) -> int:
    """``value`` as an int from 0 to 2^bits - 1, like the conversions of pylance's extension."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(
            f"argument '{name}': '{type(value).__name__}' object cannot be interpreted as an "
            "integer"
        ) from None
    if number < 0:
        raise OverflowError(f"argument '{name}': can't convert negative int to unsigned")
    if number >= 1 << bits:
        raise OverflowError(f"argument '{name}': int too big to convert")
    return number


def unsigned_list(name: str, values: Any) -> List[int]:
    """``values`` as a list of such ints."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(
            f"argument '{name}': expected a list of int, got {type(values).__name__} {values!r}"
        )
    return [unsigned(name, value) for value in values]


def flag(name: str, value: Any) -> bool:
    """``value`` as a bool; nothing else is taken for one, like in pylance's extension."""
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool_", "bool") and type(value).__module__ == "numpy":
        return bool(value)
    raise TypeError(
        f"argument '{name}': '{type(value).__name__}' object is not an instance of 'bool'"
    )


def text(name: str, value: Any) -> str:
    """``value`` as a str that can be stored."""
    if not isinstance(value, str):
        raise TypeError(
            f"argument '{name}': '{type(value).__name__}' object is not an instance of 'str'"
        )
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"argument '{name}': {value!r} has a lone surrogate, which no UTF-8 text can hold"
        ) from None
    return value


def names(name: str, values: Any) -> List[str]:
    """``values`` as a list of str. A str is none, though it could be taken for its letters."""
    if isinstance(values, (str, bytes, Mapping)):
        raise TypeError(
            f"argument '{name}': expected a list of str, got {type(values).__name__} {values!r}"
        )
    try:
        listed = list(values)
    except TypeError:
        raise TypeError(
            f"argument '{name}': '{type(values).__name__}' object is not an instance of 'Sequence'"
        ) from None
    return [text(name, value) for value in listed]


def string_map(name: str, values: Any, *, nullable: bool = False) -> Dict[str, Any]:
    """``values`` as a dict of str and str, or None where ``nullable``."""
    if not isinstance(values, Mapping):
        raise TypeError(
            f"argument '{name}': '{type(values).__name__}' object is not an instance of 'dict'"
        )
    return {
        text(name, key): None if nullable and value is None else text(name, value)
        for key, value in values.items()
    }


def optional_text(name: str, value: Any) -> Optional[str]:
    return None if value is None else text(name, value)


def seconds(name: str, value: Any) -> float:
    """Those of a timedelta, or a number of them."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(
            f"argument '{name}': '{type(value).__name__}' object is not an instance of 'timedelta'"
        )
    return float(value)


def refuse_later_work(call: str, arguments: Dict[str, Any]) -> None:
    """Raises NotImplementedError for the first argument given that has no effect yet."""
    for name, value in arguments.items():
        if value is not None and value is not False:
            raise NotImplementedError(
                f"{call}: argument '{name}' is not supported by this version of lancecpp"
            )
