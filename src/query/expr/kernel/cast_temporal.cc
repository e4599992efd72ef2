#include "arrow/type.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/cast_steps.h"
#include "query/expr/kernel/zone.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;

constexpr int64_t kMillisPerDay = kSecondsPerDay * 1000;

int64_t UnitOf(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::TIMESTAMP:
      return UnitsPerSecond(static_cast<const arrow::TimestampType&>(type).unit());
    case Type::DURATION:
      return UnitsPerSecond(static_cast<const arrow::DurationType&>(type).unit());
    case Type::DATE64:
      return UnitsPerSecond(arrow::TimeUnit::MILLI);
    default:
      return UnitsPerSecond(static_cast<const arrow::TimeType&>(type).unit());
  }
}

/// value · to / from, of which one divides the other. Digits that are lost are cut off.
bool Rescale(int64_t value, int64_t from, int64_t to, int64_t* out) {
  if (to >= from) return !__builtin_mul_overflow(value, to / from, out);
  *out = value / (from / to);
  return true;
}

template <typename Out, typename In, typename Convert>
Result<std::shared_ptr<Array>> Map(const CastJob& job, Convert convert) {
  FixedValues<In> values(job.operand());
  return CastFixed<Out>(job, [&](int64_t row, Out* out) {
    int64_t value = 0;
    if (!convert(static_cast<int64_t>(values[row]), &value)) return false;
    *out = static_cast<Out>(value);
    return std::in_range<Out>(value);
  });
}

bool Is32Bit(const arrow::DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::TIME32;
}

template <typename Convert>
Result<std::shared_ptr<Array>> MapAny(const CastJob& job, Convert convert) {
  if (Is32Bit(job.from())) {
    return Is32Bit(*job.to) ? Map<int32_t, int32_t>(job, convert)
                            : Map<int64_t, int32_t>(job, convert);
  }
  return Is32Bit(*job.to) ? Map<int32_t, int64_t>(job, convert)
                          : Map<int64_t, int64_t>(job, convert);
}

bool IsDate(Type::type id) { return id == Type::DATE32 || id == Type::DATE64; }
bool IsTime(Type::type id) { return id == Type::TIME32 || id == Type::TIME64; }

std::string ZoneOf(const arrow::DataType& type) {
  return type.id() == Type::TIMESTAMP ? static_cast<const arrow::TimestampType&>(type).timezone()
                                      : "";
}

/// Timestamps without a zone, and dates, are local times of the zone that they get: the first
/// instant of a time that its clocks show twice.
Result<std::shared_ptr<Array>> FromLocalTime(const CastJob& job) {
  const auto& to = static_cast<const arrow::TimestampType&>(*job.to);
  ARROW_ASSIGN_OR_RAISE(auto local,
                        CastArray(job.pool, job.array, arrow::timestamp(to.unit()), job.mode));
  ARROW_ASSIGN_OR_RAISE(auto zone, Zone::Named(to.timezone()));
  const ZoneClock clock(*zone, UnitsPerSecond(to.unit()));
  const CastJob step{job.pool, local, job.to, job.mode};
  FixedValues<int64_t> values(step.operand());
  return CastFixed<int64_t>(step, [&](int64_t row, int64_t* out) {
    auto instant = clock.FirstInstantOf(values[row]);
    *out = instant.value_or(0);
    return instant.has_value();
  });
}

Result<std::shared_ptr<Array>> FromDays(const CastJob& job) {
  if (job.to->id() == Type::DATE64) {
    return MapAny(job, [](int64_t days, int64_t* out) {
      *out = days * kMillisPerDay;
      return true;
    });
  }
  int64_t unit = UnitOf(*job.to);
  return MapAny(job, [unit](int64_t days, int64_t* out) {
    return !__builtin_mul_overflow(days, kSecondsPerDay * unit, out);
  });
}

}  // namespace

bool CanCastTemporal(const arrow::DataType& from, const arrow::DataType& to) {
  auto is_instant = [](Type::type id) { return IsDate(id) || id == Type::TIMESTAMP; };
  if (is_instant(from.id()) && is_instant(to.id())) return true;
  if (IsTime(from.id()) && IsTime(to.id())) return true;
  if (from.id() == Type::TIMESTAMP && IsTime(to.id())) return true;
  return from.id() == Type::DURATION && to.id() == Type::DURATION;
}

Result<std::shared_ptr<Array>> CastTemporal(const CastJob& job) {
  const arrow::DataType& from = job.from();
  const arrow::DataType& to = *job.to;
  std::string zone = ZoneOf(from);
  // DATE64 counts from the epoch in UTC, as in the reference.
  const bool is_local = to.id() != Type::TIMESTAMP && to.id() != Type::DATE64;
  if (from.id() == Type::TIMESTAMP && is_local && !zone.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto local, ToLocalTime(job.pool, job.array));
    return CastArray(job.pool, local, job.to, job.mode);
  }
  if (zone.empty() && !ZoneOf(to).empty()) return FromLocalTime(job);
  if (from.id() == Type::DATE32) return FromDays(job);
  int64_t from_unit = UnitOf(from);
  if (to.id() == Type::DATE32 && from.id() == Type::DATE64) {
    // As in the reference, a time of day before 1970 counts to the next day.
    return MapAny(job, [](int64_t millis, int64_t* out) {
      *out = millis / kMillisPerDay;
      return true;
    });
  }
  if (to.id() == Type::DATE32) {
    return MapAny(job, [=](int64_t value, int64_t* out) {
      *out = FloorDivide(value, from_unit * kSecondsPerDay);
      return true;
    });
  }
  int64_t to_unit = UnitOf(to);
  if (from.id() == Type::TIMESTAMP && IsTime(to.id())) {
    return MapAny(job, [=](int64_t value, int64_t* out) {
      return Rescale(FloorModulo(value, from_unit * kSecondsPerDay), from_unit, to_unit, out);
    });
  }
  return MapAny(
      job, [=](int64_t value, int64_t* out) { return Rescale(value, from_unit, to_unit, out); });
}

Result<std::shared_ptr<Array>> ToLocalTime(arrow::MemoryPool* pool,
                                           const std::shared_ptr<Array>& array) {
  std::string zone = ZoneOf(*array->type());
  if (zone.empty()) return array;
  const auto unit = static_cast<const arrow::TimestampType&>(*array->type()).unit();
  if (zone == "UTC") return WithType(array, arrow::timestamp(unit));
  ARROW_ASSIGN_OR_RAISE(auto rules, Zone::Named(zone));
  const Operand operand{array, false};
  const FixedValues<int64_t> values(operand);
  ZoneClock clock(*rules, UnitsPerSecond(unit));
  const CallContext context{pool, arrow::timestamp(unit)};
  return MapFixedChecked<int64_t>(
      context, {&operand, 1}, array->length(), [&](int64_t row, int64_t* out) {
        auto local = clock.LocalAt(values[row]);
        if (!local) return UserError("a local time in ", zone, " is out of range");
        *out = *local;
        return Status::OK();
      });
}

}  // namespace lance::query
