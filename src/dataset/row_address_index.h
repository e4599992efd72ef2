#pragma once

#include "query/index/predicate_index.h"
#include "table/manifest.h"

namespace lance {

/// Answers conditions on `_rowaddr` from the addresses themselves, and those on `_rowid` in tables
/// whose row ids are addresses.
query::IndexPtr MakeRowAddressIndex(const Manifest& manifest);

}  // namespace lance
