#pragma once

#include "base/error.h"
#include "dataset/stored_layouts.h"
#include "schema/schema.h"

namespace lance {

/// Corrupt, with the field, if a data file holds values in the place of one of the `wanted` leaves
/// that are of another type: numbers of as many bits would be taken for others. Widths of offsets
/// and of dictionaries' keys may differ, and decoders see what isn't compared here.
Status CheckStoredTypes(const Schema& wanted, const FindStored& find);

}  // namespace lance
