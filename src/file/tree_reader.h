#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "encoding/row_range.h"
#include "file/file_reader.h"
#include "file/tree_columns.h"
#include "io/object_store.h"

namespace lance {

/// Whether a field has values of its own in a file before 2.1: leaves and lists do.
bool HasTreeColumn(const Field& field);
/// The fields of a schema that a file before 2.1 has values of, in pre-order.
std::vector<const Field*> StoredFields(const Schema& schema);
/// What the columns of these fields decode to.
Result<std::vector<encoding::LeafShape>> StoredShapes(const Schema& schema);

/// Reads rows of a file before 2.1, where each field of the tree is read by itself: a list says
/// which items are wanted, so that each level of lists is a step of its own. Columns of one step
/// share their rounds of reads.
///
/// `projection.columns` and `projection.shapes` run parallel to StoredFields(projection.schema).
Result<std::shared_ptr<arrow::RecordBatch>> ReadTree(const Context& context, RandomReader& reader,
                                                     TreeColumns& columns, uint64_t num_rows,
                                                     const FileProjection& projection,
                                                     std::span<const RowRange> rows);

}  // namespace lance
