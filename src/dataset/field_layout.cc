#include "dataset/field_layout.h"

#include "arrow/array.h"
#include "arrow/type.h"
#include "dataset/array_types.h"
#include "dataset/json_values.h"
#include "dataset/leaf_changes.h"
#include "dataset/value_layout.h"
#include "schema/blob.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

bool IsBlob(const Field& field) {
  return IsBlobV1(field) || IsBlobV2(field) || IsBlobV1Descriptor(field) ||
         IsBlobV2Descriptor(field);
}

/// Leaves whose values may come in several layouts. Blobs have members, but are taken as a whole.
bool HasLayouts(const Field& field) {
  if (IsBlob(field)) return true;
  if (!field.IsLeaf()) return false;
  auto type = ParseSemanticType(field.logical_type);
  return type.ok() && type->has_output_encodings();
}

Result<ArrayPtr> ChangeValues(const Field& field, const ArrayPtr& values, arrow::MemoryPool* pool) {
  if (IsBlob(field)) return values;
  if (IsJson(field)) return EncodeJson(values, pool);
  ARROW_ASSIGN_OR_RAISE(auto semantic, SemanticTypeOf(field));
  // Another type is the encoder's to refuse.
  if (!semantic.Accepts(*values->type())) return values;
  ARROW_ASSIGN_OR_RAISE(auto type, field.ArrowType());
  return ToLayout(values, type, pool);
}

}  // namespace

Result<ArrayPtr> ToFieldLayout(const Field& field, const ArrayPtr& column,
                               arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto type, field.ArrowType());
  if (SameLayout(*column->type(), *type)) return column;
  return ChangeLeaves(
      field, column, HasLayouts,
      [pool](const Field& leaf, const ArrayPtr& values) {
        return ChangeValues(leaf, values, pool);
      },
      pool);
}

}  // namespace lance
