#pragma once

#include "table/manifest.h"
#include "table/transaction.h"

namespace lance {

/// Whether our transaction may be committed over versions that were cleaned up before they could be
/// looked at, whatever they did: `before` and `after` are the versions around them. So it is with
/// an Overwrite and with changes of keys that have the same values in both; and where the schema is
/// the same, with appended rows, and with a Project that no value can contradict. Pure.
bool CommutesWithUnseen(const Transaction& ours, const Manifest& before, const Manifest& after);

}  // namespace lance
