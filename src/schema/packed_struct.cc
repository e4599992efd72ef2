#include "schema/packed_struct.h"

#include <algorithm>
#include <utility>

#include "schema/blob.h"

namespace lance {
namespace {

/// Adds the members that are missing; whether there were any.
bool Complete(const Field& whole, Field* part) {
  bool added = part->children.size() != whole.children.size();
  std::vector<Field> members;
  members.reserve(whole.children.size());
  for (const Field& member : whole.children) {
    const Field* wanted = FieldWithId(part->children, member.id);
    members.push_back(wanted == nullptr ? member : *wanted);
    if (wanted != nullptr && Complete(member, &members.back())) added = true;
  }
  part->children = std::move(members);
  return added;
}

bool HoldsId(const Field& field, int32_t id) {
  return std::any_of(field.children.begin(), field.children.end(),
                     [id](const Field& child) { return child.id == id || HoldsId(child, id); });
}

bool CompletePacked(const Schema& schema, Field* part) {
  if (IsPackedColumn(*part)) {
    const Field* whole = schema.FindById(part->id);
    return whole != nullptr && Complete(*whole, part);
  }
  bool added = false;
  for (Field& child : part->children) added |= CompletePacked(schema, &child);
  return added;
}

}  // namespace

bool IsPackedColumn(const Field& field) {
  return field.IsPackedStruct() && !IsBlobV2Descriptor(field);
}

std::optional<Schema> WithWholePackedStructs(const Schema& part, const Schema& whole) {
  Schema complete = part;
  bool added = false;
  for (Field& field : complete.fields) added |= CompletePacked(whole, &field);
  if (!added) return std::nullopt;
  return complete;
}

const Field* StoredTogetherIn(const Schema& schema, int32_t id) {
  const std::vector<const Field*> leaves = schema.Leaves();
  auto found = std::find_if(leaves.begin(), leaves.end(),
                            [id](const Field* leaf) { return HoldsId(*leaf, id); });
  return found == leaves.end() ? nullptr : *found;
}

}  // namespace lance
