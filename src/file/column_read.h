#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/context.h"
#include "encoding/read/page_reader.h"
#include "encoding/row_range.h"
#include "file/paged_column.h"
#include "io/object_store.h"

namespace lance {

/// The read of some rows of one page.
struct PageRead {
  size_t page = 0;
  std::vector<RowRange> rows;  ///< within the page
  uint64_t at = 0;             ///< position of the first row in the sink
  const encoding::PageReader* reader = nullptr;
  std::unique_ptr<encoding::PageCursor> cursor;
  size_t first_ticket = 0;
  size_t num_tickets = 0;
};

/// The read of some rows of one column.
struct ColumnRead {
  const PagedColumn* column = nullptr;
  uint32_t index = 0;       ///< of the column in the file
  uint64_t num_values = 0;  ///< rows wanted, as the pages count them
  std::vector<PageRead> pages;
  /// Made by ReadColumns().
  std::unique_ptr<encoding::LeafSink> sink;
};

/// Splits rows of a column at the borders of its pages; the rows are within the column.
std::vector<PageRead> SplitAtPages(const std::vector<uint64_t>& page_starts,
                                   std::span<const RowRange> rows);

/// Reads and decodes columns, in rounds of reads that all of them share: first the indexes of pages
/// that were not opened before, then the pages themselves. `finish(i)` is called when column i is
/// decoded, perhaps on another thread. Small reads stay on the calling one.
Status ReadColumns(const Context& context, RandomReader& reader, std::span<ColumnRead* const> reads,
                   const std::function<Status(size_t)>& finish);

}  // namespace lance
