#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/roaring_bitmap.h"

namespace lance {

/// The fragments that an index entry covers: a Roaring bitmap in the portable form. Nothing for
/// empty bytes: the entry does not say what it covers.
Result<std::optional<RoaringBitmap>> DecodeFragmentBitmap(std::string_view bytes);
std::string EncodeBitmap(const RoaringBitmap& bitmap);

}  // namespace lance
