#pragma once

#include "transaction.pb.h"

namespace lance {

/// Whether two transactions that inserted rows by key may have inserted the same one, by the
/// filters over their keys (spec/table-format.md §7.7). Filters that can't be compared may.
bool MayShareKeys(const table::KeyExistenceFilter& a, const table::KeyExistenceFilter& b);

}  // namespace lance
