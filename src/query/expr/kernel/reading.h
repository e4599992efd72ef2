#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "arrow/array.h"
#include "arrow/util/bit_util.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// Values of a fixed-width operand by row. The C type need only have the width of the Arrow type.
template <typename T>
class FixedValues {
 public:
  explicit FixedValues(const Operand& operand)
      : values_(operand.array->data()->GetValues<T>(1)), step_(operand.is_constant ? 0 : 1) {}
  T operator[](int64_t row) const { return values_[row * step_]; }
  const T* data() const { return values_; }

 private:
  const T* values_;
  int64_t step_;
};

class BooleanValues {
 public:
  explicit BooleanValues(const Operand& operand)
      : bits_(operand.array->data()->buffers[1]->data()),
        offset_(operand.array->offset()),
        step_(operand.is_constant ? 0 : 1) {}
  bool operator[](int64_t row) const {
    return arrow::bit_util::GetBit(bits_, offset_ + row * step_);
  }

 private:
  const uint8_t* bits_;
  int64_t offset_;
  int64_t step_;
};

/// Values of string and binary operands: 32-bit or 64-bit offsets, or of fixed size.
class BytesValues {
 public:
  explicit BytesValues(const Operand& operand);

  std::string_view operator[](int64_t row) const {
    int64_t at = row * step_;
    if (narrow_ != nullptr) return View(narrow_[at], narrow_[at + 1]);
    if (wide_ != nullptr) return View(wide_[at], wide_[at + 1]);
    return View((offset_ + at) * width_, (offset_ + at + 1) * width_);
  }
  /// All values up to the one before `count`, one behind the other; of an operand that is not
  /// constant.
  std::string_view Joined(int64_t count) const {
    if (count == 0) return {};
    const char* end = (*this)[count - 1].data() + (*this)[count - 1].size();
    const char* begin = (*this)[0].data();
    return {begin, static_cast<size_t>(end - begin)};
  }

 private:
  std::string_view View(int64_t begin, int64_t end) const {
    return {bytes_ + begin, static_cast<size_t>(end - begin)};
  }

  const char* bytes_ = nullptr;
  const int32_t* narrow_ = nullptr;
  const int64_t* wide_ = nullptr;
  int64_t width_ = 0;
  int64_t offset_ = 0;
  int64_t step_ = 0;
};

/// Which rows are null in any of the operands.
class RowNulls {
 public:
  /// Bits of `rows` rows, or null if no row is null.
  static Result<RowNulls> Of(arrow::MemoryPool* pool, std::span<const Operand> operands,
                             int64_t rows);

  bool any() const { return bits_ != nullptr; }
  bool IsNull(int64_t row) const {
    return bits_ != nullptr && !arrow::bit_util::GetBit(bits_->data(), row);
  }
  /// Validity for the result; null if there is no null.
  const std::shared_ptr<arrow::Buffer>& validity() const { return bits_; }

 private:
  std::shared_ptr<arrow::Buffer> bits_;
};

inline bool IsNullAt(const Operand& operand, int64_t row) {
  return operand.array->IsNull(operand.IndexOf(row));
}

/// Bits of `rows` rows: answer(row, count, bytes) sets `count` bytes, which are 0 before, to 0
/// or 1.
template <typename Answer>
Result<std::shared_ptr<arrow::Buffer>> PackBlocks(arrow::MemoryPool* pool, int64_t rows,
                                                  Answer answer) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateBuffer(arrow::bit_util::BytesForBits(rows), pool));
  uint8_t* out = bits->mutable_data();
  int64_t row = 0;
  // Answers as bytes, which compilers make vectors of; then the lowest bits of eight at a time.
  constexpr int64_t kBlock = 64;
  for (; row + kBlock <= rows; row += kBlock) {
    std::array<uint8_t, kBlock> answers{};
    answer(row, kBlock, answers.data());
    for (size_t i = 0; i < kBlock; i += 8) {
      uint64_t eight = 0;
      std::memcpy(&eight, answers.data() + i, sizeof(eight));
      out[(static_cast<size_t>(row) + i) / 8] =
          static_cast<uint8_t>((eight * 0x0102040810204080) >> 56);
    }
  }
  if (row == rows) return bits;
  std::memset(out + row / 8, 0, static_cast<size_t>(bits->size() - row / 8));
  std::array<uint8_t, kBlock> answers{};
  answer(row, rows - row, answers.data());
  for (int64_t i = 0; row < rows; ++row, ++i) {
    if (answers[static_cast<size_t>(i)] != 0) arrow::bit_util::SetBit(out, row);
  }
  return bits;
}

/// Bits of test(0) … test(rows - 1).
template <typename Test>
Result<std::shared_ptr<arrow::Buffer>> PackBits(arrow::MemoryPool* pool, int64_t rows, Test test) {
  return PackBlocks(pool, rows, [&](int64_t row, int64_t count, uint8_t* answers) {
    for (int64_t i = 0; i < count; ++i) answers[i] = test(row + i) ? 1 : 0;
  });
}

std::shared_ptr<arrow::Array> MakeBooleans(int64_t rows, std::shared_ptr<arrow::Buffer> bits,
                                           std::shared_ptr<arrow::Buffer> validity);

/// The array with another type of the same layout.
std::shared_ptr<arrow::Array> WithType(const std::shared_ptr<arrow::Array>& array,
                                       const std::shared_ptr<arrow::DataType>& type);

/// `rows` values of a fixed-width type.
template <typename T>
Result<std::shared_ptr<arrow::Buffer>> AllocateValues(arrow::MemoryPool* pool, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(T)), pool));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

std::shared_ptr<arrow::Array> MakeFixed(const std::shared_ptr<arrow::DataType>& type, int64_t rows,
                                        std::shared_ptr<arrow::Buffer> values,
                                        std::shared_ptr<arrow::Buffer> validity);

/// compute(row) for each row; null rows are left out and are 0.
template <typename T, typename Compute>
Result<std::shared_ptr<arrow::Array>> MapFixed(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows,
                                               Compute compute) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<T>(context.pool, rows));
  T* out = buffer->template mutable_data_as<T>();
  if (nulls.any()) {
    for (int64_t row = 0; row < rows; ++row) out[row] = nulls.IsNull(row) ? T{} : compute(row);
  } else {
    for (int64_t row = 0; row < rows; ++row) out[row] = compute(row);
  }
  return MakeFixed(context.type, rows, std::move(buffer), nulls.validity());
}

/// The same where compute(row, &value) may fail.
template <typename T, typename Compute>
Result<std::shared_ptr<arrow::Array>> MapFixedChecked(const CallContext& context,
                                                      std::span<const Operand> args, int64_t rows,
                                                      Compute compute) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<T>(context.pool, rows));
  T* out = buffer->template mutable_data_as<T>();
  for (int64_t row = 0; row < rows; ++row) {
    out[row] = T{};
    if (!nulls.IsNull(row)) ARROW_RETURN_NOT_OK(compute(row, &out[row]));
  }
  return MakeFixed(context.type, rows, std::move(buffer), nulls.validity());
}

/// test(row) for each row.
template <typename Test>
Result<std::shared_ptr<arrow::Array>> MapBooleans(const CallContext& context,
                                                  std::span<const Operand> args, int64_t rows,
                                                  Test test) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(auto bits, PackBits(context.pool, rows, [&](int64_t row) {
                          return !nulls.IsNull(row) && test(row);
                        }));
  return MakeBooleans(rows, std::move(bits), nulls.validity());
}

}  // namespace lance::query
