#include "dataset/candidates.h"

#include <limits>

namespace lance {

const query::OffsetSet* Candidates::Of(uint64_t fragment_id) const {
  if (fragment_id > std::numeric_limits<uint32_t>::max()) return nullptr;
  auto id = static_cast<uint32_t>(fragment_id);
  return covered.contains(id) ? &rows.Of(id) : nullptr;
}

bool Candidates::IsTested(uint64_t fragment_id) const {
  return is_exact && fragment_id <= std::numeric_limits<uint32_t>::max() &&
         searched.contains(static_cast<uint32_t>(fragment_id));
}

}  // namespace lance
