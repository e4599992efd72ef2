#include "query/expr/coercion.h"

#include <algorithm>
#include <cmath>

#include "arrow/array.h"
#include "arrow/memory_pool.h"
#include "arrow/type.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Type;

constexpr int32_t kMaxNarrowDigits = 38;
constexpr int32_t kMaxWideDigits = 76;

bool IsFloat(Type::type id) { return arrow::is_floating(id); }

/// Digits of the largest value of an integer type.
int32_t DigitsOf(Type::type id) {
  switch (id) {
    case Type::INT8:
    case Type::UINT8:
      return 3;
    case Type::INT16:
    case Type::UINT16:
      return 5;
    case Type::INT32:
    case Type::UINT32:
      return 10;
    default:
      return 20;
  }
}

TypePtr DecimalOf(int32_t precision, int32_t scale, bool is_wide) {
  if (!is_wide) return arrow::decimal128(std::min(precision, kMaxNarrowDigits), scale);
  return arrow::decimal256(std::min(precision, kMaxWideDigits), scale);
}

/// Decimals are themselves; integers the decimal that holds them all.
struct DecimalShape {
  int32_t precision = 0;
  int32_t scale = 0;
  bool is_wide = false;

  explicit DecimalShape(const arrow::DataType& type) {
    if (!arrow::is_decimal(type.id())) {
      precision = DigitsOf(type.id());
      return;
    }
    const auto& decimal = static_cast<const arrow::DecimalType&>(type);
    precision = decimal.precision();
    scale = decimal.scale();
    is_wide = type.id() == Type::DECIMAL256;
  }
  TypePtr type() const { return DecimalOf(precision, scale, is_wide); }
};

TypePtr CommonDecimal(const DecimalShape& a, const DecimalShape& b) {
  int32_t scale = std::max(a.scale, b.scale);
  int32_t whole = std::max(a.precision - a.scale, b.precision - b.scale);
  bool is_wide = a.is_wide || b.is_wide || whole + scale > kMaxNarrowDigits;
  if (whole + scale > kMaxWideDigits) return nullptr;
  return DecimalOf(whole + scale, scale, is_wide);
}

TypePtr CommonInteger(Type::type a, Type::type b) {
  int a_width = arrow::bit_width(a);
  int b_width = arrow::bit_width(b);
  bool a_signed = arrow::is_signed_integer(a);
  bool b_signed = arrow::is_signed_integer(b);
  // A signed type that holds all values of an unsigned one is twice as wide.
  int width = std::max(a_width * (!a_signed && b_signed ? 2 : 1),
                       b_width * (!b_signed && a_signed ? 2 : 1));
  bool is_signed = a_signed || b_signed;
  switch (width) {
    case 8:
      return is_signed ? arrow::int8() : arrow::uint8();
    case 16:
      return is_signed ? arrow::int16() : arrow::uint16();
    case 32:
      return is_signed ? arrow::int32() : arrow::uint32();
    case 64:
      return is_signed ? arrow::int64() : arrow::uint64();
    default:
      return arrow::decimal128(DigitsOf(Type::UINT64), 0);
  }
}

TypePtr CommonNumber(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() == Type::DOUBLE || b.id() == Type::DOUBLE) return arrow::float64();
  if (IsFloat(a.id()) || IsFloat(b.id())) {
    bool has_decimal = arrow::is_decimal(a.id()) || arrow::is_decimal(b.id());
    return has_decimal ? arrow::float64() : arrow::float32();
  }
  if (arrow::is_decimal(a.id()) || arrow::is_decimal(b.id())) {
    return CommonDecimal(DecimalShape(a), DecimalShape(b));
  }
  return CommonInteger(a.id(), b.id());
}

bool IsText(const arrow::DataType& type) {
  return arrow::is_base_binary_like(type.id()) || type.id() == Type::FIXED_SIZE_BINARY;
}

