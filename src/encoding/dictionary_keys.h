#pragma once

#include <cstdint>

namespace lance::encoding {

// Keys of dictionaries as unsigned numbers of 1, 2, 4 or 8 bytes: a negative one is a large one.

/// Whether each of so many keys is below `items`.
bool AreBelow(uint64_t items, const uint8_t* keys, int64_t count, int32_t width);
/// The same keys in numbers of another width, which may cut them off. Whether each is below
/// `items`, which are no more than half of the numbers of the first width; a pass less than to ask
/// before.
bool CopyKeysBelow(uint64_t items, const uint8_t* from, int32_t from_width, int64_t count,
                   int32_t to_width, uint8_t* to);

}  // namespace lance::encoding
