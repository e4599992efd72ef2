#pragma once

#include <cstdint>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "file/version.h"
#include "schema/schema.h"

namespace lance {

/// New tables whose files are of this version or a later one have semantic types, if nobody says
/// otherwise: only readers that know of them read such files.
inline constexpr FileVersion kSemanticTypesSince = FileVersion::kV2_3;
/// Whether a new table gets semantic types.
bool UsesSemanticTypes(std::optional<bool> asked, FileVersion files);

/// Columns that come into a table: what its schema says of them, and how files hold them.
struct NewColumns {
  Schema table;
  Schema files;
};
/// Of columns as they are given; ids are assigned from `first_id`.
Result<NewColumns> MakeNewColumns(const arrow::Schema& given, int32_t first_id,
                                  bool semantic_types);

/// Names that no expression could use: a user error.
Status CheckNewNames(const std::vector<Field>& fields);

}  // namespace lance
