#include "table/fragment_bitmap.h"

#include "table/roaring_walk.h"

namespace lance {

Result<std::optional<RoaringBitmap>> DecodeFragmentBitmap(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  auto visit = [](uint32_t, uint64_t) {};
  ARROW_ASSIGN_OR_RAISE(uint64_t size, WalkRoaring(AsBytes(bytes), visit));
  if (size != bytes.size()) {
    return Corrupt("fragment bitmap of an index has bytes behind its end: ", bytes.size(),
                   " bytes, ", size, " expected");
  }
  return RoaringBitmap::readSafe(bytes.data(), bytes.size());
}

std::string EncodeBitmap(const RoaringBitmap& bitmap) {
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  return bytes;
}

}  // namespace lance
