"""One measurement in a process of its own: prints a JSON object of metric -> number.

usage: worker.py ENGINE TASK FOLDER [TABLE ROUND]
"""

import importlib
import json
import os
import pathlib
import shutil
import statistics
import sys
import time

WRITES = 3
WARM_REPEATS = 5
TAKE_ONE_CALLS, TAKE_ONE_SECONDS = 500, 3.0
TAKE_MANY_CALLS, TAKE_MANY_SECONDS, TAKE_MANY_ROWS = 20, 4.0, 1000


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def median_seconds(function, repeats):
    return statistics.median(timed(function)[0] for _ in range(repeats))


def median_of_calls(function, inputs, limit_seconds):
    """The median over distinct inputs, stopping early when the engine is slow."""
    taken, began = [], time.perf_counter()
    for value in inputs:
        taken.append(timed(function, value)[0])
        if time.perf_counter() - began > limit_seconds and len(taken) >= 3:
            break
    return statistics.median(taken)


def files_of(path):
    return [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]


def evict(path):
    """Drops the files from the operating system's page cache."""
    for file in files_of(path):
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def resident_bytes(key):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def peak_growth(function):
    """How much the resident memory of this process grew at most while `function` ran."""
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = resident_bytes("VmRSS")
    function()
    return resident_bytes("VmHWM") - before


def measure_import(package):
    return {"import": timed(importlib.import_module, package)[0]}


def measure_write(engine, path, table):
    times = []
    for _ in range(WRITES):
        remove(path)
        times.append(timed(engine.write, table, str(path))[0])
    return {"write": statistics.median(times), "bytes on disk": sum(p.stat().st_size for p in files_of(path))}


def measure_read(engine, path, columns, rows, seed):
    import workload

    evict(path)
    found = {}
    found["open, cold"], handle = timed(engine.open, str(path))
    found["scan all, cold"], _ = timed(engine.scan, handle)
    found["open, warm"] = median_seconds(lambda: engine.open(str(path)), WARM_REPEATS)
    found["scan all"] = median_seconds(lambda: engine.scan(handle), WARM_REPEATS)
    for column in columns:
        found[f"scan {column}"] = median_seconds(lambda: engine.scan(handle, [column]), WARM_REPEATS)

    def take(indices):
        result = engine.take(handle, indices)
        assert result.num_rows == len(indices)

    singles = [[row] for row in workload.single_rows(rows, TAKE_ONE_CALLS, seed)]
    found["take 1"] = median_of_calls(take, singles, TAKE_ONE_SECONDS)
    lists = workload.row_lists(rows, TAKE_MANY_ROWS, TAKE_MANY_CALLS, seed)
    found[f"take {TAKE_MANY_ROWS:,}"] = median_of_calls(take, lists, TAKE_MANY_SECONDS)
    return found


def measure_memory(engine, path, rows, seed):
    import workload

    handle = engine.open(str(path))

    def stream():
        return sum(batch.num_rows for batch in engine.batches(handle))

    indices = workload.row_lists(rows, TAKE_MANY_ROWS, 1, seed)[0]
    return {
        f"peak memory, take {TAKE_MANY_ROWS:,}": peak_growth(lambda: engine.take(handle, indices)),
        "peak memory, stream all": peak_growth(stream),
    }


def check(engine, path, table):
    """The engine must return what was written, or its times mean nothing."""
    handle = engine.open(str(path))
    assert engine.scan(handle).cast(table.schema).equals(table), "scan differs"
    rows = [len(table) - 1, 0, len(table) // 2]
    taken = engine.take(handle, rows)
    assert taken.cast(table.schema).to_pylist() == table.take(rows).to_pylist(), "take differs"
    return {}


def main(engine_name, task, folder, table_name=None, round_number="0"):
    folder = pathlib.Path(folder)
    if task == "import":
        return measure_import(engine_name)
    import workload

    table = workload.read_input(folder, table_name) if task in {"write", "check"} else None
    engine = importlib.import_module(f"engines.{engine_name}")
    path = folder / f"{table_name}.{engine_name}"
    seed = workload.SEED + int(round_number)
    if task == "write":
        return measure_write(engine, path, table)
    if task == "check":
        return check(engine, path, table)
    schema, rows = workload.input_shape(folder, table_name)
    if task == "memory":
        return measure_memory(engine, path, rows, seed)
    return measure_read(engine, path, schema.names, rows, seed)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
