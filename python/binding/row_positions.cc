#include "row_positions.h"

#include <string>
#include <string_view>

#include "arrow/array.h"
#include "arrow_exchange.h"

namespace nb = nanobind;

namespace lance::python {
namespace {

[[noreturn]] void RaiseNegative() {
  PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
  throw nb::python_error();
}

template <typename Integer>
std::vector<uint64_t> Widen(const Integer* values, size_t count) {
  std::vector<uint64_t> positions(count);
  for (size_t i = 0; i < count; ++i) {
    if (std::is_signed_v<Integer> && values[i] < 0) RaiseNegative();
    positions[i] = static_cast<uint64_t>(values[i]);
  }
  return positions;
}

uint64_t PositionFromInt(PyObject* item) {
  // PyNumber_Index refuses floats and strings, and takes numpy's integers.
  nb::object number = nb::steal(PyNumber_Index(item));
  if (!number.is_valid()) throw nb::python_error();
  uint64_t position = PyLong_AsUnsignedLongLong(number.ptr());
  if (position == UINT64_MAX && PyErr_Occurred()) {
    nb::python_error raised;
    if (PyObject_RichCompareBool(number.ptr(), nb::int_(0).ptr(), Py_LT) == 1) RaiseNegative();
    throw raised;
  }
  return position;
}

std::vector<uint64_t> FromSequence(nb::handle indices) {
  if (!PySequence_Check(indices.ptr())) {
    std::string text = std::string("indices: '") + Py_TYPE(indices.ptr())->tp_name +
                       "' object is not an instance of 'Sequence'";
    throw nb::type_error(text.c_str());
  }
  nb::object items = nb::steal(PySequence_Fast(indices.ptr(), "indices must be a sequence of int"));
  if (!items.is_valid()) throw nb::python_error();
  Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
  std::vector<uint64_t> positions(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    positions[i] = PositionFromInt(PySequence_Fast_GET_ITEM(items.ptr(), i));
  }
  return positions;
}

template <typename ArrayType>
std::vector<uint64_t> FromArray(const arrow::Array& array) {
  const auto& typed = static_cast<const ArrayType&>(array);
  return Widen(typed.raw_values(), static_cast<size_t>(typed.length()));
}

std::vector<uint64_t> FromArrowArray(const arrow::Array& array) {
  if (array.null_count() > 0) throw nb::type_error("indices: an index is null");
  switch (array.type_id()) {
    case arrow::Type::INT8:
      return FromArray<arrow::Int8Array>(array);
    case arrow::Type::INT16:
      return FromArray<arrow::Int16Array>(array);
    case arrow::Type::INT32:
      return FromArray<arrow::Int32Array>(array);
    case arrow::Type::INT64:
      return FromArray<arrow::Int64Array>(array);
    case arrow::Type::UINT8:
      return FromArray<arrow::UInt8Array>(array);
    case arrow::Type::UINT16:
      return FromArray<arrow::UInt16Array>(array);
    case arrow::Type::UINT32:
      return FromArray<arrow::UInt32Array>(array);
    case arrow::Type::UINT64:
      return FromArray<arrow::UInt64Array>(array);
    default:
      throw nb::type_error("indices: an array of integers is expected");
  }
}

/// The buffer protocol, for the two element widths that numpy users have; false: not such a buffer.
bool FromBuffer(nb::handle indices, std::vector<uint64_t>* positions) {
  if (!PyObject_CheckBuffer(indices.ptr())) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(indices.ptr(), &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return false;
  }
  struct Release {
    Py_buffer* view;
    ~Release() { PyBuffer_Release(view); }
  } release{&view};
  if (view.ndim != 1 || view.format == nullptr || view.format[0] == '\0' ||
      view.format[1] != '\0') {
    return false;
  }
  auto count = static_cast<size_t>(view.len / view.itemsize);
  bool is_signed = view.format[0] == 'l' || view.format[0] == 'q' || view.format[0] == 'i';
  bool is_unsigned = view.format[0] == 'L' || view.format[0] == 'Q' || view.format[0] == 'I';
  if (is_signed && view.itemsize == 8) {
    *positions = Widen(static_cast<const int64_t*>(view.buf), count);
  } else if (is_signed && view.itemsize == 4) {
    *positions = Widen(static_cast<const int32_t*>(view.buf), count);
  } else if (is_unsigned && view.itemsize == 8) {
    *positions = Widen(static_cast<const uint64_t*>(view.buf), count);
  } else if (is_unsigned && view.itemsize == 4) {
    *positions = Widen(static_cast<const uint32_t*>(view.buf), count);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<uint64_t> RowPositionsFromPython(nb::handle indices) {
  if (PyList_CheckExact(indices.ptr())) return FromSequence(indices);
  std::vector<uint64_t> positions;
  if (FromBuffer(indices, &positions)) return positions;
  if (auto array = ArrayFromPython(indices)) return FromArrowArray(*array);
  return FromSequence(indices);
}

}  // namespace lance::python
