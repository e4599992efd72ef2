"""Names that no expression can use."""

import pyarrow as pa
import pytest


ADDED = {
    "computed": {"": "x + 1"},
    "null": pa.field("", pa.int32()),
    "data": pa.table({"": [1, 2]}),
    "member": pa.field("st2", pa.struct([pa.field("", pa.int32())])),
}


@pytest.mark.parametrize("kind", ADDED)
def test_no_empty_name_is_added(lance, path, kind):
    """The reference fails too, but after a commit of columns that are null; members it takes."""
    if kind == "member" and lance.__name__ == "lance":
        pytest.skip("no error")
    table = lance.write_dataset(pa.table({"x": [1, 2]}), path)
    message = "name of a new column or member is empty" if lance.__name__ == "lancecpp" else "."
    with pytest.raises((ValueError, OSError), match=message):
        table.add_columns(ADDED[kind])
        table.to_table()
    if lance.__name__ == "lancecpp":
        assert table.version == 1 == table.latest_version


@pytest.mark.parametrize("column", ["x", "st.a"])
def test_no_column_is_renamed_to_nothing(lancecpp, path, column):
    table = lancecpp.write_dataset(pa.table({"x": [1, 2], "st": [{"a": 1}, {"a": 2}]}), path)
    with pytest.raises((ValueError, OSError), match="can't be renamed: the new name is empty"):
        table.alter_columns({"path": column, "name": ""})
    assert table.version == 1 == table.latest_version


def test_nothing_is_written_for_an_empty_name(lancecpp, path, tmp_path):
    table = lancecpp.write_dataset(pa.table({"x": [1, 2]}), path)
    before = sorted(str(file) for file in tmp_path.rglob("*"))
    for change in (
        lambda: table.add_columns({"": "x + 1"}),
        lambda: table.add_columns(pa.table({"": [1, 2]})),
        lambda: table.merge(pa.table({"x": [1], "": [3]}), "x"),
    ):
        with pytest.raises((ValueError, OSError), match="is empty"):
            change()
    assert sorted(str(file) for file in tmp_path.rglob("*")) == before


def test_an_empty_name_of_another_writer_is_read(lancecpp, pylance, path):
    pylance.write_dataset(pa.table({"": [1], "x": [2]}), path)
    table = lancecpp.dataset(path)
    assert table.to_table().to_pydict() == {"": [1], "x": [2]}
    table.alter_columns({"path": "", "name": "y"})
    assert table.to_table().to_pydict() == {"y": [1], "x": [2]}
