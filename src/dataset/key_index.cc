#include "dataset/key_index.h"

#include <algorithm>
#include <bit>
#include <optional>

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

}  // namespace

uint64_t KeyIndex::memory_bytes() const {
  return filter_.capacity() * sizeof(uint64_t) + slots_.capacity() * sizeof(Slot) +
         next_.capacity() * sizeof(uint32_t) + bytes_.capacity() +
         ends_.capacity() * sizeof(uint64_t);
}

size_t KeyIndex::SlotOf(uint64_t tag, std::string_view bytes) const {
  size_t mask = slots_.size() - 1;
  size_t at = Mix(tag) & mask;
  while (slots_[at].row != kNone) {
    if (slots_[at].tag == tag && StoredBytes(slots_[at].row) == bytes) break;
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
    slots_[SlotOf(slot.tag, StoredBytes(slot.row))] = slot;
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
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (!keys.IsNull(row)) rows.push_back(row);
  }
  if (has_bytes_) StoreBytes(keys, rows);
  Grow(next_.size());
  for (int64_t row : rows) {
    uint32_t number = first + static_cast<uint32_t>(row);
    Insert(keys.tags()[static_cast<size_t>(row)], StoredBytes(number), number);
  }
  return Status::OK();
}

void KeyIndex::StoreBytes(const RowKeys& keys, std::span<const int64_t> rows) {
  KeyBytes bytes = keys.BytesOf(rows);
  size_t next = 0;
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (next < rows.size() && rows[next] == row) bytes_.append(bytes[next++]);
    ends_.push_back(bytes_.size());
  }
}

std::vector<KeyIndex::Hit> KeyIndex::Find(const RowKeys& keys) const {
  std::vector<Hit> hits;
  if (slots_.empty()) return hits;
  // Without branches: which keys are there is as good as random.
  const std::vector<uint64_t>& tags = keys.tags();
  std::vector<int64_t> candidates(tags.size());
  size_t count = 0;
  for (size_t row = 0; row < tags.size(); ++row) {
    candidates[count] = static_cast<int64_t>(row);
    count += MayHave(tags[row]) ? 1 : 0;
  }
  candidates.resize(count);
  std::erase_if(candidates, [&](int64_t key) { return keys.IsNull(key); });
  std::optional<KeyBytes> bytes;
  if (has_bytes_) bytes = keys.BytesOf(candidates);
  for (size_t i = 0; i < candidates.size(); ++i) {
    uint64_t tag = tags[static_cast<size_t>(candidates[i])];
    uint32_t row = slots_[SlotOf(tag, bytes ? (*bytes)[i] : std::string_view())].row;
    if (row != kNone) hits.push_back({candidates[i], row});
  }
  return hits;
}

}  // namespace lance
