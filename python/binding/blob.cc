#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "arrow/buffer.h"
#include "bindings.h"
#include "errors.h"
#include "lance/dataset.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

nb::bytes Read(const Blob& blob, uint64_t offset, uint64_t length) {
  auto bytes = Unwrap(WithoutGil([&] { return blob.Read(offset, length); }));
  return nb::bytes(bytes->data(), static_cast<size_t>(bytes->size()));
}

}  // namespace

void BindBlob(nb::module_& module) {
  nb::enum_<RowKey>(module, "RowKey")
      .value("index", RowKey::kIndex)
      .value("id", RowKey::kId)
      .value("address", RowKey::kAddress);
  nb::class_<Blob>(module, "Blob")
      .def_prop_ro("size", &Blob::size)
      .def("read", &Read, "offset"_a, "length"_a);
}

}  // namespace lance::python
