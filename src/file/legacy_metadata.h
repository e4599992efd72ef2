#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/byte_reader.h"
#include "base/context.h"
#include "io/object_store.h"
#include "schema/schema.h"

namespace lance {

// Footer, the last 16 bytes of a file of version 0.1 (spec/file-format.md §10.1):
//   i64 position of the Metadata message   u16 major, u16 minor, "LANC"
// A message is preceded by its length as u32.
constexpr uint64_t kLegacyFooterBytes = 16;

// Page table: for each field id from the smallest on, and in it for each batch,
//   i64 position   i64 number of elements
constexpr uint64_t kLegacyPageEntryBytes = 16;

/// Where the values of a dictionary column lie, and how many there are.
struct LegacyDictionary {
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// What describes the data in a file of version 0.1.
struct LegacyMetadata {
  Schema schema;
  /// Rows before each batch, and in all: one more than there are batches.
  std::vector<uint64_t> batch_starts;
  uint64_t page_table_position = 0;
  /// By field id.
  std::map<int32_t, LegacyDictionary> dictionaries;

  uint64_t num_rows() const { return batch_starts.back(); }
  uint64_t num_batches() const { return batch_starts.size() - 1; }

  /// `tail` holds the end of the file; what lies before it is read. A file of a table may leave its
  /// schema to the manifest: without `needs_schema` it is empty then, else Unsupported.
  static Result<LegacyMetadata> Load(const Context& context, RandomReader& reader, Bytes tail,
                                     bool needs_schema = true);
};

}  // namespace lance
