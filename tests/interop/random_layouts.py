"""Random tables over what shapes pages: hints in the metadata of fields, packed structs, maps, blobs,
fixed-size lists of struct; each with nulls and nested in lists and structs."""

import numpy as np
import pyarrow as pa

import random_tables
from random_tables import NULL_MODES, SIZES

PREFIX = "lance-encoding:"
PACKED = {PREFIX + "packed": "true"}
BLOB = {PREFIX + "blob": "true"}

# What we refuse to write and the reference can neither, or reads wrong.
REFUSED = ("packed struct", "fixed-size list of structs", "structural-encoding", "profile small", "null struct")

_LEAF_HINTS = [
    ("compression", ["none", "lz4", "zstd", "fsst"]),
    ("compression-level", ["0", "3"]),
    ("rle-threshold", ["0.0", "0.5", "1.0"]),
    ("bss", ["on", "off", "auto"]),
    ("minichunk-size", ["64", "300", "2048", "40000"]),
    ("dict-divisor", ["1", "2", "100"]),
    ("dict-size-ratio", ["0.2", "0.99"]),
    ("dict-values-compression", ["none", "lz4", "zstd"]),
    ("profile", ["fast", "small"]),
]
_FIXED_MEMBERS = [pa.int8(), pa.uint16(), pa.int32(), pa.float64(), pa.timestamp("us"), pa.binary(3)]
_VARIABLE_MEMBERS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]


def hints(rng):
    """Settings for a leaf, often none."""
    out = {}
    for name, values in _LEAF_HINTS:
        if rng.random() < 0.2:
            out[PREFIX + name] = str(rng.choice(values))
    return out


def _mask(rng, n):
    mode = NULL_MODES[rng.choice(4, p=[0.4, 0.4, 0.1, 0.1])]
    share = {"none": 0.0, "some": 0.3, "few": 3.0 / max(n, 1), "all": 1.0}[mode]
    return None if share == 0 else pa.array(rng.random(n) < share)


def packed_struct(rng, n, variable, nullable=True):
    """Members can't be null, the struct can, but not in 2.0."""
    types = [_FIXED_MEMBERS[i] for i in rng.integers(0, len(_FIXED_MEMBERS), rng.integers(1, 4))]
    if variable:
        types += [_VARIABLE_MEMBERS[i] for i in rng.integers(0, 4, rng.integers(1, 3))]
        rng.shuffle(types)
    children = [random_tables.leaf(rng, n, type_) for type_ in types]
    if variable and rng.random() < 0.3:
        vectors = pa.FixedSizeListArray.from_arrays(random_tables.leaf(rng, n * 3, pa.float32()), 3)
        children.append(vectors)
    fields = [pa.field(f"m{i}", child.type) for i, child in enumerate(children)]
    mask = _mask(rng, n) if nullable else None
    return pa.StructArray.from_arrays(children, fields=fields, mask=mask)


def map_(rng, n):
    """No null has entries."""
    lengths = rng.integers(0, 4, n)
    mask = _mask(rng, n)
    if mask is not None:
        lengths[np.asarray(mask)] = 0
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    count = int(offsets[-1])
    keys = random_tables.leaf(rng, count, [pa.string(), pa.int32()][rng.integers(0, 2)])
    values = random_tables.array(rng, count, depth=2)
    fields = [pa.field("key", keys.type, nullable=False), pa.field("value", values.type)]
    entries = pa.StructArray.from_arrays([keys, values], fields=fields)
    bits = None if mask is None else pa.py_buffer(np.packbits(~np.asarray(mask), bitorder="little"))
    return pa.Array.from_buffers(
        pa.map_(keys.type, values.type), n, [bits, pa.py_buffer(offsets)], children=[entries]
    )


def fixed_lists_of_struct(rng, n):
    size = int(rng.integers(1, 4))
    members = [random_tables.leaf(rng, n * size, t) for t in (pa.int32(), pa.string())]
    items = pa.StructArray.from_arrays(members, ["x", "y"], mask=_mask(rng, n * size))
    return pa.FixedSizeListArray.from_arrays(items, size, mask=_mask(rng, n))


def _in_list(rng, n, make, field):
    """Lists of what `make(count)` makes; `field` gives the item its metadata."""
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))]).astype(np.int32)
    child = make(int(offsets[-1]))
    return pa.ListArray.from_arrays(
        pa.array(offsets), child, type=pa.list_(field.with_type(child.type)), mask=_mask(rng, n)
    )


def column(rng, n, name, version):
    """A field and its array."""
    since_2_2 = version not in ("2.0", "2.1")
    kind = rng.choice(["plain", "packed", "packed_var", "map", "fsl_struct"], p=[0.5, 0.2, 0.14, 0.1, 0.06])
    if not since_2_2 and kind not in ("plain", "packed"):
        kind = "packed"
    if kind in ("packed", "packed_var"):
        variable = kind == "packed_var"
        metadata = {**PACKED, **(hints(rng) if not variable else {})}
        nullable = version != "2.0"
        place = rng.integers(0, 3)
        if place == 0:
            array = packed_struct(rng, n, variable, nullable)
            return pa.field(name, array.type, metadata=metadata), array
        item = pa.field("item", pa.null(), metadata=PACKED)
        if place == 1:
            make = lambda count: packed_struct(rng, count, variable, nullable)  # noqa: E731
            array = _in_list(rng, n, make, item)
            return pa.field(name, array.type), array
        members = [packed_struct(rng, n, variable, nullable), random_tables.array(rng, n, depth=2)]
        fields = [item.with_name("p").with_type(members[0].type), pa.field("q", members[1].type)]
        mask = _mask(rng, n) if nullable else None
        array = pa.StructArray.from_arrays(members, fields=fields, mask=mask)
        return pa.field(name, array.type), array
    if kind == "map":
        array = map_(rng, n)
        return pa.field(name, array.type), array
    if kind == "fsl_struct":
        array = fixed_lists_of_struct(rng, n)
        return pa.field(name, array.type), array
    array = random_tables.array(rng, n, depth=int(rng.integers(0, 3)))
    metadata = hints(rng)
    if rng.random() < 0.3:
        choices = ["miniblock", "fullzip"] + (["sparse"] if version == "2.3" else [])
        metadata[PREFIX + "structural-encoding"] = str(rng.choice(choices))
    return pa.field(name, array.type, metadata=metadata), array


def table(seed, version):
    """1 to 4 columns; a fixed-size list of struct stands alone, as the reference can't read it beside
    others."""
    rng = np.random.default_rng(seed)
    n = int(SIZES[rng.integers(0, len(SIZES))])
    columns = [column(rng, n, f"f{i}", version) for i in range(rng.integers(1, 5))]
    alone = [c for c in columns if pa.types.is_fixed_size_list(c[0].type) and pa.types.is_struct(c[0].type.value_type)]
    if alone:
        columns = alone[:1]
    return pa.table([array for _, array in columns], schema=pa.schema([field for field, _ in columns]))


def blobs(seed):
    """Values of a blob column of random sizes, with nulls and empty ones."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 5, 60, 1025]))
    sizes = rng.choice([0, 1, 30, 500, 4000], n)
    if n <= 60:
        sizes = rng.choice([0, 1, 100, 5000, 70000, 300000], n)
    values = [rng.bytes(int(size)) for size in sizes]
    share = rng.choice([0.0, 0.3, 1.0], p=[0.3, 0.6, 0.1])
    return [None if rng.random() < share else value for value in values]
