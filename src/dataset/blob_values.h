#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// What a row of a blob column is to hold: bytes, or where they are.
struct BlobValue {
  std::optional<std::string_view> data;
  std::optional<std::string_view> uri;
  /// Both or none; none is the whole object.
  std::optional<uint64_t> position;
  std::optional<uint64_t> size;
};

/// Values of a blob column as they are given to write: large_binary, or structs of `data`, `uri`,
/// `position` and `size`. Valid as long as the array.
class BlobValues {
 public:
  static Result<BlobValues> Of(const Field& field, const std::shared_ptr<arrow::Array>& array);

  /// Of a row that is not null; the data is bytes xor a reference.
  Result<BlobValue> At(int64_t row) const;

 private:
  Status Wrong(int64_t row, const char* what) const;

  std::string field_;
  std::shared_ptr<arrow::Array> data_;
  std::shared_ptr<arrow::Array> uri_;
  std::shared_ptr<arrow::Array> position_;
  std::shared_ptr<arrow::Array> size_;
};

}  // namespace lance
