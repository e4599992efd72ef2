#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/leaf_path.h"
#include "file/version.h"
#include "schema/schema.h"

namespace lance {

/// A column of the data to write, and where its leaves go.
struct TopLevelField {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  size_t first_column = 0;
  size_t num_columns = 0;
};

struct ColumnPaths {
  std::vector<TopLevelField> fields;
  std::vector<encoding::LeafPath> columns;
};

/// The fields of a schema that have a column in a file: the leaves, in 2.0 also structs and lists.
std::vector<const Field*> FieldsWithColumns(const Schema& schema, uint32_t minor_version);

/// The columns of a file with this schema, those of FieldsWithColumns(). What can't be written is
/// Unsupported, the field named.
Result<ColumnPaths> FindColumnPaths(const Schema& schema, uint32_t minor_version);

/// The column of that name; a missing or ambiguous one is a user error.
Result<int> FindColumn(const arrow::Schema& schema, const std::string& name);

/// 0 for 2.0, 1 for 2.1.
uint32_t MinorVersion(FileVersion version);

}  // namespace lance
