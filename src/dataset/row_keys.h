#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The keys of some rows, in a form that is quick to hash and to compare whatever their types:
/// equal keys are equal words or bytes. Floats are taken by their bits, so that NaN equals itself
/// and -0 differs from 0. A key with a null in one of its columns equals nothing.
///
///   words   of one column of 1, 2, 4 or 8 bytes a value: the value
///   bytes   of anything else: the values of the columns one after the other, those of variable
///           width behind their length (unless there is but one); nested ones with a byte for
///           validity before each member
class RowKeys {
 public:
  static Result<RowKeys> Of(const arrow::ArrayVector& columns, arrow::MemoryPool* pool);

  int64_t size() const { return size_; }
  bool are_words() const { return are_words_; }
  bool IsNull(int64_t row) const {
    return !nulls_.empty() && nulls_[static_cast<size_t>(row)] != 0;
  }
  uint64_t word(int64_t row) const { return words_[static_cast<size_t>(row)]; }
  std::string_view bytes(int64_t row) const {
    auto at = static_cast<size_t>(row);
    return std::string_view(bytes_).substr(ends_[at], ends_[at + 1] - ends_[at]);
  }

 private:
  RowKeys() = default;

  int64_t size_ = 0;
  bool are_words_ = false;
  std::vector<uint8_t> nulls_;  // one a row; empty: no null
  std::vector<uint64_t> words_;
  std::string bytes_;
  std::vector<uint64_t> ends_;  // one more than rows
};

}  // namespace lance
