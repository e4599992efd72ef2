#pragma once

#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/leaf_path.h"
#include "encoding/write/shredder.h"

namespace lance::encodings23 {
class SparseStructure;
}

namespace lance::encoding {

/// The structure of a page apart from its values (2.3, spec/encodings.md §7.2): for each layer,
/// outermost first, which slots are null, and of lists which have items and how many. Payloads are
/// appended to `buffers`.
Status EncodeSparseStructure(const LeafPath& path, const ShreddedRows& rows,
                             arrow::MemoryPool* pool, encodings23::SparseStructure* out,
                             std::vector<std::shared_ptr<arrow::Buffer>>* buffers);

}  // namespace lance::encoding
