#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "query/expr/function.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::TimeUnit;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

constexpr int64_t kNanosPerSecond = 1000 * 1000 * 1000;

enum class Part : uint8_t {
  kYear,
  kIsoYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kEpoch,
};

struct NamedPart {
  std::string_view name;
  Part part;
};
constexpr std::array<NamedPart, 29> kParts = {{
    {"year", Part::kYear},
    {"years", Part::kYear},
    {"isoyear", Part::kIsoYear},
    {"quarter", Part::kQuarter},
    {"month", Part::kMonth},
    {"months", Part::kMonth},
    {"week", Part::kWeek},
    {"weeks", Part::kWeek},
    {"day", Part::kDay},
    {"days", Part::kDay},
    {"hour", Part::kHour},
    {"hours", Part::kHour},
    {"minute", Part::kMinute},
    {"minutes", Part::kMinute},
    {"second", Part::kSecond},
    {"seconds", Part::kSecond},
    {"millisecond", Part::kMillisecond},
    {"milliseconds", Part::kMillisecond},
    {"microsecond", Part::kMicrosecond},
    {"microseconds", Part::kMicrosecond},
    {"nanosecond", Part::kNanosecond},
    {"nanoseconds", Part::kNanosecond},
    {"dow", Part::kDayOfWeek},
    {"dayofweek", Part::kDayOfWeek},
    {"isodow", Part::kIsoDayOfWeek},
    {"doy", Part::kDayOfYear},
    {"dayofyear", Part::kDayOfYear},
    {"epoch", Part::kEpoch},
    {"qtr", Part::kQuarter},
}};

std::optional<Part> PartNamed(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const NamedPart& named : kParts) {
    if (named.name == lower) return named.part;
  }
  return std::nullopt;
}

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

int64_t PartOf(const Moment& moment, Part part) {
  int64_t second = moment.second_of_day % 60;
  switch (part) {
    case Part::kYear:
      return DateOf(moment.days).year;
    case Part::kIsoYear:
      return IsoWeekOf(moment.days).year;
    case Part::kQuarter:
      return (DateOf(moment.days).month + 2) / 3;
    case Part::kMonth:
      return DateOf(moment.days).month;
    case Part::kWeek:
      return IsoWeekOf(moment.days).week;
    case Part::kDay:
      return DateOf(moment.days).day;
    case Part::kHour:
      return moment.second_of_day / 3600;
    case Part::kMinute:
      return moment.second_of_day / 60 % 60;
    case Part::kSecond:
      return second;
    case Part::kMillisecond:
      return second * 1000 + moment.nanos / (1000 * 1000);
    case Part::kMicrosecond:
      return second * 1000 * 1000 + moment.nanos / 1000;
    case Part::kNanosecond:
      return second * kNanosPerSecond + moment.nanos;
    case Part::kDayOfWeek:
      return DayOfWeek(moment.days);
    case Part::kIsoDayOfWeek:
      return (DayOfWeek(moment.days) + 6) % 7 + 1;
    case Part::kDayOfYear:
      return DayOfYear(moment.days);
    case Part::kEpoch:
      return moment.days * kSecondsPerDay + moment.second_of_day;
  }
  return 0;
}

int64_t UnitOf(const arrow::DataType& type) {
  if (type.id() == Type::TIME64) {
    return UnitsPerSecond(static_cast<const arrow::TimeType&>(type).unit());
  }
  return UnitsPerSecond(static_cast<const arrow::TimestampType&>(type).unit());
}

/// use(units per second), as a constant: dividing by one is several times as fast.
template <typename Use>
auto WithUnit(const arrow::DataType& type, Use use) {
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case TimeUnit::SECOND:
      return use(std::integral_constant<int64_t, UnitsPerSecond(TimeUnit::SECOND)>());
    case TimeUnit::MILLI:
      return use(std::integral_constant<int64_t, UnitsPerSecond(TimeUnit::MILLI)>());
    case TimeUnit::MICRO:
      return use(std::integral_constant<int64_t, UnitsPerSecond(TimeUnit::MICRO)>());
    case TimeUnit::NANO:
      break;
  }
  return use(std::integral_constant<int64_t, UnitsPerSecond(TimeUnit::NANO)>());
}

