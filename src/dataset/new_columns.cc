#include "dataset/new_columns.h"

#include <utility>

#include "arrow/type.h"
#include "schema/semantic_schema.h"

namespace lance {

bool UsesSemanticTypes(std::optional<bool> asked, FileVersion files) {
  return asked.value_or(files >= kSemanticTypesSince);
}

Result<NewColumns> MakeNewColumns(const arrow::Schema& given, int32_t first_id,
                                  bool semantic_types) {
  NewColumns columns;
  auto table = Schema::FromArrow(given, first_id);
  if (!table.ok() && semantic_types && GetErrorCode(table.status()) == ErrorCode::kUnsupported) {
    const ErrorDetail* detail = GetErrorDetail(table.status());
    return MakeError(ErrorCode::kUnsupported,
                     "no semantic type accepts this input: " + table.status().message(),
                     detail->place);
  }
  ARROW_ASSIGN_OR_RAISE(columns.table, std::move(table));
  columns.files = columns.table;
  if (!semantic_types) return columns;
  columns.files = StoredLayouts(given, std::move(columns.files));
  ARROW_RETURN_NOT_OK(AdoptSemanticTypes(given, &columns.table));
  return columns;
}

Status CheckNewNames(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    if (field.name.empty()) return UserError("the name of a new column or member is empty");
    if (field.logical_type == "struct") ARROW_RETURN_NOT_OK(CheckNewNames(field.children));
  }
  return Status::OK();
}

}  // namespace lance
