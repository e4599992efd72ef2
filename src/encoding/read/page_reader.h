#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/read/leaf_sink.h"
#include "encoding/row_range.h"

namespace lance::encodings21 {
class PageLayout;
}

namespace lance::encoding {

/// Bytes of the file that the next step of a page needs.
struct NeededBytes {
  uint64_t offset = 0;
  uint64_t size = 0;
  /// If set, the bytes are final values and go straight here.
  uint8_t* into = nullptr;
};

struct PageBuffer {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// One read of some rows of a page: say what is needed, be fed, decode. At most two rounds of
/// Needs/Feed, and one more for the bytes of blobs. The page must outlive the cursor; bytes fed
/// must live until DecodeInto returns.
class PageCursor {
 public:
  virtual ~PageCursor() = default;
  /// Adds the byte ranges of the next round; none when nothing more is needed. `at` is the
  /// position in the sink of the first row, for columns without lists.
  virtual Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) = 0;
  /// The bytes asked for last, in the same order.
  virtual Status Feed(std::span<const Bytes> bytes) = 0;
  virtual Status DecodeInto(LeafSink& sink, uint64_t at) = 0;
};

/// One page of one column: made from its description and the place of its
/// buffers, then given its index (chunk table, repetition index, dictionary …) once. After that
/// immutable and thread-safe; everything needed to plan a read is in flat arrays.
class PageReader {
 public:
  virtual ~PageReader() = default;

  /// Checks the description against the column. `num_rows` counts as the file does: scaled by the
  /// fixed-size lists of struct above the leaf. `shape` must outlive the page.
  static Result<std::unique_ptr<PageReader>> Make(const encodings21::PageLayout& layout,
                                                  const LeafShape& shape,
                                                  std::vector<PageBuffer> buffers,
                                                  uint64_t num_rows, bool version_2_1);

  uint64_t num_rows() const { return num_rows_; }
  const LeafShape& shape() const { return *shape_; }

  /// What LoadIndex needs: nothing, for pages without an index.
  virtual std::vector<NeededBytes> IndexNeeds() const { return {}; }
  virtual Status LoadIndex(std::span<const Bytes> /*bytes*/, arrow::MemoryPool* /*pool*/) {
    return Status::OK();
  }
  /// Rows of the page, ascending, not overlapping, within [0, num_rows()).
  virtual std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const = 0;

 protected:
  PageReader(const LeafShape& shape, std::vector<PageBuffer> buffers, uint64_t num_rows)
      : shape_(&shape), buffers_(std::move(buffers)), num_rows_(num_rows) {}

  const LeafShape* shape_;
  std::vector<PageBuffer> buffers_;
  uint64_t num_rows_;
};

uint64_t CountRows(std::span<const RowRange> rows);

}  // namespace lance::encoding
