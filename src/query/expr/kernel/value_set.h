#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"
#include "query/expr/kernel/value_table.h"

namespace lance::query {

/// The values of an IN list, ready to be looked for. Equality is that of `=`.
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
  enum class Form : uint8_t {
    kFew,    ///< compared one by one
    kDense,  ///< a bit for each number from the least to the largest
    kWords,  ///< hashed
    kBytes,  ///< hashed
  };

  void AddWords();
  void AddBytes();
  Result<std::shared_ptr<arrow::Buffer>> Matches(arrow::MemoryPool* pool, const Operand& operand,
                                                 int64_t rows) const;

  std::shared_ptr<arrow::Array> values_;
  bool has_null_ = false;
  Form form_ = Form::kWords;

  uint64_t least_ = 0;
  uint64_t span_ = 0;  // from the least number to the largest
  std::vector<uint64_t> bits_;

  ValueTable<uint64_t> words_;

  ValueTable<std::string_view> bytes_;  // views into values_
  uint64_t lengths_ = 0;                // the lowest six bits of their lengths, as bits
};

/// Whether IN can be answered by a ValueSet of this type.
bool CanHash(const arrow::DataType& type);

}  // namespace lance::query
