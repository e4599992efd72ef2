#pragma once

#include <string>
#include <vector>

#include "schema/schema.h"

namespace lance {

/// The fields of a schema as serialized `lance.file.Field`s, parents first.
std::vector<std::string> FieldMessages(const Schema& schema);

}  // namespace lance
