#include "encoding/write/dictionary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "arrow/util/bitmap_ops.h"
#include "base/byte_reader.h"
#include "encoding/write/fixed_value_writer.h"
#include "encoding/write/mini_block_values.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kMinValues = 100;
constexpr uint64_t kMaxItems = 100000;
/// A dictionary with its indices at 4 bytes each stays below this part of the data …
constexpr double kMaxSizeRatio = 0.8;
/// … or, with its indices as they will be encoded, below this one.
constexpr uint64_t kClearWinPercent = 50;
/// So many values, in as many evenly spaced runs, tell whether a dictionary is worth trying.
constexpr uint64_t kSampleValues = 4096;
constexpr uint64_t kSampleRuns = 32;
constexpr uint64_t kMinSample = 1024;
constexpr double kMaxUniqueRatio = 0.98;

uint64_t Mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kSeed1 = 0xA0761D6478BD642Fu;
constexpr uint64_t kSeed2 = 0xE7037ED1A0B428DBu;

// Two words that hold all bytes of a value of up to 16 bytes; they may overlap.
std::pair<uint64_t, uint64_t> Ends(const uint8_t* at, uint64_t size) {
  if (size >= 8) {
    return {LoadLittleEndian<uint64_t>(at), LoadLittleEndian<uint64_t>(at + size - 8)};
  }
  if (size >= 4) {
    return {LoadLittleEndian<uint32_t>(at), LoadLittleEndian<uint32_t>(at + size - 4)};
  }
  if (size == 0) return {0, 0};
  return {at[0], uint64_t{at[size / 2]} << 8 | at[size - 1]};
}

uint64_t HashBytes(const uint8_t* at, uint64_t size) {
  if (size <= 16) {
    const auto [first, last] = Ends(at, size);
    return Mix(first ^ kSeed1, last ^ kSeed2 ^ size);
  }
  uint64_t hash = size;
  for (uint64_t done = 0; done + 8 < size; done += 8) {
    hash = Mix(LoadLittleEndian<uint64_t>(at + done) ^ hash, kSeed1);
  }
  return Mix(LoadLittleEndian<uint64_t>(at + size - 8) ^ hash, kSeed2);
}

bool EqualBytes(const uint8_t* a, const uint8_t* b, uint64_t size) {
  if (size <= 16) return Ends(a, size) == Ends(b, size);
  return std::memcmp(a, b, size) == 0;
}

// A block of values that can be looked up: equality and hash by bytes.
class FixedKeys {
 public:
  explicit FixedKeys(const FixedBlock& block) : data_(block.data), width_(block.width()) {}

  uint64_t Hash(uint64_t index) const {
    const uint8_t* at = data_ + index * width_;
    uint64_t hash = Mix(LoadLittleEndian<uint64_t>(at) ^ kSeed1, kSeed2);
    if (width_ == 16) hash = Mix(LoadLittleEndian<uint64_t>(at + 8) ^ hash, kSeed1);
    return hash;
  }
  bool Equal(uint64_t a, uint64_t b) const {
    const uint8_t* at_a = data_ + a * width_;
    const uint8_t* at_b = data_ + b * width_;
    if (LoadLittleEndian<uint64_t>(at_a) != LoadLittleEndian<uint64_t>(at_b)) return false;
    return width_ == 8 ||
           LoadLittleEndian<uint64_t>(at_a + 8) == LoadLittleEndian<uint64_t>(at_b + 8);
  }
  uint64_t Size(uint64_t) const { return width_; }
  /// Of so many items together as they are stored: 64-bit ones are packed.
  uint64_t StoredSize(const std::vector<uint64_t>& items, uint64_t plain) const {
    if (width_ != 8) return plain;
    uint64_t all = 0;
    for (uint64_t index : items) all |= LoadLittleEndian<uint64_t>(data_ + index * width_);
    return (items.size() * static_cast<uint64_t>(std::bit_width(all)) + 7) / 8;
  }

 private:
  const uint8_t* data_;
  uint64_t width_;
};

