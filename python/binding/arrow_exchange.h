#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "arrow/type_fwd.h"

/// Arrow data in and out of Python. Nothing else in the binding knows how it is done: pyarrow
/// objects are wrapped and unwrapped in place (0.1 µs), all others pass through the Arrow C
/// stream interface. Every function here needs the GIL; none copies values.
namespace lance::python {

nanobind::object ToPython(const std::shared_ptr<arrow::Table>& table);
nanobind::object ToPython(const std::shared_ptr<arrow::RecordBatch>& batch);
nanobind::object ToPython(const std::shared_ptr<arrow::Schema>& schema);

/// `schema`: a pyarrow Schema.
std::shared_ptr<arrow::Schema> SchemaFromPython(nanobind::handle schema);

/// A PyCapsule named `arrow_array_stream` that owns the reader.
nanobind::object ToStreamCapsule(std::shared_ptr<arrow::RecordBatchReader> reader);

/// `data`: a pyarrow Table or RecordBatch, or any object with `__arrow_c_stream__`. A reader made
/// from a Python stream takes the GIL itself when it is pulled.
std::shared_ptr<arrow::RecordBatchReader> ReaderFromPython(nanobind::handle data);

/// The array of a pyarrow Array; null for any other object.
std::shared_ptr<arrow::Array> ArrayFromPython(nanobind::handle object);

}  // namespace lance::python
