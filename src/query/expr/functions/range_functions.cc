#include <array>

#include "arrow/builder.h"
#include "query/expr/function.h"
#include "query/expr/kernel/made_items.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// How many numbers there are from `start` by `step` that are below `stop` (above, if `step` is
/// negative), or equal to it if it is included.
uint64_t CountNumbers(int64_t start, int64_t stop, int64_t step, bool includes_stop) {
  const bool is_upwards = step > 0;
  if (start == stop) return includes_stop ? 1 : 0;
  if ((start < stop) != is_upwards) return 0;
  const uint64_t distance = is_upwards ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                       : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t stride =
      is_upwards ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const uint64_t last = includes_stop ? distance : distance - 1;
  return last / stride + 1;
}

/// Numbers from 0 or a start to a stop, by 1 or a step.
template <bool kIncludesStop>
Result<std::shared_ptr<Array>> Range(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  constexpr std::string_view kName = kIncludesStop ? "generate_series" : "range";
  const bool has_start = args.size() > 1;
  const FixedValues<int64_t> starts(args[0]);
  const FixedValues<int64_t> stops(args[has_start ? 1 : 0]);
  const FixedValues<int64_t> steps(args.back());
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  MadeItems made(kName);
  auto items = std::make_shared<arrow::Int64Builder>(context.pool);
  arrow::ListBuilder builder(context.pool, items, context.type);
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    const int64_t start = has_start ? starts[row] : 0;
    const int64_t step = args.size() > 2 ? steps[row] : 1;
    if (step == 0) return UserError(kName, "() can't go on by steps of 0");
    const uint64_t count = CountNumbers(start, stops[row], step, kIncludesStop);
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    ARROW_RETURN_NOT_OK(made.Add(static_cast<int64_t>(std::min(count, kMost)), 1));
    ARROW_RETURN_NOT_OK(builder.Append());
    ARROW_RETURN_NOT_OK(items->Reserve(static_cast<int64_t>(count)));
    for (uint64_t i = 0; i < count; ++i) {
      items->UnsafeAppend(
          static_cast<int64_t>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step)));
    }
  }
  return builder.Finish();
}

template <bool kIncludesStop>
Bound BindRange(BindArgs args) {
  if (args.empty() || args.size() > 3) return std::nullopt;
  for (const ExprPtr& arg : args) {
    if (!TakesInteger(*arg)) return std::nullopt;
  }
  return BoundFunction{std::vector<TypePtr>(args.size(), arrow::int64()),
                       arrow::list(arrow::int64()), Range<kIncludesStop>, /*can_fail=*/true};
}

constexpr Function kFunctions[] = {
    {"range", "range([start, ]stop[, step])", BindRange<false>},
    {"generate_series", "generate_series([start, ]stop[, step])", BindRange<true>},
};

}  // namespace

std::span<const Function> RangeFunctions() { return kFunctions; }

}  // namespace lance::query
