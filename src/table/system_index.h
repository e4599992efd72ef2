#pragma once

#include <string_view>

namespace lance {

/// Index entries that serve the table itself; users never see them.
constexpr std::string_view kFragmentReuseIndexName = "__lance_frag_reuse";
constexpr std::string_view kMemWalIndexName = "__lance_mem_wal";

constexpr bool IsSystemIndex(std::string_view name) {
  return name == kFragmentReuseIndexName || name == kMemWalIndexName;
}

}  // namespace lance
