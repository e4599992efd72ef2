#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "dataset/finish_batch.h"
#include "lance/dataset.h"
#include "schema/schema.h"
#include "schema/semantic_schema.h"

namespace lance {

/// Columns that no file stores as such (spec/table-format.md §15).
enum class VirtualColumn : uint8_t {
  kRowId,
  kRowAddress,
  kCreatedAtVersion,
  kLastUpdatedAtVersion,
  kRowOffset,  ///< position among the live rows of the version
};

std::string_view VirtualColumnName(VirtualColumn column);
std::optional<VirtualColumn> VirtualColumnFromName(std::string_view name);
/// Names that user columns may not have.
bool IsReservedColumnName(std::string_view name);

/// How a path like `a.b` shows in the result.
enum class PathStyle : uint8_t {
  kFlat,    ///< as a column of that name
  kNested,  ///< as column `a`, a struct with the members asked for
};

/// What is asked for.
struct ColumnRequest {
  std::optional<std::vector<std::string>> columns = {};
  bool with_row_id = false;
  bool with_row_address = false;
  PathStyle path_style = PathStyle::kFlat;
  BlobHandling blob_handling = BlobHandling::kDescriptions;
  /// By path, instead of those of the table.
  OutputEncodings output_encodings = {};
  /// Of deleted rows, if those are read: their ids and addresses.
  bool deleted_are_null = false;

  bool operator==(const ColumnRequest&) const = default;
};

struct OutputColumn {
  std::optional<VirtualColumn> virtual_column;
  /// Otherwise: index of the top-level field in ColumnSelection::data, then of members below it.
  std::vector<int> path;
};

/// A resolved ColumnRequest: what to read, and how the result is made of it. Immutable.
struct ColumnSelection {
  /// Differs between selections; for caches.
  uint64_t id = 0;
  /// The fields to read; blobs of version 2 as their descriptors.
  Schema data;
  std::shared_ptr<arrow::Schema> data_schema;
  /// The same with the bytes or values of blobs of version 2 in place of their descriptors, if they
  /// are wanted; outputs are made of these.
  std::shared_ptr<arrow::Schema> data_with_blobs;
  BlobHandling blob_handling = BlobHandling::kDescriptions;
  bool deleted_are_null = false;
  std::vector<OutputColumn> outputs;
  std::shared_ptr<arrow::Schema> output_schema;
  /// The outputs are the top-level fields of `data`, in order.
  bool outputs_are_data = false;
  /// For each output the field of the table that it holds; its name may be another.
  std::vector<std::optional<Field>> output_fields;
  /// Makes of batches of `output_schema` what callers get; null if they are that already.
  std::shared_ptr<const BatchFinisher> finisher;

  bool Needs(VirtualColumn column) const;
};

/// What batches of a selection, or of columns that were taken from some, are made to.
enum class RowForm : uint8_t {
  kStored,  ///< what can be written again
  kOutput,  ///< what callers get
};

/// Unknown columns and columns named twice are user errors.
Result<std::shared_ptr<const ColumnSelection>> SelectColumns(const Schema& schema,
                                                             const ColumnRequest& request);

}  // namespace lance
