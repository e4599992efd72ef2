"""Versions, checkout, tags, time travel, pickling."""

import copy
import os
import pickle
import time
from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pytest


@pytest.fixture
def table(lance, path):
    """Three versions: 1, 2 and 3 rows."""
    table = lance.write_dataset({"id": [0]}, path)
    for i in (1, 2):
        time.sleep(0.002)
        table = lance.write_dataset({"id": [i]}, path, mode="append")
    return table


def test_version_numbers(lance, path, table):
    assert table.version == table.latest_version == 3
    old = lance.dataset(path, version=1)
    assert (old.version, old.latest_version, old.count_rows()) == (1, 3, 1)


def test_versions(table):
    before = datetime.now() + timedelta(seconds=1)
    versions = table.versions()
    assert [v["version"] for v in versions] == [1, 2, 3]
    times = [v["timestamp"] for v in versions]
    assert times == sorted(times)
    for moment in times:
        assert moment.tzinfo is None
        assert before - timedelta(minutes=5) < moment <= before
    assert versions[1]["metadata"] == {
        "total_data_file_rows": "2",
        "total_data_files": "2",
        "total_deletion_file_rows": "0",
        "total_deletion_files": "0",
        "total_files_size": versions[1]["metadata"]["total_files_size"],
        "total_fragments": "2",
        "total_rows": "2",
    }
    sizes = [int(v["metadata"]["total_files_size"]) for v in versions]
    assert 0 < sizes[0] < sizes[1] < sizes[2]
    assert table.get_version() == versions[2]
    assert table.checkout_version(1).get_version() == versions[0]


def test_versions_count_deletions(lance, pylance, path):
    pylance.write_dataset({"id": list(range(10))}, path).delete("id < 3")
    counted = lance.dataset(path).versions()[-1]["metadata"]
    assert (counted["total_rows"], counted["total_data_file_rows"]) == ("7", "10")
    assert (counted["total_deletion_files"], counted["total_deletion_file_rows"]) == ("1", "3")


def test_checkout(table):
    for number in (1, 2, 3):
        assert table.checkout_version(number).count_rows() == number
        assert table.checkout_version((None, number)).version == number
        assert table.checkout_version(("main", number)).version == number
    assert table.version == 3


def test_checkout_latest(lance, path, table):
    old = table.checkout_version(1)
    assert old.checkout_latest() is None
    assert old.version == 3
    lance.write_dataset({"id": [9]}, path, mode="append")
    assert (old.version, old.latest_version) == (3, 4)
    old.checkout_latest()
    assert (old.version, old.count_rows()) == (4, 4)


def test_old_handles_are_unchanged(lance, path, table):
    lance.write_dataset({"other": ["x"]}, path, mode="overwrite")
    assert table.to_table()["id"].to_pylist() == [0, 1, 2]
    assert table.take([2])["id"].to_pylist() == [2]


def test_as_of(lance, path, table):
    times = [v["timestamp"] for v in table.versions()]
    for i, moment in enumerate(times):
        after = moment + timedelta(milliseconds=1)
        assert lance.dataset(path, asof=after).version == i + 1
    assert lance.dataset(path, asof=times[1]).version == 1, "strictly before"
    assert lance.dataset(path, asof="2100-01-01 00:00:00").version == 3
    with pytest.raises(ValueError):
        lance.dataset(path, asof=datetime(2001, 1, 1))


def test_as_of_with_a_time_zone(lancecpp, path):
    lancecpp.write_dataset({"id": [0]}, path)
    soon = datetime.now(timezone.utc) + timedelta(seconds=5)
    assert lancecpp.dataset(path, asof=soon).version == 1
    assert lancecpp.dataset(path, asof="2100-01-01T00:00:00Z").version == 1
    with pytest.raises(ValueError):
        lancecpp.dataset(path, asof=soon - timedelta(hours=1))


# Tags, made by pylance.


@pytest.fixture
def tagged(lance, pylance, path, table):
    made = pylance.dataset(path)
    made.tags.create("first", 1)
    made.tags.create("newest", 3)
    made.tags.create("v-2.0_x", 2)
    return lance.dataset(path)


def test_tags(tagged):
    tags = tagged.tags.list()
    assert {name: tag["version"] for name, tag in tags.items()} == {
        "first": 1,
        "newest": 3,
        "v-2.0_x": 2,
    }
    first = tags["first"]
    assert set(first) == {
        "branch",
        "version",
        "created_at",
        "updated_at",
        "manifest_size",
        "metadata",
    }
    assert first["branch"] is None
    assert first["manifest_size"] > 0
    assert first["metadata"] == {}
    assert abs(datetime.now(timezone.utc) - first["created_at"]) < timedelta(minutes=5)
    assert first["updated_at"] == first["created_at"]


def test_tags_in_order(tagged):
    def names(order=None):
        return [name for name, _ in tagged.tags.list_ordered(order)]

    assert names() == names("desc") == ["newest", "v-2.0_x", "first"]
    assert names("asc") == ["first", "v-2.0_x", "newest"]
    with pytest.raises(ValueError, match="Invalid sort order 'sideways'"):
        names("sideways")


def test_open_and_check_out_a_tag(lance, path, tagged):
    assert tagged.tags.get_version("first") == 1
    assert lance.dataset(path, version="first").count_rows() == 1
    assert tagged.checkout_version("v-2.0_x").version == 2


def test_a_table_without_tags(table):
    assert table.tags.list() == {}
    assert table.tags.list_ordered() == []


# Metadata of the table.