TypePtr CommonText(const arrow::DataType& a, const arrow::DataType& b) {
  bool is_wide = a.id() == Type::LARGE_STRING || a.id() == Type::LARGE_BINARY ||
                 b.id() == Type::LARGE_STRING || b.id() == Type::LARGE_BINARY;
  if (IsString(a) && IsString(b)) return is_wide ? arrow::large_utf8() : arrow::utf8();
  return is_wide ? arrow::large_binary() : arrow::binary();
}

bool IsInstant(Type::type id) {
  return id == Type::DATE32 || id == Type::DATE64 || id == Type::TIMESTAMP;
}

bool IsDate(Type::type id) { return id == Type::DATE32 || id == Type::DATE64; }

bool IsZoned(const arrow::DataType& type) {
  return type.id() == Type::TIMESTAMP &&
         !static_cast<const arrow::TimestampType&>(type).timezone().empty();
}

TypePtr WithoutZone(const TypePtr& timestamp) {
  return arrow::timestamp(static_cast<const arrow::TimestampType&>(*timestamp).unit());
}

/// Dates begin at midnight UTC, whatever the zone. The coarser of two units holds all years of
/// both.
TypePtr CommonInstant(const TypePtr& a, const TypePtr& b) {
  if (a->id() != Type::TIMESTAMP && b->id() != Type::TIMESTAMP) return arrow::date64();
  if (a->id() != Type::TIMESTAMP) return WithoutZone(b);
  if (b->id() != Type::TIMESTAMP) return WithoutZone(a);
  const auto& left = static_cast<const arrow::TimestampType&>(*a);
  const auto& right = static_cast<const arrow::TimestampType&>(*b);
  const std::string& zone = left.timezone().empty() ? right.timezone() : left.timezone();
  return arrow::timestamp(std::min(left.unit(), right.unit()), zone);
}

TypePtr CommonTemporal(const TypePtr& a, const TypePtr& b) {
  if (IsInstant(a->id()) && IsInstant(b->id())) return CommonInstant(a, b);
  auto is_time = [](Type::type id) { return id == Type::TIME32 || id == Type::TIME64; };
  if (is_time(a->id()) && is_time(b->id())) {
    auto unit = std::max(static_cast<const arrow::TimeType&>(*a).unit(),
                         static_cast<const arrow::TimeType&>(*b).unit());
    return unit >= arrow::TimeUnit::MICRO ? arrow::time64(unit) : arrow::time32(unit);
  }
  if (a->id() == Type::DURATION && b->id() == Type::DURATION) {
    return arrow::duration(std::max(static_cast<const arrow::DurationType&>(*a).unit(),
                                    static_cast<const arrow::DurationType&>(*b).unit()));
  }
  return nullptr;
}

std::optional<ArithmeticTypes> DecimalArithmetic(std::string_view op, DecimalShape a,
                                                 DecimalShape b) {
  a.is_wide = b.is_wide = a.is_wide || b.is_wide;
  int32_t most_digits = a.is_wide ? kMaxWideDigits : kMaxNarrowDigits;
  int32_t scale = std::max(a.scale, b.scale);
  int32_t whole = std::max(a.precision - a.scale, b.precision - b.scale);
  int32_t precision = whole + scale;
  if (op == "+" || op == "-") {
    precision = whole + scale + 1;
  } else if (op == "*") {
    scale = std::min(a.scale + b.scale, most_digits);
    precision = a.precision + b.precision + 1;
  } else if (op == "/") {
    constexpr int32_t kMoreDigits = 4;
    scale = std::min(a.scale + kMoreDigits, most_digits);
    precision = a.precision - a.scale + b.scale + scale;
  } else if (op == "%") {
    precision = std::min(a.precision - a.scale, b.precision - b.scale) + scale;
  } else {
    return std::nullopt;
  }
  precision = std::clamp(precision, std::max(scale, 1), most_digits);
  return ArithmeticTypes{a.type(), b.type(), DecimalOf(precision, scale, a.is_wide)};
}

