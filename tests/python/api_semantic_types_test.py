"""Tables with semantic types: any layout of a value is accepted, reads choose theirs.

The contract's points of validation and its rows of failures; docs/semantic-types.md is its page for
users.
"""

import decimal
import glob
import json
import os
import re
import warnings

import pyarrow as pa
import pyarrow.compute as pc
import pytest

KEY = b"lance-schema:output-encoding"
FLAG = 1 << 48

LAYOUTS = {
    "utf8": pa.string(),
    "large_utf8": pa.large_string(),
    "utf8_view": pa.string_view(),
    "dictionary:int8:utf8": pa.dictionary(pa.int8(), pa.string()),
    "dictionary:int32:large_utf8": pa.dictionary(pa.int32(), pa.large_string()),
}
BINARY_LAYOUTS = {
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
    "dictionary:uint16:binary": pa.dictionary(pa.uint16(), pa.binary()),
}


def strings(values, type):
    """An array of any layout of strings or binary values."""
    if pa.types.is_dictionary(type):
        plain = pa.array(values, type.value_type)
        encoded = plain.dictionary_encode()
        return pa.DictionaryArray.from_arrays(encoded.indices.cast(type.index_type), encoded.dictionary)
    return pa.array(values, type)


def json_column(texts, storage=pa.string()):
    return pa.ExtensionArray.from_storage(pa.json_(storage), pa.array(texts, storage))


def decimals(values, type):
    return pa.array([None if v is None else decimal.Decimal(v) for v in values], type)


def plain(column):
    return column.to_pylist()


