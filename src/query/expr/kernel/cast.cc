#include "query/expr/kernel/cast.h"

#include <cmath>
#include <limits>

#include "arrow/array.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "arrow/util/float16.h"
#include "arrow/util/string.h"
#include "query/expr/kernel/cast_steps.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using arrow::util::Float16;

bool IsText(Type::type id) {
  return arrow::is_base_binary_like(id) || id == Type::FIXED_SIZE_BINARY;
}
bool IsPlainNumber(Type::type id) {
  return arrow::is_integer(id) || id == Type::FLOAT || id == Type::DOUBLE;
}
bool IsNumber(Type::type id) { return IsPlainNumber(id) || id == Type::HALF_FLOAT; }
bool IsList(Type::type id) {
  return id == Type::LIST || id == Type::LARGE_LIST || id == Type::FIXED_SIZE_LIST;
}
/// Stored as an integer.
bool IsTemporal(const arrow::DataType& type) { return StorageId(type) != type.id(); }

/// False if the value is outside of what the type can hold.
template <typename From, typename To>
bool ConvertNumber(From value, To* out) {
  if constexpr (std::is_floating_point_v<To>) {
    *out = static_cast<To>(value);
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // Both bounds are exact in floating point: 2^n, and -2^n or 0.
    From whole = std::trunc(value);
    const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    const From begin = std::is_signed_v<To> ? -end : From{0};
    if (!(whole >= begin && whole < end)) return false;
    *out = static_cast<To>(whole);
    return true;
  } else {
    if (!std::in_range<To>(value)) return false;
    *out = static_cast<To>(value);
    return true;
  }
}

std::shared_ptr<arrow::DataType> StorageType(const arrow::DataType& type) {
  return StorageId(type) == Type::INT32 ? arrow::int32() : arrow::int64();
}

/// All casts share one way from a half float, by way of float.
Result<std::shared_ptr<Array>> HalfToFloat(const CastJob& job) {
  FixedValues<uint16_t> values(job.operand());
  CastJob step{job.pool, job.array, arrow::float32(), job.mode};
  return CastFixed<float>(step, [&](int64_t row, float* out) {
    *out = Float16::FromBits(values[row]).ToFloat();
    return true;
  });
}

Result<std::shared_ptr<Array>> NumberToHalf(const CastJob& job) {
  ARROW_ASSIGN_OR_RAISE(auto doubles, CastArray(job.pool, job.array, arrow::float64(), job.mode));
  FixedValues<double> values(Operand{doubles, false});
  return CastFixed<uint16_t>(job, [&](int64_t row, uint16_t* out) {
    *out = Float16::FromDouble(values[row]).bits();
    return true;
  });
}

template <typename From>
Result<std::shared_ptr<Array>> NumberTo(const CastJob& job) {
  FixedValues<From> values(job.operand());
  return VisitNumberType(
      job.to->id(),
      [&]<typename To>(CType<To>) {
        return CastFixed<To>(job,
                             [&](int64_t row, To* out) { return ConvertNumber(values[row], out); });
      },
      [&]() -> Result<std::shared_ptr<Array>> {
        Operand operand = job.operand();
        CallContext context{job.pool, job.to};
        return MapBooleans(context, {&operand, 1}, job.array->length(),
                           [&](int64_t row) { return values[row] != 0; });
      });
}

Result<std::shared_ptr<Array>> BooleanToNumber(const CastJob& job) {
  BooleanValues values(job.operand());
  return VisitNumberType(
      job.to->id(),
      [&]<typename To>(CType<To>) {
        return CastFixed<To>(job, [&](int64_t row, To* out) {
          *out = static_cast<To>(values[row]);
          return true;
        });
      },
      [&]() -> Result<std::shared_ptr<Array>> { return job.array; });
}

