#include <array>
#include <limits>
#include <string>
#include <utility>

#include "query/expr/function.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/moment.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/zone.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::TimeUnit;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

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

/// The whole days, hours … of a duration: not what is left beside larger ones.
int64_t TotalOf(int64_t value, int64_t per_second, Part part) {
  const int64_t seconds = value / per_second;
  switch (part) {
    case Part::kWeek:
      return seconds / (7 * kSecondsPerDay);
    case Part::kDay:
      return seconds / kSecondsPerDay;
    case Part::kHour:
      return seconds / 3600;
    case Part::kMinute:
      return seconds / 60;
    default:
      return seconds;
  }
}

/// Units of a part that is shorter than a second; 0 for others.
int64_t PartsPerSecond(Part part) {
  switch (part) {
    case Part::kMillisecond:
      return 1000;
    case Part::kMicrosecond:
      return 1000 * 1000;
    case Part::kNanosecond:
      return kNanosPerSecond;
    default:
      return 0;
  }
}

template <typename T>
Result<std::shared_ptr<Array>> DurationPart(const CallContext& context,
                                            std::span<const Operand> args, int64_t rows) {
  const Part part = *PartNamed(BytesValues(args[0])[0]);
  const int64_t parts = PartsPerSecond(part);
  const int64_t per_second = UnitOf(*args[1].array->type());
  FixedValues<int64_t> values(args[1]);
  return MapFixedChecked<T>(context, args.subspan(1), rows, [&](int64_t row, T* out) {
    int64_t total = 0;
    bool fits = true;
    if (parts == 0) {
      total = TotalOf(values[row], per_second, part);
    } else if (parts < per_second) {
      total = values[row] / (per_second / parts);
    } else {
      fits = !__builtin_mul_overflow(values[row], parts / per_second, &total);
    }
    if (!fits || !std::in_range<T>(total)) {
      return UserError("date_part() of a duration doesn't fit into ", context.type->ToString());
    }
    *out = static_cast<T>(total);
    return Status::OK();
  });
}

