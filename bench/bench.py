"""Compares lancecpp with pylance, Parquet and Vortex: the same data, the same rows, one process a
measurement, the engines taking turns.

Shows the first engine's medians, and for each other engine the median over the rounds of
(its value / the first engine's value in that round): above 1, the first engine is better.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import zipfile

import workload

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
DOCUMENT = ROOT / "docs" / "benchmarks.md"
ENGINES = ["lancecpp", "pylance", "parquet", "vortex"]
PACKAGES = {"lancecpp": "lancecpp", "pylance": "lance", "parquet": "pyarrow.parquet", "vortex": "vortex"}
DISTRIBUTIONS = {"lancecpp": "lancecpp", "pylance": "pylance", "parquet": "pyarrow", "vortex": "vortex-data"}

# Measured too: an import of ours or theirs that needs pyarrow can hardly be faster than it.
PYARROW_ALONE = "pyarrow alone"


def worker(*arguments):
    command = [sys.executable, str(HERE / "worker.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, arguments))} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def alternating(engines, round_number):
    """Each round begins with another engine, so that none always runs after the same one."""
    shift = round_number % len(engines)
    return engines[shift:] + engines[:shift]


def measure(engines, folder, small, rounds, report):
    """{(table, metric): {engine: [value of each round]}}"""
    values = {}

    def add(table, engine, found):
        for metric, value in found.items():
            values.setdefault((table, metric), {}).setdefault(engine, []).append(value)

    for engine in engines:
        size = installed_size(engine)
        if size is not None:
            add("package", engine, {"installed size": size})
    for name, sizes in workload.TABLES.items():
        report(f"{name}: input")
        workload.write_input(folder, name, sizes[small])
    for round_number in range(rounds):
        for engine in alternating(engines, round_number):
            add("package", engine, worker(PACKAGES[engine], "import", folder))
        add("package", PYARROW_ALONE, worker("pyarrow", "import", folder))
        for name in workload.TABLES:
            for task in ["write", *(["check"] if round_number == 0 else []), "read", "memory"]:
                for engine in alternating(engines, round_number):
                    report(f"round {round_number + 1} of {rounds}: {name}, {task}, {engine}")
                    add(name, engine, worker(engine, task, folder, name, round_number))
    return values


def installed_size(engine):
    """Bytes of the unpacked distribution, without what it depends on."""
    if engine == "lancecpp":
        wheels = sorted((ROOT / "dist").glob("lancecpp-*.whl"), key=lambda p: p.stat().st_mtime)
        return sum(i.file_size for i in zipfile.ZipFile(wheels[-1]).infolist()) if wheels else None
    files = importlib.metadata.files(DISTRIBUTIONS[engine]) or []
    return sum(path.stat().st_size for file in files if (path := file.locate()).is_file())


def is_bytes(metric):
    return metric.startswith(("bytes", "peak", "installed"))


def in_words(metric, value):
    if is_bytes(metric):
        return f"{value / 1e6:,.1f} MB"
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def ratio_in_words(theirs, ours):
    if not ours or not theirs or min(ours) <= 0:
        return "–"
    ratios = [a / b for a, b in zip(theirs, ours)]
    middle = statistics.median(ratios)
    spread = f" ({min(ratios):.2f}–{max(ratios):.2f})" if len(ratios) > 1 else ""
    return f"{middle:.2f}{spread}"


def table_lines(values, engines):
    first, others = engines[0], engines[1:]
    header = ["", first, *(f"{other} / {first}" for other in others)]
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    for (table, metric), by_engine in values.items():
        ours = by_engine.get(first, [])
        cells = [f"{table}: {metric}", in_words(metric, statistics.median(ours)) if ours else "–"]
        cells += [ratio_in_words(by_engine.get(other, []), ours) for other in others]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def absolute_lines(values, engines):
    lines = ["| | " + " | ".join(engines) + " |", "|---" + "|---:" * len(engines) + "|"]
    for (table, metric), by_engine in values.items():
        cells = [
            in_words(metric, statistics.median(by_engine[engine])) if engine in by_engine else "–"
            for engine in engines
        ]
        lines.append(f"| {table}: {metric} | " + " | ".join(cells) + " |")
    return lines


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def conditions(values, engines, small, rounds):
    versions = [f"{name} {version_of(name)}" for engine in engines if (name := DISTRIBUTIONS[engine])]
    sizes = ", ".join(f"{name}: {rows[small]:,} rows" for name, rows in workload.TABLES.items())
    alone = statistics.median(values["package", "import"][PYARROW_ALONE])
    pyarrow_only = "" if "parquet" in engines else f", pyarrow {version_of('pyarrow')}"
    return [
        f"{datetime.date.today()}, {os.cpu_count()} cores ({processor()}), Linux {platform.release()}, "
        f"Python {platform.python_version()}; {', '.join(versions)}{pyarrow_only}.",
        f"{sizes}; {rounds} rounds. `import pyarrow` alone: {in_words('import', alone)}.",
    ]


def version_of(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "(this tree)"


def write_document(lines):
    """Replaces what stands between the two marks of docs/benchmarks.md."""
    text = DOCUMENT.read_text()
    block = "<!-- run -->\n" + "\n".join(lines) + "\n<!-- end of run -->"
    replaced, count = re.subn(r"<!-- run -->.*<!-- end of run -->", lambda _: block, text, flags=re.S)
    if count != 1:
        sys.exit(f"bench: {DOCUMENT} has no place for a run")
    DOCUMENT.write_text(replaced)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows: a quick look")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--write-docs", action="store_true", help="keep the run in docs/benchmarks.md")
    options = parser.parse_args()

    folder = ROOT / "build" / "bench" / ("small" if options.small else "full")
    folder.mkdir(parents=True, exist_ok=True)
    progress = (lambda text: print(f"\r\033[K{text}", end="", flush=True)) if sys.stdout.isatty() else lambda _: None
    values = measure(options.engines, folder, options.small, options.rounds, progress)
    progress("")

    lines = [
        *conditions(values, options.engines, options.small, options.rounds),
        "",
        *table_lines(values, options.engines),
        "",
        "Medians of each engine:",
        "",
        *absolute_lines(values, options.engines),
    ]
    print("\n".join(lines))
    if options.write_docs:
        write_document(lines)


if __name__ == "__main__":
    main()
