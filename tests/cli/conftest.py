"""The `lance` program under test: $LANCE_CLI, or what ./dev build made."""

import json
import os
import pathlib
import subprocess
from dataclasses import dataclass

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get("LANCE_CLI", ROOT / "build" / "release" / "bin" / "lance"))


@dataclass
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return self.out.splitlines()


class Program:
    """Runs the program; every way of ending is checked to be a tidy one."""

    path = PROGRAM

    def __call__(self, *arguments, **options):
        """Must succeed."""
        done = self.run(*arguments, **options)
        assert done.status == 0, done
        assert done.err == ""
        return done

    def json(self, *arguments):
        return self(*arguments, "--json").json

    def fails(self, *arguments, status=1):
        """Must fail with one line on standard error, which is returned."""
        done = self.run(*arguments)
        assert done.status == status, done
        assert done.out == ""
        assert done.err.startswith("lance: ")
        assert done.err.count("\n") == 1
        return done.err

    def run(self, *arguments, env=None):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=env,
        )  # fmt: skip
        assert done.returncode in (0, 1, 2), f"ended by a signal: {done}"
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def cli():
    if not PROGRAM.exists():
        assert os.environ.get("CI") != "true", f"no program at {PROGRAM}"
        pytest.skip(f"no program at {PROGRAM}: ./dev build makes it, $LANCE_CLI names another")
    return Program()


@pytest.fixture(scope="session")
def fixtures():
    """Files and tables that the reference wrote."""
    folder = pathlib.Path(os.environ.get("LANCE_FIXTURES", ROOT.parent / "shared" / "fixtures"))
    if not folder.is_dir():
        assert os.environ.get("CI") != "true", f"no fixtures in {folder}"
        pytest.skip(f"no fixtures in {folder}: $LANCE_FIXTURES names them")
    return folder
