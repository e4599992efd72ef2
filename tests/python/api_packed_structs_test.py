"""Members of packed structs, which are stored together: read alone, in conditions and expressions.

pylance finds the wrong values, or none, where members are not all of one width.
"""

import random

import pyarrow as pa
import pytest

PACKED = {"lance-encoding:packed": "true"}
FIXED = {"i": pa.int32(), "l": pa.int64(), "d": pa.float64()}
MEMBERS = {
    "2.0": FIXED,
    "2.1": FIXED,
    "2.2": FIXED | {"s": pa.string(), "v": pa.list_(pa.float32(), 3)},
    "2.3": FIXED | {"s": pa.string(), "v": pa.list_(pa.float32(), 3)},
}


def value(rng, type):
    if pa.types.is_fixed_size_list(type):
        return [rng.random() for _ in range(type.list_size)]
    if pa.types.is_string(type):
        return "s" * rng.randrange(20)
    return rng.randrange(100)


def packed(rng, version, rows):
    members = MEMBERS[version]
    can_be_null = version != "2.0"
    values = [
        None if can_be_null and rng.random() < 0.2 else {m: value(rng, t) for m, t in members.items()}
        for _ in range(rows)
    ]
    return pa.array(values, pa.struct(members.items()))


def table_of(rng, version, rows):
    array = packed(rng, version, rows)
    fields = [pa.field("n", pa.int64()), pa.field("p", array.type, metadata=PACKED)]
    return pa.table([pa.array(range(rows)), array], schema=pa.schema(fields))


def write(lancecpp, data, path, version, **options):
    semantic = {"semantic_types": False} if version == "2.3" else {}
    return lancecpp.write_dataset(
        data, path, data_storage_version=version, max_rows_per_file=700, **semantic, **options
    )


@pytest.mark.parametrize("version", MEMBERS)
@pytest.mark.parametrize("seed", range(3))
def test_members_are_read_alone(lancecpp, path, version, seed):
    rng = random.Random(seed)
    data = table_of(rng, version, rng.choice([1, 900, 3000]))
    table = write(lancecpp, data, path, version)
    structs = data["p"].to_pylist()
    names = list(MEMBERS[version])
    for member in names:
        wanted = [row and row[member] for row in structs]
        read = table.to_table(columns=[f"p.{member}"])
        assert read.schema.names == [f"p.{member}"]
        assert read.column(0).to_pylist() == wanted
        # What a struct holds that is null doesn't show.
        assert table.to_table(columns={"x": f"p.{member}"})["x"].to_pylist() == wanted
        rows = [rng.randrange(len(data)) for _ in range(20)]
        taken = table.take(rows, columns=[f"p.{member}", "n"])
        assert taken["p"].type == pa.struct({member: MEMBERS[version][member]})
        assert taken["p"].to_pylist() == [structs[r] and {member: structs[r][member]} for r in rows]
    some = rng.sample(names, 2)
    read = table.to_table(columns=["n"] + [f"p.{m}" for m in some], filter="p.l >= 50")
    kept = [(n, row) for n, row in enumerate(structs) if row and row["l"] >= 50]
    assert read["n"].to_pylist() == [n for n, _ in kept]
    for member in some:
        assert read[f"p.{member}"].to_pylist() == [row[member] for _, row in kept]
    assert table.count_rows("p.i < 10 OR p IS NULL") == sum(
        row is None or row["i"] < 10 for row in structs
    )
    assert table.to_table(columns=["p", "p.l"])["p"].combine_chunks().equals(
        data["p"].combine_chunks()
    )


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
def test_members_of_packed_structs_inside_of_others(lancecpp, path, version):
    rng = random.Random(5)
    inner = packed(rng, version, 2000)
    field = pa.field("p", inner.type, metadata=PACKED)
    outer = pa.StructArray.from_arrays(
        [inner, pa.array(range(2000))],
        fields=[field, pa.field("k", pa.int64())],
        mask=pa.array([rng.random() < 0.1 for _ in range(2000)]),
    )
    item = pa.field("item", inner.type, metadata=PACKED)
    lists = pa.ListArray.from_arrays(pa.array([0] + list(range(1, 2001)), pa.int32()), inner)
    data = pa.table({"o": outer, "a": lists.cast(pa.list_(item))})
    table = write(lancecpp, data, path, version)
    wanted = [row and row["p"] and row["p"]["l"] for row in outer.to_pylist()]
    assert table.to_table(columns=["o.p.l"])["o.p.l"].to_pylist() == wanted
    assert table.to_table(columns={"x": "o.p.l + 1"}).to_pydict() == {
        "x": [v if v is None else v + 1 for v in wanted]
    }
    taken = table.take([3, 1999, 4], columns=["o.p.d", "o.k"])["o"].to_pylist()
    assert taken == [
        row and {"p": row["p"] and {"d": row["p"]["d"]}, "k": row["k"]}
        for row in outer.take([3, 1999, 4]).to_pylist()
    ]
    taken = table.take([7, 8], columns=["a.item.i"])["a"].to_pylist()
    assert taken == [
        [item and {"i": item["i"]} for item in row] for row in lists.slice(7, 2).to_pylist()
    ]


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_changes_that_look_at_members(lancecpp, path, version):
    data = table_of(random.Random(1), version, 1000)
    table = write(lancecpp, data, path, version)
    numbers = [row and row["l"] for row in data["p"].to_pylist()]
    table.add_columns({"twice": "p.l * 2"})
    assert table.to_table()["twice"].to_pylist() == [n if n is None else n * 2 for n in numbers]
    table.update({"n": "p.l"}, where="p.l > 90")
    table.delete("p.l < 50")
    left = [(n, v) for n, v in enumerate(numbers) if v is None or v >= 50]
    assert sorted(table.to_table()["n"].to_pylist()) == sorted(
        v if v is not None and v > 90 else n for n, v in left
    )
    assert table.validate() is None


