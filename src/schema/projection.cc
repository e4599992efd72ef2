#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "arrow/type.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/schema.h"

namespace lance {
namespace {

constexpr size_t kNamesInErrors = 10;

// What is wanted of a field: all of it, or some of its children, in the order asked for.
struct Selection {
  size_t index = 0;
  bool whole = false;
  std::vector<Selection> children{};
};

Selection* FindOrAdd(std::vector<Selection>* selections, size_t index) {
  auto found = std::find_if(selections->begin(), selections->end(),
                            [index](const Selection& one) { return one.index == index; });
  if (found == selections->end()) {
    selections->push_back({.index = index});
    return &selections->back();
  }
  return &*found;
}

void SortByIndex(std::vector<Selection>* selections) {
  std::sort(selections->begin(), selections->end(),
            [](const Selection& a, const Selection& b) { return a.index < b.index; });
  for (Selection& one : *selections) SortByIndex(&one.children);
}

// Splits `a.b` and `a.`x.y``; a back-tick inside back-ticks is doubled.
Result<std::vector<std::string>> SplitPath(const std::string& path) {
  auto invalid = [&path](std::string_view why) {
    return UserError("invalid column path '", path, "': ", why);
  };
  std::vector<std::string> parts;
  size_t i = 0;
  while (true) {
    std::string part;
    if (i < path.size() && path[i] == '`') {
      for (++i;; ++i) {
        if (i == path.size()) return invalid("a back-tick is not closed");
        if (path[i] == '`' && (++i == path.size() || path[i] != '`')) break;
        part += path[i];
      }
      if (i < path.size() && path[i] != '.') return invalid("text follows a closing back-tick");
    } else {
      for (; i < path.size() && path[i] != '.'; ++i) part += path[i];
    }
    if (part.empty()) return invalid("a name is empty");
    parts.push_back(std::move(part));
    if (i == path.size()) return parts;
    ++i;
  }
}

Status NotFoundAmong(const std::string& column, const std::string& prefix, std::string_view name,
                     const std::vector<Field>& fields) {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const Field& field : fields) names.push_back(field.name);
  if (std::optional<std::string> nearest = NearestName(name, names)) {
    return UserError("column '", column, "' not found; did you mean '", prefix, *nearest, "'?");
  }
  std::string known;
  for (size_t i = 0; i < std::min(names.size(), kNamesInErrors); ++i) {
    known += (i == 0 ? "'" : ", '") + prefix + names[i] + "'";
  }
  if (names.size() > kNamesInErrors) {
    known += " and " + std::to_string(names.size() - kNamesInErrors) + " more";
  }
  if (names.empty())
    return UserError("column '", column, "' not found; its parent has no children");
  return UserError("column '", column, "' not found; there is ", known);
}

// Index of the field with this name, or fields.size().
size_t IndexOf(const std::vector<Field>& fields, std::string_view name) {
  auto found = std::find_if(fields.begin(), fields.end(),
                            [name](const Field& field) { return field.name == name; });
  return static_cast<size_t>(found - fields.begin());
}

bool IsBlob(const Field& field) {
  return IsBlobV2(field) || IsBlobV1Descriptor(field) || IsBlobV2Descriptor(field);
}

class Projector {
 public:
  explicit Projector(const Schema& schema) : schema_(schema) {}

  Status Add(const std::string& column) {
    // A name that has dots itself is found as it is.
    size_t index = IndexOf(schema_.fields, column);
    std::vector<std::string> parts = {column};
    if (index == schema_.fields.size()) {
      ARROW_ASSIGN_OR_RAISE(parts, SplitPath(column));
      index = IndexOf(schema_.fields, parts.front());
      if (index == schema_.fields.size()) {
        return NotFoundAmong(column, "", parts.front(), schema_.fields);
      }
    }
    return Descend(column, schema_.fields[index], parts, FindOrAdd(&selections_, index));
  }

