#pragma once

#include <memory>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The same values in another layout: strings and binary values of any offsets, as views or in
/// dictionaries, decimals of any width. Nothing is copied that can be shared. A LayoutOverflow,
/// with the size of the values, where the layout can't hold them; fewer of them may fit.
Result<std::shared_ptr<arrow::Array>> ToLayout(const std::shared_ptr<arrow::Array>& values,
                                               const std::shared_ptr<arrow::DataType>& type,
                                               arrow::MemoryPool* pool);

/// That values (`2202009600 bytes of values`) don't fit into the layout of an output encoding. A
/// user error that is a CapacityError of Arrow's, unlike all others.
Status LayoutOverflow(std::string_view what, std::string_view encoding,
                      std::string_view alternatives);
bool IsLayoutOverflow(const Status& status);

}  // namespace lance
