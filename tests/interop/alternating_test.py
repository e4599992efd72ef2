"""Both engines change one table in turns; a second table is changed by pylance alone.

After every step both engines must read the same from the first table, it must hold what the second
one holds, and pylance must find it valid.
"""

import os
import random

import pyarrow as pa
import pytest

SEED = int(os.environ.get("LANCE_TEST_SEED", "1"))
STEPS = 18


def rows(rng, count, columns):
    data = {
        "id": [rng.randrange(1000) for _ in range(count)],
        "name": [rng.choice([None, "", "ab", "c" * 30]) for _ in range(count)],
        "pair": [rng.choice([None, {"x": 1, "y": "p"}, {"x": None, "y": "q"}]) for _ in range(count)],
    }
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("name", pa.string()),
            ("pair", pa.struct([("x", pa.int32()), ("y", pa.string())])),
        ]
    )
    table = pa.table(data, schema=schema)
    return table.select([name for name in table.column_names if name in columns])


class Steps:
    """Each makes a function of an engine's module and a path, with all choices made before."""

    def __init__(self, rng, present):
        self.rng = rng
        self.columns = present  # names in the table

    def append(self):
        data = rows(self.rng, self.rng.randrange(1, 8), self.columns)
        if data.num_columns == 0:
            return None

        def run(lance, path):
            schema = lance.dataset(path).schema
            # Types may have been cast, and members dropped.
            columns = {
                name: pa.array(data[name].to_pylist(), schema.field(name).type)
                for name in data.column_names
            }
            lance.write_dataset(pa.table(columns), path, mode="append")

        return run

    def delete(self):
        picks = [self.rng.random() < 0.3 for _ in range(500)]

        def run(lance, path):
            table = lance.dataset(path)
            updated, removed = [], []
            addresses = table.to_table(columns=["_rowaddr"])["_rowaddr"].to_pylist()
            by_fragment = {}
            for address, pick in zip(addresses, picks):
                if pick:
                    by_fragment.setdefault(address >> 32, []).append(address & 0xFFFFFFFF)
            for id, offsets in by_fragment.items():
                metadata = table.get_fragment(id).delete_rows(offsets)
                if metadata is None:
                    removed.append(id)
                else:
                    updated.append(metadata)
            operation = lance.LanceOperation.Delete(updated, removed, "picked")
            lance.LanceDataset.commit(path, operation, read_version=table.version)

        return run

    def delete_where(self):
        condition = self.rng.choice(["id % 3 = 0", "id > 900 OR name IS NULL", "_rowid = 5", "false"])
        return lambda lance, path: lance.dataset(path).delete(condition)

    def update_where(self):
        updates = self.rng.choice([{"name": "concat(name, '+')"}, {"id": "id + 1", "name": "'n'"}])
        where = self.rng.choice(["id % 4 = 1", "name = 'ab'", "false", None])
        return lambda lance, path: lance.dataset(path).update(updates, where=where)

    def merge_insert(self):
        """One matched row and one new one: with more, the order of the rows is chance."""
        pick, clauses = self.rng.randrange(500), self.rng.sample(range(3), 2)

        def run(lance, path):
            table = lance.dataset(path)
            kind = table.schema.field("id").type
            ids = table.to_table(columns=["id"])["id"].to_pylist()
            once = [id for id in ids if ids.count(id) == 1]
            keys = [once[pick % len(once)]] if once else []
            keys += [id for id in [1000 + pick] if id not in ids]
            data = pa.table({"id": pa.array(keys, kind), "name": [f"merged {key}" for key in keys]})
            builder = table.merge_insert("id")
            if 0 in clauses:
                builder = builder.when_matched_update_all()
            if 1 in clauses:
                builder = builder.when_not_matched_insert_all()
            if 2 in clauses:
                builder = builder.when_not_matched_by_source_delete("id % 7 = 3")
            builder.execute(data)

        return run

    def add_null(self):
        name = f"null{self.rng.randrange(10**6)}"
        return lambda lance, path: lance.dataset(path).add_columns(pa.field(name, pa.float32()))

    def add_values(self):
        name, values = f"value{self.rng.randrange(10**6)}", [self.rng.random() for _ in range(500)]

        def run(lance, path):
            table = lance.dataset(path)
            if table.count_rows() == 0:
                return  # pylance finds a batch without rows too long for such a table
            batch = pa.record_batch({name: values[: table.count_rows()]})
            table.add_columns(pa.RecordBatchReader.from_batches(batch.schema, [batch]))

        return run

    def merge(self):
        if "id" not in self.columns:
            return None
        name = f"joined{self.rng.randrange(10**6)}"
        keys = list(range(0, 1000, 3))

        def run(lance, path):
            table = lance.dataset(path)
            ids = pa.array(keys, table.schema.field("id").type)
            table.merge(pa.table({"id": ids, name: [str(key) for key in keys]}), "id")

        return run

    def drop(self):
        name = self.rng.choice(self.columns)
        if name in ("id", "name"):
            return None
        return lambda lance, path: lance.dataset(path).drop_columns([name])

    def drop_member(self):
        if "pair" not in self.columns:
            return None

        def run(lance, path):
            table = lance.dataset(path)
            if table.schema.field("pair").type.num_fields == 2:
                table.drop_columns(["pair.x"])

        return run

    def rename(self):
        name = self.rng.choice(self.columns)
        if name in ("id", "name", "pair"):
            return None
        new = f"renamed{self.rng.randrange(10**6)}"
        change = {"path": name, "name": new}
        return lambda lance, path: lance.dataset(path).alter_columns(change)

    def cast(self):
        if "id" not in self.columns:
            return None
        kind = self.rng.choice([pa.int32(), pa.int64(), pa.uint16()])
        return lambda lance, path: lance.dataset(path).alter_columns(
            {"path": "id", "data_type": kind}
        )

    def config(self):
        key, value = f"k{self.rng.randrange(3)}", self.rng.choice([None, "a", "b"])
        return lambda lance, path: lance.dataset(path).update_config({key: value})

    def schema_metadata(self):
        value = str(self.rng.random())
        return lambda lance, path: lance.dataset(path).update_schema_metadata({"m": value})

    def compact(self):
        target = self.rng.choice([5, 20, 10**6])
        return lambda lance, path: lance.dataset(path).optimize.compact_files(
            target_rows_per_fragment=target
        )

    def restore(self):
        back = self.rng.randrange(1, 4)

        def run(lance, path):
            version = max(lance.dataset(path).version - back, 1)
            lance.dataset(path, version=version).restore()

        return run

    def truncate(self):
        if self.rng.random() < 0.7:
            return None
        return lambda lance, path: lance.dataset(path).truncate_table()


