"""The installed package, as a user's own project meets it: find_package, pkg-config, the command line
tool, and a shared library that shows nothing but its API."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
CONSUMER = ROOT / "tests" / "consumer"

pytestmark = pytest.mark.skipif(not (BUILD / "build.ninja").exists(), reason="./dev build has not run")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def cache_entry(name):
    match = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return match[1]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def library(prefix):
    return next(prefix.glob("lib*/**/liblance.so"))


@pytest.fixture(scope="module")
def consumers(prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("consumer")
    run(
        "cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DLANCE_PYARROW_DIR={cache_entry('LANCE_PYARROW_DIR')}",
    )  # fmt: skip
    run("cmake", "--build", folder)
    return folder


@pytest.mark.parametrize("name", ["cpp_consumer", "c_consumer"])
def test_find_package(consumers, tmp_path, name):
    run(consumers / name, tmp_path / "tables")


def test_pkg_config_and_c_compiler_only(prefix, library, tmp_path):
    environment = os.environ | {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "lance", env=environment).split()
    program = tmp_path / "consumer"
    run("cc", "-std=c11", "-o", program, CONSUMER / "c" / "consumer.c", *flags, f"-Wl,-rpath,{library.parent}")
    run(program, tmp_path / "tables")


def test_another_version_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other CXX)\nfind_package(lance 99 REQUIRED)\n"
    )
    done = subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    # CMake breaks its messages into lines.
    assert 'compatible with requested version "99"' in " ".join(done.stderr.split())


def test_only_the_api_is_exported(library):
    names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    assert "lance_dataset_open" in names
    ours = re.compile(r"^(lance_|_Z(N|NK|TVN|TIN|TSN)5lance)")
    assert [name for name in names if not ours.match(name)] == []


def test_headers_are_the_public_ones(prefix):
    installed = {path.name for path in (prefix / "include").rglob("*") if path.is_file()}
    assert installed == {path.name for path in (ROOT / "include" / "lance").glob("*.h")}


def test_command_line_tool(prefix):
    program = prefix / "bin" / "lance"
    assert "inspect" in run(program, "--help")
    assert shutil.which("lance", path=str(prefix / "bin"))
