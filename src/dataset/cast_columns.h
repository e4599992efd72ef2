#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/new_files.h"
#include "dataset/snapshot.h"

namespace lance {

/// Whether a column of one type may be cast to the other: among integers, among floats, among
/// decimals, strings of any layout, dates and times, and lists and vectors of such.
bool CanCast(const arrow::DataType& from, const arrow::DataType& to);

/// Fields of a new schema whose values are those of another field, cast: new id → old id.
using CastFields = std::map<int32_t, int32_t>;

/// Writes the cast columns: one more file for each fragment. `schema` has the fields with their new
/// ids and types.
Result<std::vector<table::DataFragment>> WriteCastColumns(
    const std::shared_ptr<const Snapshot>& snapshot, const Schema& schema, const CastFields& casts,
    NewFiles* files);

}  // namespace lance
