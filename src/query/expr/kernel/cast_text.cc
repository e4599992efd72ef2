#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "arrow/builder.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"
#include "arrow/util/float16.h"
#include "arrow/util/utf8.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/cast_steps.h"
#include "query/expr/kernel/decimal_values.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/value_text.h"
#include "query/expr/kernel/zoned_times.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;

/// write(row), which is something like a string, for each row that is not null.
template <typename Offset, typename Write>
Result<std::shared_ptr<Array>> BuildText(const CastJob& job, Write write) {
  const int64_t rows = job.array->length();
  const Operand operand = job.operand();
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(job.pool, {&operand, 1}, rows));
  std::shared_ptr<arrow::Buffer> validity = nulls.validity();
  ARROW_ASSIGN_OR_RAISE(auto column, TextColumn<Offset>::Of(job.pool, rows, /*usual_bytes=*/0));
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row)) {
      ARROW_RETURN_NOT_OK(column.Append({}));
      continue;
    }
    const auto text = write(row);
    if (text) {
      ARROW_RETURN_NOT_OK(column.Append(*text));
      continue;
    }
    if (job.mode == CastMode::kStrict) return job.CannotCast(row);
    ARROW_RETURN_NOT_OK(SetNull(job, row, &validity));
    ARROW_RETURN_NOT_OK(column.Append({}));
  }
  return column.Finish(job.to, std::move(validity));
}

template <typename Write>
Result<std::shared_ptr<Array>> Build(const CastJob& job, Write write) {
  return HasWideOffsets(*job.to) ? BuildText<int64_t>(job, write) : BuildText<int32_t>(job, write);
}

/// Between strings and bytes.
Result<std::shared_ptr<Array>> Copy(const CastJob& job) {
  BytesValues values(job.operand());
  bool must_check = arrow::is_string(job.to->id()) && !arrow::is_string(job.from().id());
  if (must_check) arrow::util::InitializeUTF8();
  return Build(job, [&](int64_t row) -> std::optional<std::string_view> {
    std::string_view value = values[row];
    if (must_check && !arrow::util::ValidateUTF8(value)) return std::nullopt;
    return value;
  });
}

/// Bytes of just that many.
Result<std::shared_ptr<Array>> ToFixedSize(const CastJob& job) {
  BytesValues values(job.operand());
  const int32_t width = static_cast<const arrow::FixedSizeBinaryType&>(*job.to).byte_width();
  arrow::FixedSizeBinaryBuilder builder(job.to, job.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(job.array->length()));
  for (int64_t row = 0; row < job.array->length(); ++row) {
    const bool is_null = job.array->IsNull(row);
    const bool fits = !is_null && values[row].size() == static_cast<size_t>(width);
    if (!is_null && !fits && job.mode == CastMode::kStrict) return job.CannotCast(row);
    ARROW_RETURN_NOT_OK(fits ? builder.Append(values[row].data()) : builder.AppendNull());
  }
  return builder.Finish();
}

template <typename T>
Result<std::shared_ptr<Array>> NumbersToText(const CastJob& job) {
  FixedValues<T> values(job.operand());
  if constexpr (std::is_floating_point_v<T>) {
    TextBuffer buffer;
    return Build(job, [&](int64_t row) { return std::optional(FloatText(values[row], &buffer)); });
  } else {
    TextBuffer digits;
    return Build(job, [&](int64_t row) {
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), values[row]).ptr;
      return std::optional(
          std::string_view(digits.data(), static_cast<size_t>(end - digits.data())));
    });
  }
}

/// `Z`, `+02:00`. Offsets of local mean time have seconds: to the nearest minute.
void AppendOffset(int64_t seconds, std::string* text) {
  if (seconds == 0) {
    *text += 'Z';
    return;
  }
  const int64_t minutes = (std::abs(seconds) + 30) / 60;
  auto append_two = [&](int64_t n) {
    *text += static_cast<char>('0' + n / 10);
    *text += static_cast<char>('0' + n % 10);
  };
  *text += seconds < 0 ? '-' : '+';
  append_two(minutes / 60);
  *text += ':';
  append_two(minutes % 60);
}

Result<std::shared_ptr<Array>> TimestampsToText(const CastJob& job) {
  const auto& type = static_cast<const arrow::TimestampType&>(job.from());
  FixedValues<int64_t> values(job.operand());
  if (type.timezone().empty()) {
    return Build(job, [&](int64_t row) {
      return std::optional<std::string>(TimestampText(values[row], type.unit()));
    });
  }
  ARROW_ASSIGN_OR_RAISE(auto local_array, ToLocalTime(job.pool, job.array));
  FixedValues<int64_t> local(Operand{local_array, false});
  const int64_t per_second = UnitsPerSecond(type.unit());
  std::string text;
  return Build(job, [&](int64_t row) {
    text = TimestampText(local[row], type.unit());
    AppendOffset((local[row] - values[row]) / per_second, &text);
    return std::optional<std::string_view>(text);
  });
}

