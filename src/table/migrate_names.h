#pragma once

#include "base/context.h"
#include "base/error.h"
#include "table/table_paths.h"

namespace lance {

/// Renames every manifest of the old naming scheme. May be repeated after an interruption; nobody
/// may commit meanwhile.
Status MigrateManifestNames(const Context& context, const TableLocation& table);

}  // namespace lance
