#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "arrow/util/decimal.h"
#include "query/expr/kernel/cast_steps.h"
#include "query/expr/kernel/decimal_values.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/value_text.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Decimal256;

const arrow::DecimalType& TargetOf(const CastJob& job) {
  return static_cast<const arrow::DecimalType&>(*job.to);
}

/// Into a bigger or smaller scale; what is cut off rounds half away from zero.
std::optional<Decimal256> Rescaled(const Decimal256& value, int32_t from, int32_t to) {
  if (from - to > Decimal256::kMaxPrecision) return Decimal256(0);
  if (from > to) return Decimal256(value.ReduceScaleBy(from - to, /*round=*/true));
  auto scaled = value.Rescale(from, to);
  return scaled.ok() ? std::optional<Decimal256>(*scaled) : std::nullopt;
}

template <typename T>
std::optional<Decimal256> FromNumber(T value, const arrow::DecimalType& type) {
  if constexpr (std::is_floating_point_v<T>) {
    double scaled = std::round(static_cast<double>(value) * std::pow(10.0, type.scale()));
    auto decimal = Decimal256::FromReal(scaled, Decimal256::kMaxPrecision, 0);
    return decimal.ok() ? std::optional<Decimal256>(*decimal) : std::nullopt;
  } else {
    return Rescaled(Decimal256(value), 0, type.scale());
  }
}

/// Digits with a sign and a point, and blanks around them; no exponent.
std::optional<Decimal256> FromText(std::string_view text, const arrow::DecimalType& type) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  Decimal256 value;
  int32_t precision = 0;
  int32_t scale = 0;
  if (!Decimal256::FromString(text, &value, &precision, &scale).ok()) return std::nullopt;
  return Rescaled(value, scale, type.scale());
}

/// read(row) as a decimal of the target's scale, with its precision checked.
template <typename Read>
Result<std::shared_ptr<Array>> MakeDecimals(const CastJob& job, Read read) {
  const arrow::DecimalType& type = TargetOf(job);
  auto convert = [&](int64_t row, auto* out) {
    std::optional<Decimal256> value = read(row);
    if (!value || !value->FitsInPrecision(type.precision())) return false;
    // Both widths are little-endian: the narrow one is the lower half.
    std::memcpy(out->data(), value->ToBytes().data(), out->size());
    return true;
  };
  if (type.id() == arrow::Type::DECIMAL128) {
    return CastFixed<std::array<uint8_t, 16>>(job, convert);
  }
  return CastFixed<std::array<uint8_t, 32>>(job, convert);
}

/// The nearest double.
double ToDouble(const Decimal256& value, int32_t scale) {
  // Two numbers that are exact make one that is rounded once.
  constexpr int64_t kMostExact = int64_t{1} << 53;
  constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool is_exact = scale >= 0 && static_cast<size_t>(scale) < kPowersOfTen.size() &&
                        value <= Decimal256(kMostExact) && value >= Decimal256(-kMostExact);
  if (is_exact) {
    return static_cast<double>(static_cast<int64_t>(value.low_bits())) /
           kPowersOfTen[static_cast<size_t>(scale)];
  }
  return ParseDouble(value.ToString(scale)).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// False if the number is too large for the type.
template <typename To>
bool ToInteger(const Decimal256& value, To* out) {
  if (value < Decimal256(std::numeric_limits<To>::min()) ||
      value > Decimal256(std::numeric_limits<To>::max())) {
    return false;
  }
  *out = static_cast<To>(value.low_bits());
  return true;
}

template <typename To>
Result<std::shared_ptr<Array>> ToNumber(const CastJob& job) {
  DecimalOperand values(job.operand());
  if constexpr (std::is_floating_point_v<To>) {
    return CastFixed<To>(job, [&](int64_t row, To* out) {
      *out = static_cast<To>(ToDouble(values[row], values.scale()));
      return true;
    });
  } else {
    return CastFixed<To>(job, [&](int64_t row, To* out) {
      Decimal256 whole = values[row];
      if (values.scale() > 0)
        whole = Decimal256(whole.ReduceScaleBy(values.scale(), /*round=*/false));
      return ToInteger(whole, out);
    });
  }
}

}  // namespace

Result<std::shared_ptr<Array>> CastToDecimal(const CastJob& job) {
  const arrow::DecimalType& type = TargetOf(job);
  if (arrow::is_decimal(job.from().id())) {
    DecimalOperand values(job.operand());
    return MakeDecimals(
        job, [&](int64_t row) { return Rescaled(values[row], values.scale(), type.scale()); });
  }
  return VisitNumberType(
      job.from().id(),
      [&]<typename From>(CType<From>) {
        FixedValues<From> values(job.operand());
        return MakeDecimals(job, [&](int64_t row) { return FromNumber(values[row], type); });
      },
      [&] {
        BytesValues values(job.operand());
        return MakeDecimals(job, [&](int64_t row) { return FromText(values[row], type); });
      });
}

Result<std::shared_ptr<Array>> CastFromDecimal(const CastJob& job) {
  return VisitNumberType(
      job.to->id(), [&]<typename To>(CType<To>) { return ToNumber<To>(job); },
      [&]() -> Result<std::shared_ptr<Array>> { return job.CannotCast(0); });
}

}  // namespace lance::query
