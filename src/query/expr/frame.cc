#include "query/expr/frame.h"

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "query/expr/kernel/gather.h"

namespace lance::query {

Frame::Frame(const arrow::RecordBatch& batch, arrow::MemoryPool* pool)
    : batch_(&batch), row_count_(batch.num_rows()), pool_(pool) {}

Frame::Frame(Frame* parent, const std::vector<int64_t>* rows)
    : parent_(parent),
      selected_(rows),
      row_count_(static_cast<int64_t>(rows->size())),
      pool_(parent->pool()) {}

Result<std::shared_ptr<arrow::Array>> Frame::Column(const ColumnPath& path) {
  auto found = columns_.find(path);
  if (found != columns_.end()) return found->second;
  ARROW_ASSIGN_OR_RAISE(auto column, Fetch(path));
  columns_.emplace(path, column);
  return column;
}

Result<std::shared_ptr<arrow::Array>> Frame::Fetch(const ColumnPath& path) {
  if (parent_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto column, parent_->Column(path));
    return Gather(pool_, column, *selected_);
  }
  ARROW_ASSIGN_OR_RAISE(auto column, Plain(pool_, batch_->column(path.indexes[0])));
  for (size_t i = 1; i < path.indexes.size(); ++i) {
    // Members of a null struct are null.
    const auto& parent = static_cast<const arrow::StructArray&>(*column);
    ARROW_ASSIGN_OR_RAISE(auto member, parent.GetFlattenedField(path.indexes[i], pool_));
    ARROW_ASSIGN_OR_RAISE(column, Plain(pool_, member));
  }
  return column;
}

Result<std::optional<Operand>> Frame::Kept(const Expr& shared) {
  auto found = kept_.find(&shared);
  if (found != kept_.end()) return found->second;
  if (parent_ == nullptr) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(auto outer, parent_->Kept(shared));
  if (!outer || outer->is_constant) return outer;
  ARROW_ASSIGN_OR_RAISE(auto values, Gather(pool_, outer->array, *selected_));
  Operand operand{std::move(values), false};
  Keep(shared, operand);
  return operand;
}

}  // namespace lance::query
