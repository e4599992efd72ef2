#include <algorithm>
#include <string>

#include "query/expr/function.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/format_cache.h"
#include "query/expr/kernel/moment.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/value_text.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

bool HasZone(const arrow::DataType& type) {
  return type.id() == Type::TIMESTAMP &&
         !static_cast<const arrow::TimestampType&>(type).timezone().empty();
}

Result<std::shared_ptr<Array>> Write(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  const arrow::DataType& type = *args[0].array->type();
  ARROW_ASSIGN_OR_RAISE(Operand local_operand, Local(context, args[0]));
  const FixedValues<int64_t> local(local_operand);
  const FixedValues<int64_t> utc(args[0]);
  const BytesValues formats(args[1]);
  const int64_t per_second = UnitOf(type);
  const bool is_date = type.id() != Type::TIME64;
  const bool has_zone = HasZone(type);
  FormatCache cache;
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    ARROW_ASSIGN_OR_RAISE(const DateFormat* format, cache.Get(formats[row]));
    const Moment moment = MomentOf(local[row], per_second);
    FormattedMoment formatted;
    formatted.second_of_day = moment.second_of_day;
    formatted.nanos = moment.nanos;
    if (is_date) formatted.days = moment.days;
    if (has_zone) formatted.offset = (local[row] - utc[row]) / per_second;
    return AppendFormatted(*format, formatted, out);
  });
}

/// In words, or as ISO 8601 has it.
Result<std::shared_ptr<Array>> WriteDuration(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  const auto unit = static_cast<const arrow::DurationType&>(*args[0].array->type()).unit();
  const FixedValues<int64_t> spans(args[0]);
  const BytesValues formats(args[1]);
  auto is_iso = [](std::string_view format) {
    constexpr std::string_view kIso = "iso8601";
    return std::equal(format.begin(), format.end(), kIso.begin(), kIso.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == b; });
  };
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    *out =
        is_iso(formats[row]) ? IsoDurationText(spans[row], unit) : DurationText(spans[row], unit);
    return Status::OK();
  });
}

Bound BindToChar(BindArgs args) {
  if (args.size() != 2 || !TakesString(*args[1])) return std::nullopt;
  if (args[0]->type->id() == Type::DURATION) {
    return BoundFunction{{args[0]->type, arrow::utf8()}, arrow::utf8(), WriteDuration};
  }
  TypePtr instant = InstantType(*args[0]);
  if (instant == nullptr) return std::nullopt;
  return BoundFunction{{instant, arrow::utf8()}, arrow::utf8(), Write, /*can_fail=*/true};
}

constexpr Function kFunctions[] = {
    {"to_char", "to_char(date, time, timestamp or duration, format)", BindToChar},
    {"date_format", "date_format(date, time, timestamp or duration, format)", BindToChar},
};

}  // namespace

std::span<const Function> DateTextFunctions() { return kFunctions; }

}  // namespace lance::query
