"""Chosen expressions: our values and types are those of pylance."""

import datetime
import decimal
import json

import pyarrow as pa
import pytest

TABLE = pa.table(
    {
        "i": pa.array([1, 2, None, -5, 7], pa.int32()),
        "l": pa.array([1, 2, None, -5, 1 << 40], pa.int64()),
        "u8": pa.array([1, 2, None, 5, 255], pa.uint8()),
        "f": pa.array([0.0, -0.0, None, 2.5, -1234.567], pa.float64()),
        "f32": pa.array([0.1, -0.0, None, 1e10, 3.0], pa.float32()),
        "s": pa.array(["a", "B_b", None, "héé% x", ""]),
        "b": pa.array([True, False, None, True, False]),
        "d": pa.array([datetime.date(2021, 1, 1), datetime.date(1969, 12, 31), None, datetime.date(2020, 2, 29), datetime.date(2199, 12, 31)]),
        "ts": pa.array([0, 1, None, 1609459200000000, -1], pa.timestamp("us")),
        "tz": pa.array([0, 1, None, 1609459200000000, -1], pa.timestamp("us", "UTC")),
        "t32": pa.array([0, 1, None, 3726, 86399], pa.time32("s")),
        "dec": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-1.50"), None, decimal.Decimal("0.00"), decimal.Decimal("99999999.99")], pa.decimal128(10, 2)),
        "li": pa.array([[1, 2], [], None, [None], [3]], pa.list_(pa.int32())),
        "lst": pa.array([["a", "b"], [], None, [None], ["foo"]]),
        "st": pa.array([{"x": 1, "y z": "q"}, {"x": None, "y z": "r"}, None, {"x": 3, "y z": None}, {"x": 4, "y z": "t"}]),
    }
)

