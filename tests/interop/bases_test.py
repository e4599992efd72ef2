"""Tables over several base paths, written by one engine and read and changed by the other."""

import pyarrow as pa
import pytest

ROWS = pa.table({"id": range(12), "s": [f"row {i}" for i in range(12)]})
ENGINES = ["lancecpp", "pylance"]


@pytest.fixture(params=[(a, b) for a in ENGINES for b in ENGINES if a != b], ids="-then-".join)
def engines(request):
    return tuple(request.getfixturevalue(name) for name in request.param)


def make(lance, tmp_path, **options):
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    return lance.write_dataset(
        ROWS,
        str(tmp_path / "table.lance"),
        initial_bases=[
            lance.DatasetBasePath(one, "one"),
            lance.DatasetBasePath("file://" + two, "two", is_dataset_root=True),
        ],
        max_rows_per_file=3,
        target_all_bases=True,
        **options,
    )


def change(lance, uri, key):
    """Each kind of change, by one engine."""
    table = lance.dataset(uri)
    table = lance.write_dataset(
        pa.table({"id": [key], "s": ["new"]}), table, mode="append", target_bases=["two"]
    )
    table.update({"s": "s || '!'"}, where="id % 4 = 1")
    table.delete(f"id = {key - 100}")
    source = pa.table({"id": [2, key + 1], "s": [f"by {key}", "more"]})
    upsert = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    upsert.target_bases(["one"]).execute(source)
    table.add_bases([lance.DatasetBasePath(f"{uri}-{key}", f"base {key}")])
    lance.write_dataset(
        pa.table({"id": [key + 2], "s": ["far"]}),
        lance.dataset(uri),
        mode="append",
        target_bases=[f"base {key}"],
    )


def rows(lance, uri):
    found = lance.dataset(uri).to_table(columns=["id", "s"])
    return sorted(zip(found["id"].to_pylist(), found["s"].to_pylist()))


@pytest.mark.parametrize("stable", [False, True])
def test_both_ways(stable, engines, tmp_path):
    first, second = engines
    uri = make(first, tmp_path, enable_stable_row_ids=stable).uri
    assert rows(second, uri) == rows(first, uri)
    for lance, key in [(second, 100), (first, 104), (second, 108)]:
        change(lance, uri, key)
        assert rows(first, uri) == rows(second, uri)
    assert len(rows(first, uri)) == 18
    for lance in engines:
        lance.dataset(uri).validate()
    bases = [
        {(id, base.name, base.path, base.is_dataset_root) for id, base in found.items()}
        for found in (lance.dataset(uri).base_paths() for lance in engines)
    ]
    assert bases[0] == bases[1] and len(bases[0]) == 5
    before = rows(first, uri)
    clone = first.dataset(uri).shallow_clone(tmp_path / "clone", reference=None)
    assert rows(second, clone.uri) == before
    second.dataset(uri).optimize.compact_files()
    assert rows(first, uri) == before


def test_in_place_updates_both_ways(engines, tmp_path):
    first, second = engines
    uri = make(first, tmp_path, enable_stable_row_ids=True).uri
    for turn, lance in enumerate([second, first, second]):
        table = lance.dataset(uri)
        table.add_columns({f"n{turn}": "id + 1"})
        source = pa.table({"id": [turn, 7], "s": [f"turn {turn}", f"all {turn}"]})
        upsert = table.merge_insert("id").when_matched_update_all().write_mode("rewrite_columns")
        upsert.execute(source)
        fragment, fields, offsets = table.get_fragment(3).update_columns(
            pa.table({"id": [11], f"n{turn}": [-turn]}), "id", with_offsets=True
        )
        update = lance.LanceOperation.Update(
            updated_fragments=[fragment],
            fields_modified=fields,
            update_mode="rewrite_columns",
            updated_fragment_offsets={3: offsets},
        )
        lance.LanceDataset.commit(uri, update, read_version=table.version)
        columns = [*table.schema.names, "_rowid", "_row_last_updated_at_version"]
        tables = [other.dataset(uri).to_table(columns=columns) for other in engines]
        assert tables[0] == tables[1]
        for other in engines:
            other.dataset(uri).validate()
    found = dict(rows(first, uri))
    assert [found[i] for i in (0, 1, 2, 7)] == ["turn 0", "turn 1", "turn 2", "all 2"]


def test_migrated_row_ids(pylance, lancecpp, tmp_path):
    """pylance goes on with the ids that a migration gave out."""
    uri = make(lancecpp, tmp_path).uri
    table = lancecpp.dataset(uri)
    table.delete("id = 4")
    table.migrate_to_stable_row_ids()
    other = pylance.dataset(uri)
    assert other.has_stable_row_ids
    other.insert(pa.table({"id": [50], "s": ["later"]}))
    other.update({"s": "'moved'"}, where="id = 0")
    other.optimize.compact_files()
    found = {
        lance.__name__: sorted(
            zip(*lance.dataset(uri).to_table(columns=["id", "_rowid"]).to_pydict().values())
        )
        for lance in (pylance, lancecpp)
    }
    expected = [(i, i) for i in range(12) if i != 4] + [(50, 12)]
    assert found == {"lance": expected, "lancecpp": expected}
    other.create_scalar_index("id", "BTREE")
    table = lancecpp.dataset(uri)
    table.update({"id": "id + 100"}, where="id < 3")
    assert pylance.dataset(uri).count_rows("id >= 100") == 3


def test_a_migration_with_indexes_is_refused(pylance, lancecpp, tmp_path):
    uri = make(pylance, tmp_path).uri
    pylance.dataset(uri).create_scalar_index("id", "BTREE")
    table = lancecpp.dataset(uri)
    with pytest.raises(OSError, match="while indexes exist.*'id_idx'"):
        table.migrate_to_stable_row_ids()
    assert table.latest_version == 2
    pylance.dataset(uri).drop_index("id_idx")
    table.checkout_latest()
    table.migrate_to_stable_row_ids()
    assert pylance.dataset(uri).has_stable_row_ids
