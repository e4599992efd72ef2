"""Arrays of every storable kind with edges on purpose, made from a seed."""

import decimal
import string

import numpy as np
import pyarrow as pa

WORDS = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
         "sigma tau upsilon phi chi psi omega flight carrier airport delay weather engine").split()


class Generator:
    """Makes arrays of `n` rows with about `nulls` (0 … 1) of the slots of each level null."""

    def __init__(self, seed, nulls):
        self.rng = np.random.default_rng(seed)
        self.nulls = nulls

    def mask(self, n):
        if self.nulls == 0:
            return None
        if self.nulls == 1:
            return np.ones(n, dtype=bool)
        return self.rng.random(n) < self.nulls

    def valid_buffer(self, n):
        mask = self.mask(n)
        if mask is None:
            return None
        return pa.py_buffer(np.packbits(~mask, bitorder="little"))

    def fixed(self, values, type_):
        """`values` keep their bytes under nulls."""
        values = np.ascontiguousarray(values)
        n = len(values)
        return pa.Array.from_buffers(type_, n, [self.valid_buffer(n), pa.py_buffer(values)])

    def ints(self, n, dtype, low=None, high=None):
        info = np.iinfo(dtype)
        return self.rng.integers(info.min if low is None else low, info.max if high is None else high,
                                 n, dtype=dtype, endpoint=True)

    def runs(self, n, values):
        out = np.repeat(values, self.rng.integers(1, 600, len(values)))
        while len(out) < n:
            out = np.concatenate([out, out])
        return out[:n]

    def strings(self, n, type_, make):
        values = [make(i) for i in range(n)]
        return pa.array(values, type=type_, mask=self.mask(n))

    def words(self, count):
        return " ".join(self.rng.choice(WORDS, count))

    def lists(self, n, make_child, large=False, longest=5, empty=0.1):
        """Null lists have no items; children are whatever `make_child(count)` makes."""
        lengths = self.rng.integers(1, longest, n, endpoint=True) if longest else np.zeros(n, int)
        if empty:
            lengths[self.rng.random(n) < empty] = 0
        mask = self.mask(n)
        if mask is not None:
            lengths[mask] = 0
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        child = make_child(int(offsets[-1]))
        validity = None if mask is None else pa.py_buffer(np.packbits(~mask, bitorder="little"))
        type_ = (pa.large_list if large else pa.list_)(child.type)
        width = np.int64 if large else np.int32
        return pa.Array.from_buffers(type_, n, [validity, pa.py_buffer(offsets.astype(width))],
                                     children=[child])

    def lists_with_garbage(self, n, make_child):
        """Null lists have a length, and there are items before and after those in use."""
        lengths = self.rng.integers(0, 4, n)
        offsets = np.concatenate([[3], 3 + np.cumsum(lengths)]).astype(np.int32)
        child = make_child(int(offsets[-1]) + 5)
        return pa.Array.from_buffers(pa.list_(child.type), n,
                                     [self.valid_buffer(n), pa.py_buffer(offsets)],
                                     children=[child])

    def struct(self, n, **children):
        """Members of null structs keep their values."""
        names = list(children)
        arrays = [make(n) for make in children.values()]
        type_ = pa.struct([(name, array.type) for name, array in zip(names, arrays)])
        return pa.Array.from_buffers(type_, n, [self.valid_buffer(n)], children=arrays)

    def fixed_lists(self, n, child, size):
        type_ = pa.list_(child.type, size)
        return pa.Array.from_buffers(type_, n, [self.valid_buffer(n)], children=[child])

    def maps(self, n):
        lengths = self.rng.integers(0, 4, n)
        mask = self.mask(n)
        if mask is not None:
            lengths[mask] = 0
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        count = int(offsets[-1])
        keys = pa.array([f"key{self.rng.integers(50)}" for _ in range(count)], pa.string())
        entries = pa.StructArray.from_arrays(
            [keys, self.int32(count)],
            fields=[pa.field("key", pa.string(), nullable=False), pa.field("value", pa.int32())])
        validity = None if mask is None else pa.py_buffer(np.packbits(~mask, bitorder="little"))
        return pa.Array.from_buffers(pa.map_(pa.string(), pa.int32()), n,
                                     [validity, pa.py_buffer(offsets)], children=[entries])

    def dictionary(self, n, index_type, values):
        keys = self.rng.integers(0, len(values), n)
        keys = pa.array(keys, index_type, mask=self.mask(n))
        return pa.DictionaryArray.from_arrays(keys, values)

    def int32(self, n):
        return self.fixed(self.ints(n, np.int32, -5, 1000), pa.int32())

    def text(self, n):
        return self.strings(n, pa.string(), lambda i: self.words(self.rng.integers(0, 8)))


def _decimals(g, n):
    values = [decimal.Decimal(int(v)).scaleb(-3) for v in g.ints(n, np.int64)]
    return pa.array(values, pa.decimal128(30, 3), mask=g.mask(n))


