#pragma once

#include <cstdint>
#include <memory>
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
///   bytes   of one column of text or binary: its values where they are; of anything else the
///   values
///           of the columns one after the other, those of variable width behind their length,
///           nested ones with a byte for validity before each member
class RowKeys {
 public:
  static Result<RowKeys> Of(const arrow::ArrayVector& columns, arrow::MemoryPool* pool);

  int64_t size() const { return size_; }
  bool are_words() const { return are_words_; }
  bool IsNull(int64_t row) const {
    return !nulls_.empty() && nulls_[static_cast<size_t>(row)] != 0;
  }
  const std::vector<uint64_t>& words() const { return words_; }
  std::string_view bytes(int64_t row) const {
    auto at = static_cast<size_t>(row);
    return {bytes_ + ends_[at], ends_[at + 1] - ends_[at]};
  }

 private:
  RowKeys() = default;

  void PointInto(std::shared_ptr<arrow::Array> array);
  Status Join(const arrow::ArrayVector& columns);

  int64_t size_ = 0;
  bool are_words_ = false;
  std::vector<uint8_t> nulls_;  // one a row; empty: no null
  std::vector<uint64_t> words_;
  const char* bytes_ = nullptr;
  std::vector<uint64_t> ends_;  // one more than rows
  // What holds the bytes: one of these.
  std::shared_ptr<arrow::Array> array_;
  std::unique_ptr<char[]> joined_;
};

}  // namespace lance
