"""What a table tells of itself: numbers, indexes, versions, files, what clean-ups would do."""

import importlib
import json
import os
import pickle
import subprocess
import sys
from datetime import timedelta

import pyarrow as pa
import pytest


@pytest.fixture
def table(lance, path):
    data = pa.table({"id": range(20), "s": ["a"] * 20, "st": [{"x": i} for i in range(20)]})
    made = lance.write_dataset(data, path, max_rows_per_file=6)
    made.delete("id = 3")
    return made


# Numbers.


def test_dataset_stats(table):
    counts = {"num_deleted_rows": 1, "num_fragments": 4, "num_small_files": 4}
    assert table.stats.dataset_stats() == counts
    assert table.stats.dataset_stats(max_rows_per_group=4)["num_small_files"] == 1


def test_data_stats(lancecpp, pylance, path):
    data = pa.table({"id": range(2000), "s": ["text"] * 2000, "st": [{"x": i} for i in range(2000)]})
    lancecpp.write_dataset(data, path, max_rows_per_file=700)
    ours, theirs = (
        [(field.id, field.bytes_on_disk) for field in lance.dataset(path).stats.data_stats().fields]
        for lance in (lancecpp, pylance)
    )
    assert ours == theirs


# Indexes.


def test_no_indexes(table):
    assert not table.has_index
    assert table.list_indices() == []
    assert table.describe_indices() == []


def test_indexes(lancecpp, pylance, path):
    theirs = pylance.write_dataset(
        pa.table({"id": range(200), "s": ["a", "b"] * 100, "st": [{"x": i} for i in range(200)]}),
        path,
        max_rows_per_file=60,
    )
    theirs.create_scalar_index("id", "BTREE")
    theirs.create_scalar_index("s", "BITMAP", name="texts")
    theirs.create_scalar_index("st.x", "ZONEMAP")
    theirs.insert(pa.table({"id": [999], "s": ["c"], "st": [{"x": 1}]}))
    theirs.delete("id < 60")  # a fragment that indexes knew
    ours = lancecpp.dataset(path)
    theirs = pylance.dataset(path)
    assert ours.has_index

    def plain(segments):
        return [{**one, "fragment_ids": sorted(one["fragment_ids"])} for one in segments]

    assert plain(ours.list_indices()) == plain(theirs.list_indices())
    for mine, other in zip(ours.describe_indices(), theirs.describe_indices(), strict=True):
        for name in ("name", "type_url", "index_type", "fields", "field_names", "num_rows_indexed"):
            assert getattr(mine, name) == getattr(other, name), name
        assert mine.total_size_bytes == other.total_size_bytes
        for segment, its in zip(mine.segments, other.segments, strict=True):
            assert segment.uuid == its.uuid
            assert segment.created_at.timestamp() == pytest.approx(its.created_at.timestamp(), abs=1)
            assert segment.index_version == its.index_version
            assert segment.size_bytes == its.size_bytes


# Versions and files.


def test_version_refs(table):
    assert table.version_refs() == [{"version": 1}, {"version": 2}]


def test_tracked_files(table):
    reader = table.tracked_files()
    assert reader.schema.names == ["version", "base_uri", "path", "type"]
    files = reader.read_all().to_pylist()
    count = {}
    for file in files:
        assert os.path.exists(os.path.join(file["base_uri"], file["path"]))
        count[file["version"], file["type"]] = count.get((file["version"], file["type"]), 0) + 1
    both = {"manifest": 1, "transaction file": 1, "data file": 4}
    expected = {(version, kind): n for version in (1, 2) for kind, n in both.items()}
    assert count == {**expected, (2, "deletion file"): 1}
    newer = table.tracked_files(min_version=2).read_all()
    assert set(newer["version"].to_pylist()) == {2}


