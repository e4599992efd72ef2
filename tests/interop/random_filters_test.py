"""Random conditions: our filters keep the rows that DataFusion and pylance keep.

LANCE_INTEROP_SEEDS sets how many tables are tried (default 40), with a dozen conditions each; a
failure names the condition. Where the others fail, ours may; docs/expressions.md lists where we
answer differently on purpose.
"""

import os

import pytest

import random_filters

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")))
CONDITIONS = 12


def _differences(seed, ours, theirs, plain):
    conditions = random_filters.Conditions(seed, plain)
    found = []
    for _ in range(CONDITIONS):
        sql = conditions.condition()
        try:
            expected = theirs(sql)
        except Exception:
            continue
        try:
            got = ours.to_table(columns=["row"], filter=sql)["row"].to_pylist()
        except Exception as error:
            if not plain and "cannot be converted" in str(error):
                continue  # the dialect is stricter than DataFusion with literals
            got = error
        if got != expected:
            found.append((sql, got if isinstance(got, Exception) else sorted(set(got) ^ set(expected))))
    return found


@pytest.fixture
def ours(tmp_path, lancecpp, seed):
    return lancecpp.write_dataset(random_filters.table(seed), str(tmp_path / "t.lance"), max_rows_per_file=150)


@pytest.mark.parametrize("seed", SEEDS)
def test_as_datafusion(seed, ours):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    context.register_record_batches("t", [random_filters.table(seed).to_batches()])

    def theirs(sql):
        batches = context.sql(f"SELECT row FROM t WHERE {sql}").collect()
        return sorted(row for batch in batches for row in batch.column(0).to_pylist())

    assert _differences(seed, ours, theirs, plain=False) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_as_pylance(seed, ours, pylance):
    dataset = pylance.dataset(ours.uri)

    def theirs(sql):
        return dataset.to_table(columns=["row"], filter=sql)["row"].to_pylist()

    assert _differences(seed, ours, theirs, plain=True) == []
