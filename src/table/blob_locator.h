#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "table/table_paths.h"

namespace lance {

/// What a page holds of a blob (spec/table-format.md §13). Blobs of version 1 are inline ones.
struct BlobDescriptor {
  enum class Kind : uint8_t {
    kInline,           ///< in the data file itself
    kPacked,           ///< in a file beside it, with other values
    kDedicated,        ///< the whole of a file beside it
    kExternal,         ///< at a URI, or relative to a base path
    kManaged,          ///< relative to the root of the table that holds the data file
    kManagedWithBase,  ///< relative to a base path
  };
  uint8_t kind = 0;
  uint64_t position = 0;
  uint64_t size = 0;
  uint32_t blob_id = 0;
  std::string_view uri;
};

/// Where the bytes of a blob lie.
struct BlobPlace {
  StoreLocation object;
  uint64_t position = 0;
  std::optional<uint64_t> size;  ///< none: the whole object
};

/// Finds the blobs of one data file. Immutable; needs no manifest once made.
class BlobLocator {
 public:
  static Result<BlobLocator> Make(const TableLocation& table, const Manifest& manifest,
                                  const table::DataFile& file);

  Result<BlobPlace> Locate(const BlobDescriptor& descriptor) const;
  /// Of an external blob, whether or not it is relative to a base path.
  Result<std::string> UriOf(const BlobDescriptor& descriptor) const;

 private:
  BlobLocator() = default;
  Result<std::string> Below(uint32_t base_id, std::string_view relative) const;

  StoreLocation data_file_;
  StoreLocation root_;  ///< of the table that holds the data file
  std::map<uint32_t, std::string> bases_;
};

/// Where the files beside a data file are: its path without `.lance`.
std::string BlobFolder(std::string data_file);
/// `1000…0.blob`: the bits of the id in reverse.
std::string BlobFileName(uint32_t blob_id);

}  // namespace lance
