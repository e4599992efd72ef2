"""Every table of the reference fixtures that is in scope, each version of it."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import random_tables

HERE = Path(__file__).resolve()


def _root():
    given = os.environ.get("LANCE_FIXTURES")
    if given:
        return Path(given)
    for parent in HERE.parents:
        if (parent / "shared" / "fixtures" / "tables14").exists():
            return parent / "shared" / "fixtures"
    return None


ROOT = _root()


def _cases():
    if ROOT is None:
        return []
    return [
        f"{section}/{case.name}"
        for section in ("tables14", "tables7")
        for case in sorted((ROOT / section).iterdir())
        if (case / "data.lance").exists()
    ]


def _expected(folder):
    path = folder / "expected.arrow"
    if not path.exists():
        path = folder / (folder / "expected.ref").read_text().strip()
    return pa.ipc.open_file(path).read_all()


def _expand(runs):
    out = []
    for item in runs:
        out += range(item[0], item[0] + item[1]) if isinstance(item, list) else [item]
    return out


@pytest.fixture
def opened(request, lancecpp):
    """(fixture folder, expected.json, dataset)"""
    folder = ROOT / request.param
    info = json.loads((folder / "expected.json").read_text())
    place = folder
    if "place_at" in info:  # holds absolute paths: put it where it was made
        place = Path(info["place_at"])
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place)
    return folder, info, lancecpp.dataset(str(place / "data.lance"))


if ROOT is None and os.environ.get("CI") == "true":

    def test_fixtures_are_present():
        pytest.fail("the reference fixtures are absent; set LANCE_FIXTURES")


@pytest.mark.parametrize("opened", _cases(), indirect=True)
def test_newest_version(opened):
    folder, _, dataset = opened
    assert random_tables.difference(_expected(folder), dataset.to_table()) is None


@pytest.mark.parametrize("opened", _cases(), indirect=True)
def test_each_version(opened):
    folder, info, dataset = opened
    for version, facts in info.get("by_version", {}).items():
        at = dataset.checkout_version(int(version))
        assert at.count_rows() == facts["rows"], version
        got = at.to_table(with_row_id=True, with_row_address=True)
        assert got["_rowid"].to_pylist() == _expand(facts["row_ids"]), version
        addresses = facts.get("row_addrs", facts["row_ids"])
        if isinstance(addresses, str):  # says that they are the row ids
            addresses = facts["row_ids"]
        assert got["_rowaddr"].to_pylist() == _expand(addresses), version
        assert at.max_field_id == facts["max_field_id"], version
        expected = folder / f"version_{version}.arrow"
        if expected.exists():
            want = pa.ipc.open_file(expected).read_all()
            assert random_tables.difference(want, at.to_table()) is None, version


@pytest.mark.parametrize("opened", _cases(), indirect=True)
def test_take_equals_scan(opened):
    folder, _, dataset = opened
    expected = _expected(folder)
    n = expected.num_rows
    rows = [i * 7919 % n for i in range(min(n, 60))] if n else []
    if rows:
        got = dataset.take(rows)
        assert random_tables.difference(expected.take(pa.array(rows)), got) is None


# The only data files whose fixture tells what a table shows: text, where the file has JSONB.
@pytest.mark.parametrize("section", ["files14", "files7"])
def test_json_of_the_first_format(section, lancecpp):
    folder = ROOT and ROOT / section / "v0.1_ext_json"
    if not folder or not folder.exists():
        pytest.skip("fixtures are absent")
    expected = _expected(folder)
    dataset = lancecpp.dataset(str(folder / "data.lance"))
    assert random_tables.difference(expected, dataset.to_table()) is None
    rows = [5, 0, expected.num_rows - 1]
    assert random_tables.difference(expected.take(pa.array(rows)), dataset.take(rows)) is None
