#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "query/expr/expr.h"

namespace lance::query {

/// The rows that an expression is evaluated for: all of a batch, or some of another frame's.
/// Columns are fetched when they are first needed, and kept.
class Frame {
 public:
  Frame(const arrow::RecordBatch& batch, arrow::MemoryPool* pool);
  /// The rows listed in `rows`, which must outlive the frame, as `parent` must.
  Frame(Frame* parent, const std::vector<int64_t>* rows);

  int64_t rows() const { return row_count_; }
  arrow::MemoryPool* pool() const { return pool_; }
  Result<std::shared_ptr<arrow::Array>> Column(const ColumnPath& path);
  /// What Keep() was given for a shared expression, here or for all rows of an outer frame; nothing
  /// if there is none.
  Result<std::optional<Operand>> Kept(const Expr& shared);
  void Keep(const Expr& shared, Operand values) { kept_[&shared] = std::move(values); }

 private:
  Result<std::shared_ptr<arrow::Array>> Fetch(const ColumnPath& path);

  const arrow::RecordBatch* batch_ = nullptr;
  Frame* parent_ = nullptr;
  const std::vector<int64_t>* selected_ = nullptr;
  int64_t row_count_;
  arrow::MemoryPool* pool_;
  std::map<ColumnPath, std::shared_ptr<arrow::Array>> columns_;
  std::map<const Expr*, Operand> kept_;
};

}  // namespace lance::query
