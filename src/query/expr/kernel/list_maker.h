#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "arrow/array.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {

/// Lists put together from items that are there already, row by row.
class ListMaker {
 public:
  ListMaker(const CallContext& context, int64_t rows) : context_(context) {
    ends_.reserve(static_cast<size_t>(rows));
    is_valid_.reserve(static_cast<size_t>(rows));
  }

  /// `item` is a place in the array that Finish gets.
  void Add(int64_t item) { chosen_.push_back(item); }
  void Add(int64_t item, int64_t times) {
    chosen_.insert(chosen_.end(), static_cast<size_t>(times), item);
  }
  void EndRow(bool is_valid = true) {
    ends_.push_back(static_cast<int64_t>(chosen_.size()));
    is_valid_.push_back(is_valid ? 1 : 0);
  }

  Result<std::shared_ptr<arrow::Array>> Finish(
      const std::shared_ptr<arrow::Array>& all_items) const {
    const auto rows = static_cast<int64_t>(ends_.size());
    ARROW_ASSIGN_OR_RAISE(auto items, Gather(context_.pool, all_items, chosen_));
    ARROW_ASSIGN_OR_RAISE(auto validity, PackBits(context_.pool, rows, [&](int64_t row) {
                            return is_valid_[static_cast<size_t>(row)] != 0;
                          }));
    std::shared_ptr<arrow::Buffer> offsets;
    if (context_.type->id() == arrow::Type::LARGE_LIST) {
      ARROW_ASSIGN_OR_RAISE(offsets, Offsets<int64_t>());
    } else {
      if (chosen_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
        return UserError("too many list items at once");
      }
      ARROW_ASSIGN_OR_RAISE(offsets, Offsets<int32_t>());
    }
    return arrow::MakeArray(arrow::ArrayData::Make(
        context_.type, rows, {std::move(validity), std::move(offsets)}, {items->data()}));
  }

 private:
  template <typename Offset>
  Result<std::shared_ptr<arrow::Buffer>> Offsets() const {
    ARROW_ASSIGN_OR_RAISE(
        auto buffer, AllocateValues<Offset>(context_.pool, static_cast<int64_t>(ends_.size()) + 1));
    auto* out = buffer->template mutable_data_as<Offset>();
    out[0] = 0;
    for (size_t row = 0; row < ends_.size(); ++row) out[row + 1] = static_cast<Offset>(ends_[row]);
    return buffer;
  }

  const CallContext& context_;
  std::vector<int64_t> chosen_;
  std::vector<int64_t> ends_;
  std::vector<uint8_t> is_valid_;
};

}  // namespace lance::query
