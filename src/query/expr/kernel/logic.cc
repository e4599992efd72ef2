#include "query/expr/kernel/logic.h"

#include <bit>

#include "arrow/array.h"
#include "arrow/util/bitmap_ops.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;

constexpr int64_t kWordBits = 64;

size_t WordsFor(int64_t rows) { return static_cast<size_t>((rows + kWordBits - 1) / kWordBits); }

bool GetBit(const std::vector<uint64_t>& words, int64_t row) {
  return (words[static_cast<size_t>(row / kWordBits)] >> (row % kWordBits)) & 1;
}

void PutBit(std::vector<uint64_t>* words, int64_t row, bool value) {
  uint64_t mask = uint64_t{1} << (row % kWordBits);
  uint64_t& word = (*words)[static_cast<size_t>(row / kWordBits)];
  word = value ? word | mask : word & ~mask;
}

int64_t CountBits(const std::vector<uint64_t>& words) {
  int64_t count = 0;
  for (uint64_t word : words) count += std::popcount(word);
  return count;
}

/// Rows whose bit is `wanted`, ascending.
std::vector<int64_t> RowsOf(const std::vector<uint64_t>& words, int64_t rows, bool wanted) {
  std::vector<int64_t> found;
  int64_t count = CountBits(words);
  found.reserve(static_cast<size_t>(wanted ? count : rows - count));
  for (size_t i = 0; i < words.size(); ++i) {
    int64_t first = static_cast<int64_t>(i) * kWordBits;
    uint64_t left = wanted ? words[i] : ~words[i];
    for (; left != 0; left &= left - 1) {
      int64_t row = first + std::countr_zero(left);
      if (row >= rows) break;
      found.push_back(row);
    }
  }
  return found;
}

template <bool kNegated>
Result<std::shared_ptr<Array>> IsNull(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  const Array& array = *args[0].array;
  ARROW_ASSIGN_OR_RAISE(auto bits, PackBits(context.pool, rows, [&](int64_t row) {
                          return array.IsNull(args[0].IndexOf(row)) != kNegated;
                        }));
  return MakeBooleans(rows, std::move(bits), nullptr);
}

template <bool kWanted, bool kNegated>
Result<std::shared_ptr<Array>> IsBoolean(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const Array& array = *args[0].array;
  BooleanValues values(args[0]);
  ARROW_ASSIGN_OR_RAISE(auto bits, PackBits(context.pool, rows, [&](int64_t row) {
                          bool is_wanted =
                              array.IsValid(args[0].IndexOf(row)) && values[row] == kWanted;
                          return is_wanted != kNegated;
                        }));
  return MakeBooleans(rows, std::move(bits), nullptr);
}

Result<std::shared_ptr<Array>> Not(const CallContext& context, std::span<const Operand> args,
                                   int64_t rows) {
  BooleanValues values(args[0]);
  return MapBooleans(context, args, rows, [&](int64_t row) { return !values[row]; });
}

}  // namespace

Truth::Truth(int64_t rows) : rows_(rows), true_(WordsFor(rows)), false_(WordsFor(rows)) {}

Truth::Truth(int64_t rows, bool value) : Truth(rows) {
  Words& words = value ? true_ : false_;
  words.assign(words.size(), ~uint64_t{0});
  ClearTail(&words);
}

void Truth::ClearTail(Words* words) const {
  int64_t used = rows_ % kWordBits;
  if (used != 0) words->back() &= (uint64_t{1} << used) - 1;
}

