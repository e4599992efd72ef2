"""Hears of the fragments that ``write_dataset`` and ``write_fragments`` make.

>>> class Paths(lance.progress.FragmentWriteProgress):
...     def begin(self, fragment, **kwargs):
...         print("begun")
...
...     def complete(self, fragment, **kwargs):
...         print(fragment.physical_rows, "rows")
>>> data = lance.write_dataset({"id": [1, 2, 3]}, "memory://progress-example", progress=Paths())
begun
3 rows
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from typing import Any, Dict, Optional

from .fragment import FragmentMetadata, decode_fragment

__all__ = [
    "FileSystemFragmentWriteProgress",
    "FragmentWriteProgress",
    "NoopFragmentWriteProgress",
]


class FragmentWriteProgress(ABC):
    """Base of what is given as ``progress``. An exception of a method ends the write."""

    def _do_begin(self, fragment_json: str, **kwargs: Any) -> None:
        self.begin(FragmentMetadata.from_json(fragment_json), **kwargs)

    def _do_complete(self, fragment_json: str, **kwargs: Any) -> None:
        self.complete(FragmentMetadata.from_json(fragment_json), **kwargs)

    @abstractmethod
    def begin(self, fragment: FragmentMetadata, **kwargs: Any) -> None:
        """A fragment is about to be written. It has no files yet, and id 0: ids are given out by the
        commit."""

    @abstractmethod
    def complete(self, fragment: FragmentMetadata, **kwargs: Any) -> None:
        """All of a fragment is written. No version has it yet."""


class NoopFragmentWriteProgress(FragmentWriteProgress):
    """Does nothing."""

    def begin(self, fragment: FragmentMetadata, **kwargs: Any) -> None:
        pass

    def complete(self, fragment: FragmentMetadata, **kwargs: Any) -> None:
        pass


class FileSystemFragmentWriteProgress(FragmentWriteProgress):
    """Keeps files about fragments in a folder: ``fragment_<id>.json`` with the metadata that it begins
    with, and ``fragment_<id>.in_progress`` until it is complete.

    ``base_uri`` is the folder, a URI or an absolute path; ``metadata`` is put into the latter file.
    """

    PROGRESS_EXT: str = ".in_progress"

    def __init__(self, base_uri: str, metadata: Optional[Dict[str, str]] = None):
        from pyarrow.fs import FileSystem

        self._files, self._folder = FileSystem.from_uri(base_uri)
        self._metadata = metadata or {}

    def _path(self, fragment: FragmentMetadata, extension: str) -> str:
        return os.path.join(self._folder, f"fragment_{fragment.id}{extension}")

    def _write(self, path: str, value: Any) -> None:
        with self._files.open_output_stream(path) as out:
            out.write(json.dumps(value).encode())

    def begin(self, fragment: FragmentMetadata, **kwargs: Any) -> None:
        self._files.create_dir(self._folder, recursive=True)
        state = {"fragment_id": fragment.id, "metadata": self._metadata}
        self._write(self._path(fragment, self.PROGRESS_EXT), state)
        self._write(self._path(fragment, ".json"), fragment.to_json())

    def complete(self, fragment: FragmentMetadata, **kwargs: Any) -> None:
        self._files.delete_file(self._path(fragment, self.PROGRESS_EXT))


class ProgressCalls:
    """What the engine calls for a ``progress`` that was given; pylance's classes will do, too."""

    def __init__(self, progress: Any, fragment_id: int = 0):
        self._progress = progress
        self._id = fragment_id

    def begin(self) -> None:
        self._call("begin", {"id": self._id, "files": [], "physical_rows": None})

    def complete(self, message: bytes) -> None:
        fragment = decode_fragment(message)
        fragment.id = self._id
        self._call("complete", fragment.to_json())

    def _call(self, hook: str, fragment: Dict[str, Any]) -> None:
        try:
            getattr(self._progress, f"_do_{hook}")(json.dumps(fragment))
        except Exception as error:
            raise OSError(
                f"Invalid user input: Failed to call {hook}() on WriteFragmentProgress: "
                f"{type(error).__name__}: {error}"
            ) from error
