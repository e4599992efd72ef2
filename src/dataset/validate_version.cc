#include "dataset/validate_version.h"

#include <set>

#include "base/executor.h"

namespace lance {
namespace {

Status CheckFileLists(const table::DataFragment& fragment, const Schema& schema) {
  std::set<int32_t> seen;
  for (const auto& file : fragment.files()) {
    if (file.fields_size() != file.column_indices_size() && file.column_indices_size() != 0) {
      return WithPlace(Corrupt("data file lists ", file.fields_size(), " fields but ",
                               file.column_indices_size(), " columns"),
                       {.path = file.path()});
    }
    for (int32_t id : file.fields()) {
      if (id < 0 || schema.FindById(id) == nullptr || seen.insert(id).second) continue;
      return WithPlace(
          Corrupt("field ", id, " is listed by two data files of fragment ", fragment.id()),
          {.path = file.path()});
    }
  }
  return Status::OK();
}

Status CheckSizes(const Context& context, const Snapshot& snapshot,
                  const table::DataFragment& fragment) {
  for (const auto& file : fragment.files()) {
    ARROW_ASSIGN_OR_RAISE(auto location,
                          LocateDataFile(snapshot.table(), snapshot.manifest(), file));
    ARROW_ASSIGN_OR_RAISE(auto info, location.store->Head(context, location.path));
    if (file.file_size_bytes() == 0 || file.file_size_bytes() == info.size) continue;
    return WithPlace(
        Corrupt("data file has ", info.size, " bytes, expected ", file.file_size_bytes()),
        {.path = location.path});
  }
  return Status::OK();
}

}  // namespace

Status ValidateVersion(const Snapshot& snapshot) {
  Context context = snapshot.MakeContext();
  ColumnRequest everything;
  everything.columns.emplace();
  for (const Field& field : snapshot.manifest().schema.fields) {
    everything.columns->push_back(field.name);
  }
  for (VirtualColumn column : {VirtualColumn::kRowId, VirtualColumn::kCreatedAtVersion,
                               VirtualColumn::kLastUpdatedAtVersion}) {
    everything.columns->emplace_back(VirtualColumnName(column));
  }
  ARROW_ASSIGN_OR_RAISE(auto selection, snapshot.Select(everything));
  return ParallelFor(context, snapshot.fragments().size(), [&](size_t i) -> Status {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(snapshot.fragments()[i]));
    ARROW_RETURN_NOT_OK(CheckFileLists(fragment, snapshot.manifest().schema));
    ARROW_RETURN_NOT_OK(CheckSizes(context, snapshot, fragment));
    // Opening compares everything else.
    return snapshot.OpenFragment(context, selection, i).status();
  });
}

}  // namespace lance
