#include "query/expr/kernel/arithmetic.h"

#include <cmath>
#include <limits>
#include <string>

#include "query/expr/kernel/decimal_values.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Decimal256;

enum class Op : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo, kShiftLeft, kShiftRight };

Status DivisionByZero() { return UserError("division by zero"); }

template <typename T>
Status Overflow(T a, std::string_view op, T b, const arrow::DataType& type) {
  return UserError(type.ToString(), " overflow: ", +a, " ", op, " ", +b);
}

template <Op kOp, typename T>
Status ApplyInteger(T a, T b, const arrow::DataType& type, T* out) {
  constexpr T kLeast = std::numeric_limits<T>::min();
  if constexpr (kOp == Op::kAdd) {
    if (__builtin_add_overflow(a, b, out)) return Overflow(a, "+", b, type);
  } else if constexpr (kOp == Op::kSubtract) {
    if (__builtin_sub_overflow(a, b, out)) return Overflow(a, "-", b, type);
  } else if constexpr (kOp == Op::kMultiply) {
    if (__builtin_mul_overflow(a, b, out)) return Overflow(a, "*", b, type);
  } else if constexpr (kOp == Op::kDivide) {
    if (b == 0) return DivisionByZero();
    if (std::is_signed_v<T> && a == kLeast && b == static_cast<T>(-1)) {
      return Overflow(a, "/", b, type);
    }
    *out = static_cast<T>(a / b);
  } else if constexpr (kOp == Op::kModulo) {
    if (b == 0) return DivisionByZero();
    bool is_negation = std::is_signed_v<T> && b == static_cast<T>(-1);
    *out = is_negation ? T{0} : static_cast<T>(a % b);
  } else {
    // Like the hardware's shift: the count is taken modulo the width.
    auto bits = static_cast<std::make_unsigned_t<T>>(a);
    auto count = static_cast<unsigned>(b) & (sizeof(T) * 8 - 1);
    *out = kOp == Op::kShiftLeft ? static_cast<T>(bits << count) : static_cast<T>(a >> count);
  }
  return Status::OK();
}

template <Op kOp, typename T>
T ApplyFloat(T a, T b) {
  if constexpr (kOp == Op::kAdd) return a + b;
  if constexpr (kOp == Op::kSubtract) return a - b;
  if constexpr (kOp == Op::kMultiply) return a * b;
  if constexpr (kOp == Op::kDivide) return a / b;
  if constexpr (kOp == Op::kModulo) return std::fmod(a, b);
}

template <Op kOp, typename T>
Result<std::shared_ptr<Array>> Arithmetic(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  FixedValues<T> left(args[0]);
  FixedValues<T> right(args[1]);
  if constexpr (std::is_floating_point_v<T>) {
    return MapFixed<T>(context, args, rows,
                       [&](int64_t row) { return ApplyFloat<kOp>(left[row], right[row]); });
  } else {
    return MapFixedChecked<T>(context, args, rows, [&](int64_t row, T* out) {
      return ApplyInteger<kOp>(left[row], right[row], *context.type, out);
    });
  }
}

template <Op kOp>
Kernel KernelFor(const arrow::DataType& type) {
  return VisitNumberType(
      StorageId(type),
      []<typename T>(CType<T>) -> Kernel {
        constexpr bool kIsShift = kOp == Op::kShiftLeft || kOp == Op::kShiftRight;
        if constexpr (kIsShift && std::is_floating_point_v<T>)
          return nullptr;
        else
          return Arithmetic<kOp, T>;
      },
      []() -> Kernel { return nullptr; });
}

// ---- decimals ----

Status DecimalOverflow(const arrow::DataType& type) {
  return UserError("the result does not fit into ", type.ToString());
}

/// value · 10^scale
Result<Decimal256> ScaledUp(const Decimal256& value, int32_t scale, const arrow::DataType& type) {
  if (scale == 0) return value;
  auto scaled = value.Rescale(0, scale);
  return scaled.ok() ? scaled : DecimalOverflow(type);
}

