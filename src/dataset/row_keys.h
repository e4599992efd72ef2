#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// Some keys as bytes.
class KeyBytes {
 public:
  /// Room for keys of these sizes.
  explicit KeyBytes(std::span<const uint64_t> sizes);

  std::string_view operator[](size_t i) const {
    return {bytes_.get() + ends_[i], ends_[i + 1] - ends_[i]};
  }
  char* at(size_t i) { return bytes_.get() + ends_[i]; }

 private:
  std::vector<uint64_t> ends_ = {0};  // one more than keys
  std::unique_ptr<char[]> bytes_;
};

/// The keys of some rows, in a form that is quick to hash and to compare whatever their types:
/// equal keys are equal words or bytes. Floats are taken by their bits, so that NaN equals itself
/// and -0 differs from 0. A key with a null in one of its columns equals nothing.
///
///   words   of one column of 1, 2, 4 or 8 bytes a value: the value
///   bytes   of anything else: the values of the columns one after the other, those of variable
///           width behind their length, nested ones with a byte for validity before each member
class RowKeys {
 public:
  class Column;

  static Result<RowKeys> Of(const arrow::ArrayVector& columns, arrow::MemoryPool* pool);
  RowKeys(RowKeys&&) noexcept;
  RowKeys& operator=(RowKeys&&) noexcept;
  ~RowKeys();

  int64_t size() const { return static_cast<int64_t>(tags_.size()); }
  bool are_words() const { return are_words_; }
  bool IsNull(int64_t row) const {
    return !nulls_.empty() && nulls_[static_cast<size_t>(row)] != 0;
  }
  /// By row: the word, or a hash of the bytes.
  const std::vector<uint64_t>& tags() const { return tags_; }
  /// Of rows whose keys are no words.
  KeyBytes BytesOf(std::span<const int64_t> rows) const;

 private:
  RowKeys();

  bool are_words_ = false;
  std::vector<uint8_t> nulls_;  // one a row; empty: no null
  std::vector<uint64_t> tags_;
  std::vector<std::shared_ptr<arrow::Array>> arrays_;  // that the columns point into
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace lance