Result<std::shared_ptr<Array>> CastList(const CastJob& job) {
  // No rows need no buffers.
  if (job.array->length() == 0) return arrow::MakeEmptyArray(job.to, job.pool);
  // Fixed-size lists get offsets first.
  std::shared_ptr<Array> lists = job.array;
  if (job.from().id() == Type::FIXED_SIZE_LIST) {
    const auto& fixed = static_cast<const arrow::FixedSizeListArray&>(*job.array);
    int32_t size = fixed.list_type()->list_size();
    ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues<int32_t>(job.pool, fixed.length() + 1));
    if ((fixed.offset() + fixed.length()) * int64_t{size} > std::numeric_limits<int32_t>::max()) {
      return UserError("too many list items to cast at once");
    }
    for (int64_t i = 0; i <= fixed.length(); ++i) {
      offsets->mutable_data_as<int32_t>()[i] = static_cast<int32_t>((fixed.offset() + i) * size);
    }
    Operand operand = job.operand();
    ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(job.pool, {&operand, 1}, fixed.length()));
    lists =
        std::make_shared<arrow::ListArray>(arrow::list(fixed.list_type()->field(0)), fixed.length(),
                                           std::move(offsets), fixed.values(), nulls.validity());
  }
  std::shared_ptr<arrow::DataType> item = job.to->field(0)->type();
  auto data = lists->data()->Copy();
  ARROW_ASSIGN_OR_RAISE(auto items,
                        CastArray(job.pool, arrow::MakeArray(data->child_data[0]), item, job.mode));
  data->child_data[0] = items->data();
  bool is_wide = lists->type_id() == Type::LARGE_LIST;
  data->type = is_wide ? arrow::large_list(job.to->field(0)) : arrow::list(job.to->field(0));
  if (is_wide == (job.to->id() == Type::LARGE_LIST)) return arrow::MakeArray(data);
  // The other width of offsets.
  std::shared_ptr<Array> offsets = std::make_shared<arrow::Int64Array>(0, nullptr);
  int64_t count = lists->length() + 1;
  if (is_wide) {
    offsets =
        std::make_shared<arrow::Int64Array>(count, data->buffers[1], nullptr, 0, data->offset);
    ARROW_ASSIGN_OR_RAISE(offsets, CastArray(job.pool, offsets, arrow::int32(), CastMode::kStrict));
  } else {
    offsets =
        std::make_shared<arrow::Int32Array>(count, data->buffers[1], nullptr, 0, data->offset);
    ARROW_ASSIGN_OR_RAISE(offsets, CastArray(job.pool, offsets, arrow::int64(), CastMode::kStrict));
  }
  Operand operand{lists, false};
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(job.pool, {&operand, 1}, lists->length()));
  return arrow::MakeArray(arrow::ArrayData::Make(
      job.to, lists->length(), {nulls.validity(), offsets->data()->buffers[1]}, {items->data()}));
}

/// `[1, 2]`; nulls are empty.
Result<std::shared_ptr<Array>> ListsToText(const CastJob& job) {
  auto as_list = arrow::large_list(job.to);
  ARROW_ASSIGN_OR_RAISE(auto lists, CastArray(job.pool, job.array, as_list, job.mode));
  const auto& texts = static_cast<const arrow::LargeListArray&>(*lists);
  const Operand items_operand{texts.values(), false};
  const BytesValues items(items_operand);
  const Operand operand = job.operand();
  return MapTexts(
      {job.pool, job.to}, {&operand, 1}, lists->length(), [&](int64_t row, std::string* out) {
        *out += '[';
        for (int64_t i = texts.value_offset(row); i < texts.value_offset(row + 1); ++i) {
          if (i > texts.value_offset(row)) *out += ", ";
          if (texts.values()->IsValid(i)) *out += items[i];
        }
        *out += ']';
        return Status::OK();
      });
}

/// The bytes that they are stored as.
Result<std::shared_ptr<Array>> IntegersToBytes(const CastJob& job) {
  const auto width = static_cast<size_t>(job.from().byte_width());
  const auto* bytes = reinterpret_cast<const char*>(job.array->data()->buffers[1]->data()) +
                      job.array->offset() * static_cast<int64_t>(width);
  const Operand operand = job.operand();
  return MapTexts({job.pool, job.to}, {&operand, 1}, job.array->length(),
                  [&](int64_t row, std::string_view* out) {
                    *out = {bytes + row * static_cast<int64_t>(width), width};
                    return Status::OK();
                  });
}

/// Integers and what is stored as integers: days, units of time. Integers as wide as a Date32 are
/// days of a Date64 too.
Result<std::shared_ptr<Array>> CastThroughStorage(const CastJob& job) {
  if (job.array->type_id() == Type::INT32 && job.to->id() == Type::DATE64) {
    return CastArray(job.pool, WithType(job.array, arrow::date32()), job.to, job.mode);
  }
  if (IsTemporal(job.from())) {
    auto storage = WithType(job.array, StorageType(job.from()));
    return CastArray(job.pool, storage, job.to, job.mode);
  }
  ARROW_ASSIGN_OR_RAISE(auto storage,
                        CastArray(job.pool, job.array, StorageType(*job.to), job.mode));
  return WithType(storage, job.to);
}

template <CastMode kMode>
Result<std::shared_ptr<Array>> Cast(const CallContext& context, std::span<const Operand> args,
                                    int64_t rows) {
  if (!args[0].is_constant || rows == 1) {
    return CastArray(context.pool, args[0].array, context.type, kMode);
  }
  ARROW_ASSIGN_OR_RAISE(auto one, CastArray(context.pool, args[0].array, context.type, kMode));
  ARROW_ASSIGN_OR_RAISE(auto value, one->GetScalar(0));
  return arrow::MakeArrayFromScalar(*value, rows, context.pool);
}

}  // namespace

