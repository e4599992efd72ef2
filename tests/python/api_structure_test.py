"""Which structs and lists are null stays known when none of the members asked for is stored."""

import pyarrow as pa
import pytest

STRUCTS = [{"a": 1}, None, {"a": 3}]
LISTS = [[{"a": 1}, None, {"a": 3}], None, []]
ONLY_B = [{"b": None}, None, {"b": None}]
LISTS_OF_B = [ONLY_B, None, []]
NEW = pa.struct({"b": pa.int32()})


def write(lance, path, with_numbers):
    columns = {"n": [1, 2, 3]} if with_numbers else {}
    table = lance.write_dataset(
        pa.table(columns | {"s": STRUCTS, "l": LISTS}), path, data_storage_version="2.2"
    )
    table.add_columns(pa.schema({"s": NEW, "l": pa.list_(NEW)}))
    return lance.dataset(path)


def test_a_new_member_is_read_alone(lance, path):
    taken = write(lance, path, True).take([0, 1, 2], columns=["s.b", "n"])
    assert taken.to_pydict() == {"s": ONLY_B, "n": [1, 2, 3]}


def test_a_new_member_of_items_is_read_alone(lancecpp, path):
    table = write(lancecpp, path, True)
    assert table.take([0, 1, 2], columns=["l.item.b"]).to_pydict() == {"l": LISTS_OF_B}


@pytest.mark.parametrize("with_numbers", [True, False])
def test_the_stored_members_are_dropped(lancecpp, pylance, path, with_numbers):
    """With them the reference loses what is null, and the whole table if no other file is left."""
    table = write(lancecpp, path, with_numbers)
    table.drop_columns(["s.a", "l.item.a"])
    expected = {"s": ONLY_B, "l": LISTS_OF_B}

    def check():
        read = lancecpp.dataset(path)
        read.validate()
        assert read.to_table(columns=["s", "l"]).to_pydict() == expected
        assert read.to_table(filter="s IS NULL").num_rows == 1
        assert pylance.dataset(path).count_rows() == read.count_rows()
        assert pylance.dataset(path).to_table().num_rows == read.count_rows()

    check()
    if with_numbers:
        # The file that holds the dropped members holds nothing else now.
        table.add_columns({"m": "n * 2"})
        table.drop_columns(["n"])
        check()
        source = pa.table({"m": [2, 4], "x": [7, 8]})
        table.add_columns({"x": "m"})
        update = table.merge_insert("m").when_matched_update_all().write_mode("rewrite_columns")
        update.execute(source)
        assert table.to_table(columns=["x"]).to_pydict() == {"x": [7, 8, 6]}
        check()
    table.insert(pa.table({"s": [{"b": 1}]}, schema=pa.schema({"s": NEW})))
    expected = {"s": ONLY_B + [{"b": 1}], "l": LISTS_OF_B + [None]}
    table.optimize.compact_files()
    assert len(table.get_fragments()) == 1
    read = lancecpp.dataset(path).to_table(columns=["s", "l"]).to_pydict()
    assert read["s"] == expected["s"]
    assert pylance.dataset(path).to_table(columns=["s", "l"]).to_pydict() == expected


def test_all_that_is_stored_is_dropped(lancecpp, pylance, path):
    """The reference reads no fragment without files."""
    table = lancecpp.write_dataset({"n": [1, 2, 3]}, path)
    table.add_columns(pa.field("b", pa.int32()))
    table.drop_columns(["n"])
    for module in (lancecpp, pylance):
        assert module.dataset(path).to_table().to_pydict() == {"b": [None] * 3}
    table.add_columns({"c": "coalesce(b, 5)"})
    assert len(table.get_fragments()[0].data_files()) == 2
    table.alter_columns({"path": "c", "data_type": pa.int32()})
    for module in (lancecpp, pylance):
        assert module.dataset(path).to_table().to_pydict() == {"b": [None] * 3, "c": [5] * 3}
    table.optimize.compact_files()
    assert lancecpp.dataset(path).to_table().to_pydict() == {"b": [None] * 3, "c": [5] * 3}


def test_a_list_that_is_not_stored_beside_dropped_members(lancecpp, path):
    """Of two files of a fragment the older one holds a member that was dropped before an update."""
    rows = pa.table({"n": [1, 2, 3], "s": [{"a": 1, "b": 1}, None, {"a": 3, "b": 3}]})
    table = lancecpp.write_dataset(rows, path, data_storage_version="2.2")
    table.add_columns(pa.schema({"l": pa.list_(NEW)}))
    table.drop_columns(["s.b"])
    source = pa.table({"n": [1, 2], "s": [None, {"a": 2}]})
    update = table.merge_insert("n").when_matched_update_all().write_mode("rewrite_columns")
    update.execute(source)
    read = table.to_table().to_pydict()
    assert read == {"n": [1, 2, 3], "s": [None, {"a": 2}, {"a": 3}], "l": [None] * 3}
