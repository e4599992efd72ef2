#include "schema/structure_fields.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "schema/logical_type.h"

namespace lance {
namespace {

/// The field with one leaf that is stored.
std::optional<Field> WithOneLeaf(const Field& field, const IsStored& is_stored) {
  if (!HoldsStored(field, is_stored)) return std::nullopt;
  // A map is only a map with all its parts.
  if (field.IsLeaf() || KindOfLogicalType(field.logical_type) == FieldKind::kMap) return field;
  Field one = field;
  one.children.clear();
  for (const Field& child : field.children) {
    auto leaf = WithOneLeaf(child, is_stored);
    if (!leaf) continue;
    one.children.push_back(*std::move(leaf));
    break;
  }
  return one;
}

/// Whether something of the field is stored, when it got what tells its structure.
bool AddStructure(const Field& whole, const IsStored& is_stored, Field* wanted) {
  if (wanted->IsLeaf()) return is_stored(wanted->id);
  bool stored = false;
  for (Field& child : wanted->children) {
    const Field* whole_child = FieldWithId(whole.children, child.id);
    stored |= whole_child == nullptr ? HoldsStored(child, is_stored)
                                     : AddStructure(*whole_child, is_stored, &child);
  }
  if (stored) return true;
  for (const Field& other : whole.children) {
    auto leaf = WithOneLeaf(other, is_stored);
    if (!leaf) continue;
    wanted->children.push_back(*std::move(leaf));
    return true;
  }
  return false;
}

void ListWithoutStructure(const std::vector<Field>& fields, const IsStored& is_stored,
                          std::vector<const Field*>* out) {
  for (const Field& field : fields) {
    if (field.IsLeaf()) continue;
    if (!HoldsStored(field, is_stored)) out->push_back(&field);
    ListWithoutStructure(field.children, is_stored, out);
  }
}

}  // namespace

bool HoldsStored(const Field& field, const IsStored& is_stored) {
  if (field.IsLeaf()) return is_stored(field.id);
  return std::any_of(field.children.begin(), field.children.end(),
                     [&](const Field& child) { return HoldsStored(child, is_stored); });
}

Schema WithStructure(const Schema& schema, const IsStored& is_stored, Schema wanted) {
  for (Field& field : wanted.fields) {
    if (const Field* whole = FieldWithId(schema.fields, field.id)) {
      AddStructure(*whole, is_stored, &field);
    }
  }
  return wanted;
}

std::vector<const Field*> FieldsWithoutStructure(const Schema& schema, const IsStored& is_stored) {
  std::vector<const Field*> out;
  ListWithoutStructure(schema.fields, is_stored, &out);
  return out;
}

}  // namespace lance
