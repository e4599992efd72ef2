"""Text and bytes with offsets of any width, as views and in dictionaries, into tables that hold them
otherwise: what polars and others hand over."""

import itertools

import pyarrow as pa
import pytest

LAYOUTS = {
    "text": [pa.string(), pa.large_string(), pa.string_view()],
    "bytes": [pa.binary(), pa.large_binary(), pa.binary_view()],
}


def frame(first, values, type):
    """Rows with values of the type at the top, in a list and in a struct."""
    values = pa.array(values, type)
    offsets = pa.array(range(len(values) + 1), pa.int32())
    return pa.table(
        {
            "id": pa.array(range(first, first + len(values)), pa.int64()),
            "t": values,
            "l": pa.ListArray.from_arrays(offsets, values),
            "s": pa.StructArray.from_arrays([values], ["x"]),
        }
    )


@pytest.mark.parametrize("kind", ["text", "bytes"])
@pytest.mark.parametrize("file_version", ["2.0", "2.1", "2.2", "2.3"])
def test_any_layout_goes_into_any_table(lancecpp, pylance, tmp_path, kind, file_version):
    def value(letter, count=1):
        return letter * count if kind == "text" else (letter * count).encode()

    pairs = itertools.product(LAYOUTS[kind], LAYOUTS[kind])
    for number, (table_type, type) in enumerate(pairs):
        path = str(tmp_path / f"{number}.lance")
        old = frame(0, [value("a"), value("b", 40)], table_type)
        table = lancecpp.write_dataset(
            old, path, data_storage_version=file_version, semantic_types=False
        )
        schema = table.schema
        table.insert(frame(2, [value("c"), None], type))
        # By a number, without a column; then by the text.
        some = frame(1, [value("d", 30)], type).select(["id", "t", "l"])
        table.merge_insert("id").when_matched_update_all().execute(some)
        more = frame(10, [value("a"), value("e", 20)], type)
        table.merge_insert("t").when_not_matched_insert_all().execute(more)
        assert table.schema == schema
        expected = [value("a"), value("d", 30), value("c"), None, value("e", 20)]
        members = [value("a"), value("b", 40), value("c"), None, value("e", 20)]
        for read in (lancecpp.dataset(path), pylance.dataset(path)):
            rows = read.to_table().sort_by("id")
            assert rows["id"].to_pylist() == [0, 1, 2, 3, 11]
            assert rows["t"].to_pylist() == expected
            assert rows["l"].to_pylist() == [[one] for one in expected]
            assert rows["s"].to_pylist() == [{"x": one} for one in members]


def test_values_of_other_types_are_refused(lancecpp, path):
    table = lancecpp.write_dataset({"t": ["a"]}, path)
    bytes, numbers = pa.array([b"a"], pa.large_binary()), pa.array([1])
    for wrong in (bytes, numbers, pa.array(["a"]).dictionary_encode()):
        with pytest.raises(OSError, match="should have type string"):
            table.insert(pa.table({"t": wrong}))
    assert table.latest_version == 1


@pytest.mark.parametrize("file_version", ["2.0", "2.1", "2.2", "2.3"])
def test_dictionaries_of_any_text(lancecpp, pylance, tmp_path, file_version):
    types = [
        pa.dictionary(pa.uint32(), values, ordered)
        for values in LAYOUTS["text"]
        for ordered in (False, True)
    ]
    for number, (table_type, type) in enumerate(itertools.product(types, types)):
        path = str(tmp_path / f"{number}.lance")

        def table_of(ids, keys, items, type):
            indices = pa.array(keys, type.index_type)
            values = pa.array(items, type.value_type)
            column = pa.DictionaryArray.from_arrays(indices, values, ordered=type.ordered)
            return pa.table({"id": ids, "d": column})

        table = lancecpp.write_dataset(
            table_of([0, 1], [0, 1], ["x", "y"], table_type),
            path,
            data_storage_version=file_version,
            semantic_types=False,
        )
        table.insert(table_of([2, 3, 4], [1, None, 0], ["p", "q"], type))
        merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(table_of([1, 9], [0, 0], ["z"], type))
        expected = ["x", "z", "q", None, "p", "z"]
        for read in (lancecpp.dataset(path), pylance.dataset(path)):
            rows = sorted(read.to_table().to_pylist(), key=lambda row: row["id"])
            assert [row["d"] for row in rows] == expected


def test_polars(lance, path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": [1, 2], "s": ["a", None]})
    lance.write_dataset(frame, path)
    table = lance.write_dataset(frame, path, mode="append")
    merged = table.merge_insert("id").when_matched_update_all().execute(
        polars.DataFrame({"id": [1], "s": ["b"]})
    )
    assert merged["num_updated_rows"] == 2
    assert sorted(table.to_table()["s"].to_pylist(), key=str) == [None, None, "b", "b"]


def test_polars_and_the_other_engine(lancecpp, pylance, path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": [1, 2], "s": ["a", None]})
    pylance.write_dataset(frame, path)  # as large_string
    table = lancecpp.write_dataset(frame, path, mode="append")
    table.merge_insert("id").when_matched_update_all().execute(frame.head(1))
    assert pylance.dataset(path).to_table().num_rows == 4


@pytest.mark.parametrize("name", ["Categorical", "Enum"])
def test_polars_categories(lance, path, name):
    polars = pytest.importorskip("polars")
    type = polars.Categorical() if name == "Categorical" else polars.Enum(["x", "y", "z"])
    frame = polars.DataFrame({"id": [1, 2], "c": polars.Series(["x", "y"], dtype=type)})
    table = lance.write_dataset(frame, path)
    table.insert(frame)
    table.merge_insert("id").when_matched_update_all().execute(
        polars.DataFrame({"id": [2], "c": polars.Series(["x"], dtype=type)})
    )
    assert table.to_table()["c"].to_pylist() == ["x", "x", "x", "x"]
