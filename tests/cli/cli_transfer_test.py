"""import and export: what goes in comes out, in every format."""

import datetime
import decimal
import json
import os
import re
import stat
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

ROWS = 5000


def flat_table(rows=ROWS):
    """Columns that every format can hold."""
    ids = range(rows)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": pa.array([None if i % 7 == 3 else f'name "{i}", {i}\n' for i in ids]),
            "empty": pa.array([None if i % 3 == 0 else "" for i in ids]),
            "value": pa.array([None if i % 11 == 0 else i / 8 for i in ids], pa.float64()),
            "day": pa.array([datetime.date(2000, 1, 1) + datetime.timedelta(i % 9999) for i in ids]),
            "yes": pa.array([None if i % 5 == 4 else i % 2 == 0 for i in ids]),
        }
    )


def nested_table(rows=ROWS):
    ids = range(rows)
    return pa.table(
        {
            "id": pa.array(ids, pa.uint32()),
            "vector": pa.array([[i / 4, 0.5, -1.0] for i in ids], pa.list_(pa.float32(), 3)),
            "tags": pa.array([None if i % 5 == 0 else ["a", None, "b"][: i % 4] for i in ids]),
            "point": pa.array([{"x": i, "inner": {"y": [i]}} for i in ids]),
            "bytes": pa.array([bytes([i % 256]) * (i % 50) for i in ids]),
            "price": pa.array([decimal.Decimal(i) / 100 for i in ids], pa.decimal128(12, 2)),
            "at": pa.array([i * 1000 for i in ids], pa.timestamp("us", "UTC")),
            "took": pa.array(list(ids), pa.duration("ms")),
            "clock": pa.array([i % 86400 for i in ids], pa.time32("s")),
            "half": pa.array([i % 100 / 4 for i in ids], pa.float16()),
        }
    )


def write(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=1700)
    elif path.suffix == ".csv":
        pa.csv.write_csv(table, path)
    elif path.suffix == ".arrows":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=700)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=700)


def read(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".csv":
        options = pa.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
        parse = pa.csv.ParseOptions(newlines_in_values=True)
        return pa.csv.read_csv(path, parse_options=parse, convert_options=options)
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path).read_all()
    return pa.ipc.open_file(path).read_all()


def assert_equal(actual, expected):
    """Values, names and types; the names of list items are not the point."""
    assert actual.column_names == expected.column_names
    for name in expected.column_names:
        column = actual[name]
        if column.type != expected[name].type:
            column = column.cast(expected[name].type)
        assert column.combine_chunks().equals(expected[name].combine_chunks()), name


FORMATS = [".parquet", ".csv", ".arrow", ".arrows", ".ipc", ".feather", ".pq"]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".arrow", ".arrows"])
def test_flat_there_and_back(cli, tmp_path, suffix):
    table = flat_table()
    source, uri, target = tmp_path / f"in{suffix}", tmp_path / "t.lance", tmp_path / f"out{suffix}"
    write(table, source)
    assert f"imported {ROWS} rows into {uri} as version 1 (" in cli("import", source, uri).out
    assert f"exported {ROWS} rows of version 1 to {target} (" in cli("export", uri, target).out
    assert_equal(read(target), table)
    assert sorted(os.listdir(tmp_path)) == sorted([source.name, uri.name, target.name])


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".arrows"])
def test_nested_there_and_back(cli, tmp_path, suffix):
    table = nested_table()
    source, uri, target = tmp_path / f"in{suffix}", tmp_path / "t.lance", tmp_path / f"out{suffix}"
    write(table, source)
    cli("import", source, uri)
    cli("export", uri, target)
    assert_equal(read(target), table)


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_reference_reads_what_was_imported(cli, tmp_path, suffix):
    lance = pytest.importorskip("lance")
    table = flat_table(1025)
    named = {".pq": ".parquet", ".ipc": ".arrow", ".feather": ".arrow"}.get(suffix, suffix)
    source = tmp_path / f"in{named}"
    write(table, source)
    source = source.rename(tmp_path / f"renamed{suffix}")
    cli("import", source, tmp_path / "t.lance")
    assert_equal(lance.dataset(str(tmp_path / "t.lance")).to_table(), table)


def test_what_the_reference_wrote_is_exported(cli, tmp_path):
    lance = pytest.importorskip("lance")
    table = nested_table(3000)
    lance.write_dataset(table, str(tmp_path / "t.lance"), max_rows_per_file=900)
    cli("export", tmp_path / "t.lance", tmp_path / "t.arrow")
    assert_equal(read(tmp_path / "t.arrow"), table)


def test_format_option_overrules_the_name(cli, tmp_path):
    table = flat_table(10)
    write(table, tmp_path / "in.arrow")
    source = (tmp_path / "in.arrow").rename(tmp_path / "in.csv")
    uri = tmp_path / "t.lance"
    cli("import", source, uri, "--format", "arrow")
    cli("export", uri, tmp_path / "out.txt", "--format", "parquet")
    assert_equal(pq.read_table(tmp_path / "out.txt"), table)
    assert "--format" in cli.fails("import", tmp_path / "out.txt", tmp_path / "u.lance")
    assert "--format" in cli.fails("export", uri, tmp_path / "out")


