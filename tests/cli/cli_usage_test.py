"""Help, wrong usage and the form of errors, of every verb."""

import json
import os
import pty
import subprocess

import pytest

VERBS = ["info", "schema", "versions", "count", "head", "take", "import", "export", "inspect",
         "verify"]  # fmt: skip


def test_help_names_every_verb(cli):
    text = cli("--help").out
    for verb in VERBS:
        assert f"\n  {verb} " in text


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_an_example(cli, verb):
    text = cli(verb, "--help").out
    assert "Example:" in text
    assert f"  lance {verb} " in text
    assert "--json" in text


def test_version_of_the_program(cli):
    name, number = cli("--version").out.split()
    assert name == "lance"
    assert number.count(".") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["info"],
        ["info", "a", "b"],
        ["info", "a", "--nonsense"],
        ["head", "a", "-n", "x"],
        ["head", "a", "-n", "-1"],
        ["head", "a", "-n", "99999999999999999999"],
        ["take", "a"],
        ["take", "a", "1,x"],
        ["take", "a", "-1"],
        ["take", "a", "1.5"],
        ["import", "a.csv"],
        ["import", "a.csv", "b", "--mode", "truncate"],
        ["import", "a.csv", "b", "--format", "xls"],
        ["import", "a.csv", "b", "--max-rows-per-file", "0"],
        ["import", "a.csv", "b", "--max-rows-per-file", "-3"],
        ["export", "a"],
        ["inspect"],
        ["verify"],
    ],
)
def test_wrong_usage_is_status_2(cli, arguments):
    line = cli.fails(*arguments, status=2)
    assert "--help`)" in line


def test_unknown_verb_is_named(cli):
    assert "unknown verb or option: nonsense" in cli.fails("nonsense", "a", status=2)


def test_numbers_that_do_not_fit_are_told_in_few_words(cli):
    line = cli.fails("import", "a.csv", "b", "--max-rows-per-file", "0", status=2)
    assert "'0' is not a whole number from 1 on" in line and len(line) < 200
    line = cli.fails("head", "a", "-n", "99999999999999999999", status=2)
    assert "too large" in line and len(line) < 200


def test_wrong_usage_names_the_help_of_the_verb(cli):
    assert "`lance head --help`" in cli.fails("head", "a", "-n", "x", status=2)


@pytest.mark.parametrize("verb", ["info", "schema", "versions", "count", "head"])
def test_missing_table(cli, tmp_path, verb):
    missing = tmp_path / "missing.lance"
    assert str(missing) in cli.fails(verb, missing)


def test_an_error_with_json_is_also_an_object(cli, tmp_path):
    missing = tmp_path / "missing.lance"
    done = cli.run("info", missing, "--json")
    assert (done.status, done.out) == (1, "")
    line, text = done.err.splitlines()
    assert line.startswith("lance: ")
    error = json.loads(text)["error"]
    assert error["code"] == "not_found"
    assert str(missing) in error["message"]


def test_wrong_usage_with_json_is_also_an_object(cli):
    done = cli.run("head", "--json")
    assert done.status == 2
    assert json.loads(done.err.splitlines()[1])["error"]["code"] == "user_input"


def test_a_full_disk_is_an_error(cli):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([cli.path, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert "standard output" in done.stderr


def in_a_terminal(cli, columns, *arguments):
    """What the program prints on a terminal of this width."""
    main, other = pty.openpty()
    with os.fdopen(other, "w") as terminal:
        subprocess.run(["stty", "cols", str(columns)], stdin=terminal, check=True)
        done = subprocess.run([cli.path, *map(str, arguments)], stdout=terminal, stdin=subprocess.DEVNULL)
    text = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(main)
    assert done.returncode == 0
    return text.decode().replace("\r\n", "\n")


def test_tables_fit_the_terminal(cli, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather

    names = [f"column_{i}" for i in range(30)]
    table = pa.table({name: ["x" * 100] * 3 for name in names})
    pyarrow.feather.write_feather(table, tmp_path / "wide.arrow")
    uri = tmp_path / "wide.lance"
    cli("import", tmp_path / "wide.arrow", uri)
    lines = in_a_terminal(cli, 80, "head", uri).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[0].startswith("column_0  column_1")
    assert lines[-1].startswith("(3 rows; ")
    assert "more columns" in lines[-1]
    # Not a terminal: all columns.
    assert "column_29" in cli("head", uri).lines[0]
