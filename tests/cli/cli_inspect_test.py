"""`lance inspect`, on files of the reference."""

import concurrent.futures
import json
import os
import re

import pytest

SMALL = "files14/v2.2_int32/file.lance"


# What messages are called in the text of an encoding.
NAMES = {
    "Fsst": "fsst(", "Rle": "rle(", "InlineBitpacking": "inline_bitpack<",
    "OutOfLineBitpacking": "bitpack<", "ByteStreamSplit": "byte_stream_split(",
    "Variable": "variable<", "FixedSizeList": "fixed_size_list<", "MiniBlockLayout": "miniblock(",
    "FullZipLayout": "fullzip(", "ConstantLayout": "constant(", "BlobLayout": "blob(",
    "(mini-block dictionary)": "dictionary=", "PackedStruct": "packed_struct<",
    "VariablePackedStruct": "variable_packed_struct(",
}  # fmt: skip

NAMES_OF_2_0 = {
    "Flat": "flat", "NoNull": "no_nulls", "SomeNull": "some_nulls", "AllNulls": "all_nulls",
    "Binary": "binary", "Dictionary": "dictionary", "FixedSizeList": "fixed_size_list",
    "Fsst": "fsst", "List": "list", "PackedStruct": "packed_struct", "Struct": "struct",
}  # fmt: skip


def inspect(cli, file):
    (shown,) = cli.json("inspect", file)["files"]
    return shown


def pairs(ranges):
    return [[r["offset"], r["size"]] for r in ranges]


def check_buffers(file, expected, case):
    """Rows, pages and buffers are those that another parser found."""
    assert file["rows"] == expected["rows"], case
    assert file["size"] == (case / "file.lance").stat().st_size, case
    assert pairs(file["global_buffers"]) == expected["global_buffers"], case
    pages = [[pairs(page["buffers"]) for page in column["pages"]] for column in file["columns"]]
    assert pages == [column["pages"] for column in expected["columns"]], case
    for column in file["columns"]:
        assert column["field"] and column["type"], case
        if file["version"] != "2.0":
            assert sum(page["rows"] for page in column["pages"]) == file["rows"], case


def check_encodings(file, expected, case):
    """Every codec that another parser met is named, and no other."""
    encodings = [page["encoding"] for column in file["columns"] for page in column["pages"]]
    if file["version"] == "2.0":
        words = set(re.findall(r"[a-z_]+", " ".join(encodings)))
        for message, name in NAMES_OF_2_0.items():
            assert (name in words) == (message in expected["encodings"]), (case, message)
    elif file["version"] == "2.3":
        named = re.compile(r"(miniblock|fullzip|indexed|constant)\(.*(layers|sparse)=")
        assert all(named.match(text) for text in encodings), case
    else:
        words = set(re.findall(r"[a-z_]+[<(]|dictionary=", " ".join(encodings)))
        for message, name in NAMES.items():
            assert (name in words) == (message in expected["encodings"]), (case, message)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2", "2.3"])
def test_all_files_of_the_reference(cli, fixtures, version):
    cases = [
        meta.parent
        for part in ("files14", "files7", "hints14")
        for meta in sorted((fixtures / part).glob(f"v{version}_*/meta.json"))
        if (meta.parent / "file.lance").exists()
    ]
    assert len(cases) > 20
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = list(pool.map(lambda case: inspect(cli, case / "file.lance"), cases))
    for case, file in zip(cases, files):
        expected = json.loads((case / "meta.json").read_text())
        assert file["version"] == version, case
        check_buffers(file, expected, case)
        check_encodings(file, expected, case)


def test_text(cli, fixtures):
    lines = cli("inspect", fixtures / SMALL).lines
    file = inspect(cli, fixtures / SMALL)
    assert lines[1] == "version  2.2"
    assert lines[2] == f"rows     {file['rows']}"
    for column in file["columns"]:
        start = f"column {column['index']}: {column['field']} ({column['type']}), "
        assert sum(line.startswith(start) for line in lines) == 1
        for page in column["pages"]:
            assert f"    {page['encoding']}" in lines


def test_several_files(cli, fixtures):
    names = [fixtures / SMALL, fixtures / "files14/v2.2_string/file.lance"]
    shown = cli.json("inspect", *names)["files"]
    assert shown == [inspect(cli, name) for name in names]
    starts = [line for line in cli("inspect", *names).lines if line.startswith("file     ")]
    assert starts == [f"file     {name}" for name in names]
    assert "none.lance" in cli.fails("inspect", names[0], "none.lance")


def test_columns_have_paths(cli, fixtures):
    file = inspect(cli, fixtures / "files14/v2.2_list_struct_list/file.lance")
    assert all("." in column["field"] for column in file["columns"])
    file = inspect(cli, fixtures / "files14/v2.0_list_struct_list/file.lance")
    assert file["columns"][1]["field"].startswith(file["columns"][0]["field"] + ".")
    assert {page["layout"] for c in file["columns"] for page in c["pages"]} >= {"list", "struct"}


def test_files_that_are_none(cli, fixtures, tmp_path):
    data = (fixtures / SMALL).read_bytes()
    broken = tmp_path / "broken.lance"
    for size in [0, 1, 39, 40, len(data) // 2, len(data) - 1]:
        broken.write_bytes(data[:size])
        assert str(broken) in cli.fails("inspect", broken)
    broken.write_bytes(b"PAR1" * 100)
    assert "not a Lance file" in cli.fails("inspect", broken)
    assert "none.lance" in cli.fails("inspect", tmp_path / "none.lance")
    cli.fails("inspect", tmp_path)


def test_damaged_metadata(cli, fixtures, tmp_path):
    """One line and status 1, or a result; never a crash or a second line."""
    data = bytearray((fixtures / SMALL).read_bytes())
    broken = tmp_path / "broken.lance"
    first = json.loads((fixtures / SMALL).with_name("meta.json").read_text())["global_buffers"][0][0]
    refused = 0
    for at in range(first, len(data), 37):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        broken.write_bytes(damaged)
        done = cli.run("inspect", broken)
        refused += done.status == 1
        assert done.err.count("\n") == done.status, done
    assert refused > 5


def test_legacy_files(cli, fixtures):
    """Every field with pages is a column; batches are pages."""
    for case in sorted((fixtures / "files14").glob("v0.1_*")):
        (path,) = (case / "data.lance" / "data").glob("*.lance")
        file = inspect(cli, path)
        assert file["version"] == "0.1", case
        assert file["rows"] == json.loads((case / "meta.json").read_text())["rows"], case
        for column in file["columns"]:
            if "." not in column["field"]:
                assert sum(page["rows"] for page in column["pages"]) == file["rows"], case
    path = next((fixtures / "files14/v0.1_list_string/data.lance/data").glob("*.lance"))
    file = inspect(cli, path)
    assert {page["layout"] for c in file["columns"] for page in c["pages"]} == {"list", "binary"}