def test_modes(cli, tmp_path):
    source, uri = tmp_path / "in.parquet", tmp_path / "t.lance"
    write(flat_table(100), source)
    first = cli.json("import", source, uri)
    assert {key: first[key] for key in ("version", "imported_rows", "rows")} == {
        "version": 1, "imported_rows": 100, "rows": 100,
    }  # fmt: skip
    assert first["uri"].endswith("t.lance") and first["seconds"] >= 0
    cli.fails("import", source, uri)
    cli.fails("import", source, uri, "--mode", "create")
    second = cli.json("import", source, uri, "--mode", "append")
    assert (second["version"], second["imported_rows"], second["rows"]) == (2, 100, 200)
    third = cli.json("import", source, uri, "--mode", "overwrite")
    assert (third["version"], third["rows"]) == (3, 100)
    # A table that isn't there is made in every mode.
    assert cli.json("import", source, tmp_path / "u.lance", "--mode", "append")["version"] == 1


def test_max_rows_per_file_and_storage_version(cli, tmp_path):
    source, uri = tmp_path / "in.parquet", tmp_path / "t.lance"
    write(flat_table(1000), source)
    cli("import", source, uri, "--max-rows-per-file", "300", "--storage-version", "2.1")
    info = cli.json("info", uri)
    assert (info["fragments"], info["data_storage_version"]) == (4, "2.1")
    files = cli.json("inspect", *(uri / "data").iterdir())["files"]
    assert [file["version"] for file in files] == ["2.1"] * 4
    assert "9.9" in cli.fails("import", source, tmp_path / "u.lance", "--storage-version", "9.9")
    assert not (tmp_path / "u.lance").exists() or not list((tmp_path / "u.lance").rglob("*.manifest"))


def test_parquet_field_numbers_are_left_out(cli, tmp_path):
    number = {"PARQUET:field_id": "7"}
    inner = pa.field("y", pa.int32(), metadata=number | {"kept": "too"})
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), metadata=number),
            pa.field("kept", pa.int64(), metadata=number | {"unit": "m"}),
            pa.field("list", pa.list_(pa.struct([inner]))),
        ],
        metadata={"about": "all"},
    )
    table = pa.table([[1], [2], [[{"y": 3}]]], schema=schema)
    write(table, tmp_path / "in.parquet")
    assert b"PARQUET:field_id" in pq.read_schema(tmp_path / "in.parquet").field("id").metadata
    cli("import", tmp_path / "in.parquet", tmp_path / "t.lance")
    text = cli("schema", tmp_path / "t.lance", "--json").out
    assert "PARQUET" not in text
    schema = json.loads(text)
    assert [field["metadata"] for field in schema["fields"]] == [{}, {"unit": "m"}, {}]
    assert schema["fields"][2]["children"][0]["children"][0]["metadata"] == {"kept": "too"}
    assert schema["metadata"] == {"about": "all"}


def test_export_of_columns_and_an_old_version(cli, tmp_path):
    table = flat_table(50)
    uri = tmp_path / "t.lance"
    write(table, tmp_path / "in.arrow")
    cli("import", tmp_path / "in.arrow", uri)
    cli("import", tmp_path / "in.arrow", uri, "--mode", "append")
    result = cli.json("export", uri, tmp_path / "out.arrow", "--version", "1", "--columns", "value,id")
    assert (result["version"], result["rows"]) == (1, 50)
    assert_equal(read(tmp_path / "out.arrow"), table.select(["value", "id"]))


def test_export_of_rows_that_pass_a_filter(cli, tmp_path):
    table = flat_table(50)
    uri = tmp_path / "t.lance"
    write(table, tmp_path / "in.arrow")
    cli("import", tmp_path / "in.arrow", uri)
    result = cli.json("export", uri, tmp_path / "out.arrow", "--filter", "id >= 40", "--columns", "id")
    assert result["rows"] == 10
    assert_equal(read(tmp_path / "out.arrow"), table.select(["id"]).slice(40))
    assert "nope" in cli.fails("export", uri, tmp_path / "other.arrow", "--filter", "nope = 1")
    assert not (tmp_path / "other.arrow").exists()


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".arrow"])
def test_json_columns(cli, tmp_path, suffix):
    texts = pa.array(['{"a": 1}', None, "[2,3]"])
    table = pa.table({"j": pa.ExtensionArray.from_storage(pa.json_(), texts), "i": [1, 2, 3]})
    pytest.importorskip("lance").write_dataset(table, tmp_path / "t.lance")
    cli("export", tmp_path / "t.lance", tmp_path / f"out{suffix}")
    assert read(tmp_path / f"out{suffix}")["j"].to_pylist() == ['{"a":1}', None, "[2,3]"]
    assert '{"a":1}' in cli("head", tmp_path / "t.lance").out


