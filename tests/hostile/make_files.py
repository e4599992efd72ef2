"""Makes files/: small files of kinds whose shared fixtures are too large to be damaged byte by byte.

Run with pylance 14.0.2: python make_files.py
"""

import shutil
import tempfile
from pathlib import Path

import lance
import pyarrow as pa
from lance.file import LanceFileWriter

HERE = Path(__file__).resolve().parent / "files"
PREFIX = "lance-encoding:"
PACKED = {PREFIX + "packed": "true"}
BLOB = {PREFIX + "blob": "true"}
N = 12


def numbers(type_, nulls=False):
    return pa.array([None if nulls and i % 4 == 1 else i for i in range(N)], type_)


def texts(nulls=False):
    return pa.array([None if nulls and i % 4 == 1 else "text"[: i % 5] for i in range(N)])


def struct(members, mask=None):
    fields = [pa.field(name, array.type) for name, array in members.items()]
    return pa.StructArray.from_arrays(list(members.values()), fields=fields, mask=mask)


def lists(child, mask=True):
    offsets = [0, 0, *range(2, len(child)), len(child)]
    nulls = pa.array([i == 3 for i in range(len(offsets) - 1)]) if mask else None
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), child, mask=nulls)


def mask(every):
    return pa.array([i % every == 1 for i in range(N)])


def vectors(size):
    return pa.FixedSizeListArray.from_arrays(pa.array([0.5] * (N * size), pa.float32()), size)


def write(name, version, array, metadata=None):
    schema = pa.schema([pa.field("c", array.type, metadata=metadata)])
    path = HERE / f"v{version}_{name}.lance"
    with LanceFileWriter(str(path), schema, version=version) as writer:
        writer.write_batch(pa.record_batch([array], schema=schema))
    check_size(path)


def write_legacy(name, array):
    """The reference writes files of 0.1 only as tables."""
    with tempfile.TemporaryDirectory() as folder:
        lance.write_dataset(pa.table({"c": array}), f"{folder}/t", data_storage_version="0.1")
        path = HERE / f"v0.1_{name}.lance"
        shutil.copyfile(next(Path(folder, "t", "data").iterdir()), path)
    check_size(path)


def check_size(path):
    assert path.stat().st_size <= 4096, (path, path.stat().st_size)


def main():
    HERE.mkdir(exist_ok=True)
    fixed = {"a": numbers(pa.int32()), "b": numbers(pa.float64())}
    for version in ("2.0", "2.1", "2.2", "2.3"):
        write("packed_fixed", version, struct(fixed), PACKED)
    for version in ("2.2", "2.3"):
        variable = {"a": numbers(pa.int64()), "s": texts(), "v": vectors(3)}
        write("packed_var", version, struct(variable, mask(5)), PACKED)
        write("fsl_struct", version, pa.FixedSizeListArray.from_arrays(struct(fixed), 3))
        keys = pa.StructArray.from_arrays(
            [texts(), numbers(pa.int32(), True)],
            fields=[pa.field("key", pa.string(), False), pa.field("value", pa.int32())],
        )
        offsets = pa.py_buffer(pa.array([0, 2, 2, 7, N], pa.int32()).buffers()[1])
        type_ = pa.map_(pa.string(), pa.int32())
        write("map", version, pa.Array.from_buffers(type_, 4, [None, offsets], children=[keys]))
    values = [None if i == 3 else b"blob"[: i % 5] * 3 for i in range(8)]
    for version in ("2.0", "2.1", "2.2"):
        write("blob", version, pa.array(values, pa.large_binary()), BLOB)
    for version in ("2.0", "2.1", "2.2", "2.3"):
        write("list", version, lists(numbers(pa.int16(), True)))
        items = {"x": numbers(pa.int8(), True), "y": lists(numbers(pa.int32()), False)}
        write("list_struct_list", version, lists(struct(items)))
        write("list_null_items", version, lists(pa.nulls(N, pa.int32())))
        write("dictionary", version, texts(version != "2.0").dictionary_encode())
    write_legacy("text", texts())
    write_legacy("list", lists(numbers(pa.int16()), False))
    items = {"x": numbers(pa.int8()), "y": lists(texts(), False), "n": pa.nulls(N)}
    write_legacy("list_struct_list", lists(struct(items), False))
    write_legacy("dictionary", texts().dictionary_encode())
    sparse = {PREFIX + "structural-encoding": "sparse"}
    write("sparse_list", "2.3", lists(numbers(pa.int32(), True)), sparse)
    write("sparse_text", "2.3", struct({"t": texts(True)}, mask(3)), sparse)
    zipped = {PREFIX + "structural-encoding": "fullzip"}
    for version in ("2.1", "2.2", "2.3"):
        write("zipped_list_text", version, lists(texts(True)), zipped)
        write("zipped_vectors", version, vectors(4), zipped)
    write("constant", "2.3", pa.array([7] * N))
    write("ranges", "2.3", pa.array(["ten bytes "] * N))


if __name__ == "__main__":
    assert lance.__version__ == "14.0.2", lance.__version__
    main()
