#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "dataset/new_columns.h"
#include "dataset/new_files.h"
#include "dataset/snapshot.h"

namespace lance {

/// The fields of `columns` with ids that the table has never used, for adding them to it. A name
/// that it has already is a user error.
Result<NewColumns> NewFields(const Snapshot& snapshot, const arrow::Schema& columns);

/// The fields of a table and those added to it.
Schema Joined(const Schema& table, const Schema& added);

/// Adds columns that are null in every row so far; no data is written.
Result<std::shared_ptr<const Snapshot>> AddNullColumns(const Snapshot& snapshot,
                                                       const arrow::Schema& columns);
/// Adds columns with one value for each live row, in order.
Result<std::shared_ptr<const Snapshot>> AddColumns(
    const Snapshot& snapshot, const std::shared_ptr<arrow::RecordBatchReader>& values);

/// Commits `schema` and the fragments that hold its data.
Result<std::shared_ptr<const Snapshot>> CommitMerge(const Snapshot& snapshot, const Schema& schema,
                                                    const std::vector<table::DataFragment>& data,
                                                    bool preserves_nullability, NewFiles* files);

}  // namespace lance
