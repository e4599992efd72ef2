"""Tags and branches."""

import json
import os

import pyarrow as pa
import pytest


@pytest.fixture
def table(lance, path):
    lance.write_dataset(pa.table({"id": [0]}), path)
    return lance.write_dataset(pa.table({"id": [1]}), path, mode="append")


def test_tags(lance, path, table):
    table.tags.create("first", 1)
    table.tags.create("now")
    assert table.tags.get_version("first") == 1
    assert table.tags.get_version("now") == 2
    table.tags.update("now", 1)
    listed = table.tags.list()
    assert listed["now"]["version"] == 1
    assert listed["now"]["updated_at"] > listed["now"]["created_at"]
    table.tags.replace_metadata("now", {"a": "b"})
    assert table.tags.list()["now"]["metadata"] == {"a": "b"}
    assert lance.dataset(path, version="first").count_rows() == 1
    table.tags.delete("now")
    assert list(table.tags.list()) == ["first"]


def test_wrong_tags(table):
    table.tags.create("a", 1)
    with pytest.raises(ValueError, match="Ref conflict"):
        table.tags.create("a", 1)
    for call in (table.tags.update, table.tags.create):
        with pytest.raises(ValueError):
            call("b" if call == table.tags.update else "c", 99)
    for name in ("a/b", ".a", "a..b", "a.lock", ""):
        with pytest.raises(OSError):
            table.tags.create(name, 1)
    for call in (table.tags.delete, table.tags.get_version):
        with pytest.raises(ValueError, match="Ref not found"):
            call("nope")


def test_branches(lance, path, table):
    dev = table.create_branch("dev", 1)
    assert dev.uri == path + "/tree/dev" and dev.version == 1
    dev.insert(pa.table({"id": [7]}))
    assert dev.to_table()["id"].to_pylist() == [0, 7]
    assert table.to_table()["id"].to_pylist() == [0, 1]
    inner = table.create_branch("team/x", ("dev", None))
    assert inner.to_table()["id"].to_pylist() == [0, 7]
    listed = table.branches.list()
    assert listed["dev"]["parent_version"] == 1 and listed["dev"]["parent_branch"] is None
    assert listed["team/x"]["parent_branch"] == "dev"
    assert len(listed["team/x"]["branch_identifier"]) == 2
    assert table.checkout_version(("dev", None)).version == 2
    assert table.checkout_version(("dev", 1)).count_rows() == 1
    assert dev.checkout_version((None, 2)).to_table()["id"].to_pylist() == [0, 1]
    with pytest.raises(OSError):
        table.branches.delete("dev")  # team/x comes from it
    table.branches.delete("team/x")
    assert not os.path.exists(path + "/tree/team")
    table.branches.delete("dev")
    assert table.branches.list() == {}
    with pytest.raises(ValueError):
        table.branches.delete("dev")


def test_tags_on_branches(lance, table):
    dev = table.create_branch("dev")
    dev.insert(pa.table({"id": [7]}))
    dev.tags.create("there")
    assert table.tags.list()["there"]["branch"] == "dev"
    assert table.checkout_version("there").count_rows() == 3
    with pytest.raises(OSError):
        table.branches.delete("dev")


def test_wrong_branches(table):
    table.create_branch("dev")
    for name in ("main", "/a", "a//b", "a b", "a.lock"):
        with pytest.raises(OSError):
            table.create_branch(name)
    with pytest.raises(OSError):
        table.checkout_version(("nope", 1))


def test_same_files(pylance, lancecpp, tmp_path):
    """The reference files of both have the same members."""
    members = {}
    for lance in (pylance, lancecpp):
        path = str(tmp_path / lance.__name__)
        table = lance.write_dataset(pa.table({"id": [0]}), path)
        table.tags.create("t")
        table.create_branch("a/b")
        with open(path + "/_refs/tags/t.json") as tag, open(
            path + "/_refs/branches/a%2Fb.json"
        ) as branch:
            members[lance] = [list(json.load(tag)), list(json.load(branch))]
    assert members[pylance] == members[lancecpp]


def test_branches_of_the_other(pylance, lancecpp, tmp_path):
    for writer, reader in ((pylance, lancecpp), (lancecpp, pylance)):
        path = str(tmp_path / writer.__name__)
        table = writer.write_dataset(pa.table({"id": [0]}), path)
        writer.dataset(path).create_branch("dev").insert(pa.table({"id": [1]}))
        other = reader.dataset(path).checkout_version(("dev", None))
        other.insert(pa.table({"id": [2]}))
        again = writer.dataset(path).checkout_version(("dev", None))
        assert again.to_table()["id"].to_pylist() == [0, 1, 2]
        assert table.branches.list() == reader.dataset(path).branches.list()


def test_cleanup_keeps_what_branches_start_from(lance, path):
    from datetime import timedelta

    table = lance.write_dataset(pa.table({"id": [0]}), path)
    table.insert(pa.table({"id": [5]}))
    table.create_branch("dev")
    table = lance.write_dataset(pa.table({"id": [1]}), path, mode="overwrite")
    table.cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)
    assert [v["version"] for v in table.versions()] == [2, 3]
    assert table.checkout_version(("dev", None)).to_table()["id"].to_pylist() == [0, 5]
