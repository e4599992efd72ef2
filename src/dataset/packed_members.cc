#include "dataset/packed_members.h"

#include <utility>

#include "arrow/array.h"
#include "arrow/type.h"
#include "dataset/copy_validity.h"
#include "dataset/leaf_changes.h"
#include "schema/packed_struct.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

Result<ArrayPtr> Pick(const Field& wanted, const ArrayPtr& values, arrow::MemoryPool* pool) {
  if (values->type_id() != arrow::Type::STRUCT || wanted.children.empty()) return values;
  const auto& packed = static_cast<const arrow::StructArray&>(*values);
  arrow::ArrayVector members;
  arrow::FieldVector fields;
  members.reserve(wanted.children.size());
  fields.reserve(wanted.children.size());
  for (const Field& member : wanted.children) {
    const int index = packed.struct_type()->GetFieldIndex(member.name);
    if (index < 0) return Corrupt("packed struct has no member '", member.name, "'");
    ARROW_ASSIGN_OR_RAISE(auto picked, Pick(member, packed.field(index), pool));
    fields.push_back(packed.struct_type()->field(index)->WithType(picked->type()));
    members.push_back(std::move(picked));
  }
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(packed, pool));
  return std::make_shared<arrow::StructArray>(arrow::struct_(fields), packed.length(),
                                              std::move(members), std::move(validity),
                                              packed.null_count());
}

}  // namespace

Result<ArrayPtr> PickPackedMembers(const Field& wanted, const ArrayPtr& column,
                                   arrow::MemoryPool* pool) {
  return ChangeLeaves(
      wanted, column, IsPackedColumn,
      [pool](const Field& packed, const ArrayPtr& values) { return Pick(packed, values, pool); },
      pool);
}

}  // namespace lance
