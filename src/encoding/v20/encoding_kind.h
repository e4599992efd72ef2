#pragma once

#include "base/error.h"

namespace lance::encodings {
class ArrayEncoding;
}

namespace lance::encoding::v20 {

/// `flat`, `binary` …; `unknown` for kinds that no writer of 2.0 makes.
const char* KindName(const encodings::ArrayEncoding& encoding);

/// The error for an encoding where a column of its type can't have it.
Status NotOfTheType(const encodings::ArrayEncoding& encoding);

/// What is inside a Nullable that says there are no nulls; the encoding itself if it is no
/// Nullable. Nulls are refused: offsets, keys and bytes have none.
Result<const encodings::ArrayEncoding*> WithoutNulls(const encodings::ArrayEncoding& encoding);

}  // namespace lance::encoding::v20