/// The operand's local times; times of a day are those of the first one.
Result<Operand> Local(const CallContext& context, const Operand& operand) {
  if (operand.array->type_id() == Type::TIME64) {
    const auto unit = static_cast<const arrow::TimeType&>(*operand.array->type()).unit();
    return Operand{WithType(operand.array, arrow::timestamp(unit)), operand.is_constant};
  }
  ARROW_ASSIGN_OR_RAISE(auto local, ToLocalTime(context.pool, operand.array));
  return Operand{std::move(local), operand.is_constant};
}

template <typename T>
Result<std::shared_ptr<Array>> DatePart(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  Part part = *PartNamed(BytesValues(args[0])[0]);
  ARROW_ASSIGN_OR_RAISE(Operand local, Local(context, args[1]));
  FixedValues<int64_t> values(local);
  return WithUnit(*local.array->type(), [&](auto per_second) {
    return MapFixed<T>(context, args.subspan(1), rows, [&](int64_t row) {
      return static_cast<T>(PartOf(MomentOf(values[row], per_second), part));
    });
  });
}

Result<std::shared_ptr<Array>> Epoch(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  FixedValues<int64_t> values(args[1]);
  auto per_second = static_cast<double>(UnitOf(*args[1].array->type()));
  return MapFixed<double>(context, args.subspan(1), rows, [&](int64_t row) {
    return static_cast<double>(values[row]) / per_second;
  });
}

/// The timestamp type in which a date, time or timestamp is taken apart, or null.
TypePtr InstantType(const Expr& expr) {
  switch (expr.type->id()) {
    case Type::TIMESTAMP:
      return expr.type;
    case Type::DATE32:
      return arrow::timestamp(TimeUnit::SECOND);
    case Type::DATE64:
      return arrow::timestamp(TimeUnit::MILLI);
    case Type::TIME32:
      return arrow::time64(TimeUnit::MICRO);
    case Type::TIME64:
      return expr.type;
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::NA:
      return arrow::timestamp(TimeUnit::NANO);
    default:
      return nullptr;
  }
}

/// Whether a time of day has such a part.
bool IsOfTime(Part part) {
  return part == Part::kHour || part == Part::kMinute || part == Part::kSecond ||
         part == Part::kMillisecond || part == Part::kMicrosecond || part == Part::kNanosecond ||
         part == Part::kEpoch;
}

Bound BindDatePart(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  auto name = LiteralText(*args[0]);
  auto part = name ? PartNamed(*name) : std::nullopt;
  TypePtr instant = InstantType(*args[1]);
  if (!part || instant == nullptr) return std::nullopt;
  if (instant->id() == Type::TIME64 && !IsOfTime(*part)) return std::nullopt;
  std::vector<TypePtr> arg_types = {arrow::utf8(), instant};
  if (*part == Part::kEpoch) return BoundFunction{arg_types, arrow::float64(), Epoch};
  if (*part == Part::kNanosecond) {
    return BoundFunction{arg_types, arrow::int64(), DatePart<int64_t>};
  }
  return BoundFunction{arg_types, arrow::int32(), DatePart<int32_t>};
}

// ---- date_trunc ----

/// The start of the year, quarter … that a day is in.
int64_t TruncateDays(int64_t days, Part part) {
  CivilDate date = DateOf(days);
  switch (part) {
    case Part::kYear:
      return DaysOf({date.year, 1, 1});
    case Part::kQuarter:
      return DaysOf({date.year, (date.month - 1) / 3 * 3 + 1, 1});
    case Part::kMonth:
      return DaysOf({date.year, date.month, 1});
    case Part::kWeek:
      return days - (DayOfWeek(days) + 6) % 7;
    default:
      return days;
  }
}

/// Nanoseconds of a part of fixed length; 0 for parts of days and more.
int64_t NanosOf(Part part) {
  switch (part) {
    case Part::kHour:
      return 3600 * kNanosPerSecond;
    case Part::kMinute:
      return 60 * kNanosPerSecond;
    case Part::kSecond:
      return kNanosPerSecond;
    case Part::kMillisecond:
      return 1000 * 1000;
    case Part::kMicrosecond:
      return 1000;
    case Part::kNanosecond:
      return 1;
    default:
      return 0;
  }
}

bool IsTruncatable(Part part) {
  return NanosOf(part) > 0 || part == Part::kYear || part == Part::kQuarter ||
         part == Part::kMonth || part == Part::kWeek || part == Part::kDay;
}

