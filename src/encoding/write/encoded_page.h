#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "encodings21.pb.h"

namespace lance::encoding {

/// One page of one column, ready to be stored.
struct EncodedPage {
  encodings21::PageLayout layout;
  /// In the order that the layout gives; each at a 64-byte boundary of the file.
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;
  uint64_t num_rows = 0;
  /// What the page's metadata gives as its length.
  uint64_t length = 0;
  /// Keep alive what the buffers refer to.
  std::vector<std::shared_ptr<arrow::ArrayData>> arrays;
  std::vector<std::shared_ptr<arrow::Buffer>> owned;
};

}  // namespace lance::encoding