template <typename Offset>
class StringKeys {
 public:
  explicit StringKeys(const VariableBlock& block)
      : offsets_(block.offsets_as<Offset>()), bytes_(block.bytes) {}

  uint64_t Hash(uint64_t index) const {
    return HashBytes(bytes_ + offsets_[index], offsets_[index + 1] - offsets_[index]);
  }
  bool Equal(uint64_t a, uint64_t b) const {
    const uint64_t size = offsets_[a + 1] - offsets_[a];
    if (size != offsets_[b + 1] - offsets_[b]) return false;
    return EqualBytes(bytes_ + offsets_[a], bytes_ + offsets_[b], size);
  }
  uint64_t Size(uint64_t index) const {
    return offsets_[index + 1] - offsets_[index] + sizeof(Offset);
  }
  uint64_t StoredSize(const std::vector<uint64_t>&, uint64_t plain) const { return plain; }

 private:
  const Offset* offsets_;
  const uint8_t* bytes_;
};

// Fixed-size lists as they are stored, one after the other: with the validity of their items.
class ListKeys {
 public:
  static Result<ListKeys> Make(const LeafBlock& block, arrow::MemoryPool* pool) {
    const FixedValueWriter writer(block);
    ListKeys keys;
    keys.width_ = writer.bytes();
    keys.data_ = block.fixed.data;
    if (writer.is_plain()) return keys;
    ARROW_ASSIGN_OR_RAISE(keys.stored_,
                          ScratchArray<uint8_t>::Allocate(block.count * keys.width_, pool));
    uint8_t* at = keys.stored_.data();
    for (uint64_t slot = 0; slot < block.count; ++slot) at = writer.Write(slot, at);
    keys.data_ = keys.stored_.data();
    return keys;
  }

  uint64_t Hash(uint64_t index) const { return HashBytes(data_ + index * width_, width_); }
  bool Equal(uint64_t a, uint64_t b) const {
    return EqualBytes(data_ + a * width_, data_ + b * width_, width_);
  }
  uint64_t Size(uint64_t) const { return width_; }
  uint64_t StoredSize(const std::vector<uint64_t>&, uint64_t plain) const { return plain; }

 private:
  const uint8_t* data_ = nullptr;
  uint64_t width_ = 0;
  ScratchArray<uint8_t> stored_;
};

// Open addressing; each entry is the item's number plus one and some bits of its hash.
class ItemTable {
 public:
  ItemTable() : entries_(1024) {}

  // The number of the item equal to `slot`, or `firsts.size()` after adding it as a new item.
  template <typename Keys>
  uint32_t FindOrAdd(const Keys& keys, uint64_t slot, std::vector<uint64_t>* firsts) {
    const uint64_t hash = keys.Hash(slot);
    const uint64_t mask = entries_.size() - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
      Entry& entry = entries_[at];
      if (entry.item_plus_one == 0) {
        firsts->push_back(slot);
        entry = {static_cast<uint32_t>(firsts->size()), static_cast<uint32_t>(hash >> 32)};
        if (firsts->size() * 2 > entries_.size()) Grow(keys, *firsts);
        return static_cast<uint32_t>(firsts->size() - 1);
      }
      if (entry.tag == static_cast<uint32_t>(hash >> 32) &&
          keys.Equal((*firsts)[entry.item_plus_one - 1], slot)) {
        return entry.item_plus_one - 1;
      }
    }
  }

 private:
  struct Entry {
    uint32_t item_plus_one = 0;
    uint32_t tag = 0;
  };

  template <typename Keys>
  void Grow(const Keys& keys, const std::vector<uint64_t>& firsts) {
    std::vector<Entry> larger(entries_.size() * 4);
    const uint64_t mask = larger.size() - 1;
    for (const Entry& entry : entries_) {
      if (entry.item_plus_one == 0) continue;
      uint64_t at = keys.Hash(firsts[entry.item_plus_one - 1]) & mask;
      while (larger[at].item_plus_one != 0) at = (at + 1) & mask;
      larger[at] = entry;
    }
    entries_ = std::move(larger);
  }

  std::vector<Entry> entries_;
};