Bound BindDurationPart(BindArgs args, Part part) {
  const std::vector<TypePtr> arg_types = {arrow::utf8(), args[1]->type};
  if (part == Part::kEpoch) return BoundFunction{arg_types, arrow::float64(), Epoch};
  const bool is_part = PartsPerSecond(part) > 0 || part == Part::kWeek || part == Part::kDay ||
                       part == Part::kHour || part == Part::kMinute || part == Part::kSecond;
  if (!is_part) return std::nullopt;
  if (part == Part::kNanosecond) {
    return BoundFunction{arg_types, arrow::int64(), DurationPart<int64_t>, /*can_fail=*/true};
  }
  return BoundFunction{arg_types, arrow::int32(), DurationPart<int32_t>, /*can_fail=*/true};
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
  if (part && args[1]->type->id() == Type::DURATION) return BindDurationPart(args, *part);
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

/// What date_trunc does to each value of a unit.
class Truncation {
 public:
  Truncation(Part part, int64_t per_second) : part_(part), per_day_(per_second * kSecondsPerDay) {
    const int64_t nanos = NanosOf(part);
    if (nanos > 0) step_ = std::max<int64_t>(nanos / (kNanosPerSecond / per_second), 1);
  }

  Status Apply(int64_t value, int64_t* out) const {
    const int64_t step = step_ > 0 ? step_ : per_day_;
    const int64_t steps = FloorDivide(value, step);
    if (__builtin_mul_overflow(step_ > 0 ? steps : TruncateDays(steps, part_), step, out)) {
      return UserError("the truncated timestamp is out of range");
    }
    return Status::OK();
  }

 private:
  Part part_;
  int64_t per_day_;
  int64_t step_ = 0;  // of parts that have a fixed length
};

/// By the clocks of a zone. What is shown twice keeps its offset.
Result<std::shared_ptr<Array>> TruncateInZone(const CallContext& context,
                                              std::span<const Operand> args, int64_t rows,
                                              Part part, const std::string& zone_name) {
  ARROW_ASSIGN_OR_RAISE(auto zone, Zone::Named(zone_name));
  const int64_t per_second = UnitOf(*context.type);
  ZoneClock clock(*zone, per_second);
  const Truncation truncation(part, per_second);
  FixedValues<int64_t> values(args[0]);
  return MapFixedChecked<int64_t>(context, args, rows, [&](int64_t row, int64_t* out) {
    const int64_t offset = clock.OffsetAt(values[row]);
    const auto local = clock.LocalAt(values[row]);
    int64_t truncated = 0;
    if (local) ARROW_RETURN_NOT_OK(truncation.Apply(*local, &truncated));
    const auto instant = local ? clock.InstantOf(truncated, offset) : std::nullopt;
    if (!instant) return UserError("the truncated timestamp is out of range");
    *out = *instant;
    return Status::OK();
  });
}

Result<std::shared_ptr<Array>> DateTrunc(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  Part part = *PartNamed(BytesValues(args[0])[0]);
  const std::span<const Operand> moments = args.subspan(1);
  // Minutes and less begin at the same time everywhere, but for local mean time long ago.
  const bool is_by_zone = NanosOf(part) == 0 || NanosOf(part) > 60 * kNanosPerSecond;
  if (is_by_zone && context.type->id() == Type::TIMESTAMP) {
    const std::string& zone = static_cast<const arrow::TimestampType&>(*context.type).timezone();
    if (!zone.empty()) return TruncateInZone(context, moments, rows, part, zone);
  }
  const Truncation truncation(part, UnitOf(*context.type));
  FixedValues<int64_t> values(moments[0]);
  return MapFixedChecked<int64_t>(context, moments, rows, [&](int64_t row, int64_t* out) {
    return truncation.Apply(values[row], out);
  });
}

/// As numbers of 32 bits.
Result<std::shared_ptr<Array>> TimeTrunc(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const Part part = *PartNamed(BytesValues(args[0])[0]);
  const auto unit = static_cast<const arrow::TimeType&>(*context.type).unit();
  const Truncation truncation(part, UnitsPerSecond(unit));
  FixedValues<int32_t> values(args[1]);
  return MapFixedChecked<int32_t>(context, args.subspan(1), rows, [&](int64_t row, int32_t* out) {
    int64_t truncated = 0;
    ARROW_RETURN_NOT_OK(truncation.Apply(values[row], &truncated));
    *out = static_cast<int32_t>(truncated);
    return Status::OK();
  });
}

Bound BindDateTrunc(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  auto name = LiteralText(*args[0]);
  auto part = name ? PartNamed(*name) : std::nullopt;
  TypePtr instant = InstantType(*args[1]);
  if (!part || !IsTruncatable(*part) || instant == nullptr) return std::nullopt;
  if (instant->id() == Type::TIME64) {
    if (NanosOf(*part) == 0) return std::nullopt;
    Kernel kernel = args[1]->type->id() == Type::TIME32 ? TimeTrunc : DateTrunc;
    return BoundFunction{{arrow::utf8(), args[1]->type}, args[1]->type, kernel, /*can_fail=*/true};
  }
  // Dates become timestamps of the unit that the reference gives them.
  if (args[1]->type->id() != Type::TIMESTAMP) instant = arrow::timestamp(TimeUnit::NANO);
  return BoundFunction{{arrow::utf8(), instant}, instant, DateTrunc, /*can_fail=*/true};
}

std::vector<std::string> AllParts() {
  std::vector<std::string> names;
  names.reserve(kParts.size());
  for (const NamedPart& part : kParts) names.emplace_back(part.name);
  return names;
}

std::vector<std::string> TruncatableParts() {
  std::vector<std::string> names;
  for (const NamedPart& part : kParts) {
    if (IsTruncatable(part.part)) names.emplace_back(part.name);
  }
  return names;
}

constexpr Function kFunctions[] = {
    {"date_part", "date_part('year' | 'month' | …, date, time, timestamp or duration)",
     BindDatePart, AllParts},
    {"datepart", "datepart('year' | 'month' | …, date, time, timestamp or duration)", BindDatePart,
     AllParts},
    {"date_trunc", "date_trunc('year' | 'month' | …, date, time or timestamp)", BindDateTrunc,
     TruncatableParts},
    {"datetrunc", "datetrunc('year' | 'month' | …, date, time or timestamp)", BindDateTrunc,
     TruncatableParts},
};

}  // namespace

std::span<const Function> DateFunctions() { return kFunctions; }

}  // namespace lance::query
