#pragma once

#include <string>
#include <string_view>

#include "table/manifest.h"
#include "table/table_paths.h"

namespace lance {

/// `_indices` below the root of a table; each segment has a folder there, named by its UUID.
std::string IndexesFolder(std::string_view root);
/// 16 bytes as lower-case hex digits with hyphens.
std::string UuidText(std::string_view bytes);
/// Where the files of an index segment lie.
Result<StoreLocation> LocateIndexFolder(const TableLocation& table, const Manifest& manifest,
                                        const table::IndexMetadata& entry);

}  // namespace lance
