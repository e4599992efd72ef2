#include "query/expr/kernel/list_ranks.h"

#include <array>

#include "arrow/array.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "base/compute_kernels.h"
#include "query/expr/kernel/compare.h"

namespace lance::query {

using arrow::Array;
using arrow::Type;

bool HasRanks(const std::shared_ptr<arrow::DataType>& item) {
  return item != nullptr &&
         (item->id() == Type::NA || ComparisonKernel(Comparison::kLess, *item) != nullptr);
}

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

}  // namespace lance::query
