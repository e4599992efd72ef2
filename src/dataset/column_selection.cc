#include "dataset/column_selection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <set>

#include "arrow/api.h"
#include "dataset/blob_columns.h"

namespace lance {
namespace {

struct NamedVirtual {
  VirtualColumn column;
  std::string_view name;
};
constexpr std::array<NamedVirtual, 5> kVirtualColumns = {{
    {VirtualColumn::kRowId, "_rowid"},
    {VirtualColumn::kRowAddress, "_rowaddr"},
    {VirtualColumn::kCreatedAtVersion, "_row_created_at_version"},
    {VirtualColumn::kLastUpdatedAtVersion, "_row_last_updated_at_version"},
    {VirtualColumn::kRowOffset, "_rowoffset"},
}};
constexpr std::string_view kAllColumns = "*";
constexpr std::string_view kStruct = "struct";

/// Parts of a path: separated by dots; back-ticks quote a part that holds dots.
std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (char c : path) {
    if (c == '`') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

int FindField(const std::vector<Field>& fields, std::string_view name) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// The column that holds what `name` names in `data`, which was projected with it.
Result<int> FindColumn(const Schema& data, const std::string& name) {
  int index = FindField(data.fields, name);
  if (index < 0) index = FindField(data.fields, SplitPath(name)[0]);
  if (index < 0) return UserError("column '", name, "' does not exist");
  return index;
}

/// The way to the field that `name` names there.
Result<std::vector<int>> FindPath(const Schema& data, const std::string& name) {
  if (int index = FindField(data.fields, name); index >= 0) return std::vector<int>{index};
  std::vector<int> path;
  const std::vector<Field>* level = &data.fields;
  const Field* parent = nullptr;
  for (const std::string& part : SplitPath(name)) {
    if (parent != nullptr && parent->logical_type != kStruct) {
      return UserError("column '", name, "' is inside of '", parent->name, "', which is a ",
                       parent->logical_type, ": select '", parent->name, "' as a whole");
    }
    int index = FindField(*level, part);
    if (index < 0) return UserError("column '", name, "' does not exist");
    path.push_back(index);
    parent = &(*level)[static_cast<size_t>(index)];
    level = &parent->children;
  }
  return path;
}

const Field* FieldAt(const Schema& data, const std::vector<int>& path) {
  const Field* field = &data.fields[static_cast<size_t>(path[0])];
  for (size_t i = 1; i < path.size(); ++i) field = &field->children[static_cast<size_t>(path[i])];
  return field;
}

Result<std::shared_ptr<arrow::Field>> FlatField(const Schema& data, const std::vector<int>& path,
                                                const std::string& name) {
  const Field* field = &data.fields[static_cast<size_t>(path[0])];
  bool nullable = field->nullable;
  for (size_t i = 1; i < path.size(); ++i) {
    field = &field->children[static_cast<size_t>(path[i])];
    nullable = nullable || field->nullable;
  }
  ARROW_ASSIGN_OR_RAISE(auto arrow_field, field->ToArrow());
  if (path.size() == 1) return arrow_field;
  return arrow_field->WithName(name)->WithNullable(nullable);
}

/// `*` stands for all columns of the table, unless one has that name.
ColumnRequest WithAllNamed(const Schema& schema, ColumnRequest request) {
  if (!request.columns || FindField(schema.fields, kAllColumns) >= 0) return request;
  std::vector<std::string> names;
  for (std::string& name : *request.columns) {
    if (name != kAllColumns) {
      names.push_back(std::move(name));
      continue;
    }
    for (const Field& field : schema.fields) names.push_back(field.name);
  }
  request.columns = std::move(names);
  return request;
}

class Selector {
 public:
  Selector(const Schema& schema, const ColumnRequest& request)
      : schema_(schema), request_(WithAllNamed(schema, request)) {}

  Result<std::shared_ptr<const ColumnSelection>> Run() {
    static std::atomic<uint64_t> next_id{1};
    selection_ = std::make_shared<ColumnSelection>();
    selection_->id = next_id++;
    selection_->deleted_are_null = request_.deleted_are_null;
    ARROW_RETURN_NOT_OK(ReadWhat());
    ARROW_RETURN_NOT_OK(ShowBlobs());
    ARROW_RETURN_NOT_OK(AddOutputs());
    if (request_.with_row_id) ARROW_RETURN_NOT_OK(AddVirtualOnce(VirtualColumn::kRowId));
    if (request_.with_row_address) {
      ARROW_RETURN_NOT_OK(AddVirtualOnce(VirtualColumn::kRowAddress));
    }
    selection_->output_schema =
        arrow::schema(std::move(fields_), selection_->data_schema->metadata());
    selection_->outputs_are_data = AreData();
    ARROW_ASSIGN_OR_RAISE(selection_->finisher,
                          BatchFinisher::Make(selection_->output_schema, selection_->output_fields,
                                              schema_.semantic_types));
    return selection_;
  }

 private:
  Status ShowBlobs() {
    const BlobHandling handling = request_.blob_handling;
    const bool described = handling == BlobHandling::kDescriptions;
    Schema stored = std::move(selection_->data);
    selection_->data = WithBlobDescriptors(stored, /*v1=*/described);
    ARROW_ASSIGN_OR_RAISE(selection_->data_schema, selection_->data.ToArrow());
    selection_->blob_handling = handling;
    if (described) {
      shown_ = selection_->data;
      return Status::OK();
    }
    shown_ = handling == BlobHandling::kBytes ? WithBlobBytes(stored) : WithBlobValues(stored);
    ARROW_ASSIGN_OR_RAISE(auto with_blobs, shown_.ToArrow());
    if (!with_blobs->Equals(*selection_->data_schema)) {
      selection_->data_with_blobs = std::move(with_blobs);
    }
    return Status::OK();
  }

  Status ReadWhat() {
    if (!request_.columns) {
      selection_->data = schema_;
      return Status::OK();
    }
    std::vector<std::string> stored;
    std::set<std::string> seen;
    for (const std::string& name : *request_.columns) {
      if (!seen.insert(name).second) return UserError("column '", name, "' is named twice");
      if (!VirtualColumnFromName(name)) stored.push_back(name);
    }
    if (stored.empty()) {
      selection_->data.metadata = schema_.metadata;
      return Status::OK();
    }
    return schema_.Project(stored).Value(&selection_->data);
  }

  Status AddOutputs() {
    if (!request_.columns) {
      for (size_t i = 0; i < selection_->data.fields.size(); ++i) {
        ARROW_RETURN_NOT_OK(AddData({static_cast<int>(i)}, ""));
      }
      return Status::OK();
    }
    std::set<int> whole;  // kNested: top-level fields that are there already
    for (const std::string& name : *request_.columns) {
      if (auto column = VirtualColumnFromName(name)) {
        ARROW_RETURN_NOT_OK(AddVirtualOnce(*column));
        continue;
      }
      if (request_.path_style == PathStyle::kNested) {
        ARROW_ASSIGN_OR_RAISE(int column, FindColumn(shown_, name));
        if (whole.insert(column).second) ARROW_RETURN_NOT_OK(AddData({column}, name));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto path, FindPath(shown_, name));
      ARROW_RETURN_NOT_OK(AddData(std::move(path), name));
    }
    return Status::OK();
  }

  Status AddData(std::vector<int> path, const std::string& name) {
    ARROW_ASSIGN_OR_RAISE(auto field, FlatField(shown_, path, name));
    fields_.push_back(std::move(field));
    selection_->output_fields.emplace_back(*FieldAt(shown_, path));
    selection_->outputs.push_back({std::nullopt, std::move(path)});
    return Status::OK();
  }

  Status AddVirtualOnce(VirtualColumn column) {
    if (selection_->Needs(column)) return Status::OK();
    fields_.push_back(arrow::field(std::string(VirtualColumnName(column)), arrow::uint64()));
    selection_->output_fields.emplace_back();
    selection_->outputs.push_back({column, {}});
    return Status::OK();
  }

  bool AreData() const {
    if (selection_->data_with_blobs != nullptr) return false;
    const auto& outputs = selection_->outputs;
    if (outputs.size() != selection_->data.fields.size()) return false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].virtual_column || outputs[i].path != std::vector<int>{static_cast<int>(i)}) {
        return false;
      }
    }
    return true;
  }

  const Schema& schema_;
  const ColumnRequest request_;
  std::shared_ptr<ColumnSelection> selection_;
  Schema shown_;  // what outputs are made of
  std::vector<std::shared_ptr<arrow::Field>> fields_;
};

}  // namespace

std::string_view VirtualColumnName(VirtualColumn column) {
  for (const auto& named : kVirtualColumns) {
    if (named.column == column) return named.name;
  }
  return "";
}

std::optional<VirtualColumn> VirtualColumnFromName(std::string_view name) {
  for (const auto& named : kVirtualColumns) {
    if (named.name == name) return named.column;
  }
  return std::nullopt;
}

bool IsReservedColumnName(std::string_view name) { return VirtualColumnFromName(name).has_value(); }

bool ColumnSelection::Needs(VirtualColumn column) const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const OutputColumn& output) { return output.virtual_column == column; });
}

Result<std::shared_ptr<const ColumnSelection>> SelectColumns(const Schema& schema,
                                                             const ColumnRequest& request) {
  if (request.output_encodings.empty()) return Selector(schema, request).Run();
  ARROW_ASSIGN_OR_RAISE(Schema shown, WithOutputEncodings(schema, request.output_encodings));
  return Selector(shown, request).Run();
}

}  // namespace lance