def test_export_does_not_replace_unasked(cli, tmp_path):
    table = flat_table(5)
    uri, target = tmp_path / "t.lance", tmp_path / "out.csv"
    write(table, tmp_path / "in.csv")
    cli("import", tmp_path / "in.csv", uri)
    target.write_text("mine")
    assert "--overwrite" in cli.fails("export", uri, target)
    assert target.read_text() == "mine"
    cli("export", uri, target, "--overwrite")
    assert_equal(read(target), table)
    cli.fails("export", uri, tmp_path, "--format", "csv")


def test_a_failed_export_leaves_nothing(cli, tmp_path):
    write(nested_table(5), tmp_path / "in.arrow")
    cli("import", tmp_path / "in.arrow", tmp_path / "t.lance")
    before = sorted(os.listdir(tmp_path))
    assert "'vector'" in cli.fails("export", tmp_path / "t.lance", tmp_path / "out.csv")
    assert "out.csv" in cli.fails("export", tmp_path / "t.lance", tmp_path / "no" / "out.csv")
    cli.fails("export", tmp_path / "missing.lance", tmp_path / "out.parquet")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_failed_import_leaves_the_table(cli, tmp_path):
    uri = tmp_path / "t.lance"
    write(flat_table(10), tmp_path / "in.parquet")
    cli("import", tmp_path / "in.parquet", uri)
    other = pa.table({"id": pa.array(["text"]), "name": ["x"]})
    write(other, tmp_path / "other.parquet")
    line = cli.fails("import", tmp_path / "other.parquet", uri, "--mode", "append")
    assert "id" in line
    data = (tmp_path / "in.parquet").read_bytes()
    for size in (0, 3, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.parquet").write_bytes(data[:size])
        assert "cut.parquet" in cli.fails("import", tmp_path / "cut.parquet", uri, "--mode", "append")
    assert "none.csv" in cli.fails("import", tmp_path / "none.csv", uri)
    cli.fails("import", tmp_path, uri, "--format", "csv")
    assert cli.json("info", uri)["version"] == 1
    assert cli.json("count", uri)["count"] == 10


def test_a_csv_error_far_down_leaves_no_table(cli, tmp_path):
    lines = ["id,name"] + [f"{i},text {i} {'x' * 100}" for i in range(200_000)] + ["word,text"]
    (tmp_path / "in.csv").write_text("\n".join(lines))
    line = cli.fails("import", tmp_path / "in.csv", tmp_path / "t.lance")
    assert re.search(r"in\.csv", line) and "word" in line
    cli.fails("info", tmp_path / "t.lance")


def test_types_that_lance_cannot_hold_are_named(cli, tmp_path):
    table = pa.table({"span": pa.array([(1, 2, 3)], pa.month_day_nano_interval())})
    write(table, tmp_path / "in.arrow")
    assert "span" in cli.fails("import", tmp_path / "in.arrow", tmp_path / "t.lance")


def peak_memory(*command):
    """Bytes that the process held at most."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", code, *map(str, command)]
    # With the allocator that users have, not the one that the tests choose for its checks.
    environment = {k: v for k, v in os.environ.items() if k != "ARROW_DEFAULT_MEMORY_POOL"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return int(done.stdout) * 1024


def test_memory_stays_bounded(cli, tmp_path):
    """300 MB of vectors go through in a fraction of that."""
    group_rows, width, groups = 25_000, 256, 12
    schema = pa.schema({"id": pa.int64(), "vector": pa.list_(pa.float32(), width)})
    values = np.random.default_rng(1).random(group_rows * width, dtype=np.float32)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(values), width)
    source, uri = tmp_path / "big.parquet", tmp_path / "t.lance"
    with pq.ParquetWriter(source, schema, compression="none", use_dictionary=False) as writer:
        for group in range(groups):
            ids = pa.array(range(group * group_rows, (group + 1) * group_rows))
            writer.write_batch(pa.record_batch([ids, vectors], schema=schema), row_group_size=group_rows)
    size = source.stat().st_size
    assert size > 300e6
    assert peak_memory(cli.path, "import", source, uri) < 0.6 * size
    assert peak_memory(cli.path, "export", uri, tmp_path / "out.arrow") < 0.5 * size
    assert peak_memory(cli.path, "export", uri, tmp_path / "out.parquet") < 0.9 * size


def test_export_replaces_regular_files_only(cli, tmp_path):
    write(flat_table(5), tmp_path / "in.csv")
    table = tmp_path / "t.lance"
    cli("import", tmp_path / "in.csv", table)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no regular file" in cli.fails("export", table, pipe, "--format", "csv", "--overwrite")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    link, target = tmp_path / "link.csv", tmp_path / "target.csv"
    target.write_text("old")
    link.symlink_to(target)
    assert "--overwrite" in cli.fails("export", table, link)
    cli("export", table, link, "--overwrite")
    assert link.is_symlink() and target.read_text() != "old"
