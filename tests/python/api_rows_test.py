"""Rows deleted and updated by conditions."""

import pyarrow as pa
import pytest


@pytest.fixture(params=[False, True], ids=["addresses", "stable"])
def table(request, lance, path):
    data = pa.table({"id": range(10), "x": [i / 2 for i in range(10)], "s": list("abcdefghij")})
    return lance.write_dataset(
        data, path, max_rows_per_file=4, enable_stable_row_ids=request.param
    )


def ids(table):
    return table.to_table(columns=["id"])["id"].to_pylist()


def test_delete(table):
    assert table.delete("id >= 3 AND s <> 'e'") == {"num_deleted_rows": 6}
    assert ids(table) == [0, 1, 2, 4]
    assert table.delete("false") == {"num_deleted_rows": 0}
    assert table.version == 3  # nothing deleted is a version too
    assert table.delete("id IN (0, 1, 2)") == {"num_deleted_rows": 3}
    assert [f.fragment_id for f in table.get_fragments()] == [1]
    assert table.delete("true") == {"num_deleted_rows": 1}
    assert table.count_rows() == 0


def test_delete_of_a_wrong_column(table):
    with pytest.raises(OSError):
        table.delete("nope = 1")
    assert table.latest_version == 1


def test_update(table):
    before = {r["id"]: r["_rowid"] for r in table.to_table(columns=["id", "_rowid"]).to_pylist()}
    assert table.update({"x": "x * 10", "s": "upper(s)"}, where="id % 4 = 1") == {
        "num_rows_updated": 3
    }
    rows = {row["id"]: row for row in table.to_table().to_pylist()}
    assert rows[5] == {"id": 5, "x": 25.0, "s": "F"}
    assert rows[4] == {"id": 4, "x": 2.0, "s": "e"}
    assert ids(table) == [0, 2, 3, 4, 6, 7, 8, 1, 5, 9]
    if table.has_stable_row_ids:
        after = table.to_table(columns=["id", "_rowid"]).to_pylist()
        assert {r["id"]: r["_rowid"] for r in after} == before
        changed = table.delta(compared_against=1).get_updated_rows().read_all()
        assert sorted(changed["id"].to_pylist()) == [1, 5, 9]
    assert table.update({"s": "'z'"})["num_rows_updated"] == 10


def test_wrong_updates(table):
    for updates, where in (({"nope": "1"}, None), ({"x": "nope"}, None), ({"x": "1"}, "nope")):
        with pytest.raises((ValueError, OSError)):
            table.update(updates, where)
    assert table.latest_version == 1


def test_both_read_it(pylance, lancecpp, path):
    data = pa.table({"id": range(100), "s": [str(i) for i in range(100)]})
    lancecpp.write_dataset(data, path, max_rows_per_file=30, enable_stable_row_ids=True)
    for lance in (lancecpp, pylance, lancecpp):
        lance.dataset(path).delete(f"id % 7 = {2 if lance is pylance else 1}")
        lance.dataset(path).update({"s": "concat(s, '!')"}, where="id < 50")
    columns = ["id", "s", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    ours = lancecpp.dataset(path).to_table(columns=columns)
    assert ours.to_pylist() == pylance.dataset(path).to_table(columns=columns).to_pylist()
    pylance.dataset(path).validate()
