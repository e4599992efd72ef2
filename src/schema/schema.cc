#include "schema/schema.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "arrow/type.h"
#include "schema/blob.h"
#include "schema/logical_type.h"

namespace lance {
namespace {

struct HiddenField {
  int32_t id;
  std::string_view name;
};
// Row lineage, stored as top-level columns under ids of their own.
constexpr std::array<HiddenField, 3> kHiddenFields = {
    {{-3, "_rowid"}, {-4, "_row_created_at_version"}, {-5, "_row_last_updated_at_version"}}};

bool IsHidden(const Field& field) {
  return std::any_of(kHiddenFields.begin(), kHiddenFields.end(),
                     [&field](const HiddenField& hidden) {
                       return hidden.id == field.id && hidden.name == field.name;
                     });
}

int32_t MaxId(const std::vector<Field>& fields) {
  int32_t largest = kUnassignedFieldId;
  for (const Field& field : fields) {
    largest = std::max({largest, field.id, MaxId(field.children)});
  }
  return largest;
}

const Field* FindId(const std::vector<Field>& fields, int32_t id) {
  for (const Field& field : fields) {
    if (field.id == id) return &field;
    if (const Field* found = FindId(field.children, id)) return found;
  }
  return nullptr;
}

void ListPreOrder(const std::vector<Field>& fields, std::vector<const Field*>* out) {
  for (const Field& field : fields) {
    out->push_back(&field);
    ListPreOrder(field.children, out);
  }
}

void ListLeaves(const std::vector<Field>& fields, std::vector<const Field*>* out) {
  for (const Field& field : fields) {
    if (field.IsLeaf()) {
      out->push_back(&field);
    } else {
      ListLeaves(field.children, out);
    }
  }
}

// What holds on the way from the top to a field.
struct Ancestry {
  std::string path;
  bool nullable = false;
  bool in_list = false;
};

Status CheckPrimaryKey(const Field& field, const Ancestry& above) {
  if (!field.unenforced_primary_key) return Status::OK();
  if (!field.children.empty()) {
    return UserError("primary key column must be a leaf; mark one of its members instead");
  }
  if (above.in_list) return UserError("primary key column must not be inside a list");
  if (field.nullable || above.nullable) {
    return UserError(
        "primary key column and all its ancestors must not be nullable; declare them non-null");
  }
  return Status::OK();
}

class Validator {
 public:
  Status Check(const Field& field, const Ancestry& above, bool top_level) {
    std::string path = above.path.empty() ? field.name : above.path + "." + field.name;
    Status status = CheckOne(field, above, top_level);
    if (!status.ok()) {
      ErrorPlace place;
      place.field = path;
      return WithPlace(status, place);
    }
    FieldKind kind = KindOfLogicalType(field.logical_type);
    Ancestry below = {std::move(path), above.nullable || field.nullable,
                      above.in_list || kind != FieldKind::kStruct};
    // The members of descriptors have no ids.
    if (IsBlobV2Descriptor(field)) return Status::OK();
    for (const Field& child : field.children) ARROW_RETURN_NOT_OK(Check(child, below, false));
    return Status::OK();
  }

 private:
  Status CheckOne(const Field& field, const Ancestry& above, bool top_level) {
    if (top_level && field.name.find('.') != std::string::npos) {
      return UserError("top level field ", field.name,
                       " cannot contain '.'; rename it or make it a struct");
    }
    if (top_level && !names_.insert(field.name).second) {
      return UserError("duplicate field name '", field.name, "'; rename one of the columns");
    }
    if (field.id < 0 && !(top_level && IsHidden(field))) {
      return UserError("invalid field id ", field.id, " of '", field.name,
                       "'; ids are 0 or larger");
    }
    if (!ids_.insert(field.id).second) {
      return UserError("duplicate field id ", field.id, "; remove or change the preset ids");
    }
    return CheckPrimaryKey(field, above);
  }

  std::unordered_set<std::string> names_;
  std::unordered_set<int32_t> ids_;
};

}  // namespace

Result<std::shared_ptr<arrow::Schema>> Schema::ToArrow() const {
  std::vector<std::shared_ptr<arrow::Field>> converted;
  converted.reserve(fields.size());
  for (const Field& field : fields) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Field> arrow_field, field.ToArrow());
    converted.push_back(std::move(arrow_field));
  }
  return arrow::schema(std::move(converted), metadata);
}

Result<std::shared_ptr<arrow::Schema>> Schema::ToOutput() const {
  std::vector<std::shared_ptr<arrow::Field>> converted;
  converted.reserve(fields.size());
  for (const Field& field : fields) {
    ARROW_ASSIGN_OR_RAISE(auto arrow_field, field.ToOutput(semantic_types));
    converted.push_back(std::move(arrow_field));
  }
  return arrow::schema(std::move(converted), metadata);
}

int32_t Schema::MaxFieldId() const { return MaxId(fields); }

const Field* Schema::FindById(int32_t id) const { return FindId(fields, id); }

const Field* Schema::FindByName(std::string_view name) const {
  for (const Field& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const Field* FieldWithId(const std::vector<Field>& fields, int32_t id) {
  auto found =
      std::find_if(fields.begin(), fields.end(), [id](const Field& one) { return one.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<const Field*> Schema::PreOrder() const {
  std::vector<const Field*> all;
  ListPreOrder(fields, &all);
  return all;
}

std::vector<const Field*> Schema::Leaves() const {
  std::vector<const Field*> leaves;
  ListLeaves(fields, &leaves);
  return leaves;
}

Status Schema::Validate() const {
  Validator validator;
  for (const Field& field : fields) {
    ARROW_RETURN_NOT_OK(validator.Check(field, {}, true));
    // Also checks the dimensions of fixed-size lists.
    ARROW_RETURN_NOT_OK(field.ArrowType().status());
  }
  return Status::OK();
}

}  // namespace lance
