#include "dataset/snapshot.h"

#include <algorithm>

namespace lance {
namespace {

constexpr size_t kMaxSelections = 16;

}  // namespace

size_t RowCounts::FragmentAt(uint64_t position) const {
  return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), position) -
                             starts.begin()) -
         1;
}

Snapshot::Snapshot(std::string uri, TableLocation table, std::shared_ptr<const ManifestFile> file,
                   std::shared_ptr<const TableSession> session)
    : uri_(std::move(uri)),
      table_(std::move(table)),
      file_(std::move(file)),
      session_(std::move(session)),
      readers_(TableSession::MaxOpenFiles()) {}

Result<std::shared_ptr<const RowCounts>> Snapshot::Counts() const {
  std::lock_guard lock(counts_mutex_);
  if (counts_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(counts_, CountRows(/*with_deleted=*/false));
  }
  return counts_;
}

Result<std::shared_ptr<const RowCounts>> Snapshot::PhysicalCounts() const {
  return CountRows(/*with_deleted=*/true);
}

Result<std::shared_ptr<const RowCounts>> Snapshot::CountRows(bool with_deleted) const {
  auto counts = std::make_shared<RowCounts>();
  counts->starts.reserve(fragments().size() + 1);
  counts->starts.push_back(0);
  std::shared_ptr<const ColumnSelection> no_columns;
  for (size_t i = 0; i < fragments().size(); ++i) {
    const FragmentSummary& fragment = fragments()[i];
    uint64_t rows = with_deleted ? fragment.physical_rows : fragment.live_rows();
    if (!fragment.counts_known()) {
      if (no_columns == nullptr) {
        ARROW_ASSIGN_OR_RAISE(no_columns, Select({.columns = std::vector<std::string>()}));
      }
      ARROW_ASSIGN_OR_RAISE(auto reader, OpenFragment(MakeContext(), no_columns, i));
      rows = with_deleted ? reader->physical_rows() : reader->live_rows();
    }
    counts->starts.push_back(counts->starts.back() + rows);
  }
  return counts;
}

Result<std::shared_ptr<const ColumnSelection>> Snapshot::Select(
    const ColumnRequest& request) const {
  std::lock_guard lock(selections_mutex_);
  auto at = std::find_if(selections_.begin(), selections_.end(),
                         [&](const auto& cached) { return cached.request == request; });
  if (at != selections_.end()) {
    std::rotate(selections_.begin(), at, at + 1);
    return selections_.front().selection;
  }
  ARROW_ASSIGN_OR_RAISE(auto selection, SelectColumns(manifest().schema, request));
  if (selections_.size() == kMaxSelections) selections_.pop_back();
  selections_.insert(selections_.begin(), {request, selection});
  return selection;
}

Result<std::shared_ptr<FragmentReader>> Snapshot::OpenFragment(
    const Context& context, const std::shared_ptr<const ColumnSelection>& selection,
    size_t fragment_index) const {
  ReaderKey key{selection->id, fragment_index};
  if (auto reader = readers_.Get(key)) return reader;
  uint64_t first_position = 0;
  if (selection->Needs(VirtualColumn::kRowOffset)) {
    ARROW_ASSIGN_OR_RAISE(auto counts, Counts());
    first_position = counts->starts[fragment_index];
  }
  ARROW_ASSIGN_OR_RAISE(
      auto reader, FragmentReader::Open(context, *session_, table_, manifest(),
                                        fragments()[fragment_index], selection, first_position));
  return readers_.Put(key, std::move(reader));
}

Result<size_t> Snapshot::FindFragment(uint64_t fragment_id) const {
  auto at = std::lower_bound(
      fragments().begin(), fragments().end(), fragment_id,
      [](const FragmentSummary& fragment, uint64_t id) { return fragment.id < id; });
  if (at == fragments().end() || at->id != fragment_id) {
    return WithPlace(NotFound("fragment ", fragment_id, " does not exist"),
                     {.path = uri_, .version = manifest().version()});
  }
  return static_cast<size_t>(at - fragments().begin());
}

}  // namespace lance