Status Truncate(int64_t value, int64_t per_second, Part part, int64_t* out) {
  if (int64_t nanos = NanosOf(part)) {
    int64_t step = std::max<int64_t>(nanos / (kNanosPerSecond / per_second), 1);
    if (__builtin_mul_overflow(FloorDivide(value, step), step, out)) {
      return UserError("the truncated timestamp is out of range");
    }
    return Status::OK();
  }
  int64_t days = TruncateDays(FloorDivide(value, per_second * kSecondsPerDay), part);
  if (__builtin_mul_overflow(days, per_second * kSecondsPerDay, out)) {
    return UserError("the truncated timestamp is out of range");
  }
  return Status::OK();
}

Result<std::shared_ptr<Array>> DateTrunc(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  Part part = *PartNamed(BytesValues(args[0])[0]);
  ARROW_ASSIGN_OR_RAISE(Operand local, Local(context, args[1]));
  FixedValues<int64_t> values(local);
  int64_t per_second = UnitOf(*local.array->type());
  CallContext local_context{context.pool, local.array->type()};
  ARROW_ASSIGN_OR_RAISE(auto truncated,
                        MapFixedChecked<int64_t>(
                            local_context, args.subspan(1), rows, [&](int64_t row, int64_t* out) {
                              return Truncate(values[row], per_second, part, out);
                            }));
  return CastArray(context.pool, truncated, context.type, CastMode::kStrict);
}

Bound BindDateTrunc(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  auto name = LiteralText(*args[0]);
  auto part = name ? PartNamed(*name) : std::nullopt;
  TypePtr instant = InstantType(*args[1]);
  if (!part || !IsTruncatable(*part) || instant == nullptr) return std::nullopt;
  if (instant->id() == Type::TIME64) return std::nullopt;
  // Dates become timestamps of the unit that the reference gives them.
  if (args[1]->type->id() != Type::TIMESTAMP) instant = arrow::timestamp(TimeUnit::NANO);
  return BoundFunction{{arrow::utf8(), instant}, instant, DateTrunc, /*can_fail=*/true};
}

// ---- making dates and timestamps ----

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
      double nanos = std::trunc(values[row] * static_cast<double>(kNanosPerSecond));
      if (!(std::abs(nanos) < static_cast<double>(std::numeric_limits<int64_t>::max()))) {
        return UserError(values[row], " seconds are no timestamp in nanoseconds");
      }
      *out = static_cast<int64_t>(nanos);
    } else if (__builtin_mul_overflow(values[row], kNanosPerSecond, out)) {
      return UserError(values[row], " seconds are no timestamp in nanoseconds");
    }
    return Status::OK();
  });
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
    {"date_part", "date_part('year' | 'month' | …, date, time or timestamp)", BindDatePart},
    {"datepart", "datepart('year' | 'month' | …, date, time or timestamp)", BindDatePart},
    {"date_trunc", "date_trunc('year' | 'month' | …, date or timestamp)", BindDateTrunc},
    {"datetrunc", "datetrunc('year' | 'month' | …, date or timestamp)", BindDateTrunc},
    {"to_timestamp", "to_timestamp(string, number or date)", BindToTimestamp},
    {"to_timestamp_seconds", "to_timestamp_seconds(string, integer or date)",
     BindToTimestampOf<TimeUnit::SECOND>},
    {"to_timestamp_millis", "to_timestamp_millis(string, integer or date)",
     BindToTimestampOf<TimeUnit::MILLI>},
    {"to_timestamp_micros", "to_timestamp_micros(string, integer or date)",
     BindToTimestampOf<TimeUnit::MICRO>},
    {"to_timestamp_nanos", "to_timestamp_nanos(string, integer or date)",
     BindToTimestampOf<TimeUnit::NANO>},
    {"from_unixtime", "from_unixtime(integer)", BindToTimestampOf<TimeUnit::SECOND>},
    {"to_unixtime", "to_unixtime(string, date or timestamp)", BindToUnixTime},
    {"to_date", "to_date(string, integer or timestamp)", BindToDate},
    {"make_date", "make_date(year, month, day)", BindMakeDate},
};

}  // namespace

std::span<const Function> DateFunctions() { return kFunctions; }

}  // namespace lance::query