  Schema Finish(MemberOrder order) {
    Schema projected;
    projected.metadata = schema_.metadata;
    projected.semantic_types = schema_.semantic_types;
    projected.fields.reserve(selections_.size());
    for (Selection& selection : selections_) {
      if (order == MemberOrder::kSchema) SortByIndex(&selection.children);
      projected.fields.push_back(Prune(schema_.fields[selection.index], selection));
    }
    return projected;
  }

 private:
  Status Descend(const std::string& column, const Field& top, const std::vector<std::string>& parts,
                 Selection* selection) {
    const Field* field = &top;
    std::string prefix;
    for (size_t i = 1; i < parts.size(); ++i) {
      if (IsBlob(*field)) {
        return UserError("column '", column, "' is a part of the blob '", prefix + field->name,
                         "'; select that as a whole");
      }
      prefix += field->name + ".";
      size_t index = IndexOf(field->children, parts[i]);
      if (index == field->children.size()) {
        return NotFoundAmong(column, prefix, parts[i], field->children);
      }
      // A map is only a map with all its parts.
      if (KindOfLogicalType(field->logical_type) == FieldKind::kMap) break;
      field = &field->children[index];
      selection = FindOrAdd(&selection->children, index);
    }
    if (!selected_.insert(field).second) {
      return UserError("column '", column, "' is selected twice; name each column once");
    }
    selection->whole = true;
    return Status::OK();
  }

  static Field Prune(const Field& field, const Selection& selection) {
    if (selection.whole) return field;
    Field pruned = field;
    pruned.children.clear();
    for (const Selection& child : selection.children) {
      pruned.children.push_back(Prune(field.children[child.index], child));
    }
    return pruned;
  }

  const Schema& schema_;
  std::vector<Selection> selections_;
  std::set<const Field*> selected_;
};

using IdSet = std::unordered_set<int32_t>;

bool HoldsAny(const Field& field, const IdSet& ids) {
  return ids.contains(field.id) ||
         std::any_of(field.children.begin(), field.children.end(),
                     [&ids](const Field& child) { return HoldsAny(child, ids); });
}

std::optional<Field> PruneByIds(const Field& field, const IdSet& ids) {
  if (field.IsLeaf()) return HoldsAny(field, ids) ? std::optional<Field>(field) : std::nullopt;
  Field pruned = field;
  pruned.children.clear();
  for (const Field& child : field.children) {
    if (std::optional<Field> kept = PruneByIds(child, ids)) {
      pruned.children.push_back(*std::move(kept));
    }
  }
  // A parent alone has no values.
  if (pruned.children.empty()) return std::nullopt;
  if (KindOfLogicalType(field.logical_type) == FieldKind::kMap) return field;
  return pruned;
}

}  // namespace

const Field* Schema::FindByPath(const std::string& path) const {
  if (const Field* field = FindByName(path)) return field;
  auto parts = SplitPath(path);
  if (!parts.ok()) return nullptr;
  const std::vector<Field>* level = &fields;
  const Field* found = nullptr;
  for (const std::string& part : *parts) {
    size_t index = IndexOf(*level, part);
    if (index == level->size()) return nullptr;
    found = &(*level)[index];
    level = &found->children;
  }
  return found;
}

Result<Schema> Schema::Project(const std::vector<std::string>& columns, MemberOrder order) const {
  Projector projector(*this);
  for (const std::string& column : columns) ARROW_RETURN_NOT_OK(projector.Add(column));
  return projector.Finish(order);
}

Schema Schema::ProjectByIds(const std::vector<int32_t>& ids) const {
  IdSet wanted(ids.begin(), ids.end());
  Schema projected;
  projected.metadata = metadata;
  projected.semantic_types = semantic_types;
  for (const Field& field : fields) {
    if (std::optional<Field> kept = PruneByIds(field, wanted)) {
      projected.fields.push_back(*std::move(kept));
    }
  }
  return projected;
}

std::string InBackTicks(std::string_view name) {
  std::string quoted = "`";
  for (char c : name) quoted += c == '`' ? std::string("``") : std::string(1, c);
  return quoted + "`";
}

}  // namespace lance
