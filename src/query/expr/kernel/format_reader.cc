#include "query/expr/kernel/format_reader.h"

#include <limits>
#include <optional>
#include <vector>

#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/format_cache.h"
#include "query/expr/kernel/moment.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/utf8.h"
#include "query/expr/kernel/zoned_times.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::TimeUnit;
using arrow::Type;

constexpr std::string_view kZoneAtEnd = " %Z";

/// Units since the epoch, or since midnight of times.
std::optional<int64_t> UnitsOf(const ParsedMoment& moment, int64_t per_second, bool is_time) {
  int64_t seconds = moment.second_of_day.value_or(0);
  if (!is_time) seconds += *moment.days * kSecondsPerDay - moment.offset.value_or(0);
  int64_t units = 0;
  const int64_t fraction = moment.nanos / (kNanosPerSecond / per_second);
  if (__builtin_mul_overflow(seconds, per_second, &units) ||
      __builtin_add_overflow(units, fraction, &units)) {
    return std::nullopt;
  }
  return units;
}

class FormatReader {
 public:
  FormatReader(std::span<const Operand> args, TimeUnit::type unit, bool is_time)
      : args_(args),
        texts_(args[0]),
        formats_(args.begin() + 1, args.end()),
        unit_(unit),
        is_time_(is_time),
        zoned_(unit) {}

  /// False if no format fits.
  Result<bool> Read(int64_t row, int64_t* out) {
    for (size_t i = 0; i < formats_.size(); ++i) {
      if (IsNullAt(args_[i + 1], row)) continue;
      ARROW_ASSIGN_OR_RAISE(bool is_read, ReadBy(formats_[i][row], row, out));
      if (is_read) return true;
    }
    return false;
  }

  Status NotRead(int64_t row) const {
    constexpr size_t kShown = 60;
    std::string formats;
    for (size_t i = 0; i < formats_.size(); ++i) {
      if (IsNullAt(args_[i + 1], row)) continue;
      formats += (formats.empty() ? "'" : ", '") + std::string(formats_[i][row]) + "'";
    }
    return UserError("'", Shortened(texts_[row], kShown), "' cannot be read by the format ",
                     Shortened(formats, kShown));
  }

  /// Those that were read with the name of a zone.
  Status ReadZoned(std::vector<int64_t>* values) const {
    Status status;
    zoned_.Resolve([&](int64_t row, std::optional<int64_t> instant) {
      if (instant) {
        (*values)[static_cast<size_t>(row)] = *instant;
      } else if (status.ok()) {
        status = NotRead(row);
      }
    });
    return status;
  }

 private:
  Result<bool> ReadBy(std::string_view format, int64_t row, int64_t* out) {
    std::string_view text = texts_[row];
    std::string_view zone;
    if (!is_time_ && format.ends_with(kZoneAtEnd)) {
      const size_t at = text.rfind(' ');
      if (at == std::string_view::npos || !IsZoneName(text.substr(at + 1))) return false;
      zone = text.substr(at + 1);
      text = text.substr(0, at);
      format.remove_suffix(kZoneAtEnd.size());
    }
    ARROW_ASSIGN_OR_RAISE(const DateFormat* made, cache_.Get(format));
    auto moment = ParseFormatted(*made, text);
    if (!moment || !(is_time_ ? moment->second_of_day : moment->days)) return false;
    // A time that lacks its minutes doesn't count.
    if (!moment->second_of_day) moment->nanos = 0;
    auto units = UnitsOf(*moment, UnitsPerSecond(unit_), is_time_);
    if (!units) return false;
    *out = *units;
    if (!zone.empty()) zoned_.Add(zone, row, *units);
    return true;
  }

  std::span<const Operand> args_;
  BytesValues texts_;
  std::vector<BytesValues> formats_;
  TimeUnit::type unit_;
  bool is_time_;
  FormatCache cache_;
  ZonedTimes zoned_;
};

}  // namespace

Result<std::shared_ptr<Array>> ReadByFormats(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  const Type::type id = context.type->id();
  const bool is_time = id == Type::TIME64;
  const auto unit = id == Type::DATE32 ? TimeUnit::SECOND
                    : is_time          ? static_cast<const arrow::TimeType&>(*context.type).unit()
                              : static_cast<const arrow::TimestampType&>(*context.type).unit();
  FormatReader reader(args, unit, is_time);
  std::vector<int64_t> values(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    if (IsNullAt(args[0], row)) continue;
    ARROW_ASSIGN_OR_RAISE(bool is_read, reader.Read(row, &values[static_cast<size_t>(row)]));
    if (!is_read) return reader.NotRead(row);
  }
  ARROW_RETURN_NOT_OK(reader.ReadZoned(&values));
  const std::shared_ptr<arrow::DataType> type =
      id == Type::DATE32 ? arrow::timestamp(unit) : context.type;
  ARROW_ASSIGN_OR_RAISE(
      auto read, MapFixed<int64_t>({context.pool, type}, args.first(1), rows,
                                   [&](int64_t row) { return values[static_cast<size_t>(row)]; }));
  return CastArray(context.pool, read, context.type, CastMode::kStrict);
}

}  // namespace lance::query