def test_tracked_files_are_those_of_the_other_engine(lancecpp, pylance, path, tmp_path):
    base = lancecpp.DatasetBasePath(str(tmp_path / "more"), "more")
    table = lancecpp.write_dataset({"id": range(9)}, path, initial_bases=[base])
    table = lancecpp.write_dataset({"id": [10]}, table, mode="append", target_bases=["more"])
    pylance.dataset(path).create_scalar_index("id", "BTREE")

    def files(lance):
        rows = lance.dataset(path).tracked_files().read_all().to_pylist()
        return sorted((row["version"], row["base_uri"], row["path"], row["type"]) for row in rows)

    assert files(lancecpp) == files(pylance)


def test_all_files(table):
    reader = table.all_files()
    assert reader.schema.field("last_modified").type == pa.timestamp("us", "UTC")
    files = reader.read_all().to_pylist()
    there = {
        os.path.relpath(os.path.join(folder, name), table.uri)
        for folder, _, names in os.walk(table.uri)
        for name in names
    }
    assert {file["path"] for file in files} == there
    for file in files:
        assert file["size_bytes"] == os.path.getsize(os.path.join(table.uri, file["path"]))


# Clean-ups.


def test_explained_clean_up(table):
    table.create_branch("dev", 1)
    table.delete("id = 4")
    table.delete("id = 5")
    lost = os.path.join(table.uri, "data", "lost.lance")
    with open(lost, "w") as file:
        file.write("lost")
    os.utime(lost, (0, 0))
    explained = table.explain_cleanup_old_versions(timedelta(0), include_files=True)
    assert explained.read_version == 4
    assert not explained.candidate_files_truncated and explained.warnings == []
    assert explained.candidate_file_limit == 1000
    [branch] = explained.referenced_branches
    assert (branch.name, branch.referenced_version, branch.cleanup_candidate) == ("dev", 1, False)
    by_kind = {}
    for file in explained.candidate_files:
        by_kind.setdefault(file.kind, []).append(file)
        assert file.size_bytes > 0
        assert file.unverified == file.path.endswith("lost.lance")
    assert len(by_kind["manifest"]) == 2 == explained.stats.old_versions
    assert len(by_kind["data"]) == 1
    some = table.explain_cleanup_old_versions(timedelta(0), include_files=True, max_files=2)
    assert some.candidate_files_truncated and len(some.candidate_files) == 2
    assert some.warnings == ["candidate_files truncated to 2 entries"]
    assert table.explain_cleanup_old_versions(timedelta(0)).candidate_files == []
    assert table.cleanup_old_versions(timedelta(0)).failed_deletes == 0


# Compactions in steps.


def optimize_of(lance):
    return importlib.import_module(f"{lance.__name__}.optimize")


@pytest.mark.parametrize("mode", ["reencode", "try_binary_copy"])
def test_modes_of_compaction(lance, table, mode):
    assert table.optimize.compact_files(compaction_mode=mode).fragments_removed == 4
    assert table.count_rows() == 19


def test_mode_of_compaction_that_asks_for_copies(lancecpp, path):
    table = lancecpp.write_dataset({"id": range(9)}, path, max_rows_per_file=3)
    assert table.optimize.compact_files(compaction_mode="force_binary_copy").fragments_added == 1
    assert table.optimize.compact_files(compaction_mode="force_binary_copy").fragments_removed == 0


def test_no_mode_of_compaction(table):
    with pytest.raises(ValueError, match="reencode.*try_binary_copy.*force_binary_copy"):
        table.optimize.compact_files(compaction_mode="nope")


def test_tasks_of_a_compaction(lance, table):
    optimize = optimize_of(lance)
    plan = optimize.Compaction.plan(table, options={"target_rows_per_fragment": 12})
    assert plan.read_version == 2
    task = plan.tasks[0]
    assert [fragment.id for fragment in task.fragments][:2] == [0, 1]
    assert task.fragments[0].num_deletions == 1
    assert pickle.loads(pickle.dumps(task)) == task
    result = task.execute(table)
    assert result.original_fragments == task.fragments
    assert repr(pickle.loads(pickle.dumps(result)).metrics) == repr(result.metrics)
    for kind in (optimize.CompactionTask, optimize.CompactionPlan, optimize.RewriteResult):
        with pytest.raises(ValueError, match="Could not load"):
            kind.from_json("{}")


