#include "encoding/read/page_reader.h"

#include "encoding/read/blob_page.h"
#include "encoding/read/constant_page.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/full_zip_page.h"
#include "encoding/read/mini_block_page.h"
#include "encodings21.pb.h"

namespace lance::encoding {

Result<std::unique_ptr<PageReader>> PageReader::Make(const encodings21::PageLayout& layout,
                                                     const LeafShape& shape,
                                                     std::vector<PageBuffer> buffers,
                                                     uint64_t num_rows, bool version_2_1) {
  using Kind = encodings21::PageLayout::LayoutCase;
  switch (layout.layout_case()) {
    case Kind::kMiniBlockLayout:
      return MiniBlockPage::Make(layout.mini_block_layout(), shape, std::move(buffers), num_rows,
                                 version_2_1);
    case Kind::kFullZipLayout:
      return FullZipPage::Make(layout.full_zip_layout(), shape, std::move(buffers), num_rows);
    case Kind::kConstantLayout:
      return ConstantPage::Make(layout.constant_layout(), shape, std::move(buffers), num_rows);
    case Kind::kBlobLayout:
      return BlobPage::Make(layout.blob_layout(), shape, std::move(buffers), num_rows, version_2_1);
    case Kind::LAYOUT_NOT_SET:
      break;
  }
  return Unsupported("page layout ", LayoutName(layout));
}

uint64_t CountRows(std::span<const RowRange> rows) {
  uint64_t count = 0;
  for (const RowRange& range : rows) count += range.count;
  return count;
}

}  // namespace lance::encoding
