#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/error.h"
#include "file/version.h"
#include "io/object_store.h"
#include "io/read_batch.h"

namespace lance {

/// What a data file holds, without its values. Made from the metadata alone: no page is read.
struct FileInspection {
  struct Page {
    uint64_t first_row = 0;
    /// Rows of the table; in columns of lists of 2.0, which count their own entries, those.
    uint64_t rows = 0;
    /// See PageText (file/encoding_text.h).
    std::string layout;
    std::string encoding;
    std::vector<ByteRange> buffers;

    uint64_t bytes() const;
  };

  struct Column {
    uint32_t index = 0;
    /// `a.b`: names from the top, list items by theirs. Empty with `logical_type` if the schema
    /// does not tell what the column holds.
    std::string field;
    std::string logical_type;
    std::vector<Page> pages;
    /// Buffers that belong to the column as a whole.
    std::vector<ByteRange> buffers;

    /// Of pages and column buffers.
    uint64_t bytes() const;
  };

  std::string path;
  uint64_t size_bytes = 0;
  FileVersion version = kDefaultFileVersion;
  /// As the footer has it: 0.3 for version 2.0.
  uint16_t footer_major_version = 0;
  uint16_t footer_minor_version = 0;
  uint64_t rows = 0;
  /// Where the column metadata begins, and its size with the table of where each column's is.
  uint64_t column_metadata_offset = 0;
  uint64_t column_metadata_bytes = 0;
  /// The first holds the schema.
  std::vector<ByteRange> global_buffers;
  std::vector<Column> columns;

  uint64_t num_pages() const;
  /// Of all columns. What is missing to `size_bytes` is metadata and padding.
  uint64_t data_bytes() const;
};

/// Files of 0.1 and 2.0 to 2.3.
Result<FileInspection> InspectFile(const Context& context, RandomReader& reader);

}  // namespace lance
