#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "table/row_address_set.h"

namespace lance {

/// The addresses of the live rows, or of those for which a condition in SQL is true.
Result<std::shared_ptr<RowAddressSet>> SelectRows(std::shared_ptr<const Snapshot> snapshot,
                                                  const std::optional<std::string>& condition,
                                                  const Poll& poll = {});

}  // namespace lance
