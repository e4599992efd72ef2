"""Random Arrow tables over types, nulls, nesting and sizes, for comparing implementations."""

import decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute

# Around the sizes at which chunks, groups of packed values and pages end.
SIZES = [0, 1, 2, 3, 7, 100, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 20000]
NULL_MODES = ["none", "some", "few", "all"]

_INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
_FLOATS = [pa.float16(), pa.float32(), pa.float64()]


def _integers(rng, n, type_):
    info = np.iinfo(type_.to_pandas_dtype())
    kind = rng.integers(0, 6)
    if kind == 0:
        values = rng.integers(info.min, info.max, n, dtype=info.dtype, endpoint=True)
    elif kind == 1:
        values = rng.integers(0, 100, n).astype(info.dtype)
    elif kind == 2:  # runs
        values = np.repeat(rng.integers(0, 120, n // 50 + 1), 50)[:n].astype(info.dtype)
    elif kind == 3:  # sorted
        values = np.sort(rng.integers(0, info.max, n, dtype=info.dtype, endpoint=True))
    elif kind == 4:  # constant
        values = np.full(n, info.max, dtype=info.dtype)
    else:  # few distinct, large
        values = rng.choice(rng.integers(info.min, info.max, 9, dtype=info.dtype, endpoint=True), n)
    return pa.array(values, type_)


def _floats(rng, n, type_):
    values = rng.standard_normal(n)
    if n > 4:
        values[rng.integers(0, n, 3)] = [np.nan, -0.0, np.inf]
    if rng.integers(0, 4) == 0:
        values = np.repeat(values, 20)[:n]
    return pa.array(values.astype(type_.to_pandas_dtype()), type_)


def _text(rng, n):
    kind = rng.integers(0, 6)
    if kind == 0:
        return ["", "a", "bc", "Grüße", "日本語"] * (n // 5) + ["x"] * (n % 5)
    if kind == 1:
        return [f"user {i} of {rng.integers(0, 1 << 30)}" for i in range(n)]
    if kind == 2:  # few distinct
        words = [f"category number {i}" for i in range(12)]
        return [words[i] for i in rng.integers(0, len(words), n)]
    if kind == 3:  # wide: full-zip pages
        return ["w" * int(k) + str(i) for i, k in enumerate(rng.integers(200, 700, n))]
    if kind == 4:
        return ["same"] * n
    words = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "and", "cats"]
    return [" ".join(words[j] for j in rng.integers(0, 10, rng.integers(0, 12))) for _ in range(n)]


def _with_nulls(rng, array, mode):
    n = len(array)
    if mode == "none" or n == 0:
        return array
    if mode == "all":
        return pa.nulls(n, array.type)
    share = 0.3 if mode == "some" else 3.0 / n
    mask = pa.array(rng.random(n) >= share)
    indices = pa.compute.if_else(mask, pa.array(np.arange(n)), pa.scalar(None, pa.int64()))
    return array.take(indices)


def leaf(rng, n, type_):
    """Values of `type_` without nulls."""
    if pa.types.is_null(type_):
        return pa.nulls(n)
    if type_ in _INTEGERS:
        return _integers(rng, n, type_)
    if type_ in _FLOATS:
        return _floats(rng, n, type_)
    if pa.types.is_boolean(type_):
        return pa.array(rng.random(n) < 0.5)
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return pa.array(_text(rng, n), type_)
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
        return pa.array([text.encode() for text in _text(rng, n)], type_)
    if pa.types.is_fixed_size_binary(type_):
        return pa.array([rng.bytes(type_.byte_width) for _ in range(n)], type_)
    if pa.types.is_decimal(type_):
        return pa.array([decimal.Decimal(int(v)).scaleb(-type_.scale) for v in rng.integers(-10**9, 10**9, n)], type_)
    if pa.types.is_date(type_) or pa.types.is_time(type_) or pa.types.is_timestamp(type_) or pa.types.is_duration(type_):
        if pa.types.is_date64(type_):
            return pa.array(rng.integers(0, 20000, n) * 86400000, pa.int64()).cast(type_)
        limit = {"s": 86400, "ms": 86400000}.get(getattr(type_, "unit", "s"), 86400000000)
        width = pa.int32() if type_.bit_width == 32 else pa.int64()
        return pa.array(rng.integers(0, limit, n), width).view(type_)
    raise NotImplementedError(str(type_))


LEAF_TYPES = (
    _INTEGERS
    + _FLOATS
    + [
        pa.bool_(), pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.date32(), pa.date64(),
        pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ms"),
        pa.timestamp("us", "UTC"), pa.timestamp("ns", "Asia/Tokyo"), pa.duration("s"), pa.duration("ms"),
        pa.duration("us"), pa.duration("ns"), pa.decimal128(12, 3), pa.decimal128(38, 0), pa.decimal256(50, 5),
        pa.binary(1), pa.binary(7), pa.binary(16), pa.binary(300), pa.null(),
    ]
)  # fmt: skip


def _lengths(rng, n):
    """List lengths with empties, now and then a long one."""
    lengths = rng.integers(0, 5, n)
    if n > 10 and rng.integers(0, 2) == 0:
        lengths[rng.integers(0, n)] = 3000
    if rng.integers(0, 4) == 0:
        lengths = np.maximum(lengths, 1)
    return lengths


def array(rng, n, depth=0):
    """An array of a random type, nested up to three levels, with nulls at each level."""
    mode = NULL_MODES[rng.choice(4, p=[0.35, 0.4, 0.15, 0.1])]
    kind = rng.choice(7, p=[0.5, 0.12, 0.05, 0.15, 0.1, 0.04, 0.04] if depth < 3 else [1, 0, 0, 0, 0, 0, 0])
    if kind == 0:
        return _with_nulls(rng, leaf(rng, n, LEAF_TYPES[rng.integers(0, len(LEAF_TYPES))]), mode)
    if kind in (1, 2):
        lengths = _lengths(rng, n)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        values = array(rng, int(offsets[-1]), depth + 1)
        if kind == 1:
            made = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
        else:
            made = pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)
        return _with_nulls(rng, made, mode)
    if kind == 3:
        children = [array(rng, n, depth + 1) for _ in range(rng.integers(1, 4))]
        mask = pa.array(rng.random(n) < 0.2) if mode == "some" else None
        return pa.StructArray.from_arrays(children, [f"c{i}" for i in range(len(children))], mask=mask)
    if kind == 4:
        size = int(rng.choice([1, 2, 4, 100, 256]))
        item = leaf(rng, n * size, [pa.float32(), pa.float16(), pa.float64(), pa.uint8(), pa.int32(), pa.bool_()][rng.integers(0, 6)])
        if rng.integers(0, 3) == 0:
            item = _with_nulls(rng, item, "some")
        return _with_nulls(rng, pa.FixedSizeListArray.from_arrays(item, size), mode)
    if kind == 5:
        size = int(rng.integers(1, 4))
        inner = pa.FixedSizeListArray.from_arrays(leaf(rng, n * size * 3, pa.int16()), 3)
        return _with_nulls(rng, pa.FixedSizeListArray.from_arrays(inner, size), mode)
    words = pa.array([f"word {i}" for i in range(40)])
    keys = pa.array(rng.integers(0, 40, n), [pa.int8(), pa.int32()][rng.integers(0, 2)])
    return pa.DictionaryArray.from_arrays(_with_nulls(rng, keys, "some" if mode == "all" else mode), words)


def table(seed, version=None):
    """A table of 1 to 6 random columns, all decided by `seed`, the same for all file versions."""
    rng = np.random.default_rng(seed)
    n = int(SIZES[rng.integers(0, len(SIZES))])
    return pa.table({f"f{i}": array(rng, n) for i in range(rng.integers(1, 7))})


def _plain(column):
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def difference(expected, got):
    """None if the tables hold the same values and types, else a line that says what differs."""
    if got.column_names != expected.column_names:
        return f"columns {got.column_names}, expected {expected.column_names}"
    if got.num_rows != expected.num_rows:
        return f"{got.num_rows} rows, expected {expected.num_rows}"
    for name in expected.column_names:
        want, have = expected[name], got[name]
        if want.type != have.type:
            return f"{name}: type {have.type}, expected {want.type}"
        if want.equals(have):
            continue
        want, have = _plain(want).to_pylist(), _plain(have).to_pylist()
        for i, (a, b) in enumerate(zip(want, have)):
            if repr(a) != repr(b):  # NaN is NaN
                return f"{name}, row {i}: {b!r:.200}, expected {a!r:.200}"
    return None
