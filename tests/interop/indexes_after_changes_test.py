"""Indexes that pylance built, after changes of ours: their answers are those without them."""

import shutil

import indexed_table
import pyarrow as pa
import pytest

CHANGED = list(range(150, 260))  # ids, in two of three fragments


@pytest.fixture(scope="module", params=[False, True], ids=["addresses", "stable"])
def template(request, tmp_path_factory):
    import lance

    path = tmp_path_factory.mktemp("indexed") / "table.lance"
    indexed_table.make(lance, path, request.param)
    return path, request.param


@pytest.fixture
def path(template, tmp_path):
    shutil.copytree(template[0], tmp_path / "table.lance")
    return str(tmp_path / "table.lance")


def append(table):
    table.insert(indexed_table.rows(range(600, 700), 1))


def delete(table):
    table.delete("id % 7 = 2 OR id < 40")


def delete_a_fragment(table):
    table.delete("id < 200")


def update_all_indexed(table):
    table.update(
        {
            "btree": "btree + 5000",
            "bitmap": "bitmap + 1",
            "zones": "zones + 5000",
            "bloom": "bloom + 5000",
            "text": "'new ' || text",
            "grams": "'abc1' || grams",
        },
        where="id >= 150 AND id < 260",
    )


def update_another(table):
    table.update({"other": "0"}, where="id >= 150 AND id < 260")


def upsert(table):
    source = indexed_table.rows([*CHANGED, *range(600, 650)], 2)
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)


def upsert_some_columns(table):
    source = indexed_table.rows(CHANGED, 3).select(["id", "btree", "text", "vector"])
    table.merge_insert("id").when_matched_update_all().execute(source)


def rewrite_columns(table):
    source = indexed_table.rows(CHANGED, 4).drop_columns(["other"])
    upsert = table.merge_insert("id").when_matched_update_all().write_mode("rewrite_columns")
    assert upsert.execute(source)["num_updated_rows"] > 50


def update_columns(table):
    import lancecpp

    source = indexed_table.rows(CHANGED, 5).select(["id", "bitmap", "zones", "product"])
    fragment, fields, offsets = table.get_fragment(1).update_columns(
        source, "id", with_offsets=True
    )
    update = lancecpp.LanceOperation.Update(
        updated_fragments=[fragment],
        fields_modified=fields,
        update_mode="rewrite_columns",
        updated_fragment_offsets={1: offsets},
    )
    lancecpp.LanceDataset.commit(table, update, read_version=table.version)


def replace_data(table):
    import lancecpp
    from lancecpp.file import LanceFileWriter

    batch = pa.record_batch({"btree": pa.array(range(9000, 9200), pa.int64())})
    with LanceFileWriter(f"{table.uri}/data/new.lance", batch.schema, version="2.2") as writer:
        writer.write_batch(batch)
    field = table.lance_schema.field("btree").id()
    file = lancecpp.fragment.DataFile("new.lance", [field], [0], 2, 2)
    group = lancecpp.LanceOperation.DataReplacementGroup(1, file)
    replacement = lancecpp.LanceOperation.DataReplacement([group])
    lancecpp.LanceDataset.commit(table, replacement, read_version=table.version)


def add_columns(table):
    table.add_columns({"more": "id + 1"})


def drop_columns(table):
    table.drop_columns(["btree", "text", "vector", "other"])


def cast(table):
    table.alter_columns({"path": "btree", "data_type": pa.int32()})


def overwrite(table):
    import lancecpp

    lancecpp.write_dataset(indexed_table.rows(range(50), 6), table, mode="overwrite")


def restore(table):
    table.delete("id >= 100")
    table.checkout_version(1).restore()


def append_over_another_handle(table):
    table.checkout_version(1).insert(indexed_table.rows(range(600, 620), 1))
    table.delete("id = 5")


def truncate_and_append(table):
    table.truncate_table()
    table.insert(indexed_table.rows(range(100), 7))


def change_metadata(table):
    table.update_config({"a": "b"})
    table.update_field_metadata({"btree": {"x": "y"}})


CHANGES = [
    append,
    delete,
    delete_a_fragment,
    update_all_indexed,
    update_another,
    upsert,
    upsert_some_columns,
    rewrite_columns,
    update_columns,
    replace_data,
    add_columns,
    drop_columns,
    cast,
    overwrite,
    restore,
    append_over_another_handle,
    truncate_and_append,
    change_metadata,
]


