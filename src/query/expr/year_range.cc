#include "query/expr/year_range.h"

#include <string>
#include <string_view>

#include "arrow/array.h"
#include "arrow/type.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/predicates.h"

namespace lance::query {
namespace {

constexpr std::string_view kDatePart = "date_part";
/// More than timestamps of seconds with reasonable dates hold, and far from any overflow.
constexpr int64_t kMostYears = 1'000'000;

bool IsYear(const Expr& part) {
  if (!part.IsLiteral() || part.value->type_id() != arrow::Type::STRING) return false;
  std::string name = static_cast<const arrow::StringArray&>(*part.value).GetString(0);
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return name == "year" || name == "years";
}

/// Whether values of the type show their own date, so that years start at the same value anywhere.
bool IsLocal(const arrow::DataType& type) {
  if (type.id() != arrow::Type::TIMESTAMP) return false;
  const std::string& zone = static_cast<const arrow::TimestampType&>(type).timezone();
  return zone.empty() || zone == "UTC";
}

/// The first moment of a year.
ExprPtr StartOf(int64_t year, const Expr& instant, SourceSpan at) {
  const auto& type = static_cast<const arrow::TimestampType&>(*instant.type);
  int64_t value = 0;
  const int64_t per_day = kSecondsPerDay * UnitsPerSecond(type.unit());
  if (__builtin_mul_overflow(DaysOf({year, 1, 1}), per_day, &value)) return nullptr;
  return MakeLiteral(FixedWidthLiteral(instant.type, value), at);
}

}  // namespace

ExprPtr CompareYears(Comparison comparison, const ExprPtr& left, const ExprPtr& right,
                     SourceSpan at) {
  // Whole numbers in SQL are of 64 bits, years of 32.
  const Expr& part = left->IsCallOf("cast") ? *left->args[0] : *left;
  const bool fits = part.IsCallOf(kDatePart) && part.args.size() == 2 && IsYear(*part.args[0]) &&
                    IsLocal(*part.args[1]->type) && right->IsLiteral() &&
                    right->value->type_id() == arrow::Type::INT64;
  if (!fits) return nullptr;
  const ExprPtr& instant = part.args[1];
  const int64_t year = static_cast<const arrow::Int64Array&>(*right->value).Value(0);
  if (year < -kMostYears || year > kMostYears) return nullptr;
  const ExprPtr start = StartOf(year, *instant, right->at);
  const ExprPtr end = StartOf(year + 1, *instant, right->at);
  if (start == nullptr || end == nullptr) return nullptr;
  auto compare = [&](Comparison how, const ExprPtr& bound) {
    return MakeComparison(how, instant, bound, at);
  };
  switch (comparison) {
    case Comparison::kEqual:
      return MakeAnd({compare(Comparison::kGreaterEqual, start), compare(Comparison::kLess, end)},
                     at);
    case Comparison::kNotEqual:
      return MakeOr({compare(Comparison::kLess, start), compare(Comparison::kGreaterEqual, end)},
                    at);
    case Comparison::kLess:
      return compare(Comparison::kLess, start);
    case Comparison::kLessEqual:
      return compare(Comparison::kLess, end);
    case Comparison::kGreater:
      return compare(Comparison::kGreaterEqual, end);
    case Comparison::kGreaterEqual:
      return compare(Comparison::kGreaterEqual, start);
    default:
      return nullptr;
  }
}

}  // namespace lance::query
