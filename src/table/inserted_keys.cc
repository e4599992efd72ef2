#include "table/inserted_keys.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace lance {
namespace {

using Bloom = table::KeyExistenceFilter::BloomFilter;

// What a filter without these numbers was made for.
constexpr uint64_t kDefaultItems = 8192;
constexpr double kDefaultProbability = 0.00057;

uint64_t ItemsOf(const Bloom& bloom) {
  return bloom.number_of_items() != 0 ? bloom.number_of_items() : kDefaultItems;
}
double ProbabilityOf(const Bloom& bloom) {
  return bloom.probability() != 0 ? bloom.probability() : kDefaultProbability;
}

bool MayMeet(const Bloom& a, const Bloom& b) {
  bool comparable =
      ItemsOf(a) == ItemsOf(b) &&
      std::abs(ProbabilityOf(a) - ProbabilityOf(b)) <= std::numeric_limits<double>::epsilon() &&
      a.bitmap().size() == b.bitmap().size();
  if (!comparable) return true;
  for (size_t i = 0; i < a.bitmap().size(); ++i) {
    if ((a.bitmap()[i] & b.bitmap()[i]) != 0) return true;
  }
  return false;
}

}  // namespace

bool MayShareKeys(const table::KeyExistenceFilter& a, const table::KeyExistenceFilter& b) {
  bool same_fields = std::equal(a.field_ids().begin(), a.field_ids().end(), b.field_ids().begin(),
                                b.field_ids().end());
  if (!same_fields) return true;
  if (a.has_bloom() && b.has_bloom()) return MayMeet(a.bloom(), b.bloom());
  if (!a.has_exact() || !b.has_exact()) return true;
  const auto& hashes = a.exact().key_hashes();
  std::set<uint64_t> known(hashes.begin(), hashes.end());
  const auto& others = b.exact().key_hashes();
  return std::any_of(others.begin(), others.end(),
                     [&](uint64_t hash) { return known.contains(hash); });
}

}  // namespace lance
