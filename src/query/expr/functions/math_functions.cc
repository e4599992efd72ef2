#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "arrow/array/concatenate.h"
#include "arrow/builder.h"
#include "query/expr/function.h"
#include "query/expr/kernel/arithmetic.h"
#include "query/expr/kernel/compare.h"
#include "query/expr/kernel/decimal_values.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// ---- of floating-point numbers ----

/// float stays float, all other numbers become double.
TypePtr FloatTypeOf(const Expr& arg) {
  bool is_float = arg.type->id() == Type::FLOAT || arg.type->id() == Type::HALF_FLOAT;
  return is_float ? arrow::float32() : arrow::float64();
}

template <typename Apply>
Result<std::shared_ptr<Array>> MapFloats(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows, Apply apply) {
  auto map = [&]<typename T>(CType<T>) {
    FixedValues<T> values(args[0]);
    return MapFixed<T>(context, args, rows,
                       [&](int64_t row) { return static_cast<T>(apply(values[row])); });
  };
  return context.type->id() == Type::FLOAT ? map(CType<float>()) : map(CType<double>());
}

double Signum(double value) {
  if (std::isnan(value)) return value;
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
double Degrees(double value) { return value * (180 / std::numbers::pi); }
double Radians(double value) { return value * (std::numbers::pi / 180); }

/// A function of the C library, which has its value for every number.
template <double (*kApply)(double)>
Result<std::shared_ptr<Array>> OfDouble(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  return MapFloats(context, args, rows, [](auto value) { return kApply(value); });
}

template <double (*kApply)(double)>
Bound BindFloat(BindArgs args) {
  if (args.size() != 1 || !TakesNumber(*args[0])) return std::nullopt;
  TypePtr type = FloatTypeOf(*args[0]);
  return BoundFunction{{type}, type, OfDouble<kApply>};
}

template <double (*kApply)(double, double)>
Result<std::shared_ptr<Array>> OfTwoDoubles(const CallContext& context,
                                            std::span<const Operand> args, int64_t rows) {
  FixedValues<double> left(args[0]);
  FixedValues<double> right(args[1]);
  return MapFixed<double>(context, args, rows,
                          [&](int64_t row) { return kApply(left[row], right[row]); });
}

template <double (*kApply)(double, double)>
Bound BindTwoDoubles(BindArgs args) {
  if (args.size() != 2 || !TakesNumber(*args[0]) || !TakesNumber(*args[1])) return std::nullopt;
  return BoundFunction{
      {arrow::float64(), arrow::float64()}, arrow::float64(), OfTwoDoubles<kApply>};
}

double Cotangent(double value) { return 1 / std::tan(value); }

double LogOfBase(double base, double value) { return std::log(value) / std::log(base); }

Bound BindLog(BindArgs args) {
  return args.size() == 2 ? BindTwoDoubles<LogOfBase>(args) : BindFloat<std::log10>(args);
}

// ---- rounding ----

/// -0 becomes 0.
double Truncate(double value) { return value == 0 ? 0 : std::trunc(value); }

struct Round {
  template <typename T>
  static T Of(T value) {
    return std::round(value);
  }
};
struct Cut {
  template <typename T>
  static T Of(T value) {
    return std::trunc(value);
  }
};

/// To so many digits behind the point, in the type of the number.
template <typename Rounding>
Result<std::shared_ptr<Array>> ToDigits(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  const FixedValues<int64_t> digits(args[1]);
  auto map = [&]<typename T>(CType<T>) {
    const FixedValues<T> values(args[0]);
    auto scale_of = [](int64_t count) { return std::pow(T{10}, static_cast<T>(count)); };
    auto rounded = [](T value, T scale) {
      const T scaled = Rounding::Of(value * scale);
      return std::isfinite(scaled) && scale != 0 ? scaled / scale : value;
    };
    if (args[1].is_constant) {
      const T scale = scale_of(args[1].array->IsNull(0) ? 0 : digits[0]);
      return MapFixed<T>(context, args, rows,
                         [&](int64_t row) { return rounded(values[row], scale); });
    }
    return MapFixed<T>(context, args, rows,
                       [&](int64_t row) { return rounded(values[row], scale_of(digits[row])); });
  };
  return context.type->id() == Type::FLOAT ? map(CType<float>()) : map(CType<double>());
}

template <double (*kWhole)(double), typename Rounding>
Bound BindRound(BindArgs args) {
  if (args.size() == 1) return BindFloat<kWhole>(args);
  if (args.size() != 2 || !TakesNumber(*args[0]) || !TakesInteger(*args[1])) return std::nullopt;
  TypePtr type = FloatTypeOf(*args[0]);
  return BoundFunction{{type, arrow::int64()}, type, ToDigits<Rounding>};
}

// ---- abs ----

template <typename T>
Result<std::shared_ptr<Array>> AbsInteger(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  FixedValues<T> values(args[0]);
  return MapFixedChecked<T>(context, args, rows, [&](int64_t row, T* out) {
    T value = values[row];
    if (std::is_signed_v<T> && value == std::numeric_limits<T>::min()) {
      return UserError("abs(", +value, ") does not fit into ", context.type->ToString());
    }
    *out = static_cast<T>(value < 0 ? -value : value);
    return Status::OK();
  });
}

template <typename T>
Result<std::shared_ptr<Array>> AbsFloat(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  FixedValues<T> values(args[0]);
  return MapFixed<T>(context, args, rows, [&](int64_t row) { return std::abs(values[row]); });
}

Result<std::shared_ptr<Array>> AbsDecimal(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  DecimalOperand values(args[0]);
  auto width =
      static_cast<size_t>(static_cast<const arrow::DecimalType&>(*context.type).byte_width());
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        AllocateValues<uint8_t>(context.pool, rows * static_cast<int64_t>(width)));
  uint8_t* out = buffer->mutable_data();
  for (int64_t row = 0; row < rows; ++row, out += width) {
    arrow::Decimal256 value = nulls.IsNull(row) ? arrow::Decimal256(0) : values[row];
    if (value < arrow::Decimal256(0)) value = arrow::Decimal256(-value);
    std::memcpy(out, value.ToBytes().data(), width);
  }
  return MakeFixed(context.type, rows, std::move(buffer), nulls.validity());
}

