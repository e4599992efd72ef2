#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// The columns by which rows of a source are found in a table: those of these names, or the
/// unenforced primary key if there are none. A name that differs in the case of its letters only is
/// understood; no such column, or no key at all, is a user error.
Result<std::vector<const Field*>> MergeKeyOf(const Schema& schema,
                                             const std::vector<std::string>& on);

/// The columns of the unenforced primary key, in its order; often none.
std::vector<const Field*> PrimaryKeyOf(const Schema& schema);

}  // namespace lance