def flags(path):
    """Both words of the newest manifest, as a reader of the wire sees them."""
    newest = sorted(glob.glob(f"{path}/_versions/*.manifest"))[0]
    with open(newest, "rb") as file:
        content = file.read()
    position = int.from_bytes(content[-16:-8], "little")
    length = int.from_bytes(content[position : position + 4], "little")
    words = {}
    at, end = position + 4, position + 4 + length
    while at < end:
        tag, at = varint(content, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            words[number], at = varint(content, at)
        elif kind == 2:
            size, at = varint(content, at)
            at += size
        else:
            at += 8 if kind == 1 else 4
    return words.get(9, 0), words.get(10, 0)


def varint(content, at):
    value, shift = 0, 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def set_flag(path):
    """As another writer may have left a table: with the flag, but the names of before."""
    reader, writer = flags(path)
    newest = sorted(glob.glob(f"{path}/_versions/*.manifest"))[0]
    with open(newest, "rb") as file:
        content = file.read()
    position = int.from_bytes(content[-16:-8], "little")
    length = int.from_bytes(content[position : position + 4], "little")
    end = position + 4 + length
    both = b"\x48" + as_varint(reader | FLAG) + b"\x50" + as_varint(writer | FLAG)
    with open(newest, "wb") as file:
        file.write(content[:position] + (length + len(both)).to_bytes(4, "little") + content[position + 4 : end] + both + content[end:])


def as_varint(value):
    groups = [value >> shift & 0x7F for shift in range(0, 64, 7)]
    last = max(i for i, group in enumerate(groups) if group)
    return bytes([group | 0x80 for group in groups[:last]] + [groups[last]])


def logical_types(path):
    """The names in the newest manifest."""
    newest = sorted(glob.glob(f"{path}/_versions/*.manifest"))[0]
    with open(newest, "rb") as file:
        content = file.read()
    position = int.from_bytes(content[-16:-8], "little")
    length = int.from_bytes(content[position : position + 4], "little")
    at, end, names = position + 4, position + 4 + length, []
    while at < end:
        tag, at = varint(content, at)
        if tag & 7 == 0:
            _, at = varint(content, at)
            continue
        size, at = varint(content, at) if tag & 7 == 2 else ((8 if tag & 7 == 1 else 4), at)
        if tag == 1 << 3 | 2:
            names.append(text_of(content[at : at + size], 5))
        at += size
    return names


def text_of(message, number):
    """The text of a field of a message."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        size, at = varint(message, at) if tag & 7 in (0, 2) else ((8 if tag & 7 == 1 else 4), at)
        if tag & 7 == 0:
            continue
        if tag == number << 3 | 2:
            return message[at : at + size].decode()
        at += size
    return ""


def is_flagged(path):
    reader, writer = flags(path)
    assert (reader & FLAG) == (writer & FLAG)
    return bool(reader & FLAG)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "table")


# ---- appends of all layouts, reads in any


@pytest.mark.parametrize("layouts", [LAYOUTS, BINARY_LAYOUTS], ids=["string", "binary"])
@pytest.mark.parametrize("first", range(5))
def test_layouts_across_fragments(lancecpp, path, layouts, first):
    names = list(layouts)
    if first >= len(names):
        pytest.skip("fewer layouts")
    names = names[first:] + names[:first]
    values = [["a", None, "long enough to be no inline view", "a"], ["", "b"], [None], ["c"] * 3, ["é", "a"]]
    if layouts is BINARY_LAYOUTS:
        values = [[None if v is None else v.encode() for v in row] for row in values]
    for name, row in zip(names, values):
        data = pa.table({"x": strings(row, layouts[name])})
        mode = "create" if name == names[0] else "append"
        dataset = lancecpp.write_dataset(data, path, mode=mode, semantic_types=None if mode == "append" else True)
    want = [value for row in values[: len(names)] for value in row]
    assert len(dataset.get_fragments()) == len(names)
    # The layout of the first write is that of reads; appends don't change it.
    assert dataset.schema.field("x").type == layouts[names[0]]
    assert KEY not in (dataset.schema.field("x").metadata or {})
    table = dataset.to_table()
    assert table.schema.field("x").type == layouts[names[0]]
    assert plain(table["x"]) == want
    for name, type in layouts.items():
        table = dataset.to_table(output_encodings={"x": name})
        assert table.schema.field("x").type == type
        table.validate(full=True)
        assert plain(table["x"]) == want
        taken = dataset.take([len(want) - 1, 0, 2, 0], output_encodings={"x": name})
        assert taken.schema.field("x").type == type
        assert plain(taken["x"]) == [want[-1], want[0], want[2], want[0]]
        assert plain(dataset.head(3, output_encodings={"x": name})["x"]) == want[:3]
        batches = list(dataset.to_batches(output_encodings={"x": name}, batch_size=2))
        assert {batch.schema.field("x").type for batch in batches} == {type}
        assert [v for batch in batches for v in plain(batch["x"])] == want
        fragment = dataset.get_fragments()[0]
        assert fragment.take([1], output_encodings={"x": name}).schema.field("x").type == type
        table = fragment.to_table(output_encodings={"x": name})
        assert table.schema.field("x").type == type and plain(table["x"]) == values[0]
    # Conditions see the values, whatever their layout.
    some = "b" if layouts is LAYOUTS else None
    if some is not None:
        for name in layouts:
            got = dataset.to_table(filter="x = 'b'", output_encodings={"x": name})
            assert plain(got["x"]) == ["b"] and got.schema.field("x").type == layouts[name]
            got = dataset.scanner(filter=pc.field("x") == "a").to_table()
            assert plain(got["x"]) == ["a", "a", "a"][: want.count("a")]


def test_lists_and_nested_fields(lancecpp, path):
    rows = [[["x", None], None, []], [["y"]]]
    lists = pa.array(rows[0], pa.list_(pa.string()))
    large = pa.array(rows[1], pa.large_list(pa.large_string()))
    struct = lambda items: pa.StructArray.from_arrays([items, pa.array(range(len(items)))], ["l", "n"])
    lancecpp.write_dataset(pa.table({"l": lists, "s": struct(lists)}), path, semantic_types=True)
    dataset = lancecpp.write_dataset(pa.table({"l": large, "s": struct(large)}), path, mode="append")
    want = rows[0] + rows[1]
    encodings = {"l": "large_list", "l.item": "utf8_view", "s.l": "large_list", "s.l.item": "dictionary:int16:utf8"}
    for given in ({}, encodings, {"l.item": "large_utf8"}):
        table = dataset.to_table(output_encodings=given)
        table.validate(full=True)
        assert plain(table["l"]) == want
        assert [row["l"] for row in plain(table["s"])] == want
        assert table.schema == dataset.scanner(output_encodings=given).projected_schema
    table = dataset.to_table(output_encodings=encodings)
    assert table.schema.field("l").type == pa.large_list(pa.string_view())
    assert table.schema.field("s").type.field("l").type == pa.large_list(pa.dictionary(pa.int16(), pa.string()))
    flat = dataset.to_table(columns=["s.l"], output_encodings=encodings)
    assert flat.schema.field(0).type == table.schema.field("s").type.field("l").type
    taken = dataset.take([3, 1], columns=["s.l"], output_encodings=encodings)
    assert plain(taken["s"]) == [{"l": ["y"]}, {"l": None}]


def test_maps(lancecpp, path):
    def column(texts):
        return pa.array([[("k", text)] for text in texts], pa.map_(pa.string(), pa.large_string()))

    dataset = lancecpp.write_dataset(pa.table({"m": column(["a", "b"])}), path, semantic_types=True)
    other = column(["c"]).cast(pa.map_(pa.large_string(), pa.string()))
    dataset = lancecpp.write_dataset(pa.table({"m": other}), path, mode="append")
    assert dataset.schema.field("m").type == pa.map_(pa.string(), pa.large_string())
    encodings = {"m.entries.key": "utf8_view", "m.entries.value": "utf8"}
    table = dataset.to_table(output_encodings=encodings)
    assert table.schema.field("m").type == pa.map_(pa.string_view(), pa.string())
    assert plain(table["m"]) == [[("k", "a")], [("k", "b")], [("k", "c")]]


def test_decimals(lancecpp, path):
    ten = pa.decimal128(10, 2)
    dataset = lancecpp.write_dataset(pa.table({"d": decimals(["1.25", None], ten)}), path, semantic_types=True)
    wide = pa.table({"d": decimals(["-99999999.99"], pa.decimal256(10, 2))})
    dataset = lancecpp.write_dataset(wide, path, mode="append")
    assert dataset.semantic_schema["d"].semantic_type == "decimal:10:2"
    want = [decimal.Decimal("1.25"), None, decimal.Decimal("-99999999.99")]
    assert dataset.to_table().schema.field("d").type == ten
    assert plain(dataset.to_table()["d"]) == want
    table = dataset.to_table(output_encodings={"d": "decimal256"})
    assert table.schema.field("d").type == pa.decimal256(10, 2) and plain(table["d"]) == want
    other = pa.table({"d": decimals(["1.25"], pa.decimal128(12, 2))})
    with pytest.raises((OSError, ValueError), match=r"'d'.*decimal:10:2.*decimal128\(12, 2\)"):
        lancecpp.write_dataset(other, path, mode="append")
    for encoding in ("decimal64", "utf8"):
        with pytest.raises((OSError, ValueError), match="none of decimal:10:2"):
            dataset.to_table(output_encodings={"d": encoding})


def test_decimal_defaults(lancecpp, path):
    types = {"narrow": pa.decimal128(38, 3), "recorded": pa.decimal256(38, 3), "wide": pa.decimal256(40, 3)}
    data = pa.table({name: decimals(["1.5"], type) for name, type in types.items()})
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    assert dataset.to_table() == data
    fields = dataset.semantic_schema
    assert [fields[n].output_encoding for n in types] == ["decimal128", "decimal256", "decimal256"]
    assert [fields[n].is_default_encoding for n in types] == [True, False, True]
    with pytest.raises((OSError, ValueError), match="can't hold decimal:40:3"):
        dataset.set_output_encoding("wide", "decimal128")
    assert dataset.to_table().schema.field("wide").type == types["wide"]


# ---- what is recorded


def test_the_first_layout_is_recorded(lancecpp, path):
    data = pa.table({name: strings(["a"], type) for name, type in {**LAYOUTS, "large": pa.large_string()}.items()})
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    assert dataset.schema == data.schema and dataset.to_table() == data
    for name in LAYOUTS:
        field = dataset.semantic_schema[name]
        assert (field.semantic_type, field.output_encoding) == ("string", name)
        assert field.is_default_encoding == (name == "utf8")
    more = pa.table({"large2": pa.array(["z"], pa.large_string()), "view": pa.array(["v"], pa.string_view())})
    dataset.add_columns(more)
    assert dataset.schema.field("large2").type == pa.large_string()
    assert dataset.schema.field("view").type == pa.string_view()
    assert plain(dataset.to_table()["view"]) == ["v"]
    dataset.add_columns(pa.field("nothing", pa.string_view()))
    assert dataset.to_table().schema.field("nothing").type == pa.string_view()
    # To alter a type to another layout of it is a change of the schema only.
    files = sorted(glob.glob(f"{path}/data/*"))
    dataset.alter_columns({"path": "large", "data_type": pa.string_view()})
    dataset.alter_columns({"path": "large2", "data_type": pa.string()})
    assert dataset.schema.field("large").type == pa.string_view()
    assert dataset.schema.field("large2").type == pa.string()
    assert sorted(glob.glob(f"{path}/data/*")) == files
    assert plain(dataset.to_table()["large"]) == ["a"]


def test_output_encodings_are_metadata(lancecpp, path):
    dataset = lancecpp.write_dataset(pa.table({"s": ["a", "b"], "n": [1, 2]}), path, semantic_types=True)
    files = sorted(glob.glob(f"{path}/data/*"))
    version = dataset.version
    dataset.set_output_encoding("s", "utf8_view")
    assert dataset.version == version + 1 and sorted(glob.glob(f"{path}/data/*")) == files
    assert dataset.schema.field("s").type == pa.string_view()
    assert lancecpp.dataset(path).to_table().schema.field("s").type == pa.string_view()
    lancecpp.write_dataset(pa.table({"s": ["c"], "n": [3]}), path, mode="append")
    dataset = lancecpp.dataset(path)
    assert plain(dataset.to_table()["s"]) == ["a", "b", "c"]
    assert dataset.schema.field("s").type == pa.string_view()
    dataset.set_output_encoding("s", None)
    assert dataset.schema.field("s").type == pa.string()
    for bad in ("decimal128", "utf9", "dictionary:int8:utf8_view", "dictionary:float:utf8", "list", ""):
        with pytest.raises((OSError, ValueError), match="none of string"):
            dataset.set_output_encoding("s", bad)
    with pytest.raises((OSError, ValueError), match="int64 has no output encodings"):
        dataset.set_output_encoding("n", "utf8")
    with pytest.raises((OSError, ValueError), match="nope"):
        dataset.set_output_encoding("nope", "utf8")
    # The same through the metadata of fields.
    with pytest.raises((OSError, ValueError), match="none of string"):
        dataset.update_field_metadata({"s": {KEY.decode(): "decimal128"}})
    dataset.update_field_metadata({"s": {KEY.decode(): "large_utf8"}})
    assert dataset.schema.field("s").type == pa.large_string()
    with pytest.raises((OSError, ValueError), match="none of string"):
        dataset.to_table(output_encodings={"s": "binary"})
    with pytest.raises((OSError, ValueError), match="'t'"):
        dataset.to_table(output_encodings={"t": "utf8"})


def test_unknown_encodings_read_as_the_default(lancecpp, path):
    """A newer writer may have recorded one that is not known here."""
    lancecpp.write_dataset(pa.table({"s": pa.array(["a"], pa.large_string())}), path, semantic_types=True)
    (manifest,) = glob.glob(f"{path}/_versions/*.manifest")
    with open(manifest, "rb") as file:
        content = file.read()
    assert b"large_utf8" in content
    with open(manifest, "wb") as file:
        file.write(content.replace(b"large_utf8", b"huge_utf32"))
    dataset = lancecpp.dataset(path)
    assert dataset.schema.field("s").type == pa.string()
    assert plain(dataset.to_table()["s"]) == ["a"]
    field = dataset.semantic_schema["s"]
    assert (field.output_encoding, field.recorded_encoding) == ("utf8", "huge_utf32")
    # It stays when others change the table.
    dataset.update_field_metadata({"s": {"x": "y"}})
    newest = sorted(glob.glob(f"{path}/_versions/*.manifest"))[0]
    with open(newest, "rb") as file:
        assert b"huge_utf32" in file.read()
    assert lancecpp.dataset(path).to_table().schema.field("s").type == pa.string()


def test_an_encoding_given_at_creation(lancecpp, path):
    schema = pa.schema([pa.field("s", pa.string(), metadata={KEY: b"utf8_view"})])
    dataset = lancecpp.write_dataset(pa.table({"s": ["a"]}, schema=schema), path, semantic_types=True)
    assert dataset.schema.field("s").type == pa.string_view()
    schema = pa.schema([pa.field("s", pa.string(), metadata={KEY: b"decimal128"})])
    with pytest.raises((OSError, ValueError), match="none of string"):
        lancecpp.write_dataset(pa.table({"s": ["a"]}, schema=schema), path + "2", semantic_types=True)
    assert not glob.glob(path + "2/**/*.lance", recursive=True)


# ---- enablement


def test_tables_without_semantic_types_are_as_before(lancecpp, pylance, path):
    dataset = lancecpp.write_dataset(pa.table({"s": ["a"]}), path)
    assert not dataset.has_semantic_types and not is_flagged(path)
    assert not lancecpp.write_dataset(pa.table({"s": ["a"]}), path + "2", semantic_types=False).has_semantic_types
    with pytest.raises((OSError, ValueError), match="should have type string"):
        lancecpp.write_dataset(pa.table({"s": [b"b"]}), path, mode="append")
    with pytest.raises((OSError, ValueError), match="upgrade"):
        dataset.to_table(output_encodings={"s": "large_utf8"})
    with pytest.raises((OSError, ValueError), match="upgrade"):
        dataset.set_output_encoding("s", "large_utf8")
    with pytest.raises((OSError, ValueError), match="upgrade"):
        lancecpp.write_dataset(pa.table({"s": ["a"]}), path, mode="append", semantic_types=True)
    # The key has no meaning there.
    dataset.update_field_metadata({"s": {KEY.decode(): "decimal128"}})
    assert dataset.to_table().schema.field("s").type == pa.string()
    assert plain(pylance.dataset(path).to_table()["s"]) == ["a"]


def test_no_way_back(lancecpp, path):
    dataset = lancecpp.write_dataset(pa.table({"s": ["a"]}), path, semantic_types=True)
    for mode in ("append", "overwrite"):
        with pytest.raises((OSError, ValueError), match="can't be taken away"):
            lancecpp.write_dataset(pa.table({"s": ["a"]}), path, mode=mode, semantic_types=False)
    dataset = lancecpp.write_dataset(pa.table({"t": [1]}), path, mode="overwrite")
    assert dataset.has_semantic_types and is_flagged(path)


def test_the_default_of_new_files(lancecpp, pylance, path):
    data = pa.table({"s": strings(["a"], pa.large_string())})
    with pytest.warns(UserWarning, match="older versions of lance can't read"):
        dataset = lancecpp.write_dataset(data, path, data_storage_version="2.3")
    assert dataset.has_semantic_types and is_flagged(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lancecpp.write_dataset(data, path, mode="append")
        assert not lancecpp.write_dataset(data, path + "2", data_storage_version="2.3", semantic_types=False).has_semantic_types
        assert lancecpp.write_dataset(data, path + "3", data_storage_version="2.3", semantic_types=True).has_semantic_types
        assert not lancecpp.write_dataset(data, path + "4", data_storage_version="2.2").has_semantic_types
        # New contents of a table that there is don't change what it is.
        assert not lancecpp.write_dataset(data, path + "4", data_storage_version="2.3", mode="overwrite").has_semantic_types
    assert pylance.dataset(path + "2").to_table() == data


def test_older_readers_refuse(lancecpp, pylance, path):
    lancecpp.write_dataset(pa.table({"s": ["a"]}), path, semantic_types=True)
    with pytest.raises(Exception, match="(?i)support"):
        pylance.dataset(path)
    with pytest.raises(Exception, match="(?i)support"):
        pylance.write_dataset(pa.table({"s": ["b"]}), path, mode="append")


def test_data_files_read_as_files(lancecpp, pylance, path):
    from lance.file import LanceFileReader

    data = {"s": strings(["a", "b"], pa.large_string()), "v": strings(["x", None], pa.string_view()),
            "d": strings(["p", "p"], LAYOUTS["dictionary:int8:utf8"]), "w": decimals(["1.5", "2"], pa.decimal256(10, 2)),
            "j": json_column(['{"a": 1}', None])}  # fmt: skip
    lancecpp.write_dataset(pa.table(data), path, semantic_types=True)
    (file,) = glob.glob(f"{path}/data/*.lance")
    table = LanceFileReader(file).read_all().to_table()
    assert table.schema.field("s").type == pa.large_string()
    assert table.schema.field("v").type == pa.large_string()
    assert table.schema.field("d").type == LAYOUTS["dictionary:int8:utf8"]
    assert table.schema.field("w").type == pa.decimal256(10, 2)
    assert plain(table["s"]) == ["a", "b"] and plain(table["v"]) == ["x", None]


# ---- upgrades

ALIASES = {
    "string": (strings(["a", None], pa.string()), "string", "utf8"),
    "large_string": (strings(["a", None], pa.large_string()), "string", "large_utf8"),
    "binary": (strings([b"a", None], pa.binary()), "binary", "binary"),
    "large_binary": (strings([b"a", None], pa.large_binary()), "binary", "large_binary"),
    "list": (pa.array([[1], None], pa.list_(pa.int32())), "list", "list"),
    "list_struct": (pa.array([[{"x": "q"}], None], pa.list_(pa.struct([("x", pa.large_string())]))), "list", "list"),
    "large_list": (pa.array([["s"], None], pa.large_list(pa.string())), "list", "large_list"),
    "large_list_struct": (pa.array([[{"x": 1}], None], pa.large_list(pa.struct([("x", pa.int8())]))), "list", "large_list"),
    "dict": (strings(["a", None], pa.dictionary(pa.int16(), pa.string())), "string", "dictionary:int16:utf8"),
    "dict large": (strings(["a", "b"], pa.dictionary(pa.uint8(), pa.large_string())), "string", "dictionary:uint8:large_utf8"),
    "decimal:128": (decimals(["1.25", None], pa.decimal128(10, 2)), "decimal:10:2", "decimal128"),
    "decimal:256 narrow": (decimals(["1.25", None], pa.decimal256(10, 2)), "decimal:10:2", "decimal256"),
    "decimal:256 wide": (decimals(["1.25", None], pa.decimal256(40, 2)), "decimal:40:2", "decimal256"),
    "json": (json_column(['{"a":1}', None]), "json", "arrow.json"),
    "int32": (pa.array([1, None], pa.int32()), "int32", None),
    "vector": (pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2)), "fixed_size_list:float:2", None),
    "time": (pa.array([1, None], pa.timestamp("us", "UTC")), "timestamp:us:UTC", None),
    "struct": (pa.array([{"a": "x"}, {"a": None}], pa.struct([("a", pa.large_string())])), "struct", None),
}  # fmt: skip


def aliases_of(version):
    lacking = () if version != "2.0" else ("json", "large_list", "large_list_struct", "decimal:256 narrow",
                                                    "decimal:256 wide", "dict large", "list_struct")  # fmt: skip
    return {name: case for name, case in ALIASES.items() if name not in lacking}


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("writer", ["pylance", "lancecpp"])
def test_upgrade(writer, version, lancecpp, pylance, path, request):
    cases = aliases_of(version)
    data = pa.table({name: column for name, (column, _, _) in cases.items()})
    options = {"semantic_types": False} if writer == "lancecpp" else {}
    request.getfixturevalue(writer).write_dataset(data, path, data_storage_version=version, **options)
    before = lancecpp.dataset(path)
    old = before.to_table()
    ids = before.lance_schema
    dataset = lancecpp.dataset(path)
    files = sorted(glob.glob(f"{path}/data/*"))
    dataset.upgrade_semantic_types()
    assert dataset.version == before.version + 1 and dataset.has_semantic_types and is_flagged(path)
    assert sorted(glob.glob(f"{path}/data/*")) == files
    now = lancecpp.dataset(path)
    assert now.to_table().equals(old, check_metadata=True)
    assert plain_rows(now.to_table()) == plain_rows(data)
    assert now.lance_schema == ids
    assert now.take([1, 0]) == old.take([1, 0])
    for name, (_, semantic, encoding) in cases.items():
        field = now.semantic_schema[name]
        assert (field.semantic_type, field.output_encoding) == (semantic, encoding), name
    # In any encoding, from files of this version.
    known = {"string": LAYOUTS, "binary": BINARY_LAYOUTS, "list": ["list", "large_list"], "decimal:10:2": ["decimal128", "decimal256"]}
    for name, (_, semantic, _) in cases.items():
        for encoding in known.get(semantic, ()):
            got = now.to_table(columns=[name], output_encodings={name: encoding})
            got.validate(full=True)
            assert plain(got[name]) == plain(old[name]), (name, encoding)
            assert plain(now.take([1], columns=[name], output_encodings={name: encoding})[name]) == plain(old[name])[1:]
    # A second one changes nothing.
    dataset.upgrade_semantic_types()
    assert dataset.version == now.version
    # The old version is read as it was.
    assert lancecpp.dataset(path, version=before.version).to_table() == old
    again = lancecpp.write_dataset(now.to_table(), path, mode="append")
    assert plain_rows(again.to_table()) == plain_rows(pa.concat_tables([data, data]))


def plain_rows(table):
    return {name: table[name].to_pylist() for name in table.column_names}


@pytest.mark.parametrize("change", ["append", "update", "delete", "config", "compact", "restore", "upgrade", "clone", "detached"])
def test_aliases_in_flagged_tables(lancecpp, path, change):
    """Are read as what they mean, and written as the canonical names by whoever commits next."""
    data = pa.table({"s": strings(["a"], pa.large_string()), "d": strings(["b"], LAYOUTS["dictionary:int8:utf8"]),
                     "n": decimals(["1"], pa.decimal256(10, 2)), "l": pa.array([[1]], pa.large_list(pa.int8()))})  # fmt: skip
    lancecpp.write_dataset(data, path)
    set_flag(path)
    assert logical_types(path) == ["large_string", "dict:string:int8:false", "decimal:256:10:2", "large_list", "int8"]
    dataset = lancecpp.dataset(path)
    assert dataset.has_semantic_types and dataset.to_table() == data
    encodings = ["large_utf8", "dictionary:int8:utf8", "decimal256", "large_list", None]
    assert [f.recorded_encoding for f in dataset.semantic_schema] == encodings
    target = path
    if change == "append":
        dataset.insert(pa.table({"s": ["c"], "d": ["d"], "n": decimals(["2"], pa.decimal128(10, 2)), "l": pa.array([[2]], pa.list_(pa.int8()))}))
    elif change == "update":
        dataset.update({"s": "'x'"})
    elif change == "delete":
        dataset.delete("s = 'nothing'")
    elif change == "config":
        dataset.update_config({"a": "b"})
    elif change == "compact":
        dataset.insert(data)
        dataset.optimize.compact_files()
    elif change == "restore":
        dataset.restore()
    elif change == "clone":
        target = path + "-clone"
        dataset.shallow_clone(target)
    elif change == "upgrade":
        dataset.upgrade_semantic_types()
        assert dataset.version == 2
        dataset.upgrade_semantic_types()
        assert dataset.version == 2
    else:
        operation = lancecpp.LanceOperation.Append([])
        dataset = lancecpp.LanceDataset.commit(path, operation, read_version=1, detached=True)
        assert dataset.schema == data.schema
        return
    assert logical_types(target) == ["string", "string", "decimal:10:2", "list", "int8"]
    dataset = lancecpp.dataset(target)
    assert dataset.schema == data.schema and [f.recorded_encoding for f in dataset.semantic_schema] == encodings
    assert dataset.to_table().schema == data.schema


def test_upgrade_of_what_has_no_semantic_type(lancecpp, path):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array([7], pa.int64()))
    dataset = lancecpp.write_dataset(pa.table({"d": column}), path)
    with pytest.raises((OSError, ValueError, NotImplementedError), match="dict:int64:int8:false.*'d'"):
        dataset.upgrade_semantic_types()
    assert not lancecpp.dataset(path).has_semantic_types
    with pytest.raises((OSError, ValueError, NotImplementedError), match="no semantic type accepts.*'d'"):
        lancecpp.write_dataset(pa.table({"d": column}), path + "2", semantic_types=True)


def test_the_flag_stays(lancecpp, path):
    legacy = lancecpp.write_dataset(pa.table({"s": strings(["a"], pa.large_string()), "n": [1]}), path)
    dataset = lancecpp.dataset(path)
    dataset.upgrade_semantic_types()
    dataset = lancecpp.write_dataset(pa.table({"s": ["b"], "n": [2]}), path, mode="append")
    # Back to before it was set.
    old = lancecpp.dataset(path, version=legacy.version)
    old.restore()
    restored = lancecpp.dataset(path)
    assert restored.has_semantic_types and is_flagged(path)
    assert restored.schema.field("s").type == pa.large_string()
    assert restored.semantic_schema["s"].semantic_type == "string"
    assert plain(restored.to_table()["s"]) == ["a"]
    lancecpp.write_dataset(pa.table({"s": strings(["c"], pa.string_view()), "n": [3]}), path, mode="append")
    assert plain(lancecpp.dataset(path).to_table()["s"]) == ["a", "c"]

    branch = restored.create_branch("dev")
    assert branch.has_semantic_types
    branch.insert(pa.table({"s": ["d"], "n": [4]}))
    assert plain(branch.to_table()["s"]) == ["a", "d"]
    for clone in (dataset.shallow_clone(path + "-shallow"), dataset.deep_clone(path + "-deep")):
        assert clone.has_semantic_types and is_flagged(clone.uri)
        assert plain(clone.to_table()["s"]) == ["a", "b"]
        clone.insert(pa.table({"s": strings(["z"], LAYOUTS["dictionary:int8:utf8"]), "n": [0]}))
        assert plain(clone.to_table()["s"]) == ["a", "b", "z"]
    for change in (
        lambda d: d.delete("n = 2"),
        lambda d: d.update({"n": "n + 1"}),
        lambda d: d.update_config({"a": "b"}),
        lambda d: d.add_columns({"m": "n * 2"}),
        lambda d: d.drop_columns(["m"]),
        lambda d: d.optimize.compact_files(),
        lambda d: d.truncate_table(),
    ):
        table = lancecpp.dataset(path)
        change(table)
        assert is_flagged(path)

    from lancecpp.fragment import write_fragments

    pieces = write_fragments(pa.table({"s": strings(["f"], pa.string()), "n": [9]}), path)
    operation = lancecpp.LanceOperation.Append(pieces)
    newest = lancecpp.dataset(path).version
    detached = lancecpp.LanceDataset.commit(path, operation, read_version=newest, detached=True)
    assert detached.has_semantic_types
    assert detached.to_table().schema.field("s").type == pa.large_string()
    assert plain(detached.to_table()["s"]) == ["f"]


# ---- fragments and transactions


def test_fragments_and_transactions(lancecpp, path):
    from lancecpp.fragment import write_fragments

    data = pa.table({"s": strings(["a", "b"], pa.string_view()), "d": decimals(["1", "2"], pa.decimal256(10, 2))})
    pieces = write_fragments(data, path, mode="create", semantic_types=True, return_transaction=True)
    dataset = lancecpp.LanceDataset.commit(path, pieces, semantic_types=True)
    assert dataset.has_semantic_types and dataset.to_table() == data
    more = write_fragments(pa.table({"s": strings(["c"], pa.large_string()), "d": decimals(["3"], pa.decimal128(10, 2))}), path)
    dataset = lancecpp.LanceDataset.commit(path, lancecpp.LanceOperation.Append(more), read_version=dataset.version)
    assert plain(dataset.to_table()["s"]) == ["a", "b", "c"] and dataset.schema == data.schema
    parts = []
    for fragment in dataset.get_fragments():
        part, schema = fragment.merge_columns(lambda batch: pa.record_batch({"t": strings(plain(batch["s"]), pa.string_view())}))
        parts.append(part)
    operation = lancecpp.LanceOperation.Merge(parts, schema)
    dataset = lancecpp.LanceDataset.commit(path, operation, read_version=dataset.version)
    assert dataset.schema.field("t").type == pa.string_view()
    assert dataset.schema.field("s").type == pa.string_view()
    assert dataset.schema.field("d").type == pa.decimal256(10, 2)
    assert plain(dataset.to_table()["t"]) == ["a", "b", "c"]
    operation = lancecpp.LanceOperation.Project(dataset.lance_schema)
    dataset = lancecpp.LanceDataset.commit(path, operation, read_version=dataset.version)
    assert dataset.schema.field("s").type == pa.string_view()


def test_transactions_around_an_upgrade(lancecpp, path):
    from lancecpp.fragment import write_fragments

    data = pa.table({"s": strings(["a"], pa.large_string()), "n": [1]})
    dataset = lancecpp.write_dataset(data, path)
    pieces = write_fragments(data, path)
    contents = write_fragments(data, path, mode="overwrite", return_transaction=True)
    other = lancecpp.dataset(path)
    other.upgrade_semantic_types()
    append = lancecpp.LanceOperation.Append(pieces)
    dataset = lancecpp.LanceDataset.commit(path, append, read_version=1)
    assert dataset.has_semantic_types and plain(dataset.to_table()["s"]) == ["a", "a"]
    dataset = lancecpp.LanceDataset.commit(path, contents)
    assert dataset.has_semantic_types and dataset.to_table() == data
    assert dataset.semantic_schema["s"].semantic_type == "string"
    # Two upgrades: the second has nothing left to do, or comes too late.
    path = path + "2"
    first, second = lancecpp.write_dataset(data, path), lancecpp.dataset(path)
    first.upgrade_semantic_types()
    try:
        second.upgrade_semantic_types()
    except (OSError, ValueError, RuntimeError):
        pass
    assert lancecpp.dataset(path).to_table() == data


@pytest.mark.parametrize("operation", ["Create", "Overwrite", "Merge", "Project"])
def test_layouts_of_arrow_schemas_are_recorded(lancecpp, path, operation):
    made = lancecpp.LanceOperation
    types = {"v": pa.string_view(), "b": pa.binary_view(), "s": pa.struct([("d", pa.dictionary(pa.int8(), pa.string()))]), "l": pa.large_list(pa.string_view())}
    schema = pa.schema(types, metadata={"a": "b"})
    if operation == "Create":
        dataset = lancecpp.LanceDataset.commit(path, made.Overwrite(schema, []), semantic_types=True)
    else:
        first = pa.schema({"v": pa.string(), "b": pa.binary()}) if operation != "Project" else pa.schema({"v": pa.string(), "b": pa.binary(), "s": types["s"], "l": pa.list_(pa.string())})
        dataset = lancecpp.write_dataset(first.empty_table(), path, semantic_types=True)
        change = {"Overwrite": lambda: made.Overwrite(schema, []), "Merge": lambda: made.Merge([], schema), "Project": lambda: made.Project(schema)}[operation]()
        dataset = lancecpp.LanceDataset.commit(path, change, read_version=1)
    assert {field.name: field.type for field in dataset.schema} == types
    assert dataset.semantic_schema["v"].recorded_encoding == "utf8_view"
    assert logical_types(path)[:2] == ["string", "binary"]
    if operation in ("Create", "Overwrite"):
        assert dataset.schema.metadata == {b"a": b"b"}
    ordered = pa.schema({"v": pa.dictionary(pa.int8(), pa.string(), ordered=True)})
    with pytest.raises((OSError, ValueError), match="order.*'v'"):
        lancecpp.LanceDataset.commit(path, made.Overwrite(ordered, []), read_version=dataset.version)


@pytest.mark.parametrize("operation", ["Project", "Merge", "Overwrite"])
def test_transactions_with_bad_encodings(lancecpp, path, operation):
    dataset = lancecpp.write_dataset(pa.table({"s": ["a"], "n": [1]}), path, semantic_types=True)
    fragments = [fragment.metadata for fragment in dataset.get_fragments()]
    for encoding in ("decimal128", "large_utf8"):
        schema = dataset.schema.set(0, pa.field("s", pa.string(), metadata={KEY: encoding.encode()}))
        made = lancecpp.LanceOperation
        if operation == "Overwrite":
            change = made.Overwrite(schema, fragments)
        else:
            schema = type(dataset.lance_schema).from_pyarrow(schema)
            change = made.Project(schema) if operation == "Project" else made.Merge(fragments, schema)
        if encoding == "decimal128":
            with pytest.raises((OSError, ValueError), match="none of string.*'s'"):
                lancecpp.LanceDataset.commit(path, change, read_version=dataset.version)
        else:
            changed = lancecpp.LanceDataset.commit(path, change, read_version=dataset.version)
            assert changed.schema.field("s").type == pa.large_string()


# ---- rows that change


def changed(lancecpp, path, version="2.2", stable=False):
    data = pa.table({
        "id": [1, 2, 3],
        "s": strings(["a", None, "c"], LAYOUTS["dictionary:int8:utf8"]),
        "v": strings(["x", "y", "z"], pa.string_view()),
        "l": pa.array([["p"], None, []], pa.large_list(pa.string())),
        "d": decimals(["1.5", None, "2.5"], pa.decimal256(9, 1)),
    })  # fmt: skip
    dataset = lancecpp.write_dataset(data, path, semantic_types=True, data_storage_version=version, enable_stable_row_ids=stable)
    return dataset, data.schema


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
@pytest.mark.parametrize("stable", [False, True])
def test_changes(lancecpp, path, version, stable):
    dataset, schema = changed(lancecpp, path, version, stable)
    other = pa.table({
        "id": [4],
        "s": strings(["d"], pa.large_string()),
        "v": strings(["w"], LAYOUTS["dictionary:int8:utf8"]),
        "l": pa.array([["q", None]], pa.list_(pa.large_string())),
        "d": decimals(["3.5"], pa.decimal128(9, 1)),
    })  # fmt: skip
    dataset.insert(other)
    dataset.update({"s": "'new'", "v": "concat(v, '!')", "d": "9.5"}, where="id = 2")
    upsert = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    source = pa.table({
        "id": [3, 5],
        "s": strings(["C", "e"], pa.string_view()),
        "v": strings(["Z", "u"], pa.string()),
        "l": pa.array([["r"], None], pa.list_(pa.string_view())),
        "d": decimals(["7.5", "8.5"], pa.decimal128(9, 1)),
    })  # fmt: skip
    assert upsert.execute(source)["num_updated_rows"] == 1
    # Only some of the columns; keys in another layout than the table's.
    upsert = dataset.merge_insert("v").when_matched_update_all()
    counts = upsert.execute(pa.table({"v": strings(["w"], pa.large_string()), "s": ["D"]}))
    assert counts["num_updated_rows"] == 1
    dataset.delete("s = 'a'")
    want = {
        2: ("new", "y!", None, "9.5"), 3: ("C", "Z", ["r"], "7.5"), 4: ("D", "w", ["q", None], "3.5"),
        5: ("e", "u", None, "8.5"),
    }  # fmt: skip

    def rows(table):
        assert table.schema == schema
        columns = [plain(table[name]) for name in ("id", "s", "v", "l", "d")]
        return {id: (s, v, l, None if d is None else str(d)) for id, s, v, l, d in zip(*columns)}

    assert rows(dataset.to_table()) == want
    dataset.optimize.compact_files()
    assert rows(lancecpp.dataset(path).to_table()) == want
    assert rows(lancecpp.dataset(path).take([0, 1, 2, 3])) == want
    lancecpp.dataset(path).validate()
    join = pa.table({"k": strings(["w", "u"], pa.string_view()), "extra": strings(["1", "2"], pa.string_view())})
    dataset = lancecpp.dataset(path)
    dataset.merge(join, "v", "k")
    assert dataset.schema.field("extra").type == pa.string_view()
    assert dict(zip(plain(dataset.to_table()["id"]), plain(dataset.to_table()["extra"]))) == {2: None, 3: None, 4: "1", 5: "2"}


def test_rewrites_hold_every_value(lancecpp, path):
    """More values than the recorded dictionary has keys for are rewritten all the same."""
    few = pa.table({"s": strings(["a", "b"], LAYOUTS["dictionary:int8:utf8"]), "n": [0, 1]})
    dataset = lancecpp.write_dataset(few, path, semantic_types=True)
    many = [f"value {i}" for i in range(1000)]
    dataset = lancecpp.write_dataset(pa.table({"s": many, "n": range(1000)}), path, mode="append")
    dataset.optimize.compact_files()
    assert len(dataset.get_fragments()) == 1
    dataset.update({"n": "n + 1"})
    table = lancecpp.dataset(path).to_table(output_encodings={"s": "utf8"})
    assert plain(table["s"]) == ["a", "b", *many]
    # In smaller batches the recorded encoding holds them, but not in one array.
    table = lancecpp.dataset(path).to_table()
    assert table.schema.field("s").type == LAYOUTS["dictionary:int8:utf8"]
    assert plain(table["s"]) == ["a", "b", *many]
    batches = list(lancecpp.dataset(path).to_batches())
    assert [v for batch in batches for v in plain(batch["s"])] == ["a", "b", *many]
    with pytest.raises((OSError, ValueError), match=r"1000 different values.*dictionary:int8:utf8.*'s'"):
        lancecpp.dataset(path).take(list(range(1000)))
    assert lancecpp.dataset(path).take(list(range(1000)), output_encodings={"s": "utf8_view"}).num_rows == 1000


def test_joins_of_all_layouts(lancecpp, path):
    """Rows can't be taken from views, which may be nested."""
    dataset = lancecpp.write_dataset(pa.table({"i": [1, 2, 3]}), path, semantic_types=True)
    views = pa.StructArray.from_arrays([strings(["p", "q"], pa.string_view())], ["v"])
    right = pa.table({"i": [3, 1], "j": json_column(['{"a": 1}', "[ 2 ]"], pa.string_view()), "s": views,
                      "d": strings(["m", "n"], LAYOUTS["dictionary:int8:utf8"])})  # fmt: skip
    dataset.merge(right, "i")
    assert plain(dataset.to_table()["j"]) == ["[2]", None, '{"a":1}'] and dataset.schema.field("j").type == pa.json_()
    assert plain(dataset.to_table()["s"]) == [{"v": "q"}, None, {"v": "p"}]
    assert dataset.schema.field("s").type.field("v").type == pa.string_view()
    assert dataset.schema.field("d").type == LAYOUTS["dictionary:int8:utf8"]
    with pytest.raises((OSError, ValueError), match="'k'"):
        dataset.merge(pa.table({"i": [1], "k": json_column(["{"])}), "i")


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_keys_of_any_width(lancecpp, path, version):
    """Keys are decoded to wider ones, and cut where they are narrower."""
    keys = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    want = [f"v{i % 100}" if i % 7 else None for i in range(3000)]
    for stored in keys:
        indices = pa.array([i % 100 if i % 7 else None for i in range(3000)], pa.type_for_alias(stored))
        column = pa.DictionaryArray.from_arrays(indices, pa.array([f"v{i}" for i in range(100)]))
        lists = pa.ListArray.from_arrays(list(range(0, 3001, 3)), column)
        dataset = lancecpp.write_dataset(pa.table({"x": column}), f"{path}-{stored}", semantic_types=True, data_storage_version=version)
        nested = lancecpp.write_dataset(pa.table({"l": lists}), f"{path}-{stored}-l", semantic_types=True, data_storage_version=version)
        for wanted in keys:
            encoding = f"dictionary:{wanted}:{'large_utf8' if wanted.endswith('8') else 'utf8'}"
            table = dataset.to_table(output_encodings={"x": encoding})
            table.validate(full=True)
            assert str(table.schema.field("x").type.index_type) == wanted and plain(table["x"]) == want
            taken = dataset.take([2999, 0, 8, 8], output_encodings={"x": encoding})
            assert plain(taken["x"]) == [want[2999], None, "v8", "v8"]
            assert plain(nested.to_table(output_encodings={"l.item": encoding})["l"]) == plain(lists)


def test_keys_without_a_value_are_not_written(lancecpp, path):
    unsound = pa.DictionaryArray.from_arrays(pa.array([0, 5], pa.int8()), pa.array(["a"]), safe=False)
    for options in ({"semantic_types": True}, {}):
        with pytest.raises((OSError, ValueError), match="key is out of range: 5 of 1.*'x'"):
            lancecpp.write_dataset(pa.table({"x": unsound}), path, **options)
    assert not glob.glob(path + "/data/*")


# ---- json


@pytest.mark.parametrize("storage", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_nested_json(lancecpp, path, storage):
    texts = ['{"b": 1, "a": [1, 2]}', None, "[1]", "7"]
    shown = ['{"a":[1,2],"b":1}', None, "[1]", "7"]

    def table(ids, texts):
        column = json_column(texts, storage)
        field = pa.field("j", column.type)
        structs = pa.StructArray.from_arrays([column], fields=[field])
        offsets = list(range(len(texts) + 1))
        return pa.table({
            "id": pa.array(ids, pa.int64()), "j": column, "s": structs,
            "l": pa.ListArray.from_arrays(offsets, structs),
            "m": pa.MapArray.from_arrays(offsets, [str(i) for i in ids], column),
        })  # fmt: skip

    def check(table, want):
        assert table.schema.field("j").type == pa.json_()
        assert table.schema.field("s").type.field("j").type == pa.json_()
        assert table.schema.field("l").type.value_type.field("j").type == pa.json_()
        assert table.schema.field("m").type.item_type == pa.json_()
        ids = plain(table["id"])
        assert dict(zip(ids, plain(table["j"]))) == want
        assert dict(zip(ids, (row["j"] for row in plain(table["s"])))) == want
        assert dict(zip(ids, (row[0]["j"] for row in plain(table["l"])))) == want
        assert dict(zip(ids, (row[0][1] for row in plain(table["m"])))) == want

    dataset = lancecpp.write_dataset(table(range(4), texts), path, semantic_types=True)
    want = dict(enumerate(shown))
    check(dataset.to_table(), want)
    dataset.insert(table([4, 5], ['{"x": "y"}', "null"]))
    want |= {4: '{"x":"y"}', 5: "null"}
    check(dataset.to_table(), want)
    dataset.update({"id": "id + 10"}, where="id = 4")
    want[14] = want.pop(4)
    check(dataset.to_table(), want)
    upsert = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    upsert.execute(table([0, 6], ["{}", '{"z": null}']))
    want |= {0: "{}", 6: '{"z":null}'}
    check(dataset.to_table(), want)
    check(dataset.take(list(range(len(want)))), want)
    check(pa.concat_tables(f.to_table() for f in dataset.get_fragments()), want)
    dataset.optimize.compact_files()
    check(dataset.to_table(), want)
    # As it is stored.
    encodings = {"j": "lance.json", "l.item.j": "lance.json"}
    raw = dataset.to_table(output_encodings=encodings)
    assert raw.schema.field("j").type == pa.large_binary()
    assert raw.schema.field("j").metadata[b"ARROW:extension:name"] == b"lance.json"
    assert raw.schema.field("l").type.value_type.field("j").type == pa.large_binary()
    assert all(cell is None or isinstance(cell, bytes) and cell for cell in plain(raw["j"]))
    # What is stored can be written as it is, and is what is read from then on.
    stored = lancecpp.write_dataset(raw.select(["id", "j"]), path + "2", semantic_types=True)
    assert stored.semantic_schema["j"].output_encoding == "lance.json"
    assert plain(stored.to_table()["j"]) == plain(raw["j"])
    texts = stored.to_table(output_encodings={"j": "arrow.json"})
    assert dict(zip(plain(texts["id"]), plain(texts["j"]))) == want
    assert plain(dataset.to_table(filter="json_get_string(j, 'x') = 'y'")["id"]) == [14]


def test_json_errors_name_field_and_row(lancecpp, path):
    good = pa.table({"j": json_column(["1"] * 5), "s": pa.StructArray.from_arrays([json_column(["1"] * 5)], ["j"])})
    lancecpp.write_dataset(good, path, semantic_types=True)
    bad = json_column(["1", "1", "1", "{oops", "1"])
    with pytest.raises((OSError, ValueError), match=r"\(field 'j', row 3\)"):
        lancecpp.write_dataset(good.set_column(0, "j", bad), path, mode="append")
    nested = pa.StructArray.from_arrays([bad], ["j"])
    with pytest.raises((OSError, ValueError), match=r"\(field 's\.j', row 3\)"):
        lancecpp.write_dataset(good.set_column(1, "s", nested), path, mode="append")
    lists = pa.table({"l": pa.ListArray.from_arrays([0, 2, 2, 4, 5], bad)})
    with pytest.raises((OSError, ValueError), match=r"\(field 'l\.item', row 2\)"):
        lancecpp.write_dataset(lists, path + "2", semantic_types=True)
    # Rows are counted over all batches.
    batches = [good.to_batches()[0], good.set_column(0, "j", bad).to_batches()[0]]
    reader = pa.RecordBatchReader.from_batches(good.schema, batches)
    with pytest.raises((OSError, ValueError), match=r"\(field 'j', row 8\)"):
        lancecpp.write_dataset(reader, path, mode="append", max_rows_per_file=2)
    assert lancecpp.dataset(path).count_rows() == 5
    assert len(glob.glob(f"{path}/data/*")) == 1 and not glob.glob(path + "2/data/*")


NO_JSON = [
    "", " ", "NaN", "[1,]", "[,]", "1e400", "-1e400", "{a:1}", "'x'", "+1", "01", ".5", "5.", "0x10", "TRUE", "[1,,2]", "[1",
    '{"a":1,}', '{"a"}', '{"a":1,"a":2}', '"\\ud800"', '"\\ude00x"', '"\x01"', '"\\x"', "1 2", "Infinity", "\ufeff1", "\\n1", "\f1",
    "nul", "nulll", '"a', "1e", "-", "[" * 1001 + "]" * 1001, "// x\n1",
]  # fmt: skip
JSON = {
    " [1, 2.50, -0, 1e2] ": "[1,2.5,0,100.0]", "null": "null", '"\\ud83d\\ude00\\u0000"': '"\U0001f600\\u0000"', "1e-400": "0.0",
    "[" * 999 + "]" * 999: "[" * 999 + "]" * 999, '{"b": {}, "a": []}': '{"a":[],"b":{}}', "123456789012345678901": "1.2345678901234568e+20",
}  # fmt: skip


def test_text_that_is_no_json(lancecpp, pylance, path):
    """By RFC 8259, and what would not come back; without semantic types as in pylance."""
    dataset = lancecpp.write_dataset(pa.table({"i": [0], "j": json_column(["1"])}), path, semantic_types=True)
    for text in NO_JSON:
        bad = pa.table({"i": [1, 0], "j": json_column(["1", text])})
        for write in (
            dataset.insert,
            dataset.merge_insert("i").when_matched_update_all().execute,
            lambda data: lancecpp.write_dataset(data, path, mode="overwrite"),
            lambda data: lancecpp.write_dataset(data, path + "2", semantic_types=True),
        ):
            with pytest.raises((OSError, ValueError), match=r"JSON.*\(field 'j', row 1\)"):
                write(bad)
        if "'" not in text:
            with pytest.raises((OSError, ValueError), match=r"JSON.*\(field 'j', row 0\)"):
                dataset.update({"j": f"'{text}'"})
    assert lancecpp.dataset(path).version == 1 and len(glob.glob(f"{path}/data/*")) == 1
    legacy = {}
    for module, uri in ((lancecpp, path + "-a"), (pylance, path + "-b")):
        texts = [t for t in NO_JSON[:16]]
        legacy[module] = plain(module.write_dataset(pa.table({"j": json_column(texts)}), uri).to_table()["j"])
    assert legacy[lancecpp] == legacy[pylance]
    dataset = lancecpp.write_dataset(pa.table({"j": json_column(list(JSON))}), path + "3", semantic_types=True)
    assert plain(dataset.to_table()["j"]) == list(JSON.values())


def stored_json(cells):
    schema = pa.schema([pa.field("j", pa.large_binary(), metadata={b"ARROW:extension:name": b"lance.json"})])
    return pa.table([pa.array(cells, pa.large_binary())], schema=schema)


def test_bytes_that_are_no_jsonb(lancecpp, path):
    texts = ['{"a": [1, -2, 2.5, null, true, false, "x"], "b": {"c": {}}}', "7", '"x"', "[]", "-5", "1e300"]
    good = lancecpp.write_dataset(pa.table({"j": json_column(texts)}), path, semantic_types=True)
    cells = plain(good.to_table(output_encodings={"j": "lance.json"})["j"])
    dataset = lancecpp.write_dataset(stored_json([*cells, None]), path + "2", semantic_types=True)
    assert plain(dataset.to_table(output_encodings={"j": "arrow.json"})["j"])[:-1] == plain(good.to_table()["j"])
    word = lambda type, length: (type << 28 | length).to_bytes(4, "big")
    array = lambda *items: (0x80000000 | len(items)).to_bytes(4, "big") + b"".join(word(t, len(p)) for t, p in items) + b"".join(p for _, p in items)
    pair = lambda *keys: (0x40000000 | len(keys)).to_bytes(4, "big") + b"".join(word(1, len(k)) for k in keys) + word(0, 0) * len(keys) + b"".join(keys)
    assert plain(lancecpp.write_dataset(stored_json([array((1, b"a")), pair(b"a", b"b")]), path + "3", semantic_types=True)
                 .to_table(output_encodings={"j": "arrow.json"})["j"]) == ['["a"]', '{"a":null,"b":null}']  # fmt: skip
    bad = [
        b"", b"garbage", b"[1, 2]", b"12345678", b"\x80\0\0", b"\x80\0\0\x01", b"\x9f\xff\xff\xff", b"\x5f\xff\xff\xff" + bytes(64),
        array((1, b"\xff")), array((2, b"")), array((2, b"\x50\x01\x02\x03")), array((2, b"\x10")), array((3, b"x")), array((7, b"")),
        array((6, b"")), array((6, b"\x50x")), array((5, b"\x20\0\0\0\0\0\0\0")), array((0, b"")) + b"x", pair(b"b", b"a"), pair(b"a", b"a"),
        b"\x20\0\0\x01" + word(0, 0), b"\x80\0\0\x01" + word(1, 5) + b"a", b"\x80\0\0\x01" + word(8, 0), *(cell[:-1] for cell in cells),
    ]  # fmt: skip
    deep = array()
    for _ in range(1001):
        deep = array((5, deep))
    nested = lambda cells: pa.table({"s": pa.StructArray.from_arrays([stored_json(cells)["j"].combine_chunks()], fields=[stored_json([]).schema.field(0)])})
    dataset = lancecpp.write_dataset(stored_json(cells), path + "4", semantic_types=True)
    for cell in [*bad, deep]:
        with pytest.raises((OSError, ValueError), match=r"no JSONB.*\(field 'j', row 2\)"):
            dataset.insert(stored_json([cells[0], None, cell]))
        with pytest.raises((OSError, ValueError), match=r"no JSONB.*\(field 's\.j', row 1\)"):
            lancecpp.write_dataset(nested([cells[0], cell]), path + "5", semantic_types=True)
    with pytest.raises((OSError, ValueError), match=r"no JSONB.*\(field 'k', row 0\)"):
        dataset.add_columns(stored_json([b"garbage"] * len(cells)).rename_columns(["k"]))
    assert len(glob.glob(f"{path}4/data/*")) == 1
    # What a table holds already is rewritten as it is.
    legacy = lancecpp.write_dataset(stored_json([b"garbage", cells[0]]).append_column("i", pa.array([0, 1])), path + "6")
    legacy.upgrade_semantic_types()
    legacy.update({"i": "i + 1"})
    legacy.insert(stored_json([cells[1]]).append_column("i", pa.array([5])))
    legacy.optimize.compact_files()
    assert plain(legacy.to_table()["j"]) == ["garbage", plain(good.to_table()["j"])[0], "7"]


def test_what_nulls_hide_is_not_checked(lancecpp, path):
    bad = json_column(["1", "{", "[2]", "3"])
    structs = pa.StructArray.from_arrays([bad], fields=[pa.field("j", bad.type)])
    fixed = pa.FixedSizeListArray.from_buffers(pa.list_(structs.type, 2), 2, [pa.py_buffer(b"\x02")], children=[structs])
    masked = pa.StructArray.from_arrays([bad], fields=[pa.field("j", bad.type)], mask=pa.array([False, True, False, False])).slice(0, 2)
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 4]), bad, mask=pa.array([True, False]))
    for name, column, want in (
        ("fixed", fixed, [None, [{"j": "[2]"}, {"j": "3"}]]), ("struct", masked, [{"j": "1"}, None]), ("list", lists, [None, ["[2]", "3"]]),
    ):  # fmt: skip
        dataset = lancecpp.write_dataset(pa.table({"c": column}), f"{path}-{name}", semantic_types=True)
        assert plain(dataset.to_table()["c"]) == want
    with pytest.raises((OSError, ValueError), match=r"\(field 'c\.item\.j', row 1\)"):
        rows = pa.FixedSizeListArray.from_arrays(structs.take(pa.array([0, 0, 1, 0])), 2)
        lancecpp.write_dataset(pa.table({"c": rows}), path, semantic_types=True)


