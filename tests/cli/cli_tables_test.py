"""The verbs that read tables. The tables are made by `lance import` from files of pyarrow."""

import base64
import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 1500


def make_table():
    ids = range(ROWS)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": pa.array([None if i % 7 == 3 else f"name {i}" for i in ids]),
            "price": pa.array([i / 8 for i in ids], pa.float32()),
            "day": pa.array([datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in ids]),
            "vector": pa.array([[float(i), 0.5] for i in ids], pa.list_(pa.float32(), 2)),
            "tags": pa.array([None if i % 5 == 0 else ["a", "b"][: i % 3] for i in ids]),
            "point": pa.array([{"x": i, "label": f"<{i}>"} for i in ids]),
            "bytes": pa.array([bytes([0, i % 256]) for i in ids]),
        }
    )


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def uri(cli, table, tmp_path_factory):
    """Three versions: ROWS rows, then twice as many, then the first ten."""
    folder = tmp_path_factory.mktemp("tables")
    pq.write_table(table, folder / "all.parquet")
    pq.write_table(table.slice(0, 10), folder / "ten.parquet")
    uri = folder / "table.lance"
    cli("import", folder / "all.parquet", uri, "--max-rows-per-file", "1000")
    cli("import", folder / "all.parquet", uri, "--mode", "append")
    cli("import", folder / "ten.parquet", uri, "--mode", "overwrite")
    return uri


def test_count(cli, uri):
    assert cli("count", uri).out == "10\n"
    assert cli("count", uri, "--version", "1").out == f"{ROWS}\n"
    assert cli("count", uri, "--version-ref", "2").out == f"{2 * ROWS}\n"
    assert cli.json("count", uri) == {"version": 3, "count": 10}


def test_explain(cli, uri):
    text = cli("explain", uri, "--filter", "id > 5", "--columns", "name", "-n", "2").out
    assert [line.split(":")[0].strip() for line in text.splitlines()] == ["Limit", "Project", "ReadKept", "Filter", "Read"]
    assert "condition=id > 5" in text
    plan = cli.json("explain", uri, "--filter", "id > 5", "--analyze")["plan"]
    assert plan["step"] == "Scan"
    assert plan["metrics"]["rows"] == 4
    read = plan
    while read["inputs"]:
        read = read["inputs"][0]
    assert read["details"]["columns"] == "[id]"
    assert read["metrics"]["rows"] == 10
    assert read["metrics"]["read_bytes"] > 0
    assert "did you mean 'name'" in cli.fails("explain", uri, "--filter", "nme = 'a'")


def test_filters(cli, uri):
    assert cli("count", uri, "--version", "1", "--filter", "id < 100 AND name IS NULL").out == "14\n"
    rows = cli.json("head", uri, "--version", "1", "-n", "2", "--columns", "id", "--filter", "point.x % 100 = 7")["rows"]
    assert rows == [{"id": 7}, {"id": 107}]
    assert "did you mean 'name'" in cli.fails("count", uri, "--filter", "nme = 'a'")


def test_info(cli, uri):
    info = cli.json("info", uri, "--version", "2")
    assert info["uri"].endswith("table.lance")
    assert (info["version"], info["latest_version"]) == (2, 3)
    assert info["rows"] == 2 * ROWS
    assert info["deleted_rows"] == 0
    assert info["columns"] == 8
    assert info["fragments"] == info["data_files"] == 3
    assert info["data_bytes"] > 1000
    assert info["data_storage_version"] == "2.2"
    assert info["stable_row_ids"] is False
    assert info["tags"] == {}
    stamp = datetime.datetime.fromisoformat(info["timestamp"][:26] + "+00:00")
    assert abs(stamp - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(hours=1)
    text = cli("info", uri, "--version", "2").out
    assert "version         2 (the newest is 3)\n" in text
    assert f"rows            {2 * ROWS}\n" in text


def test_versions(cli, uri):
    versions = cli.json("versions", uri)["versions"]
    assert [v["version"] for v in versions] == [1, 2, 3]
    assert [v["rows"] for v in versions] == [ROWS, 2 * ROWS, 10]
    assert [v["fragments"] for v in versions] == [2, 3, 1]
    assert versions[0]["timestamp"] < versions[1]["timestamp"] < versions[2]["timestamp"]
    lines = cli("versions", uri).lines
    assert lines[0].split() == ["version", "committed", "rows", "fragments", "files", "size", "tags"]
    assert len(lines) == 4


def test_schema(cli, uri):
    schema = cli.json("schema", uri)
    assert schema["version"] == 3
    fields = {field["name"]: field for field in schema["fields"]}
    assert list(fields) == ["id", "name", "price", "day", "vector", "tags", "point", "bytes"]
    assert fields["id"] == {
        "id": 0, "name": "id", "type": "int64", "nullable": True, "metadata": {}, "children": [],
    }  # fmt: skip
    assert fields["vector"]["children"] == []
    assert [child["type"] for child in fields["tags"]["children"]] == ["string"]
    assert [child["name"] for child in fields["point"]["children"]] == ["x", "label"]

    def ids(field):
        return [field["id"]] + [i for child in field["children"] for i in ids(child)]

    assert [i for field in schema["fields"] for i in ids(field)] == list(range(11))
    lines = cli("schema", uri).lines
    assert lines[0].split() == ["id", "name", "type", "nulls", "metadata"]
    assert [line.split()[1] for line in lines[1:]] == [
        "id", "name", "price", "day", "vector", "tags", lines[7].split()[1], "point", "x", "label", "bytes",
    ]  # fmt: skip


def as_json(table):
    """Rows as --json prints them."""
    rows = table.to_pylist()
    for row in rows:
        for name, value in row.items():
            if isinstance(value, datetime.date):
                row[name] = value.isoformat()
            elif isinstance(value, bytes):
                row[name] = base64.b64encode(value).decode()
    return rows


def test_head(cli, uri, table):
    shown = cli.json("head", uri, "--version", "1")
    assert shown["version"] == 1
    assert [column["name"] for column in shown["columns"]] == table.column_names
    assert shown["columns"][0] == {"name": "id", "type": "int64", "nullable": True}
    assert shown["rows"] == as_json(table.slice(0, 10))


def test_head_with_deleted_rows(cli, tmp_path):
    uri = tmp_path / "t.lance"
    pq.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "t.parquet")
    cli("import", tmp_path / "t.parquet", uri)
    cli("delete", uri, "id = 2")
    assert cli.json("head", uri)["rows"] == [{"id": 1}, {"id": 3}]
    rows = [{"id": 1, "_rowid": 0}, {"id": 2, "_rowid": None}, {"id": 3, "_rowid": 2}]
    assert cli.json("head", uri, "--deleted")["rows"] == rows


