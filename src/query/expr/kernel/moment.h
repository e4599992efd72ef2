#pragma once

#include <cstdint>
#include <type_traits>

#include "query/expr/expr.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

constexpr int64_t kNanosPerSecond = 1000 * 1000 * 1000;

/// A point in time taken apart.
struct Moment {
  int64_t days = 0;
  int64_t second_of_day = 0;
  int64_t nanos = 0;
};

inline Moment MomentOf(int64_t value, int64_t per_second) {
  int64_t seconds = FloorDivide(value, per_second);
  return {FloorDivide(seconds, kSecondsPerDay), FloorModulo(seconds, kSecondsPerDay),
          FloorModulo(value, per_second) * (kNanosPerSecond / per_second)};
}

/// Units per second of times, timestamps and durations.
int64_t UnitOf(const arrow::DataType& type);

/// use(units per second), as a constant: dividing by one is several times as fast.
template <typename Use>
auto WithUnit(const arrow::DataType& type, Use use) {
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return use(std::integral_constant<int64_t, UnitsPerSecond(arrow::TimeUnit::SECOND)>());
    case arrow::TimeUnit::MILLI:
      return use(std::integral_constant<int64_t, UnitsPerSecond(arrow::TimeUnit::MILLI)>());
    case arrow::TimeUnit::MICRO:
      return use(std::integral_constant<int64_t, UnitsPerSecond(arrow::TimeUnit::MICRO)>());
    case arrow::TimeUnit::NANO:
      break;
  }
  return use(std::integral_constant<int64_t, UnitsPerSecond(arrow::TimeUnit::NANO)>());
}

/// The operand's local times; times of a day are those of the first one.
Result<Operand> Local(const CallContext& context, const Operand& operand);

/// The timestamp type in which a date, time or timestamp (or its text) is taken apart, or null.
std::shared_ptr<arrow::DataType> InstantType(const Expr& expr);

}  // namespace lance::query