std::optional<ArithmeticTypes> TemporalArithmetic(std::string_view op, const TypePtr& left,
                                                  const TypePtr& right) {
  bool is_minus = op == "-";
  if (!is_minus && op != "+") return std::nullopt;
  if (left->id() == Type::DURATION && right->id() == Type::DURATION) {
    TypePtr common = CommonTemporal(left, right);
    return ArithmeticTypes{common, common, common};
  }
  if (left->id() == Type::TIMESTAMP && right->id() == Type::DURATION) {
    const auto unit = static_cast<const arrow::TimestampType&>(*left).unit();
    return ArithmeticTypes{left, arrow::duration(unit), left};
  }
  if (!is_minus || !IsInstant(left->id()) || !IsInstant(right->id())) return std::nullopt;
  if (left->id() == Type::DATE32 && right->id() == Type::DATE32) {
    return ArithmeticTypes{arrow::int64(), arrow::int64(), arrow::int64()};
  }
  TypePtr common = CommonInstant(left, right);
  if (common->id() == Type::DATE64) common = arrow::timestamp(arrow::TimeUnit::MILLI);
  const auto unit = static_cast<const arrow::TimestampType&>(*common).unit();
  // As in the reference, a time without a zone is one of UTC if it needs no other unit.
  auto has_unit = [unit](const arrow::DataType& type) {
    return type.id() == Type::TIMESTAMP &&
           static_cast<const arrow::TimestampType&>(type).unit() == unit;
  };
  if (has_unit(*left) && has_unit(*right)) common = WithoutZone(common);
  return ArithmeticTypes{common, common, arrow::duration(unit)};
}

/// Dates are counted in days.
std::optional<ArithmeticTypes> DaysAdded(std::string_view op, const arrow::DataType& left,
                                         const arrow::DataType& right) {
  const bool adds_to_date =
      left.id() == Type::DATE32 && arrow::is_integer(right.id()) && (op == "+" || op == "-");
  if (adds_to_date) return ArithmeticTypes{arrow::date32(), arrow::int32(), arrow::date32()};
  const bool is_added_date =
      arrow::is_integer(left.id()) && right.id() == Type::DATE32 && op == "+";
  if (!is_added_date) return std::nullopt;
  return ArithmeticTypes{arrow::int32(), arrow::date32(), arrow::date32()};
}

bool IsShift(std::string_view op) { return op == "<<" || op == ">>"; }

/// A date as the moment in UTC when it begins.
Result<LiteralValue> DateInZone(const LiteralValue& date, const TypePtr& zoned) {
  ARROW_ASSIGN_OR_RAISE(auto start, CastArray(arrow::default_memory_pool(), date,
                                              WithoutZone(zoned), CastMode::kTry));
  return WithType(start, zoned);
}

/// Same value after the way there and back.
Result<bool> IsLossless(const LiteralValue& literal, const LiteralValue& coerced) {
  if (coerced->IsNull(0)) return false;
  // Nulls are in every type, but don't come back from it.
  const arrow::DataType& type = *literal->type();
  if (IsList(type) && type.field(0)->type()->id() == Type::NA) return true;
  ARROW_ASSIGN_OR_RAISE(
      auto back, CastArray(arrow::default_memory_pool(), coerced, literal->type(), CastMode::kTry));
  return back->Equals(literal);
}

/// Half floats have a small range: numbers out of it become infinite, or 0.
Result<bool> IsInRange(const LiteralValue& literal, const LiteralValue& coerced) {
  auto number = [](const LiteralValue& value) -> Result<double> {
    ARROW_ASSIGN_OR_RAISE(auto wide, CastArray(arrow::default_memory_pool(), value,
                                               arrow::float64(), CastMode::kTry));
    return static_cast<const arrow::DoubleArray&>(*wide).Value(0);
  };
  ARROW_ASSIGN_OR_RAISE(double written, number(literal));
  ARROW_ASSIGN_OR_RAISE(double kept, number(coerced));
  return std::isinf(kept) == std::isinf(written) && (kept == 0) == (written == 0);
}

