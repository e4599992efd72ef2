#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

using MakeArray =
    std::function<Result<std::shared_ptr<arrow::Array>>(const arrow::ArrayVector& arrays)>;

/// What `make` makes of arrays with the values of a field. Where one array of their layout can't
/// hold it, as far as Arrow can tell, it is made in a layout that holds any values, and gets its
/// own again: a LayoutOverflow if there are too many indeed.
Result<std::shared_ptr<arrow::Array>> ThroughWideLayout(const std::optional<Field>& field,
                                                        const arrow::ArrayVector& arrays,
                                                        const MakeArray& make,
                                                        arrow::MemoryPool* pool);

}  // namespace lance
