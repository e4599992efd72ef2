"""Several processes, several threads, and fork."""

import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

ROWS = 20000
TABLE = pa.table({"id": list(range(ROWS)), "text": [f"row {i}" for i in range(ROWS)]})


def start(source, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_that_append_at_once_both_land(lance, path):
    lance.write_dataset({"id": [0], "writer": [0]}, path)
    program = """
        import importlib, sys
        lance = importlib.import_module(sys.argv[1])
        path, writer = sys.argv[2], int(sys.argv[3])
        for i in range(10):
            lance.write_dataset({"id": [i], "writer": [writer]}, path, mode="append")
    """
    writers = [start(program, lance.__name__, path, writer) for writer in (1, 2)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    table = lance.dataset(path)
    assert table.version == 21
    landed = table.to_table()
    for writer in (1, 2):
        mine = [i for i, w in zip(*landed.to_pydict().values()) if w == writer]
        assert mine == list(range(10))
    assert len({f.fragment_id for f in table.get_fragments()}) == 21
    assert [v["version"] for v in table.versions()] == list(range(1, 22))


def test_of_two_deep_clones_to_one_place_one_is_made(lancecpp, path):
    """They copy to the same names: who comes second must not remove the other's files."""
    table = lancecpp.write_dataset({"id": range(1000)}, path, max_rows_per_file=20)
    program = """
        import sys, time, lancecpp
        path, target, start = sys.argv[1], sys.argv[2], float(sys.argv[3])
        table = lancecpp.dataset(path)
        time.sleep(max(0, start - time.time()))
        try:
            table.deep_clone(target, 1)
        except OSError as error:
            assert "already exists" in str(error), error
            print("refused")
    """
    for attempt in range(3):
        target = f"{path}-clone-{attempt}"
        begin = time.time() + 1.5
        clones = [start(program, path, target, begin) for _ in range(2)]
        refused = 0
        for clone in clones:
            printed, errors = clone.communicate(timeout=120)
            assert clone.returncode == 0, errors
            refused += "refused" in printed
        assert refused == 1
        assert lancecpp.dataset(target).to_table() == table.to_table()


def test_lancecpp_and_pylance_append_at_once(lancecpp, pylance, path):
    lancecpp.write_dataset({"id": [0], "writer": [0]}, path)
    program = """
        import importlib, sys
        lance = importlib.import_module(sys.argv[1])
        path, writer = sys.argv[2], int(sys.argv[3])
        for i in range(8):
            lance.write_dataset({"id": [i], "writer": [writer]}, path, mode="append")
    """
    writers = [start(program, name, path, i) for i, name in enumerate(["lance", "lancecpp"], 1)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    for module in (lancecpp, pylance):
        table = module.dataset(path)
        assert (table.version, table.count_rows()) == (17, 17)
        assert sorted(table.to_table()["writer"].to_pylist()) == [0] + [1] * 8 + [2] * 8


def test_threads_append_at_once(lance, path):
    lance.write_dataset({"id": [0]}, path)

    def append(i):
        lance.write_dataset({"id": [i]}, path, mode="append")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(1, 13)))
    table = lance.dataset(path)
    assert table.version == 13
    assert sorted(table.to_table()["id"].to_pylist()) == list(range(13))


def test_one_table_in_many_threads(lance, path):
    table = lance.write_dataset(TABLE, path, max_rows_per_file=3000)

    def read(seed):
        for i in range(20):
            position = (seed * 7919 + i * 104729) % ROWS
            assert table.take([position])["id"].to_pylist() == [position]
        assert table.to_table(columns=["id"]).num_rows == ROWS
        assert sum(batch.num_rows for batch in table.to_batches(batch_size=500)) == ROWS

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(read, range(8)))


def test_one_iterator_in_many_threads(lancecpp, path):
    table = lancecpp.write_dataset(TABLE, path)
    reader = table._core.scan(lancecpp._core.ScanOptions(batch_size=100))

    def drain():
        return sum(batch.num_rows for batch in reader)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda _: drain(), range(4))) == ROWS


def test_the_gil_is_released(lancecpp, path):
    """This thread runs while another one writes; with the GIL held it would stand still."""
    ids = pa.array(range(1 << 16))
    table = pa.table({"id": pa.chunked_array([ids] * 400)})
    with ThreadPoolExecutor(1) as pool:
        started = time.monotonic()
        write = pool.submit(lancecpp.write_dataset, table, path)
        longest = 0.0
        last = time.monotonic()
        while not write.done():
            time.sleep(0.001)
            now = time.monotonic()
            longest, last = max(longest, now - last), now
        took = time.monotonic() - started
        assert write.result().count_rows() == table.num_rows
    assert longest < took / 2, (longest, took)


# Forking a process that has threads is what multiprocessing and pre-forking servers do.


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("handle", ["inherited", "reopened"])
def test_fork(lancecpp, path, handle):
    program = """
        import os, signal, sys
        import pyarrow as pa, lancecpp
        path, handle = sys.argv[1:]
        table = lancecpp.dataset(path)
        assert table.to_table().num_rows == 20000   # threads are running now
        assert sum(b.num_rows for b in table.to_batches()) == 20000
        children = []
        for i in range(3):
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)  # a deadlock ends here
                status = 1
                try:
                    mine = table if handle == "inherited" else lancecpp.dataset(path)
                    assert mine.to_table().num_rows == 20000
                    assert mine.take([i, 19999])["id"].to_pylist() == [i, 19999]
                    assert sum(b.num_rows for b in mine.to_batches()) == 20000
                    lancecpp.write_dataset({"id": [i], "text": ["x"]}, path, mode="append")
                    status = 0
                finally:
                    os._exit(status)
            children.append(pid)
        statuses = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        assert statuses == [0, 0, 0], statuses
        assert table.to_table().num_rows == 20000
        print(lancecpp.dataset(path).count_rows())
    """
    lancecpp.write_dataset(TABLE, path, max_rows_per_file=3000)
    child = start(program, path, handle)
    output, errors = child.communicate(timeout=180)
    assert child.returncode == 0, errors
    assert output.strip() == str(ROWS + 3)


def test_worker_processes(lancecpp, path):
    """A table handle travels to spawned workers by pickle."""
    program = """
        import multiprocessing, sys
        import lancecpp

        def rows_of(fragment):
            return fragment.to_table()["id"].to_pylist()

        if __name__ == "__main__":
            table = lancecpp.dataset(sys.argv[1])
            with multiprocessing.get_context(sys.argv[2]).Pool(2) as pool:
                parts = pool.map(rows_of, table.get_fragments())
            assert sum(parts, []) == list(range(20000))
    """
    lancecpp.write_dataset(TABLE, path, max_rows_per_file=3000)
    script = path + ".py"
    with open(script, "w") as stream:
        stream.write(textwrap.dedent(program))
    for method in ("spawn", "fork"):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", script, path, method],
            capture_output=True,
            text=True,
            timeout=180,
            env=os.environ,
        )
        assert done.returncode == 0, done.stderr
