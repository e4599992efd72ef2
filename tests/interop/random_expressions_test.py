"""Random arguments: our texts, lists and casts are those of pylance.

LANCE_INTEROP_SEEDS sets how many tables are tried (default 10).
"""

import decimal
import os

import numpy as np
import pyarrow as pa
import pytest

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "10")))
ROWS = 300
CHARACTERS = ["a", "b", "B", "é", "É", " ", "_", "1", "東", "😀", "\n", ".", "ß"]
ITEMS = ["a", "b", "", "same begin 1", "same begin 2", "same begin", "é"]


class Random:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def below(self, end):
        return int(self.rng.integers(0, end))

    def pick(self, choices):
        return choices[self.below(len(choices))]

    def text(self, most, characters=CHARACTERS):
        return "".join(self.pick(characters) for _ in range(self.below(most)))

    def rows(self, make):
        return [None if self.below(12) == 0 else make() for _ in range(ROWS)]

    def integer(self):
        return int(self.rng.integers(-(2**62), 2**62)) >> self.below(63)

    def number(self):
        digits = self.integer()
        return self.pick([float(digits), digits / 10 ** self.below(20), float(digits % 100000) / 100, np.nan, np.inf, 0.5])

    def table(self):
        with decimal.localcontext() as context:
            context.prec = 60
            decimals = self.rows(lambda: decimal.Decimal(self.integer()) * self.pick([1, 10**9, 10**17 + 1]) / 10**19)
        times = self.rows(lambda: self.integer() % 10**17 - 10**16)
        integers = self.rows(self.integer)
        numbers = self.rows(self.number)
        return pa.table(
            {
                "s": self.rows(lambda: self.text(9)),
                "t": self.rows(lambda: self.text(12, ["a", "b", "ab", " ", "1", "_"])),
                "i": pa.array(integers, pa.int64()),
                "f": pa.array(numbers, pa.float64()),
                "g": pa.array(numbers, pa.float64()).cast(pa.float32()),
                "d": pa.array(decimals, pa.decimal128(38, 19)),
                "ts": pa.array(times, pa.timestamp("us")),
                "ti": pa.array(integers, pa.int64()).cast(pa.string()),
                "tt": pa.array(times, pa.timestamp("us")).cast(pa.string()),
                "li": pa.array(self.rows(lambda: [self.pick([None, 1, 2, 3, self.integer()]) for _ in range(self.below(40))]), pa.list_(pa.int64())),
                "lf": pa.array(self.rows(lambda: [self.number() for _ in range(self.below(6))]), pa.list_(pa.float64())),
                "ls": pa.array(self.rows(lambda: [self.pick(ITEMS + [None]) for _ in range(self.below(9))]), pa.list_(pa.string())),
            }
        )

    def pattern(self, depth=0):
        pattern = ""
        for _ in range(self.below(4) + (depth == 0)):
            if self.below(5) == 0 and depth < 2:
                # Not optional: the reference overlooks those.
                pattern += self.pick(["(", "(?:"]) + self.pattern(depth + 1) + ")"
            else:
                pattern += self.pick(["a", "b", "ab", "é", ".", "[ab]", "[^a]", "[é-ü]", "\\w", "\\s", "\\d", "\\S", "\\.", "^", "$", "|"])
                if pattern[-1] not in "^$|":
                    pattern += self.pick(["", "", "*", "+", "?", "{2}", "+?", "*?"])
        return pattern

    def regexps(self):
        column, pattern = self.pick(["s", "t"]), self.pattern()
        replacement = self.pick(["", "x", "<$0>", "[$1]", "$2$1", "é"])
        return [
            f"regexp_replace({column}, '{pattern}', '{replacement}')",
            f"regexp_replace({column}, '{pattern}', '{replacement}', 'g')",
            f"regexp_replace({column}, '{pattern}', '{replacement}', 'gi')",
            f"regexp_count({column}, '{pattern}')",
            f"regexp_like({column}, 'a|{pattern}')",
            f"regexp_match({column}, '{pattern.replace('(', '(?:').replace('(?:?:', '(?:')}')",
            f"regexp_match({column}, '({self.pick(['a', 'b', 'é', '.'])}+)(.)')",
        ]

    def others(self):
        count, word = self.below(8) - 3, self.text(3)
        return [
            f"left(s, {count})", f"right(s, {count})", "reverse(s)", f"translate(s, '{word}', 'x')", "lpad(s, 6, 'xy')",
            f"contains(s, '{word}')", f"strpos(s, '{word}')", f"levenshtein(s, '{word}')", "encode(s, 'hex')", "encode(s, 'base64')",
            "decode(encode(s, 'base64'), 'base64')", "to_hex(i)", "array_repeat(i, 2)", "array_repeat(s, 2)",
        ] + [f"{name}({column})" for column in ["li", "ls"] for name in ["array_sort", "array_distinct", "array_max", "array_min"]] + [
            "array_sort(lf)", "array_max(lf)", "array_sort(li, 'DESC')", "array_sort(ls, 'DESC', 'NULLS LAST')", "array_sort(li, 'ASC', 'NULLS LAST')",
            "array_union(li, [1, 2])", "array_except(ls, ['a', 'b'])", "array_intersect(ls, ['', 'é'])",
            "cast(i as string)", "cast(f as string)", "cast(g as string)", "cast(d as string)", "cast(ts as string)", "cast(ti as bigint)",
            "cast(tt as timestamp)", "cast(tt as date)", f"date_trunc('{self.pick(['hour', 'minute', 'day', 'month', 'second'])}', ts)",
            f"try_cast(i as decimal({self.pick(['20, 2', '38, 10', '5, 0', '38, 19'])}))", f"try_cast(d as decimal({self.pick(['20, 2', '38, 3', '10, 0', '38, 25'])}))",
            "try_cast(d as bigint)", "try_cast(d as int)",
        ]


@pytest.mark.parametrize("seed", SEEDS)
def test_as_pylance(seed, tmp_path, lancecpp, pylance):
    random = Random(seed)
    ours = lancecpp.write_dataset(random.table(), str(tmp_path / "t.lance"))
    theirs = pylance.dataset(ours.uri)
    expressions = random.others() + [each for _ in range(8) for each in random.regexps()]
    compared, different = 0, {}
    for expression in expressions:
        try:
            expected = theirs.to_table(columns={"x": expression})["x"]
        except Exception:
            continue
        got = ours.to_table(columns={"x": expression})["x"]
        compared += 1
        pairs = zip(map(repr, got.to_pylist()), map(repr, expected.to_pylist()))
        rows = [(row, *pair) for row, pair in enumerate(pairs) if pair[0] != pair[1]]
        if rows:
            different[expression] = rows[:3]
    assert not different
    assert compared > len(expressions) / 2