@pytest.mark.parametrize("stable_row_ids", [False, True])
@pytest.mark.parametrize("engines", ["122", "211", "121", "212"])
def test_compactions_by_two_engines(lancecpp, pylance, path, engines, stable_row_ids):
    """One plans, one rewrites, one commits; what goes from one to the other is JSON."""
    planner, worker, committer = ({"1": lancecpp, "2": pylance}[engine] for engine in engines)
    data = {"id": range(40), "s": ["a"] * 40}
    table = lancecpp.write_dataset(
        data, path, max_rows_per_file=4, enable_stable_row_ids=stable_row_ids
    )
    table.delete("id % 5 = 0")
    table.update({"s": "'b'"}, where="id = 7")
    expected = table.to_table(with_row_id=stable_row_ids).sort_by("id")
    options = {"target_rows_per_fragment": 12, "excluded_fragment_ids": [9], "batch_size": 5}
    plan = optimize_of(planner).Compaction.plan(planner.dataset(path), options=options)
    theirs = optimize_of(worker).CompactionPlan.from_json(plan.json())
    assert theirs.num_tasks() == plan.num_tasks()
    assert json.loads(theirs.json())["options"]["excluded_fragment_ids"] == [9]
    results = []
    for task in plan.tasks:
        same = optimize_of(worker).CompactionTask.from_json(task.json())
        results.append(same.execute(worker.dataset(path)).json())
    loaded = [optimize_of(committer).RewriteResult.from_json(result) for result in results]
    metrics = optimize_of(committer).Compaction.commit(committer.dataset(path), loaded)
    assert metrics.fragments_removed == 9
    for lance in (lancecpp, pylance):
        read = lance.dataset(path).to_table(with_row_id=stable_row_ids).sort_by("id")
        assert read.to_pylist() == expected.to_pylist()
    lancecpp.dataset(path).validate()


# Pieces.


@pytest.mark.parametrize("nested", [False, True])
def test_a_fragment_of_a_file_that_is_there(lance, path, nested):
    if nested and lance.__name__ == "lance":
        pytest.skip("pylance can't commit what it makes")
    column = [{"x": i, "y": str(i)} if nested else str(i) for i in range(5)]
    table = lance.write_dataset(pa.table({"id": [0, 1], "c": column[:2]}), path)
    file = importlib.import_module(f"{lance.__name__}.file")
    more = pa.table({"id": [5, 6, 7], "c": column[2:]})
    with file.LanceFileWriter(f"{path}/data/more.lance", more.schema, version="2.2") as writer:
        writer.write_batch(more)
    fragment = lance.LanceFragment.create_from_file("more.lance", table, 5)
    assert (fragment.id, fragment.physical_rows) == (5, 3)
    append = lance.LanceOperation.Append([fragment])
    table = lance.LanceDataset.commit(path, append, read_version=1)
    assert table.to_table().slice(2).to_pylist() == more.to_pylist()
    with pytest.raises(OSError):
        lance.LanceFragment.create_from_file("nope.lance", table, 5)


def test_execute_batches(lance, path):
    table = lance.write_dataset({"id": [1]}, path)
    merge = table.merge_insert("id").when_not_matched_insert_all()
    counts = merge.execute_batches(pa.table({"id": [1, 2]}).to_reader())
    assert counts["num_inserted_rows"] == 1
    transaction, counts = merge.execute_uncommitted_batches(pa.table({"id": [1, 3]}).to_reader())
    assert counts["num_inserted_rows"] == 1
    assert lance.LanceDataset.commit(path, transaction).count_rows() == 3


