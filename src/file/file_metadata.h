#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/context.h"
#include "file/version.h"
#include "io/object_store.h"
#include "io/read_batch.h"
#include "schema/schema.h"

namespace lance {

// Footer, the last 40 bytes of a 2.x file (spec/file-format.md §2.2):
//   u64 position of the column metadata   u64 position of the column table
//   u64 position of the buffer table      u32 number of global buffers
//   u32 number of columns                 u16 major, u16 minor, "LANC"
// Tables: one { u64 position, u64 size } an entry.
constexpr uint64_t kFooterBytes = 40;

struct Footer {
  uint64_t column_metadata_position = 0;
  uint64_t column_table_position = 0;
  uint64_t buffer_table_position = 0;
  uint32_t num_global_buffers = 0;
  uint32_t num_columns = 0;
  uint16_t major_version = 0;
  uint16_t minor_version = 0;

  /// `tail`: the last 40 bytes of a file of `file_size` bytes. Checks magic and positions.
  static Result<Footer> Parse(Bytes tail, uint64_t file_size);
};

/// One page as the column metadata describes it.
struct PageMetadata {
  uint64_t num_rows = 0;
  uint64_t first_row = 0;
  /// What the page itself says is its first row; unscaled, 0 in 2.0 (informative).
  uint64_t priority = 0;
  std::vector<ByteRange> buffers;
  /// Full message name after the last '/' of the type URL, and the serialised message.
  std::string encoding_type;
  std::string encoding;
};

struct ColumnMetadata {
  /// Full message name of the column encoding, and the message.
  std::string encoding_type;
  std::string encoding;
  uint64_t num_rows = 0;
  std::vector<PageMetadata> pages;
  std::vector<ByteRange> buffers;

  /// Row at which each page starts, and the end of the last one.
  std::vector<uint64_t> PageStarts() const;
};

/// What the first global buffer says.
struct Descriptor {
  std::string bytes;
  Schema schema;
  uint64_t rows = 0;
};

/// Everything in a 2.x file but its data. Column metadata is loaded when a column is first asked
/// for, so that opening a file of thousands of columns to read one of them stays cheap.
class FileMetadata {
 public:
  /// Mostly one read, of the tail of the file. One more each for the tables (of more than some 4000
  /// columns) and for the file descriptor, with the first column's metadata beside it, where they
  /// don't lie in the tail. Without `with_schema` the descriptor is left alone where that takes a
  /// read of its own: then schema() is empty and declared_rows() 0. Of a file of version 0.1 only
  /// version() and legacy_tail() are set.
  static Result<FileMetadata> Load(const Context& context, RandomReader& reader,
                                   bool with_schema = true);

  const Footer& footer() const { return footer_; }
  FileVersion version() const { return version_; }
  const Schema& schema() const { return descriptor_->schema; }
  /// Number of rows as the file descriptor states it (informative).
  uint64_t declared_rows() const { return descriptor_->rows; }
  const std::vector<ByteRange>& global_buffers() const { return global_buffers_; }
  uint32_t num_columns() const { return footer_.num_columns; }
  /// The end of a file of version 0.1, which has metadata of another form.
  Bytes legacy_tail() const;
  ByteRange column_range(uint32_t column) const { return columns_[column]; }

  /// Reads, parses and checks the metadata of some columns, each < num_columns(): one round of
  /// reads for those that did not come with the tail. Errors name the column.
  Result<std::vector<ColumnMetadata>> LoadColumns(const Context& context, RandomReader& reader,
                                                  std::span<const uint32_t> columns) const;

 private:
  struct Loader;

  Result<ColumnMetadata> ParseColumn(ByteRange range, Bytes bytes) const;

  Footer footer_;
  FileVersion version_ = kDefaultFileVersion;
  std::shared_ptr<const Descriptor> descriptor_;
  uint64_t file_size_ = 0;
  std::vector<ByteRange> global_buffers_;
  std::vector<ByteRange> columns_;
  /// Column metadata that came along when the file was opened.
  struct Piece {
    uint64_t start = 0;
    std::shared_ptr<arrow::Buffer> bytes;
  };
  std::vector<Piece> pieces_;
  std::shared_ptr<arrow::Buffer> legacy_tail_;
};

}  // namespace lance
