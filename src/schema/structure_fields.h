#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schema/schema.h"

namespace lance {

using IsStored = std::function<bool(int32_t id)>;

/// `wanted` with another member of each struct and list that is not stored itself: `schema` says
/// what there is, `is_stored` of which leaves there are values. Only values tell which structs are
/// null and how long lists are.
Schema WithStructure(const Schema& schema, const IsStored& is_stored, Schema wanted);

/// Whether there are values of the field, or of one below it.
bool HoldsStored(const Field& field, const IsStored& is_stored);

/// Structs and lists of which nothing is stored.
std::vector<const Field*> FieldsWithoutStructure(const Schema& schema, const IsStored& is_stored);

}  // namespace lance