def test_rows_of_bad_json_in_updates(lancecpp, path):
    """Rows are those of the table, however few are updated."""
    table = pa.table({"i": range(10), "t": [str(i) if i != 8 else "oops" for i in range(10)], "j": json_column(["0"] * 10)})
    dataset = lancecpp.write_dataset(table, path, semantic_types=True, max_rows_per_file=4)
    dataset.delete("i = 2")
    with pytest.raises((OSError, ValueError), match=r"\(field 'j', row 7\)"):
        dataset.update({"j": "t"}, where="i > 4")
    dataset.update({"j": "t"}, where="i < 4")
    assert sorted(plain(dataset.to_table()["j"])) == ["0"] * 7 + ["1", "3"]
    source = pa.table({"i": [0, 1, 3, 9], "j": json_column(["1", "2", "{", "4"])})
    with pytest.raises((OSError, ValueError), match=r"\(field 'j', row 2\)"):
        dataset.merge_insert("i").when_matched_update_all().execute(source)
    # Bytes of another column are no JSONB, either.
    dataset.add_columns({"b": "cast('x' as binary)"})
    with pytest.raises((OSError, ValueError), match=r"no JSONB.*'j'"):
        dataset.update({"j": "b"})


# ---- extensions


EXTENSION = {b"ARROW:extension:name": b"example.bbox", b"ARROW:extension:metadata": b'{"crs": "x"}'}


