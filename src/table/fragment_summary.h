#pragma once

#include <cstdint>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance {

/// The numbers of a fragment that planning needs, beside its stored bytes: a manifest of 100,000
/// fragments is opened, scanned through and committed again without building a message for each.
struct FragmentSummary {
  uint64_t id = 0;
  /// 0 in manifests of very old writers: unknown.
  uint64_t physical_rows = 0;
  /// 0 although there is a deletion file: unknown, in manifests of old writers.
  uint64_t num_deleted_rows = 0;
  /// Sum over the data files; meaningful when has_all_file_sizes.
  uint64_t data_bytes = 0;
  uint32_t num_data_files = 0;
  bool has_deletion_file = false;
  bool has_all_file_sizes = true;
  bool has_row_ids = false;
  bool has_spilled_lineage = false;
  bool has_overlays = false;
  /// The serialized DataFragment. The manifest keeps the memory alive.
  Bytes bytes;

  bool counts_known() const {
    return physical_rows != 0 && (!has_deletion_file || num_deleted_rows != 0);
  }
  uint64_t live_rows() const { return physical_rows - num_deleted_rows; }
};

Result<FragmentSummary> SummarizeFragment(Bytes bytes);

}  // namespace lance
