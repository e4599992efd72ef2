"""Tables whose data files lie in several places. Both engines."""

import os

import pyarrow as pa
import pytest

ROWS = pa.table({"id": range(10), "s": [f"row {i}" for i in range(10)]})


@pytest.fixture
def places(tmp_path):
    """Two folders beside the table."""
    return str(tmp_path / "one"), str(tmp_path / "two")


@pytest.fixture
def make(lance, path, places):
    """A new table with the bases `one` and `two`; the second has the folders of a table."""

    def write(data=ROWS, **options):
        one, two = places
        bases = [
            lance.DatasetBasePath(one, name="one"),
            lance.DatasetBasePath("file://" + two, name="two", is_dataset_root=True),
        ]
        return lance.write_dataset(data, path, initial_bases=bases, **options)

    return write


def files(folder):
    return sorted(
        os.path.relpath(os.path.join(where, name), folder)
        for where, _, names in os.walk(folder)
        for name in names
    )


def base_ids(table):
    return [file.base_id for fragment in table.get_fragments() for file in fragment.data_files()]


def ids(table):
    return sorted(table.to_table(columns=["id"])["id"].to_pylist())


def test_files_take_turns(lance, make, path, places):
    table = make(target_bases=["one", "file://" + places[1]], max_rows_per_file=3)
    assert base_ids(table) == [1, 2, 1, 2]
    assert table.to_table() == ROWS
    one, two = places
    assert len(files(one)) == 2 and all("/" not in name for name in files(one))
    assert len(files(two)) == 2 and all(name.startswith("data/") for name in files(two))
    assert not os.path.exists(os.path.join(path, "data"))
    # Again, by names and with the table's own folder.
    table = lance.write_dataset(
        ROWS, table, mode="append", target_bases=[path, "two"], max_rows_per_file=4
    )
    assert base_ids(table)[4:] == [None, 2, None]
    table = lance.write_dataset(ROWS, table, mode="append", target_bases=[])
    assert base_ids(table)[7:] == [None]
    assert ids(lance.dataset(path)) == sorted(list(range(10)) * 3)


def test_all_bases(lance, make):
    table = make(target_all_bases=True, max_rows_per_file=2)
    assert base_ids(table) == [None, 1, 2, None, 1]
    table = lance.write_dataset(
        ROWS, table, mode="overwrite", target_all_bases=False, max_rows_per_file=4
    )
    assert base_ids(table) == [1, 2, 1]
    assert sorted(table.base_paths()) == [1, 2]


def test_what_is_registered(make, places):
    bases = make().base_paths()
    assert [(bases[i].id, bases[i].name, bases[i].is_dataset_root) for i in sorted(bases)] == [
        (1, "one", False),
        (2, "two", True),
    ]
    assert [bases[1].path, bases[2].path] == [places[0], "file://" + places[1]]


def test_refused_targets(lance, make, path, tmp_path):
    with pytest.raises(OSError, match="Base reference 'x' not found in available bases"):
        make(target_bases=["x"])
    with pytest.raises(OSError, match="Base reference 'one' not found in available bases"):
        lance.write_dataset(ROWS, path, target_bases=["one"])
    with pytest.raises(OSError, match="target_all_bases found no registered bases"):
        lance.write_dataset(ROWS, path, target_all_bases=False)
    assert not os.path.exists(path)
    table = make()
    for target_all in [True, False]:
        with pytest.raises(OSError, match="Cannot specify target_all_bases together with target"):
            lance.write_dataset(
                ROWS, table, mode="append", target_bases=["one"], target_all_bases=target_all
            )
    more = [lance.DatasetBasePath(str(tmp_path / "more"), name="more")]
    for mode, name in [("append", "Append"), ("overwrite", "Overwrite")]:
        with pytest.raises(OSError, match=f"Cannot register new bases in {name} mode"):
            lance.write_dataset(ROWS, table, mode=mode, initial_bases=more)
    assert lance.dataset(path).version == 1


def test_ids_that_are_given(lance, path, places):
    one, two = places
    bases = [lance.DatasetBasePath(one, id=7), lance.DatasetBasePath(two)]
    table = lance.write_dataset(
        ROWS, path, initial_bases=bases, target_bases=[one, two], max_rows_per_file=5
    )
    assert base_ids(table) == [7, 1]


def test_bases_must_differ(lancecpp, path, places):
    one, two = places
    base = lancecpp.DatasetBasePath
    for pair in [
        [base(one, name="x"), base(two, name="x")],
        [base(one, name="x"), base(one, name="y")],
        [base(one, id=3), base(two, id=3)],
    ]:
        with pytest.raises(OSError, match="base path"):
            lancecpp.write_dataset(ROWS, path, initial_bases=pair)
    assert not os.path.exists(path)
    table = lancecpp.write_dataset(ROWS, path, initial_bases=[base(one, id=3)])
    with pytest.raises(ValueError, match="base path id is in use: 3"):
        table.add_bases([base(two, id=3)])


