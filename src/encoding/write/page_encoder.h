#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoded_page.h"
#include "encoding/write/leaf_path.h"

namespace lance::encoding {

class FsstLearner;

struct PageEncodeOptions {
  uint32_t minor_version = kMinorVersion2_2;
  arrow::MemoryPool* pool = nullptr;
  /// Of the column; null to learn from each call's rows alone.
  FsstLearner* fsst = nullptr;
};

/// Encodes rows of one column. From 2.1 on, layout and codecs are chosen by size
/// (spec/encodings.md §5); for 2.0 see array_page.h.
/// `arrays` are of the top-level field, of storage types, with one row at least. Usually one page;
/// more where the levels or the dictionary of one page would be too large. Pages may refer to the
/// memory of the arrays.
Result<std::vector<EncodedPage>> EncodePages(
    const LeafPath& path, std::span<const std::shared_ptr<arrow::ArrayData>> arrays,
    const PageEncodeOptions& options);

}  // namespace lance::encoding
