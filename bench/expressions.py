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
            "ls": lists(lambda n: pa.array([WORDS[i] for i in random.integers(0, len(WORDS), n)])),
        }
    )


EXPRESSIONS = """
regexp_replace(s, '[aeiou]', '*', 'g')
regexp_replace(s, '[aeiou]+', '', 'g')
regexp_replace(s, '[aeiou]', '*')
regexp_replace(s, 'ironic', 'steel', 'g')
regexp_replace(s, 'unseen', 'x', 'g')
regexp_replace(s, '(\\w+) (\\w+)', '$2 $1', 'g')
regexp_replace(s, '([a-z]+) ([a-z]+)', '\\2 \\1')
regexp_replace(s, '^.* ([a-z]+)$', '$1')
regexp_replace(s, '\\s+', '_', 'g')
regexp_replace(s, 'i(ronic|deas)', 'x$1', 'g')
regexp_replace(name, '[^0-9]', '', 'g')
regexp_replace(name, '#0*', ' ')
regexp_replace(name, '\\d+', '#', 'g')
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
array_position(li, 7)
array_remove_all(ls, 'the')
array_concat(li, li)
array_union(li, [1, 2, 3])
array_max(li)
array_reverse(li)
array_to_string(li, ',')
cast(i as string)
cast(f as string)
cast(price as string)
cast(d as string)
cast(at as string)
cast(day as string)
cast(cast(f as float) as string)
cast(ti as bigint)
cast(tf as double)
cast(td as decimal(20, 4))
cast(tat as timestamp)
cast(tat as date)
cast(i as decimal(20, 2))
cast(f as decimal(20, 2))
cast(d as double)
cast(d as bigint)
cast(d as decimal(20, 2))
to_char(at, '%Y-%m-%d')
to_char(at, '%d.%m.%Y %H:%M:%S')
to_char(day, '%b %d')
to_timestamp(tat, '%Y-%m-%d %H:%M:%S%.f')
to_date(tat, '%Y-%m-%d %H:%M:%S%.f')
to_hex(i)
upper(s)
lower(name)
initcap(s)
btrim(name, 'C0')
left(s, 10)
right(u, 5)
concat(name, s)
concat(u, '-', name)
replace(s, 'the', 'THE')
replace(s, 'a', 'bb')
replace(u, 'ß', 'ss')
translate(s, 'abc', 'xyz')
translate(u, 'éß', 'es')
reverse(u)
repeat(name, 2)
lpad(name, 20, '*')
split_part(s, ' ', 3)
split_part(u, ' ', 2)
strpos(s, 'the')
strpos(u, 'ß')
length(u)
contains(s, 'iron')
levenshtein(name, 'Customer#000000001')
encode(name, 'hex')
encode(name, 'base64')
decode(encode(name, 'hex'), 'hex')
i + 1
i * f
f / 3
d / 3
round(f, 2)
sqrt(abs(f))
power(f, 2.0)
date_part('month', at)
date_part('hour', at)
date_trunc('month', at)
date_trunc('hour', at)
array_repeat(i, 3)
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
        mine = scan(ours, expression)
        assert mine == scan(theirs, expression).cast(mine.schema), expression
        times = medians({"ours": lambda: scan(ours, expression), "theirs": lambda: scan(theirs, expression)})
        ratio = times["theirs"] / times["ours"]
        shown = expression.replace("|", "\\|")
        lines.append(f"| `{shown}` | {times['ours'] * 1e3:.1f} | {times['theirs'] * 1e3:.1f} | {ratio:.2f} |")
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
