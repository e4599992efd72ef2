#include <cmath>
#include <limits>
#include <string>

#include "query/expr/function.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/format_reader.h"
#include "query/expr/kernel/moment.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::TimeUnit;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// The argument was cast already.
Result<std::shared_ptr<Array>> Identity(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  return args[0].array;
}

template <typename T>
Result<std::shared_ptr<Array>> SecondsToNanos(const CallContext& context,
                                              std::span<const Operand> args, int64_t rows) {
  FixedValues<T> values(args[0]);
  return MapFixedChecked<int64_t>(context, args, rows, [&](int64_t row, int64_t* out) {
    if constexpr (std::is_floating_point_v<T>) {
      // What is too large becomes the last moment; NaN the epoch.
      constexpr auto kLast = std::numeric_limits<int64_t>::max();
      const double nanos = std::trunc(values[row] * static_cast<double>(kNanosPerSecond));
      if (std::abs(nanos) < static_cast<double>(kLast)) {
        *out = static_cast<int64_t>(nanos);
      } else {
        *out = nanos > 0 ? kLast : nanos < 0 ? std::numeric_limits<int64_t>::min() : 0;
      }
    } else if (__builtin_mul_overflow(values[row], kNanosPerSecond, out)) {
      return UserError(values[row], " seconds are no timestamp in nanoseconds");
    }
    return Status::OK();
  });
}

/// Reads texts by the formats behind them. Others don't need them: kBind binds those, and texts
/// without a format.
template <Bound (*kBind)(BindArgs), const TypePtr (*kType)()>
Bound BindWithFormats(BindArgs args) {
  if (args.empty()) return std::nullopt;
  const BindArgs formats = args.subspan(1);
  for (const ExprPtr& format : formats) {
    if (!IsString(*format->type)) return std::nullopt;
  }
  Bound bound = kBind(args.first(1));
  if (!bound || formats.empty()) return bound;
  if (TakesString(*args[0])) bound = BoundFunction{{arrow::utf8()}, kType(), ReadByFormats, true};
  bound->arg_types.resize(args.size(), arrow::utf8());
  return bound;
}

bool IsInstantLike(const Expr& arg) {
  return TakesString(arg) || arg.type->id() == Type::TIMESTAMP || arg.type->id() == Type::DATE32 ||
         arg.type->id() == Type::DATE64;
}

Bound BindToTimestamp(BindArgs args) {
  if (args.size() != 1) return std::nullopt;
  TypePtr type = arrow::timestamp(TimeUnit::NANO);
  if (IsInstantLike(*args[0])) return BoundFunction{{type}, type, Identity, true};
  if (arrow::is_integer(args[0]->type->id())) {
    return BoundFunction{{arrow::int64()}, type, SecondsToNanos<int64_t>, true};
  }
  if (!IsNumeric(*args[0]->type)) return std::nullopt;
  return BoundFunction{{arrow::float64()}, type, SecondsToNanos<double>, true};
}

template <TimeUnit::type kUnit>
const TypePtr TimestampOf() {
  return arrow::timestamp(kUnit);
}

template <TimeUnit::type kUnit>
Bound BindToTimestampOf(BindArgs args) {
  if (args.size() != 1) return std::nullopt;
  if (!IsInstantLike(*args[0]) && !arrow::is_integer(args[0]->type->id())) return std::nullopt;
  TypePtr type = arrow::timestamp(kUnit);
  return BoundFunction{{type}, type, Identity, true};
}

Bound BindToDate(BindArgs args) {
  if (args.size() != 1 || (!IsInstantLike(*args[0]) && !TakesInteger(*args[0])))
    return std::nullopt;
  return BoundFunction{{arrow::date32()}, arrow::date32(), Identity, true};
}

const TypePtr Date() { return arrow::date32(); }
const TypePtr Time() { return arrow::time64(TimeUnit::NANO); }

/// Of texts, by formats: those given, or the usual ones.
Result<std::shared_ptr<Array>> ReadTimes(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  if (args.size() > 1) return ReadByFormats(context, args, rows);
  std::vector<Operand> with_formats = {args[0]};
  for (const char* format : {"%H:%M:%S%.f", "%H:%M"}) {
    with_formats.push_back({StringLiteral(format), true});
  }
  return ReadByFormats(context, with_formats, rows);
}

