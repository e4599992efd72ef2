#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// The field of a data file's own schema that holds the values of a field of the table, by its id;
/// null if the file doesn't say.
using FindStored = std::function<const Field*(int32_t id)>;

/// What numbers beside values files of a version are decoded to.
enum class DecodedWidths : uint8_t {
  kAsStored,  ///< those that are stored: 0.1
  kOffsets,   ///< offsets of any width: 2.0
  kAll,       ///< keys of dictionaries as wide as they are stored, or wider, too
};

/// `wanted` in the layouts that a data file holds its fields in, where these can't be decoded to
/// the wanted ones; nothing if all of them can. A file that holds values of another semantic type
/// than the table says is Corrupt.
Result<std::optional<Schema>> WithStoredLayouts(const Schema& wanted, const FindStored& find,
                                                DecodedWidths widths);

}  // namespace lance