def boxes(rows, metadata=EXTENSION):
    column = pa.array([[float(i)] * 4 for i in range(rows)], pa.list_(pa.float32(), 4))
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("box", column.type, metadata=metadata)])
    return pa.table([pa.array(range(rows)), column], schema=schema)


def test_extensions_are_kept(lancecpp, path):
    dataset = lancecpp.write_dataset(boxes(3), path, semantic_types=True)

    def check(table, column="box"):
        assert table.schema.field(column).metadata == EXTENSION
        assert table.to_table().schema.field(column).metadata == EXTENSION

    check(dataset)
    assert dataset.semantic_schema["box"].extension == "example.bbox"
    assert dataset.semantic_schema["box"].semantic_type == "fixed_size_list:float:4"
    dataset.insert(boxes(2))
    dataset.insert(boxes(2, metadata=None))  # data without an extension is data of the storage type
    other = {b"ARROW:extension:name": b"example.circle"}
    with pytest.raises((OSError, ValueError), match="'box'.*example.circle.*example.bbox"):
        dataset.insert(boxes(1, metadata=other))
    check(dataset)
    more = boxes(7).select(["box"]).rename_columns(["second"])
    dataset.add_columns(more)
    check(dataset, "second")
    dataset.update({"id": "id + 100"}, where="id = 0")
    check(dataset)
    upsert = dataset.merge_insert("id").when_matched_update_all()
    upsert.execute(boxes(2))
    check(dataset)
    dataset.merge(boxes(2).rename_columns(["k", "third"]), "id", "k")
    check(dataset, "third")
    dataset.optimize.compact_files()
    for column in ("box", "second", "third"):
        check(lancecpp.dataset(path), column)
    version = dataset.version
    dataset.drop_columns(["second"])
    check(dataset)
    for clone in (dataset.shallow_clone(path + "-shallow"), dataset.deep_clone(path + "-deep")):
        check(clone)
    old = lancecpp.dataset(path, version=version)
    old.restore()
    check(lancecpp.dataset(path), "second")
    (field,) = [f for f in lancecpp.dataset(path).semantic_schema if f.path == "second"]
    assert field.extension == "example.bbox"


