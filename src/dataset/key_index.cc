#include "dataset/key_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <span>

namespace lance {
namespace {

/// Slots per row at least: chains of occupied slots stay short.
constexpr size_t kSlotsPerRow = 2;
constexpr size_t kMinSlots = 64;
constexpr size_t kFilterBitsPerSlot = 4;
constexpr size_t kWordBits = 64;

/// Spreads the bits of a word over all of it.
uint64_t Mix(uint64_t word) {
  word ^= word >> 32;
  word *= 0xd6e8feb86659fd93;
  word ^= word >> 32;
  return word;
}

/// The words of the keys, or the hashes of their bytes.
std::vector<uint64_t> HashesOf(const RowKeys& keys) {
  std::vector<uint64_t> hashes(static_cast<size_t>(keys.size()));
  for (int64_t row = 0; row < keys.size(); ++row) {
    std::string_view bytes = keys.bytes(row);
    hashes[static_cast<size_t>(row)] = XXH3_64bits(bytes.data(), bytes.size());
  }
  return hashes;
}

std::string_view BytesAt(const RowKeys& keys, int64_t row) {
  return keys.are_words() ? std::string_view() : keys.bytes(row);
}

}  // namespace

size_t KeyIndex::SlotOf(uint64_t tag, std::string_view bytes) const {
  size_t mask = slots_.size() - 1;
  size_t at = Mix(tag) & mask;
  while (slots_[at].row != kNone) {
    if (slots_[at].tag == tag && (!has_bytes_ || BytesOf(slots_[at].row) == bytes)) break;
    at = (at + 1) & mask;
  }
  return at;
}

void KeyIndex::Grow(size_t rows) {
  size_t wanted = std::bit_ceil(std::max(rows * kSlotsPerRow, kMinSlots));
  if (wanted <= slots_.size()) return;
  std::vector<Slot> old(wanted);
  old.swap(slots_);
  size_t bits = wanted * kFilterBitsPerSlot;
  filter_.assign(bits / kWordBits, 0);
  filter_shift_ = static_cast<int>(kWordBits) - std::countr_zero(bits);
  for (const Slot& slot : old) {
    if (slot.row == kNone) continue;
    AddToFilter(slot.tag);
    slots_[SlotOf(slot.tag, has_bytes_ ? BytesOf(slot.row) : std::string_view())] = slot;
  }
}

void KeyIndex::AddToFilter(uint64_t tag) {
  uint64_t bit = Mix(tag) >> filter_shift_;
  filter_[bit / kWordBits] |= uint64_t{1} << (bit % kWordBits);
}

bool KeyIndex::MayHave(uint64_t tag) const {
  uint64_t bit = Mix(tag) >> filter_shift_;
  return ((filter_[bit / kWordBits] >> (bit % kWordBits)) & 1) != 0;
}

void KeyIndex::Insert(uint64_t tag, std::string_view bytes, uint32_t row) {
  Slot& slot = slots_[SlotOf(tag, bytes)];
  if (slot.row == kNone) {
    slot = {tag, row};
    AddToFilter(tag);
    return;
  }
  next_[row] = next_[slot.row];
  next_[slot.row] = row;
}

Status KeyIndex::Add(const RowKeys& keys) {
  auto count = static_cast<size_t>(keys.size());
  if (count >= size_t{kNone} - next_.size()) {
    return Unsupported("a source of more than ", kNone, " rows");
  }
  has_bytes_ = !keys.are_words();
  uint32_t first = size();
  next_.resize(next_.size() + count, kNone);
  if (has_bytes_) {
    for (int64_t row = 0; row < keys.size(); ++row) {
      if (!keys.IsNull(row)) bytes_.append(keys.bytes(row));
      ends_.push_back(bytes_.size());
    }
  }
  Grow(next_.size());
  std::vector<uint64_t> tags = has_bytes_ ? HashesOf(keys) : keys.words();
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (keys.IsNull(row)) continue;
    Insert(tags[static_cast<size_t>(row)], BytesAt(keys, row), first + static_cast<uint32_t>(row));
  }
  return Status::OK();
}

std::vector<KeyIndex::Hit> KeyIndex::Find(const RowKeys& keys) const {
  std::vector<Hit> hits;
  if (slots_.empty()) return hits;
  std::vector<uint64_t> hashes;
  if (has_bytes_) hashes = HashesOf(keys);
  const std::vector<uint64_t>& tags = has_bytes_ ? hashes : keys.words();
  // Without branches: which keys are there is as good as random.
  std::vector<int64_t> candidates(tags.size());
  size_t count = 0;
  for (size_t row = 0; row < tags.size(); ++row) {
    candidates[count] = static_cast<int64_t>(row);
    count += MayHave(tags[row]) ? 1 : 0;
  }
  for (int64_t key : std::span(candidates).first(count)) {
    if (keys.IsNull(key)) continue;
    uint32_t row = slots_[SlotOf(tags[static_cast<size_t>(key)], BytesAt(keys, key))].row;
    if (row != kNone) hits.push_back({key, row});
  }
  return hits;
}

}  // namespace lance
