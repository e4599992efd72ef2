#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include "schema/schema.h"
#include "table.pb.h"

namespace lance {

/// Whether other files have taken over all fields of a file.
bool HoldsTombstonesOnly(const table::DataFile& file);

/// Takes files and overlays out of a fragment that hold neither a field of the schema nor row
/// lineage, but for files that are to be kept. One file stays: the reference doesn't read fragments
/// without any. False if nothing is taken out.
bool RemoveDeadFiles(const Schema& schema,
                     const std::function<bool(const table::DataFile& dead)>& keep,
                     table::DataFragment* fragment);

/// The same when the schema has changed. What stays is what was dead before, and what tells of a
/// struct or list that is left which of its values are null, if no other file does.
bool RemoveDroppedFiles(const Schema& before, const Schema& after, table::DataFragment* fragment);

/// Another file is going to hold these fields: marks them in those that do, and takes files out
/// that hold nothing else.
void BuryFields(const std::set<int32_t>& fields, table::DataFragment* fragment);

}  // namespace lance