def test_extension_types_that_are_known(lancecpp, path):
    ids = pa.array([bytes(range(16)), None], pa.binary(16))
    column = pa.ExtensionArray.from_storage(pa.uuid(), ids)
    dataset = lancecpp.write_dataset(pa.table({"u": column}), path, semantic_types=True)
    assert dataset.to_table().schema.field("u").type == pa.uuid()
    assert plain(dataset.to_table()["u"]) == plain(column)


def test_reserved_extensions(lancecpp, path):
    for key in (b"ARROW:extension:name", b"lance-schema:extension-name"):
        with pytest.raises((OSError, ValueError), match="lance.thing.*reserved.*'box'"):
            lancecpp.write_dataset(boxes(1, metadata={key: b"lance.thing"}), path, semantic_types=True)
    assert not glob.glob(path + "/data/*")
    dataset = lancecpp.write_dataset(boxes(1), path, semantic_types=True)
    with pytest.raises((OSError, ValueError), match="reserved"):
        dataset.add_columns(boxes(1, metadata={b"ARROW:extension:name": b"lance.thing"}).select(["box"]).rename_columns(["b"]))


def with_name(type, name, key=b"ARROW:extension:name"):
    return pa.field("x", type, metadata={key: name.encode()})


RESERVED = ["lance.thing", "lance.json", "lance.blob.v2", "lance.bfloat16", "arrow.json"]
STORAGES = {
    "int32": pa.int32(), "binary": pa.binary(), "string": pa.string(), "list": pa.list_(pa.int8()),
    "dictionary": pa.dictionary(pa.int8(), pa.string()), "fixed_size_binary": pa.binary(16), "large_binary": pa.large_binary(),
}  # fmt: skip