template <typename Keys>
uint64_t SampleUnique(const Keys& keys, uint64_t count, uint64_t* sampled) {
  const uint64_t wanted = std::min(count, kSampleValues);
  const uint64_t run = wanted / kSampleRuns;
  ItemTable items;
  std::vector<uint64_t> unique;
  for (uint64_t i = 0; i < kSampleRuns; ++i) {
    const uint64_t first = i * (count / kSampleRuns);
    for (uint64_t k = first; k < first + run; ++k) items.FindOrAdd(keys, k, &unique);
  }
  *sampled = run * kSampleRuns;
  return unique.size();
}

// Null slots get the index before them, which makes runs, or 0, which needs no bits.
std::vector<bool> NullSlots(const ShreddedRows& rows) {
  std::vector<bool> null;
  if (!rows.has_null_leaves()) return null;
  null.resize(rows.num_values);
  ForEachNullLeaf(rows, [&](uint64_t slot) { null[slot] = true; });
  return null;
}

Result<const uint8_t*> PickBits(const uint8_t* from, uint64_t bits,
                                const std::vector<uint64_t>& slots, arrow::MemoryPool* pool,
                                std::vector<std::shared_ptr<arrow::Buffer>>* owned) {
  ARROW_ASSIGN_OR_RAISE(auto out,
                        ScratchArray<uint8_t>::Allocate((slots.size() * bits + 7) / 8, pool));
  std::fill_n(out.data(), out.size(), uint8_t{0});
  int64_t at = 0;
  for (uint64_t slot : slots) {
    arrow::internal::CopyBitmap(from, static_cast<int64_t>(slot * bits), static_cast<int64_t>(bits),
                                out.data(), at);
    at += static_cast<int64_t>(bits);
  }
  owned->push_back(out.buffer());
  return out.data();
}

