#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/write/encoded_page.h"
#include "file/version.h"
#include "file_v2.pb.h"
#include "io/object_store.h"
#include "schema/schema.h"

namespace lance {

/// Writes the parts of a data file and keeps account of where they went, for the metadata at the
/// end (spec/file-format.md §2):
///   page buffers and global buffers, each padded to a multiple of 64
///   global buffer 0: FileDescriptor
///   column metadata, one after the other
///   per column:        u64 position, u64 size of its metadata
///   per global buffer: u64 position, u64 size
///   footer
class ContainerWriter {
 public:
  ContainerWriter() = default;
  explicit ContainerWriter(size_t num_columns);

  /// Makes the column one of blobs, as 2.0 describes them.
  void MarkBlobColumn(size_t column);

  /// `first_row` is the row of the file that the page starts with.
  Status WritePage(size_t column, const encoding::EncodedPage& page, uint64_t first_row,
                   ObjectWriter* writer);
  /// Bytes that only a column's values point to; returns their position.
  static Result<uint64_t> WriteBlob(Bytes bytes, ObjectWriter* writer);
  /// Returns the index of the buffer.
  Result<uint32_t> WriteGlobalBuffer(Bytes bytes, ObjectWriter* writer);
  /// Writes all that follows the data.
  Status Finish(const Schema& schema, uint64_t num_rows, FileVersion version,
                ObjectWriter* writer) const;

 private:
  struct Extent {
    uint64_t position = 0;
    uint64_t size = 0;
  };

  static Result<Extent> WritePadded(Bytes bytes, ObjectWriter* writer);

  std::vector<file::v2::ColumnMetadata> columns_;
  // Without the descriptor, which is number 0.
  std::vector<Extent> global_buffers_;
};

}  // namespace lance