Result<std::shared_ptr<Array>> TemporalToText(const CastJob& job) {
  const arrow::DataType& type = job.from();
  auto write = [&]<typename T>(CType<T>, auto text) {
    FixedValues<T> values(job.operand());
    return Build(job, [&](int64_t row) { return std::optional<std::string>(text(values[row])); });
  };
  switch (type.id()) {
    case Type::DATE32:
      return write(CType<int32_t>(), [](int64_t days) { return DateText(days); });
    case Type::DATE64:
      return write(CType<int64_t>(),
                   [](int64_t millis) { return TimestampText(millis, arrow::TimeUnit::MILLI); });
    case Type::TIME32:
      return write(CType<int32_t>(), [&](int64_t value) {
        return TimeText(value, static_cast<const arrow::TimeType&>(type).unit());
      });
    case Type::TIME64:
      return write(CType<int64_t>(), [&](int64_t value) {
        return TimeText(value, static_cast<const arrow::TimeType&>(type).unit());
      });
    case Type::DURATION:
      return write(CType<int64_t>(), [&](int64_t value) {
        return DurationText(value, static_cast<const arrow::DurationType&>(type).unit());
      });
    default:
      return TimestampsToText(job);
  }
}

/// parse(text) as an optional of something that fits into T.
template <typename T, typename Parse>
Result<std::shared_ptr<Array>> ReadAll(const CastJob& job, Parse parse) {
  BytesValues values(job.operand());
  return CastFixed<T>(job, [&](int64_t row, T* out) {
    auto value = parse(values[row]);
    if (!value) return false;
    *out = static_cast<T>(*value);
    return true;
  });
}

template <typename T>
Result<std::shared_ptr<Array>> ReadNumbers(const CastJob& job) {
  return ReadAll<T>(job, [](std::string_view text) {
    if constexpr (std::is_same_v<T, float>)
      return ParseFloat(text);
    else if constexpr (std::is_same_v<T, double>)
      return ParseDouble(text);
    else
      return ParseInteger<T>(text);
  });
}

/// What texts say about moments in time.
struct ReadMoments {
  enum class Kind : uint8_t { kUnreadable, kLocal, kInstant };

  std::vector<int64_t> values;
  std::vector<Kind> kinds;
};

ReadMoments ReadMomentsOf(const CastJob& job, arrow::TimeUnit::type unit) {
  using Kind = ReadMoments::Kind;
  const BytesValues texts(job.operand());
  const auto rows = static_cast<size_t>(job.array->length());
  ReadMoments moments{std::vector<int64_t>(rows), std::vector<Kind>(rows)};
  ZonedTimes zoned(unit);
  for (size_t row = 0; row < rows; ++row) {
    const auto at = static_cast<int64_t>(row);
    if (job.array->IsNull(at)) continue;
    bool has_zone = false;
    std::string_view zone;
    auto value = ParseTimestamp(texts[at], unit, &has_zone, &zone);
    if (!value) continue;
    if (!zone.empty()) {
      zoned.Add(zone, at, *value);
      continue;
    }
    moments.values[row] = *value;
    moments.kinds[row] = has_zone ? Kind::kInstant : Kind::kLocal;
  }
  zoned.Resolve([&](int64_t row, std::optional<int64_t> instant) {
    if (!instant) return;
    moments.values[static_cast<size_t>(row)] = *instant;
    moments.kinds[static_cast<size_t>(row)] = Kind::kInstant;
  });
  return moments;
}

/// Text without a zone is a local time of the one that it gets.
Result<std::shared_ptr<Array>> ReadTimestamps(const CastJob& job) {
  using Kind = ReadMoments::Kind;
  const auto unit = static_cast<const arrow::TimestampType&>(*job.to).unit();
  const ReadMoments moments = ReadMomentsOf(job, unit);
  CastJob step{job.pool, job.array, arrow::timestamp(unit), job.mode};
  ARROW_ASSIGN_OR_RAISE(auto local, CastFixed<int64_t>(step, [&](int64_t row, int64_t* out) {
                          const auto at = static_cast<size_t>(row);
                          *out = moments.kinds[at] == Kind::kLocal ? moments.values[at] : 0;
                          return moments.kinds[at] != Kind::kUnreadable;
                        }));
  ARROW_ASSIGN_OR_RAISE(auto zoned, CastArray(job.pool, local, job.to, job.mode));
  FixedValues<int64_t> from_local(Operand{zoned, false});
  CastJob last{job.pool, zoned, job.to, job.mode};
  return CastFixed<int64_t>(last, [&](int64_t row, int64_t* out) {
    const auto at = static_cast<size_t>(row);
    *out = moments.kinds[at] == Kind::kInstant ? moments.values[at] : from_local[row];
    return true;
  });
}

