"""Measures expressions as columns next to pylance: on the same table, written by pylance; every answer is compared.

usage: python bench/expressions.py [--rows N] [--only WORD] [--write-docs]

The time of one scan whose only column is the expression, warm: medians of runs that take turns.
"""

import argparse
import pathlib
import tempfile

import numpy as np
import pyarrow as pa

import lance as pylance
import lancecpp
from filters import DOCUMENT, SEED, WORDS, medians

BEGIN, END = "<!-- expressions -->", "<!-- end of expressions -->"
FOREIGN = "über straße naïve ελληνικά москва 東京 données señor łódź ångström 😀 ok".split()


def make_table(rows):
    random = np.random.default_rng(SEED)
    nulls = random.random(rows) < 0.05

    def sentences(words, count):
        return [" ".join(words[i] for i in row) for row in random.integers(0, len(words), (rows, count))]

    def lists(items):
        offsets = np.concatenate([[0], np.cumsum(random.integers(0, 9, rows))]).astype(np.int32)
        return pa.ListArray.from_arrays(offsets, items(int(offsets[-1])))

    numbers = pa.array(random.integers(-(10**9), 10**9, rows), mask=nulls)
    doubles = pa.array(random.standard_normal(rows) * 1e4, mask=nulls)
    prices = pa.array(np.round(random.random(rows) * 1000, 2))
    times = pa.array(random.integers(0, 2 * 10**15, rows)).cast(pa.timestamp("us"))
    decimals = prices.cast(pa.decimal128(20, 4))
    return pa.table(
        {
            "i": numbers,
            "f": doubles,
            "price": prices,
            "d": decimals,
            "at": times,
            "day": times.cast(pa.timestamp("s"), safe=False).cast(pa.date32(), safe=False),
            "ti": numbers.cast(pa.string()),
            "tf": doubles.cast(pa.string()),
            "td": decimals.cast(pa.string()),
            "tat": times.cast(pa.string()),
            "name": pa.array([f"Customer#{i:09d}" for i in random.integers(0, rows * 4, rows)]),
            "s": pa.array(sentences(WORDS, 8)),
            "u": pa.array(sentences(FOREIGN, 6)),
            "li": lists(lambda n: pa.array(random.integers(0, 1000, n))),
            "lf": lists(lambda n: pa.array(np.round(random.random(n) * 100, 1))),
            "ls": lists(lambda n: pa.array(np.array(WORDS)[random.integers(0, len(WORDS), n)])),
        }
    )


