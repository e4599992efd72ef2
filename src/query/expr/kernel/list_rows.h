#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/array.h"
#include "query/expr/kernel/compare.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// Where the items of each row are in the array of all items. Lists have 32 or 64-bit offsets here:
/// those of fixed size were cast.
class ListRows {
 public:
  explicit ListRows(const Operand& operand) : operand_(operand) {}

  int64_t Begin(int64_t row) const { return Offset(operand_.IndexOf(row)); }
  int64_t End(int64_t row) const { return Offset(operand_.IndexOf(row) + 1); }
  int64_t Size(int64_t row) const { return End(row) - Begin(row); }
  std::shared_ptr<arrow::Array> items() const {
    return arrow::MakeArray(operand_.array->data()->child_data[0]);
  }

 private:
  int64_t Offset(int64_t at) const {
    const arrow::ArrayData& data = *operand_.array->data();
    if (data.type->id() == arrow::Type::LARGE_LIST) return data.GetValues<int64_t>(1)[at];
    return data.GetValues<int32_t>(1)[at];
  }

  const Operand& operand_;
};

/// Which items equal the value of their row.
class ItemMatches {
 public:
  /// `comparison` says what counts as equal.
  static Result<ItemMatches> Of(const CallContext& context, const Operand& lists,
                                const Operand& value, Comparison comparison, int64_t rows);

  /// `item` is a place in the array of all items, and one of the row's list.
  bool IsMatch(int64_t row, int64_t item) const {
    if (same_.empty()) return false;
    const bool is_by_row = begin_ >= 0;
    const arrow::BooleanArray& same = *same_[is_by_row ? static_cast<size_t>(item - begin_) : 0];
    const int64_t at = is_by_row ? row : item;
    return same.IsValid(at) && same.Value(at);
  }

 private:
  /// By item; or, of one list for all rows, an array by row for each of its items.
  std::vector<std::shared_ptr<arrow::BooleanArray>> same_;
  int64_t begin_ = -1;  // of that list
};

/// Where the value of each row is in the row's list: from 1, or 0 if it isn't there. `comparison`
/// says what counts as equal.
Result<std::vector<int64_t>> FindInLists(const CallContext& context, const Operand& lists,
                                         const Operand& value, Comparison comparison, int64_t rows);

}  // namespace lance::query
