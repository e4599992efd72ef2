#include "dataset/patch_columns.h"

#include <algorithm>
#include <numeric>

#include "arrow/api.h"
#include "base/compute_kernels.h"
#include "base/take_rows.h"
#include "dataset/blob_columns.h"
#include "dataset/column_files_writer.h"
#include "dataset/merge_columns.h"
#include "dataset/poll.h"
#include "dataset/prepare_batch.h"
#include "dataset/take.h"
#include "schema/semantic_schema.h"
#include "table/live_files.h"

namespace lance {
namespace {

/// Rows that are read, put together and written at once.
constexpr uint64_t kRowsAtOnce = 1 << 15;

/// Paths that give the fields of `part` as they are nested. Lists come whole: their items are not
/// those of the row before.
Status AddPaths(const std::vector<Field>& whole, const std::vector<Field>& part,
                const std::string& prefix, std::vector<std::string>* paths) {
  for (const Field& field : part) {
    auto full = std::find_if(whole.begin(), whole.end(),
                             [&](const Field& other) { return other.id == field.id; });
    std::string path = prefix.empty() ? field.name : prefix + "." + InBackTicks(field.name);
    if (SameTree(*full, field)) {
      paths->push_back(std::move(path));
      continue;
    }
    if (full->logical_type != "struct") {
      return UserError("the data lacks members of the items of column '", path,
                       "', which can't be kept; give all of them");
    }
    ARROW_RETURN_NOT_OK(AddPaths(full->children, field.children,
                                 prefix.empty() ? InBackTicks(field.name) : path, paths));
  }
  return Status::OK();
}

/// The rows of `old`, but those of `patches` (counted from `start`) from `patched`, one after the
/// other.
Result<std::shared_ptr<arrow::RecordBatch>> Overlay(
    const std::shared_ptr<arrow::RecordBatch>& old,
    const std::shared_ptr<arrow::RecordBatch>& patched, uint64_t start,
    std::span<const RowPatch> patches, arrow::MemoryPool* pool) {
  std::vector<int64_t> order(static_cast<size_t>(old->num_rows()));
  std::iota(order.begin(), order.end(), int64_t{0});
  int64_t next = old->num_rows();
  for (const RowPatch& patch : patches) order[patch.position - start] = next++;
  const auto rows =
      std::make_shared<arrow::Int64Array>(old->num_rows(), arrow::Buffer::Wrap(order));
  auto columns = old->columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(
        auto both, arrow::Concatenate({columns[i], patched->column(static_cast<int>(i))}, pool));
    ARROW_ASSIGN_OR_RAISE(columns[i], TakeRows(both, rows, pool));
  }
  return arrow::RecordBatch::Make(old->schema(), old->num_rows(), std::move(columns));
}

}  // namespace

Result<ColumnPatcher> ColumnPatcher::Make(std::shared_ptr<const Snapshot> snapshot,
                                          const SourceRows* source, std::vector<int> columns) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  ColumnPatcher patcher;
  patcher.snapshot_ = std::move(snapshot);
  patcher.context_ = patcher.snapshot_->MakeContext();
  patcher.source_ = source;
  patcher.columns_ = std::move(columns);
  const Schema& table = patcher.snapshot_->manifest().schema;
  arrow::FieldVector given;
  for (int column : patcher.columns_) given.push_back(source->schema()->field(column));
  ARROW_ASSIGN_OR_RAISE(patcher.mapping_,
                        MatchForAppend(table, *arrow::schema(given), MissingFields::kAny));
  const Schema& patched = patcher.mapping_.file_schema;
  for (const Field& field : patched.fields) {
    if (!HasAnyBlobs(field)) continue;
    return UserError("column '", field.name, "' holds blobs, which can't be replaced in place");
  }
  patcher.file_schema_ = WithLayoutsOf(RewriteSchema(table), patched);
  patcher.old_values_ = {.columns = std::vector<std::string>(),
                         .path_style = PathStyle::kNested,
                         .output_encodings = WidestEncodings(table)};
  ARROW_RETURN_NOT_OK(AddPaths(table.fields, patched.fields, "", &*patcher.old_values_.columns));
  return patcher;
}

std::vector<int32_t> ColumnPatcher::fields() const {
  std::vector<int32_t> ids;
  for (const Field* field : file_schema_.PreOrder()) ids.push_back(field->id);
  return ids;
}

Result<std::shared_ptr<arrow::RecordBatch>> ColumnPatcher::Values(
    uint64_t fragment_id, uint64_t start, uint64_t count, std::span<const RowPatch> patches) const {
  std::vector<uint64_t> positions(count);
  std::iota(positions.begin(), positions.end(), start);
  ARROW_ASSIGN_OR_RAISE(auto old,
                        TakeRowsOfFragment(*snapshot_, fragment_id, positions, old_values_));
  ARROW_ASSIGN_OR_RAISE(
      old, PrepareBatch(file_schema_, std::move(old), 0, JsonSource::kTrusted, context_.pool()));
  if (patches.empty()) return old;
  std::vector<uint32_t> source_rows;
  source_rows.reserve(patches.size());
  for (const RowPatch& patch : patches) source_rows.push_back(patch.source_row);
  ARROW_ASSIGN_OR_RAISE(auto taken, source_->Take(source_rows, columns_, context_.pool()));
  ARROW_ASSIGN_OR_RAISE(auto patched, ArrangeBatch(mapping_, *taken));
  const JsonSource json =
      snapshot_->manifest().has_semantic_types() ? JsonSource::kGiven : JsonSource::kTrusted;
  ARROW_ASSIGN_OR_RAISE(patched,
                        PrepareBatch(file_schema_, std::move(patched), 0, json, context_.pool()));
  return Overlay(old, patched, start, patches, context_.pool());
}

Result<table::DataFragment> ColumnPatcher::Patch(size_t fragment_index,
                                                 std::span<const RowPatch> patches, NewFiles* files,
                                                 const Poll& poll) const {
  ColumnFilesWriter writer(*snapshot_, file_schema_, files, std::vector<size_t>{fragment_index});
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot_->Counts());
  const uint64_t rows = counts->of_fragment(fragment_index);
  const uint64_t fragment_id = snapshot_->fragments()[fragment_index].id;
  if (rows == 0) return UserError("fragment ", fragment_id, " has no rows to update");
  for (uint64_t start = 0; start < rows; start += kRowsAtOnce) {
    ARROW_RETURN_NOT_OK(CallPoll(poll));
    const uint64_t end = std::min(start + kRowsAtOnce, rows);
    auto last = std::find_if(patches.begin(), patches.end(),
                             [&](const RowPatch& patch) { return patch.position >= end; });
    auto some = patches.first(static_cast<size_t>(last - patches.begin()));
    ARROW_ASSIGN_OR_RAISE(auto values, Values(fragment_id, start, end - start, some));
    ARROW_RETURN_NOT_OK(writer.Write(values));
    patches = patches.subspan(some.size());
  }
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer.Finish());
  table::DataFragment& fragment = fragments[0];
  table::DataFile added = fragment.files(fragment.files_size() - 1);
  fragment.mutable_files()->RemoveLast();
  BuryFields({added.fields().begin(), added.fields().end()}, &fragment);
  *fragment.add_files() = std::move(added);
  return std::move(fragment);
}

std::set<int32_t> PatchedFields(const table::DataFragment& fragment) {
  const auto& fields = fragment.files(fragment.files_size() - 1).fields();
  return {fields.begin(), fields.end()};
}

}  // namespace lance
