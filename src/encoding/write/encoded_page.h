#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "arrow/type_fwd.h"
#include "encodings20.pb.h"
#include "encodings21.pb.h"
#include "encodings23.pb.h"

namespace lance::encoding {

/// One page of one column, ready to be stored.
struct EncodedPage {
  /// In the terms of the file's version: 2.1 and 2.2, 2.3, or 2.0.
  std::variant<encodings21::PageLayout, encodings23::PlanarLayout, encodings::ArrayEncoding>
      description;
  /// In the order that the description gives; each at a 64-byte boundary of the file.
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;
  uint64_t num_rows = 0;
  /// What the page's metadata gives as its length.
  uint64_t length = 0;
  /// Keep alive what the buffers refer to.
  std::vector<std::shared_ptr<arrow::ArrayData>> arrays;
  std::vector<std::shared_ptr<arrow::Buffer>> owned;

  encodings21::PageLayout& layout() { return std::get<encodings21::PageLayout>(description); }
  const encodings21::PageLayout& layout() const {
    return std::get<encodings21::PageLayout>(description);
  }
};

}  // namespace lance::encoding