Bound BindAbs(BindArgs args) {
  if (args.size() != 1 || !TakesNumber(*args[0])) return std::nullopt;
  TypePtr type = args[0]->type;
  if (type->id() == Type::NA) type = arrow::int64();
  if (type->id() == Type::HALF_FLOAT) type = arrow::float32();
  if (arrow::is_decimal(type->id())) return BoundFunction{{type}, type, AbsDecimal};
  Kernel kernel = VisitNumberType(
      type->id(),
      []<typename T>(CType<T>) -> Kernel {
        if constexpr (std::is_floating_point_v<T>)
          return AbsFloat<T>;
        else
          return AbsInteger<T>;
      },
      []() -> Kernel { return nullptr; });
  return BoundFunction{{type}, type, kernel, arrow::is_integer(type->id())};
}

// ---- tests of floating-point numbers ----

bool IsNan(double value) { return std::isnan(value); }
bool IsZero(double value) { return value == 0; }

template <bool (*kTest)(double)>
Result<std::shared_ptr<Array>> TestDouble(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  FixedValues<double> values(args[0]);
  return MapBooleans(context, args, rows, [&](int64_t row) { return kTest(values[row]); });
}

template <bool (*kTest)(double)>
Bound BindTest(BindArgs args) {
  if (args.size() != 1 || !TakesNumber(*args[0])) return std::nullopt;
  return BoundFunction{{arrow::float64()}, arrow::boolean(), TestDouble<kTest>};
}

/// The second value where the first is NaN; the result is null where the chosen one is.
Result<std::shared_ptr<Array>> NanVl(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  FixedValues<double> values(args[0]);
  FixedValues<double> others(args[1]);
  arrow::DoubleBuilder builder(context.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
  for (int64_t row = 0; row < rows; ++row) {
    const bool is_nan = args[0].array->IsValid(args[0].IndexOf(row)) && std::isnan(values[row]);
    const Operand& chosen = is_nan ? args[1] : args[0];
    if (chosen.array->IsNull(chosen.IndexOf(row))) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(is_nan ? others[row] : values[row]);
    }
  }
  return builder.Finish();
}

Bound BindNanVl(BindArgs args) {
  if (args.size() != 2 || !TakesNumber(*args[0]) || !TakesNumber(*args[1])) return std::nullopt;
  return BoundFunction{{arrow::float64(), arrow::float64()}, arrow::float64(), NanVl};
}

// ---- gcd, lcm ----

uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

Status Checked(std::string_view name, uint64_t value, int64_t* out) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return UserError(name, "() does not fit into int64");
  }
  *out = static_cast<int64_t>(value);
  return Status::OK();
}

Status GreatestDivisor(int64_t a, int64_t b, int64_t* out) {
  return Checked("gcd", std::gcd(Magnitude(a), Magnitude(b)), out);
}

