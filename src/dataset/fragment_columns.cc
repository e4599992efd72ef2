#include "dataset/fragment_columns.h"

#include "arrow/record_batch.h"
#include "dataset/add_columns.h"
#include "dataset/column_files_writer.h"
#include "dataset/merge_table.h"

namespace lance {

Result<WidenedFragment> AddFragmentColumns(
    const Snapshot& snapshot, uint64_t fragment_id,
    const std::shared_ptr<arrow::RecordBatchReader>& values) {
  ARROW_ASSIGN_OR_RAISE(size_t index, snapshot.FindFragment(fragment_id));
  ARROW_ASSIGN_OR_RAISE(NewColumns added, NewFields(snapshot, *values->schema()));
  WidenedFragment widened;
  widened.schema = Joined(snapshot.manifest().schema, added.table);
  ARROW_RETURN_NOT_OK(widened.schema.Validate());
  NewFiles files(snapshot.MakeContext());
  ColumnFilesWriter writer(snapshot, added.files, &files, std::vector<size_t>{index});
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer.WriteAll(*values));
  widened.fragment = std::move(fragments[0]);
  files.Keep();
  return widened;
}

Result<WidenedFragment> MergeFragmentColumns(const std::shared_ptr<const Snapshot>& snapshot,
                                             uint64_t fragment_id,
                                             const std::shared_ptr<arrow::RecordBatchReader>& right,
                                             const std::string& left_on,
                                             const std::string& right_on) {
  ARROW_ASSIGN_OR_RAISE(auto joined, JoinedColumns(snapshot, right, left_on, right_on,
                                                   std::vector<uint64_t>{fragment_id}, {}));
  return AddFragmentColumns(*snapshot, fragment_id, joined);
}

}  // namespace lance
