#pragma once

#include <cstdint>
#include <set>

#include "base/error.h"
#include "table/manifest.h"
#include "table/row_id_sequence.h"
#include "table/version_sequence.h"

namespace lance {

/// When the rows of a new fragment were created: of its first `moved` rows, what the fragments
/// `sources` of `manifest` say about their ids; of the others, `version`. A row id that no source
/// has is a user error.
Result<VersionSequence> CreatedVersionsOf(const Manifest& manifest,
                                          const std::set<uint64_t>& sources,
                                          const RowIdSequence& ids, uint64_t moved,
                                          uint64_t version);

}  // namespace lance