Truth Truth::Of(const Operand& booleans, int64_t rows) {
  const arrow::ArrayData& data = *booleans.array->data();
  if (booleans.array->type_id() == arrow::Type::NA) return Truth(rows);
  if (booleans.is_constant) {
    if (booleans.array->IsNull(0)) return Truth(rows);
    return Truth(rows, BooleanValues(booleans)[0]);
  }
  Truth truth(rows);
  if (rows == 0) return truth;
  arrow::internal::CopyBitmap(data.buffers[1]->data(), data.offset, rows,
                              reinterpret_cast<uint8_t*>(truth.true_.data()), 0);
  truth.ClearTail(&truth.true_);
  if (data.GetNullCount() == 0) {
    for (size_t i = 0; i < truth.true_.size(); ++i) truth.false_[i] = ~truth.true_[i];
  } else {
    Words valid(truth.true_.size());
    arrow::internal::CopyBitmap(data.buffers[0]->data(), data.offset, rows,
                                reinterpret_cast<uint8_t*>(valid.data()), 0);
    for (size_t i = 0; i < valid.size(); ++i) {
      truth.false_[i] = valid[i] & ~truth.true_[i];
      truth.true_[i] &= valid[i];
    }
  }
  truth.ClearTail(&truth.false_);
  return truth;
}

template <typename Combine>
void Truth::CombineAt(const Truth& other, const std::vector<int64_t>* at, Combine combine) {
  if (at == nullptr) {
    for (size_t i = 0; i < true_.size(); ++i) {
      combine(&true_[i], &false_[i], other.true_[i], other.false_[i]);
    }
    return;
  }
  for (size_t i = 0; i < at->size(); ++i) {
    int64_t row = (*at)[i];
    uint64_t is_true = GetBit(true_, row) ? 1 : 0;
    uint64_t is_false = GetBit(false_, row) ? 1 : 0;
    auto from = static_cast<int64_t>(i);
    combine(&is_true, &is_false, GetBit(other.true_, from) ? 1 : 0,
            GetBit(other.false_, from) ? 1 : 0);
    PutBit(&true_, row, is_true != 0);
    PutBit(&false_, row, is_false != 0);
  }
}

void Truth::And(const Truth& other, const std::vector<int64_t>* at) {
  CombineAt(other, at, [](uint64_t* is_true, uint64_t* is_false, uint64_t t, uint64_t f) {
    *is_true &= t;
    *is_false |= f;
  });
}

void Truth::Or(const Truth& other, const std::vector<int64_t>* at) {
  CombineAt(other, at, [](uint64_t* is_true, uint64_t* is_false, uint64_t t, uint64_t f) {
    *is_true |= t;
    *is_false &= f;
  });
}

void Truth::UnknownIsFalse() {
  for (size_t i = 0; i < true_.size(); ++i) false_[i] = ~true_[i];
  if (!false_.empty()) ClearTail(&false_);
}

int64_t Truth::CountTrue() const { return CountBits(true_); }
int64_t Truth::CountFalse() const { return CountBits(false_); }
std::vector<int64_t> Truth::TrueRows() const { return RowsOf(true_, rows_, true); }
std::vector<int64_t> Truth::NotFalseRows() const { return RowsOf(false_, rows_, false); }
std::vector<int64_t> Truth::NotTrueRows() const { return RowsOf(true_, rows_, false); }

Result<std::shared_ptr<Array>> Truth::ToArray(arrow::MemoryPool* pool) const {
  auto bytes = arrow::bit_util::BytesForBits(rows_);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> values, arrow::AllocateBuffer(bytes, pool));
  std::memcpy(values->mutable_data(), true_.data(), static_cast<size_t>(bytes));
  std::shared_ptr<arrow::Buffer> validity;
  if (CountTrue() + CountFalse() < rows_) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::AllocateBitmap(rows_, pool));
    Words valid(true_.size());
    for (size_t i = 0; i < valid.size(); ++i) valid[i] = true_[i] | false_[i];
    std::memcpy(validity->mutable_data(), valid.data(), static_cast<size_t>(bytes));
  }
  return MakeBooleans(rows_, std::move(values), std::move(validity));
}

Kernel NotKernel() { return Not; }

Kernel IsNullKernel(bool negated) { return negated ? IsNull<true> : IsNull<false>; }

Kernel IsBooleanKernel(bool wanted, bool negated) {
  if (wanted) return negated ? IsBoolean<true, true> : IsBoolean<true, false>;
  return negated ? IsBoolean<false, true> : IsBoolean<false, false>;
}

}  // namespace lance::query
