"""Fixed-size lists of structs inside and around lists and maps (2.3 only): random types and nulls at all
levels, ours read by pylance, its files read by us, and what it lists of the structure.

LANCE_INTEROP_SEEDS sets how many are tried (default 40); a failure names its seed.
"""

import os

import numpy as np
import pyarrow as pa
import pytest

import random_layouts
import random_tables

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))
PACKED = {"lance-encoding:packed": "true"}


def _mask(rng, n):
    share = rng.choice([0.0, 0.2, 0.9, 1.0], p=[0.4, 0.4, 0.15, 0.05])
    return None if share == 0 else pa.array(rng.random(n) < share)


def _leaf(rng, n):
    kind = rng.integers(0, 6)
    if kind == 0:
        values = pa.array(["ant", "bee", "a longer one", ""])
        keys = pa.array(rng.integers(0, 4, n), pa.int8(), mask=np.array(rng.random(n) < 0.2))
        return pa.field("leaf", pa.dictionary(pa.int8(), pa.string())), pa.DictionaryArray.from_arrays(keys, values)
    if kind == 1:
        array = random_layouts.packed_struct(rng, n, variable=bool(rng.integers(0, 2)))
        return pa.field("leaf", array.type, metadata=PACKED), array
    if kind == 2:
        size = int(rng.choice([2, 100]))
        array = pa.FixedSizeListArray.from_arrays(
            random_tables.leaf(rng, n * size, pa.float32()), size, mask=_mask(rng, n)
        )
    else:
        array = random_tables.array(rng, n, depth=0)
    return pa.field("leaf", array.type), array


def _list(rng, n, child, field, large):
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))])
    offsets = np.minimum(offsets, len(child))
    type_ = (pa.large_list if large else pa.list_)(field.with_type(child.type))
    made = pa.LargeListArray if large else pa.ListArray
    return made.from_arrays(
        pa.array(offsets, pa.int64() if large else pa.int32()), child, type=type_, mask=_mask(rng, n)
    )


def nested(rng, n, kinds):
    """What the kinds say, outermost first: l(ist), L(arge list), v(ector of structs), s(truct), m(ap)."""
    if not kinds:
        return _leaf(rng, n)
    kind, rest = kinds[0], kinds[1:]
    if kind in "lL":
        field, child = nested(rng, n * 2, rest)
        array = _list(rng, n, child, field, kind == "L")
    elif kind == "m":
        field, child = nested(rng, n * 2, rest)
        offsets = np.minimum(np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))]), len(child))
        keys = pa.array([f"k{i}" for i in range(len(child))])
        type_ = pa.map_(pa.string(), field.with_name("value"))
        array = pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, child, type=type_, mask=_mask(rng, n))
    else:
        size = int(rng.integers(1, 4)) if kind == "v" else 1
        members = [nested(rng, n * size, rest)]
        if rng.random() < 0.5:
            members.append(_leaf(rng, n * size))
        fields = [field.with_name(f"m{i}") for i, (field, _) in enumerate(members)]
        array = pa.StructArray.from_arrays(
            [child for _, child in members], fields=fields, mask=_mask(rng, n * size)
        )
        if kind == "v":
            array = pa.FixedSizeListArray.from_arrays(array, size, mask=_mask(rng, n))
    return pa.field("item", array.type), array


def table(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 7, 100, 1023, 1025, 4097]))
    kinds = "".join(rng.choice(list("lLmvs"), rng.integers(0, 3)))
    at = int(rng.integers(0, len(kinds) + 1))
    kinds = kinds[:at] + str(rng.choice(["lv", "Lv", "vl", "vm", "vsl", "lvl", "vlv"])) + kinds[at:]
    field, array = nested(rng, n, kinds)
    return pa.table([array], schema=pa.schema([field.with_name("c")]))


def write(module, path, data, batch_rows):
    with module.LanceFileWriter(path, data.schema, version="2.3") as writer:
        for batch in data.to_batches(max_chunksize=batch_rows):
            writer.write_batch(batch)


def same(expected, got, what):
    difference = random_tables.difference(expected, got)
    assert difference is None, f"{what}: {difference}"


def check(module, path, expected, seed):
    rng = np.random.default_rng(seed)
    n = expected.num_rows
    same(expected, module.LanceFileReader(path).read_all().to_table(), "all rows")
    start = int(rng.integers(0, n))
    part = module.LanceFileReader(path).read_range(start, min(50, n - start)).to_table()
    same(expected.slice(start, 50), part, f"50 rows from {start}")
    picked = sorted(set(rng.integers(0, n, min(n, 30)).tolist()))
    taken = module.LanceFileReader(path).take_rows(picked).to_table()
    same(expected.take(pa.array(picked)), taken, f"rows {picked}")


@pytest.mark.parametrize("seed", SEEDS)
def test_random(seed, tmp_path, pylance, lancecpp):
    import lance.file
    import lancecpp.file

    data = table(seed)
    ours, theirs = str(tmp_path / "ours.lance"), str(tmp_path / "theirs.lance")
    rows = data.num_rows // (1 + seed % 3) + 1
    write(lancecpp.file, ours, data, rows)
    check(lancecpp.file, ours, data, seed)
    try:
        write(lance.file, theirs, data, rows)
        check(lance.file, theirs, data, seed)
    except BaseException as error:  # the reference panics on some of its own
        reference = str(error)
    else:
        reference = ""
        check(lancecpp.file, theirs, data, seed)
    try:
        check(lance.file, ours, data, seed)
    except BaseException as error:
        assert reference, error
        pytest.skip(f"pylance can't: {reference!s:.200}")
