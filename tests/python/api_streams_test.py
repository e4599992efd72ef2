"""Sources and results larger than memory, and what can interrupt them."""

import os
import subprocess
import sys
import textwrap

import pyarrow as pa
import pytest


def run(program, *arguments):
    """Runs a Python program and returns its standard output. Its own process, so that memory can
    be measured and signals sent."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


BATCHES, BATCH_MIB = 64, 4


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="needs Linux /proc")
def test_memory_of_a_streaming_write_and_read_is_bounded(lancecpp, path):
    """64 batches of 4 MiB: a writer that keeps its input, or a scan that runs ahead without bound,
    would grow by 256 MiB."""
    output = run(
        """
        import os, re, sys
        import pyarrow as pa, lancecpp as lance
        path, batches, mib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        schema = pa.schema([("id", pa.int64()), ("data", pa.binary(1016))])
        rows = mib * 1024

        def memory(name):  # MiB: VmRSS now, VmHWM the highest since the last reset
            status = open("/proc/self/status").read()
            return int(re.search(name + r":\\s+(\\d+) kB", status).group(1)) // 1024

        def reset_peak():
            open("/proc/self/clear_refs", "w").write("5")

        def made(count):
            for i in range(count):
                content = pa.py_buffer(os.urandom(1016 * rows))
                data = pa.FixedSizeBinaryArray.from_buffers(pa.binary(1016), rows, [None, content])
                ids = pa.array(range(i * rows, (i + 1) * rows))
                yield pa.record_batch([ids, data], schema=schema)

        lance.write_dataset(made(8), path + "-warm", schema=schema)  # libraries, pools, threads
        reset_peak(); before = memory("VmRSS")
        table = lance.write_dataset(made(batches), path, schema=schema)
        print("write", memory("VmHWM") - before)
        assert table.count_rows() == batches * rows
        reset_peak(); before = memory("VmRSS")
        assert sum(batch.num_rows for batch in table.to_batches()) == batches * rows
        print("read", memory("VmHWM") - before)
        """,
        path,
        BATCHES,
        BATCH_MIB,
    )
    grown = {name: int(mib) for name, mib in (line.split() for line in output.splitlines())}
    assert grown["write"] < BATCHES * BATCH_MIB / 2, grown
    assert grown["read"] < BATCHES * BATCH_MIB / 2, grown


def test_the_source_is_pulled_as_needed(lancecpp, path):
    """When the 30th batch is asked for, the first ones are on disk already."""
    schema = pa.schema([("data", pa.binary())])
    on_disk = []

    def made():
        for _ in range(40):
            on_disk.append(
                sum(
                    os.path.getsize(os.path.join(folder, name))
                    for folder, _, names in os.walk(path)
                    for name in names
                )
            )
            yield pa.record_batch([pa.array([os.urandom(1 << 20)])], schema=schema)

    lancecpp.write_dataset(made(), path, schema=schema, data_cache_bytes=1 << 20)
    assert on_disk[30] > 0


def test_many_small_batches(lance, path):
    schema = pa.schema([("id", pa.int64())])
    made = (pa.record_batch([pa.array([i])], schema=schema) for i in range(3000))
    table = lance.write_dataset(made, path, schema=schema)
    assert table.to_table()["id"].to_pylist() == list(range(3000))


def test_a_table_without_columns(lance, path):
    empty = lance.write_dataset(pa.schema([]).empty_table(), path)
    assert (empty.count_rows(), len(empty.schema), empty.get_fragments()) == (0, 0, [])
    assert empty.to_table().num_rows == 0
    rows = pa.table({"id": [1, 2]}).select([])
    with pytest.raises(OSError):
        lance.write_dataset(rows, path, mode="overwrite")
    assert lance.dataset(path).version == 1


def test_batches_without_rows_between(lance, path):
    schema = pa.schema([("id", pa.int64())])
    sizes = [0, 3, 0, 0, 2, 0]
    made = (pa.record_batch([pa.array([7] * n, pa.int64())], schema=schema) for n in sizes)
    assert lance.write_dataset(made, path, schema=schema).count_rows() == 5


def test_ctrl_c_ends_a_write_and_changes_nothing(lancecpp, path):
    """An endless source that is not Python: only the engine can notice the signal."""
    output = run(
        """
        import os, signal, sys, threading, time
        import pyarrow as pa, lancecpp
        path = sys.argv[1]
        table = lancecpp.write_dataset({"id": [1]}, path)
        big = pa.table({"id": pa.chunked_array([pa.array(range(1 << 16))] * 20000)})
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        try:
            lancecpp.write_dataset(big, path, mode="append")
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - started < 10)
        table.checkout_latest()
        print(table.version, table.count_rows())
        """,
        path,
    )
    assert output.split() == ["interrupted", "True", "1", "1"]


def test_ctrl_c_ends_a_read(lancecpp, path):
    """Rows that would fill far more memory than there is: only the engine can notice the signal."""
    output = run(
        """
        import os, signal, sys, threading, time
        import pyarrow as pa, lancecpp
        table = lancecpp.write_dataset({"s": ["x" * 40] * 200_000}, sys.argv[1])
        fragments = table.get_fragments() * 1000
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        try:
            table.scanner(fragments=fragments).to_table()
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - started < 10)
        print(table.count_rows())
        """,
        path,
    )
    assert output.split() == ["interrupted", "True", "200000"]


INTERRUPTED_CHANGES = {
    "delete": "table.delete(slow)",
    "update": "table.update({'s': f\"CASE WHEN {slow} THEN s ELSE s || 'y' END\"})",
    "merge_insert": """
        table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(data)
    """,
    "rewrite_columns": """
        upsert = table.merge_insert("id").when_matched_update_all().write_mode("rewrite_columns")
        upsert.execute(data.select(["id", "s"]))
    """,
    "compaction": "table.optimize.compact_files(batch_size=32)",
    "merge": "table.merge(data.select(['id', 's']).rename_columns(['k', 'joined']), 'id', 'k')",
}


@pytest.mark.parametrize("change", INTERRUPTED_CHANGES)
def test_ctrl_c_ends_a_change_of_rows_and_undoes_it(change, lancecpp, path):
    """The signal comes at any time of the change: at the end of its work it is too late."""
    body = textwrap.indent(textwrap.dedent(INTERRUPTED_CHANGES[change]).strip(), " " * 12)
    output = run(
        """
        import os, signal, sys, threading, time
        import pyarrow as pa, lancecpp
        path = sys.argv[1]
        def rows(count):
            ids = range(count)
            return pa.table({"id": ids, "s": [f"a b c {i}" for i in ids], "t": ["x"] * count})

        slow = " OR ".join(f"regexp_replace(s, '[abc]', '{i}', 'g') = 'a'" for i in range(5))

        def files():
            return sorted(name for _, _, names in os.walk(path) for name in names)

        def change():
