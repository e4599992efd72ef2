#include "arrow_exchange.h"

#include "arrow/c/abi.h"
#include "arrow/c/bridge.h"
#include "arrow/python/pyarrow.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "errors.h"

namespace nb = nanobind;

namespace lance::python {
namespace {

constexpr char kStreamCapsule[] = "arrow_array_stream";

/// Imports pyarrow on first use: `import lancecpp` alone does not pay for it.
void EnsurePyarrow() {
  static bool imported = false;  // guarded by the GIL
  if (imported) return;
  if (arrow::py::import_pyarrow() != 0) throw nb::python_error();
  imported = true;
}

nb::object StealOrThrow(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

void DeleteStream(void* pointer) noexcept {
  auto* stream = static_cast<ArrowArrayStream*>(pointer);
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

}  // namespace

nb::object ToPython(const std::shared_ptr<arrow::Table>& table) {
  EnsurePyarrow();
  return StealOrThrow(arrow::py::wrap_table(table));
}

nb::object ToPython(const std::shared_ptr<arrow::RecordBatch>& batch) {
  EnsurePyarrow();
  return StealOrThrow(arrow::py::wrap_batch(batch));
}

nb::object ToPython(const std::shared_ptr<arrow::Schema>& schema) {
  EnsurePyarrow();
  return StealOrThrow(arrow::py::wrap_schema(schema));
}

std::shared_ptr<arrow::Schema> SchemaFromPython(nb::handle schema) {
  EnsurePyarrow();
  if (!arrow::py::is_schema(schema.ptr())) throw nb::type_error("expected a pyarrow.Schema");
  return Unwrap(arrow::py::unwrap_schema(schema.ptr()));
}

nb::object ToStreamCapsule(std::shared_ptr<arrow::RecordBatchReader> reader) {
  auto* stream = new ArrowArrayStream{};
  nb::capsule capsule(stream, kStreamCapsule, DeleteStream);
  Check(arrow::ExportRecordBatchReader(std::move(reader), stream));
  return capsule;
}

std::shared_ptr<arrow::RecordBatchReader> ReaderFromPython(nb::handle data) {
  EnsurePyarrow();
  if (arrow::py::is_table(data.ptr())) {
    return std::make_shared<arrow::TableBatchReader>(Unwrap(arrow::py::unwrap_table(data.ptr())));
  }
  if (arrow::py::is_batch(data.ptr())) {
    auto batch = Unwrap(arrow::py::unwrap_batch(data.ptr()));
    return Unwrap(arrow::RecordBatchReader::Make({batch}, batch->schema()));
  }
  nb::object capsule = data.attr("__arrow_c_stream__")();
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStreamCapsule));
  if (stream == nullptr) throw nb::python_error();
  return Unwrap(arrow::ImportRecordBatchReader(stream));
}

std::shared_ptr<arrow::Array> ArrayFromPython(nb::handle object) {
  // Nothing can be a pyarrow array before pyarrow is loaded.
  if (PyDict_GetItemString(PyImport_GetModuleDict(), "pyarrow") == nullptr) return nullptr;
  EnsurePyarrow();
  if (!arrow::py::is_array(object.ptr())) return nullptr;
  return Unwrap(arrow::py::unwrap_array(object.ptr()));
}

}  // namespace lance::python
