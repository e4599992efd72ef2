#pragma once

#include <cstdint>
#include <cstring>

#include "arrow/array.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// Values of a decimal operand. All decimals are computed with 256 bits, which also the product of
/// two decimal128 fits in.
class DecimalOperand {
 public:
  explicit DecimalOperand(const Operand& operand)
      : scale_(static_cast<const arrow::DecimalType&>(*operand.array->type()).scale()),
        width_(static_cast<const arrow::DecimalType&>(*operand.array->type()).byte_width()),
        step_(operand.is_constant ? 0 : width_),
        bytes_(operand.array->data()->buffers[1]->data() + operand.array->offset() * width_) {}

  int32_t scale() const { return scale_; }
  /// Of decimal128.
  __int128 Narrow(int64_t row) const {
    __int128 value = 0;
    std::memcpy(&value, bytes_ + row * step_, sizeof(value));
    return value;
  }
  arrow::Decimal256 operator[](int64_t row) const {
    const uint8_t* value = bytes_ + row * step_;
    if (width_ == kNarrowBytes) return arrow::Decimal256(arrow::Decimal128(value));
    return arrow::Decimal256(value);
  }

 private:
  static constexpr int64_t kNarrowBytes = 16;

  int32_t scale_;
  int64_t width_;
  int64_t step_;
  const uint8_t* bytes_;
};

struct DecimalQuotient {
  arrow::Decimal256 whole;  ///< cut off
  arrow::Decimal256 left;   ///< of the sign of what was divided
};

/// By anything but 0. Arrow's division (26.0) is one short for some divisors of 64 bits and more.
DecimalQuotient Divided(const arrow::Decimal256& value, const arrow::Decimal256& by);

/// Divided by 10^places; half away from zero, or cut off.
arrow::Decimal256 WithFewerPlaces(const arrow::Decimal256& value, int32_t places, bool rounds);

}  // namespace lance::query
