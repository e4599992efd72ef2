#include "query/expr/kernel/compare.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "arrow/util/decimal.h"
#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;

// Without branches, so that loops become vectors. Only NaN differs from itself.

template <typename T>
bool Equal(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return (static_cast<int>(a == b) | (static_cast<int>(a != a) & static_cast<int>(b != b))) != 0;
  else
    return a == b;
}

template <typename T>
bool Less(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return (static_cast<int>(a < b) | (static_cast<int>(a == a) & static_cast<int>(b != b))) != 0;
  else
    return a < b;
}

template <Comparison kComparison, typename T>
bool Holds(const T& a, const T& b) {
  if constexpr (kComparison == Comparison::kEqual) return Equal(a, b);
  if constexpr (kComparison == Comparison::kNotEqual) return !Equal(a, b);
  if constexpr (kComparison == Comparison::kLess) return Less(a, b);
  if constexpr (kComparison == Comparison::kLessEqual) return !Less(b, a);
  if constexpr (kComparison == Comparison::kGreater) return Less(b, a);
  if constexpr (kComparison == Comparison::kGreaterEqual) return !Less(a, b);
}

template <typename Decimal>
class DecimalValues {
 public:
  explicit DecimalValues(const Operand& operand)
      : bytes_(operand.array->data()->buffers[1]->data() +
               operand.array->offset() * static_cast<int64_t>(sizeof(Decimal))),
        step_(operand.is_constant ? 0 : static_cast<int64_t>(sizeof(Decimal))) {}
  Decimal operator[](int64_t row) const { return Decimal(bytes_ + row * step_); }

 private:
  const uint8_t* bytes_;
  int64_t step_;
};

/// Values of which there is one a row, in the form that is read fastest.
template <typename T>
const T* Column(const FixedValues<T>& values) {
  return values.data();
}
template <typename Values>
Values Column(const Values& values) {
  return values;
}

template <Comparison kComparison, typename Values>
Result<std::shared_ptr<Array>> CompareAll(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  Values left(args[0]);
  Values right(args[1]);
  // Comparing what lies below nulls does no harm.
  auto compare = [&](auto holds) { return PackBits(context.pool, rows, holds); };
  std::shared_ptr<arrow::Buffer> bits;
  if (args[1].is_constant && !args[0].is_constant) {
    const auto value = right[0];
    auto column = Column(left);
    ARROW_ASSIGN_OR_RAISE(
        bits, compare([=](int64_t row) { return Holds<kComparison>(column[row], value); }));
  } else {
    ARROW_ASSIGN_OR_RAISE(
        bits, compare([=](int64_t row) { return Holds<kComparison>(left[row], right[row]); }));
  }
  return MakeBooleans(rows, std::move(bits), nulls.validity());
}

/// Timestamps or durations of any unit, in units so fine and numbers so wide that all fit.
class NanosValues {
 public:
  explicit NanosValues(const Operand& operand)
      : values_(operand),
        nanos_(UnitsPerSecond(arrow::TimeUnit::NANO) /
               UnitsPerSecond(UnitOf(*operand.array->type()))) {}
  __int128 operator[](int64_t row) const { return static_cast<__int128>(values_[row]) * nanos_; }

  static arrow::TimeUnit::type UnitOf(const arrow::DataType& type) {
    return type.id() == arrow::Type::DURATION
               ? static_cast<const arrow::DurationType&>(type).unit()
               : static_cast<const arrow::TimestampType&>(type).unit();
  }

 private:
  FixedValues<int64_t> values_;
  int64_t nanos_;
};

template <Comparison kComparison>
Result<std::shared_ptr<Array>> CompareInstants(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows) {
  bool same_unit =
      NanosValues::UnitOf(*args[0].array->type()) == NanosValues::UnitOf(*args[1].array->type());
  return same_unit ? CompareAll<kComparison, FixedValues<int64_t>>(context, args, rows)
                   : CompareAll<kComparison, NanosValues>(context, args, rows);
}

/// Bytes of an item where equal items have equal bytes, and no item is null; else 0.
int64_t PlainItemBytes(const Array& lists) {
  if (lists.type_id() != arrow::Type::LIST && lists.type_id() != arrow::Type::LARGE_LIST) return 0;
  const arrow::ArrayData& items = *lists.data()->child_data[0];
  const arrow::Type::type id = StorageId(*items.type);
  const bool is_plain = arrow::is_integer(id) || arrow::is_decimal(id);
  const bool has_values = items.buffers.size() > 1 && items.buffers[1] != nullptr;
  return is_plain && has_values && items.GetNullCount() == 0 ? items.type->byte_width() : 0;
}

template <Comparison kComparison>
Result<std::shared_ptr<Array>> ComparePlainLists(const CallContext& context,
                                                 std::span<const Operand> args, int64_t rows,
                                                 int64_t item_bytes) {
  const ListRows left(args[0]);
  const ListRows right(args[1]);
  auto first_item = [&](const Operand& operand) {
    const arrow::ArrayData& items = *operand.array->data()->child_data[0];
    return items.buffers[1]->data() + items.offset * item_bytes;
  };
  const uint8_t* left_items = first_item(args[0]);
  const uint8_t* right_items = first_item(args[1]);
  return MapBooleans(context, args, rows, [&](int64_t row) {
    const int64_t size = left.Size(row);
    const bool equal =
        size == right.Size(row) && std::memcmp(left_items + left.Begin(row) * item_bytes,
                                               right_items + right.Begin(row) * item_bytes,
                                               static_cast<size_t>(size * item_bytes)) == 0;
    return equal == (kComparison == Comparison::kEqual);
  });
}

