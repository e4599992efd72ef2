"""Random tables, sources and clauses of merge-inserts, and what a merge-insert does in plain Python."""

import datetime
import random

import pyarrow as pa

_KEYS = {
    "int64": pa.int64(),
    "int16": pa.int16(),
    "string": pa.string(),
    "date": pa.date32(),
    "fixed": pa.binary(7),
    "double": pa.float64(),
}
_PAIR = pa.struct([("x", pa.int32()), ("y", pa.string())])
_VALUES = {"n": pa.int64(), "s": pa.string(), "l": pa.list_(pa.int32()), "p": _PAIR}


def _key(kind, number):
    if number is None:
        return None
    return {
        "string": f"key {number}" * (number % 3),
        "date": datetime.date.fromordinal(number + 1),
        "fixed": b"%07d" % number,
        "double": number / 4,
    }.get(kind, number)


class Merge:
    """One of them; all is decided by `seed`."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        kinds = rng.choice([[kind] for kind in _KEYS] + [["int64", "string"], ["int16", "date"]])
        self.key = [f"k{i}" for i in range(len(kinds))]
        self.schema = pa.schema(
            [(name, _KEYS[kind]) for name, kind in zip(self.key, kinds)] + list(_VALUES.items())
        )
        self._kinds = kinds
        self.keys = rng.sample(range(400), rng.choice([0, 1, 5, 60, 150]))
        self.target = self._rows(self.keys)
        self.rows_per_file = rng.choice([3, 40, 1000])
        self.deleted = "n % 5 = 0" if rng.random() < 0.4 else None
        self.source = self._source()
        self.columns = self._columns()
        self.matched = rng.choice(["update"] * 4 + ["update if", "update if", "delete", "fail", None])
        self.insert = rng.random() < 0.6
        self.by_source = rng.choice([None, None, None, "delete", "delete if"])
        if self.matched is None and self.by_source is None:
            self.insert = True
        if self.matched == "delete" and self.by_source is not None:
            self.insert = True  # without, 14.0.2 ends in an internal error

    def _row(self, number):
        rng = self.rng
        row = {name: _key(kind, number) for name, kind in zip(self.key, self._kinds)}
        row["n"] = rng.choice([None, *range(20)])
        row["s"] = rng.choice([None, "", "a", "text " * 5])
        row["l"] = rng.choice([None, [], [1], [2, None, 3]])
        row["p"] = rng.choice([None, {"x": 1, "y": None}, {"x": None, "y": "b"}])
        return row

    def _rows(self, numbers):
        rng = self.rng
        rows = [self._row(number) for number in numbers]
        for row in rows:
            if rng.random() < 0.05:
                row[rng.choice(self.key)] = None
        if rows and rng.random() < 0.2:  # a key that is there twice
            rows.append({**self._row(0), **{name: rows[0][name] for name in self.key}})
        return rows

    def _source(self):
        rng = self.rng
        count = rng.choice([0, 1, 10, 80])
        pool = self.keys if rng.random() < 0.3 else self.keys + list(range(400, 460))
        rows = self._rows(rng.sample(pool, min(count, len(pool))))
        return rows

    def _columns(self):
        """Names of the source's columns, in its order."""
        names = list(self.schema.names)
        if self.rng.random() < 0.4:
            for name in self.rng.sample(list(_VALUES), self.rng.randrange(1, 4)):
                names.remove(name)
        if self.rng.random() < 0.5:
            self.rng.shuffle(names)
        return names

    # What the engines are given.

    def target_table(self):
        return pa.Table.from_pylist(self.target, schema=self.schema)

    def source_table(self):
        schema = pa.schema([self.schema.field(name) for name in self.columns])
        return pa.Table.from_pylist(self.source, schema=schema)

    def _condition(self):
        return "source.n > target.n" if "n" in self.columns else "target.n > 5"

    def run(self, dataset):
        builder = dataset.merge_insert(self.key)
        if self.matched == "update":
            builder = builder.when_matched_update_all()
        elif self.matched == "update if":
            builder = builder.when_matched_update_all(self._condition())
        elif self.matched == "delete":
            builder = builder.when_matched_delete()
        elif self.matched == "fail":
            builder = builder.when_matched_fail()
        if self.insert:
            builder = builder.when_not_matched_insert_all()
        if self.by_source is not None:
            builder = builder.when_not_matched_by_source_delete(
                "n < 10" if self.by_source == "delete if" else None
            )
        return builder.execute(self.source_table())

    # What comes of it.

    def _is_updated(self, source, target):
        if self.matched == "update":
            return True
        if "n" not in self.columns:
            return target["n"] is not None and target["n"] > 5
        return None not in (source["n"], target["n"]) and source["n"] > target["n"]

    def expected(self, target):
        """Counts and rows, or None if it has to fail. `target`: the rows before."""

        def key_of(row):
            values = tuple(row[name] for name in self.key)
            return None if None in values else values

        by_key = {}
        for row in self.source:
            by_key.setdefault(key_of(row), []).append(row)
        found = {key_of(row) for row in target}
        kept, counts = [], {"num_inserted_rows": 0, "num_updated_rows": 0, "num_deleted_rows": 0}
        for row in target:
            key = key_of(row)
            matches = by_key.get(key, []) if key is not None else []
            if matches and self.matched == "fail":
                return None
            if not matches:
                gone = self.by_source == "delete" or (
                    self.by_source == "delete if" and row["n"] is not None and row["n"] < 10
                )
                counts["num_deleted_rows"] += gone
                if not gone:
                    kept.append(row)
                continue
            if self.matched == "delete":
                if len(matches) > 1:
                    return None
                counts["num_deleted_rows"] += 1
                continue
            if self.matched in ("update", "update if"):
                matches = [match for match in matches if self._is_updated(match, row)]
                if len(matches) > 1:
                    return None
                if matches:
                    counts["num_updated_rows"] += 1
                    row = {**row, **{name: matches[0][name] for name in self.columns}}
            kept.append(row)
        if self.insert:
            for row in self.source:
                if key_of(row) is None or key_of(row) not in found:
                    counts["num_inserted_rows"] += 1
                    kept.append({name: row[name] if name in self.columns else None for name in self.schema.names})
        # As Arrow gives them back.
        kept = pa.Table.from_pylist(kept, schema=self.schema).to_pylist()
        return counts, kept
