"""What an interrupt that comes while a change is made leaves behind, and how sources fail."""

import os
import signal
import threading
import time

import pyarrow as pa
import pytest


class Interrupted(BaseException):
    pass


@pytest.fixture
def raising_signal():
    """SIGUSR1 raises Interrupted."""

    def handler(*_):
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, handler)
    yield signal.SIGUSR1
    signal.signal(signal.SIGUSR1, before)


def interrupt_after_commit(folder, number):
    """Sends the signal as soon as there is one more manifest."""
    versions = os.path.join(folder, "_versions")
    count = len(os.listdir(versions))
    stop = threading.Event()

    def watch():
        while not stop.is_set():
            if len(os.listdir(versions)) > count:
                os.kill(os.getpid(), number)
                return
            time.sleep(0)

    thread = threading.Thread(target=watch)
    thread.start()
    return stop, thread


CHANGES = {
    "insert": lambda table: table.insert({"id": [3]}),
    "delete": lambda table: table.delete("id = 0"),
    "update": lambda table: table.update({"id": "id + 1"}),
    "config": lambda table: table.update_config({"a": "b"}),
    "merge_insert": lambda table: table.merge_insert("id").when_not_matched_insert_all().execute({"id": [50]}),
    "add_columns": lambda table: table.add_columns({f"c{table.version}": "id"}),
    "compact": lambda table: (table.insert({"id": [7]}), table.optimize.compact_files()),
    "truncate": lambda table: table.truncate_table(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_handle_moves_before_an_interrupt_is_raised(lancecpp, path, raising_signal, change):
    table = lancecpp.write_dataset({"id": [0, 1, 2]}, path)
    raised = 0
    for _ in range(15):
        version = table.version
        stop, thread = interrupt_after_commit(path, raising_signal)
        try:
            CHANGES[change](table)
            # The signal may come a moment later.
            deadline = time.monotonic() + 1
            while thread.is_alive() and time.monotonic() < deadline:
                pass
        except Interrupted:
            raised += 1
        finally:
            stop.set()
            thread.join()
        latest = table.latest_version
        assert table.version == latest > version
    assert raised > 0


class Broken(Exception):
    pass


SCHEMA = pa.schema({"id": pa.int64()})


def breaking(error):
    yield pa.record_batch({"id": [1]}, SCHEMA)
    raise error


SOURCES = {
    "batches": lambda error: breaking(error),
    "reader": lambda error: pa.RecordBatchReader.from_batches(SCHEMA, breaking(error)),
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_exception_of_a_source_is_the_cause(lance, path, source):
    """The type is the reference's; the exception itself is its cause."""
    with pytest.raises(OSError, match="the source broke") as raised:
        lance.write_dataset(SOURCES[source](Broken("the source broke")), path, schema=SCHEMA)
    if lance.__name__ == "lancecpp":
        assert type(raised.value.__cause__) is Broken
        assert "Broken: the source broke" in str(raised.value)
    assert not os.path.exists(os.path.join(path, "_versions")) or not os.listdir(path + "/_versions")


def test_the_exception_of_a_reader_elsewhere(lancecpp, path):
    table = lancecpp.write_dataset(pa.table({"id": [1, 2]}), path)
    added = pa.schema({"x": pa.int64()})

    def values():
        yield pa.record_batch({"x": [1]}, added)
        raise Broken("the source broke")

    for change in (
        lambda: table.merge_insert("id").when_not_matched_insert_all().execute(SOURCES["reader"](Broken("the source broke"))),
        lambda: table.add_columns(pa.RecordBatchReader.from_batches(added, values())),
        lambda: table.insert(SOURCES["reader"](Broken("the source broke"))),
        lambda: table.merge(SOURCES["reader"](Broken("the source broke")), "id"),
    ):
        with pytest.raises(OSError, match="the source broke") as raised:
            change()
        assert type(raised.value.__cause__) is Broken
        assert table.version == 1 == table.latest_version


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_is_raised_as_it_is(lancecpp, path, source, error):
    with pytest.raises(error):
        lancecpp.write_dataset(SOURCES[source](error()), path, schema=SCHEMA)
