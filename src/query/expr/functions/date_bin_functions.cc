#include <algorithm>
#include <limits>

#include "query/expr/function.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/interval_text.h"
#include "query/expr/kernel/moment.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::TimeUnit;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;
/// Nanoseconds of any timestamp.
using Nanos = __int128;

Nanos FloorTo(Nanos value, Nanos step) {
  const Nanos rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

/// The same time of the same day some months later, or of the last day of that month.
Nanos AddMonths(Nanos moment, int64_t months) {
  constexpr Nanos kDay = static_cast<Nanos>(kSecondsPerDay) * kNanosPerSecond;
  const Nanos day = FloorTo(moment, kDay);
  const CivilDate date = DateOf(static_cast<int64_t>(day / kDay));
  const int64_t month = date.year * 12 + date.month - 1 + months;
  const int64_t year = FloorDivide(month, 12);
  const auto month_of_year = static_cast<int32_t>(FloorModulo(month, 12) + 1);
  const int32_t day_of_month = std::min(date.day, DaysInMonth(year, month_of_year));
  return static_cast<Nanos>(DaysOf({year, month_of_year, day_of_month})) * kDay + (moment - day);
}

int64_t MonthOf(Nanos moment) {
  constexpr Nanos kDay = static_cast<Nanos>(kSecondsPerDay) * kNanosPerSecond;
  const CivilDate date = DateOf(static_cast<int64_t>(FloorTo(moment, kDay) / kDay));
  return date.year * 12 + date.month;
}

/// The start of the bin that a moment is in; bins begin at the origin.
Nanos BinStart(const Interval& stride, Nanos moment, Nanos origin) {
  if (stride.months == 0) return origin + FloorTo(moment - origin, stride.nanos);
  const int64_t months = MonthOf(moment) - MonthOf(origin);
  const int64_t whole = FloorDivide(months, stride.months) * stride.months;
  const Nanos start = AddMonths(origin, whole);
  return start <= moment ? start : AddMonths(origin, whole - stride.months);
}

/// The values of an operand, in nanoseconds.
class NanoValues {
 public:
  explicit NanoValues(const Operand& operand)
      : nanos_per_unit_(kNanosPerSecond / UnitOf(*operand.array->type())),
        is_narrow_(operand.array->type_id() == Type::TIME32),
        narrow_(operand),
        wide_(operand) {}

  Nanos operator[](int64_t row) const {
    return static_cast<Nanos>(is_narrow_ ? narrow_[row] : wide_[row]) * nanos_per_unit_;
  }
  int64_t nanos_per_unit() const { return nanos_per_unit_; }

 private:
  int64_t nanos_per_unit_;
  bool is_narrow_;
  FixedValues<int32_t> narrow_;
  FixedValues<int64_t> wide_;
};

/// The same in units of the moments, for strides of a fixed length that are whole units. False if
/// that overflows.
bool BinStartInUnits(int64_t stride, int64_t moment, int64_t* out) {
  const int64_t rest = moment % stride;
  return !__builtin_sub_overflow(moment, rest < 0 ? rest + stride : rest, out);
}

template <typename T>
Result<std::shared_ptr<Array>> DateBin(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  const Interval stride = *ParseInterval(BytesValues(args[0])[0]);
  const NanoValues moments(args[1]);
  const bool has_origins = args.size() > 2;
  const NanoValues origins(args[has_origins ? 2 : 1]);
  const FixedValues<T> units_of(args[1]);
  const bool is_whole = stride.months == 0 && stride.nanos % moments.nanos_per_unit() == 0;
  const int64_t stride_units = is_whole ? stride.nanos / moments.nanos_per_unit() : 0;
  return MapFixedChecked<T>(context, args.subspan(1), rows, [&](int64_t row, T* out) {
    int64_t fast = 0;
    if (is_whole && !has_origins && BinStartInUnits(stride_units, units_of[row], &fast)) {
      *out = static_cast<T>(fast);
      return Status::OK();
    }
    const Nanos start = BinStart(stride, moments[row], has_origins ? origins[row] : 0);
    const Nanos units = FloorTo(start, moments.nanos_per_unit()) / moments.nanos_per_unit();
    if (units != static_cast<T>(units)) {
      return UserError("date_bin(): a bin begins before what ", context.type->ToString(),
                       " can hold");
    }
    *out = static_cast<T>(units);
    return Status::OK();
  });
}

/// Of whole months, or of a fixed length.
bool IsStride(const Interval& interval) {
  constexpr int64_t kMostMonths = 12 * 100 * 1000;
  if (interval.months < 0 || interval.nanos < 0 || interval.months > kMostMonths) return false;
  return (interval.months > 0) != (interval.nanos > 0);
}

Bound BindDateBin(BindArgs args) {
  if (args.size() < 2 || args.size() > 3) return std::nullopt;
  auto text = LiteralText(*args[0]);
  auto stride = text ? ParseInterval(*text) : std::nullopt;
  if (!stride || !IsStride(*stride)) return std::nullopt;
  const Type::type id = args[1]->type->id();
  const bool is_time = id == Type::TIME32 || id == Type::TIME64;
  if (is_time && stride->months > 0) return std::nullopt;
  TypePtr type = is_time ? args[1]->type : InstantType(*args[1]);
  if (type == nullptr) return std::nullopt;
  if (!is_time && id != Type::TIMESTAMP) type = arrow::timestamp(TimeUnit::NANO);
  BoundFunction bound{{arrow::utf8(), type},
                      type,
                      id == Type::TIME32 ? DateBin<int32_t> : DateBin<int64_t>,
                      /*can_fail=*/true};
  if (args.size() < 3) return bound;
  TypePtr origin = type;
  if (!is_time) {
    origin = arrow::timestamp(TimeUnit::NANO,
                              static_cast<const arrow::TimestampType&>(*type).timezone());
  }
  if (InstantType(*args[2]) == nullptr || !CanCast(*args[2]->type, *origin)) return std::nullopt;
  bound.arg_types.push_back(origin);
  return bound;
}

constexpr Function kFunctions[] = {
    {"date_bin", "date_bin('15 minutes' | '3 months' | …, date, time or timestamp[, origin])",
     BindDateBin},
};

}  // namespace

std::span<const Function> DateBinFunctions() { return kFunctions; }

}  // namespace lance::query