@pytest.mark.parametrize("rows", [0, 1, 999, 1000, 1001, 1400, 5000])
def test_head_of_any_length(cli, uri, table, rows):
    shown = cli.json("head", uri, "--version", "1", "-n", rows, "--columns", "id,name")
    assert shown["rows"] == as_json(table.select(["id", "name"]).slice(0, rows))
    lines = cli("head", uri, "--version", "1", "-n", rows, "--columns", "id").lines
    assert [line.strip() for line in lines] == ["id"] + [str(i) for i in range(min(rows, ROWS))]


def test_head_is_aligned(cli, uri):
    lines = cli("head", uri, "-n", "4", "--columns", "name,id,tags,bytes").lines
    assert lines == [
        "name    id  tags       bytes",
        "name 0   0  null       0x0000",
        'name 1   1  ["a"]      0x0001',
        'name 2   2  ["a","b"]  0x0002',
        "null     3  []         0x0003",
    ]


def test_columns_in_the_order_given_and_by_path(cli, uri):
    assert cli.json("head", uri, "-n", "1", "--columns", "price,id")["rows"] == [{"price": 0.0, "id": 0}]
    assert cli.json("head", uri, "-n", "1", "--columns", "point.label")["rows"] == [{"point.label": "<0>"}]


def test_rows_are_a_line_each(cli, uri):
    lines = cli("head", uri, "-n", "3", "--json").lines
    assert [json.loads(line.rstrip(","))["id"] for line in lines[1:-1]] == [0, 1, 2]


def test_take(cli, uri, table):
    positions = [ROWS - 1, 0, 3, 1000, 3]
    shown = cli.json("take", uri, *positions, "--version", "1")
    assert shown["rows"] == as_json(table.take(positions))
    lines = cli("take", uri, *positions, "--version", "1", "--columns", "id").lines
    assert [line.strip() for line in lines] == ["id"] + [str(i) for i in positions]
    commas = cli("take", uri, ",".join(map(str, positions)), "--version", "1", "--columns", "id")
    assert commas.lines == lines


def test_errors_say_what_to_do(cli, uri):
    assert "10" in cli.fails("take", uri, 0, 10)
    assert "'name'" in cli.fails("head", uri, "--columns", "nam")
    assert "99" in cli.fails("count", uri, "--version", "99")
    assert "no-such-tag" in cli.fails("count", uri, "--version", "no-such-tag")
    assert "`lance versions`" in cli.fails("count", uri, "--version", "0")
    assert "`lance versions`" in cli.fails("count", uri, "--version", "99999999999999999999")


def test_text_cannot_command_the_terminal(cli, tmp_path):
    table = pa.table({"s": ["\x1b[2J", "two\nlines", "tab\there"]})
    pq.write_table(table, tmp_path / "t.parquet")
    cli("import", tmp_path / "t.parquet", tmp_path / "t.lance")
    assert cli("head", tmp_path / "t.lance").lines == ["s", "\\x1b[2J", "two\\nlines", "tab\\there"]
    assert [row["s"] for row in cli.json("head", tmp_path / "t.lance")["rows"]] == table["s"].to_pylist()


def test_tables_of_the_reference(cli, fixtures):
    """Deletions and old versions of a table that pylance wrote."""
    case = fixtures / "tables14" / "multi_fragment_delete_v2.2"
    expected = json.loads((case / "expected.json").read_text())["by_version"]
    uri = case / "data.lance"
    for version, facts in expected.items():
        assert cli.json("count", uri, "--version", version)["count"] == facts["rows"]
    newest = cli.json("info", uri)
    fragments = expected[str(newest["version"])]["fragments"]
    assert newest["deleted_rows"] == sum(fragment["deletions"] for fragment in fragments) > 0
    assert newest["fragments"] == len(fragments)
    assert [v["version"] for v in cli.json("versions", uri)["versions"]] == [int(v) for v in expected]


def test_tags_of_the_reference(cli, fixtures):
    uri = fixtures / "tables14" / "tags_branches" / "data.lance"
    assert cli.json("info", uri)["tags"] == {"first": 1, "second": 3, "on-branch": 3}
    versions = {v["version"]: v["tags"] for v in cli.json("versions", uri)["versions"]}
    assert versions[1] == ["first"]
    assert versions[3] == ["second"]
    assert cli.json("count", uri, "--version", "first")["version"] == 1
    assert cli.json("count", uri, "--version", "second")["version"] == 3
