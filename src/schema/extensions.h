#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

// Extensions of fields in tables with semantic types: a name stands in a field's metadata under
// ARROW:extension:name, or, where that place is taken, under lance-schema:extension-name. Names
// that start with `lance.` are reserved; those that there are, and arrow.json, say how values are
// stored and belong to one type each.

/// Why no semantic type accepts an input, its members aside; nothing if one does.
std::optional<std::string> WhyNotAccepted(const arrow::Field& input);

/// That a new field may have the extensions that its metadata names. `input`: what it is made of,
/// for the error.
Status CheckExtensions(const Field& field, std::string_view input);
/// The same of a field that was `before`: what it had it may keep, and names that say how its
/// values are stored stay.
Status CheckExtensionChange(const Field& before, const Field& after);

/// Null when data with the extensions of `data` may go into the field of a table; otherwise says
/// why not. Data without an extension may.
std::optional<std::string> ExtensionDifference(const Field& table, const Field& data);

}  // namespace lance