@pytest.mark.parametrize("name", RESERVED)
@pytest.mark.parametrize("nested", [False, True])
def test_reserved_names_everywhere(lancecpp, path, name, nested):
    """Names that say how values are stored belong to one type each, however they are set."""
    wrap = (lambda field: pa.field("s", pa.struct([field]))) if nested else (lambda field: field)
    where = r"\(field 's\.x'\)" if nested else r"\(field 'x'\)"
    made = lancecpp.LanceOperation
    for storage, type in STORAGES.items():
        if (name, storage) in {("arrow.json", "string"), ("lance.json", "large_binary")}:
            continue  # these two are JSON
        plain = pa.schema([wrap(pa.field("x", type))])
        for key in ("ARROW:extension:name", "lance-schema:extension-name"):
            bad = pa.schema([wrap(with_name(type, name, key.encode()))])
            refused = pytest.raises((OSError, ValueError), match=f"{re.escape(name)}.*{where}")
            with refused:
                lancecpp.write_dataset(bad.empty_table(), path, semantic_types=True)
            assert not glob.glob(path)
            uri = f"{path}-{storage}-{key}".replace(":", "-")
            dataset = lancecpp.write_dataset(plain.empty_table(), uri, semantic_types=True)
            field = "s.x" if nested else "x"
            for change in (dataset.update_field_metadata, lambda changes: dataset.update_field_metadata(changes, replace=True)):
                with refused:
                    change({field: {key: name}})
            with refused:
                dataset.replace_field_metadata(field, {key: name})
            for schema in (bad, type_of_schema(dataset).from_pyarrow(bad)):
                for operation in (made.Project(schema), made.Merge([], schema), made.Overwrite(schema, [])):
                    with refused:
                        lancecpp.LanceDataset.commit(uri, operation, read_version=dataset.version)
            other = pa.schema([wrap(with_name(type, name, key.encode())).with_name("other")])
            with pytest.raises((OSError, ValueError), match=re.escape(name)):
                dataset.add_columns(other)
            assert lancecpp.dataset(uri).version == 1
            # Without semantic types nothing has changed.
            legacy = lancecpp.write_dataset(plain.empty_table(), uri + "-legacy")
            legacy.update_field_metadata({field: {key: name}})