template <Op kOp>
Result<Decimal256> ApplyDecimal(const Decimal256& a, int32_t a_scale, const Decimal256& b,
                                int32_t b_scale, const arrow::DecimalType& type) {
  if constexpr (kOp == Op::kMultiply) {
    // Scales add up to that of the result, unless that had to be cut.
    Decimal256 product = a * b;
    if (a != Decimal256(0) && Divided(product, a).whole != b) return DecimalOverflow(type);
    int32_t excess = a_scale + b_scale - type.scale();
    return excess > 0 ? WithFewerPlaces(product, excess, /*rounds=*/true) : product;
  } else if constexpr (kOp == Op::kDivide) {
    if (b == Decimal256(0)) return DivisionByZero();
    ARROW_ASSIGN_OR_RAISE(Decimal256 dividend, ScaledUp(a, type.scale() - a_scale + b_scale, type));
    return Divided(dividend, b).whole;
  } else {
    int32_t scale = std::max(a_scale, b_scale);
    ARROW_ASSIGN_OR_RAISE(Decimal256 left, ScaledUp(a, scale - a_scale, type));
    ARROW_ASSIGN_OR_RAISE(Decimal256 right, ScaledUp(b, scale - b_scale, type));
    if constexpr (kOp == Op::kAdd) return Decimal256(left + right);
    if constexpr (kOp == Op::kSubtract) return Decimal256(left + -right);
    if (right == Decimal256(0)) return DivisionByZero();
    return Divided(left, right).left;
  }
}

/// compute(row) as a decimal of the result's type.
template <typename Compute>
Result<std::shared_ptr<Array>> MapDecimals(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows,
                                           Compute compute) {
  const auto& type = static_cast<const arrow::DecimalType&>(*context.type);
  int64_t width = type.byte_width();
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<uint8_t>(context.pool, rows * width));
  uint8_t* out = buffer->mutable_data();
  for (int64_t row = 0; row < rows; ++row, out += width) {
    Decimal256 value(0);
    if (!nulls.IsNull(row)) {
      ARROW_ASSIGN_OR_RAISE(value, compute(row));
      if (!value.FitsInPrecision(type.precision())) return DecimalOverflow(type);
    }
    // Both widths are little-endian: the narrow one is the lower half.
    std::memcpy(out, value.ToBytes().data(), static_cast<size_t>(width));
  }
  return MakeFixed(context.type, rows, std::move(buffer), nulls.validity());
}

/// 10^power, or 0 if that doesn't fit.
__int128 PowerOfTen(int32_t power) {
  constexpr int32_t kMostDigits = 38;
  if (power < 0 || power > kMostDigits) return 0;
  __int128 value = 1;
  for (; power > 0; --power) value *= 10;
  return value;
}

/// The common case of decimal128: what needs no more than 128 bits on the way.
class NarrowDecimals {
 public:
  NarrowDecimals(Op op, int32_t left_scale, int32_t right_scale, const arrow::DecimalType& type)
      : limit_(PowerOfTen(type.precision())) {
    if (op == Op::kMultiply) {
      left_factor_ = left_scale + right_scale == type.scale() ? 1 : 0;
      right_factor_ = 1;
    } else if (op == Op::kDivide) {
      left_factor_ = PowerOfTen(type.scale() - left_scale + right_scale);
      right_factor_ = 1;
    } else {
      const int32_t scale = std::max(left_scale, right_scale);
      left_factor_ = PowerOfTen(scale - left_scale);
      right_factor_ = PowerOfTen(scale - right_scale);
    }
  }

  /// Whether there is a result that fits; if not, the long way tells why or finds it.
  template <Op kOp>
  bool Apply(__int128 a, __int128 b, __int128* out) const {
    if (left_factor_ == 0 || right_factor_ == 0) return false;
    if (__builtin_mul_overflow(a, left_factor_, &a)) return false;
    if (__builtin_mul_overflow(b, right_factor_, &b)) return false;
    if constexpr (kOp == Op::kAdd) {
      if (__builtin_add_overflow(a, b, out)) return false;
    } else if constexpr (kOp == Op::kSubtract) {
      if (__builtin_sub_overflow(a, b, out)) return false;
    } else if constexpr (kOp == Op::kMultiply) {
      if (__builtin_mul_overflow(a, b, out)) return false;
    } else {
      if (b == 0 || b == -1) return false;
      *out = kOp == Op::kDivide ? a / b : a % b;
    }
    return *out<limit_&& * out> - limit_;
  }

