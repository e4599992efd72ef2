#include "query/expr/kernel/decimal_values.h"

namespace lance::query {

using arrow::Decimal256;

DecimalQuotient Divided(const Decimal256& value, const Decimal256& by) {
  arrow::BasicDecimal256 whole;
  arrow::BasicDecimal256 left;
  value.BasicDecimal256::Divide(by, &whole, &left);
  const arrow::BasicDecimal256 divisor = arrow::BasicDecimal256::Abs(by);
  const bool is_negative = value.IsNegative();
  if (arrow::BasicDecimal256::Abs(left) >= divisor) {
    whole += is_negative == by.IsNegative() ? 1 : -1;
    left += is_negative ? divisor : -divisor;
  }
  return {Decimal256(whole), Decimal256(left)};
}

Decimal256 WithFewerPlaces(const Decimal256& value, int32_t places, bool rounds) {
  if (places <= 0) return value;
  if (places > Decimal256::kMaxPrecision) return Decimal256(0);
  const Decimal256 power(arrow::BasicDecimal256::GetScaleMultiplier(places));
  auto [whole, left] = Divided(value, power);
  const Decimal256 size(arrow::BasicDecimal256::Abs(left));
  // 2 · size might not fit.
  const bool is_half = size >= Decimal256(power + -size);
  if (rounds && is_half) whole += Decimal256(value.IsNegative() ? -1 : 1);
  return whole;
}

}  // namespace lance::query
