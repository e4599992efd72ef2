#include "lance/index_segments.h"

#include <utility>

#include "dataset/open_table.h"
#include "table/fragment_bitmap.h"
#include "table/index_section.h"

namespace lance {

arrow::Result<std::vector<IndexSegmentInfo>> IndexSegments(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(dataset.uri()));
  ARROW_ASSIGN_OR_RAISE(auto snapshot, handle.OpenVersion(dataset.version()));
  ARROW_ASSIGN_OR_RAISE(auto section, snapshot->file()->ReadIndexSection(snapshot->MakeContext(),
                                                                         *handle.table.store));
  IndexSection indexes(std::move(section));
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, indexes.Edit());
  std::vector<IndexSegmentInfo> segments;
  segments.reserve(static_cast<size_t>(entries->size()));
  for (const auto& entry : *entries) {
    IndexSegmentInfo& segment = segments.emplace_back();
    segment.message = entry.SerializeAsString();
    ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
    if (covered) segment.fragment_ids.emplace(covered->begin(), covered->end());
  }
  return segments;
}

}  // namespace lance
