#pragma once

#include <functional>
#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// Whether a field's values are to be changed as a whole.
using LeafTest = std::function<bool(const Field&)>;
/// Other values in the place of those of a field, as many. It gets what extension arrays store. An
/// error may name a row of these: the caller of ChangeLeaves gets the row that they are below.
using LeafChange = std::function<Result<std::shared_ptr<arrow::Array>>(
    const Field& field, const std::shared_ptr<arrow::Array>& values)>;

/// Whether the field or one below it is to be changed.
bool HoldsLeaf(const Field& field, const LeafTest& test);
bool HoldsLeaf(const Schema& schema, const LeafTest& test);

/// `array` with the values of all fields that pass `test` changed, wherever they are nested. Values
/// of rows that are null further out are null, those outside of lists are left out. Lists get
/// offsets of the width that their field says. Members are matched by name. Errors name the field's
/// path.
Result<std::shared_ptr<arrow::Array>> ChangeLeaves(const Field& field,
                                                   std::shared_ptr<arrow::Array> array,
                                                   const LeafTest& test, const LeafChange& change,
                                                   arrow::MemoryPool* pool);

/// The same for the columns of a batch that `schema` names; the others stay.
Result<std::shared_ptr<arrow::RecordBatch>> ChangeLeaves(const Schema& schema,
                                                         const arrow::RecordBatch& batch,
                                                         const LeafTest& test,
                                                         const LeafChange& change,
                                                         arrow::MemoryPool* pool);

}  // namespace lance
