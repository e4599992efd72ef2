"""JSON columns: text in, JSONB stored as the reference stores it, text out.

`lance` is pylance or lancecpp; what one writes, both read.
"""

import glob
import importlib
import json
import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest

TEXTS = ['{"b": [1, 2.5, {"c": null}], "a": "x"}', None, "[1.5, \"y\"]", "7", "", "  {}  ", "null"]
SHOWN = ['{"a":"x","b":[1,2.5,{"c":null}]}', None, '[1.5,"y"]', "7", "null", "{}", "null"]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "table")


def column(texts, storage=pa.string()):
    return pa.ExtensionArray.from_storage(pa.json_(storage), pa.array(texts, storage))


def table(texts=TEXTS, **kwargs):
    return pa.table({"id": list(range(len(texts))), "j": column(texts, **kwargs)})


def both(pylance, lancecpp, path):
    tables = [engine.dataset(path).to_table() for engine in (pylance, lancecpp)]
    assert tables[0] == tables[1]
    return tables[1]


def cells(path):
    """The stored bytes of the first column of the only data file."""
    file = importlib.import_module("lancecpp.file")
    (name,) = glob.glob(f"{path}/data/*.lance")
    return file.LanceFileReader(name).read_all().to_table().column(0).to_pylist()


def test_round_trip(lance, pylance, lancecpp, path):
    dataset = lance.write_dataset(table(), path)
    assert dataset.schema.field("j").type == pa.json_()
    got = both(pylance, lancecpp, path)
    assert got.schema.field("j").type == pa.json_()
    assert got["j"].to_pylist() == SHOWN
    assert dataset.take([3, 0])["j"].to_pylist() == [SHOWN[3], SHOWN[0]]
    assert dataset.head(2)["j"].to_pylist() == SHOWN[:2]
    batches = list(dataset.to_batches(columns=["j"], batch_size=2))
    assert [text for batch in batches for text in batch["j"].to_pylist()] == SHOWN
    (fragment,) = dataset.get_fragments()
    assert fragment.to_table(columns=["j"])["j"].to_pylist() == SHOWN
    assert dataset.to_table(filter="json_get_string(j, 'a') = 'x'")["id"].to_pylist() == [0]


def test_conditions_of_pyarrow(lancecpp, path):
    dataset = lancecpp.write_dataset(table(), path)
    assert dataset.to_table(filter=pc.field("id") > 4)["j"].to_pylist() == SHOWN[5:]
    assert dataset.to_table(filter=pc.field("j").is_null())["id"].to_pylist() == [1]
    both_parts = (pc.field("id") > 0) & pc.field("j").is_valid()
    assert dataset.to_table(filter=both_parts)["id"].to_pylist() == [2, 3, 4, 5, 6]
    assert dataset.count_rows(both_parts) == 5


@pytest.mark.parametrize("storage", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_kinds_of_text(lancecpp, pylance, path, storage):
    lancecpp.write_dataset(table(storage=storage), path)
    lancecpp.write_dataset(table(storage=storage), path, mode="append")
    assert both(pylance, lancecpp, path)["j"].to_pylist() == SHOWN * 2


def test_nested(lance, pylance, lancecpp, path):
    mask = pa.array([False, True, False, False])
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 7]), column(TEXTS), mask=mask)
    structs = pa.StructArray.from_arrays([column(TEXTS[:4])], names=["j"], mask=mask)
    maps = pa.MapArray.from_arrays([0, 1, 1, 3, 4], ["a", "b", "c", "d"], column(TEXTS[:4]))
    data = pa.table({"l": lists, "s": structs, "m": maps})
    lancecpp.write_dataset(data, path)
    lancecpp.write_dataset(data.slice(1, 2), path, mode="append")
    got = both(pylance, lancecpp, path)
    first = got.slice(0, 4)
    assert first["l"].to_pylist() == [SHOWN[:2], None, SHOWN[2:3], SHOWN[3:7]]
    assert first["s"].to_pylist() == [{"j": SHOWN[0]}, None, {"j": SHOWN[2]}, {"j": SHOWN[3]}]
    assert first["m"].to_pylist() == [[("a", SHOWN[0])], [], [("b", None), ("c", SHOWN[2])], [("d", SHOWN[3])]]
    assert got.slice(4)["l"].to_pylist() == [None, SHOWN[2:3]]
    assert first.schema.field("l").type.value_type == pa.json_()


def test_changes_keep_cells(lancecpp, pylance, path):
    for mode in ("create", "append"):
        lancecpp.write_dataset(table(), path, mode=mode)
    lancecpp.dataset(path).delete("id = 1")
    lancecpp.dataset(path).update({"id": "id + 10"}, where="id = 0")
    lancecpp.dataset(path).update({"j": """'{"new": 1}'"""}, where="id = 3")
    lancecpp.dataset(path).optimize.compact_files()
    got = both(pylance, lancecpp, path)
    want = {10: SHOWN[0], 2: SHOWN[2], 3: '{"new":1}', 4: "null", 5: "{}", 6: "null"}
    assert dict(zip(got["id"].to_pylist(), got["j"].to_pylist())) == want
    assert got.num_rows == 12
    again = path + "-again"
    lancecpp.write_dataset(lancecpp.dataset(path), again)
    assert both(pylance, lancecpp, again)["j"].to_pylist() == got["j"].to_pylist()