/// The day in UTC of texts that name their zone.
Result<std::shared_ptr<Array>> ReadDates(const CastJob& job) {
  const CastJob attempt{job.pool, job.array, job.to, CastMode::kTry};
  ARROW_ASSIGN_OR_RAISE(auto dates, ReadAll<int32_t>(attempt, ParseDate));
  if (dates->null_count() == job.array->null_count()) return dates;
  const ReadMoments moments = ReadMomentsOf(job, arrow::TimeUnit::SECOND);
  const FixedValues<int32_t> days(Operand{dates, false});
  return CastFixed<int32_t>(job, [&](int64_t row, int32_t* out) {
    const auto at = static_cast<size_t>(row);
    const int64_t day = FloorDivide(moments.values[at], kSecondsPerDay);
    *out = dates->IsValid(row) ? days[row] : static_cast<int32_t>(day);
    return dates->IsValid(row) || moments.kinds[at] == ReadMoments::Kind::kInstant;
  });
}

Result<std::shared_ptr<Array>> ReadBooleans(const CastJob& job) {
  CastJob step{job.pool, job.array, arrow::uint8(), CastMode::kTry};
  ARROW_ASSIGN_OR_RAISE(auto bytes, ReadAll<uint8_t>(step, ParseBoolean));
  if (job.mode == CastMode::kStrict && bytes->null_count() > job.array->null_count()) {
    int64_t row = 0;
    while (bytes->IsValid(row) || job.array->IsNull(row)) ++row;
    return job.CannotCast(row);
  }
  return CastArray(job.pool, bytes, arrow::boolean(), job.mode);
}

}  // namespace

Result<std::shared_ptr<Array>> CastToText(const CastJob& job) {
  const arrow::DataType& type = job.from();
  if (job.to->id() == Type::FIXED_SIZE_BINARY) return ToFixedSize(job);
  if (arrow::is_base_binary_like(type.id()) || type.id() == Type::FIXED_SIZE_BINARY) {
    return Copy(job);
  }
  if (arrow::is_decimal(type.id())) {
    DecimalOperand values(job.operand());
    return Build(job, [&](int64_t row) {
      return std::optional<std::string>(DecimalText(values[row], values.scale()));
    });
  }
  if (type.id() == Type::BOOL) {
    BooleanValues values(job.operand());
    return Build(job, [&](int64_t row) {
      return std::optional<std::string_view>(values[row] ? "true" : "false");
    });
  }
  if (StorageId(type) != type.id()) return TemporalToText(job);
  if (type.id() == Type::HALF_FLOAT) {
    FixedValues<uint16_t> values(job.operand());
    return Build(job, [&](int64_t row) {
      return std::optional<std::string>(
          HalfFloatText(arrow::util::Float16::FromBits(values[row]).ToFloat()));
    });
  }
  return VisitNumberType(
      type.id(), [&]<typename T>(CType<T>) { return NumbersToText<T>(job); },
      [&]() -> Result<std::shared_ptr<Array>> { return job.CannotCast(0); });
}

Result<std::shared_ptr<Array>> CastFromText(const CastJob& job) {
  switch (job.to->id()) {
    case Type::BOOL:
      return ReadBooleans(job);
    case Type::HALF_FLOAT: {
      ARROW_ASSIGN_OR_RAISE(auto floats,
                            CastArray(job.pool, job.array, arrow::float32(), job.mode));
      return CastArray(job.pool, floats, job.to, job.mode);
    }
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return CastToDecimal(job);
    case Type::DATE32:
      return ReadDates(job);
    case Type::DATE64: {
      ARROW_ASSIGN_OR_RAISE(auto days, CastArray(job.pool, job.array, arrow::date32(), job.mode));
      return CastArray(job.pool, days, job.to, job.mode);
    }
    case Type::TIME32:
    case Type::TIME64: {
      auto unit = static_cast<const arrow::TimeType&>(*job.to).unit();
      auto parse = [unit](std::string_view text) { return ParseTime(text, unit); };
      return job.to->id() == Type::TIME32 ? ReadAll<int32_t>(job, parse)
                                          : ReadAll<int64_t>(job, parse);
    }
    case Type::TIMESTAMP: {
      return ReadTimestamps(job);
    }
    default:
      return VisitNumberType(
          job.to->id(), [&]<typename T>(CType<T>) { return ReadNumbers<T>(job); },
          [&]() -> Result<std::shared_ptr<Array>> { return job.CannotCast(0); });
  }
}

}  // namespace lance::query
