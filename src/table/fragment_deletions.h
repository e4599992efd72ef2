#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/error.h"
#include "base/roaring_bitmap.h"
#include "encoding/row_range.h"
#include "table/manifest.h"
#include "table/table_paths.h"

namespace lance {

/// The offsets that are deleted in a fragment; empty when it has no deletion file.
Result<RoaringBitmap> ReadDeletedOffsets(const Context& context, const TableLocation& table,
                                         const Manifest& manifest,
                                         const table::DataFragment& fragment);

/// The offsets of the rows that are left, ascending.
Result<std::vector<RowRange>> ReadLiveRanges(const Context& context, const TableLocation& table,
                                             const Manifest& manifest,
                                             const table::DataFragment& fragment);

/// Writes `deleted`, all deleted offsets of the fragment, as its new deletion file, computed
/// against `read_version`. False when no row is left: then nothing is written, and the fragment has
/// to be removed. The file's path is added to `written`.
Result<bool> SetDeletedOffsets(const Context& context, const TableLocation& table,
                               uint64_t read_version, const RoaringBitmap& deleted,
                               table::DataFragment* fragment, std::vector<std::string>* written);

}  // namespace lance
