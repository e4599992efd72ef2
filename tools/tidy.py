"""Runs clang-tidy on the C++ files changed since the merge base (or all) and remembers clean ones.

usage: tidy.py BUILD_FOLDER [--all]

A file is checked again only if it, a header of ours that it includes, its compile command or the
configuration has changed. Without --all the time is bounded: what was not reached is said.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUR_FOLDERS = ["src", "include", "python", "examples", "tests"]
INCLUDE_FOLDERS = [ROOT / "src", ROOT / "include"]
TIME_LIMIT_SECONDS = 15 * 60
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def base_commit():
    """Where the present work began: the merge base with main, or the commit before this one."""
    head = git("rev-parse", "HEAD")
    merge_base = git("merge-base", "HEAD", "origin/main")
    return merge_base if merge_base and merge_base != head else git("rev-parse", "HEAD~1")


def changed_files():
    base = base_commit()
    if base is None:
        return None
    names = (git("diff", "--name-only", base) or "").splitlines()
    names += (git("ls-files", "--others", "--exclude-standard") or "").splitlines()
    return {ROOT / name for name in names}


@functools.cache
def included(path):
    """The headers of ours that a file includes directly."""
    found = []
    for name in INCLUDE.findall(path.read_bytes()):
        for folder in [path.parent, *INCLUDE_FOLDERS]:
            candidate = folder / name.decode()
            if candidate.is_file():
                found.append(candidate.resolve())
                break
    return found


@functools.cache
def closure(path):
    """The file with all headers of ours that it sees."""
    seen, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting.extend(included(current))
    return frozenset(seen)


def affected(sources, changed):
    """The changed sources, and for each changed header one source that shows it to clang-tidy."""
    chosen = {source for source in sources if source in changed}
    for header in changed - chosen:
        if header.suffix != ".h" or any(header in closure(source) for source in chosen):
            continue
        twin = header.with_suffix(".cc")
        users = [source for source in sources if header in closure(source)]
        if users:
            chosen.add(twin if twin in users else min(users))
    return sorted(chosen)


def fingerprint(source, command, configuration):
    digest = hashlib.sha256(configuration + command.encode())
    for path in sorted(closure(source)):
        digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()


def check(source, build_folder):
    done = subprocess.run(
        ["clang-tidy", "-p", build_folder, "--quiet", str(source)], capture_output=True, text=True
    )
    return done.returncode, done.stdout


def sources_with_commands(build_folder):
    entries = json.loads((build_folder / "compile_commands.json").read_text())
    commands = {}
    for entry in entries:
        path = pathlib.Path(entry["file"]).resolve()
        ours = ROOT in path.parents and not {ROOT / "build", ROOT / ".venv"} & set(path.parents)
        if ours:
            commands[path] = entry.get("command", "")
    return commands


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build_folder", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="all files, without a time limit")
    options = parser.parse_args()

    commands = sources_with_commands(options.build_folder)
    changed = None if options.all else changed_files()
    chosen = sorted(commands) if changed is None else affected(list(commands), changed)

    dumped = subprocess.run(["clang-tidy", "--dump-config"], cwd=ROOT, capture_output=True, text=True)
    if "error" in dumped.stderr:  # it would go on with its own defaults
        sys.exit(dumped.stderr)

    clean_folder = options.build_folder / "clang-tidy-clean"
    clean_folder.mkdir(exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True).stdout
    configuration = version + (ROOT / ".clang-tidy").read_bytes()
    marks = {s: clean_folder / fingerprint(s, commands[s], configuration) for s in chosen}
    waiting = [source for source in chosen if not marks[source].exists()]

    deadline = None if options.all else time.monotonic() + TIME_LIMIT_SECONDS
    failed = skipped = 0

    def run(source):
        if deadline is not None and time.monotonic() > deadline:
            return source, None, ""
        return source, *check(source, options.build_folder)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, status, output in pool.map(run, waiting):
            if status is None:
                skipped += 1
            elif status == 0:
                marks[source].touch()
            else:
                failed += 1
                print(output, end="", flush=True)

    print(
        f"clang-tidy: {len(chosen)} files, {len(chosen) - len(waiting)} unchanged since clean, "
        f"{failed} with findings, {skipped} not reached in {TIME_LIMIT_SECONDS // 60} minutes"
    )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