def test_operations_that_can_only_be_described(lancecpp, path):
    operations = lancecpp.LanceOperation
    table = lancecpp.write_dataset({"id": [1]}, path)
    file = table.get_fragment(0).metadata.files[0]
    overlay = operations.DataOverlay(
        [operations.DataOverlayGroup(0, [operations.DataOverlayFile(file, [0])])]
    )
    index = operations.CreateIndex([], [])
    rewritten = operations.Rewrite([], [operations.RewrittenIndex("a", "b", "", b"", 1)])
    for operation, word in ((overlay, "DataOverlay"), (index, "CreateIndex"), (rewritten, "indices")):
        assert pickle.loads(pickle.dumps(operation)) == operation
        with pytest.raises(NotImplementedError, match=word):
            lancecpp.LanceDataset.commit(path, operation, read_version=1)
    assert table.latest_version == 1


def blobs():
    field = pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    values = pa.array([b"hello", None, b"", b"world!"], pa.large_binary())
    return pa.table({"id": range(4), "b": values}, schema=pa.schema([pa.field("id", pa.int64()), field]))


def test_ranges_of_blobs(lance, path):
    table = lance.write_dataset(blobs(), path, max_rows_per_file=2, data_storage_version="2.1")
    far = 1 << 32
    requests = [(0, 1, 2), (3, 0, 6), (0, 0, 5), (1, 5, 7), (2, 0, 0)]
    expected = [(0, 0, b"el"), (1, far + 1, b"world!"), (2, 0, b"hello"), (3, 1, None), (4, far, b"")]
    assert table.read_blob_ranges("b", requests, selector="indices") == expected
    assert table.read_blob_ranges("b", [(far, 0, 0)], selector="addresses") == [(0, far, b"")]
    assert table.read_blob_ranges("b", [(far + 1, 1, 2)], selector="ids") == [(0, far + 1, b"or")]
    assert table.read_blob_ranges("b", [], selector="ids") == []
    for wrong, selector in (
        ([(0, 1, 20)], "indices"),
        ([(0, 1)], "indices"),
        ([(0, 2**64 - 1, 5)], "indices"),
        ([(0, 0, 1)], "nope"),
    ):
        with pytest.raises(ValueError):
            table.read_blob_ranges("b", wrong, selector=selector)


# The command line.


def test_the_program(lancecpp, path):
    table = lancecpp.write_dataset({"id": [1, 2]}, path)
    table.tags.create("first", 1)
    table.create_branch("dev")

    def run(*arguments):
        command = [sys.executable, "-m", "lancecpp", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    shown = run("tags", path, "--json")
    if "was not found" in shown.stderr:
        pytest.skip("the command line program is not built")
    assert json.loads(shown.stdout) == [{"name": "first", "branch": "main", "version": 1}]
    assert "first" in run("tags", path).stdout
    assert run("delete-branch", path, "dev").returncode == 0
    assert table.branches.list() == {}
    assert run("delete-branch", path, "dev").returncode != 0


# Wording.


def test_errors_of_computed_columns(lancecpp, path):
    table = lancecpp.write_dataset({"id": [1, 2], "s": ["a", "b"]}, path)
    for sql, words in (("1 / (id - id)", "division by zero"), ("CAST(s AS int)", "cannot cast 'a'")):
        with pytest.raises(OSError, match=words) as caught:
            table.add_columns({"z": sql})
        assert "Detail" not in str(caught.value) and "Invalid: Invalid" not in str(caught.value)
    scanner = table.scanner(columns={"z": "1 / (id - id)"})
    with pytest.raises(OSError, match="^division by zero.*'$"):
        lancecpp.write_dataset(scanner, path + "2")
    for result in (5, None, "text"):
        with pytest.raises(Exception, match=f"{type(result).__name__}.*pyarrow.RecordBatch"):
            table.add_columns(lambda batch: result)
    assert table.latest_version == 1