/// How a literal of one type may become one of another. `exact`: only if no digit is lost.
struct LiteralRule {
  LiteralFit otherwise = LiteralFit::kOtherKind;
  bool may_try = false;
  bool exact = true;
};

LiteralRule RuleFor(const arrow::DataType& from, const arrow::DataType& to) {
  if (arrow::is_integer(from.id())) {
    // Digits beyond a float's precision are rounded, as any number in SQL that becomes a float.
    if (IsFloat(to.id())) return {LiteralFit::kRefused, true, false};
    bool may_try =
        arrow::is_integer(to.id()) || arrow::is_decimal(to.id()) || to.id() == Type::TIME32;
    return {LiteralFit::kRefused, may_try};
  }
  if (IsFloat(from.id())) return {LiteralFit::kRefused, IsFloat(to.id()), false};
  if (from.id() == Type::BOOL) return {LiteralFit::kRefused, to.id() == Type::BOOL};
  if (IsString(from)) return {LiteralFit::kRefused, IsString(to)};
  bool same_kind = (IsText(from) && IsText(to) && !IsString(to)) ||
                   (arrow::is_decimal(from.id()) && arrow::is_decimal(to.id())) ||
                   (IsTemporal(from) && IsTemporal(to)) || (IsList(from) && IsList(to));
  return {LiteralFit::kOtherKind, same_kind};
}

}  // namespace

bool IsString(const arrow::DataType& type) { return arrow::is_string(type.id()); }
bool IsNumeric(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || IsFloat(type.id()) || arrow::is_decimal(type.id());
}
bool IsList(const arrow::DataType& type) {
  return type.id() == Type::LIST || type.id() == Type::LARGE_LIST ||
         type.id() == Type::FIXED_SIZE_LIST;
}
bool IsTemporal(const arrow::DataType& type) {
  bool is_point = arrow::is_temporal(type.id()) && !arrow::is_interval(type.id());
  return is_point || type.id() == Type::DURATION;
}

TypePtr CommonType(const TypePtr& a, const TypePtr& b) {
  if (a->id() == Type::NA) return b;
  // Half floats are only stored; all arithmetic on them is done in float.
  if (b->id() == Type::NA || (a->Equals(*b) && a->id() != Type::HALF_FLOAT)) return a;
  if (IsNumeric(*a) && IsNumeric(*b)) return CommonNumber(*a, *b);
  if (IsText(*a) && IsText(*b)) return CommonText(*a, *b);
  if (IsString(*a) && (IsNumeric(*b) || IsTemporal(*b))) return CanCast(*a, *b) ? b : nullptr;
  if (IsString(*b) && (IsNumeric(*a) || IsTemporal(*a))) return CanCast(*b, *a) ? a : nullptr;
  if (IsTemporal(*a) && IsTemporal(*b)) return CommonTemporal(a, b);
  if (IsList(*a) && IsList(*b)) {
    TypePtr item = CommonType(a->field(0)->type(), b->field(0)->type());
    if (item == nullptr) return nullptr;
    bool is_wide = a->id() == Type::LARGE_LIST || b->id() == Type::LARGE_LIST;
    return is_wide ? arrow::large_list(item) : arrow::list(item);
  }
  return nullptr;
}

TypePtr ComparedType(const TypePtr& own, const TypePtr& common) {
  if (common->id() == Type::DURATION && own->id() == Type::DURATION) return own;
  if (common->id() != Type::TIMESTAMP || !IsInstant(own->id())) return common;
  auto unit = own->id() == Type::DATE32   ? arrow::TimeUnit::SECOND
              : own->id() == Type::DATE64 ? arrow::TimeUnit::MILLI
                                          : static_cast<const arrow::TimestampType&>(*own).unit();
  return arrow::timestamp(unit, static_cast<const arrow::TimestampType&>(*common).timezone());
}

