#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.h"
#include "file/paged_column.h"
#include "schema/schema.h"

namespace lance {

/// A field, the column that holds it, and what that is to be decoded to.
struct StoredField {
  const Field* field = nullptr;
  uint32_t column = 0;
  const encoding::LeafShape* shape = nullptr;
};

/// The columns of a file before 2.1. Leaves have one each that decodes to their values; lists have
/// one each whose rows are ItemSpans, ascending, into the rows of the columns below them. Structs
/// decode to nothing. Thread-safe.
class TreeColumns {
 public:
  virtual ~TreeColumns() = default;

  virtual uint32_t num_columns() const = 0;
  /// Rows of the file.
  virtual Result<uint64_t> CountRows(const Context& context) = 0;
  /// The columns of some fields; what describes them is read if it wasn't yet. They live as long
  /// as this. A column is read as one shape, of blobs as two.
  virtual Result<std::vector<const PagedColumn*>> Load(const Context& context,
                                                       std::span<const StoredField> fields) = 0;
  /// Stored bytes of some columns, an estimate.
  virtual Result<double> StoredBytes(const Context& context,
                                     std::span<const uint32_t> columns) const = 0;
};

}  // namespace lance