BODY
        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        # Signals are looked for every 50 ms: the change has to take longer, however fast it is.
        count, whole = 100_000, 0
        while whole < 0.4:
            count *= 2
            data = rows(count)
            table = lancecpp.write_dataset(
                data, path, mode="overwrite", max_rows_per_file=count // 8
            )
            original = table.version
            started = time.monotonic()
            change()
            whole = time.monotonic() - started
        undone = 0
        for part in (0.02, 0.1, 0.3, 0.5):
            table = lancecpp.dataset(path, version=original)
            table.restore()
            version, before, sent = table.version, files(), []
            timer = threading.Timer(part * whole, interrupt)
            timer.start()
            try:
                change()
                timer.join()
                time.sleep(1)
            except KeyboardInterrupt:
                took = time.monotonic() - sent[0]
            if lancecpp.dataset(path).version == version:
                undone += 1
                assert took < 2, took
                assert files() == before
        print("undone", undone > 0)
        """.replace("BODY", body),
        path,
    )
    assert output.split() == ["undone", "True"]


def test_a_scan_can_be_left_at_any_point(lancecpp, path):
    table = lancecpp.write_dataset({"id": list(range(50000))}, path, max_rows_per_file=1000)
    for pulled in (0, 1, 7):
        scan = table.to_batches(batch_size=100)
        for _ in range(pulled):
            next(scan)
        del scan
    assert sum(batch.num_rows for batch in table.to_batches()) == 50000
