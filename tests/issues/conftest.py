import importlib
import os

import pytest

os.environ.setdefault("LANCE_LOG", "error")


@pytest.fixture
def pylance():
    return pytest.importorskip("lance")


@pytest.fixture
def lancecpp():
    return importlib.import_module("lancecpp")
