"""Random well-typed SQL conditions over one table, for comparing implementations."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_INTEGERS = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
# The same in float and double: DataFusion compares in double, the reference's filters in float.
_ROUND = ["0.0", "1.5", "3", "-1.5", "cast('nan' as double)", "cast('inf' as double)"]
_TEXTS = ["", "a", "A", "ab", "aB%", "a_b", "b", "é", "É", "日本語", "x y z", "z'z", "\\", "10", "-5"]
_PATTERNS = ["%", "a%", "%b", "_", "a_b", "%é%", "a\\_b", "", "%a%b%", "__", "日%", "%%"]
_DATES = ["1969-12-31", "1970-01-01", "2020-02-29", "2021-01-01", "1677-09-22", "2262-04-11"]


def table(seed, n=400):
    """Every kind of column, with nulls and the values at which implementations differ."""
    rng = np.random.default_rng(seed)

    def nullable(values, type_):
        mask = rng.random(n) < 0.15
        return pa.array([None if null else value for value, null in zip(values, mask)], type_)

    columns = {"row": pa.array(range(n), pa.int64())}
    for name, kind in _INTEGERS.items():
        info = np.iinfo(kind)
        edges = [info.min, info.max, 0, 1, 2, info.max - 1]
        values = [edges[rng.integers(0, 6)] if rng.random() < 0.3 else int(rng.integers(0, 6)) for _ in range(n)]
        columns[name] = nullable(values, getattr(pa, kind)())
    edges = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -1.5, 1e300, 5e-324, 0.1, 3.0]
    for name, type_ in (("f32", pa.float32()), ("f64", pa.float64())):
        values = np.array([edges[i] for i in rng.integers(0, len(edges), n)])
        with np.errstate(over="ignore"):
            values = values.astype(np.float32 if name == "f32" else np.float64)
        columns[name] = nullable(values, type_)
    # Small enough for arithmetic without overflow, in whatever type it is done.
    columns["n"] = nullable([int(v) for v in rng.integers(-9, 10, n)], pa.int32())
    columns["m"] = nullable([int(v) for v in rng.integers(-9, 10, n)], pa.int64())
    columns["g"] = nullable([float(v) / 4 for v in rng.integers(-20, 20, n)], pa.float64())
    columns["b"] = nullable([bool(v) for v in rng.integers(0, 2, n)], pa.bool_())
    columns["s"] = nullable([_TEXTS[i] for i in rng.integers(0, len(_TEXTS), n)], pa.utf8())
    columns["ls"] = nullable([_TEXTS[i] for i in rng.integers(0, len(_TEXTS), n)], pa.large_utf8())
    columns["bin"] = nullable([_TEXTS[i].encode() for i in rng.integers(0, len(_TEXTS), n)], pa.binary())
    days = [datetime.date.fromisoformat(_DATES[i]) for i in rng.integers(0, len(_DATES), n)]
    columns["d"] = nullable(days, pa.date32())
    micros = [int(v) for v in rng.choice([0, 1, -1, 86_400_000_000, 1_609_459_200_000_000, -62_135_596_800_000_000, 253_402_300_799_999_999], n)]
    columns["ts"] = nullable(micros, pa.timestamp("us"))
    decimals = ["0.00", "1.50", "-1.50", "99999999.99", "-99999999.99", "0.01", "3.00"]
    columns["dec"] = nullable([decimal.Decimal(decimals[i]) for i in rng.integers(0, len(decimals), n)], pa.decimal128(10, 2))
    lists = [[int(v) for v in rng.integers(0, 4, rng.integers(0, 4))] for _ in range(n)]
    columns["li"] = nullable(lists, pa.list_(pa.int64()))
    # Members of null structs are null too: DataFusion looks at them alone.
    members = [nullable([int(v) for v in rng.integers(0, 4, n)], pa.int32()), nullable([_TEXTS[i] for i in rng.integers(0, 8, n)], pa.utf8())]
    nulls = pa.array(rng.random(n) < 0.15)
    members = [pc.if_else(nulls, pa.scalar(None, member.type), member) for member in members]
    columns["st"] = pa.StructArray.from_arrays(members, ["x", "t"], mask=nulls)
    return pa.table(columns)


class Conditions:
    """Makes conditions of bounded depth. `plain`: only what the reference's filters understand."""

    def __init__(self, seed, plain):
        self.rng = np.random.default_rng(seed)
        self.plain = plain

    def pick(self, choices):
        return choices[int(self.rng.integers(0, len(choices)))]

    def condition(self, depth=3):
        if depth > 0 and self.rng.random() < 0.55:
            kind = self.rng.integers(0, 4)
            if kind == 0:
                return f"(NOT {self.condition(depth - 1)})"
            if kind == 1 and not self.plain:
                return (
                    f"(CASE WHEN {self.condition(depth - 1)} THEN {self.condition(depth - 1)} "
                    f"ELSE {self.condition(depth - 1)} END)"
                )
            word = " AND " if self.rng.random() < 0.5 else " OR "
            parts = [self.condition(depth - 1) for _ in range(self.rng.integers(2, 4))]
            return "(" + word.join(parts) + ")"
        leaf = self.pick([self.comparison, self.comparison, self.between, self.is_in, self.null_test, self.like, self.predicate, self.computed, self.columns])
        return f"({leaf()})"

    # Literals and operands of a type.

    def operand(self):
        """A column and a function that makes literals to compare it with."""
        return self.pick(
            [
                (self.pick(list(_INTEGERS)), lambda: str(self.rng.integers(0, 6))),
                ("f32", lambda: self.pick(_ROUND + (["0.1", "1e300"] if self.plain else []))),
                ("f64", lambda: self.pick(_ROUND + ["0.1", "1e300"])),
                (self.pick(["s", "ls", "st['t']"]), self.text),
                ("bin", lambda: self.pick(["X'61'", "X''", "X'C3A9'"])),
                ("d", lambda: f"date '{self.pick(_DATES)}'"),
                ("ts", lambda: f"arrow_cast('{self.pick(_DATES)}T{self.pick(['00:00:00', '12:30:00.000001'])}', 'Timestamp(Microsecond, None)')"),
                ("dec", lambda: self.pick(["cast('1.50' as decimal(10, 2))", "cast('-1.50' as decimal(10, 2))", "cast('0.01' as decimal(10, 2))", "3"])),
                ("b", lambda: self.pick(["true", "false"])),
                ("st['x']", lambda: str(self.rng.integers(0, 4))),
            ]
        )

    def text(self):
        return "'" + self.pick(_TEXTS).replace("'", "''") + "'"

    # Leaves.

    def comparison(self):
        column, literal = self.operand()
        op = self.pick(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
        pair = [column, literal()]
        if self.rng.random() < 0.2:
            pair.reverse()
        return f"{pair[0]} {op} {pair[1]}"

    def between(self):
        column, literal = self.operand()
        word = self.pick(["BETWEEN", "NOT BETWEEN"])
        return f"{column} {word} {literal()} AND {literal()}"

    def is_in(self):
        column, literal = self.operand()
        while column in ("f32", "f64"):  # long lists of the others tell -0 from 0
            column, literal = self.operand()
        items = [literal() for _ in range(self.rng.integers(1, 5))]
        if self.rng.random() < 0.2:
            items.append("NULL")
        return f"{column} {self.pick(['IN', 'NOT IN'])} ({', '.join(items)})"

    def null_test(self):
        if self.rng.random() < 0.4:
            return "b " + self.pick(["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"])
        return self.operand()[0] + self.pick([" IS NULL", " IS NOT NULL"])

    def like(self):
        column = self.pick(["s", "ls", "st['t']"])
        return f"{column} {self.pick(['LIKE', 'NOT LIKE', 'ILIKE'])} '{self.pick(_PATTERNS)}'"

    def predicate(self):
        return self.pick(
            [
                lambda: f"starts_with(s, {self.text()})",
                lambda: f"ends_with(ls, {self.text()})",
                lambda: f"contains(s, {self.text()})",
                lambda: "isnan(f64)",
                lambda: f"array_has(li, {self.rng.integers(0, 4)})",
                lambda: f"array_has_any(li, [{self.rng.integers(0, 4)}, {self.rng.integers(0, 4)}])",
                lambda: f"array_has_all(li, [{self.rng.integers(0, 4)}])",
                lambda: f"regexp_like(s, '{self.pick(['^a', 'b$', '[a-z]+', 'é|É', '^.{2}$'])}')",
            ]
        )()

    def number(self, depth=2):
        if depth == 0 or self.rng.random() < 0.4:
            return self.pick(["n", "m", "g", "1", "2", "3", "0.5", "dec"])
        kind = self.rng.integers(0, 3)
        if kind == 0:
            return f"({self.number(depth - 1)} {self.pick(['+', '-', '*'])} {self.number(depth - 1)})"
        if kind == 1:
            return self.pick([f"abs({self.number(depth - 1)})", f"coalesce({self.number(0)}, {self.number(0)})", f"nullif({self.number(0)}, {self.number(0)})", f"greatest({self.number(0)}, {self.number(0)})", "length(s)", "array_length(li)", "date_part('year', d)", "date_part('dow', d)", "date_part('hour', ts)", "strpos(s, 'b')", "octet_length(ls)"])
        return f"cast({self.pick(['n', 'm', 'b', 'g'])} as {self.pick(['bigint', 'double', 'int'])})"

    def computed(self):
        if self.rng.random() < 0.3:
            text = self.pick(["upper(s)", "lower(ls)", "concat(s, 'x')", "reverse(s)", "left(s, 2)", "lpad(s, 4, 'xy')", "replace(s, 'a', 'bb')", "split_part(s, ' ', 2)", "s || ls", "coalesce(s, 'none')", "cast(n as string)", "rtrim(s)"])
            return f"{text} {self.pick(['=', '<', '>=', '<>'])} {self.text()}"
        # The reference tells -0 from 0; adding 0 makes them one.
        zero = " + 0" if self.plain else ""
        return f"{self.number()}{zero} {self.pick(['=', '<', '>', '<=', '>=', '<>'])} {self.number()}{zero}"

    def columns(self):
        groups = [list(_INTEGERS) + ["n", "m"], ["s", "ls"], ["n", "g", "m"]]
        # Between two columns the reference tells -0 from 0.
        if not self.plain:
            groups += [["f32", "f64", "g"]]
        group = self.pick(groups)
        return f"{self.pick(group)} {self.pick(['=', '<', '>=', '<>'])} {self.pick(group)}"