 private:
  __int128 limit_;
  __int128 left_factor_ = 0;
  __int128 right_factor_ = 0;
};

template <Op kOp>
Result<std::shared_ptr<Array>> NarrowDecimalArithmetic(const CallContext& context,
                                                       std::span<const Operand> args,
                                                       int64_t rows) {
  const auto& type = static_cast<const arrow::DecimalType&>(*context.type);
  const DecimalOperand left(args[0]);
  const DecimalOperand right(args[1]);
  const NarrowDecimals narrow(kOp, left.scale(), right.scale(), type);
  return MapFixedChecked<__int128>(context, args, rows, [&](int64_t row, __int128* out) {
    if (narrow.Apply<kOp>(left.Narrow(row), right.Narrow(row), out)) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(Decimal256 value, ApplyDecimal<kOp>(left[row], left.scale(), right[row],
                                                              right.scale(), type));
    if (!value.FitsInPrecision(type.precision())) return DecimalOverflow(type);
    std::memcpy(out, value.ToBytes().data(), sizeof(*out));
    return Status::OK();
  });
}

template <Op kOp>
Result<std::shared_ptr<Array>> DecimalArithmetic(const CallContext& context,
                                                 std::span<const Operand> args, int64_t rows) {
  const auto& type = static_cast<const arrow::DecimalType&>(*context.type);
  if (type.id() == arrow::Type::DECIMAL128) {
    return NarrowDecimalArithmetic<kOp>(context, args, rows);
  }
  DecimalOperand left(args[0]);
  DecimalOperand right(args[1]);
  return MapDecimals(context, args, rows, [&](int64_t row) {
    return ApplyDecimal<kOp>(left[row], left.scale(), right[row], right.scale(), type);
  });
}

Result<std::shared_ptr<Array>> NegateDecimal(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  DecimalOperand values(args[0]);
  return MapDecimals(context, args, rows,
                     [&](int64_t row) -> Result<Decimal256> { return Decimal256(-values[row]); });
}

template <typename T>
Result<std::shared_ptr<Array>> Negate(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  FixedValues<T> values(args[0]);
  return MapFixedChecked<T>(context, args, rows, [&](int64_t row, T* out) {
    if constexpr (std::is_floating_point_v<T>) {
      *out = -values[row];
      return Status::OK();
    } else {
      return ApplyInteger<Op::kSubtract>(T{0}, values[row], *context.type, out);
    }
  });
}

}  // namespace

Kernel ArithmeticKernel(std::string_view op, const arrow::DataType& type) {
  if (op == "+") return KernelFor<Op::kAdd>(type);
  if (op == "-") return KernelFor<Op::kSubtract>(type);
  if (op == "*") return KernelFor<Op::kMultiply>(type);
  if (op == "/") return KernelFor<Op::kDivide>(type);
  if (op == "%") return KernelFor<Op::kModulo>(type);
  if (op == "<<") return KernelFor<Op::kShiftLeft>(type);
  if (op == ">>") return KernelFor<Op::kShiftRight>(type);
  return nullptr;
}

Kernel DecimalKernel(std::string_view op, const arrow::DataType& type) {
  if (!arrow::is_decimal(type.id())) return nullptr;
  if (op == "+") return DecimalArithmetic<Op::kAdd>;
  if (op == "-") return DecimalArithmetic<Op::kSubtract>;
  if (op == "*") return DecimalArithmetic<Op::kMultiply>;
  if (op == "/") return DecimalArithmetic<Op::kDivide>;
  if (op == "%") return DecimalArithmetic<Op::kModulo>;
  return nullptr;
}

Kernel NegationKernel(const arrow::DataType& type) {
  if (arrow::is_decimal(type.id())) return NegateDecimal;
  if (arrow::is_unsigned_integer(type.id())) return nullptr;
  return VisitNumberType(
      StorageId(type), []<typename T>(CType<T>) -> Kernel { return Negate<T>; },
      []() -> Kernel { return nullptr; });
}

}  // namespace lance::query
