#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/export.h"

namespace lance {

/// A file below the root of a table.
struct StoredFile {
  std::string path;  ///< relative to the root
  uint64_t size = 0;
  int64_t modified_ns = 0;  ///< since the epoch
};
struct StoredFiles {
  std::string root;
  std::vector<StoredFile> files;
};

/// A file that a version names.
struct TrackedFile {
  uint64_t version = 0;
  std::string base;  ///< the root of the table, or a base path
  std::string path;  ///< relative to it
  /// `manifest`, `transaction file`, `data file`, `deletion file` or `index file`
  std::string_view type;
};

/// The numbers of all versions of a dataset's branch, ascending; reads none of them.
LANCE_EXPORT arrow::Result<std::vector<uint64_t>> VersionNumbers(const Dataset& dataset);

/// All files below the table's own root, whether a version names them or not.
LANCE_EXPORT arrow::Result<StoredFiles> AllFiles(const Dataset& dataset);

/// The files that the versions from a number on name, once for each version.
LANCE_EXPORT arrow::Result<std::vector<TrackedFile>> TrackedFiles(const Dataset& dataset,
                                                                  uint64_t min_version,
                                                                  const Poll& poll = {});

}  // namespace lance
