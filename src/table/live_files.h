#pragma once

#include <cstdint>
#include <set>

#include "schema/schema.h"
#include "table.pb.h"

namespace lance {

/// Takes files and overlays out of a fragment that hold neither a field of the schema nor row
/// lineage. False if there are none.
bool RemoveDeadFiles(const Schema& schema, table::DataFragment* fragment);

/// Another file is going to hold these fields: marks them in those that do, and takes files out
/// that hold nothing else.
void BuryFields(const std::set<int32_t>& fields, table::DataFragment* fragment);

}  // namespace lance
