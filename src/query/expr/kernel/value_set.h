#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// The values of an IN list, hashed. Equality is that of `=`.
class ValueSet {
 public:
  /// Of boolean, number, text, decimal or temporal values; nulls among them are noted.
  static Result<std::shared_ptr<const ValueSet>> Make(std::shared_ptr<arrow::Array> values);

  const std::shared_ptr<arrow::Array>& values() const { return values_; }
  bool has_null() const { return has_null_; }

  /// TRUE for rows whose value is in the set; for others FALSE, or NULL if the set has a null or
  /// the value is null.
  Result<std::shared_ptr<arrow::Array>> Contains(arrow::MemoryPool* pool, const Operand& operand,
                                                 int64_t rows) const;

 private:
  std::shared_ptr<arrow::Array> values_;
  bool has_null_ = false;
  // One of these, by the type of the values.
  std::unordered_set<uint64_t> words_;
  std::unordered_set<std::string_view> bytes_;  // views into values_
};

/// Whether IN can be answered by a ValueSet of this type.
bool CanHash(const arrow::DataType& type);

}  // namespace lance::query
