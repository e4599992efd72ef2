#include "dataset/wide_layout.h"

#include <utility>

#include "arrow/api.h"
#include "dataset/array_types.h"
#include "dataset/field_layout.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

/// Whether the layout has changed.
bool Widen(Field* field) {
  if (IsBlobV1(*field) || IsBlobV2(*field)) return false;
  bool changed = false;
  for (Field& child : field->children) changed = Widen(&child) || changed;
  auto type = ParseSemanticType(field->logical_type);
  if (!type.ok()) return changed;
  const std::string before = field->logical_type;
  if (type->kind == SemanticKind::kString) field->logical_type = "large_string";
  if (type->kind == SemanticKind::kBinary) field->logical_type = "large_binary";
  if (KindOfLogicalType(before) == FieldKind::kList) field->logical_type = "large_" + before;
  return changed || field->logical_type != before;
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> ThroughWideLayout(const std::optional<Field>& field,
                                                        const arrow::ArrayVector& arrays,
                                                        const MakeArray& make,
                                                        arrow::MemoryPool* pool) {
  auto made = make(arrays);
  if (made.ok() || !field) return made;
  Field wide = *field;
  if (!Widen(&wide)) return made;
  arrow::ArrayVector widened;
  for (const auto& array : arrays) {
    ARROW_ASSIGN_OR_RAISE(widened.emplace_back(), ToFieldLayout(wide, array, pool));
  }
  ARROW_ASSIGN_OR_RAISE(auto values, make(widened));
  ARROW_ASSIGN_OR_RAISE(values, ToFieldLayout(*field, values, pool));
  return Retyped(values, arrays[0]->type());
}

}  // namespace lance
