#include "dataset/merge_key.h"

#include <algorithm>
#include <tuple>

#include "arrow/util/string.h"

namespace lance {
namespace {

Result<const Field*> FindKey(const Schema& schema, const std::string& name) {
  if (const Field* field = schema.FindByName(name)) return field;
  std::vector<std::string> names;
  for (const Field& field : schema.fields) {
    if (arrow::internal::AsciiEqualsCaseInsensitive(field.name, name)) return &field;
    names.push_back(field.name);
  }
  auto nearest = NearestName(name, names);
  return UserError("Merge insert key column '", name, "' does not exist in schema",
                   nearest ? "; did you mean '" + *nearest + "'?" : "");
}

}  // namespace

std::vector<const Field*> PrimaryKeyOf(const Schema& schema) {
  std::vector<const Field*> key;
  for (const Field* field : schema.PreOrder()) {
    if (field->unenforced_primary_key || field->unenforced_primary_key_position > 0) {
      key.push_back(field);
    }
  }
  // Those with a position come first.
  auto order = [](const Field* field) {
    uint32_t position = field->unenforced_primary_key_position;
    return std::tuple(position == 0, position, field->id);
  };
  std::sort(key.begin(), key.end(),
            [&](const Field* a, const Field* b) { return order(a) < order(b); });
  return key;
}

Result<std::vector<const Field*>> MergeKeyOf(const Schema& schema,
                                             const std::vector<std::string>& on) {
  std::vector<const Field*> key;
  for (const std::string& name : on) {
    ARROW_ASSIGN_OR_RAISE(const Field* field, FindKey(schema, name));
    if (std::find(key.begin(), key.end(), field) == key.end()) key.push_back(field);
  }
  if (on.empty()) key = PrimaryKeyOf(schema);
  if (key.empty()) {
    return UserError(
        "A merge insert operation requires join keys: specify `on` columns explicitly or configure "
        "a primary key in the dataset schema");
  }
  for (const Field* field : key) {
    if (schema.FindByName(field->name) != field) {
      return Unsupported("a key that is a member of a struct: '", field->name, "'");
    }
  }
  return key;
}

}  // namespace lance