KINDS = [name for name in vars(Steps) if not name.startswith("_")]


def described(lance, path):
    table = lance.dataset(path)
    numbers = ["_rowid", "_rowaddr"]
    if table.has_stable_row_ids:
        numbers += ["_row_created_at_version", "_row_last_updated_at_version"]
    return {
        "rows": table.to_table().to_pylist(),
        "numbers": table.to_table(columns=numbers).to_pylist(),
        "schema": table.schema,
        "metadata": table.schema.metadata,
        "version": table.version,
        "max_field_id": table.max_field_id,
        "config": table.config(),
        "fragments": [
            (f.fragment_id, f.physical_rows, f.num_deletions, [d.fields for d in f.data_files()])
            for f in table.get_fragments()
        ],
    }


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_in_turns(seed, stable, pylance, lancecpp, tmp_path):
    rng = random.Random(SEED * 1000 + seed)
    shared, twin = str(tmp_path / "shared.lance"), str(tmp_path / "twin.lance")
    first = rows(rng, 20, ["id", "name", "pair"])
    for path in (shared, twin):
        pylance.write_dataset(first, path, max_rows_per_file=8, enable_stable_row_ids=stable)
    for step in range(STEPS):
        engine = rng.choice([pylance, lancecpp, lancecpp])
        kind = rng.choice(KINDS)
        run = getattr(Steps(rng, pylance.dataset(twin).schema.names), kind)()
        print(f"seed {SEED} {seed} step {step}: {kind} by {engine.__name__}")
        if run is None:
            continue
        run(engine, shared)
        run(pylance, twin)
        expected = described(pylance, twin)
        assert described(pylance, shared) == expected
        assert described(lancecpp, shared) == expected
        pylance.dataset(shared).validate()
        lancecpp.dataset(shared).validate()
