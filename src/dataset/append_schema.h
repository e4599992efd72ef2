#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// How the columns of appended data go into the files of a table.
struct AppendMapping {
  /// The fields that the data has, in the table's order and with its ids: what the files hold.
  /// Nullable fields that the data lacks are left out, and read as nulls.
  Schema file_schema;
  /// The data's own schema, by which its batches are taken apart.
  Schema data_schema;
};

/// Which fields of the table the data may lack.
enum class MissingFields : uint8_t { kNullable, kAny };

/// Matches by name, in any order, members of structs too. Another type, a field that the table
/// lacks (the nearest name is offered) and a missing field that may not be are user errors. Text
/// and bytes may have offsets of another width than the table's. With semantic types it is these
/// that must be the same: the files hold the layouts of the data.
Result<AppendMapping> MatchForAppend(const Schema& table, const arrow::Schema& data,
                                     MissingFields missing = MissingFields::kNullable);

/// The columns of the mapping's file schema, in its order.
Result<std::shared_ptr<arrow::RecordBatch>> ArrangeBatch(const AppendMapping& mapping,
                                                         const arrow::RecordBatch& batch);

}  // namespace lance
