#pragma once

#include "base/byte_reader.h"
#include "base/context.h"
#include "file/inspect.h"
#include "io/object_store.h"

namespace lance {

/// What a file of version 0.1 holds. Its columns are the fields that have pages; of strings only
/// the offsets are known, their bytes lie before. `tail` holds the end of the file.
Result<FileInspection> InspectLegacy(const Context& context, RandomReader& reader, Bytes tail);

}  // namespace lance