TypePtr CommonType(std::span<const TypePtr> types) {
  TypePtr common = arrow::null();
  for (const TypePtr& type : types) {
    common = CommonType(common, type);
    if (common == nullptr) return nullptr;
  }
  // Also where the zone was met after the date.
  const bool has_date = std::any_of(types.begin(), types.end(),
                                    [](const TypePtr& type) { return IsDate(type->id()); });
  return has_date && IsZoned(*common) ? WithoutZone(common) : common;
}

std::optional<ArithmeticTypes> TypesOfArithmetic(std::string_view op, const TypePtr& left,
                                                 const TypePtr& right) {
  if (left->id() == Type::NA && right->id() == Type::NA) {
    return TypesOfArithmetic(op, arrow::int64(), arrow::int64());
  }
  if (left->id() == Type::NA) return TypesOfArithmetic(op, right, right);
  if (right->id() == Type::NA) return TypesOfArithmetic(op, left, left);
  if (IsShift(op) && (!arrow::is_integer(left->id()) || !arrow::is_integer(right->id()))) {
    return std::nullopt;
  }
  if (IsNumeric(*left) && IsNumeric(*right)) {
    TypePtr common = CommonNumber(*left, *right);
    if (common == nullptr) return std::nullopt;
    // No decimal has bits: a number of all 64 stays what it is.
    if (IsShift(op) && arrow::is_decimal(common->id())) common = arrow::uint64();
    if (arrow::is_decimal(common->id())) {
      return DecimalArithmetic(op, DecimalShape(*left), DecimalShape(*right));
    }
    bool is_half = (left->id() == Type::HALF_FLOAT || right->id() == Type::HALF_FLOAT) &&
                   left->id() != Type::FLOAT && right->id() != Type::FLOAT &&
                   common->id() == Type::FLOAT;
    return ArithmeticTypes{common, common, is_half ? arrow::float16() : common};
  }
  if (IsTemporal(*left) && IsTemporal(*right)) return TemporalArithmetic(op, left, right);
  return DaysAdded(op, *left, *right);
}

Result<CoercedLiteral> CoerceLiteral(const LiteralValue& literal, const TypePtr& column,
                                     bool rounds_floats) {
  const arrow::DataType& from = *literal->type();
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  if (literal->IsNull(0)) {
    ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(column, 1, pool));
    return CoercedLiteral{LiteralFit::kFits, std::move(null)};
  }
  if (from.Equals(*column)) return CoercedLiteral{LiteralFit::kFits, literal};
  if (IsDate(from.id()) && IsZoned(*column)) {
    ARROW_ASSIGN_OR_RAISE(auto start, DateInZone(literal, column));
    if (start->IsNull(0)) return CoercedLiteral{LiteralFit::kOtherKind, nullptr};
    return CoercedLiteral{LiteralFit::kFits, std::move(start)};
  }
  LiteralRule rule = RuleFor(from, *column);
  if (!rule.may_try || !CanCast(from, *column)) return CoercedLiteral{rule.otherwise, nullptr};
  auto coerced = CastArray(pool, literal, column, CastMode::kTry);
  if (!coerced.ok() || (*coerced)->IsNull(0)) return CoercedLiteral{rule.otherwise, nullptr};
  const bool is_half = column->id() == Type::HALF_FLOAT;
  if (is_half && IsFloat(from.id())) {
    ARROW_ASSIGN_OR_RAISE(bool in_range, IsInRange(literal, *coerced));
    if (!in_range) return CoercedLiteral{rule.otherwise, nullptr};
  }
  bool must_check = rule.exact || !rounds_floats || (is_half && arrow::is_integer(from.id()));
  if (must_check) {
    ARROW_ASSIGN_OR_RAISE(bool lossless, IsLossless(literal, *coerced));
    if (!lossless) return CoercedLiteral{rule.otherwise, nullptr};
  }
  return CoercedLiteral{LiteralFit::kFits, *std::move(coerced)};
}

}  // namespace lance::query