KINDS = {
    "int8": lambda g, n: g.fixed(g.ints(n, np.int8), pa.int8()),
    "uint8_small": lambda g, n: g.fixed(g.ints(n, np.uint8, 0, 6), pa.uint8()),
    "int16": lambda g, n: g.fixed(g.ints(n, np.int16), pa.int16()),
    "uint16_small": lambda g, n: g.fixed(g.ints(n, np.uint16, 0, 500), pa.uint16()),
    "int32": lambda g, n: g.fixed(g.ints(n, np.int32), pa.int32()),
    "int32_small": lambda g, n: g.fixed(g.ints(n, np.int32, 0, 999), pa.int32()),
    "int32_runs": lambda g, n: g.fixed(g.runs(n, g.ints(n // 300 + 1, np.int32)), pa.int32()),
    "int32_mixed_sign": lambda g, n: g.fixed(g.ints(n, np.int32, -9, 9), pa.int32()),
    "int32_constant": lambda g, n: g.fixed(np.full(n, 7, np.int32), pa.int32()),
    "int64": lambda g, n: g.fixed(g.ints(n, np.int64), pa.int64()),
    "int64_sorted": lambda g, n: g.fixed(np.arange(n, dtype=np.int64) * 3, pa.int64()),
    "int64_few": lambda g, n: g.fixed(g.rng.choice(g.ints(20, np.int64), n), pa.int64()),
    "int64_many": lambda g, n: g.fixed(g.rng.choice(g.ints(max(1, n // 7), np.int64), n), pa.int64()),
    "uint64_runs": lambda g, n: g.fixed(g.runs(n, g.ints(n // 300 + 1, np.uint64)), pa.uint64()),
    "float16": lambda g, n: g.fixed(g.rng.standard_normal(n).astype(np.float16), pa.float16()),
    "float32": lambda g, n: g.fixed(g.rng.standard_normal(n).astype(np.float32), pa.float32()),
    "float64": lambda g, n: g.fixed(g.rng.standard_normal(n), pa.float64()),
    "float64_prices": lambda g, n: g.fixed(np.round(g.rng.random(n) * 50, 2), pa.float64()),
    "float64_runs": lambda g, n: g.fixed(g.runs(n, g.rng.standard_normal(300)), pa.float64()),
    "float64_constant": lambda g, n: g.fixed(np.full(n, 2.5), pa.float64()),
    "bool": lambda g, n: pa.array(g.rng.random(n) < 0.5, mask=g.mask(n)),
    "bool_constant": lambda g, n: pa.array(np.ones(n, bool), mask=g.mask(n)),
    "date32": lambda g, n: g.fixed(g.ints(n, np.int32, 10000, 20000), pa.date32()),
    "date64": lambda g, n: g.fixed(g.ints(n, np.int64, 10000, 20000) * 86400000, pa.date64()),
    "time32": lambda g, n: g.fixed(g.ints(n, np.int32, 0, 86399), pa.time32("s")),
    "time64": lambda g, n: g.fixed(g.ints(n, np.int64, 0, 86399999999), pa.time64("us")),
    "timestamp": lambda g, n: g.fixed(g.ints(n, np.int64, 0, 2**50), pa.timestamp("us", "UTC")),
    "duration": lambda g, n: g.fixed(g.ints(n, np.int64, 0, 2**40), pa.duration("ms")),
    "decimal128": _decimals,
    "decimal128_few": lambda g, n: g.fixed(
        g.rng.choice(np.array([b"%016d" % i for i in range(40)]), n), pa.decimal128(38, 2)),
    "decimal256": lambda g, n: g.fixed(g.ints(n * 4, np.int64, 0, 9).reshape(n, 4), pa.decimal256(70, 2)),
    "binary_16": lambda g, n: g.fixed(g.ints(n * 16, np.uint8).reshape(n, 16), pa.binary(16)),
    "binary_3": lambda g, n: g.fixed(g.ints(n * 3, np.uint8).reshape(n, 3), pa.binary(3)),
    "binary_300": lambda g, n: g.fixed(g.ints(n * 300, np.uint8).reshape(n, 300), pa.binary(300)),
    "binary_40_constant": lambda g, n: g.fixed(np.full((n, 40), 9, np.uint8), pa.binary(40)),
    "string_words": lambda g, n: g.text(n),
    "string_unique": lambda g, n: g.strings(
        n, pa.string(), lambda i: f"user-{i:08d}@{g.rng.choice(WORDS)}.example.com"),
    "string_few": lambda g, n: g.strings(n, pa.string(), lambda i: str(g.rng.choice(WORDS))),
    "string_empty": lambda g, n: g.strings(n, pa.string(), lambda i: ""),
    "string_constant": lambda g, n: g.strings(n, pa.string(), lambda i: "hello"),
    "string_random": lambda g, n: g.strings(
        n, pa.string(), lambda i: "".join(g.rng.choice(list(string.printable), 12))),
    "large_string": lambda g, n: g.strings(n, pa.large_string(), lambda i: g.words(5)),
    "string_long": lambda g, n: g.strings(n, pa.string(), lambda i: g.words(g.rng.integers(1, 120))),
    "large_string_long": lambda g, n: g.strings(n, pa.large_string(), lambda i: g.words(80)),
    "binary": lambda g, n: g.strings(n, pa.binary(), lambda i: g.rng.bytes(20)),
    "binary_long": lambda g, n: g.strings(n, pa.binary(), lambda i: g.rng.bytes(g.rng.integers(0, 800))),
    "large_binary": lambda g, n: g.strings(n, pa.large_binary(), lambda i: g.rng.bytes(7)),
    "string_view": lambda g, n: g.text(n).cast(pa.string_view()),
    "null": lambda g, n: pa.nulls(n),
    "fsl_float32_4": lambda g, n: g.fixed_lists(
        n, pa.array(g.rng.random(n * 4, dtype=np.float32)), 4),
    "fsl_float32_4_item_nulls": lambda g, n: g.fixed_lists(
        n, g.fixed(g.rng.random(n * 4, dtype=np.float32), pa.float32()), 4),
    "fsl_float32_96": lambda g, n: g.fixed_lists(
        n, pa.array(g.rng.random(n * 96, dtype=np.float32)), 96),
    "fsl_float32_96_item_nulls": lambda g, n: g.fixed_lists(
        n, g.fixed(g.rng.random(n * 96, dtype=np.float32), pa.float32()), 96),
    "fsl_float16_768": lambda g, n: g.fixed_lists(
        n, pa.array(g.rng.random(n * 768, dtype=np.float32).astype(np.float16)), 768),
    "fsl_bool_12": lambda g, n: g.fixed_lists(
        n, pa.array(g.rng.random(n * 12) < 0.5, mask=g.mask(n * 12)), 12),
    "fsl_fsl_int16": lambda g, n: g.fixed_lists(
        n, g.fixed_lists(n * 2, g.fixed(g.ints(n * 6, np.int16), pa.int16()), 3), 2),
    "struct": lambda g, n: g.struct(n, a=g.int32, b=g.text),
    "struct_struct": lambda g, n: g.struct(
        n, a=g.int32, b=lambda m: g.struct(m, c=g.text, d=lambda k: g.fixed(
            g.rng.standard_normal(k), pa.float64()))),
    "list_int32": lambda g, n: g.lists(n, g.int32),
    "list_int32_full": lambda g, n: g.lists(n, g.int32, empty=0),
    "list_int32_sparse": lambda g, n: g.lists(n, g.int32, empty=0.97),
    "list_int32_long": lambda g, n: g.lists(n, g.int32, longest=300),
    "list_all_empty": lambda g, n: g.lists(n, g.int32, longest=0),
    "list_garbage": lambda g, n: g.lists_with_garbage(n, g.int32),
    "large_list_string": lambda g, n: g.lists(n, g.text, large=True),
    "list_list_int64": lambda g, n: g.lists(n, lambda m: g.lists(m, lambda k: g.fixed(
        g.ints(k, np.int64), pa.int64()))),
    "list_struct": lambda g, n: g.lists(n, lambda m: g.struct(m, a=g.int32, b=g.text)),
    "struct_list_struct_list": lambda g, n: g.struct(n, l=lambda m: g.lists(
        m, lambda k: g.struct(k, x=g.int32, y=lambda j: g.lists(j, g.int32)))),
    "list_long_string": lambda g, n: g.lists(n, lambda m: g.strings(
        m, pa.string(), lambda i: g.words(70)), longest=3),
    "list_fsl": lambda g, n: g.lists(n, lambda m: g.fixed_lists(
        m, pa.array(g.rng.random(m * 100, dtype=np.float32)), 100), longest=2),
    "list_null": lambda g, n: g.lists(n, lambda m: pa.nulls(m)),
    "list_bool": lambda g, n: g.lists(n, lambda m: pa.array(g.rng.random(m) < 0.5, mask=g.mask(m))),
    "dictionary_int8": lambda g, n: g.dictionary(n, pa.int8(), pa.array(WORDS)),
    "dictionary_int32": lambda g, n: g.dictionary(n, pa.int32(), pa.array(
        [g.words(3) for _ in range(500)])),
    "dictionary_int64_values": lambda g, n: g.dictionary(n, pa.uint16(), pa.array(g.ints(99, np.int64))),
    "dictionary_null_values": lambda g, n: g.dictionary(n, pa.int16(), pa.array(["a", None, "c"])),
    "list_dictionary": lambda g, n: g.lists(n, lambda m: g.dictionary(m, pa.int16(), pa.array(WORDS))),
    "map": lambda g, n: g.maps(n),
    "struct_map": lambda g, n: g.struct(n, m=g.maps, i=g.int32),
    "fsl_struct": lambda g, n: g.fixed_lists(n, g.struct(n * 3, a=g.int32, b=g.text), 3),
}

# What only file version 2.2 stores.
KINDS_SINCE_2_2 = {"map", "struct_map", "fsl_struct"}


def make(kind, n, nulls, seed):
    return KINDS[kind](Generator(seed, nulls), n)
