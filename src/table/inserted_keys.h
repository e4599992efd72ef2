#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "transaction.pb.h"

namespace lance {

/// The keys of rows that a transaction inserts, as a split-block bloom filter
/// (spec/table-format.md §7.7): 1024 blocks of 8 words of 32 bits; a key sets a bit in each word of
/// one block.
class InsertedKeys {
 public:
  InsertedKeys();

  void Add(std::string_view key);
  /// From now on, any key may be among them.
  void AddEvery();
  /// `field_ids` are the fields of the key, in its order.
  table::KeyExistenceFilter Finish(const std::vector<int32_t>& field_ids) const;

 private:
  static constexpr size_t kBlocks = 1024;
  static constexpr size_t kWords = 8;
  using Block = std::array<uint32_t, kWords>;

  std::vector<Block> blocks_;
};

/// Whether two transactions that inserted rows by key may have inserted the same one, by the
/// filters over their keys. Filters that can't be compared may.
bool MayShareKeys(const table::KeyExistenceFilter& a, const table::KeyExistenceFilter& b);

}  // namespace lance
