"""`lance verify`."""

import pytest

SMALL = "files14/v2.2_int32/file.lance"
TEXT = "files14/v2.2_string/file.lance"


def test_sound_files(cli, fixtures):
    names = [fixtures / SMALL, fixtures / TEXT]
    lines = cli("verify", *names).lines
    assert len(lines) == 2
    for line, name in zip(lines, names):
        assert line.startswith(f"{name}: sound, version 2.2, ")
    shown = cli.json("verify", *names)["files"]
    assert [file["file"] for file in shown] == [str(name) for name in names]
    for file in shown:
        assert file["findings"] == [] and file["skipped"] == []
        assert file["rows"] > 0 and file["columns"] > 0 and file["pages"] > 0


@pytest.fixture
def broken(fixtures, tmp_path):
    """The chunk table of the first column's page is damaged."""
    data = bytearray((fixtures / SMALL).read_bytes())
    data[1] ^= 0xFF
    path = tmp_path / "broken.lance"
    path.write_bytes(data)
    return path


def test_a_damaged_page(cli, fixtures, broken):
    done = cli.run("verify", fixtures / TEXT, broken)
    assert done.status == 1
    assert done.err == "lance: 1 problem in 1 of 2 files\n"
    assert f"{broken}: 1 problem, " in done.out
    done = cli.run("verify", broken, "--json")
    assert done.status == 1
    (finding,) = done.json["files"][0]["findings"]
    assert finding["column"] == 0 and finding["page"] == 0 and finding["offset"] == 0
    assert finding["field"] and finding["problem"]


def test_files_that_are_none(cli, fixtures, tmp_path):
    for content in (b"", b"PAR1" * 100, (fixtures / SMALL).read_bytes()[:-1]):
        path = tmp_path / "none.lance"
        path.write_bytes(content)
        done = cli.run("verify", path)
        assert done.status == 1
        # Nothing is known of its version, rows and columns.
        assert done.lines[0] == f"{path}: 1 problem"
        assert cli.run("verify", path, "--json").json["files"][0]["version"] is None
    assert "absent.lance" in cli.fails("verify", tmp_path / "absent.lance")


def test_what_cannot_be_checked(cli, fixtures, tmp_path):
    data = (fixtures / SMALL).read_bytes()
    url = b"/lance.encodings21.PageLayout"
    path = tmp_path / "unknown.lance"
    path.write_bytes(data.replace(url, b"/lance.encodings99.PageLayout", 1))
    done = cli.run("verify", path)
    assert done.status == 1
    assert f"{path}: 1 part not checked, " in done.out