def test_metadata_and_config(lance, pylance, path):
    made = pylance.write_dataset({"id": [1]}, path)
    assert lance.dataset(path).metadata == {}
    assert lance.dataset(path).config() == {}
    made.update_metadata({"owner": "me"})
    made.update_config({"lance.auto_cleanup.interval": "5"})
    table = lance.dataset(path)
    assert table.metadata == {"owner": "me"}
    assert table.config() == {"lance.auto_cleanup.interval": "5"}


def test_max_field_id(lance, path):
    table = lance.write_dataset([{"a": 1, "s": {"x": 1, "l": [1]}}], path)
    assert table.max_field_id == 4


def test_lance_schema(lance, path):
    schema = pa.schema(
        [
            pa.field("a", pa.int64(), metadata={"k": "v"}),
            ("s", pa.struct([("x", pa.int32()), ("y", pa.list_(pa.struct([("z", pa.int8())])))])),
            ("v", pa.list_(pa.float32(), 4)),
            ("l", pa.large_list(pa.string())),
            ("d", pa.dictionary(pa.int8(), pa.string())),
        ]
    )
    table = lance.write_dataset(schema.empty_table(), path)
    found = []

    def walk(field):
        found.append((field.id(), field.name()))
        for child in field.children():
            walk(child)

    for field in table.lance_schema.fields():
        walk(field)
    names = ["a", "s", "x", "y", "item", "z", "v", "l", "item", "d"]
    assert found == list(enumerate(names))
    assert table.lance_schema.field("s.y.item.z").id() == 5
    assert table.lance_schema.field("S.X") is None
    assert table.lance_schema.field_case_insensitive("S.X").to_arrow() == pa.field("x", pa.int32())
    assert table.lance_schema.field("a").metadata == {"k": "v"}
    assert table.lance_schema.to_pyarrow() == schema
    assert table.lance_schema == lance.dataset(path).lance_schema


def test_an_append_keeps_what_others_put_into_the_manifest(lance, pylance, path):
    made = pylance.write_dataset({"id": [1]}, path)
    made.update_metadata({"owner": "me"})
    made.update_config({"k": "v"})
    made.tags.create("keep", 1)
    table = lance.write_dataset({"id": [2]}, path, mode="append")
    assert (table.metadata, table.config()) == ({"owner": "me"}, {"k": "v"})
    assert table.tags.get_version("keep") == 1


# Copies.


def test_pickle(table):
    old = table.checkout_version(2)
    restored = pickle.loads(pickle.dumps(old))
    assert (restored.version, restored.uri) == (2, old.uri)
    assert restored.to_table() == old.to_table()
    fragment = pickle.loads(pickle.dumps(old.get_fragments()[1]))
    assert fragment.fragment_id == 1
    assert fragment.to_table()["id"].to_pylist() == [1]
    metadata = old.get_fragments()[1].metadata
    assert pickle.loads(pickle.dumps(metadata)) == metadata


def test_pickle_keeps_default_scan_options(lance, path, table):
    opened = lance.dataset(path, default_scan_options={"with_row_id": True})
    assert "_rowid" in pickle.loads(pickle.dumps(opened)).to_table().schema.names


def test_copy(table):
    twin = copy.copy(table)
    twin.insert({"id": [9]})
    assert (table.version, twin.version) == (3, 4)


def test_repr(lancecpp, path):
    table = lancecpp.write_dataset({"id": [1, 2]}, path)
    assert repr(table) == f"LanceDataset(uri={path!r}, version=1, rows=2, fragments=1)"
    assert repr(table.get_fragment(0)).startswith("LanceFragment(id=0, data_files=['")


def test_renamed_manifests(lance, path, pylance, lancecpp):
    table = lance.write_dataset(pa.table({"id": range(5)}), path, enable_v2_manifest_paths=False)
    table.delete("id = 1")
    table.migrate_manifest_paths_v2()
    table.delete("id = 2")
    for reader in (pylance, lancecpp):
        assert reader.dataset(path).version == 3
        assert reader.dataset(path).to_table()["id"].to_pylist() == [0, 3, 4]


def test_renamed_manifests_under_another_handle(lancecpp, pylance, path):
    table = lancecpp.write_dataset(pa.table({"id": range(5)}), path, enable_v2_manifest_paths=False)
    other = lancecpp.dataset(path)
    table.migrate_manifest_paths_v2()
    other.delete("id = 2")
    assert pylance.dataset(path).to_table()["id"].to_pylist() == [0, 1, 3, 4]


def test_interrupted_renaming(lancecpp, path):
    table = lancecpp.write_dataset(pa.table({"id": range(5)}), path, enable_v2_manifest_paths=False)
    for i in range(3):
        table.delete(f"id = {i}")
    folder = os.path.join(path, "_versions")
    # As if it had stopped after the first two.
    for version in (1, 2):
        os.rename(os.path.join(folder, f"{version}.manifest"), os.path.join(folder, f"{2**64 - 1 - version}.manifest"))
    table = lancecpp.dataset(path)
    assert [v["version"] for v in table.versions()] == [1, 2, 3, 4]
    table.migrate_manifest_paths_v2()
    assert lancecpp.dataset(path).to_table()["id"].to_pylist() == [3, 4]
    assert all(len(name) == len(f"{2**64 - 1}.manifest") for name in os.listdir(folder) if name.endswith("manifest"))


def test_damaged_manifest_of_an_older_version(lancecpp, path, table):
    names = sorted(os.listdir(os.path.join(path, "_versions")))
    with open(os.path.join(path, "_versions", [n for n in names if n.endswith("manifest")][-1]), "wb") as file:
        file.write(b"garbage")
    with pytest.raises(OSError, match="manifest"):
        lancecpp.dataset(path).get_transactions()