Status CastJob::CannotCast(int64_t row) const {
  constexpr size_t kShown = 60;
  std::string text = "a value";
  if (arrow::is_binary(from().id()) || from().id() == Type::FIXED_SIZE_BINARY) {
    text = "X'" + Shortened(arrow::HexEncode(BytesValues(operand())[row]), kShown) + "'";
  } else if (auto scalar = array->GetScalar(row); scalar.ok()) {
    text = "'" + Shortened((*scalar)->ToString(), kShown) + "'";
  }
  return UserError("cannot cast ", text, " of type ", from().ToString(), " to ", to->ToString());
}

bool CanCast(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.Equals(to) || from.id() == Type::NA) return true;
  Type::type a = from.id();
  Type::type b = to.id();
  bool is_plain = IsNumber(a) || a == Type::BOOL || arrow::is_decimal(a);
  if (IsList(a) && arrow::is_base_binary_like(b)) {
    return arrow::is_string(b) && CanCast(*from.field(0)->type(), to);
  }
  if (IsText(b)) {
    if (b == Type::FIXED_SIZE_BINARY) return IsText(a) && !arrow::is_string(a);
    return IsText(a) || (arrow::is_integer(a) && !arrow::is_string(b)) ||
           ((is_plain || IsTemporal(from)) && arrow::is_base_binary_like(b) && arrow::is_string(b));
  }
  if (IsText(a)) {
    bool is_readable = IsNumber(b) || b == Type::BOOL || arrow::is_decimal(b) ||
                       (IsTemporal(to) && b != Type::DURATION);
    return is_readable && arrow::is_string(a);
  }
  if (IsList(a))
    return (b == Type::LIST || b == Type::LARGE_LIST) &&
           CanCast(*from.field(0)->type(), *to.field(0)->type());
  if (is_plain && (IsNumber(b) || b == Type::BOOL))
    return !(arrow::is_decimal(a) && b == Type::BOOL);
  if (is_plain && arrow::is_decimal(b)) return a != Type::BOOL;
  if (IsTemporal(from) && IsTemporal(to)) return CanCastTemporal(from, to);
  // Moments and spans of time are numbers too.
  const bool is_measured = a == Type::TIMESTAMP || a == Type::DURATION;
  if (b == Type::TIMESTAMP && (IsPlainNumber(a) || arrow::is_decimal(a))) return true;
  return (arrow::is_integer(a) && IsTemporal(to)) ||
         (IsTemporal(from) && (arrow::is_integer(b) || b == Type::DOUBLE)) ||
         (is_measured && (b == Type::FLOAT || arrow::is_decimal(b)));
}

Result<std::shared_ptr<Array>> CastArray(arrow::MemoryPool* pool,
                                         const std::shared_ptr<Array>& array,
                                         const std::shared_ptr<arrow::DataType>& to,
                                         CastMode mode) {
  if (array->type()->Equals(*to)) return array;
  if (array->type_id() == Type::NA) return arrow::MakeArrayOfNull(to, array->length(), pool);
  CastJob job{pool, array, to, mode};
  if (!CanCast(job.from(), *to)) {
    return UserError("values of type ", job.from().ToString(), " cannot be cast to ",
                     to->ToString());
  }
  if (array->type_id() == Type::HALF_FLOAT && !IsText(to->id())) {
    ARROW_ASSIGN_OR_RAISE(auto floats, HalfToFloat(job));
    return CastArray(pool, floats, to, mode);
  }
  if (IsList(array->type_id()) && IsText(to->id())) return ListsToText(job);
  if (arrow::is_integer(array->type_id()) && arrow::is_binary(to->id())) {
    return IntegersToBytes(job);
  }
  if (IsText(to->id())) return CastToText(job);
  if (IsText(array->type_id())) return CastFromText(job);
  if (to->id() == Type::HALF_FLOAT) return NumberToHalf(job);
  const bool is_stored = IsTemporal(job.from()) != IsTemporal(*to);
  if (is_stored) return CastThroughStorage(job);
  if (IsList(array->type_id())) return CastList(job);
  if (arrow::is_decimal(to->id())) return CastToDecimal(job);
  if (arrow::is_decimal(array->type_id())) return CastFromDecimal(job);
  if (IsTemporal(job.from()) && IsTemporal(*to)) return CastTemporal(job);
  if (array->type_id() == Type::BOOL) return BooleanToNumber(job);
  return VisitNumberType(
      array->type_id(), [&]<typename From>(CType<From>) { return NumberTo<From>(job); },
      [&]() -> Result<std::shared_ptr<Array>> { return job.array; });
}

Kernel CastKernel(CastMode mode) {
  return mode == CastMode::kStrict ? Cast<CastMode::kStrict> : Cast<CastMode::kTry>;
}

}  // namespace lance::query
