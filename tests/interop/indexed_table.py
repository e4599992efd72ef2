"""A table with an index of pylance of each kind, and whether their answers are those without them."""

import json
import pathlib

import numpy as np
import pyarrow as pa

ROWS = 600
DIMENSION = 16
SCALAR = {
    "btree": "BTREE",
    "bitmap": "BITMAP",
    "labels": "LABEL_LIST",
    "text": "INVERTED",
    "grams": "NGRAM",
    "zones": "ZONEMAP",
    "bloom": "BLOOMFILTER",
}
# pylance panics when a column of an IVF_FLAT index is called `flat`.
VECTOR = {"vector": ("IVF_FLAT", {}), "product": ("IVF_PQ", {"num_sub_vectors": 4})}
COLUMNS = [*SCALAR, *VECTOR]


def rows(ids, seed=0):
    """One row for each id; the values of a column follow from id and seed."""
    numbers = [i * 7 + seed for i in ids]
    random = np.random.default_rng(seed)
    vectors = [
        pa.FixedSizeListArray.from_arrays(
            pa.array(random.random(len(numbers) * DIMENSION, dtype=np.float32)), DIMENSION
        )
        for _ in VECTOR
    ]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "other": pa.array(numbers, pa.int64()),
            "btree": pa.array(numbers, pa.int64()),
            "bitmap": pa.array([n % 5 for n in numbers], pa.int64()),
            "labels": [[f"t{n % 4}", f"u{n % 3}"] for n in numbers],
            "text": [f"word{n % 11} common" for n in numbers],
            "grams": [f"abc{n % 13}xyz" for n in numbers],
            "zones": pa.array(numbers, pa.int64()),
            "bloom": pa.array(numbers, pa.int64()),
            **dict(zip(VECTOR, vectors)),
        }
    )


def make(pylance, path, stable_row_ids, columns=COLUMNS):
    """Three fragments, and an index on each of the columns."""
    table = pylance.write_dataset(
        rows(range(ROWS)), path, max_rows_per_file=200, enable_stable_row_ids=stable_row_ids
    )
    for column in columns:
        if column in SCALAR:
            table.create_scalar_index(column, SCALAR[column])
        else:
            kind, options = VECTOR[column]
            table.create_index(column, kind, num_partitions=2, **options)
    return table


# What is asked of a column, given its values: conditions whose answers are known without an index.


def _around(values):
    """Some that are there and some that are not."""
    there = sorted({value for value in values if value is not None})
    return [*there[:: max(len(there) // 6, 1)], -1, 10**9]


def _conditions(column, name, values):
    if column in ("btree", "bitmap", "zones", "bloom"):
        for value in _around(values):
            yield f"{name} = {value}"
        if column != "bloom":
            yield f"{name} >= 300 AND {name} < 2000"
            yield f"{name} < 3"
        yield f"{name} IS NULL"
    elif column == "labels":
        yield f"array_has_any({name}, ['t1', 'u0'])"
        yield f"array_has_all({name}, ['t2', 'u1'])"
    elif column == "grams":
        yield f"contains({name}, 'abc1')"
        yield f"contains({name}, '7xyz')"


def _ids(table):
    return sorted(table["id"].to_pylist())


def _check_filters(table, column, name):
    values = table.to_table(columns=[name])[name].to_pylist()
    for condition in _conditions(column, name, values):
        found = table.to_table(columns=["id"], filter=condition)
        expected = table.to_table(columns=["id"], filter=condition, use_scalar_index=False)
        assert _ids(found) == _ids(expected), condition


def _check_text(table, name):
    everything = table.to_table(columns=["id", name]).to_pylist()
    for word in ["word1", "word10", "common", "new"]:
        query = {"columns": [name], "query": word}
        found = table.to_table(columns=["id"], full_text_query=query, limit=10_000)
        expected = [row["id"] for row in everything if word in (row[name] or "").split()]
        assert _ids(found) == sorted(expected), word


def _check_vectors(table, name):
    """All rows as neighbours, with their true distances."""
    nearest = {"column": name, "q": np.full(DIMENSION, 0.4, np.float32), "k": 10_000}
    found = table.to_table(columns=["id"], nearest=nearest | {"nprobes": 2, "refine_factor": 1})
    expected = table.to_table(columns=["id"], nearest=nearest | {"use_index": False})

    def distances(answer):
        return sorted(
            (row["id"], round(row["_distance"], 3))
            for row in answer.select(["id", "_distance"]).to_pylist()
        )

    assert distances(found) == distances(expected), name


def check(pylance, path, renamed=None):
    """The answers of all indexes are those of scans. ``renamed``: new names of columns."""
    table = pylance.dataset(path)
    for column in COLUMNS:
        name = (renamed or {}).get(column, column)
        if name not in table.schema.names:
            continue
        if column == "text":
            _check_text(table, name)
        elif column in VECTOR:
            _check_vectors(table, name)
        else:
            _check_filters(table, column, name)


def coverage(table):
    """By column, the fragments that its index covers."""
    return {
        description.field_names[0]: sorted(
            fragment for segment in description.segments for fragment in segment.fragment_ids
        )
        for description in table.describe_indices()
        if description.field_names
    }


def main(path):
    """For another version of pylance: checks the table, and prints what is covered."""
    import lance

    check(lance, path)
    print(json.dumps(sorted(lance.dataset(path).schema.names)))


if __name__ == "__main__":
    import sys

    main(pathlib.Path(sys.argv[1]))
