#pragma once

#include "schema/schema.h"
#include "table.pb.h"

namespace lance {

/// Takes files and overlays out of a fragment that hold neither a field of the schema nor row
/// lineage. False if there are none.
bool RemoveDeadFiles(const Schema& schema, table::DataFragment* fragment);

}  // namespace lance
