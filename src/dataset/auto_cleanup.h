#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataset/snapshot.h"

namespace lance {

/// Cleans up after a commit when the table's config asks for it every so many versions
/// (`lance.auto_cleanup.interval`). The commit stands whatever goes wrong here.
void CleanUpAfterCommit(const Snapshot& committed);

/// `14d`, `2h 30m`, `500ms`: nanoseconds; nothing if it is not a duration.
std::optional<int64_t> ParseDuration(std::string_view text);

}  // namespace lance
