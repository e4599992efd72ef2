"""The verbs that change a table."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def uri(cli, tmp_path):
    """Two versions: three fragments of two rows, then one more."""
    pq.write_table(pa.table({"id": range(6), "x": range(6)}), tmp_path / "six.parquet")
    pq.write_table(pa.table({"id": [6], "x": [6]}), tmp_path / "one.parquet")
    uri = tmp_path / "table.lance"
    cli("import", tmp_path / "six.parquet", uri, "--max-rows-per-file", "2")
    cli("import", tmp_path / "one.parquet", uri, "--mode", "append")
    return uri


def test_restore(cli, uri):
    assert cli("restore", uri, "--version", "1").out == "restored version 1, version 3\n"
    assert cli("count", uri).out == "6\n"


def test_tags(cli, uri):
    cli("tag", uri, "first", "--version", "1")
    assert cli("count", uri, "--version", "first").out == "6\n"
    cli("tag", uri, "first")
    assert cli("count", uri, "--version", "first").out == "7\n"
    cli("untag", uri, "first")
    assert "first" in cli.fails("untag", uri, "first")
    assert "alphanumeric" in cli.fails("tag", uri, "a b")
    # --version 2 would never reach it.
    assert "number of a version" in cli.fails("tag", uri, "2")


def test_branches(cli, uri):
    cli("branch", uri, "dev", "--version", "1")
    assert cli("count", uri / "tree" / "dev").out == "6\n"
    assert cli.json("branches", uri) == [
        {"name": "dev", "parent_branch": "main", "parent_version": 1}
    ]
    assert "dev" in cli("branches", uri).out


def test_drop_columns(cli, uri):
    assert cli.json("drop-columns", uri, "x")["version"] == 3
    assert "nope" in cli.fails("drop-columns", uri, "nope")


def test_a_column_named_twice_is_dropped_once(cli, uri):
    assert cli("drop-columns", uri, "x", "x").out == "dropped 1 column, version 3\n"


def test_delete_and_update(cli, uri):
    assert cli("delete", uri, "id >= 4 AND x <> 6").out == "deleted 2 rows, version 3\n"
    done = cli.json("update", uri, "x=x * 10", "id=id + 100", "--where", "id = 1")
    assert (done["rows"], done["version"]) == (1, 4)
    assert cli("count", uri, "--filter", "x = 10 AND id = 101").out == "1\n"
    assert cli.json("delete", uri, "x = 6")["rows"] == 1
    assert cli("update", uri, "x=0").out == "updated 4 rows, version 6\n"
    assert cli("count", uri, "--filter", "x = 0").out == "4\n"
    assert "nope" in cli.fails("delete", uri, "nope = 1")
    assert "column=expression" in cli.fails("update", uri, "x")
    assert "twice" in cli.fails("update", uri, "x=1", "x=2")


def test_compact_and_cleanup(cli, uri):
    done = cli.json("compact", uri)
    assert (done["fragments_removed"], done["fragments_added"], done["version"]) == (4, 1, 4)
    planned = cli.json("cleanup", uri, "--older-than", "0s", "--dry-run")
    assert planned["old_versions"] == 3 and planned["data_files"] == 4
    done = cli.json("cleanup", uri, "--older-than", "0s")
    assert {**planned, "dry_run": False} == done
    assert cli("count", uri).out == "7\n"
    assert "duration" in cli.fails("cleanup", uri, "--older-than", "soon")
    for verb, option in (("cleanup", "--retain"), ("compact", "--target-rows")):
        line = cli.fails(verb, uri, option, "0", status=2)
        assert "'0' is not a whole number from 1 on" in line


def test_clone_and_validate(cli, uri, tmp_path):
    cli("clone", uri, tmp_path / "shallow", "--version", "1")
    cli("clone", uri, tmp_path / "deep", "--deep")
    assert cli("count", tmp_path / "shallow").out == "6\n"
    assert cli("validate", tmp_path / "deep").out == "valid, version 2\n"
    next((tmp_path / "deep" / "data").iterdir()).unlink()
    cli.fails("validate", tmp_path / "deep")


def test_base_paths(cli, uri, tmp_path):
    assert cli.json("bases", uri) == []
    place = tmp_path / "place"
    assert cli("add-base", uri, place, "--name", "p").out == "added a base path, version 3\n"
    assert "in use" in cli.fails("add-base", uri, tmp_path / "other", "--name", "p")
    cli("import", tmp_path / "one.parquet", uri, "--mode", "append", "--target-bases", "p")
    assert len(list(place.iterdir())) == 1
    assert cli.json("bases", uri) == [
        {"id": 1, "name": "p", "path": str(place), "is_dataset_root": False}
    ]
    assert str(place) in cli("bases", uri).out
    assert cli("count", uri).out == "8\n"


def test_import_into_several_places(cli, tmp_path):
    pq.write_table(pa.table({"id": range(6)}), tmp_path / "six.parquet")
    new = tmp_path / "new.lance"
    bases = ["--base", f"a={tmp_path / 'a'}", "--base", tmp_path / "b"]
    targets = ["--target-bases", f"a,{tmp_path / 'b'},{new}", "--max-rows-per-file", "2"]
    cli("import", *bases, *targets, tmp_path / "six.parquet", new)
    places = [tmp_path / "a", tmp_path / "b", new / "data"]
    assert [len(list(place.iterdir())) for place in places] == [1, 1, 1]
    assert cli("count", new).out == "6\n"
    assert "not found" in cli.fails(
        "import", tmp_path / "six.parquet", tmp_path / "x.lance", "--target-bases", "nope"
    )
    assert not (tmp_path / "x.lance").exists()


def test_upgrade_to_stable_row_ids(cli, uri):
    assert cli("upgrade", uri, "--stable-row-ids").out == "has stable row ids, version 3\n"
    both = cli("upgrade", uri, "--stable-row-ids", "--semantic-types").out
    assert both == "has stable row ids and semantic types, version 4\n"
    assert "--stable-row-ids" in cli.fails("upgrade", uri, status=2)
