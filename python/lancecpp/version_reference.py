"""What users pass as a place and as a version."""

from __future__ import annotations

import os
from typing import Any, Optional, Tuple, Union

from .errors import text, unsigned

# A number, a tag, a branch with a number (None: the newest), or None for the newest version.
Reference = Optional[Union[int, str, Tuple[Optional[str], Optional[int]]]]


def uri_text(uri: Any) -> str:
    """A path or URI as text."""
    if isinstance(uri, os.PathLike):
        uri = os.fspath(uri)
    text("uri", uri)
    if not uri or "\0" in uri:
        raise ValueError(f"Failed to parse path {uri!r}: it must be a folder name or a URI")
    return os.path.expanduser(uri)


def version_reference(version: Any) -> Reference:
    """A number, a tag, or a tuple of a branch (None: main) and a number, a tag or None."""
    if isinstance(version, str):
        return version
    if isinstance(version, tuple) and len(version) == 2:
        branch, inner = version
        if isinstance(inner, str):
            return inner
        return (branch, None if inner is None else unsigned("version", inner))
    if hasattr(version, "__index__"):
        return unsigned("version", version)
    raise ValueError(
        "Version must be an int, a str (a tag) or a (branch, version) tuple, "
        f"got {type(version).__name__}"
    )
