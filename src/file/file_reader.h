#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "encoding/read/leaf_shape.h"
#include "encoding/row_range.h"
#include "file/version.h"
#include "io/object_store.h"
#include "schema/schema.h"

namespace lance {

/// Which columns of a file hold the leaves of a schema.
struct FileProjection {
  /// What a read returns: the sub-tree of the wanted fields.
  Schema schema;
  std::shared_ptr<arrow::Schema> arrow_schema;
  /// Parallel to schema.Leaves(), or StoredFields(schema) before 2.1: indexes of columns in the
  /// file, and what they hold.
  std::vector<uint32_t> columns;
  std::vector<encoding::LeafShape> shapes;
  /// Leaves of each top-level field; not before 2.1.
  std::vector<size_t> leaves_of_field;
};

/// Reads one data file of any version, 0.1 to 2.3. Immutable after Open but for caches of column
/// metadata and page indexes, which are filled on first use and kept; thread-safe.
///
/// Opening costs one read (the tail of the file), or two (the schema) where the metadata is larger.
/// The first read of some columns loads their metadata, all in one round, if the tail didn't hold
/// it, and then the indexes of the pages. After that a row costs one read per fixed-width column
/// and at most two per variable-width one.
class FileReader {
 public:
  /// `table_rows` is given for a file of a table, whose manifest tells the schema and how many rows
  /// the fragment has: the file's own schema isn't read, unless `with_schema` is set or it takes no
  /// read of its own; without it schema() is empty. Reading a column with another number of rows is
  /// Corrupt.
  static Result<std::shared_ptr<FileReader>> Open(const Context& context,
                                                  std::shared_ptr<RandomReader> reader,
                                                  std::optional<uint64_t> table_rows = std::nullopt,
                                                  bool with_schema = false);
  ~FileReader();

  /// The schema stored in the file itself.
  const Schema& schema() const;
  /// The field of that schema whose values are those of a field of a table, which says where it is
  /// (as for Project); null if there is none.
  const Field* StoredField(int32_t field_id, std::span<const int32_t> field_ids,
                           std::span<const int32_t> column_indices) const;
  FileVersion version() const;
  uint64_t num_rows() const;
  const std::string& path() const;

  /// All columns of the file, or the named ones, by the file's own schema. Names may be paths
  /// (Schema::Project): only those leaves are read. Members come in the order asked for.
  Result<FileProjection> Project() const;
  Result<FileProjection> Project(const std::vector<std::string>& columns) const;
  /// For files in a table: `schema` is a sub-tree of the table's schema of which every leaf is
  /// listed in `field_ids`; `column_indices` runs parallel to it (DataFile of the manifest).
  Result<FileProjection> Project(Schema schema, std::span<const int32_t> field_ids,
                                 std::span<const int32_t> column_indices) const;

  /// Rows of the given ranges, in order, as one batch. Ranges are ascending and don't overlap;
  /// a range beyond num_rows() is a user error. Small reads run on the calling thread alone.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(const Context& context,
                                                   const FileProjection& projection,
                                                   std::span<const RowRange> rows) const;

  /// Loads what says how the columns are stored, and compares their numbers of rows with the
  /// file's.
  Status CheckColumns(const Context& context, const FileProjection& projection) const;

  /// User error unless Read would take these ranges.
  Status CheckRows(std::span<const RowRange> rows) const;

  /// The bytes of a global buffer: 0 is the file descriptor, those of the writer's caller follow.
  Result<std::shared_ptr<arrow::Buffer>> ReadGlobalBuffer(const Context& context,
                                                          uint64_t index) const;

  /// Stored bytes per row of the projected columns, an estimate for choosing batch sizes.
  Result<double> BytesPerRow(const Context& context, const FileProjection& projection) const;

 private:
  struct Impl;
  explicit FileReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance
