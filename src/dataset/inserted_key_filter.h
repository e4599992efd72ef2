#pragma once

#include <span>
#include <vector>

#include "dataset/source_rows.h"
#include "schema/schema.h"
#include "table/inserted_keys.h"

namespace lance {

/// The filter over the keys of rows of a source that are inserted, by which writers that insert the
/// same key at the same time notice each other. `columns` are those of the key in the source,
/// `fields` in the table. Keys with nulls, which equal no other, are left out;
/// with a key of a type that such filters don't know, every key counts as inserted.
Result<table::KeyExistenceFilter> FilterOfInsertedKeys(const SourceRows& source,
                                                       const std::vector<int>& columns,
                                                       const std::vector<const Field*>& fields,
                                                       std::span<const uint32_t> rows,
                                                       arrow::MemoryPool* pool);

}  // namespace lance
