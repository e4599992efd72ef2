#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "lance/c.h"
#include "lance/dataset.h"

namespace lance::capi {

inline Status CheckNotNull(const void* pointer, std::string_view name) {
  if (pointer == nullptr) return UserError("argument must not be NULL: ", name);
  return Status::OK();
}

Result<uint64_t> CheckNotNegative(int64_t value, std::string_view name);
/// A C boolean.
Result<bool> CheckZeroOrOne(int32_t value, std::string_view name);

/// A list of names; NULL with 0 names means `all`, that is nullopt.
Result<std::optional<std::vector<std::string>>> CheckColumns(const char* const* columns,
                                                             int64_t num_columns);

/// Reads a structure of options of a caller that may have been compiled against an older or newer
/// header. Members that an older one lacks keep their defaults; members that this build doesn't
/// know must be zero. `oldest_size` is the size in the first release.
template <typename Options>
Status CopyOptions(const Options& from, size_t oldest_size, std::string_view name, Options* to) {
  const size_t size = from.struct_size;
  // No sane structure is larger; a wild value would make the check for zeros read far outside.
  constexpr size_t kLargestSize = 4096;
  if (size < oldest_size || size > kLargestSize) {
    return UserError(name, ".struct_size must be sizeof(", name, "): ", size, " given, ",
                     sizeof(Options), " expected");
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(&from);
  for (size_t at = sizeof(Options); at < size; ++at) {
    if (bytes[at] != 0) {
      return UserError(
          name, " sets a member that this version of the library doesn't know, at byte ", at);
    }
  }
  std::memcpy(to, &from, std::min(size, sizeof(Options)));
  return Status::OK();
}

/// Null means defaults, in both.
Result<ScanOptions> ToScanOptions(const LanceScanOptions* options);
Result<WriteOptions> ToWriteOptions(const LanceWriteOptions* options);

}  // namespace lance::capi
