"""Lists of the files of a table, as pylance gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional

from .errors import CoreError, translate, unsigned

if TYPE_CHECKING:
    import pyarrow as pa

    from .dataset import LanceDataset


def tracked_files(
    dataset: "LanceDataset", min_version: Optional[int], progress: Optional[Callable]
) -> "pa.RecordBatchReader":
    """:meth:`LanceDataset.tracked_files`."""
    import pyarrow as pa

    first = 0 if min_version is None else unsigned("min_version", min_version)
    try:
        files = dataset._core.tracked_files(first)
    except CoreError as error:
        raise translate(error, "versions") from None
    if progress is not None:
        count = len({version for version, _, _, _ in files})
        progress(count, count)
    versions, bases, paths, types = zip(*files) if files else ((), (), (), ())
    return _reader(
        pa.field("version", pa.int64(), nullable=False),
        versions,
        _dictionary("base_uri", pa.int32()),
        bases,
        pa.field("path", pa.string(), nullable=False),
        paths,
        _dictionary("type", pa.int8()),
        types,
    )


def all_files(dataset: "LanceDataset") -> "pa.RecordBatchReader":
    """:meth:`LanceDataset.all_files`."""
    import pyarrow as pa

    try:
        root, files = dataset._core.all_files()
    except CoreError as error:
        raise translate(error, "versions") from None
    paths, sizes, times = zip(*files) if files else ((), (), ())
    return _reader(
        _dictionary("base_uri", pa.int32()),
        [root] * len(files),
        pa.field("path", pa.string(), nullable=False),
        paths,
        pa.field("size_bytes", pa.int64(), nullable=False),
        sizes,
        pa.field("last_modified", pa.timestamp("us", "UTC"), nullable=False),
        [time // 1000 for time in times],
    )


def _dictionary(name: str, keys: "pa.DataType") -> "pa.Field":
    import pyarrow as pa

    return pa.field(name, pa.dictionary(keys, pa.string()), nullable=False)


def _reader(*columns: Any) -> "pa.RecordBatchReader":
    """Of fields, each followed by its values."""
    import pyarrow as pa

    fields = columns[::2]
    arrays = [_array(field.type, values) for field, values in zip(fields, columns[1::2])]
    table = pa.table(arrays, schema=pa.schema(fields))
    return table.to_reader()


def _array(type: "pa.DataType", values: Iterable[Any]) -> "pa.Array":
    import pyarrow as pa

    if not pa.types.is_dictionary(type):
        return pa.array(values, type)
    encoded = pa.array(values, pa.string()).dictionary_encode()
    return encoded.cast(type)