EXPRESSIONS = """
i + 1 | i + u8 | u8 + l | i * l | i + f | f32 * f32 | f32 + 1.5 | i / 2 | i % 2 | -i | (i + 1) * 2
dec + 1 | dec * 2 | dec / 3 | dec % 1 | dec + dec | dec * dec | dec - l | l - dec | d - d | ts - ts
cast(i as string) | cast(f as string) | cast(f32 as string) | cast(b as string) | cast(b as int) | cast(d as string)
cast(ts as string) | cast(tz as string) | cast(t32 as string) | cast(dec as string) | try_cast(f as tinyint) | cast(i as boolean)
cast(ts as date) | cast(d as timestamp) | cast(d as int) | cast(dec as int) | cast(dec as double) | cast(dec as decimal(12, 1))
cast(i as decimal(10, 2)) | cast(f as decimal(10, 2)) | try_cast(s as int) | try_cast(s as date) | arrow_cast(i, 'Int64') | i::bigint
upper(s) | lower(s) | length(s) | octet_length(s) | bit_length(s) | ascii(s) | concat(s, i, 'x') | s || 'x' | i || s | reverse(s)
starts_with(s, 'h') | ends_with(s, 'b') | contains(s, 'b') | replace(s, 'b', 'XX') | replace(s, '', '.') | strpos(s, 'é')
split_part(s, ' ', 2) | split_part(s, '_', -1) | lpad(s, 3) | lpad(s, 5, 'xy') | rpad(s, 1, 'xy') | lpad(s, 5, '') | lpad(s, -1, 'x')
repeat(s, 2) | ltrim(s, 'ha') | btrim(s, 'ab') | rtrim(s, 'x') | translate(s, 'éb', 'e') | initcap(s)
abs(i) | abs(dec) | abs(f) | round(f) | round(f, 1) | round(f, -2) | trunc(f) | sqrt(u8) | power(i, 2) | exp(i) | log10(u8) | log2(u8)
ln(u8) | signum(f) | isnan(f) | iszero(f) | nanvl(f, 1.0) | sin(i) | degrees(i) | radians(f)
greatest(i, 2) | greatest(f, 1.0) | least(f, i) | least(s, 'b') | coalesce(i, 0) | coalesce(i, 1.5) | nullif(i, 1) | nvl(i, 7) | nvl2(i, 'y', 'n')
date_part('year', ts) | date_part('quarter', d) | date_part('month', tz) | date_part('week', d) | date_part('day', d) | date_part('hour', ts)
date_part('minute', ts) | date_part('second', ts) | date_part('millisecond', ts) | date_part('microsecond', ts) | date_part('dow', d)
date_part('doy', d) | date_part('isodow', d) | date_part('epoch', ts) | date_part('nanosecond', ts)
date_trunc('year', ts) | date_trunc('quarter', ts) | date_trunc('month', ts) | date_trunc('week', ts) | date_trunc('day', tz) | date_trunc('hour', tz)
date_trunc('minute', ts) | date_trunc('second', ts) | date_trunc('millisecond', ts) | date_trunc('month', d) | to_timestamp(i) | to_timestamp_millis(l)
to_date(ts) | to_unixtime(ts) | make_date(2021, u8 % 12 + 1, 3)
array_has(li, 1) | array_has_any(lst, ['a', 'z']) | array_has_all(lst, ['a', 'b']) | array_contains(lst, 'foo') | list_contains(lst, 'foo')
array_length(li) | cardinality(li) | empty(li) | array_position(li, 2) | array_element(li, 1) | li[1] | li[-1] | lst[2]
regexp_like(s, '^h') | regexp_like(s, 'B_B', 'i') | regexp_match(s, '(h)(.)') | regexp_match(s, 'h.') | regexp_replace(s, 'é', 'e')
regexp_replace(s, 'é', 'e', 'g') | regexp_replace(s, '(h)(é)', '$2$1') | regexp_count(s, 'é') | is_valid(i) | contains_tokens(s, 'b B')
array_has([1, 2], i) | array_has([1, null], i) | array_has(['a', ''], s) | array_has([[1, 2]], li) | array_position([1, 2], i)
array_position(li, null) | array_position([1, null], i) | array_has_any(li, [null]) | array_has_any([null, 'a'], lst) | array_has_all(lst, lst)
array_has_all(lst, [null]) | array_has_any(lst, null) | lst = [null] | nanvl(1.5, f) | nanvl(f, f + 1)
s like '\\a' | s like 'a\\' | s like '\\B\\_b%' | cast(dec - dec as string) | arrow_cast(i, 'Date64') | arrow_cast(l, 'Date64')
arrow_typeof(li) | arrow_typeof(ts) | arrow_typeof(tz) | arrow_typeof(t32) | arrow_typeof(dec) | arrow_typeof(st) | initcap(concat('1a b2c x-y ', s))
regexp_replace(s, '\\b', 'x') | regexp_replace(s, '', '.', 'g') | regexp_replace(s, '^', '.') | regexp_replace(s, '$', '.', 'g') | regexp_replace(s, '(h)', '[$1x]')
regexp_replace(s, '(h)', '[${1}x]') | regexp_replace(s, '(?<n>h)', '[$n $$ ${n} $nn $2 ${7} $]') | regexp_replace(s, '(h)', '[\\1] \\ \\2 \\n ${x')
regexp_replace(s, 'é', '<\\0 $0>', 'g') | regexp_replace(s, null, 'x') | regexp_replace(s, 'h', null) | regexp_count(s, null) | regexp_count(s, '')
regexp_count(s, '^.') | regexp_count(s, '[a-z]', 2) | regexp_count(s, '[A-Z]', 2, 'i') | regexp_match(s, null) | regexp_match(s, '(\\w)(\\W)')
regexp_match(s, '\\w+') | regexp_like(s, '^\\w+$') | regexp_like(s, '(?x) \\w # c') | regexp_like(s, '[^\\W]') | regexp_like(s, '\\u0061')
regexp_like(s, 'a++') | regexp_like(s, '[\\s\\d]') | regexp_like(s, '[^\\s\\d]') | regexp_like(s, '\\S\\S') | regexp_like(s, '\\D') | regexp_like(s, '[a[bc]]')
regexp_like(s, '\\p{Letter}') | regexp_like(s, 'A', 'iu') | regexp_like(s, '(?i:B)_') | regexp_match(s, '(?P<x>h).(.)')
array_append(li, 5) | array_append(li, i) | array_append(lst, s) | array_prepend(5, li) | list_remove(li, 1) | array_remove(li, i)
array_sort(li) | array_sort(li, 'DESC') | array_sort(lst, 'ASC', 'NULLS LAST') | array_distinct(array_concat(li, li)) | array_concat(li, [9]) | array_min(li)
array_max(lst) | list_cat(lst, ['x'], lst) | array_length(li, 1) | d + i | d - i | (d + 1) > d | gcd(i, 12) | lcm(i, 12) | sinh(f) | cosh(i) | tanh(f)
asinh(f) | atanh(i) | acosh(l) | cot(i) | cast(i as binary) | cast(i + 0.7 as timestamp) | cast(dec as timestamp) | cast(ts as float) | cast(ts as double)
cast(ts as decimal(38, 2)) | cast(li as string) | cast(lst as string) | arrow_cast(s, 'Utf8View')
cast(i as binary) || X'41' | array_distinct(lst) | greatest(i, null, u8)
array_has([i, 5], 19) | not list_has([i, 5], 19) | array_has([s, 'a'], 'b') | cardinality([li, li]) | array_position(li, 2, 1) | length(i)
round(f32, 1) | trunc(f32, 1) | round(f, i) | round(f32, -1) | (1.5 + 1) * i | -(1.5) + i | (1 + 1) * i | i + (1 + 1) | pi() % 1.5 / u8 | (1.5 + 1) < i
translate(s, 'hé', 'xyz') | translate(s, 'éé', 'xy') | translate(s, s, 'é') | to_timestamp(f * 1e10) | to_timestamp(f / 0)
arrow_cast(d, 'Date64') - arrow_cast(d, 'Date64') | arrow_cast(ts, 'Timestamp(ms, "+02:00")') | ts - tz | tz - ts | arrow_cast(ts, 'Timestamp(s)') - tz
array_has([i, i], 1) | list_has([i, u8], 1) | array_has([i, i], i) | i = 1OR i = 2
coalesce(ts, arrow_cast(ts, 'Timestamp(ns)')) | ts - arrow_cast(ts, 'Timestamp(s)') | greatest(ts, arrow_cast(ts, 'Timestamp(ms)'))
ts + arrow_cast(l, 'Duration(ns)') | arrow_cast(ts, 'Timestamp(ns)') - arrow_cast(i, 'Duration(us)')
st | st.x + 1 | st['y z'] | i is null | i = 1 | i in (1, 2) | b is not true | i is distinct from 1 | s like '%b' | not b | b and null
""".replace("\n", " | ").strip(" |").split(" | ")