@pytest.mark.parametrize("change", CHANGES)
def test_answers_after(change, lancecpp, pylance, path):
    change(lancecpp.dataset(path))
    indexed_table.check(pylance, path)
    # What others build on it.
    table = pylance.dataset(path)
    table.optimize.optimize_indices()
    indexed_table.check(pylance, path)


def test_answers_after_a_rename(lancecpp, pylance, path):
    table = lancecpp.dataset(path)
    names = {column: f"{column}2" for column in ["btree", "text", "vector"]}
    table.alter_columns(*({"path": old, "name": new} for old, new in names.items()))
    indexed_table.check(pylance, path, names)


def test_answers_after_many_changes(lancecpp, pylance, path):
    for change in [update_all_indexed, rewrite_columns, delete, upsert, update_another, append]:
        change(lancecpp.dataset(path))
    indexed_table.check(pylance, path)


def test_compaction(lancecpp, pylance, path, template):
    """Without stable row ids it is refused before anything is written."""
    table = lancecpp.dataset(path)
    table.delete("id % 3 = 1")
    before = table.to_table()
    if not template[1]:
        version, files = table.version, sorted(p for p in _files(path))
        with pytest.raises(NotImplementedError, match="drop the index first"):
            table.optimize.compact_files()
        assert (lancecpp.dataset(path).version, sorted(_files(path))) == (version, files)
        return
    table.optimize.compact_files()
    assert len(table.get_fragments()) == 1 and table.to_table() == before
    indexed_table.check(pylance, path)
    covered = indexed_table.coverage(pylance.dataset(path))
    live = [fragment.fragment_id for fragment in table.get_fragments()]
    for column in ["bitmap", "labels", "text", "grams", "vector", "product"]:
        assert covered[column] == live, column
    for column in ["btree", "zones", "bloom"]:
        assert covered.get(column, []) == [], column
    for change in [update_all_indexed, delete, upsert]:
        change(lancecpp.dataset(path))
    indexed_table.check(pylance, path)


@pytest.mark.parametrize("column", indexed_table.COLUMNS)
@pytest.mark.parametrize("defer", [False, True])
def test_compaction_under_one_index(column, defer, lancecpp, pylance, tmp_path):
    path = tmp_path / "t.lance"
    indexed_table.make(pylance, path, False, [column])
    table = lancecpp.dataset(path)
    table.delete("id % 3 = 1")
    if column in ("zones", "bloom"):
        # They know nothing of single rows, and lose what they covered, as with pylance.
        table.optimize.compact_files(defer_index_remap=defer)
        assert indexed_table.coverage(pylance.dataset(path)).get(column, []) == []
    else:
        with pytest.raises(NotImplementedError, match="drop the index first"):
            table.optimize.compact_files(defer_index_remap=defer)
        assert lancecpp.dataset(path).version == table.version
        # What it does not cover may be compacted.
        for seed in range(2):
            table.insert(indexed_table.rows(range(600 + 10 * seed, 610 + 10 * seed)))
        table.optimize.compact_files(
            excluded_fragment_ids=[0, 1, 2], defer_index_remap=defer
        )
        assert len(table.get_fragments()) == 4
    indexed_table.check(pylance, path)


def test_deferred_remap_with_stable_row_ids(lance_modules, tmp_path):
    for lance in lance_modules:
        path = tmp_path / lance.__name__
        table = lance.write_dataset(
            pa.table({"a": range(4)}), path, max_rows_per_file=1, enable_stable_row_ids=True
        )
        with pytest.raises(OSError, match="Cannot compact with defer_index_remap"):
            table.optimize.compact_files(defer_index_remap=True)
        assert table.latest_version == 1


@pytest.fixture
def lance_modules(pylance, lancecpp):
    return pylance, lancecpp


def _files(path):
    import pathlib

    return [str(file) for file in pathlib.Path(path).rglob("*") if file.is_file()]


@pytest.mark.parametrize("change", [delete, update_all_indexed, upsert, rewrite_columns, append])
def test_after_a_deferred_compaction(change, lancecpp, pylance, tmp_path):
    """pylance moved the rows and left its indexes as they were; then we change some."""
    path = tmp_path / "t.lance"
    table = indexed_table.make(pylance, path, False, ["btree", "bitmap", "text", "vector"])
    table.delete("id % 5 = 1")
    table.optimize.compact_files(defer_index_remap=True)
    indexed_table.check(pylance, path)
    change(lancecpp.dataset(path))
    indexed_table.check(pylance, path)