template <Comparison kComparison>
Result<std::shared_ptr<Array>> CompareNested(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  const Array& left = *args[0].array;
  const Array& right = *args[1].array;
  const int64_t item_bytes = PlainItemBytes(left);
  const bool has_same_items =
      left.data()->child_data.size() == 1 && right.type()->Equals(*left.type());
  if (item_bytes > 0 && has_same_items && item_bytes == PlainItemBytes(right)) {
    return ComparePlainLists<kComparison>(context, args, rows, item_bytes);
  }
  auto options = arrow::EqualOptions::Defaults().nans_equal(true);
  return MapBooleans(context, args, rows, [&](int64_t row) {
    int64_t at = args[0].IndexOf(row);
    bool equal = left.RangeEquals(right, at, at + 1, args[1].IndexOf(row), options);
    return equal == (kComparison == Comparison::kEqual);
  });
}

template <Comparison kComparison>
Kernel KernelFor(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return CompareAll<kComparison, BooleanValues>;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
      return CompareAll<kComparison, BytesValues>;
    case arrow::Type::DECIMAL128:
      return CompareAll<kComparison, DecimalValues<arrow::Decimal128>>;
    case arrow::Type::DECIMAL256:
      return CompareAll<kComparison, DecimalValues<arrow::Decimal256>>;
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
      return CompareInstants<kComparison>;
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::STRUCT:
      if constexpr (kComparison == Comparison::kEqual || kComparison == Comparison::kNotEqual) {
        return CompareNested<kComparison>;
      } else {
        return nullptr;
      }
    default:
      return VisitNumberType(
          StorageId(type),
          []<typename T>(CType<T>) -> Kernel { return CompareAll<kComparison, FixedValues<T>>; },
          []() -> Kernel { return nullptr; });
  }
}

/// IS [NOT] DISTINCT FROM, made of `=`.
template <bool kDistinct>
Result<std::shared_ptr<Array>> CompareWithNulls(const CallContext& context,
                                                std::span<const Operand> args, int64_t rows) {
  Kernel equal = ComparisonKernel(Comparison::kEqual, *args[0].array->type());
  ARROW_ASSIGN_OR_RAISE(auto equals, equal(context, args, rows));
  const auto& result = static_cast<const arrow::BooleanArray&>(*equals);
  auto is_null = [&](const Operand& operand, int64_t row) {
    return operand.array->IsNull(operand.IndexOf(row));
  };
  ARROW_ASSIGN_OR_RAISE(auto bits, PackBits(context.pool, rows, [&](int64_t row) {
                          bool same = result.IsValid(row)
                                          ? result.Value(row)
                                          : is_null(args[0], row) && is_null(args[1], row);
                          return same != kDistinct;
                        }));
  return MakeBooleans(rows, std::move(bits), nullptr);
}

template <typename Values>
int Order(const Operand& left, const Operand& right, int64_t row) {
  auto a = Values(left)[row];
  auto b = Values(right)[row];
  return Less(a, b) ? -1 : Less(b, a) ? 1 : 0;
}

}  // namespace

std::string_view ComparisonName(Comparison comparison) {
  constexpr std::array<std::string_view, 8> kNames = {
      "=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from"};
  return kNames[static_cast<size_t>(comparison)];
}

Comparison Swapped(Comparison comparison) {
  switch (comparison) {
    case Comparison::kLess:
      return Comparison::kGreater;
    case Comparison::kLessEqual:
      return Comparison::kGreaterEqual;
    case Comparison::kGreater:
      return Comparison::kLess;
    case Comparison::kGreaterEqual:
      return Comparison::kLessEqual;
    default:
      return comparison;
  }
}

Comparison Negated(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return Comparison::kNotEqual;
    case Comparison::kNotEqual:
      return Comparison::kEqual;
    case Comparison::kLess:
      return Comparison::kGreaterEqual;
    case Comparison::kLessEqual:
      return Comparison::kGreater;
    case Comparison::kGreater:
      return Comparison::kLessEqual;
    case Comparison::kGreaterEqual:
      return Comparison::kLess;
    case Comparison::kDistinct:
      return Comparison::kNotDistinct;
    case Comparison::kNotDistinct:
      return Comparison::kDistinct;
  }
  return comparison;
}

Kernel ComparisonKernel(Comparison comparison, const arrow::DataType& type) {
  switch (comparison) {
    case Comparison::kEqual:
      return KernelFor<Comparison::kEqual>(type);
    case Comparison::kNotEqual:
      return KernelFor<Comparison::kNotEqual>(type);
    case Comparison::kLess:
      return KernelFor<Comparison::kLess>(type);
    case Comparison::kLessEqual:
      return KernelFor<Comparison::kLessEqual>(type);
    case Comparison::kGreater:
      return KernelFor<Comparison::kGreater>(type);
    case Comparison::kGreaterEqual:
      return KernelFor<Comparison::kGreaterEqual>(type);
    case Comparison::kDistinct:
      return ComparisonKernel(Comparison::kEqual, type) ? CompareWithNulls<true> : nullptr;
    case Comparison::kNotDistinct:
      return ComparisonKernel(Comparison::kEqual, type) ? CompareWithNulls<false> : nullptr;
  }
  return nullptr;
}

int CompareValues(const Operand& left, const Operand& right, int64_t row) {
  const arrow::DataType& type = *left.array->type();
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Order<BooleanValues>(left, right, row);
    case arrow::Type::DECIMAL128:
      return Order<DecimalValues<arrow::Decimal128>>(left, right, row);
    case arrow::Type::DECIMAL256:
      return Order<DecimalValues<arrow::Decimal256>>(left, right, row);
    default:
      return VisitNumberType(
          StorageId(type),
          [&]<typename T>(CType<T>) { return Order<FixedValues<T>>(left, right, row); },
          [&] { return Order<BytesValues>(left, right, row); });
  }
}

}  // namespace lance::query