Status TakeLists(const LeafBlock& block, const std::vector<uint64_t>& slots,
                 arrow::MemoryPool* pool, LeafBlock* out) {
  uint64_t items = 1;
  for (const ListDimension& dimension : block.dimensions) {
    items *= dimension.size;
    ListDimension& taken = out->dimensions.emplace_back(ListDimension{dimension.size});
    if (dimension.child_validity == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(taken.child_validity,
                          PickBits(dimension.child_validity, items, slots, pool, &out->owned));
  }
  out->fixed = {slots.size() * items, block.fixed.bits, nullptr};
  ARROW_ASSIGN_OR_RAISE(out->fixed.data, PickBits(block.fixed.data, items * block.fixed.bits, slots,
                                                  pool, &out->owned));
  return Status::OK();
}

Result<LeafBlock> TakeItems(const LeafBlock& block, const std::vector<uint64_t>& firsts,
                            arrow::MemoryPool* pool) {
  LeafBlock items;
  items.kind = block.kind;
  items.count = firsts.size();
  if (block.kind == LeafBlock::Kind::kFixedSizeList) {
    ARROW_RETURN_NOT_OK(TakeLists(block, firsts, pool, &items));
    return items;
  }
  if (block.kind == LeafBlock::Kind::kFixed) {
    const uint64_t width = block.fixed.width();
    ARROW_ASSIGN_OR_RAISE(auto bytes, ScratchArray<uint8_t>::Allocate(width * items.count, pool));
    for (uint64_t i = 0; i < items.count; ++i) {
      std::memcpy(bytes.data() + i * width, block.fixed.data + firsts[i] * width, width);
    }
    items.fixed = {items.count, block.fixed.bits, bytes.data()};
    items.owned.push_back(bytes.buffer());
    return items;
  }
  const VariableBlock& from = block.variable;
  const uint64_t offset_bytes = from.offset_bits / 8;
  uint64_t total = 0;
  for (uint64_t first : firsts) total += from.length(first);
  ARROW_ASSIGN_OR_RAISE(auto offsets,
                        ScratchArray<uint8_t>::Allocate((items.count + 1) * offset_bytes, pool));
  ARROW_ASSIGN_OR_RAISE(auto bytes, ScratchArray<uint8_t>::Allocate(total, pool));
  uint64_t at = 0;
  for (uint64_t i = 0; i <= items.count; ++i) {
    // Little endian: the low bytes of the 64-bit number are the 32-bit one.
    std::memcpy(offsets.data() + i * offset_bytes, &at, offset_bytes);
    if (i == items.count) break;
    const uint64_t length = from.length(firsts[i]);
    if (length > 0) std::memcpy(bytes.data() + at, from.bytes + from.offset(firsts[i]), length);
    at += length;
  }
  items.variable = {items.count, from.offset_bits, offsets.data(), bytes.data()};
  items.owned.push_back(offsets.buffer());
  items.owned.push_back(bytes.buffer());
  return items;
}

// With the lengths packed to the width of the longest.
uint64_t PackedSize(const VariableBlock& block) {
  const uint64_t longest = block.length(LongestString(block));
  return block.num_bytes() + block.count * static_cast<uint64_t>(std::bit_width(longest)) / 8;
}

// Size with the other codecs; a dictionary must be smaller.
FixedSize PlainSize(const LeafBlock& block, bool packs_ends) {
  switch (block.kind) {
    case LeafBlock::Kind::kVariable:
      return {.bytes = packs_ends ? PackedSize(block.variable) : block.variable.data_size()};
    case LeafBlock::Kind::kFixedSizeList:
      return {.bytes = block.count * FixedValueWriter(block).bytes()};
    case LeafBlock::Kind::kFixed:
      break;
  }
  return EncodedFixedSize(block.fixed);
}

// What indices into so many items take at least.
uint64_t LeastIndexBytes(const LeafBlock& block, const FixedSize& plain, uint64_t items) {
  const uint64_t packed = block.count * static_cast<uint64_t>(std::bit_width(items - 1)) / 8;
  if (!plain.as_runs) return packed;
  return std::min(packed, plain.bytes / RunBytes(block.fixed.width()) * RunBytes(sizeof(uint32_t)));
}

struct Search {
  const ShreddedRows& rows;
  const EncodingHints::Dictionary& hints;
  /// Whether a sample that repeats little rules a dictionary out. The distinct values of a column
  /// are fewer than it suggests, as in 10,000 prices among 100,000 rows, but until they are known
  /// to be too many, all rows up to there have been looked up.
  bool trusts_sample;
  /// Whether the ends of strings may be stored as packed lengths.
  bool packs_ends;
  arrow::MemoryPool* pool;
};

template <typename Keys>
Result<std::optional<DictionaryBlock>> TryDictionary(const Keys& keys, const LeafBlock& block,
                                                     uint64_t data_size, const Search& search) {
  const auto& [rows, hints, trusts_sample, packs_ends, pool] = search;
  const uint64_t count = block.count;
  const uint64_t max_items = std::min(count / hints.divisor, kMaxItems);
  const auto max_bytes = static_cast<uint64_t>(static_cast<double>(data_size) *
                                               hints.size_ratio.value_or(kMaxSizeRatio));
  // A ratio that was asked for is the only rule.
  const uint64_t clear_win = hints.size_ratio ? 0 : data_size * kClearWinPercent / 100;
  const uint64_t max_item_bytes =
      std::min(std::max(clear_win, max_bytes - std::min(max_bytes, 4 * count)), hints.max_bytes);
  uint64_t sampled = 0;
  const uint64_t unique = SampleUnique(keys, count, &sampled);
  if (sampled >= kMinSample) {
    const double ratio = static_cast<double>(unique) / static_cast<double>(sampled);
    if (ratio >= kMaxUniqueRatio) return std::nullopt;
    const bool seems_too_many = ratio * static_cast<double>(count) > static_cast<double>(max_items);
    if (trusts_sample && seems_too_many) return std::nullopt;
  }
  const FixedSize plain = PlainSize(block, packs_ends);
  if (unique == 0 || LeastIndexBytes(block, plain, unique) >= plain.bytes) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(auto indices, ScratchArray<uint32_t>::Allocate(count, pool));
  const std::vector<bool> null = NullSlots(rows);
  ItemTable table;
  std::vector<uint64_t> firsts;
  uint64_t item_bytes = 0;
  uint32_t index = 0;
  for (uint64_t slot = 0; slot < count; ++slot) {
    if (null.empty() || !null[slot]) {
      const size_t before = firsts.size();
      index = table.FindOrAdd(keys, slot, &firsts);
      if (firsts.size() > before) {
        item_bytes += keys.Size(slot);
        if (firsts.size() > max_items || item_bytes > max_item_bytes) return std::nullopt;
      }
    }
    indices[slot] = index;
  }
  DictionaryBlock dictionary;
  dictionary.indices = {count, 32, reinterpret_cast<const uint8_t*>(indices.data())};
  FixedSize index_size = EncodedFixedSize(dictionary.indices);
  if (!null.empty() && !index_size.as_runs) {
    for (uint64_t slot = 0; slot < count; ++slot) {
      if (null[slot]) indices[slot] = 0;
    }
    index_size = EncodedFixedSize(dictionary.indices);
  }
  const uint64_t encoded_size = index_size.bytes + keys.StoredSize(firsts, item_bytes);
  const bool pays = item_bytes + 4 * count <= max_bytes || encoded_size <= clear_win;
  if (!pays || encoded_size >= plain.bytes) return std::nullopt;
  dictionary.owned.push_back(indices.buffer());
  ARROW_ASSIGN_OR_RAISE(dictionary.items, TakeItems(block, firsts, pool));
  return dictionary;
}

}  // namespace

