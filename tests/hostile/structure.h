#pragma once

#include <memory>

#include "arrow/array.h"

namespace lance {

/// The array with its values as plain bytes: strings as binaries, numbers, dates and decimals as
/// fixed-size binaries. Reading checks no text or date, as the reference doesn't; what must hold
/// for any bytes is the structure: lengths, offsets, nulls, keys of dictionaries.
std::shared_ptr<arrow::Array> StructureOf(const arrow::Array& array);

}  // namespace lance
