import importlib
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))


@pytest.fixture
def pylance():
    return pytest.importorskip("lance")


@pytest.fixture
def lancecpp():
    return importlib.import_module("lancecpp")
