#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encodings21.pb.h"

namespace lance::encodings23 {
class ChunkedValues;
class ConstantValue;
class PlanarLayout;
class ZippedValues;
}  // namespace lance::encodings23

namespace lance::encoding {

// Dense pages of 2.3 have the same buffers as pages of 2.2 (spec/encodings.md §7.1): these give
// the description that a page of 2.2 would have. `layers` are innermost first.

encodings21::PageLayout ChunkedLayout(const encodings23::ChunkedValues& values,
                                      const std::vector<int>& layers);
encodings21::PageLayout ZippedLayout(const encodings23::ZippedValues& values,
                                     const std::vector<int>& layers);
encodings21::PageLayout ConstantLayout(const encodings23::ConstantValue& value,
                                       const std::vector<int>& layers);

/// A page of 2.3, dense or sparse.
Result<std::unique_ptr<PageReader>> MakePlanarPage(const encodings23::PlanarLayout& layout,
                                                   const LeafShape& shape,
                                                   std::vector<PageBuffer> buffers,
                                                   uint64_t num_rows);

}  // namespace lance::encoding