# Names and types differ only in how strings are laid out.
_VIEWS = {pa.string_view(): pa.utf8(), pa.binary_view(): pa.binary()}


def _values(dataset, expression):
    column = dataset.to_table(columns={"r": expression})["r"]
    type_ = pa.list_(_VIEWS.get(column.type.value_type, column.type.value_type)) if pa.types.is_list(column.type) else column.type
    return _VIEWS.get(type_, type_), column.to_pylist()


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    pylance = pytest.importorskip("lance")
    import lancecpp

    path = str(tmp_path_factory.mktemp("expressions") / "t.lance")
    pylance.write_dataset(TABLE, path)
    return lancecpp.dataset(path), pylance.dataset(path)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_and_types(expression, datasets):
    ours, theirs = datasets
    assert repr(_values(ours, expression)) == repr(_values(theirs, expression))


TIMES = """
2021-1-1 | 20210101 | 2021-01-01 | 2021-01-01 12:00 | 2021-01-01 12:00:60 | 2021-01-01 12:00:61 | 2021-01-01 12:00:00 UTC
2021-01-01 12:00:00 +02:00 | 2021-01-01T12:00:00.123456789+0200 | 2021-01-01 12:00:00+02 | 2021-01-01Z | 2021-01-01 12 | 2021-01-01 1:00:00
2021-01-01 12:00:00. | 2021-01-01 12:00:00Z | 2021-01-01 12:00:00 Z | 2021-01-01 120000 | 2021-02-29 12:00:00 | 2021-01-01 24:00:00
""".strip().replace("\n", " | ").split(" | ")


@pytest.mark.parametrize("text", TIMES)
@pytest.mark.parametrize("type_", ["timestamp", "date"])
def test_texts_as_times(text, type_, datasets):
    ours, theirs = datasets
    expression = f"try_cast(concat('{text}', left(s, 0)) as {type_})"
    assert repr(_values(ours, expression)) == repr(_values(theirs, expression))


NUMBERS = ["1e3", "1e-3", " 1", "1 ", "\t-1.005\n", "+.5", "1.", "1 1", "- 1", "1.2.3", "nan", "99999999.999", "99999999.994", "-0", "+0", "-1"]
DATES = ["99999-01-01", "+2020-01-01", "-2020-01-01", "12020-02-29", "+12020-02-29", "2020-02-29T23:59:60", "2020-02-29T23:59:60Z", "-0001-1-1"]


@pytest.mark.parametrize("text", NUMBERS)
@pytest.mark.parametrize("type_", ["decimal(10, 2)", "decimal(5, 0)", "tinyint unsigned", "bigint unsigned"])
def test_texts_as_numbers(text, type_, datasets):
    ours, theirs = datasets
    expression = f"try_cast(concat('{text}', left(s, 0)) as {type_})"
    assert repr(_values(ours, expression)) == repr(_values(theirs, expression))