Status LeastMultiple(int64_t a, int64_t b, int64_t* out) {
  if (a == 0 || b == 0) return Checked("lcm", 0, out);
  uint64_t multiple = 0;
  const uint64_t divisor = std::gcd(Magnitude(a), Magnitude(b));
  if (__builtin_mul_overflow(Magnitude(a) / divisor, Magnitude(b), &multiple)) {
    return UserError("lcm() does not fit into int64");
  }
  return Checked("lcm", multiple, out);
}

template <Status (*kApply)(int64_t, int64_t, int64_t*)>
Result<std::shared_ptr<Array>> OfTwoIntegers(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  FixedValues<int64_t> left(args[0]);
  FixedValues<int64_t> right(args[1]);
  return MapFixedChecked<int64_t>(context, args, rows, [&](int64_t row, int64_t* out) {
    return kApply(left[row], right[row], out);
  });
}

template <Status (*kApply)(int64_t, int64_t, int64_t*)>
Bound BindTwoIntegers(BindArgs args) {
  if (args.size() != 2 || !TakesInteger(*args[0]) || !TakesInteger(*args[1])) return std::nullopt;
  return BoundFunction{
      {arrow::int64(), arrow::int64()}, arrow::int64(), OfTwoIntegers<kApply>, true};
}

Result<std::shared_ptr<Array>> Factorial(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const FixedValues<int64_t> values(args[0]);
  return MapFixedChecked<int64_t>(context, args, rows, [&](int64_t row, int64_t* out) {
    constexpr int64_t kMost = 20;
    const int64_t value = values[row];
    if (value < 0) return UserError("there is no factorial of a negative number such as ", value);
    if (value > kMost) return UserError("factorial(", value, ") does not fit into int64");
    *out = 1;
    for (int64_t factor = 2; factor <= value; ++factor) *out *= factor;
    return Status::OK();
  });
}

Bound BindFactorial(BindArgs args) {
  if (args.size() != 1 || !TakesInteger(*args[0])) return std::nullopt;
  return BoundFunction{{arrow::int64()}, arrow::int64(), Factorial, true};
}

// ---- mod, greatest, least, pi ----

Bound BindMod(BindArgs args) {
  if (args.size() != 2 || !TakesNumber(*args[0]) || !TakesNumber(*args[1])) return std::nullopt;
  auto types = TypesOfArithmetic("%", args[0]->type, args[1]->type);
  if (!types || types->result->id() == Type::HALF_FLOAT) return std::nullopt;
  bool is_decimal = arrow::is_decimal(types->result->id());
  Kernel kernel =
      is_decimal ? DecimalKernel("%", *types->left) : ArithmeticKernel("%", *types->left);
  return BoundFunction{{types->left, types->right}, types->result, kernel, true};
}

/// NaN is above all numbers.
template <typename T>
bool IsLess(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  return a < b;
}

/// Numbers and what is stored as numbers, compared without looking at nulls: these decide last.
template <int kSign, typename T>
Result<std::shared_ptr<Array>> ExtremeFixed(const CallContext& context,
                                            std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<T>(context.pool, rows));
  ARROW_ASSIGN_OR_RAISE(auto validity, arrow::AllocateEmptyBitmap(rows, context.pool));
  T* out = buffer->template mutable_data_as<T>();
  uint8_t* is_valid = validity->mutable_data();
  for (const Operand& arg : args) {
    const FixedValues<T> values(arg);
    const bool has_nulls = arg.array->null_count() > 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (has_nulls && arg.array->IsNull(arg.IndexOf(row))) continue;
      const T value = values[row];
      const bool is_better = kSign > 0 ? IsLess(out[row], value) : IsLess(value, out[row]);
      if (arrow::bit_util::GetBit(is_valid, row) && !is_better) continue;
      out[row] = value;
      arrow::bit_util::SetBit(is_valid, row);
    }
  }
  for (int64_t row = 0; row < rows; ++row) {
    if (!arrow::bit_util::GetBit(is_valid, row)) out[row] = T{};
  }
  return MakeFixed(context.type, rows, std::move(buffer), std::move(validity));
}

/// The largest (or smallest) of the arguments that are not null.
template <int kSign>
Result<std::shared_ptr<Array>> Extreme(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  arrow::ArrayVector arrays;
  std::vector<int64_t> begins;
  int64_t length = 0;
  for (const Operand& arg : args) {
    begins.push_back(length);
    length += arg.array->length();
    arrays.push_back(arg.array);
  }
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(arrays, context.pool));
  std::vector<int64_t> chosen(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    size_t best = 0;
    for (size_t i = 1; i < args.size(); ++i) {
      if (args[i].array->IsNull(args[i].IndexOf(row))) continue;
      bool is_better = args[best].array->IsNull(args[best].IndexOf(row)) ||
                       CompareValues(args[i], args[best], row) * kSign > 0;
      if (is_better) best = i;
    }
    chosen[static_cast<size_t>(row)] = begins[best] + args[best].IndexOf(row);
  }
  return Gather(context.pool, all, chosen);
}

