#include "file/paged_column.h"

#include <utility>

namespace lance {

PagedColumn::PagedColumn(encoding::LeafShape shape, std::vector<uint64_t> page_starts)
    : shape_(std::move(shape)),
      page_starts_(std::move(page_starts)),
      pages_(page_starts_.size() - 1) {}

PagedColumn::~PagedColumn() {
  for (auto& page : pages_) delete page.load();
}

const encoding::PageReader* PagedColumn::Keep(size_t i,
                                              std::unique_ptr<encoding::PageReader> page) const {
  encoding::PageReader* expected = nullptr;
  if (pages_[i].compare_exchange_strong(expected, page.get(), std::memory_order_acq_rel)) {
    return page.release();
  }
  return expected;
}

}  // namespace lance