Result<std::optional<DictionaryBlock>> FindDictionary(const LeafBlock& block,
                                                      const ShreddedRows& rows,
                                                      uint32_t minor_version,
                                                      const EncodingHints::Dictionary& hints,
                                                      arrow::MemoryPool* pool) {
  if (block.count < kMinValues) return std::nullopt;
  const bool is_planar = minor_version >= kMinorVersion2_3;
  const Search search = {rows, hints, !is_planar, is_planar, pool};
  const uint64_t bits = block.fixed.bits;
  switch (block.kind) {
    case LeafBlock::Kind::kVariable: {
      const uint64_t size = block.variable.data_size();
      if (block.variable.offset_bits == 32) {
        return TryDictionary(StringKeys<uint32_t>(block.variable), block, size, search);
      }
      return TryDictionary(StringKeys<uint64_t>(block.variable), block, size, search);
    }
    case LeafBlock::Kind::kFixedSizeList: {
      if (!is_planar || bits % 8 != 0 || block.all_items_null()) return std::nullopt;
      ARROW_ASSIGN_OR_RAISE(const ListKeys keys, ListKeys::Make(block, pool));
      return TryDictionary(keys, block, PlainSize(block, is_planar).bytes, search);
    }
    case LeafBlock::Kind::kFixed:
      break;
  }
  if (bits != 128 && !(bits == 64 && minor_version >= kMinorVersion2_2)) return std::nullopt;
  return TryDictionary(FixedKeys(block.fixed), block, block.fixed.num_bytes(), search);
}

Result<DictionaryBlock> DictionaryOfOne(const LeafBlock& block, uint64_t slot,
                                        arrow::MemoryPool* pool) {
  DictionaryBlock dictionary;
  ARROW_ASSIGN_OR_RAISE(auto indices, ScratchArray<uint32_t>::Allocate(block.count, pool));
  std::memset(indices.data(), 0, block.count * sizeof(uint32_t));
  dictionary.indices = {block.count, 32, reinterpret_cast<const uint8_t*>(indices.data())};
  dictionary.owned.push_back(indices.buffer());
  ARROW_ASSIGN_OR_RAISE(dictionary.items, TakeItems(block, {slot}, pool));
  return dictionary;
}

}  // namespace lance::encoding
