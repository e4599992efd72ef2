"""Fixtures of the Python tests.

Tests that take the fixture `lance` state what lancecpp and pylance share, and run once with each:
so pylance checks the tests, and the tests check lancecpp.
"""

import importlib
import os

import pytest

os.environ.setdefault("LANCE_LOG", "error")

ENGINES = ["pylance", "lancecpp"]
MODULES = {"pylance": "lance", "lancecpp": "lancecpp"}


@pytest.fixture(params=ENGINES)
def lance(request):
    """The module under test: `lance` (pylance) or `lancecpp`."""
    if request.param == "pylance":
        return pytest.importorskip("lance")
    return importlib.import_module("lancecpp")


@pytest.fixture
def path(tmp_path):
    """Where a test may write a table."""
    return str(tmp_path / "table.lance")


@pytest.fixture
def pylance():
    return pytest.importorskip("lance")


@pytest.fixture
def lancecpp():
    return importlib.import_module("lancecpp")