def type_of_schema(dataset):
    return type(dataset.lance_schema)


def test_reserved_names_stay(lancecpp, path):
    """They are not to be taken off, either; the rest of the metadata is free."""
    blobs = pa.field("b", pa.large_binary(), metadata={b"lance-encoding:blob": b"true"})
    schema = pa.schema([pa.field("j", pa.json_()), blobs, pa.field("v", pa.large_binary())])
    dataset = lancecpp.write_dataset(schema.empty_table(), path, semantic_types=True, data_storage_version="2.2")
    shown = dataset.schema
    for changes in ({"ARROW:extension:name": None}, {"ARROW:extension:name": "example.x"}):
        with pytest.raises((OSError, ValueError), match="lance.json.*'j'"):
            dataset.update_field_metadata({"j": changes})
    for field, changes in {"b": {"ARROW:extension:name": None}, "v": {"lance-encoding:blob": "true"}}.items():
        with pytest.raises((OSError, ValueError), match=f"(can't change what|lance.blob.v2).*'{field}'"):
            dataset.update_field_metadata({field: changes})
    for field in ("j", "b", "v"):
        dataset.replace_field_metadata(field, {"note": "x"})
    assert dataset.schema == shown
    assert {f.path: f.semantic_type for f in dataset.semantic_schema} == {"j": "json", "b": "blob", "v": "binary"}
    dataset.insert(pa.table({"j": json_column(["[1]"])}))
    assert plain(dataset.to_table()["j"]) == ["[1]"]


def test_metadata_that_is_replaced(lancecpp, path):
    """What a type is none of the free metadata, and is kept unless it is named."""
    data = boxes(2).append_column("s", strings(["a", "b"], pa.string_view())).append_column("u", pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)] * 2, pa.binary(16))))
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    for field in ("s", "box", "u"):
        dataset.replace_field_metadata(field, {"note": "x"})
        assert dataset.schema.field(field).metadata[b"note"] == b"x"
    assert dataset.schema.field("s").type == pa.string_view() and dataset.schema.field("u").type == pa.uuid()
    assert dataset.schema.field("box").metadata == {**EXTENSION, b"note": b"x"}
    dataset.replace_field_metadata("s", {KEY.decode(): "large_utf8"})
    dataset.replace_field_metadata("box", {"ARROW:extension:name": "example.other"})
    assert dataset.schema.field("s").type == pa.large_string() and dataset.schema.field("s").metadata is None
    assert dataset.schema.field("box").metadata == {b"ARROW:extension:name": b"example.other"}
    dataset.update_field_metadata({"s": {KEY.decode(): None}, "box": {"ARROW:extension:name": None}})
    assert dataset.schema.field("s").type == pa.string() and dataset.schema.field("box").metadata is None


def test_parameters_of_extensions(lancecpp, path):
    dataset = lancecpp.write_dataset(boxes(1), path, semantic_types=True)
    other = {**EXTENSION, b"ARROW:extension:metadata": b'{"crs": "y"}'}
    with pytest.raises((OSError, ValueError), match="'box'.*example.bbox.*crs"):
        dataset.insert(boxes(1, metadata=other))
    dataset.insert(boxes(1, metadata={b"ARROW:extension:name": b"example.bbox"}))
    items = pa.list_(pa.field("item", pa.float32(), metadata=EXTENSION), 4)
    with pytest.raises((OSError, ValueError), match="fixed-size list.*example.bbox.*'box'"):
        lancecpp.write_dataset(pa.table({"box": pa.array([[1.0] * 4], items)}), path + "2", semantic_types=True)


def test_extensions_that_stand_aside(lancecpp, path):
    hint = {b"lance-schema:extension-name": b"example.video", b"lance-schema:extension-metadata": b"{}"}
    schema = pa.schema([
        pa.field("a", pa.binary(), metadata=hint),
        pa.field("b", pa.binary(), metadata={**hint, b"ARROW:extension:name": b"example.own"}),
        pa.field("j", pa.json_(), metadata=hint),
    ])  # fmt: skip
    data = pa.table([pa.array([b"1"]), pa.array([b"2"]), json_column(["1"])], schema=schema)
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    shown = dataset.to_table().schema
    assert shown.field("a").metadata == {b"ARROW:extension:name": b"example.video", b"ARROW:extension:metadata": b"{}"}
    assert shown.field("b").metadata[b"ARROW:extension:name"] == b"example.own"
    assert shown.field("b").metadata[b"lance-schema:extension-name"] == b"example.video"
    assert shown.field("j").type == pa.json_()
    assert shown.field("j").metadata[b"lance-schema:extension-name"] == b"example.video"
    legacy = lancecpp.write_dataset(data, path + "2")
    assert legacy.to_table().schema.field("a").metadata == hint


# ---- failures


@pytest.mark.parametrize("values", [pa.int32(), pa.int64(), pa.float64()], ids=str)
def test_dictionaries_of_numbers(lancecpp, path, values):
    """Numbers have one representation in Arrow; the files of tables without semantic types hold them."""
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, None, 0]), pa.array([1], values))
    items = pa.ListArray.from_arrays(pa.array([0, 3], pa.int32()), dictionary)
    for data, field in ((dictionary, "'n'"), (items, "'n.item'")):
        table = pa.table({"n": data})
        with pytest.raises((OSError, ValueError), match=f"cast the column to {values}.*{field}"):
            lancecpp.write_dataset(table, path, data_storage_version="2.3")
        assert not os.path.exists(path)
    table = pa.table({"n": dictionary})
    assert lancecpp.write_dataset(table, path, data_storage_version="2.3", semantic_types=False).to_table() == table
    with pytest.raises((OSError, ValueError, NotImplementedError), match="only strings and binary"):
        lancecpp.dataset(path).upgrade_semantic_types()
    plain = pa.table({"n": dictionary.cast(values)})
    data = lancecpp.write_dataset(plain, path + "2", data_storage_version="2.3", semantic_types=True)
    with pytest.raises((OSError, ValueError), match="'n'"):
        data.insert(table)


def test_inputs_that_are_refused(lancecpp, path):
    data = pa.table({"s": ["a"], "n": pa.array([{"x": pa.scalar(1).as_py()}], pa.struct([("x", pa.int32())]))})
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    for column, what in {
        "s": (pa.array([b"a"]), "'s'.*string.*binary"),
        "n": (pa.array([{"x": 1}], pa.struct([("x", pa.int64())])), "'n.x'.*int32.*int64"),
    }.items():
        array, message = what
        bad = data.set_column(data.column_names.index(column), column, array)
        with pytest.raises((OSError, ValueError), match=message):
            lancecpp.write_dataset(bad, path, mode="append")
    views = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(["a"], pa.string_view()))
    with pytest.raises((OSError, ValueError), match="'s'.*string.*dictionary"):
        lancecpp.write_dataset(data.set_column(0, "s", views), path, mode="append")
    numbers = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array([1]))
    with pytest.raises((OSError, ValueError), match="'s'.*string.*dictionary"):
        lancecpp.write_dataset(data.set_column(0, "s", numbers), path, mode="append")
    text = pa.table({"s": json_column(["1"]), "n": data["n"]})
    with pytest.raises((OSError, ValueError), match="'s'.*string.*json"):
        lancecpp.write_dataset(text, path, mode="append")
    assert len(glob.glob(f"{path}/data/*")) == 1
    assert lancecpp.dataset(path).version == dataset.version


def test_ordered_dictionaries_are_refused(lancecpp, path):
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["b", "a"]), ordered=True)
    nested = pa.StructArray.from_arrays([ordered], ["x"])
    for column, where in ((ordered, "'c'"), (nested, r"'c\.x'")):
        data = pa.table({"c": column})
        with pytest.raises((OSError, ValueError), match=f"order.*{where}"):
            lancecpp.write_dataset(data, path, semantic_types=True)
    assert not glob.glob(path)
    dataset = lancecpp.write_dataset(pa.table({"c": ["a"]}), path, semantic_types=True)
    with pytest.raises((OSError, ValueError), match="'c' of the semantic type string.*ordered=1.*order"):
        dataset.insert(pa.table({"c": ordered}))


def test_inputs_that_no_table_stores(lancecpp, path):
    views = pa.table({"x": pa.array([[1]], pa.list_view(pa.int32()))})
    with pytest.raises((OSError, ValueError, NotImplementedError), match="no semantic type.*list_view.*'x'"):
        lancecpp.write_dataset(views, path, semantic_types=True)
    dataset = lancecpp.write_dataset(pa.table({"x": [[1]]}, schema=pa.schema({"x": pa.list_(pa.int32())})), path, semantic_types=True)
    with pytest.raises((OSError, ValueError), match="'x' of the semantic type list.*list_view"):
        dataset.insert(views)