Bound BindToTime(BindArgs args) {
  if (args.size() != 1) return std::nullopt;
  if (TakesString(*args[0])) return BoundFunction{{arrow::utf8()}, Time(), ReadTimes, true};
  if (args[0]->type->id() != Type::TIMESTAMP) return std::nullopt;
  return BoundFunction{{Time()}, Time(), Identity, true};
}

/// What the clocks of its zone show.
Bound BindToLocalTime(BindArgs args) {
  if (args.size() != 1 || args[0]->type->id() != Type::TIMESTAMP) return std::nullopt;
  const auto unit = static_cast<const arrow::TimestampType&>(*args[0]->type).unit();
  return BoundFunction{{args[0]->type},
                       arrow::timestamp(unit),
                       [](const CallContext& context, std::span<const Operand> operands,
                          int64_t rows) { return ToLocalTime(context.pool, operands[0].array); }};
}

Bound BindToUnixTime(BindArgs args) {
  if (args.size() != 1 || !IsInstantLike(*args[0])) return std::nullopt;
  TypePtr seconds = arrow::timestamp(TimeUnit::SECOND);
  return BoundFunction{
      {seconds},
      arrow::int64(),
      [](const CallContext& context, std::span<const Operand> operands, int64_t rows) {
        return CastArray(context.pool, operands[0].array, context.type, CastMode::kStrict);
      },
      true};
}

Result<std::shared_ptr<Array>> MakeDate(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  FixedValues<int32_t> years(args[0]);
  FixedValues<int32_t> months(args[1]);
  FixedValues<int32_t> days(args[2]);
  return MapFixedChecked<int32_t>(context, args, rows, [&](int64_t row, int32_t* out) {
    constexpr int32_t kMostYears = 1000 * 1000;
    bool is_date = std::abs(int64_t{years[row]}) <= kMostYears && months[row] >= 1 &&
                   months[row] <= 12 && days[row] >= 1 &&
                   days[row] <= DaysInMonth(years[row], months[row]);
    if (!is_date) {
      return UserError("there is no date ", years[row], "-", months[row], "-", days[row]);
    }
    *out = static_cast<int32_t>(DaysOf({years[row], months[row], days[row]}));
    return Status::OK();
  });
}

Bound BindMakeDate(BindArgs args) {
  if (args.size() != 3) return std::nullopt;
  for (const ExprPtr& arg : args) {
    if (!TakesInteger(*arg)) return std::nullopt;
  }
  return BoundFunction{
      {arrow::int32(), arrow::int32(), arrow::int32()}, arrow::date32(), MakeDate, true};
}

constexpr Function kFunctions[] = {
    {"to_timestamp", "to_timestamp(string, number or date[, format, …])",
     BindWithFormats<BindToTimestamp, TimestampOf<TimeUnit::NANO>>},
    {"to_timestamp_seconds", "to_timestamp_seconds(string, integer or date[, format, …])",
     BindWithFormats<BindToTimestampOf<TimeUnit::SECOND>, TimestampOf<TimeUnit::SECOND>>},
    {"to_timestamp_millis", "to_timestamp_millis(string, integer or date[, format, …])",
     BindWithFormats<BindToTimestampOf<TimeUnit::MILLI>, TimestampOf<TimeUnit::MILLI>>},
    {"to_timestamp_micros", "to_timestamp_micros(string, integer or date[, format, …])",
     BindWithFormats<BindToTimestampOf<TimeUnit::MICRO>, TimestampOf<TimeUnit::MICRO>>},
    {"to_timestamp_nanos", "to_timestamp_nanos(string, integer or date[, format, …])",
     BindWithFormats<BindToTimestampOf<TimeUnit::NANO>, TimestampOf<TimeUnit::NANO>>},
    {"from_unixtime", "from_unixtime(integer)", BindToTimestampOf<TimeUnit::SECOND>},
    {"to_unixtime", "to_unixtime(string, date or timestamp)", BindToUnixTime},
    {"to_date", "to_date(string, integer or timestamp[, format, …])",
     BindWithFormats<BindToDate, Date>},
    {"to_time", "to_time(string or timestamp[, format, …])", BindWithFormats<BindToTime, Time>},
    {"to_local_time", "to_local_time(timestamp)", BindToLocalTime},
    {"make_date", "make_date(year, month, day)", BindMakeDate},
};

}  // namespace

std::span<const Function> DateMakingFunctions() { return kFunctions; }

}  // namespace lance::query