# Of the grammar, which is wider than RFC 8259, each in another place.
LENIENT = [
    "TRUE", "nan", "Infinity", "-Infinity", "+NaN", "-0", "00", "0.", "5.", ".5", "1e2", "-0.0", "1e400", "-1e400",
    "1e-400", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809",
    "9" * 38, "9" * 39, "0" * 50 + "7", "0x1F", "-0x1f", "0xFFFFFFFFFFFFFFFF", "0x10000000000000000", "0x1.8", "-0x0",
    "[1,,2]", "[1,]", "[,]", "{'a':'b\"c'}", "{a:1,$b:2,_c:3}", "{é:1}", '{"b":1,"a":2}', '"\\u00e9"', '"\\u{00e9}"',
    '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00x"', '"\\ud83d\\u0041"', '"\\u{d83d}\\u{de00}"', '"\n"', "\\n1\\t",
    "\\x0C[1]", "1.7976931348623157e308", "5e-324", "9007199254740993.0", "1" * 400, "0." + "0" * 400 + "1",
    '{"":1}', '{"a":"","ab":1,"A":2,"é":3}', "[[[[[]]]]]", '"' + "x" * 70000 + '"', "-1.5e-3",
]  # fmt: skip
REFUSED = {
    "{": "EOF while parsing", "abc": "expected value", "@": "expected value", '{"a":}': "expected value",
    "nulx": "expected ident", "-": "invalid number", ".": "invalid number", "1e": "invalid number",
    "1.2.3": "invalid number", "--1": "invalid number", "0x": "invalid number", "-nan": "invalid number",
    ".e5": "invalid number", '"\\q"': "invalid escaped '71'", '"\\u12G4"': "invalid hex '47'",
    '{"a" 1}': "expected `:`", "[1 2]": "expected `,` or `]`", '{"a":1 "b":2}': "expected `,` or `}`",
    "1 2": "trailing characters", "00x1": "trailing characters", "1_000": "trailing characters",
    '{"a":1,"\\u0061":2}': 'duplicate object attribute "a"', "{1:2}": "cannot be a number",
    '{"a":1,}': "cannot be invalid character", "{-a:1}": "cannot be invalid character", '"abc': "EOF while parsing",
}  # fmt: skip


def test_grammar(lancecpp, pylance, tmp_path):
    paths = [str(tmp_path / name) for name in ("ours", "theirs")]
    for engine, path in zip((lancecpp, pylance), paths):
        engine.write_dataset(pa.table({"j": column(LENIENT)}), path)
    ours, theirs = (cells(path) for path in paths)
    for text, a, b in zip(LENIENT, ours, theirs):
        assert a == b, text[:60]
    assert both(pylance, lancecpp, paths[0]) == both(pylance, lancecpp, paths[1])


def test_refusals(lance, path):
    for text, what in REFUSED.items():
        with pytest.raises((OSError, ValueError)) as error:
            lance.write_dataset(pa.table({"j": column(["1", text])}), path)
        assert what in str(error.value), text


def test_refusals_name_the_place(lancecpp, path):
    with pytest.raises((OSError, ValueError), match=r"pos 3.*'j', row 1"):
        lancecpp.write_dataset(pa.table({"j": column(["1", "[1 ?"])}), path)
    for deep in ("[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000):
        with pytest.raises((OSError, ValueError), match="nested deeper than 1000 levels"):
            lancecpp.write_dataset(pa.table({"j": column([deep])}), path)
    deep = "[" * 1000 + "]" * 1000
    assert lancecpp.write_dataset(pa.table({"j": column([deep])}), path).to_table()["j"].to_pylist() == [deep]


def random_value(rng, depth):
    kind = rng.randrange(8 if depth > 0 else 6)
    if kind == 6:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 7:
        return {random_text(rng): random_value(rng, depth - 1) for _ in range(rng.randrange(5))}
    number = rng.choice([rng.randrange(-(2**65), 2**65), rng.randrange(-300, 300), rng.uniform(-1e6, 1e6)])
    return [None, True, False, random_text(rng), number, rng.random() * 10.0 ** rng.randrange(-300, 300)][kind]


def random_text(rng):
    return "".join(rng.choice('abc"\\/\b\n\t\x01é\u2028\U0001f600 \'{}[]:,') for _ in range(rng.randrange(8)))


@pytest.mark.parametrize("seed", range(5))
def test_random_documents(seed, lancecpp, pylance, tmp_path):
    rng = random.Random(seed)
    values = [random_value(rng, 5) for _ in range(2000)]
    texts = [
        json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])) for value in values
    ]
    paths = [str(tmp_path / name) for name in ("ours", "theirs")]
    for engine, path in zip((lancecpp, pylance), paths):
        engine.write_dataset(pa.table({"j": column(texts)}), path)
    assert cells(paths[0]) == cells(paths[1])
    assert both(pylance, lancecpp, paths[0]) == both(pylance, lancecpp, paths[1])
