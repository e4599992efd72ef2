#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
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
  if (from > to) return WithFewerPlaces(value, from - to, /*rounds=*/true);
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

// ---- decimals that have 128 bits throughout ----

constexpr size_t kNarrowPowers = arrow::Decimal128Type::kMaxPrecision + 1;

constexpr std::array<__int128, kNarrowPowers> kNarrowPowersOfTen = [] {
  std::array<__int128, kNarrowPowers> powers{1};
  for (size_t i = 1; i < kNarrowPowers; ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

/// Most numbers are short, and a division of 64 bits is much faster.
__int128 Divide(__int128 value, __int128 by) {
  const bool are_short = value == static_cast<int64_t>(value) && by == static_cast<int64_t>(by);
  return are_short ? static_cast<int64_t>(value) / static_cast<int64_t>(by) : value / by;
}

/// The same as Rescaled, as far as it fits.
bool RescaleNarrow(__int128 value, int32_t from, int32_t to, __int128* out) {
  const auto places = static_cast<size_t>(std::abs(from - to));
  if (places >= kNarrowPowers) {
    *out = 0;
    return from > to || value == 0;
  }
  const __int128 power = kNarrowPowersOfTen[places];
  if (from <= to) return !__builtin_mul_overflow(value, power, out);
  *out = Divide(value, power);
  const __int128 left = value - *out * power;
  if ((left < 0 ? -left : left) >= power / 2) *out += value < 0 ? -1 : 1;
  return true;
}

/// read(row, &value) as a decimal128 of the target's scale; false if it has no room there.
template <typename Read>
Result<std::shared_ptr<Array>> MakeNarrowDecimals(const CastJob& job, Read read) {
  const __int128 end = kNarrowPowersOfTen[static_cast<size_t>(TargetOf(job).precision())];
  return CastFixed<__int128>(
      job, [&](int64_t row, __int128* out) { return read(row, out) && *out<end&& * out> - end; });
}

template <typename T>
Result<std::shared_ptr<Array>> NumbersToNarrow(const CastJob& job) {
  const FixedValues<T> values(job.operand());
  const arrow::DecimalType& type = TargetOf(job);
  if constexpr (std::is_floating_point_v<T>) {
    const double power = std::pow(10.0, type.scale());
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    return MakeNarrowDecimals(job, [&](int64_t row, __int128* out) {
      const double scaled = std::round(static_cast<double>(values[row]) * power);
      if (std::abs(scaled) < kEnd) {
        *out = static_cast<int64_t>(scaled);
        return true;
      }
      const auto wide = Decimal256::FromReal(scaled, Decimal256::kMaxPrecision, 0);
      if (!wide.ok() || !wide->FitsInPrecision(type.precision())) return false;
      std::memcpy(out, wide->ToBytes().data(), sizeof(*out));
      return true;
    });
  } else {
    return MakeNarrowDecimals(job, [&](int64_t row, __int128* out) {
      return RescaleNarrow(values[row], 0, type.scale(), out);
    });
  }
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
  const auto scale = static_cast<size_t>(std::max(values.scale(), 0));
  const bool is_narrow = job.from().id() == arrow::Type::DECIMAL128 && scale < kNarrowPowers;
  if constexpr (std::is_floating_point_v<To>) {
    return CastFixed<To>(job, [&](int64_t row, To* out) {
      *out = static_cast<To>(ToDouble(values[row], values.scale()));
      return true;
    });
  } else if (is_narrow) {
    return CastFixed<To>(job, [&](int64_t row, To* out) {
      const __int128 whole = Divide(values.Narrow(row), kNarrowPowersOfTen[scale]);
      *out = static_cast<To>(whole);
      return whole == *out;
    });
  } else {
    return CastFixed<To>(job, [&](int64_t row, To* out) {
      return ToInteger(WithFewerPlaces(values[row], values.scale(), /*rounds=*/false), out);
    });
  }
}

}  // namespace

Result<std::shared_ptr<Array>> CastToDecimal(const CastJob& job) {
  const arrow::DecimalType& type = TargetOf(job);
  const bool is_narrow = type.id() == arrow::Type::DECIMAL128;
  if (arrow::is_decimal(job.from().id())) {
    DecimalOperand values(job.operand());
    if (is_narrow && job.from().id() == arrow::Type::DECIMAL128) {
      return MakeNarrowDecimals(job, [&](int64_t row, __int128* out) {
        return RescaleNarrow(values.Narrow(row), values.scale(), type.scale(), out);
      });
    }
    return MakeDecimals(
        job, [&](int64_t row) { return Rescaled(values[row], values.scale(), type.scale()); });
  }
  return VisitNumberType(
      job.from().id(),
      [&]<typename From>(CType<From>) {
        if (is_narrow) return NumbersToNarrow<From>(job);
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