EXPRESSIONS = """
regexp_replace(s, '[aeiou]', '*', 'g')
regexp_replace(s, '[aeiou]+', '', 'g')
regexp_replace(s, '[aeiou]', '*')
regexp_replace(s, 'ironic', 'steel', 'g')
regexp_replace(s, 'ironic', 'steel')
regexp_replace(s, 'unseen', 'x', 'g')
regexp_replace(s, '(\\w+) (\\w+)', '$2 $1', 'g')
regexp_replace(s, '([a-z]+) ([a-z]+)', '\\2 \\1')
regexp_replace(s, '^.* ([a-z]+)$', '$1')
regexp_replace(s, '\\s+', '_', 'g')
regexp_replace(s, 'i(ronic|deas)', 'x$1', 'g')
regexp_replace(name, '[^0-9]', '', 'g')
regexp_replace(name, '#0*', ' ')
regexp_replace(name, '\\d+', '#', 'g')
regexp_replace(name, 'c[a-z]+', 'x', 'gi')
regexp_replace(u, '[^a-z ]', '', 'g')
regexp_replace(u, '[éèöüß]', '?', 'g')
regexp_replace(u, '\\w+', '<$0>', 'g')
regexp_like(s, 'iron|steel')
regexp_like(u, 'stra(ß|ss)e')
regexp_match(name, '([A-Z])[a-z]+#(\\d+)')
regexp_match(s, 'fur[a-z]+ly')
regexp_count(s, '[aeiou]')
regexp_count(s, 'the')
array_sort(li)
array_sort(li, 'DESC', 'NULLS LAST')
array_sort(lf)
array_sort(ls)
array_distinct(li)
array_distinct(ls)
array_has(li, 7)
array_has(ls, 'ironic')
array_has(li, i)
array_has_any(li, [1, 2, 3])
array_has_all(ls, ['the', 'of'])
array_position(li, 7)
array_positions(ls, 'the')
array_remove(li, 7)
array_remove_all(ls, 'the')
array_replace(li, 7, 8)
array_append(li, i)
array_prepend(i, li)
array_concat(li, li)
array_union(li, [1, 2, 3])
array_intersect(li, [1, 2, 3])
array_except(li, [1, 2, 3])
array_max(li)
array_max(ls)
array_min(lf)
array_length(li)
array_reverse(li)
array_slice(li, 2, 3)
array_element(li, 2)
array_to_string(li, ',')
array_to_string(ls, ',')
array_pop_back(li)
array_resize(li, 4, 0)
make_array(i, i)
cast(i as string)
cast(f as string)
cast(price as string)
cast(d as string)
cast(at as string)
cast(day as string)
cast(cast(i as int) as string)
cast(cast(f as float) as string)
cast(i > 5 as string)
cast(ti as bigint)
cast(ti as int)
cast(tf as double)
cast(tf as float)
cast(td as decimal(20, 4))
cast(tat as timestamp)
cast(tat as date)
cast(i as double)
cast(f as bigint)
cast(i as decimal(20, 2))
cast(f as decimal(20, 2))
cast(d as double)
cast(d as bigint)
cast(d as decimal(20, 2))
cast(at as date)
cast(li as string)
to_char(at, '%Y-%m-%d')
to_char(at, '%d.%m.%Y %H:%M:%S')
to_char(day, '%b %d')
to_timestamp(tat)
to_timestamp(tat, '%Y-%m-%d %H:%M:%S%.f')
to_date(tat, '%Y-%m-%d %H:%M:%S%.f')
to_hex(i)
upper(s)
lower(name)
upper(u)
lower(u)
initcap(s)
initcap(u)
trim(s)
btrim(name, 'C0')
ltrim(u)
substr(s, 5, 8)
substr(u, 5, 8)
left(s, 10)
right(u, 5)
concat(name, s)
concat(u, '-', name)
concat_ws(',', name, s, u)
name || s
replace(s, 'the', 'THE')
replace(s, 'a', 'bb')
replace(u, 'ß', 'ss')
translate(s, 'abc', 'xyz')
translate(u, 'éß', 'es')
reverse(s)
reverse(u)
repeat(name, 2)
lpad(name, 20, '*')
rpad(u, 40)
split_part(s, ' ', 3)
split_part(u, ' ', 2)
strpos(s, 'the')
strpos(u, 'ß')
length(s)
length(u)
octet_length(u)
ascii(s)
chr(cast(abs(i) % 1000 + 1 as bigint))
starts_with(s, 'the')
ends_with(s, 'bold')
contains(s, 'iron')
overlay(s, 'xx', 2, 3)
substr_index(s, ' ', 2)
find_in_set(name, 'a,b,c')
levenshtein(name, 'Customer#000000001')
encode(name, 'hex')
encode(name, 'base64')
decode(encode(name, 'hex'), 'hex')
s LIKE '%the%of%'
s ILIKE '%THE%'
s = 'x'
i + 1
i * f
i % 7
f / 3
d + d
d * d
d / 3
price > 500
round(f, 2)
trunc(f, 1)
ceil(f)
floor(f)
abs(i)
signum(f)
sqrt(abs(f))
cbrt(f)
exp(f / 10000)
ln(abs(f))
log10(abs(f))
log2(abs(f))
power(f, 2.0)
power(i, 2)
sin(f)
cos(f)
tan(f)
atan2(f, price)
tanh(f)
gcd(i, 12)
lcm(i % 100, 12)
factorial(abs(i) % 15)
isnan(f)
nanvl(f, 0.0)
coalesce(i, 0)
nullif(i, 5)
nvl2(i, 1, 2)
greatest(i, 0)
least(f, price)
date_part('year', at)
date_part('month', at)
date_part('day', at)
date_part('dow', at)
date_part('hour', at)
date_part('epoch', at)
date_trunc('month', at)
date_trunc('hour', at)
date_bin('15 minutes', at)
from_unixtime(i)
make_date(2020, 1, cast(abs(i) % 28 + 1 as int))
to_unixtime(at)
at > timestamp '1990-01-01 00:00:00'
day + 1
i IN (1, 2, 3)
s IN ('a', 'b')
i BETWEEN 5 AND 500000
i IS NULL
NOT (i > 5 AND f < 3)
make_array(s, name)
named_struct('a', i, 'b', s)
array_repeat(i, 3)
range(0, abs(i) % 5)
flatten(make_array(li, li))
""".strip().splitlines()


def scan(dataset, expression):
    return dataset.to_table(columns={"x": expression})


def compare(rows, only, folder):
    path = str(folder / "expressions.lance")
    pylance.write_dataset(make_table(rows), path, data_storage_version="2.2", max_rows_per_file=rows // 2)
    ours, theirs = lancecpp.dataset(path), pylance.dataset(path)
    lines = ["| expression | lancecpp, ms | pylance, ms | times as fast |", "|---|---:|---:|---:|"]
    for expression in EXPRESSIONS:
        if only and only not in expression:
            continue
        try:
            mine, other = scan(ours, expression), scan(theirs, expression)
            same = mine.combine_chunks() == other.combine_chunks()
            if not same: print("DIFFERS", expression, mine.schema.field(0).type, other.schema.field(0).type)
            times = medians({"ours": lambda: scan(ours, expression), "theirs": lambda: scan(theirs, expression)})
        except Exception as e:
            print("ERROR", expression, str(e)[:200])
            continue
        ratio = times["theirs"] / times["ours"]
        lines.append(
            f"| `{expression}` | {times['ours'] * 1e3:.1f} | {times['theirs'] * 1e3:.1f} | {ratio:.2f} |"
        )
        print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", help="the expressions with this in them")
    parser.add_argument("--write-docs", action="store_true", help=f"keep the table in {DOCUMENT.name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = compare(arguments.rows, arguments.only, pathlib.Path(folder))
    if arguments.write_docs:
        before, rest = DOCUMENT.read_text().split(BEGIN)
        after = rest.split(END)[1]
        DOCUMENT.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
