#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// One truth value a row: true, false, or (neither) unknown.
class Truth {
 public:
  /// All rows true, or all false.
  Truth(int64_t rows, bool value);
  static Truth Of(const Operand& booleans, int64_t rows);

  int64_t rows() const { return rows_; }
  /// Three-valued AND (or OR) with the values of the rows listed in `at`, or of all rows if null.
  void And(const Truth& other, const std::vector<int64_t>* at);
  void Or(const Truth& other, const std::vector<int64_t>* at);
  /// Keeps what is true, makes unknown false.
  void UnknownIsFalse();

  int64_t CountTrue() const;
  int64_t CountFalse() const;
  std::vector<int64_t> TrueRows() const;
  /// Rows whose AND (or OR) with something else is not known yet.
  std::vector<int64_t> NotFalseRows() const;
  std::vector<int64_t> NotTrueRows() const;

  Result<std::shared_ptr<arrow::Array>> ToArray(arrow::MemoryPool* pool) const;

 private:
  using Words = std::vector<uint64_t>;

  explicit Truth(int64_t rows);
  void ClearTail(Words* words) const;
  template <typename Combine>
  void CombineAt(const Truth& other, const std::vector<int64_t>* at, Combine combine);

  int64_t rows_;
  Words true_;
  Words false_;
};

/// NOT of a boolean.
Kernel NotKernel();
/// IS NULL and IS NOT NULL, of any type.
Kernel IsNullKernel(bool negated);
/// IS [NOT] TRUE and IS [NOT] FALSE of a boolean.
Kernel IsBooleanKernel(bool wanted, bool negated);

}  // namespace lance::query
