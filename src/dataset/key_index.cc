#include "dataset/key_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace lance {
namespace {

/// Slots per row at least: chains of occupied slots stay short.
constexpr size_t kSlotsPerRow = 2;
constexpr size_t kMinSlots = 16;

/// Spreads the bits of a word over all of it.
uint64_t Mix(uint64_t word) {
  word ^= word >> 32;
  word *= 0xd6e8feb86659fd93;
  word ^= word >> 32;
  return word;
}

uint64_t TagOf(const RowKeys& keys, int64_t row) {
  if (keys.are_words()) return keys.word(row);
  std::string_view bytes = keys.bytes(row);
  return XXH3_64bits(bytes.data(), bytes.size());
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
  for (const Slot& slot : old) {
    if (slot.row == kNone) continue;
    slots_[SlotOf(slot.tag, has_bytes_ ? BytesOf(slot.row) : std::string_view())] = slot;
  }
}

void KeyIndex::Insert(uint64_t tag, std::string_view bytes, uint32_t row) {
  Slot& slot = slots_[SlotOf(tag, bytes)];
  if (slot.row == kNone) {
    slot = {tag, row};
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
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (keys.IsNull(row)) continue;
    Insert(TagOf(keys, row), BytesAt(keys, row), first + static_cast<uint32_t>(row));
  }
  return Status::OK();
}

void KeyIndex::Find(const RowKeys& keys, std::vector<uint32_t>* rows) const {
  rows->assign(static_cast<size_t>(keys.size()), kNone);
  if (slots_.empty()) return;
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (keys.IsNull(row)) continue;
    (*rows)[static_cast<size_t>(row)] = slots_[SlotOf(TagOf(keys, row), BytesAt(keys, row))].row;
  }
}

}  // namespace lance
