#include "table/deletion_vector.h"

#include <algorithm>
#include <bit>

namespace lance {
namespace {

constexpr uint64_t kWordBits = 64;
constexpr uint64_t kBlockWords = 8;
constexpr uint64_t kBlockBits = kBlockWords * kWordBits;
/// Above one deletion in so many rows, the bitmap is smaller than the offsets.
constexpr uint64_t kMinRowsPerOffset = 32;

/// The index of the set bit with `rank` set bits before it, which must exist.
uint64_t SelectInWord(uint64_t word, uint64_t rank) {
  for (; rank > 0; --rank) word &= word - 1;
  return static_cast<uint64_t>(std::countr_zero(word));
}

/// Sets bits [first, first + count).
void SetBits(uint64_t first, uint64_t count, std::vector<uint64_t>* bits) {
  while (count > 0) {
    uint64_t at = first % kWordBits;
    uint64_t length = std::min(count, kWordBits - at);
    uint64_t mask = length == kWordBits ? ~uint64_t{0} : ((uint64_t{1} << length) - 1) << at;
    (*bits)[first / kWordBits] |= mask;
    first += length;
    count -= length;
  }
}

}  // namespace

Status DeletionVector::Builder::Add(uint64_t first, uint64_t count) {
  if (first >= physical_rows_ || count > physical_rows_ - first) {
    return Corrupt("deleted row lies outside its fragment: offsets ", first, " … ",
                   first + count - 1, " of ", physical_rows_, " rows");
  }
  num_deleted_ += count;
  if (bits_.empty() && num_deleted_ > physical_rows_ / kMinRowsPerOffset) {
    bits_.assign(physical_rows_ / kWordBits + 1, 0);
    for (uint32_t offset : offsets_) SetBits(offset, 1, &bits_);
    offsets_ = {};
  }
  if (!bits_.empty()) {
    SetBits(first, count, &bits_);
  } else {
    for (uint64_t i = 0; i < count; ++i) offsets_.push_back(static_cast<uint32_t>(first + i));
  }
  return Status::OK();
}

Result<std::shared_ptr<const DeletionVector>> DeletionVector::Builder::Finish() && {
  std::shared_ptr<DeletionVector> vector(new DeletionVector);
  vector->physical_rows_ = physical_rows_;
  vector->num_deleted_ = num_deleted_;
  std::sort(offsets_.begin(), offsets_.end());
  bool repeats = std::adjacent_find(offsets_.begin(), offsets_.end()) != offsets_.end();
  uint64_t set = 0;
  for (size_t i = 0; i < bits_.size(); ++i) {
    if (i % kBlockWords == 0) vector->block_ranks_.push_back(set);
    set += static_cast<uint64_t>(std::popcount(bits_[i]));
  }
  if (repeats || (!bits_.empty() && set != num_deleted_)) {
    return Corrupt("row is listed twice as deleted");
  }
  vector->offsets_ = std::move(offsets_);
  vector->bits_ = std::move(bits_);
  return vector;
}

std::vector<RowRange> DeletionVector::DeletedRanges() const {
  std::vector<RowRange> ranges;
  for (uint64_t start = NextDeleted(0); start < physical_rows_;) {
    uint64_t end = NextLive(start);
    ranges.push_back({start, end - start});
    start = end < physical_rows_ ? NextDeleted(end) : physical_rows_;
  }
  return ranges;
}

bool DeletionVector::IsDeleted(uint64_t offset) const {
  if (bits_.empty()) {
    return std::binary_search(offsets_.begin(), offsets_.end(), static_cast<uint32_t>(offset));
  }
  return ((bits_[offset / kWordBits] >> (offset % kWordBits)) & 1) != 0;
}

uint64_t DeletionVector::PhysicalOffset(uint64_t live_position) const {
  if (bits_.empty()) {
    // Deletion k is behind offset - k live rows; those with at most live_position of them come
    // before the row.
    size_t low = 0;
    size_t high = offsets_.size();
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (offsets_[middle] - middle <= live_position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return live_position + low;
  }
  size_t low = 0;  // the last block with at most live_position live rows before it
  size_t high = block_ranks_.size() - 1;
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (middle * kBlockBits - block_ranks_[middle] <= live_position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  uint64_t rest = live_position - (low * kBlockBits - block_ranks_[low]);
  for (size_t word = low * kBlockWords;; ++word) {
    auto live = static_cast<uint64_t>(std::popcount(~bits_[word]));
    if (rest < live) return word * kWordBits + SelectInWord(~bits_[word], rest);
    rest -= live;
  }
}

uint64_t DeletionVector::NextDeleted(uint64_t offset) const {
  if (bits_.empty()) {
    auto next = std::lower_bound(offsets_.begin(), offsets_.end(), offset);
    return next == offsets_.end() ? physical_rows_ : *next;
  }
  size_t word = offset / kWordBits;
  uint64_t bits = bits_[word] >> (offset % kWordBits);
  if (bits != 0) return offset + static_cast<uint64_t>(std::countr_zero(bits));
  while (++word < bits_.size()) {
    if (bits_[word] != 0) {
      return word * kWordBits + static_cast<uint64_t>(std::countr_zero(bits_[word]));
    }
  }
  return physical_rows_;
}

uint64_t DeletionVector::NextLive(uint64_t offset) const {
  if (bits_.empty()) {
    auto at = std::lower_bound(offsets_.begin(), offsets_.end(), offset);
    while (at != offsets_.end() && *at == offset) {
      ++at;
      ++offset;
    }
    return offset;
  }
  while (offset < physical_rows_) {
    uint64_t in_word = offset % kWordBits;
    auto deleted = static_cast<uint64_t>(std::countr_one(bits_[offset / kWordBits] >> in_word));
    offset += deleted;
    if (in_word + deleted < kWordBits) break;
  }
  return offset;
}

void DeletionVector::AppendPhysicalRanges(RowRange live, std::vector<RowRange>* out) const {
  if (live.count == 0) return;
  uint64_t left = live.count;
  uint64_t offset = PhysicalOffset(live.start);
  while (true) {
    uint64_t count = std::min(left, NextDeleted(offset) - offset);
    if (!out->empty() && out->back().end() == offset) {
      out->back().count += count;
    } else {
      out->push_back({offset, count});
    }
    left -= count;
    if (left == 0) return;
    offset = NextLive(offset + count);
  }
}

}  // namespace lance
