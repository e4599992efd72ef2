#include "dataset/validate_version.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/executor.h"
#include "dataset/check_stored_types.h"
#include "file/file_reader.h"
#include "table/fragment_deletions.h"
#include "table/row_id_sequence.h"

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

/// The columns of a file have as many rows as its fragment, and values of the types that are
/// wanted.
Status CheckContent(const Context& context, const StoreLocation& location,
                    const table::DataFile& file, uint64_t rows, const Schema& wanted) {
  ARROW_ASSIGN_OR_RAISE(auto object, location.store->OpenReader(context, location.path));
  ARROW_ASSIGN_OR_RAISE(auto reader, FileReader::Open(context, std::move(object)));
  if (reader->num_rows() != rows) {
    return Corrupt("data file has another number of rows than its fragment: ", reader->num_rows(),
                   ", expected ", rows);
  }
  ARROW_RETURN_NOT_OK(CheckStoredTypes(wanted, [&](int32_t id) {
    return reader->StoredField(
        id, {file.fields().data(), static_cast<size_t>(file.fields_size())},
        {file.column_indices().data(), static_cast<size_t>(file.column_indices_size())});
  }));
  ARROW_ASSIGN_OR_RAISE(auto all, reader->Project());
  return reader->CheckColumns(context, all);
}

Status CheckContents(const Context& context, const Snapshot& snapshot,
                     const table::DataFragment& fragment, const Schema& wanted) {
  for (const auto& file : fragment.files()) {
    // Files of 0.1 may lack their schema. Their rows are counted when they are opened.
    if (fragment.physical_rows() == 0 || file.file_major_version() < 2) continue;
    ARROW_ASSIGN_OR_RAISE(auto location,
                          LocateDataFile(snapshot.table(), snapshot.manifest(), file));
    ARROW_RETURN_NOT_OK(
        WithPlace(CheckContent(context, location, file, fragment.physical_rows(), wanted),
                  {.path = location.path}));
  }
  return Status::OK();
}

struct LiveIds {
  IdRun ids;
  uint64_t fragment_id;
};

Status AddLiveIds(const Snapshot& snapshot, const table::DataFragment& fragment,
                  std::vector<LiveIds>* out) {
  ARROW_ASSIGN_OR_RAISE(auto ids, RowIdSequence::Decode(AsBytes(fragment.inline_row_ids())));
  ARROW_ASSIGN_OR_RAISE(auto live, ReadLiveRanges(snapshot.MakeContext(), snapshot.table(),
                                                  snapshot.manifest(), fragment));
  std::vector<IdRun> runs;
  for (const RowRange& range : live) ids.AppendRuns(range.start, range.count, &runs);
  for (const IdRun& run : runs) out->push_back({run, fragment.id()});
  return Status::OK();
}

/// No two live rows have the same stable id, as far as ids stand in the manifest. Fragments have
/// been checked alone.
Status CheckRowIdsAreUnique(const Snapshot& snapshot) {
  std::vector<LiveIds> live;
  for (const FragmentSummary& summary : snapshot.fragments()) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    if (!fragment.has_inline_row_ids()) continue;
    ARROW_RETURN_NOT_OK(AddLiveIds(snapshot, fragment, &live));
  }
  std::sort(live.begin(), live.end(),
            [](const LiveIds& a, const LiveIds& b) { return a.ids.start < b.ids.start; });
  for (size_t i = 1; i < live.size(); ++i) {
    const LiveIds& before = live[i - 1];
    if (live[i].ids.start - before.ids.start >= before.ids.count) continue;
    return Corrupt("row id ", live[i].ids.start, " is live in fragment ", before.fragment_id,
                   " and in fragment ", live[i].fragment_id);
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
  ARROW_RETURN_NOT_OK(ParallelFor(context, snapshot.fragments().size(), [&](size_t i) -> Status {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(snapshot.fragments()[i]));
    ARROW_RETURN_NOT_OK(CheckFileLists(fragment, snapshot.manifest().schema));
    ARROW_RETURN_NOT_OK(CheckSizes(context, snapshot, fragment));
    ARROW_RETURN_NOT_OK(snapshot.OpenFragment(context, selection, i).status());
    return CheckContents(context, snapshot, fragment, selection->data);
  }));
  if (!snapshot.manifest().has_stable_row_ids()) return Status::OK();
  return WithPlace(CheckRowIdsAreUnique(snapshot), {.path = snapshot.table().root});
}

}  // namespace lance
