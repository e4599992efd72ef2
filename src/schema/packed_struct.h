#pragma once

#include <cstdint>
#include <optional>

#include "schema/schema.h"

namespace lance {

/// A struct that is stored as one column; not the descriptors of blobs, whose members are not the
/// table's.
bool IsPackedColumn(const Field& field);

/// `part` with all members, as `whole` has them, of the packed structs that it has some members of;
/// nothing if it has none of these. Members of a packed struct are decoded together.
std::optional<Schema> WithWholePackedStructs(const Schema& part, const Schema& whole);

/// The field that is stored as one column with the members below it, one of which has this id: a
/// packed struct or a blob. Null if the field is in no such one.
const Field* StoredTogetherIn(const Schema& schema, int32_t id);

}  // namespace lance
