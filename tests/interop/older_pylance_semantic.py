"""Run with an older pylance on PYTHONPATH.

usage: older_pylance_semantic.py make FOLDER     writes tables of every type that gets another name
       older_pylance_semantic.py open PATH…      prints {path: what opening it gives}
"""

import decimal
import json
import os
import sys

import lance
import pyarrow as pa

VERSIONS = ["0.1", "2.0", "2.1"]


def decimals(type):
    return pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.5")], type)


def columns():
    text = ["a", None, "b"]
    yield "string", pa.array(text, pa.string())
    yield "large_string", pa.array(text, pa.large_string())
    yield "binary", pa.array([b"a", None, b"b"], pa.binary())
    yield "large_binary", pa.array([b"a", None, b"b"], pa.large_binary())
    yield "dict", pa.array(text, pa.string()).dictionary_encode().cast(pa.dictionary(pa.int16(), pa.string()))
    yield "list", pa.array([[1], None, []], pa.list_(pa.int32()))
    yield "list_struct", pa.array([[{"x": "y"}], [], [{"x": None}]], pa.list_(pa.struct([("x", pa.large_string())])))
    yield "large_list", pa.array([["s"], None, []], pa.large_list(pa.string()))
    yield "large_list_struct", pa.array([[{"x": 1}], [], []], pa.large_list(pa.struct([("x", pa.int8())])))
    yield "decimal128", decimals(pa.decimal128(10, 2))
    yield "decimal256", decimals(pa.decimal256(10, 2))
    yield "decimal256_wide", decimals(pa.decimal256(40, 2))
    yield "json", pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a":1}', None, "[]"]))


def make(folder):
    """A table for each type and version that this pylance can keep."""
    made = []
    for version in VERSIONS:
        for name, column in columns():
            path = f"{folder}/{name}-{version}"
            try:
                lance.write_dataset(pa.table({"id": [1, 2, 3], "x": column}), path, data_storage_version=version)
                lance.dataset(path).to_table()
                made.append(path)
            except BaseException:  # it panics on some
                continue
    return made


def finding(path):
    try:
        lance.dataset(path).to_table()
        return "it reads it"
    except BaseException as error:
        return f"{type(error).__name__}: {error!s:.300}"


if __name__ == "__main__":
    assert lance.__file__.startswith(os.environ["LANCE_OLDER_PYLANCE"]), lance.__file__
    verb, *arguments = sys.argv[1:]
    print(json.dumps(make(*arguments) if verb == "make" else {path: finding(path) for path in arguments}))
