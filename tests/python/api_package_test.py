"""The package itself: signatures, stubs, examples, what importing it costs."""

import ast
import doctest
import importlib
import inspect
import os
import statistics
import subprocess
import sys
import time

import pytest

MODULES = "arrow_stream bitmap dataset errors file fragment scanner schema tags write".split()


def module_file(name):
    package = importlib.import_module("lancecpp")
    return os.path.join(os.path.dirname(package.__file__), name)


# Names, order and defaults as in pylance.


def shape(function):
    return [
        (p.name, p.kind, p.default if p.default is not p.empty else "required")
        for p in inspect.signature(function).parameters.values()
    ]


SAME_SIGNATURE = [
    ("", "dataset"),
    ("", "write_dataset"),
    *(
        ("LanceDataset", name)
        for name in (
            "__init__ checkout_latest checkout_version config count_rows fragment_ids get_fragment "
            "get_fragments get_version head insert io_stats_incremental io_stats_snapshot sample "
            "scanner slice take to_batches to_pandas to_table versions"
        ).split()
    ),
    *(
        ("LanceFragment", name)
        for name in (
            "__init__ count_rows data_files deletion_file head scanner take to_batches to_pandas "
            "to_table"
        ).split()
    ),
    *(
        ("LanceScanner", name)
        for name in "count_rows head take to_batches to_pandas to_reader to_table".split()
    ),
]


# Of semantic types, which pylance has not; by keyword only.
OUR_ARGUMENTS = ("output_encodings", "semantic_types")


@pytest.mark.parametrize(("owner", "name"), SAME_SIGNATURE)
def test_signature_is_that_of_pylance(lancecpp, pylance, owner, name):
    ours, theirs = (getattr(m, owner) if owner else m for m in (lancecpp, pylance))
    ours, theirs = shape(getattr(ours, name)), shape(getattr(theirs, name))
    added = [p for p in ours if p[0] in OUR_ARGUMENTS]
    assert all(kind == inspect.Parameter.KEYWORD_ONLY or owner for _, kind, _ in added)
    ours = [p for p in ours if p not in added]
    if name == "insert":  # a keyword-only argument there, without a kind of its own
        assert [p[0] for p in ours] == [p[0] for p in theirs]
    assert ours == theirs


PROPERTIES = {
    "LanceDataset": "data_storage_version has_stable_row_ids lance_schema latest_version "
    "max_field_id metadata schema schema_metadata tags uri version",
    "LanceFragment": "fragment_id metadata num_deletions physical_rows schema",
    "LanceScanner": "dataset_schema projected_schema",
}


@pytest.mark.parametrize("owner", PROPERTIES)
def test_properties_are_those_of_pylance(lancecpp, pylance, owner):
    for name in PROPERTIES[owner].split():
        for module in (lancecpp, pylance):
            assert isinstance(getattr(getattr(module, owner), name), property), name


def test_module_names(lancecpp):
    from lancecpp.dataset import LanceDataset, LanceScanner, Tags, write_dataset  # noqa: F401
    from lancecpp.fragment import DataFile, FragmentMetadata, LanceFragment  # noqa: F401

    assert LanceDataset is lancecpp.LanceDataset
    assert callable(lancecpp.dataset)
    assert lancecpp.__version__.count(".") == 2
    for name in lancecpp.__all__:
        assert hasattr(lancecpp, name)


# Types.


def test_stub_of_the_engine_has_what_the_engine_has(lancecpp):
    with open(module_file("_core.pyi")) as stream:
        stub = ast.parse(stream.read())
    in_stub = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            in_stub[node.name] = {
                item.name if isinstance(item, ast.FunctionDef) else item.target.id
                for item in node.body
                if isinstance(item, (ast.FunctionDef, ast.AnnAssign))
            }
    core = lancecpp._core
    classes = {n: c for n, c in vars(core).items() if inspect.isclass(c)}
    assert set(in_stub) == set(classes)
    shown = {"__init__", "__iter__", "__next__", "__arrow_c_stream__"}
    for name, members in in_stub.items():
        public = {m for m in vars(classes[name]) if not m.startswith("_")}
        if name == "WriteMode":
            public &= {"create", "append", "overwrite"}
        assert {m for m in members if m not in shown} == public, name