def test_packed_structs_keep_their_members(lancecpp, path):
    """A part of a packed struct can't be taken away or cast: the files would not fit any more."""
    table = write(lancecpp, table_of(random.Random(1), "2.1", 10), path, "2.1")
    before = table.to_table()
    with pytest.raises(ValueError, match="stored together"):
        table.drop_columns(["p.i"])
    with pytest.raises(OSError, match="stored together"):
        table.alter_columns({"path": "p.i", "data_type": pa.int64()})
    assert table.version == 1
    assert table.to_table() == before
    table.alter_columns({"path": "p.i", "name": "number"})
    assert table.to_table(columns=["p.number"])["p.number"].to_pylist() == [
        row and row["i"] for row in before["p"].to_pylist()
    ]
    table.drop_columns(["p.number", "p.l", "p.d"])
    assert table.schema.names == ["n"]


def test_blobs_keep_their_members(lancecpp, path):
    blobs = lancecpp.blob_array([b"abc", None])
    table = lancecpp.write_dataset(
        pa.table({"n": [1, 2], "b": blobs}), path, data_storage_version="2.2"
    )
    with pytest.raises(ValueError, match="stored together"):
        table.drop_columns(["b.data"])
    assert table.version == 1


@pytest.mark.parametrize("version", MEMBERS)
def test_the_table_says_what_is_packed(lancecpp, path, version):
    """Data whose fields don't say so, or have their members in another order, is as good."""
    rng = random.Random(2)
    data = table_of(rng, version, 100)
    table = write(lancecpp, data, path, version)
    members = list(MEMBERS[version])[::-1]
    plain = pa.array(data["p"].to_pylist(), pa.struct([(m, MEMBERS[version][m]) for m in members]))
    table.insert(pa.table({"n": range(100, 200), "p": plain}))
    source = pa.table({"n": range(50, 250), "p": pa.chunked_array([plain, plain])})
    table.merge_insert("n").when_matched_update_all().when_not_matched_insert_all().execute(source)
    assert table.schema.field("p").metadata[b"lance-encoding:packed"] == b"true"
    rows = data["p"].to_pylist()
    wanted = rows[:50] + rows + rows
    read = table.to_table().sort_by("n")
    assert read["n"].to_pylist() == list(range(250))
    assert read["p"].to_pylist() == wanted
    # The other way round the table isn't packed, and stays so.
    other = write(lancecpp, data.replace_schema_metadata(None).cast(unpacked(data.schema)), path + "2", version)
    other.insert(data)
    assert other.schema.field("p").metadata is None
    assert other.to_table()["p"].to_pylist() == rows + rows
    assert len(other.to_table(columns=["p.l"])) == 200


def unpacked(schema):
    return pa.schema([field.remove_metadata() for field in schema])


def test_data_that_lacks_members_is_refused(lancecpp, path):
    table = write(lancecpp, table_of(random.Random(2), "2.1", 5), path, "2.1")
    with pytest.raises(OSError, match="'p' should have all members of .*stored together"):
        table.insert(pa.table({"n": [1], "p": [{"i": 1}]}, schema=pa.schema(
            {"n": pa.int64(), "p": pa.struct({"i": pa.int32()})})))
    with pytest.raises(OSError, match="'p.i' should have type int32, but the data has string"):
        table.insert(pa.table({"n": [1], "p": [{"i": "1", "l": 1, "d": 0.5}]}))
