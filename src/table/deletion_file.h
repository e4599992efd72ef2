#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/byte_reader.h"
#include "base/context.h"
#include "base/error.h"
#include "base/roaring_bitmap.h"
#include "io/object_store.h"
#include "table.pb.h"
#include "table/deletion_vector.h"

namespace lance {

/// `{fragment}-{read version}-{id}.arrow` or `.bin`.
std::string DeletionFileName(uint64_t fragment_id, const table::DeletionFile& file);

/// An Arrow IPC file of one batch with one column `row_id: uint32 not null`.
Result<std::shared_ptr<const DeletionVector>> DecodeDeletionArray(
    std::shared_ptr<arrow::Buffer> content, uint64_t physical_rows);
/// A Roaring bitmap.
Result<std::shared_ptr<const DeletionVector>> DecodeDeletionBitmap(Bytes content,
                                                                   uint64_t physical_rows);

/// Reads the deletion file of a fragment and checks it against the fragment's counts.
Result<std::shared_ptr<const DeletionVector>> ReadDeletionFile(const Context& context,
                                                               ObjectStore& store,
                                                               const std::string& path,
                                                               const table::DeletionFile& file,
                                                               uint64_t physical_rows);

/// The contents of a deletion file of these offsets: `read_version` and the number of rows are
/// noted in `file`, its kind is chosen and an id is drawn.
Result<std::string> EncodeDeletionFile(const RoaringBitmap& deleted, uint64_t read_version,
                                       table::DeletionFile* file);

}  // namespace lance
