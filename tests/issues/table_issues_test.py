"""Faults of other implementations in changing tables: the same steps, and what is right."""

import pyarrow as pa
import pytest


def upsert(table, on, data):
    return table.merge_insert(on).when_matched_update_all().when_not_matched_insert_all().execute(data)


def test_lance_8280_counts_with_a_column_of_nulls(lancecpp, tmp_path):
    data = pa.table({"key": [165, 166, 167], "value": pa.nulls(3)})
    table = lancecpp.write_dataset(data, tmp_path / "t")
    counts = upsert(table, "key", pa.table({"key": [166], "value": pa.nulls(1)}))
    assert counts == {"num_inserted_rows": 0, "num_updated_rows": 1, "num_deleted_rows": 0}


def test_lance_8282_permuted_source_with_a_repeated_key(lancecpp, pylance, tmp_path):
    """Also with an index on the key."""
    data = pa.table({"id": [1, 2, 3], "a": ["x", "y", "z"], "n": [1.0, 2.0, 3.0]})
    pylance.write_dataset(data, tmp_path / "t").create_scalar_index("id", "BTREE")
    table = lancecpp.dataset(tmp_path / "t")
    source = pa.table({"n": [5.0, 6.0], "id": [2, 2], "a": ["p", "q"]})
    with pytest.raises(OSError, match="Ambiguous"):
        upsert(table, "id", source)
    upsert(table, "id", source.slice(1))
    assert table.to_table(filter="id = 2").to_pylist() == [{"id": 2, "a": "q", "n": 6.0}]


def test_lance_7373_replacement_of_a_column_after_an_update(lancecpp, tmp_path):
    """Values must not land on rows that have moved."""
    path = str(tmp_path / "t")
    table = lancecpp.write_dataset({"id": range(4), "v": range(4)}, path)
    file = lancecpp.write_fragments(pa.table({"v": [10, 11, 12, 13]}), path)[0].files[0]
    file.fields = [1]
    replacement = lancecpp.LanceOperation.DataReplacement(
        [lancecpp.LanceOperation.DataReplacementGroup(0, file)]
    )
    table.update({"v": "v + 100"}, where="id = 1")
    with pytest.raises(OSError):
        lancecpp.LanceDataset.commit(path, replacement, read_version=1)


@pytest.mark.parametrize("stable", [False, True])
def test_lance_2718_fragment_ids_after_deleting_all(lancecpp, tmp_path, stable):
    table = lancecpp.write_dataset({"i": range(20)}, tmp_path / "t", enable_stable_row_ids=stable)
    table.delete("true")
    assert table.get_fragments() == []
    table.insert({"i": range(20)})
    assert [f.fragment_id for f in table.get_fragments()] == [1]
    if stable:
        assert table.to_table(columns=["_rowid"])["_rowid"].to_pylist() == list(range(20, 40))


def test_duckdb_245_condition_on_another_column_than_the_first(lancecpp, tmp_path):
    table = lancecpp.write_dataset({"id": [1, 2, 3], "flag": [0, 1, 0]}, tmp_path / "t")
    assert table.delete("flag = 1") == {"num_deleted_rows": 1}
    assert table.to_table()["id"].to_pylist() == [1, 3]


def test_lance_6735_lineage_of_upserts(lancecpp, tmp_path):
    """New rows are of their version, and updated ones too, whatever columns it has."""
    data = pa.table({"id": [1, 2, 3], "v": ["a", "b", "c"], "w": [1, 2, 3]})
    table = lancecpp.write_dataset(data, tmp_path / "t", enable_stable_row_ids=True)
    table.insert(pa.table({"id": [4], "v": ["d"], "w": [4]}))
    upsert(table, "id", pa.table({"id": [2, 4, 9], "v": ["B", "D", "Z"]}))
    columns = ["id", "_row_created_at_version", "_row_last_updated_at_version"]
    versions = {row.pop("id"): tuple(row.values()) for row in table.to_table(columns=columns).to_pylist()}
    assert versions == {1: (1, 1), 2: (1, 3), 3: (1, 1), 4: (2, 3), 9: (3, 3)}


@pytest.mark.parametrize("stable", [False, True])
def test_lance_3863_index_over_changed_values(lancecpp, pylance, tmp_path, stable):
    """The index must not answer for fragments whose values have changed."""
    data = pa.table({"id": range(100), "v": [i % 10 for i in range(100)], "w": range(100)})
    made = pylance.write_dataset(data, tmp_path / "t", max_rows_per_file=25, enable_stable_row_ids=stable)
    made.create_scalar_index("v", "BTREE")
    table = lancecpp.dataset(tmp_path / "t")
    upsert(table, "id", pa.table({"id": [3, 50, 200], "v": [77, 77, 3]}))
    table.update({"w": "0"}, where="v = 5")  # moved under the index, not changed
    table.update({"v": "78"}, where="id = 13")
    table.delete("id = 4")
    expected = {}
    for row in table.to_table(columns=["id", "v"]).to_pylist():
        expected.setdefault(row["v"], []).append(row["id"])
    theirs = pylance.dataset(tmp_path / "t")
    for value in (0, 3, 4, 5, 77, 78):
        plan = theirs.scanner(filter=f"v = {value}").explain_plan()
        found = theirs.to_table(filter=f"v = {value}")["id"].to_pylist()
        assert sorted(found) == sorted(expected[value]), plan
    theirs.validate()
