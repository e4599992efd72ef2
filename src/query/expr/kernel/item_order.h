#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/array.h"
#include "base/error.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {

/// Whether items of this type have an order. False for null.
bool HasOrder(const std::shared_ptr<arrow::DataType>& item);

/// The order of all items of a column of lists, by their places in it.
class ItemOrder {
 public:
  static Result<ItemOrder> Of(arrow::MemoryPool* pool, const std::shared_ptr<arrow::Array>& items);

  bool IsNull(int64_t item) const { return items_->IsNull(item); }
  // Of items that are not null.
  bool Less(int64_t a, int64_t b) const {
    if (KeyOf(a) != KeyOf(b)) return KeyOf(a) < KeyOf(b);
    return texts_ && (*texts_)[a] < (*texts_)[b];
  }
  bool Equal(int64_t a, int64_t b) const {
    return KeyOf(a) == KeyOf(b) && (!texts_ || (*texts_)[a] == (*texts_)[b]);
  }
  uint64_t Hash(int64_t item) const;

 private:
  explicit ItemOrder(std::shared_ptr<arrow::Array> items) : items_(std::move(items)) {}

  int64_t KeyOf(int64_t item) const { return keys_[static_cast<size_t>(item)]; }

  std::shared_ptr<arrow::Array> items_;
  std::vector<int64_t> keys_;
  std::optional<BytesValues> texts_;  // where keys are their first bytes
};

constexpr int64_t kNullId = -1;

/// A number below their count for each item, which equal ones share; nulls have kNullId.
Result<std::vector<int64_t>> IdsOf(arrow::MemoryPool* pool,
                                   const std::shared_ptr<arrow::Array>& items);

}  // namespace lance::query
