// The verb schema.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "cli/value.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

struct FieldNode {
  std::shared_ptr<arrow::Field> field;
  std::optional<int32_t> id;
  std::vector<FieldNode> children;
};

// Lays the ids of the table, a list in pre-order, along the Arrow tree. Arrow children that are no
// fields of their own in the format (the item of an embedding) are not in the list.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::vector<std::pair<int32_t, std::string>> ids) : ids_(std::move(ids)) {}

  FieldNode Build(const std::shared_ptr<arrow::Field>& field) {
    FieldNode node{field, TakeId(), {}};
    const arrow::DataType* type = field->type().get();
    if (type->id() == arrow::Type::EXTENSION) {
      type = static_cast<const arrow::ExtensionType*>(type)->storage_type().get();
    }
    bool is_vector = type->id() == arrow::Type::FIXED_SIZE_LIST &&
                     type->field(0)->type()->id() != arrow::Type::STRUCT;
    if (is_vector) return node;
    for (const auto& child : type->fields()) {
      if (at_ < ids_.size() && IsName(ids_[at_].second, child->name())) {
        node.children.push_back(Build(child));
      }
    }
    return node;
  }

 private:
  static bool IsName(std::string_view listed, std::string_view name) {
    return listed == name || (listed.size() > name.size() && listed.ends_with(name) &&
                              listed[listed.size() - name.size() - 1] == '.');
  }
  std::optional<int32_t> TakeId() {
    if (at_ == ids_.size()) return std::nullopt;
    return ids_[at_++].first;
  }

  std::vector<std::pair<int32_t, std::string>> ids_;
  size_t at_ = 0;
};

Json MetadataToJson(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  Json out = Json::object();
  if (metadata == nullptr) return out;
  for (int64_t i = 0; i < metadata->size(); ++i) out[metadata->key(i)] = metadata->value(i);
  return out;
}

// What the fields of a table mean, by id; empty for tables without semantic types.
using Semantics = std::map<int32_t, SemanticField>;

Result<Semantics> SemanticsOf(const Dataset& dataset) {
  Semantics semantics;
  if (!dataset.has_semantic_types()) return semantics;
  ARROW_ASSIGN_OR_RAISE(auto fields, dataset.semantic_schema());
  for (SemanticField& field : fields) semantics.emplace(field.id, std::move(field));
  return semantics;
}

const SemanticField* Find(const Semantics& semantics, const FieldNode& node) {
  auto found = node.id ? semantics.find(*node.id) : semantics.end();
  return found == semantics.end() ? nullptr : &found->second;
}

Json TextOrNull(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

Json NodeToJson(const FieldNode& node, const Semantics& semantics) {
  Json children = Json::array();
  for (const FieldNode& child : node.children) children.push_back(NodeToJson(child, semantics));
  Json json = {{"id", node.id ? Json(*node.id) : Json(nullptr)},
               {"name", node.field->name()},
               {"type", node.field->type()->ToString()},
               {"nullable", node.field->nullable()},
               {"metadata", MetadataToJson(node.field->metadata())},
               {"children", children}};
  if (const SemanticField* field = Find(semantics, node)) {
    json["semantic_type"] = field->semantic_type;
    json["parameters"] = field->parameters;
    json["output_encoding"] = TextOrNull(field->output_encoding);
    json["extension"] = TextOrNull(field->extension);
  }
  return json;
}

std::string MetadataText(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  std::string text;
  if (metadata == nullptr) return text;
  for (int64_t i = 0; i < metadata->size(); ++i) {
    text += (i == 0 ? "" : ", ") + metadata->key(i) + "=" + metadata->value(i);
  }
  return text;
}

// What a line of the tree shows: children tell the rest.
std::string TypeText(const FieldNode& node) {
  const arrow::DataType& type = *node.field->type();
  return node.children.empty() ? type.ToString() : type.name();
}

void AddNode(const FieldNode& node, const Semantics& semantics, int depth, TextTable* table) {
  std::vector<std::string> row = {node.id ? std::to_string(*node.id) : "",
                                  std::string(2 * depth, ' ') + Printable(node.field->name()),
                                  Printable(TypeText(node)),
                                  node.field->nullable() ? "" : "not null"};
  if (!semantics.empty()) {
    const SemanticField* field = Find(semantics, node);
    row.push_back(field == nullptr ? "" : Printable(field->semantic_type));
    row.push_back(field == nullptr ? "" : Printable(field->output_encoding.value_or("")));
  }
  row.push_back(Printable(MetadataText(node.field->metadata())));
  table->AddRow(std::move(row));
  for (const FieldNode& child : node.children) AddNode(child, semantics, depth + 1, table);
}

std::vector<TextTable::Column> ColumnsOf(const Semantics& semantics) {
  std::vector<TextTable::Column> columns = {{"id", true}, {"name"}, {"type"}, {"nulls"}};
  if (!semantics.empty()) {
    columns.push_back({"semantic type"});
    columns.push_back({"output encoding"});
  }
  columns.push_back({"metadata"});
  return columns;
}

}  // namespace

Status RunSchema(const TableArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments));
  ARROW_ASSIGN_OR_RAISE(Semantics semantics, SemanticsOf(*dataset));
  TreeBuilder builder(dataset->field_ids());
  std::vector<FieldNode> nodes;
  for (const auto& field : dataset->schema()->fields()) nodes.push_back(builder.Build(field));
  if (arguments.json) {
    Json fields = Json::array();
    for (const FieldNode& node : nodes) fields.push_back(NodeToJson(node, semantics));
    Json document = {{"version", dataset->version()},
                     {"fields", fields},
                     {"metadata", MetadataToJson(dataset->schema()->metadata())}};
    if (dataset->has_semantic_types()) document["semantic_types"] = true;
    Print(ToDocument(document));
    return Status::OK();
  }
  TextTable table(ColumnsOf(semantics));
  for (const FieldNode& node : nodes) AddNode(node, semantics, 0, &table);
  Print(table.Render(TerminalWidth()));
  return Status::OK();
}

}  // namespace lance::cli
