#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"

namespace lance {

/// The pages of one column of a file as compiled for one shape, opened on first use and kept.
/// Thread-safe.
class PagedColumn {
 public:
  virtual ~PagedColumn();

  /// What the pages are decoded to.
  const encoding::LeafShape& shape() const { return shape_; }
  /// Row of the column at which each page starts, and the end of the last page.
  const std::vector<uint64_t>& page_starts() const { return page_starts_; }
  uint64_t num_rows() const { return page_starts_.back(); }

  /// A page whose index is loaded, or null.
  const encoding::PageReader* page(size_t i) const {
    return pages_[i].load(std::memory_order_acquire);
  }
  /// Two threads may open the same page; the first one's is kept.
  const encoding::PageReader* Keep(size_t i, std::unique_ptr<encoding::PageReader> page) const;
  /// A page made from its description, without its index.
  virtual Result<std::unique_ptr<encoding::PageReader>> OpenPage(size_t i) const = 0;

 protected:
  PagedColumn(encoding::LeafShape shape, std::vector<uint64_t> page_starts);

 private:
  const encoding::LeafShape shape_;
  const std::vector<uint64_t> page_starts_;
  mutable std::vector<std::atomic<encoding::PageReader*>> pages_;
};

}  // namespace lance
