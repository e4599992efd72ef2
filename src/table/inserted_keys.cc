#include "table/inserted_keys.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

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

/// Odd multipliers that choose the bit of each word, those of Parquet's filters.
constexpr std::array<uint32_t, 8> kSalts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                            0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

void AppendLittleEndian(uint32_t word, std::string* out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out->push_back(static_cast<char>((word >> shift) & 0xff));
  }
}

}  // namespace

InsertedKeys::InsertedKeys() : blocks_(kBlocks) {}

void InsertedKeys::Add(std::string_view key) {
  uint64_t hash = XXH64(key.data(), key.size(), 0);
  Block& block = blocks_[((hash >> 32) * kBlocks) >> 32];
  auto low = static_cast<uint32_t>(hash);
  for (size_t i = 0; i < kWords; ++i) block[i] |= 1u << ((low * kSalts[i]) >> 27);
}

void InsertedKeys::AddEvery() {
  for (Block& block : blocks_) block.fill(~uint32_t{0});
}

table::KeyExistenceFilter InsertedKeys::Finish(const std::vector<int32_t>& field_ids) const {
  std::string bitmap;
  bitmap.reserve(kBlocks * sizeof(Block));
  for (const Block& block : blocks_) {
    for (uint32_t word : block) AppendLittleEndian(word, &bitmap);
  }
  table::KeyExistenceFilter filter;
  filter.mutable_field_ids()->Add(field_ids.begin(), field_ids.end());
  filter.mutable_bloom()->set_num_bits(static_cast<uint32_t>(bitmap.size() * 8));
  filter.mutable_bloom()->set_number_of_items(kDefaultItems);
  filter.mutable_bloom()->set_probability(kDefaultProbability);
  filter.mutable_bloom()->set_bitmap(std::move(bitmap));
  return filter;
}

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
