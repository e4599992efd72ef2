#pragma once

#include <functional>
#include <memory>

#include "arrow/type_fwd.h"

namespace lance {

/// What takes the place of a field; null to go on with the fields below it.
using FieldChange =
    std::function<std::shared_ptr<arrow::Field>(const std::shared_ptr<arrow::Field>&)>;

/// The schema with fields changed, wherever they are nested.
std::shared_ptr<arrow::Schema> MapFields(const arrow::Schema& schema, const FieldChange& change);

}  // namespace lance
