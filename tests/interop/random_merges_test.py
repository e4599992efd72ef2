"""Random merge-inserts: ours does what pylance and plain Python do.

LANCE_INTEROP_SEEDS sets how many are tried (default 40).
"""

import os

import pytest

import random_merges

SEEDS = range(int(os.environ.get("LANCE_INTEROP_SEEDS", "40")) * 2)


def sorted_rows(table, columns=None):
    return sorted(table.to_table(columns=columns).to_pylist(), key=repr)


def outcome(merge, dataset):
    try:
        return merge.run(dataset)
    except OSError:
        return None


def described(dataset, key):
    """What may not depend on the order in which rows are written."""
    described = {
        "rows": sorted_rows(dataset),
        "version": dataset.version,
        "fragments": [(f.fragment_id, f.physical_rows, f.num_deletions) for f in dataset.get_fragments()],
    }
    if dataset.has_stable_row_ids:
        ids = dataset.to_table(columns=["_rowid"])["_rowid"].to_pylist()
        described["ids"] = sorted(ids)
        lineage = ["_row_created_at_version", "_row_last_updated_at_version"]
        described["lineage"] = sorted_rows(dataset, dataset.schema.names + lineage)
        # Rows that were there before keep their ids.
        described["old ids"] = sorted_rows(dataset.checkout_version(dataset.version - 1), [*key, "_rowid"])
    return described


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable"])
@pytest.mark.parametrize("seed", SEEDS)
def test_as_pylance_and_plain_python(seed, stable, lancecpp, pylance, tmp_path):
    merge = random_merges.Merge(seed)
    datasets = []
    for engine, name in ((lancecpp, "ours"), (pylance, "theirs")):
        dataset = pylance.write_dataset(
            merge.target_table(),
            tmp_path / name,
            max_rows_per_file=merge.rows_per_file,
            enable_stable_row_ids=stable,
        )
        if merge.deleted:
            dataset.delete(merge.deleted)
        datasets.append(engine.dataset(dataset.uri))
    ours, theirs = datasets
    before = theirs.to_table().to_pylist()
    expected = merge.expected(before)
    got = [outcome(merge, dataset) for dataset in datasets]
    assert got == [expected and expected[0]] * 2
    if expected is None:
        assert ours.latest_version == theirs.latest_version
        return
    assert sorted_rows(ours) == sorted(expected[1], key=repr)
    assert described(ours, merge.key) == described(theirs, merge.key)
    assert described(pylance.dataset(ours.uri), merge.key) == described(ours, merge.key)
    pylance.dataset(ours.uri).validate()
    ours.validate()
