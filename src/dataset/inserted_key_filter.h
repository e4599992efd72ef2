#pragma once

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "table/inserted_keys.h"

namespace lance {

/// Adds the keys of rows that are inserted, by which writers that insert the same key at the same
/// time notice each other; the columns of `rows` are those of the key. Keys with nulls, which equal
/// no other, are left out; with a key of a type that such filters don't know, every key counts as
/// inserted.
Status AddKeysOf(const arrow::RecordBatch& rows, arrow::MemoryPool* pool, InsertedKeys* keys);

}  // namespace lance
