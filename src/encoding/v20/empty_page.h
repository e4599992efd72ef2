#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "encoding/read/page_reader.h"

namespace lance::encoding::v20 {

/// A page without a byte: rows that are all null, of any type, or all valid structs without
/// members.
class EmptyPage final : public PageReader {
 public:
  static std::unique_ptr<PageReader> Make(const LeafShape& shape, uint64_t num_rows) {
    return std::unique_ptr<PageReader>(new EmptyPage(shape, num_rows));
  }

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  EmptyPage(const LeafShape& shape, uint64_t num_rows) : PageReader(shape, {}, num_rows) {}
};

}  // namespace lance::encoding::v20
