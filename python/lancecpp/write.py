"""write_dataset: new tables, appended rows, new contents."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, Union

from . import _core
from .arrow_stream import raise_source_error, to_stream
from .base_path import base_tuples, check_base_store_params
from .errors import (
    CoreError,
    flag,
    names,
    optional_text,
    refuse_later_work,
    string_map,
    translate,
    unsigned,
)
from .move import move
from .progress import ProgressCalls

if TYPE_CHECKING:
    import pyarrow as pa

    from .dataset import LanceDataset

_MODES = {
    "create": _core.WriteMode.create,
    "append": _core.WriteMode.append,
    "overwrite": _core.WriteMode.overwrite,
}
_STORAGE_VERSIONS = ("0.1", "2.0", "2.1", "2.2", "2.3", "legacy", "next", "stable")


@dataclass(frozen=True)
class InPlace:
    """An open table that :func:`write_dataset` moves to the version that it makes."""

    dataset: "LanceDataset"


def write_dataset(
    data_obj: Any,
    uri: Optional[Union[str, os.PathLike, "LanceDataset", InPlace]] = None,
    schema: Optional["pa.Schema"] = None,
    mode: str = "create",
    *,
    max_rows_per_file: int = 1024 * 1024,
    max_rows_per_group: int = 1024,
    max_bytes_per_file: int = 90 * 1024 * 1024 * 1024,
    data_cache_bytes: Optional[int] = None,
    max_page_bytes: Optional[int] = None,
    commit_lock: Optional[Any] = None,
    progress: Optional[Any] = None,
    storage_options: Optional[Dict[str, str]] = None,
    data_storage_version: Optional[
        Literal["stable", "2.0", "2.1", "2.2", "2.3", "next", "legacy", "0.1"]
    ] = None,
    use_legacy_format: Optional[bool] = None,
    enable_v2_manifest_paths: bool = True,
    enable_stable_row_ids: bool = False,
    semantic_types: Optional[bool] = None,
    auto_cleanup_options: Optional[Any] = None,
    commit_message: Optional[str] = None,
    transaction_properties: Optional[Dict[str, str]] = None,
    initial_bases: Optional[List[Any]] = None,
    target_bases: Optional[List[str]] = None,
    target_all_bases: Optional[bool] = None,
    base_store_params: Optional[Dict[str, Dict[str, str]]] = None,
    external_blob_mode: Literal["reference", "ingest"] = "reference",
    allow_external_blob_outside_bases: bool = False,
    blob_pack_file_size_threshold: Optional[int] = None,
    namespace_client: Optional[Any] = None,
    table_id: Optional[List[str]] = None,
    session: Optional[Any] = None,
) -> "LanceDataset":
    """Writes ``data_obj`` as one new version of a table and returns that version.

    Streams are written in bounded memory, whatever their size. When anything fails, the table is
    as before.

    Parameters
    ----------
    data_obj:
        A pyarrow Table, RecordBatch, RecordBatchReader, dataset or scanner, a LanceDataset, any
        object with ``__arrow_c_stream__`` (polars, duckdb), a pandas DataFrame, a dict of columns,
        a list of dicts, or an iterable of RecordBatch together with ``schema``.
    uri:
        A path, a ``file://`` or ``memory://`` URI, or an open table.
    mode:
        ``create`` fails if there is a table; ``append`` adds rows; ``overwrite`` replaces contents
        and schema. The last two create the table if there is none.
    max_rows_per_file, max_bytes_per_file:
        Where a new data file (and fragment) is begun.
    data_cache_bytes:
        Input buffered per file before pages are written.
    max_page_bytes:
        Of a page at most, as far as rows can be split. It has an effect in files of version 2.0 only;
        later ones have small chunks within their pages.
    progress:
        Hears of each fragment that is begun and completed, see :mod:`lancecpp.progress`.
    data_storage_version:
        ``2.2`` (the default of new tables), ``2.1`` or ``stable``.
    semantic_types:
        Whether a new table has semantic types (see docs/semantic-types.md): columns take any layout
        of their values, and older readers refuse the table. Default: only with files of version
        2.3 or later.
    external_blob_mode:
        What becomes of blobs given as URIs (see :func:`blob_array`): ``reference`` stores the URI,
        ``ingest`` copies the bytes into the table.
    allow_external_blob_outside_bases:
        Whether URIs may be stored that are below none of the table's base paths.
    blob_pack_file_size_threshold:
        Bytes that a file of packed blob values may grow to; default 1 GiB.
    initial_bases:
        Of a new table: places (:class:`DatasetBasePath`) beside its own folder that its files may
        lie in.
    target_bases:
        Names or paths of such places: the data files go there, in turn. The table's URI stands for
        its own folder.
    target_all_bases:
        Instead: all places there are, with True after the table's own folder.
    base_store_params:
        Options of the stores of such places, by their URIs; local ones need none.
    commit_message, transaction_properties:
        Kept in the transaction file.

    >>> data = lance.write_dataset({"id": [1, 2]}, "memory://write-example")
    >>> data = lance.write_dataset([{"id": 3}], data, mode="append")
    >>> data.version, data.count_rows()
    (2, 3)
    """
    arguments = dict(locals())
    for name in ("data_obj", "uri", "schema"):
        del arguments[name]
    options = _options("write_dataset", arguments)

    from .dataset import LanceDataset
    from .version_reference import uri_text

    if uri is None:
        raise ValueError("Must specify either 'uri' or both 'namespace_client' and 'table_id'.")
    moved = uri.dataset if isinstance(uri, InPlace) else None
    if moved is not None:
        uri = moved
    into = uri._core if isinstance(uri, LanceDataset) else None
    target = "" if into is not None else uri_text(uri)
    stream = to_stream(data_obj, schema)
    try:
        if moved is not None:
            written = move(moved, "insert", stream, options, _calls(progress))
        elif into is not None:
            written = into.insert(stream, options, _calls(progress))
        else:
            written = _core.Dataset.write(target, stream, options, _calls(progress))
    except CoreError as error:
        raise_source_error(stream)
        raise translate(error, "write") from None
    dataset = LanceDataset._from_core(written)
    if semantic_types is None and dataset.version == 1 and dataset.has_semantic_types:
        _warn_of_older_readers(dataset)
    return dataset


def _warn_of_older_readers(dataset: "LanceDataset") -> None:
    warnings.warn(
        f"{dataset.uri} has semantic types, the default with files of version "
        f"{dataset.data_storage_version}: older versions of lance can't read it. Give "
        "semantic_types=True to agree, or semantic_types=False to do without.",
        stacklevel=3,
    )


def _calls(progress: Optional[Any], fragment_id: int = 0) -> Optional[ProgressCalls]:
    return None if progress is None else ProgressCalls(progress, fragment_id)


def _write_mode(mode: str) -> "_core.WriteMode":
    if not isinstance(mode, str):
        raise TypeError(
            f"argument 'mode': '{type(mode).__name__}' object is not an instance of 'str'"
        )
    if mode.lower() not in _MODES:
        raise ValueError(f"Invalid mode {mode}: expected one of {', '.join(_MODES)}")
    return _MODES[mode.lower()]


def _at_least_one(name: str, value: Any) -> int:
    number = unsigned(name, value)
    if number == 0:
        raise ValueError(f"Invalid user input: {name} must be at least 1, got 0")
    return number


def _storage_version(version: Optional[str]) -> Optional[str]:
    if optional_text("data_storage_version", version) is not None and version not in _STORAGE_VERSIONS:
        raise ValueError(
            f"Invalid user input: Unknown Lance storage version: {version}; known are "
            f"{', '.join(_STORAGE_VERSIONS)}"
        )
    return version


def write_uncommitted(
    data: Any,
    uri: Any,
    schema: Optional["pa.Schema"],
    *,
    progress: Optional[Any] = None,
    fragment_id: int = 0,
    **arguments: Any,
) -> bytes:
    """Writes data files only: the serialized transaction that would commit them."""
    from .dataset import LanceDataset
    from .version_reference import uri_text

    options = _options("write_fragments", arguments)
    target = uri.uri if isinstance(uri, LanceDataset) else uri_text(uri)
    stream = to_stream(data, schema)
    try:
        calls = _calls(progress, fragment_id)
        return _core.Dataset.write_uncommitted(target, stream, options, calls)
    except CoreError as error:
        raise_source_error(stream)
        raise translate(error, "write") from None


# Arguments that have no effect yet: refused when they are given.
_LATER = (
    "commit_lock",
    "use_legacy_format",
    "namespace_client",
    "table_id",
    "session",
)


def _options(call: str, arguments: Dict[str, Any]) -> "_core.WriteOptions":
    """The engine's options of the arguments of ``call``."""
    get = arguments.get
    refuse_later_work(
        call,
        {
            **{name: get(name) for name in _LATER},
            "storage_options": get("storage_options") or None,
        },
    )
    check_base_store_params(get("base_store_params"))
    target_all = get("target_all_bases")
    unsigned("max_rows_per_group", arguments["max_rows_per_group"])  # of the legacy format only
    cache_bytes = get("data_cache_bytes")
    page_bytes = get("max_page_bytes")
    pack_bytes = get("blob_pack_file_size_threshold")
    return _core.WriteOptions(
        mode=_write_mode(arguments["mode"]),
        max_rows_per_file=_at_least_one("max_rows_per_file", arguments["max_rows_per_file"]),
        max_bytes_per_file=_at_least_one("max_bytes_per_file", arguments["max_bytes_per_file"]),
        data_storage_version=_storage_version(get("data_storage_version")),
        data_cache_bytes=None if cache_bytes is None else unsigned("data_cache_bytes", cache_bytes),
        max_page_bytes=None if page_bytes is None else unsigned("max_page_bytes", page_bytes),
        enable_v2_manifest_paths=flag(
            "enable_v2_manifest_paths", get("enable_v2_manifest_paths", True)
        ),
        enable_stable_row_ids=flag("enable_stable_row_ids", get("enable_stable_row_ids", False)),
        semantic_types=None
        if get("semantic_types") is None
        else flag("semantic_types", get("semantic_types")),
        commit_message=optional_text("commit_message", get("commit_message")),
        transaction_properties=string_map(
            "transaction_properties", get("transaction_properties") or {}
        ),
        config=auto_cleanup_config(get("auto_cleanup_options")),
        ingest_external_blobs=_ingests_blobs(get("external_blob_mode", "reference")),
        allow_external_blob_outside_bases=flag(
            "allow_external_blob_outside_bases", get("allow_external_blob_outside_bases", False)
        ),
        blob_pack_file_size_threshold=None
        if pack_bytes is None
        else _at_least_one("blob_pack_file_size_threshold", pack_bytes),
        initial_bases=base_tuples("initial_bases", get("initial_bases") or []),
        target_bases=names("target_bases", get("target_bases") or []),
        target_all_bases=None if target_all is None else flag("target_all_bases", target_all),
    )


def _ingests_blobs(mode: str) -> bool:
    if mode not in ("reference", "ingest"):
        raise ValueError(f"external_blob_mode must be 'reference' or 'ingest', got {mode!r}")
    return mode == "ingest"


def auto_cleanup_config(options: Any) -> Dict[str, str]:
    """The table config by which old versions are cleaned up after commits."""
    if options is None:
        return {}
    values = dict(options) if isinstance(options, dict) else getattr(options, "__dict__", None)
    if values is None or "interval" not in values:
        raise TypeError(
            "auto_cleanup_options: expected a dict with 'interval' and 'older_than_seconds' or "
            f"'retain_versions', got {options!r}"
        )
    config = {"lance.auto_cleanup.interval": str(unsigned("interval", values["interval"]))}
    if values.get("older_than_seconds") is not None:
        seconds = unsigned("older_than_seconds", values["older_than_seconds"])
        config["lance.auto_cleanup.older_than"] = f"{seconds}s"
    if values.get("retain_versions") is not None:
        versions = unsigned("retain_versions", values["retain_versions"])
        config["lance.auto_cleanup.retain_versions"] = str(versions)
    return config
