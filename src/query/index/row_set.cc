#include "query/index/row_set.h"

#include <algorithm>
#include <utility>

namespace lance::query {
namespace {

constexpr uint64_t kOffsetsEnd = 1ULL << 32;

/// How many numbers of a bitmap are below `end`.
uint64_t RankBelow(const RoaringBitmap& offsets, uint64_t end) {
  // The rank counts what is less or equal.
  return end == 0 ? 0 : offsets.rank(static_cast<uint32_t>(std::min(end, kOffsetsEnd) - 1));
}

}  // namespace

OffsetSet OffsetSet::All() {
  OffsetSet all;
  all.is_inverted_ = true;
  return all;
}

OffsetSet OffsetSet::Range(uint64_t first, uint64_t end) {
  RoaringBitmap offsets;
  if (first >= end) return None();
  if (end >= kOffsetsEnd) {
    offsets.addRange(0, first);
    return OffsetSet(std::move(offsets)).Not();
  }
  offsets.addRange(first, end);
  return OffsetSet(std::move(offsets));
}

void OffsetSet::Add(uint32_t offset) {
  is_inverted_ ? offsets_.remove(offset) : offsets_.add(offset);
}

uint64_t OffsetSet::CountBelow(uint64_t end) const {
  uint64_t listed = RankBelow(offsets_, end);
  return is_inverted_ ? end - listed : listed;
}

std::vector<OffsetRun> OffsetSet::Runs(uint64_t first, uint64_t end) const {
  const uint64_t before = RankBelow(offsets_, first);
  std::vector<uint32_t> listed(RankBelow(offsets_, std::max(first, end)) - before);
  if (!listed.empty()) offsets_.rangeUint32Array(listed.data(), before, listed.size());
  std::vector<OffsetRun> runs;
  uint64_t at = first;  // behind the last offset that was seen
  for (uint32_t offset : listed) {
    if (is_inverted_) {
      if (offset > at) runs.push_back({at, offset - at});
    } else if (!runs.empty() && offset == at) {
      ++runs.back().count;
    } else {
      runs.push_back({offset, 1});
    }
    at = uint64_t{offset} + 1;
  }
  if (is_inverted_ && end > at) runs.push_back({at, end - at});
  return runs;
}

OffsetSet OffsetSet::Not() const {
  OffsetSet inverted = *this;
  inverted.is_inverted_ = !is_inverted_;
  return inverted;
}

OffsetSet And(const OffsetSet& a, const OffsetSet& b) {
  if (a.is_inverted_ && b.is_inverted_) return OffsetSet(a.offsets_ | b.offsets_).Not();
  if (a.is_inverted_) return OffsetSet(b.offsets_ - a.offsets_);
  if (b.is_inverted_) return OffsetSet(a.offsets_ - b.offsets_);
  return OffsetSet(a.offsets_ & b.offsets_);
}

OffsetSet Or(const OffsetSet& a, const OffsetSet& b) { return And(a.Not(), b.Not()).Not(); }

RowSet RowSet::All() {
  RowSet all;
  all.has_others_ = true;
  return all;
}

const OffsetSet& RowSet::OfOthers() const {
  static const OffsetSet none = OffsetSet::None();
  static const OffsetSet all = OffsetSet::All();
  return has_others_ ? all : none;
}

const OffsetSet& RowSet::Of(uint32_t fragment_id) const {
  auto found = fragments_.find(fragment_id);
  return found == fragments_.end() ? OfOthers() : found->second;
}

void RowSet::Set(uint32_t fragment_id, OffsetSet offsets) {
  if (has_others_ ? offsets.IsAll() : offsets.IsNone()) {
    fragments_.erase(fragment_id);
  } else {
    fragments_.insert_or_assign(fragment_id, std::move(offsets));
  }
}

void RowSet::Add(uint32_t fragment_id, uint32_t offset) {
  auto [entry, is_new] = fragments_.try_emplace(fragment_id, OfOthers());
  entry->second.Add(offset);
  if (has_others_ && entry->second.IsAll()) fragments_.erase(entry);
}

RowSet RowSet::Not() const {
  RowSet inverted;
  inverted.has_others_ = !has_others_;
  for (const auto& [id, offsets] : fragments_) inverted.fragments_.emplace(id, offsets.Not());
  return inverted;
}

RowSet And(const RowSet& a, const RowSet& b) {
  RowSet both;
  both.has_others_ = a.has_others_ && b.has_others_;
  for (const auto& [id, offsets] : a.fragments_) both.Set(id, And(offsets, b.Of(id)));
  for (const auto& [id, offsets] : b.fragments_) {
    if (!a.fragments_.contains(id)) both.Set(id, And(a.OfOthers(), offsets));
  }
  return both;
}

RowSet Or(const RowSet& a, const RowSet& b) { return And(a.Not(), b.Not()).Not(); }

RowSet Without(const RowSet& a, const RowSet& b) { return And(a, b.Not()); }

}  // namespace lance::query
