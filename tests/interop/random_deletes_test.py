"""Random conditions: ours deletes and updates the rows that pylance does.

LANCE_INTEROP_SEEDS sets how many tables are tried (default 40). docs/expressions.md lists where we
answer differently on purpose; random_filters leaves that out.
"""

import os

import pytest

import random_filters

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")) // 2)
STEPS = 4
# None uses another column that is set: the reference may take its new value.
ASSIGNMENTS = [
    {"n": "n + 1"},
    {"s": "concat(s, '!')", "ls": "st['t']"},
    {"i64": "n", "g": "m"},
    {"b": "n > 0", "d": "'2020-02-29'"},
    {"s": "n", "dec": "n", "li": "[1, 2]"},
    {"f32": "2.5", "u8": "7", "bin": "'abc'", "ts": "d"},
    {"n": "null", "i8": "cast(m as bigint)"},
]


def attempt(change):
    try:
        return change()
    except (OSError, ValueError, NotImplementedError):
        return None


def described(dataset):
    numbers = ["_rowid", "_rowaddr"]
    if dataset.has_stable_row_ids:
        numbers += ["_row_created_at_version", "_row_last_updated_at_version"]
    return {
        "rows": repr(dataset.to_table().to_pylist()),  # NaN is NaN
        "numbers": dataset.to_table(columns=numbers).to_pylist(),
        "version": dataset.version,
        "fragments": [
            (f.fragment_id, f.physical_rows, f.num_deletions, [d.fields for d in f.data_files()])
            for f in dataset.get_fragments()
        ],
    }


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable"])
@pytest.mark.parametrize("seed", SEEDS)
def test_as_pylance(seed, stable, lancecpp, pylance, tmp_path):
    datasets = []
    for engine, name in ((lancecpp, "ours"), (pylance, "theirs")):
        made = pylance.write_dataset(
            random_filters.table(seed),
            tmp_path / name,
            max_rows_per_file=150,
            enable_stable_row_ids=stable,
        )
        datasets.append(engine.dataset(made.uri))
    ours, theirs = datasets
    conditions = random_filters.Conditions(seed, plain=True)
    for _ in range(STEPS):
        sql = conditions.condition()
        updates = conditions.pick(ASSIGNMENTS) if conditions.rng.random() < 0.5 else None

        def change(dataset):
            return dataset.delete(sql) if updates is None else dataset.update(updates, where=sql)

        expected = attempt(lambda: change(theirs))
        if expected is None:
            continue  # where the reference fails, ours may not
        assert attempt(lambda: change(ours)) == expected, (sql, updates)
        assert described(ours) == described(theirs), (sql, updates)
        assert described(pylance.dataset(ours.uri)) == described(theirs), (sql, updates)
        theirs_wrote = theirs.read_transaction(theirs.version).operation
        ours_wrote = pylance.dataset(ours.uri).read_transaction(ours.version).operation
        assert type(ours_wrote) is type(theirs_wrote)
        if updates is None:
            assert ours_wrote.predicate == theirs_wrote.predicate
        else:
            fields = "fields_for_preserving_frag_bitmap"
            assert sorted(getattr(ours_wrote, fields)) == sorted(getattr(theirs_wrote, fields))
    pylance.dataset(ours.uri).validate()
