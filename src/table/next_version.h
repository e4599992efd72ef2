#pragma once

#include <cstdint>

#include "file/version.h"
#include "table/index_section.h"
#include "table/manifest.h"

namespace lance {

/// A version while an operation is applied: it starts as a copy of the newest one.
struct NextVersion {
  /// Null for a new table.
  const Manifest* newest = nullptr;
  Manifest manifest;
  IndexSection indexes;
  /// Of the table's data files.
  FileVersion data_version = kDefaultFileVersion;
  bool stable_row_ids = false;
  bool semantic_types = false;
  /// Whether files of another version than the table's were added.
  bool mixes_file_versions = false;
};

}  // namespace lance