template <int kSign>
Bound BindExtreme(BindArgs args) {
  if (args.empty()) return std::nullopt;
  std::vector<TypePtr> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  TypePtr common = CommonType(types);
  if (common != nullptr && common->id() == Type::NA) common = arrow::int64();
  if (common == nullptr || ComparisonKernel(Comparison::kLess, *common) == nullptr) {
    return std::nullopt;
  }
  Kernel kernel = VisitNumberType(
      StorageId(*common), []<typename T>(CType<T>) -> Kernel { return ExtremeFixed<kSign, T>; },
      []() -> Kernel { return Extreme<kSign>; });
  return BoundFunction{std::vector<TypePtr>(args.size(), common), common, kernel};
}

Result<std::shared_ptr<Array>> Pi(const CallContext& context, std::span<const Operand> args,
                                  int64_t rows) {
  return MapFixed<double>(context, args, rows, [](int64_t) { return std::numbers::pi; });
}

Bound BindPi(BindArgs args) {
  return args.empty() ? Bound(BoundFunction{{}, arrow::float64(), Pi}) : std::nullopt;
}

constexpr Function kFunctions[] = {
    {"abs", "abs(number)", BindAbs},
    {"ceil", "ceil(number)", BindFloat<std::ceil>},
    {"floor", "floor(number)", BindFloat<std::floor>},
    {"round", "round(number[, digits])", BindRound<std::round, Round>},
    {"trunc", "trunc(number[, digits])", BindRound<Truncate, Cut>},
    {"sqrt", "sqrt(number)", BindFloat<std::sqrt>},
    {"cbrt", "cbrt(number)", BindFloat<std::cbrt>},
    {"exp", "exp(number)", BindFloat<std::exp>},
    {"ln", "ln(number)", BindFloat<std::log>},
    {"log", "log([base, ]number)", BindLog},
    {"log2", "log2(number)", BindFloat<std::log2>},
    {"log10", "log10(number)", BindFloat<std::log10>},
    {"power", "power(number, number)", BindTwoDoubles<std::pow>},
    {"pow", "pow(number, number)", BindTwoDoubles<std::pow>},
    {"signum", "signum(number)", BindFloat<Signum>},
    {"sign", "sign(number)", BindFloat<Signum>},
    {"sin", "sin(number)", BindFloat<std::sin>},
    {"cos", "cos(number)", BindFloat<std::cos>},
    {"tan", "tan(number)", BindFloat<std::tan>},
    {"asin", "asin(number)", BindFloat<std::asin>},
    {"acos", "acos(number)", BindFloat<std::acos>},
    {"atan", "atan(number)", BindFloat<std::atan>},
    {"sinh", "sinh(number)", BindFloat<std::sinh>},
    {"cosh", "cosh(number)", BindFloat<std::cosh>},
    {"tanh", "tanh(number)", BindFloat<std::tanh>},
    {"asinh", "asinh(number)", BindFloat<std::asinh>},
    {"acosh", "acosh(number)", BindFloat<std::acosh>},
    {"atanh", "atanh(number)", BindFloat<std::atanh>},
    {"cot", "cot(number)", BindFloat<Cotangent>},
    {"gcd", "gcd(integer, integer)", BindTwoIntegers<GreatestDivisor>},
    {"lcm", "lcm(integer, integer)", BindTwoIntegers<LeastMultiple>},
    {"factorial", "factorial(integer)", BindFactorial},
    {"atan2", "atan2(number, number)", BindTwoDoubles<std::atan2>},
    {"degrees", "degrees(number)", BindFloat<Degrees>},
    {"radians", "radians(number)", BindFloat<Radians>},
    {"isnan", "isnan(number)", BindTest<IsNan>},
    {"iszero", "iszero(number)", BindTest<IsZero>},
    {"nanvl", "nanvl(number, number)", BindNanVl},
    {"mod", "mod(number, number)", BindMod},
    {"greatest", "greatest(value, …)", BindExtreme<1>},
    {"least", "least(value, …)", BindExtreme<-1>},
    {"pi", "pi()", BindPi},
};

}  // namespace

std::span<const Function> MathFunctions() { return kFunctions; }

}  // namespace lance::query
