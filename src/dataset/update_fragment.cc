#include "dataset/update_fragment.h"

#include <numeric>

#include "arrow/api.h"
#include "dataset/join_columns.h"
#include "dataset/patch_columns.h"
#include "dataset/scan.h"
#include "schema/semantic_schema.h"
#include "table/feature_flags.h"
#include "table/fragment_bitmap.h"
#include "table/row_address_set.h"

namespace lance {
namespace {

Status CheckColumns(const Schema& table, const JoinTable& join, const std::string& left_on) {
  if (!VirtualColumnFromName(left_on) && table.FindByName(left_on) == nullptr) {
    return UserError("Column ", left_on, " does not exist in the left side fragment");
  }
  const auto names = join.schema()->field_names();
  if (names.empty()) return UserError("the data has no column but the one to join on");
  for (const std::string& name : names) {
    if (IsReservedColumnName(name)) {
      return UserError("Column ", name, " is a reserved metadata column and cannot be updated");
    }
    if (table.FindByName(name) == nullptr) {
      return UserError("Column ", name,
                       " in right side fragment does not exist in left side fragment");
    }
  }
  return Status::OK();
}

/// The rows of a fragment that have a key of the table joined with it.
struct MatchedRows {
  std::vector<RowPatch> patches;
  RoaringBitmap offsets;
};

Result<MatchedRows> FindRows(const std::shared_ptr<const Snapshot>& snapshot, uint64_t fragment_id,
                             const JoinTable& join, const std::string& left_on) {
  ScanOptions options;
  options.columns = {left_on};
  options.with_row_address = left_on != VirtualColumnName(VirtualColumn::kRowAddress);
  options.fragments = {fragment_id};
  options.output_encodings = WidestEncodings(snapshot->manifest().schema);
  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, options));
  MatchedRows matched;
  uint64_t position = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return matched;
    ARROW_ASSIGN_OR_RAISE(auto rows, join.Find(batch->column(0)));
    const auto& addresses =
        static_cast<const arrow::UInt64Array&>(*batch->column(batch->num_columns() - 1));
    for (int64_t i = 0; i < rows->length(); ++i, ++position) {
      if (rows->IsNull(i)) continue;
      matched.patches.push_back({position, static_cast<uint32_t>(rows->Value(i))});
      matched.offsets.add(OffsetOf(RowAddress{addresses.Value(i)}));
    }
  }
}

}  // namespace

Result<UpdatedColumns> UpdateFragmentColumns(const std::shared_ptr<const Snapshot>& snapshot,
                                             uint64_t fragment_id,
                                             const std::shared_ptr<arrow::RecordBatchReader>& right,
                                             const std::string& left_on,
                                             const std::string& right_on) {
  ARROW_RETURN_NOT_OK(CheckWritable(snapshot->manifest()));
  ARROW_ASSIGN_OR_RAISE(size_t index, snapshot->FindFragment(fragment_id));
  const Schema& table = snapshot->manifest().schema;
  const Schema read = RewriteSchema(table);
  const Field* left_key = table.semantic_types ? read.FindByName(left_on) : nullptr;
  ARROW_ASSIGN_OR_RAISE(JoinTable join, JoinTable::Make(right, right_on, left_key));
  ARROW_RETURN_NOT_OK(CheckColumns(table, join, left_on));
  ARROW_ASSIGN_OR_RAISE(MatchedRows matched, FindRows(snapshot, fragment_id, join, left_on));

  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::RecordBatchReader::Make({join.values()}));
  ARROW_ASSIGN_OR_RAISE(SourceRows source, SourceRows::Read(reader.get(), context.pool(), {}));
  std::vector<int> columns(static_cast<size_t>(source.schema()->num_fields()));
  std::iota(columns.begin(), columns.end(), 0);
  ARROW_ASSIGN_OR_RAISE(auto patcher, ColumnPatcher::Make(snapshot, &source, std::move(columns)));
  NewFiles files(context);
  ARROW_ASSIGN_OR_RAISE(auto fragment, patcher.Patch(index, matched.patches, &files, {}));
  files.Keep();
  UpdatedColumns updated;
  updated.fragment = fragment.SerializeAsString();
  for (int32_t id : PatchedFields(fragment)) updated.fields.push_back(id);
  updated.matched_offsets = EncodeBitmap(matched.offsets);
  return updated;
}

}  // namespace lance
