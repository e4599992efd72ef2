#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "dataset/column_selection.h"
#include "dataset/table_session.h"
#include "encoding/row_range.h"
#include "file/file_reader.h"
#include "table/blob_locator.h"
#include "table/deletion_vector.h"
#include "table/manifest.h"
#include "table/row_id_sequence.h"
#include "table/table_paths.h"
#include "table/version_sequence.h"

namespace lance {

/// Reads the columns of one selection from one fragment: opens the data files that hold them,
/// loads the deletion file, and puts the result together. Everything that doesn't depend on the
/// rows is done in Open, so that reading a row costs the read. Immutable, thread-safe.
class FragmentReader {
 public:
  /// `first_position`: how many live rows are in the fragments before, if the selection needs it.
  static Result<std::shared_ptr<FragmentReader>> Open(
      const Context& context, const TableSession& session, const TableLocation& table,
      const Manifest& manifest, const FragmentSummary& summary,
      std::shared_ptr<const ColumnSelection> selection, uint64_t first_position);

  uint64_t live_rows() const {
    return deletions_ != nullptr ? deletions_->num_live() : physical_rows_;
  }
  uint64_t physical_rows() const { return physical_rows_; }
  /// Stored bytes per row, an estimate.
  double bytes_per_row() const { return bytes_per_row_; }

  /// The position of a physical row among the live ones; none if it is deleted.
  std::optional<uint64_t> LivePosition(uint64_t physical) const;
  /// The live rows before a physical one.
  uint64_t LiveBefore(uint64_t physical) const;
  /// Appends the physical ranges of positions among the live rows.
  void AppendPhysicalRanges(RowRange live, std::vector<RowRange>* out) const;

  /// Finds the bytes that the descriptors of a blob column stand for; `field_id` is the column's.
  Result<const BlobLocator*> BlobsOf(int32_t field_id) const;

  /// Physical rows, ascending and not overlapping, in the form of the selection's output schema.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(const Context& context,
                                                   std::span<const RowRange> rows) const;

 private:
  /// Fields as they are wanted, where a file has them in another form: descriptors of blobs as in
  /// older files, or other layouts.
  struct WantedColumns {
    Schema schema;
    std::shared_ptr<arrow::Schema> arrow_schema;
  };
  struct FileRead {
    std::shared_ptr<FileReader> reader;
    FileProjection projection;
    std::optional<WantedColumns> wanted;
  };
  /// Values of a virtual column by physical row, from one of three places.
  struct Lineage {
    std::shared_ptr<const RowIdSequence> ids;
    std::shared_ptr<const VersionSequence> versions;
    std::optional<FileRead> spilled;
  };
  struct Opener;

  FragmentReader() = default;

  Result<arrow::ArrayVector> ReadData(const Context& context, std::span<const RowRange> rows,
                                      int64_t count) const;
  Result<std::shared_ptr<arrow::Array>> ReadVirtual(const Context& context, VirtualColumn column,
                                                    std::span<const RowRange> rows,
                                                    int64_t count) const;
  /// Of deleted rows null.
  Result<std::shared_ptr<arrow::Array>> WithoutDeleted(const std::shared_ptr<arrow::Array>& values,
                                                       std::span<const RowRange> rows,
                                                       arrow::MemoryPool* pool) const;
  void FillPositions(const RowRange& rows, std::span<uint64_t> positions) const;
  /// Addresses and positions: that of the first row of a range, which others follow.
  uint64_t FirstValue(VirtualColumn column, const RowRange& live_rows) const;
  Result<arrow::ArrayVector> ReadFile(const Context& context, const FileRead& file,
                                      std::span<const RowRange> rows) const;
  static Result<arrow::ArrayVector> ToWanted(const WantedColumns& wanted,
                                             arrow::ArrayVector columns, arrow::MemoryPool* pool);
  Status ReadBlobs(const Context& context, arrow::ArrayVector* columns) const;
  const Lineage* LineageOf(VirtualColumn column) const;

  std::shared_ptr<const ColumnSelection> selection_;
  uint32_t fragment_id_ = 0;
  uint64_t physical_rows_ = 0;
  uint64_t first_position_ = 0;
  double bytes_per_row_ = 0;
  std::shared_ptr<const DeletionVector> deletions_;
  std::vector<FileRead> files_;
  /// One file holds exactly the data fields of the selection: its batch is the data.
  bool file_is_data_ = false;
  const TableSession* session_ = nullptr;  // outlives the readers, which its snapshots keep
  std::map<int32_t, BlobLocator> blobs_;   // by field id
  std::optional<Lineage> row_ids_;
  std::optional<Lineage> created_at_;
  std::optional<Lineage> last_updated_at_;
};

}  // namespace lance