def test_relative_paths_are_made_absolute(lancecpp, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = lancecpp.write_dataset(
        ROWS, path, initial_bases=[lancecpp.DatasetBasePath("beside")], target_bases=["beside"]
    )
    assert table.base_paths()[1].path == str(tmp_path / "beside")
    table.add_bases([lancecpp.DatasetBasePath("more", "more")])
    monkeypatch.chdir("/")
    assert lancecpp.dataset(path).to_table() == ROWS
    assert table.base_paths()[2].path == str(tmp_path / "more")


def test_add_bases(lance, path, places):
    table = lance.write_dataset(ROWS, path)
    one, two = places
    assert table.add_bases([lance.DatasetBasePath(one, "one")], {"who": "me"}) is table
    assert table.version == 2
    assert table.get_transactions(1)[0].transaction_properties == {"who": "me"}
    table.add_bases([lance.DatasetBasePath(two, "two", id=40)])
    assert sorted(table.base_paths()) == [1, 40]
    for again in [lance.DatasetBasePath(one + "x", "one"), lance.DatasetBasePath(one, "other")]:
        with pytest.raises(ValueError):
            table.add_bases([again])
    assert table.version == 3
    table = lance.write_dataset(ROWS, table, mode="append", target_bases=["two"])
    assert base_ids(table) == [None, 40]


def test_changes_go_to_the_own_folder(lance, make, places):
    table = make(target_bases=["one", "two"], max_rows_per_file=5)
    table.delete("id = 1")
    table.update({"s": "'new'"}, where="id IN (2, 7)")
    table.add_columns({"twice": "id * 2"})
    source = pa.table({"id": [3, 100], "s": ["m", "n"], "twice": [6, 200]})
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)
    for fragment in table.get_fragments():
        deleted = fragment.metadata.deletion_file
        assert deleted is None or deleted.base_id is None
    assert sorted(set(base_ids(table)), key=str) == [1, 2, None]
    assert ids(table) == [0, 2, 3, 4, 5, 6, 7, 8, 9, 100]
    rows = {row["id"]: row for row in table.to_table().to_pylist()}
    assert rows[2] == {"id": 2, "s": "new", "twice": 4}
    assert rows[3] == {"id": 3, "s": "m", "twice": 6}
    before = table.to_table()
    table.optimize.compact_files()
    assert base_ids(table) == [None]
    assert table.to_table() == before
    assert len(files(places[0])) == 1 and len(files(places[1])) == 1


def test_merge_insert_targets(lance, make):
    table = make()

    def upsert(key, **where):
        builder = table.merge_insert("id").when_not_matched_insert_all()
        for method, argument in where.items():
            builder = getattr(builder, method)(argument)
        builder.execute(pa.table({"id": [key], "s": ["x"]}))
        return base_ids(table)[-1]

    assert upsert(20, target_bases=["two"]) == 2
    assert upsert(21, target_all_bases=False) == 1
    assert upsert(22, target_all_bases=True) is None
    with pytest.raises(OSError, match="Base reference 'x' not found in available bases"):
        upsert(23, target_bases=["x"])
    with pytest.raises((OSError, ValueError), match="Cannot specify target_all_bases together"):
        upsert(23, target_bases=["two"], target_all_bases=True)


def test_cleanup_leaves_bases_alone(lance, make, places):
    from datetime import timedelta

    table = make(target_all_bases=True, max_rows_per_file=5)
    lance.write_dataset(ROWS, table, mode="append", target_bases=["one"])
    table = lance.write_dataset(ROWS, table, mode="overwrite")
    stats = table.cleanup_old_versions(timedelta(0), delete_unverified=True)
    assert (stats.old_versions, stats.data_files_removed) == (2, 1)
    assert len(files(places[0])) == 2
    assert table.to_table() == ROWS


def test_a_base_in_the_own_folder(lancecpp, path):
    from datetime import timedelta

    inside = os.path.join(path, "data", "part")
    table = lancecpp.write_dataset(
        ROWS, path, initial_bases=[lancecpp.DatasetBasePath(inside, "in")], target_bases=["in"]
    )
    table.update_config({"x": "y"})
    table.cleanup_old_versions(timedelta(0), delete_unverified=True)
    assert lancecpp.dataset(path).to_table() == ROWS
    table = lancecpp.write_dataset(ROWS, table, mode="overwrite")
    table.cleanup_old_versions(timedelta(0), delete_unverified=True)
    assert files(inside) == []


def test_uncommitted_fragments(lance, path, places):
    one, two = places
    bases = [
        lance.DatasetBasePath(one, name="one", id=1),
        lance.DatasetBasePath(two, name="two", id=2),
    ]
    written = lance.fragment.write_fragments(
        ROWS, path, mode="create", initial_bases=bases, target_all_bases=False, max_rows_per_file=5
    )
    assert [file.base_id for fragment in written for file in fragment.files] == [1, 2]
    operation = lance.LanceOperation.Overwrite(ROWS.schema, written, initial_bases=bases)
    table = lance.LanceDataset.commit(path, operation)
    assert table.to_table() == ROWS and sorted(table.base_paths()) == [1, 2]
    more = lance.fragment.write_fragments(ROWS, table, target_bases=["two"])
    append = lance.LanceOperation.Append(more)
    table = lance.LanceDataset.commit(path, append, read_version=table.version)
    assert base_ids(table) == [1, 2, 2]
    with pytest.raises(OSError, match="Cannot register new bases in Append mode"):
        lance.fragment.write_fragments(ROWS, table, initial_bases=bases)
    with pytest.raises(OSError):
        lance.LanceDataset.commit(path, operation, read_version=table.version)
    assert ids(lance.dataset(path)) == sorted(list(range(10)) * 2)


def test_a_transaction_with_bases(lance, path, places):
    transaction = lance.fragment.write_fragments(
        ROWS,
        path,
        mode="create",
        initial_bases=[lance.DatasetBasePath(places[0], name="one")],
        target_bases=["one"],
        return_transaction=True,
    )
    assert [base.id for base in transaction.operation.initial_bases] == [1]
    table = lance.LanceDataset.commit(path, transaction)
    assert table.to_table() == ROWS and base_ids(table) == [1]


def test_ids_of_bases_are_given_out_at_commit(lancecpp, path, places):
    """pylance refuses two bases without ids, and makes an unreadable table of one."""
    bases = [lancecpp.DatasetBasePath(place) for place in places]
    written = lancecpp.fragment.write_fragments(
        ROWS, path, mode="create", initial_bases=bases, target_all_bases=False, max_rows_per_file=5
    )
    operation = lancecpp.LanceOperation.Overwrite(ROWS.schema, written, initial_bases=bases)
    assert lancecpp.LanceDataset.commit(path, operation).to_table() == ROWS
    without = lancecpp.LanceOperation.Overwrite(ROWS.schema, written)
    with pytest.raises(OSError, match="lies in base path 1, which the table lacks"):
        lancecpp.LanceDataset.commit(path + "2", without)


def test_clones(lance, make, path, tmp_path, places):
    table = make(target_all_bases=True, max_rows_per_file=4)
    clone = table.shallow_clone(tmp_path / "shallow", reference=table.version)
    assert clone.to_table() == ROWS
    clone = lance.write_dataset(ROWS, clone, mode="append", target_bases=["one"])
    assert ids(clone) == sorted(list(range(10)) * 2)
    clone.delete("id < 5")
    assert base_ids(clone)[-1] == 1 and ids(lance.dataset(path)) == list(range(10))
    if lance.__name__ == "lance":
        return  # does not clone from a base with a file:// URI
    deep = clone.deep_clone(tmp_path / "deep", reference=clone.version)
    assert deep.base_paths() == {} and set(base_ids(deep)) == {None}
    assert deep.to_table() == clone.to_table()


def test_blobs_lie_beside_their_file(lance, path, places):
    values = [b"small", b"x" * 100_000, b"y" * (5 << 20), None]
    table = pa.table(
        {"id": range(4), "b": lance.blob_array(values)},
        schema=pa.schema([pa.field("id", pa.int64()), lance.blob_field("b")]),
    )
    written = lance.write_dataset(
        table,
        path,
        initial_bases=[lance.DatasetBasePath(places[0], "one")],
        target_bases=["one"],
        data_storage_version="2.2",
    )
    assert len(files(places[0])) == 3
    blobs = written.take_blobs("b", indices=[0, 1, 2])
    assert [blob.readall() for blob in blobs] == values[:3]


def test_store_params_of_local_bases(lance, path, places):
    params = {places[0]: {"any": "thing"}}
    bases = [lance.DatasetBasePath(places[0], "one")]
    table = lance.write_dataset(
        ROWS, path, initial_bases=bases, target_bases=["one"], base_store_params=params
    )
    assert lance.dataset(path, base_store_params=params).to_table() == ROWS
    with pytest.raises(TypeError):
        lance.write_dataset(ROWS, table, mode="append", base_store_params={places[0]: 3})


def test_a_base_of_an_unknown_store(lancecpp, path):
    base = lancecpp.DatasetBasePath("nowhere://bucket/data", "far")
    with pytest.raises((OSError, NotImplementedError), match="'nowhere' is not supported"):
        lancecpp.write_dataset(ROWS, path, initial_bases=[base], target_bases=["far"])
    assert not os.path.exists(path)


def test_a_failed_create_leaves_nothing(lancecpp, tmp_path):
    """Neither folders of the table nor of bases; folders that were there stay."""

    def broken():
        yield ROWS.to_batches()[0]
        raise RuntimeError("no more")

    base = lancecpp.DatasetBasePath(str(tmp_path / "deep" / "base"), "b", is_dataset_root=True)
    for targets in [{}, {"initial_bases": [base], "target_all_bases": True}]:
        with pytest.raises(OSError, match="no more"):
            lancecpp.write_dataset(
                broken(),
                tmp_path / "a" / "b" / "t.lance",
                schema=ROWS.schema,
                max_rows_per_file=2,
                **targets,
            )
        assert os.listdir(tmp_path) == []
    (tmp_path / "made").mkdir()
    with pytest.raises(OSError, match="no more"):
        lancecpp.write_dataset(broken(), tmp_path / "made", schema=ROWS.schema, max_rows_per_file=2)
    assert os.listdir(tmp_path) == ["made"] and os.listdir(tmp_path / "made") == []
