#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/export.h"

namespace lance {

/// A value of a blob column that is read when asked, in pieces or whole. Knows where its bytes lie,
/// holds none. Thread-safe.
class LANCE_EXPORT Blob {
 public:
  virtual ~Blob() = default;
  uint64_t size() const { return size_; }
  /// The bytes [offset, offset + length), as one request to the store; none for an empty range. A
  /// range beyond size() is a user error.
  virtual arrow::Result<std::shared_ptr<arrow::Buffer>> Read(uint64_t offset,
                                                             uint64_t length) const = 0;

 protected:
  explicit Blob(uint64_t size) : size_(size) {}

 private:
  uint64_t size_;
};

}  // namespace lance
