#include "errors.h"

#include <nanobind/stl/string.h>

#include "lance/error.h"

namespace nb = nanobind;

namespace lance::python {
namespace {

PyObject* core_error = nullptr;

nb::dict PlaceToDict(const ErrorPlace& place) {
  nb::dict dict;
  if (!place.path.empty()) dict["path"] = place.path;
  if (!place.field.empty()) dict["field"] = place.field;
  if (place.version) dict["version"] = *place.version;
  if (place.column) dict["column"] = *place.column;
  if (place.page) dict["page"] = *place.page;
  if (place.offset) dict["offset"] = *place.offset;
  if (place.row) dict["row"] = *place.row;
  return dict;
}

void RaiseCoreError(const arrow::Status& status) {
  const ErrorDetail* detail = GetErrorDetail(status);
  nb::dict place = detail != nullptr ? PlaceToDict(detail->place) : nb::dict();
  std::string_view code = ErrorCodeName(GetErrorCode(status));
  nb::tuple arguments = nb::make_tuple(nb::str(code.data(), code.size()), ErrorText(status), place);
  PyErr_SetObject(core_error, arguments.ptr());
}

}  // namespace

void BindErrors(nb::module_& module) {
  core_error = PyErr_NewExceptionWithDoc(
      "lancecpp._core.CoreError",
      "CoreError(code, text, place): raised by lancecpp._core only. lancecpp.errors turns it into "
      "the exception that users see.",
      PyExc_Exception, nullptr);
  if (core_error == nullptr) throw nb::python_error();
  module.attr("CoreError") = nb::borrow(core_error);
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const StatusError& error) {
      RaiseCoreError(error.status());
    }
  });
}

}  // namespace lance::python
