#include "query/expr/kernel/value_set.h"

#include <bit>
#include <cmath>
#include <limits>

#include "arrow/type.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

/// Equal values have equal words: also -0 and 0, and all NaNs.
template <typename T>
uint64_t WordOf(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    auto number = static_cast<double>(value);
    if (number == 0) number = 0;
    if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<uint64_t>(number);
  } else {
    return static_cast<uint64_t>(value);
  }
}

bool IsBytes(const arrow::DataType& type) {
  return arrow::is_base_binary_like(type.id()) || type.id() == arrow::Type::FIXED_SIZE_BINARY ||
         arrow::is_decimal(type.id());
}

/// Calls use(row → key) with the keys of an operand.
template <typename Use>
auto WithWords(const Operand& operand, Use use) {
  const arrow::DataType& type = *operand.array->type();
  return VisitNumberType(
      StorageId(type),
      [&]<typename T>(CType<T>) {
        FixedValues<T> values(operand);
        return use([values](int64_t row) { return WordOf(values[row]); });
      },
      [&] {
        BooleanValues values(operand);
        return use([values](int64_t row) { return WordOf(static_cast<int>(values[row])); });
      });
}

/// Decimals are a kind of FixedSizeBinaryType, so that BytesValues reads them too.
template <typename Use>
auto WithBytes(const Operand& operand, Use use) {
  BytesValues values(operand);
  return use([values](int64_t row) { return values[row]; });
}

template <typename Key, typename Read>
void Insert(const arrow::Array& array, std::unordered_set<Key>* set, Read read) {
  set->reserve(static_cast<size_t>(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) set->insert(read(i));
  }
}

}  // namespace

bool CanHash(const arrow::DataType& type) {
  bool is_word = type.id() == arrow::Type::BOOL ||
                 VisitNumberType(
                     StorageId(type), [](auto) { return true; }, [] { return false; });
  return is_word || IsBytes(type);
}

Result<std::shared_ptr<const ValueSet>> ValueSet::Make(std::shared_ptr<arrow::Array> values) {
  auto set = std::make_shared<ValueSet>();
  set->values_ = std::move(values);
  const arrow::Array& array = *set->values_;
  set->has_null_ = array.null_count() > 0;
  if (!CanHash(*array.type())) {
    return UserError("IN is not supported for values of type ", array.type()->ToString());
  }
  Operand operand{set->values_, false};
  if (IsBytes(*array.type())) {
    WithBytes(operand, [&](auto read) { Insert(array, &set->bytes_, read); });
  } else {
    WithWords(operand, [&](auto read) { Insert(array, &set->words_, read); });
  }
  return set;
}

Result<std::shared_ptr<arrow::Array>> ValueSet::Contains(arrow::MemoryPool* pool,
                                                         const Operand& operand,
                                                         int64_t rows) const {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(pool, {&operand, 1}, rows));
  auto search = [&](const auto& set) {
    return [&](auto read) {
      return PackBits(pool, rows,
                      [&](int64_t row) { return !nulls.IsNull(row) && set.contains(read(row)); });
    };
  };
  ARROW_ASSIGN_OR_RAISE(auto bits, IsBytes(*values_->type()) ? WithBytes(operand, search(bytes_))
                                                             : WithWords(operand, search(words_)));
  if (!has_null_) return MakeBooleans(rows, std::move(bits), nulls.validity());
  // Nothing is known to be outside of a set with a null.
  auto validity = bits;
  return MakeBooleans(rows, std::move(bits), std::move(validity));
}

}  // namespace lance::query
