#include "table/complete_fragments.h"

#include <algorithm>

#include "file/file_reader.h"
#include "table/deletion_file.h"

namespace lance {
namespace {

class Completer {
 public:
  Completer(const Context& context, const TableLocation& table, const Manifest& manifest)
      : context_(context), table_(table), manifest_(manifest) {}

  Status Complete(table::DataFragment* fragment) {
    for (auto& file : *fragment->mutable_files()) {
      if (file.file_size_bytes() == 0) ARROW_RETURN_NOT_OK(FindSize(&file));
    }
    if (fragment->physical_rows() == 0) ARROW_RETURN_NOT_OK(CountRows(fragment));
    bool counts_deletions = fragment->has_deletion_file() &&
                            fragment->deletion_file().num_deleted_rows() == 0 &&
                            fragment->physical_rows() != 0;
    return counts_deletions ? CountDeletions(fragment) : Status::OK();
  }

 private:
  Status FindSize(table::DataFile* file) {
    ARROW_ASSIGN_OR_RAISE(auto location, LocateDataFile(table_, manifest_, *file));
    ARROW_ASSIGN_OR_RAISE(auto info, location.store->Head(context_, location.path));
    file->set_file_size_bytes(info.size);
    return Status::OK();
  }

  Status CountRows(table::DataFragment* fragment) {
    if (fragment->files_size() == 0) return Status::OK();
    const auto& file = fragment->files(0);
    ARROW_ASSIGN_OR_RAISE(auto location, LocateDataFile(table_, manifest_, file));
    ARROW_ASSIGN_OR_RAISE(
        auto object, location.store->OpenReader(context_, location.path, file.file_size_bytes()));
    ARROW_ASSIGN_OR_RAISE(auto reader, FileReader::Open(context_, std::move(object)));
    fragment->set_physical_rows(reader->num_rows());
    return Status::OK();
  }

  Status CountDeletions(table::DataFragment* fragment) {
    auto* file = fragment->mutable_deletion_file();
    ARROW_ASSIGN_OR_RAISE(auto location,
                          LocateDeletionFile(table_, manifest_, fragment->id(), *file));
    ARROW_ASSIGN_OR_RAISE(auto deletions, ReadDeletionFile(context_, *location.store, location.path,
                                                           *file, fragment->physical_rows()));
    file->set_num_deleted_rows(deletions->num_deleted());
    return Status::OK();
  }

  const Context& context_;
  const TableLocation& table_;
  const Manifest& manifest_;
};

bool IsIncomplete(const FragmentSummary& fragment) {
  return !fragment.counts_known() || !fragment.has_all_file_sizes;
}

bool IsEmpty(const FragmentSummary& fragment) {
  return fragment.counts_known() && fragment.live_rows() == 0;
}

/// Files of the oldest format don't tell their rows in a way known here.
bool CanBeRead(const table::DataFragment& fragment) {
  return std::none_of(fragment.files().begin(), fragment.files().end(),
                      [](const table::DataFile& file) { return file.file_major_version() < 2; });
}

}  // namespace

Status CompleteFragments(const Context& context, const TableLocation& table, Manifest* manifest) {
  std::vector<table::DataFragment> completed;
  for (const FragmentSummary& summary : manifest->fragments) {
    if (!IsIncomplete(summary)) continue;
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    if (fragment.physical_rows() == 0 && !CanBeRead(fragment)) continue;
    ARROW_RETURN_NOT_OK(Completer(context, table, *manifest).Complete(&fragment));
    completed.push_back(std::move(fragment));
  }
  ARROW_RETURN_NOT_OK(manifest->ReplaceFragments(completed));
  std::set<uint64_t> empty;
  for (const FragmentSummary& summary : manifest->fragments) {
    if (IsEmpty(summary)) empty.insert(summary.id);
  }
  if (!empty.empty()) manifest->RemoveFragments(empty);
  return Status::OK();
}

}  // namespace lance
