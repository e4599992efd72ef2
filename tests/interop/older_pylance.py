"""Runs a script of this folder with the older pylance in place of the newer one.

$LANCE_OLDER_PYLANCE is a folder to put on PYTHONPATH; without it the tests that import this are skipped.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = os.environ.get("LANCE_OLDER_PYLANCE")

if FOLDER is None:
    assert os.environ.get("CI") != "true", "LANCE_OLDER_PYLANCE is not set"
    pytest.skip("LANCE_OLDER_PYLANCE is not set", allow_module_level=True)


def run(*arguments):
    """Of Python; the script fails the test if it fails."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": FOLDER},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(script, *arguments):
    """What a script of this folder prints last, as JSON."""
    return json.loads(run(pathlib.Path(__file__).parent / script, *arguments).splitlines()[-1])
