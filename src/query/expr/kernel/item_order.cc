#include "query/expr/kernel/item_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "base/compute_kernels.h"
#include "query/expr/kernel/compare.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/value_table.h"

namespace lance::query {

using arrow::Array;
using arrow::Type;

namespace {

constexpr int64_t kNullRank = -1;

/// The place of each item in the order of all: equal ones share it.
Result<std::vector<int64_t>> RanksOf(arrow::MemoryPool* pool, const std::shared_ptr<Array>& items) {
  std::vector<int64_t> ranks(static_cast<size_t>(items->length()), kNullRank);
  const int64_t count = items->length() - items->null_count();
  if (count == 0 || items->type_id() == Type::NA) return ranks;
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(pool);
  ARROW_ASSIGN_OR_RAISE(
      auto order,
      arrow::compute::SortIndices(*items, arrow::compute::ArraySortOptions::Defaults(), &exec));
  ARROW_ASSIGN_OR_RAISE(auto sorted,
                        arrow::compute::Take(*items, *order->Slice(0, count),
                                             arrow::compute::TakeOptions::NoBoundsCheck(), &exec));
  // Whether each differs from the one before it.
  const std::array<Operand, 2> neighbours = {Operand{sorted->Slice(1), false},
                                             Operand{sorted->Slice(0, count - 1), false}};
  Kernel differ = ComparisonKernel(Comparison::kNotEqual, *items->type());
  ARROW_ASSIGN_OR_RAISE(auto different, differ({pool, arrow::boolean()}, neighbours, count - 1));
  const auto& is_different = static_cast<const arrow::BooleanArray&>(*different);
  const auto& places = static_cast<const arrow::UInt64Array&>(*order);
  int64_t rank = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && is_different.Value(i - 1)) ++rank;
    ranks[places.Value(i)] = rank;
  }
  return ranks;
}

/// A number of the same order, in which -0 is 0 and NaN is above all.
template <typename T>
int64_t KeyOfNumber(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    double number = value == 0 ? 0.0 : static_cast<double>(value);
    if (number != number) number = std::numeric_limits<double>::quiet_NaN();
    const auto bits = std::bit_cast<int64_t>(number);
    return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(value ^ (uint64_t{1} << 63));
  } else {
    return value;
  }
}

/// The first bytes, zeros behind shorter texts.
int64_t KeyOfText(std::string_view text) {
  std::array<uint8_t, sizeof(uint64_t)> bytes{};
  std::memcpy(bytes.data(), text.data(), std::min(text.size(), bytes.size()));
  uint64_t key = 0;
  std::memcpy(&key, bytes.data(), sizeof(key));
  return KeyOfNumber(__builtin_bswap64(key));
}

}  // namespace

bool HasOrder(const std::shared_ptr<arrow::DataType>& item) {
  return item != nullptr &&
         (item->id() == Type::NA || ComparisonKernel(Comparison::kLess, *item) != nullptr);
}

Result<ItemOrder> ItemOrder::Of(arrow::MemoryPool* pool, const std::shared_ptr<Array>& items) {
  ItemOrder order(items);
  auto fill = [&](auto key_of) {
    order.keys_.resize(static_cast<size_t>(items->length()));
    for (size_t i = 0; i < order.keys_.size(); ++i) {
      order.keys_[i] = key_of(static_cast<int64_t>(i));
    }
    return Status::OK();
  };
  const Operand operand{items, false};
  if (arrow::is_base_binary_like(items->type_id()) && items->length() > 0) {
    order.texts_.emplace(operand);
    ARROW_RETURN_NOT_OK(fill([&](int64_t i) { return KeyOfText((*order.texts_)[i]); }));
    return order;
  }
  ARROW_RETURN_NOT_OK(VisitNumberType(
      StorageId(*items->type()),
      [&]<typename T>(CType<T>) {
        const FixedValues<T> values(operand);
        return fill([&](int64_t i) { return KeyOfNumber(values[i]); });
      },
      [&] { return RanksOf(pool, items).Value(&order.keys_); }));
  return order;
}

uint64_t ItemOrder::Hash(int64_t item) const {
  return texts_ ? HashOf((*texts_)[item]) : HashOf(static_cast<uint64_t>(KeyOf(item)));
}

Result<std::vector<int64_t>> IdsOf(arrow::MemoryPool* pool, const std::shared_ptr<Array>& items) {
  ARROW_ASSIGN_OR_RAISE(const ItemOrder order, ItemOrder::Of(pool, items));
  std::vector<int64_t> ids(static_cast<size_t>(items->length()), kNullId);
  // Open addressing by the upper bits of the hash; the id is the first item that is equal.
  const size_t slots = std::bit_ceil(2 * ids.size() + 2);
  const auto shift = 64 - static_cast<unsigned>(std::countr_zero(slots));
  std::vector<int64_t> first(slots, kNullId);
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto item = static_cast<int64_t>(i);
    if (order.IsNull(item)) continue;
    size_t at = order.Hash(item) >> shift;
    while (first[at] != kNullId && !order.Equal(first[at], item)) at = (at + 1) & (slots - 1);
    if (first[at] == kNullId) first[at] = item;
    ids[i] = first[at];
  }
  return ids;
}

}  // namespace lance::query
