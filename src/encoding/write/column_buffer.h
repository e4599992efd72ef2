#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoded_page.h"
#include "encoding/write/leaf_copy.h"
#include "encoding/write/leaf_path.h"
#include "encoding/write/page_encoder.h"

namespace lance::encoding {

/// Rows of one column that make a page (or a few, see EncodePages).
struct PageJob {
  const LeafPath* path = nullptr;
  std::vector<std::shared_ptr<arrow::ArrayData>> arrays;
};

/// Collects the rows of one leaf column until they are enough for a page. Arrays that don't fill a
/// page by themselves are copied, so that they keep nothing but themselves alive. Not thread-safe.
class ColumnBuffer {
 public:
  /// One array that is larger becomes several pages.
  static constexpr uint64_t kMaxPageBytes = 32ull << 20;

  ColumnBuffer(LeafPath path, uint64_t page_bytes, std::optional<uint64_t> max_page_bytes = {})
      : path_(std::move(path)),
        alone_path_(AlonePath(path_)),
        page_bytes_(page_bytes),
        max_page_bytes_(max_page_bytes.value_or(kMaxPageBytes)) {}

  const LeafPath& path() const { return path_; }
  /// `array` is of the top-level field, of storage types.
  Status Add(const std::shared_ptr<arrow::ArrayData>& array, arrow::MemoryPool* pool);
  bool is_full() const { return bytes_ > page_bytes_; }
  uint64_t buffered_bytes() const { return bytes_; }
  /// Takes everything out, in row order.
  std::vector<PageJob> TakeJobs();

 private:
  const LeafPath path_;
  const LeafPath alone_path_;
  const uint64_t page_bytes_;
  const uint64_t max_page_bytes_;
  std::vector<std::shared_ptr<arrow::ArrayData>> arrays_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

/// The slots that the leaf of the path has in `array`, which is of the top-level field.
Result<uint64_t> CountSlots(const LeafPath& path, const std::shared_ptr<arrow::ArrayData>& array,
                            arrow::MemoryPool* pool);

/// Bytes that the rows of `array` take in memory, as far as this leaf is concerned.
uint64_t LeafBytes(const LeafPath& path, const arrow::ArrayData& array);

/// The first step on the path that is not nullable but has a null where all above is valid; null
/// if there is none.
Result<const PathStep*> FindForbiddenNull(const LeafPath& path,
                                          const std::shared_ptr<arrow::ArrayData>& array,
                                          arrow::MemoryPool* pool);

}  // namespace lance::encoding