def test_json_over_other_layouts(lancecpp, path):
    name = {b"ARROW:extension:name": b"arrow.json"}
    for column in (strings(['{"a": 1}'], LAYOUTS["dictionary:int8:utf8"]), pa.array([b"1"]), pa.array([1])):
        schema = pa.schema([pa.field("j", column.type, metadata=name)])
        data = pa.table([column], schema=schema)
        with pytest.raises((OSError, ValueError), match="arrow.json is text.*'j'"):
            lancecpp.write_dataset(data, path, semantic_types=True)
        dataset = lancecpp.write_dataset(pa.table({"j": json_column(["1"])}), f"{path}-{column.type.id}", semantic_types=True)
        with pytest.raises((OSError, ValueError), match="'j' of the semantic type json"):
            dataset.insert(data)
    dataset = lancecpp.write_dataset(pa.table({"s": ["{bad"]}), path, semantic_types=True)
    for key in ("ARROW:extension:name", "lance-schema:extension-name"):
        with pytest.raises((OSError, ValueError), match="arrow.json.*string.*'s'"):
            dataset.update_field_metadata({"s": {key: "arrow.json"}})
    assert dataset.to_table().schema.field("s").type == pa.string()


def test_values_that_do_not_fit(lancecpp, path):
    """4 GiB of strings from a dictionary of one: each batch of 32-bit offsets holds 2 GiB at most."""
    megabyte = "x" * (1 << 20)
    rows = 2100
    keys = pa.array([0] * rows, pa.int8())
    column = pa.DictionaryArray.from_arrays(keys, pa.array([megabyte]))
    lists = pa.ListArray.from_arrays([0, rows], column)
    dataset = lancecpp.write_dataset(pa.table({"s": column}), path, semantic_types=True)
    batches = 0
    for batch in dataset.to_batches(output_encodings={"s": "utf8"}):
        assert batch.schema.field("s").type == pa.string()
        assert pc.all(pc.equal(pc.binary_length(batch["s"]), 1 << 20)).as_py()
        batches += batch.num_rows
    assert batches == rows
    size = rows << 20
    with pytest.raises((OSError, ValueError), match=rf"{size} bytes.*utf8.*large_utf8.*'s'"):
        dataset.take(list(range(rows)), output_encodings={"s": "utf8"})
    assert dataset.take(list(range(rows)), output_encodings={"s": "utf8_view"}).num_rows == rows
    # One row: no smaller batch helps.
    one = lancecpp.write_dataset(pa.table({"l": lists}), path + "2", semantic_types=True)
    with pytest.raises((OSError, ValueError), match=rf"{size} bytes.*utf8.*large_utf8.*'l\.item'"):
        one.to_table(output_encodings={"l.item": "utf8"})
    shown = one.to_table(output_encodings={"l.item": "utf8_view"})
    assert pc.list_value_length(shown["l"]).to_pylist() == [rows]


def test_takes_that_do_not_fit(lancecpp, path):
    """The requested encoding is named, whatever it is made of, also over fragments and repeats."""
    megabyte = "x" * (1 << 20)
    part = pa.table({"s": [megabyte] * 1100})
    dataset = lancecpp.write_dataset(part, path, semantic_types=True, data_storage_version="2.2")
    dataset.insert(part)
    wanted = list(range(2200))
    for indices in (wanted, wanted[::-1], [0] * 2200):
        with pytest.raises((OSError, ValueError), match=rf"{2200 << 20} bytes.*encoding utf8 .*large_utf8.*'s'"):
            dataset.take(indices)
        assert dataset.take(indices, output_encodings={"s": "large_utf8"}).num_rows == 2200
        taken = dataset.take(indices, output_encodings={"s": "dictionary:int8:utf8"})
        assert taken["s"].chunk(0).dictionary.to_pylist() == [megabyte]
    few = [pa.table({"s": strings([f"{i} {k}" for k in range(100)], LAYOUTS["dictionary:int8:utf8"])}) for i in range(2)]
    dataset = lancecpp.write_dataset(few[0], path + "2", semantic_types=True)
    dataset.insert(few[1])
    with pytest.raises((OSError, ValueError), match=r"200 different values.*dictionary:int8:utf8.*'s'"):
        dataset.take(list(range(200)))
    assert plain(dataset.take([150, 3])["s"]) == ["1 50", "0 3"]
    # JSON has two encodings, and no larger text.
    texts = json_column(['"' + megabyte + '"'] * 4)
    dataset = lancecpp.write_dataset(pa.table({"j": texts}), path + "3", semantic_types=True)
    with pytest.raises((OSError, ValueError), match=r"\d{10} bytes.*encoding arrow.json .*lance.json.*'j'"):
        dataset.take([0, 1, 2, 3] * 550)
    assert dataset.take([0, 1, 2, 3] * 550, output_encodings={"j": "lance.json"}).num_rows == 2200


# ---- what people see


def test_semantic_schema(lancecpp, path):
    data = pa.table({
        "name": strings(["a"], pa.large_string()),
        "price": decimals(["1"], pa.decimal128(10, 2)),
        "tags": pa.array([["x"]], pa.list_(pa.string())),
        "j": json_column(["1"]),
    })  # fmt: skip
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    assert repr(dataset.semantic_schema) == "\n".join([
        "path      | semantic type | output encoding | recorded   | extension",
        "name      | string        | large_utf8      | large_utf8 |",
        "price     | decimal:10:2  | decimal128      |            |",
        "tags      | list          | list            |            |",
        "tags.item | string        | utf8            |            |",
        "j         | json          | arrow.json      |            |",
    ])  # fmt: skip
    field = dataset.semantic_schema["price"]
    assert (field.id, field.parameters, field.nullable) == (1, "precision=10, scale=2", True)
    assert field.recorded_encoding is None and dataset.semantic_schema["name"].recorded_encoding == "large_utf8"
    assert len(dataset.semantic_schema) == 5 and dataset.semantic_schema.field("nope") is None
    with pytest.raises(KeyError):
        dataset.semantic_schema["nope"]


def test_columns_by_expressions(lancecpp, path):
    data = pa.table({"s": strings(["a", "b"], pa.string_view()), "j": json_column(["1", "2"])})
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    table = dataset.to_table(columns={"t": "s", "u": "upper(s)", "k": "j"})
    assert table.schema.field("t").type == pa.string_view()
    assert table.schema.field("k").type == pa.json_()
    assert plain(table["u"]) == ["A", "B"] and plain(table["t"]) == ["a", "b"]
    table = dataset.to_table(columns={"k": "j"}, output_encodings={"j": "lance.json"})
    assert table.schema.field("k").type == pa.large_binary()
    taken = dataset.take([1], columns={"t": "s"}, output_encodings={"s": "dictionary:int8:utf8"})
    assert taken.schema.field("t").type == LAYOUTS["dictionary:int8:utf8"] and plain(taken["t"]) == ["b"]


def test_other_engines_read_it(lancecpp, path):
    duckdb = pytest.importorskip("duckdb")
    data = pa.table({"s": strings(["a", "b", "a"], pa.string_view()), "n": [1, 2, 3]})
    dataset = lancecpp.write_dataset(data, path, semantic_types=True)
    got = duckdb.sql("SELECT s, sum(n) FROM dataset WHERE s = 'a' GROUP BY s").fetchall()
    assert got == [("a", 4)]


def test_blobs(lancecpp, path):
    schema = pa.schema([pa.field("b", pa.large_binary(), metadata={b"lance-encoding:blob": b"true"}), ("s", pa.string())])
    data = pa.table([pa.array([b"one", None], pa.large_binary()), pa.array(["a", "b"])], schema=schema)
    for version in ("2.1", "2.2"):
        uri = f"{path}-{version}"
        dataset = lancecpp.write_dataset(data, uri, semantic_types=True, data_storage_version=version)
        dataset = lancecpp.write_dataset(data.set_column(1, "s", strings(["c", "d"], pa.large_string())), uri, mode="append")
        assert dataset.semantic_schema["b"].semantic_type == "blob"
        files = dataset.take_blobs("b", indices=[0, 2])
        assert [file.read() for file in files] == [b"one", b"one"]
        table = dataset.to_table(blob_handling="all_binary")
        assert plain(table["b"]) == [b"one", None] * 2 and plain(table["s"]) == ["a", "b", "c", "d"]
        dataset.optimize.compact_files()
        assert [f.read() for f in lancecpp.dataset(uri).take_blobs("b", indices=[0, 2])] == [b"one", b"one"]


def test_cli_shows_it(lancecpp, path):
    import os
    import subprocess

    build = os.path.join(os.path.dirname(os.path.dirname(lancecpp.__file__)), "..", "bin", "lance")
    if not os.path.exists(build):
        pytest.skip("no command line tool")

    def run(*arguments):
        return subprocess.run([build, *arguments], capture_output=True, text=True, check=True).stdout

    lancecpp.write_dataset(pa.table({"name": strings(["a"], pa.large_string())}), path)
    assert "semantic_types" not in json.loads(run("schema", path, "--json"))
    assert "version 2" in run("upgrade", path, "--semantic-types") and is_flagged(path)
    shown = json.loads(run("schema", path, "--json"))
    assert shown["semantic_types"] is True
    (field,) = shown["fields"]
    assert (field["semantic_type"], field["output_encoding"]) == ("string", "large_utf8")
    assert "large_utf8" in run("schema", path) and "semantic type" in run("schema", path)
    assert '"a"' in run("head", path, "--json")


def test_conditions_of_pyarrow_on_views(lancecpp, path):
    import pyarrow.compute as pc

    vectors = pa.array([[1.0, 2.0]] * 2, pa.list_(pa.float32(), 2))
    table = pa.table({"s": ["a", "b"], "x": [1, 2], "v": vectors, "st": [{"n": "q"}, {"n": "r"}]})
    lancecpp.write_dataset(table, path, semantic_types=True)
    for column in ("s", "st.n"):
        lancecpp.dataset(path).set_output_encoding(column, "utf8_view")
    data = lancecpp.dataset(path)
    assert data.schema.field("s").type == pa.string_view()
    for condition, rows in (
        (pc.field("s") == "a", [1]),
        (pc.utf8_upper(pc.field("s")) == "A", [1]),
        ((pc.field("x") > 1) & (pc.utf8_upper(pc.field("s")) == "B"), [2]),
        (pc.utf8_upper(pc.field("st", "n")) == "R", [2]),
    ):
        got = data.to_table(filter=condition)
        assert got["x"].to_pylist() == rows and got.schema.equals(data.schema)
        assert data.count_rows(condition) == len(rows)
        assert data.to_table(filter=condition, columns=["x"])["x"].to_pylist() == rows