def test_the_package_is_marked_as_typed():
    assert os.path.exists(module_file("py.typed"))


def test_every_public_function_is_annotated(lancecpp):
    for owner in (lancecpp.LanceDataset, lancecpp.LanceFragment, lancecpp.LanceScanner):
        for name, member in vars(owner).items():
            function = member.fget if isinstance(member, property) else member
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            signature = inspect.signature(function)
            assert signature.return_annotation is not signature.empty, f"{owner}.{name}"
            for parameter in list(signature.parameters.values())[1:]:
                assert parameter.annotation is not parameter.empty, f"{owner}.{name}"


# Examples.


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_in_docstrings(lancecpp, name):
    module = importlib.import_module("lancecpp" + (f".{name}" if name else ""))
    names = {**vars(module), "lance": lancecpp}
    result = doctest.testmod(module, globs=names, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_the_main_verbs_have_examples(lancecpp):
    table = lancecpp.LanceDataset
    for verb in (
        lancecpp.dataset,
        lancecpp.write_dataset,
        table,
        table.to_table,
        table.to_batches,
        table.take,
        table.insert,
        table.versions,
        table.checkout_version,
        lancecpp.LanceFragment,
        lancecpp.LanceScanner,
        sys.modules["lancecpp.tags"].Tags,
    ):
        assert ">>>" in verb.__doc__, verb


# Importing.


def python(code):
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - started, done.stdout


def test_import_loads_nothing_else():
    loaded = python("import sys, lancecpp; print(' '.join(sys.modules))")[1].split()
    for name in ("pyarrow", "numpy", "pandas", "pyarrow.dataset", "polars", "duckdb"):
        assert name not in loaded


def test_reading_loads_no_more_than_pyarrow(lancecpp, path):
    lancecpp.write_dataset({"id": [1]}, path)
    code = f"""
import sys, lancecpp
table = lancecpp.dataset({path!r})
table.to_table(); table.take([0]); list(table.to_batches()); table.versions(); repr(table)
print(' '.join(sys.modules))
"""
    loaded = python(code)[1].split()
    for name in ("pandas", "pyarrow.dataset", "pyarrow.compute", "pyarrow.parquet", "polars"):
        assert name not in loaded


def test_import_time():
    """At most 1.3 × `import pyarrow`. The medians of alternating runs: one alone is noise."""
    ours, theirs = [], []
    for _ in range(7):
        theirs.append(python("import pyarrow")[0])
        ours.append(python("import lancecpp")[0])
    assert statistics.median(ours) <= 1.3 * statistics.median(theirs)


def test_any_import_order():
    for first, second in (("pyarrow", "lancecpp"), ("lancecpp", "pyarrow")):
        code = f"""
import {first}, {second}
import pyarrow as pa, lancecpp
table = lancecpp.write_dataset(pa.table({{"a": [1, 2]}}), "memory://order")
assert table.to_table().to_pydict() == {{"a": [1, 2]}}
maps = open("/proc/self/maps").read()
files = {{line.split()[-1] for line in maps.splitlines() if "/libarrow.so" in line}}
assert len(files) == 1, files
"""
        python(code)


def test_beside_the_reference(pylance):
    for order in ("lance, lancecpp", "lancecpp, lance"):
        python(
            f"""
import {order}
import tempfile, os
folder = tempfile.mkdtemp()
lance.write_dataset({{"a": [1]}}, os.path.join(folder, "t"))
lancecpp.write_dataset({{"a": [2]}}, os.path.join(folder, "t"), mode="append")
assert lance.dataset(os.path.join(folder, "t")).to_table()["a"].to_pylist() == [1, 2]
"""
        )