@pytest.mark.parametrize("text", DATES)
def test_texts_as_days(text, datasets):
    ours, theirs = datasets
    expression = f"cast(try_cast(concat('{text}', left(s, 0)) as date) as int)"
    assert repr(_values(ours, expression)) == repr(_values(theirs, expression))


DOCUMENTS = [
    {"a": 1, "b": "x", "c": [1, 2, "three", None], "d": {"e": 2.5, "f": True}},
    {"a": -3, "b": "17", "c": [], "d": None},
    {"a": 2.5, "b": "yes", "c": [[1], {"k": 1}]},
    [10, 20, {"a": 1}],
    "text",
    None,
]
JSON_EXPRESSIONS = """
json_extract(j, '$.a') | json_extract(j, '$.c[*]') | json_extract(j, '$.d.e') | json_extract(j, '$.c[last]') | json_extract(j, '$[0 to 1]')
json_extract(j, '$.b') | json_extract(j, '$') | json_extract(j, '$.**') | json_extract(j, '$.a > 0') | json_exists(j, '$.d') | json_exists(j, '$.c[1]')
json_get(j, 'd') | json_get_string(j, 'b') | json_get_string(j, 'a') | json_get_int(j, 'a') | json_get_float(j, 'a')
json_get(json_get(j, 'c'), '1') | json_array_contains(j, '$.c', 'three') | json_array_contains(j, '$.c', '2') | json_array_length(j, '$.c')
json_extract_with_type(j, '$.a') | json_extract_with_type(j, '$.c[*]') | json_extract_with_type(j, '$.zz') | j = jsonb '"text"'
j = jsonb '{"d": null, "b": "17", "a": -3, "c": []}' | json_array_length(j, '$') | json_get_string(j, '0') | json_get_bool(json_get(j, 'd'), 'f')
""".replace("\n", " | ").strip(" |").split(" | ")


@pytest.fixture(scope="module")
def json_datasets(tmp_path_factory):
    pylance = pytest.importorskip("lance")
    import lancecpp

    path = str(tmp_path_factory.mktemp("json") / "t.lance")
    texts = [json.dumps(document) for document in DOCUMENTS] + [None]
    column = pa.ExtensionArray.from_storage(pa.json_(), pa.array(texts, pa.utf8()))
    pylance.write_dataset(pa.table({"j": column, "n": range(len(texts))}), path)
    return lancecpp.dataset(path), pylance.dataset(path)


@pytest.mark.parametrize("expression", JSON_EXPRESSIONS)
def test_json(expression, json_datasets):
    ours, theirs = json_datasets
    assert repr(_values(ours, expression)) == repr(_values(theirs, expression))


KEYWORDS = ["end", "case", "from", "when", "then", "else", "like", "escape", "distinct"]


def test_columns_named_like_keywords(tmp_path):
    pylance = pytest.importorskip("lance")
    import lancecpp

    path = str(tmp_path / "t.lance")
    pylance.write_dataset(pa.table({name: pa.array([1, 7, None]) for name in KEYWORDS}), path)
    ours, theirs = lancecpp.dataset(path), pylance.dataset(path)
    for name in KEYWORDS:
        for condition in [f"{name} > 5", f"{name} is null or 1 = {name}", f"({name}) in (1, {name})", f"not {name} between 2 and {name}"]:
            assert ours.count_rows(condition) == theirs.count_rows(condition), condition


def test_pyarrow_expressions(datasets):
    import pyarrow.compute as pc

    ours, theirs = datasets
    for condition in [
        pc.field("i") == 1,
        (pc.field("i") > 1) | ~(pc.field("s") == "a"),
        pc.field("l").isin([1, 2]),
        pc.field("ts") >= datetime.datetime(2021, 1, 1),
        pc.field("d") == datetime.date(2021, 1, 1),
        pc.field("i").is_null(),
        pc.field("i").is_valid() & pc.field("b"),
        pc.starts_with(pc.field("s"), "h"),
        pc.field("i") + 1 > 2,
        pc.field("dec") == pa.scalar(decimal.Decimal("1.50"), pa.decimal128(10, 2)),
        pc.field("f32") > 1.5,
        pc.field("l") < 0,
    ]:
        assert ours.to_table(filter=condition) == theirs.to_table(filter=condition), condition
        assert ours.count_rows(condition) == theirs.count_rows(condition)
    assert ours.count_rows(pc.field("st", "x") == 1) == 1
