#include "query/expr/kernel/value_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "arrow/type.h"
#include "arrow/util/bitmap_ops.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

/// So many values are compared faster than hashed.
constexpr size_t kFewValues = 16;
/// Numbers of which at least one in so many is in the set have a bit each.
constexpr uint64_t kDenseShare = 64;

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

/// Bits of which rows equal one of a few values.
template <typename T>
Result<std::shared_ptr<arrow::Buffer>> MatchFew(arrow::MemoryPool* pool, const Operand& operand,
                                                int64_t rows, const std::vector<T>& few) {
  const FixedValues<T> column(operand);
  if (operand.is_constant) {
    return PackBits(pool, rows, [&](int64_t row) {
      return std::find(few.begin(), few.end(), column[row]) != few.end();
    });
  }
  const T* values = column.data();
  return PackBlocks(pool, rows, [&](int64_t row, int64_t count, uint8_t* answers) {
    for (T value : few) {
      for (int64_t i = 0; i < count; ++i) answers[i] |= values[row + i] == value ? 1 : 0;
    }
  });
}

bool IsSigned(const arrow::DataType& type) {
  return VisitNumberType(
      StorageId(type), []<typename T>(CType<T>) { return std::is_signed_v<T>; },
      [] { return false; });
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
  IsBytes(*array.type()) ? set->AddBytes() : set->AddWords();
  return set;
}

void ValueSet::AddWords() {
  const arrow::DataType& type = *values_->type();
  const auto count = static_cast<size_t>(values_->length() - values_->null_count());
  std::vector<uint64_t> words;
  words.reserve(count);
  WithWords(Operand{values_, false}, [&](auto read) {
    for (int64_t i = 0; i < values_->length(); ++i) {
      if (values_->IsValid(i)) words.push_back(read(i));
    }
  });
  const bool is_float = arrow::is_floating(type.id());
  if (count <= kFewValues && !is_float && type.id() != arrow::Type::BOOL) {
    form_ = Form::kFew;
    return;
  }
  if (!is_float && count > 0) {
    // Flipping the sign makes the order of signed numbers that of unsigned ones.
    const uint64_t flip = IsSigned(type) ? uint64_t{1} << 63 : 0;
    auto [least, largest] =
        std::minmax_element(words.begin(), words.end(),
                            [&](uint64_t a, uint64_t b) { return (a ^ flip) < (b ^ flip); });
    least_ = *least;
    span_ = *largest - *least;
    if (span_ / kDenseShare <= count) {
      form_ = Form::kDense;
      bits_.resize(span_ / 64 + 1);
      for (uint64_t word : words)
        bits_[(word - least_) / 64] |= uint64_t{1} << ((word - least_) % 64);
      return;
    }
  }
  form_ = Form::kWords;
  words_.Reserve(count);
  for (uint64_t word : words) words_.Insert(word);
}

void ValueSet::AddBytes() {
  form_ = Form::kBytes;
  bytes_.Reserve(static_cast<size_t>(values_->length()));
  BytesValues texts(Operand{values_, false});
  for (int64_t i = 0; i < values_->length(); ++i) {
    if (values_->IsNull(i)) continue;
    bytes_.Insert(texts[i]);
    lengths_ |= uint64_t{1} << (texts[i].size() % 64);
  }
}

Result<std::shared_ptr<arrow::Buffer>> ValueSet::Matches(arrow::MemoryPool* pool,
                                                         const Operand& operand,
                                                         int64_t rows) const {
  switch (form_) {
    case Form::kFew:
      return VisitNumberType(
          StorageId(*values_->type()),
          [&]<typename T>(CType<T>) -> Result<std::shared_ptr<arrow::Buffer>> {
            std::vector<T> few;
            FixedValues<T> values(Operand{values_, false});
            for (int64_t i = 0; i < values_->length(); ++i) {
              if (values_->IsValid(i)) few.push_back(values[i]);
            }
            return MatchFew(pool, operand, rows, few);
          },
          []() -> Result<std::shared_ptr<arrow::Buffer>> {
            return Unsupported("IN with values that are no numbers");
          });
    case Form::kDense:
      return WithWords(operand, [&](auto read) {
        return PackBits(pool, rows, [&](int64_t row) {
          const uint64_t at = read(row) - least_;
          return at <= span_ && ((bits_[at / 64] >> (at % 64)) & 1) != 0;
        });
      });
    case Form::kWords:
      return WithWords(operand, [&](auto read) {
        return PackBits(pool, rows, [&](int64_t row) { return words_.Contains(read(row)); });
      });
    case Form::kBytes:
      break;
  }
  return WithBytes(operand, [&](auto read) {
    return PackBits(pool, rows, [&](int64_t row) {
      const std::string_view text = read(row);
      return ((lengths_ >> (text.size() % 64)) & 1) != 0 && bytes_.Contains(text);
    });
  });
}

Result<std::shared_ptr<arrow::Array>> ValueSet::Contains(arrow::MemoryPool* pool,
                                                         const Operand& operand,
                                                         int64_t rows) const {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(pool, {&operand, 1}, rows));
  // Looking for what lies below nulls does no harm.
  ARROW_ASSIGN_OR_RAISE(auto bits, Matches(pool, operand, rows));
  if (nulls.any()) {
    arrow::internal::BitmapAnd(bits->data(), 0, nulls.validity()->data(), 0, rows, 0,
                               bits->mutable_data());
  }
  if (!has_null_) return MakeBooleans(rows, std::move(bits), nulls.validity());
  // Nothing is known to be outside of a set with a null.
  auto validity = bits;
  return MakeBooleans(rows, std::move(bits), std::move(validity));
}

}  // namespace lance::query
