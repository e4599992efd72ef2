#include "dataset/take_blobs.h"

#include "arrow/api.h"
#include "dataset/blob_columns.h"
#include "dataset/row_positions.h"
#include "dataset/take.h"
#include "schema/blob.h"
#include "table/row_words.h"

namespace lance {
namespace {

/// The blob column of that name or path; any other is a user error.
Result<Field> FindBlob(const Snapshot& snapshot, const std::string& column) {
  ARROW_ASSIGN_OR_RAISE(Schema projected, snapshot.manifest().schema.Project({column}));
  const Field* field = &projected.fields[0];
  while (!field->IsLeaf() && field->logical_type == "struct" && field->children.size() == 1) {
    field = &field->children[0];
  }
  if (IsBlobV1(*field) || IsBlobV2(*field)) return *field;
  return UserError("the column '", column, "' is not a blob column");
}

ColumnRequest RequestOf(const std::string& column, BlobHandling handling) {
  return {.columns = std::vector<std::string>{column},
          .with_row_address = true,
          .path_style = PathStyle::kFlat,
          .blob_handling = handling};
}

}  // namespace

Result<std::vector<std::shared_ptr<Blob>>> TakeBlobs(const Snapshot& snapshot,
                                                     const std::string& column, RowKey key,
                                                     std::span<const uint64_t> rows) {
  ARROW_ASSIGN_OR_RAISE(Field field, FindBlob(snapshot, column));
  ARROW_ASSIGN_OR_RAISE(auto positions, PositionsOf(snapshot, key, rows));
  const ColumnRequest request = RequestOf(column, BlobHandling::kDescriptions);
  ARROW_ASSIGN_OR_RAISE(auto batch, TakeRows(snapshot, positions, request));
  ARROW_ASSIGN_OR_RAISE(auto selection, snapshot.Select(request));
  const arrow::Array& descriptors = *batch->column(0);
  const auto& addresses = static_cast<const arrow::UInt64Array&>(*batch->column(1));
  const Context context = snapshot.MakeContext();
  std::vector<std::shared_ptr<Blob>> blobs;
  blobs.reserve(rows.size());
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    if (descriptors.IsNull(row)) {
      blobs.push_back(nullptr);
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(size_t index,
                          snapshot.FindFragment(FragmentIdOf(RowAddress{addresses.Value(row)})));
    ARROW_ASSIGN_OR_RAISE(auto reader, snapshot.OpenFragment(context, selection, index));
    ARROW_ASSIGN_OR_RAISE(const BlobLocator* locator, reader->BlobsOf(field.id));
    ARROW_ASSIGN_OR_RAISE(auto blob, OpenBlob(snapshot.session(), *locator, descriptors, row));
    blobs.push_back(std::move(blob));
  }
  return blobs;
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadBlobs(const Snapshot& snapshot,
                                                      const std::string& column, RowKey key,
                                                      std::span<const uint64_t> rows) {
  ARROW_RETURN_NOT_OK(FindBlob(snapshot, column).status());
  ARROW_ASSIGN_OR_RAISE(auto positions, PositionsOf(snapshot, key, rows));
  ARROW_ASSIGN_OR_RAISE(auto batch,
                        TakeRows(snapshot, positions, RequestOf(column, BlobHandling::kBytes)));
  return batch->SelectColumns({1, 0});
}

}  // namespace lance
