#include <algorithm>
#include <unordered_map>
#include <utility>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "file.pb.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "schema/nesting.h"
#include "schema/schema.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

using WireField = lance::file::Field;
using WireFields = google::protobuf::RepeatedPtrField<WireField>;

constexpr int32_t kNoParent = -1;
// Members of the descriptor that stands for a blob column in a data file's own schema.
constexpr size_t kBlobDescriptorMembers = 5;

constexpr size_t kRoot = SIZE_MAX;

// A field while the tree is being built.
struct Node {
  Field field;
  std::vector<size_t> children;
  size_t parent = kRoot;
  int32_t depth = 0;
};

std::shared_ptr<const arrow::KeyValueMetadata> ReadMetadata(const WireField& wire) {
  std::vector<std::pair<std::string, std::string>> entries(wire.metadata().begin(),
                                                           wire.metadata().end());
  if (!wire.extension_name().empty()) {
    std::erase_if(entries, [](const auto& entry) { return entry.first == kExtensionNameKey; });
    entries.emplace_back(kExtensionNameKey, wire.extension_name());
  }
  if (wire.logical_type() == "blob") entries.emplace_back(kBlobKey, "true");
  if (entries.empty()) return nullptr;
  // The map of the wire has no order; make the same schema from the same bytes every time.
  std::sort(entries.begin(), entries.end());
  auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  for (auto& [key, value] : entries) metadata->Append(std::move(key), std::move(value));
  return metadata;
}

Field ReadField(const WireField& wire) {
  Field field;
  field.id = wire.id();
  field.name = wire.name();
  field.logical_type = wire.logical_type() == "blob" ? "large_binary" : wire.logical_type();
  field.nullable = wire.nullable();
  field.metadata = ReadMetadata(wire);
  field.unenforced_primary_key = wire.unenforced_primary_key();
  field.unenforced_primary_key_position = wire.unenforced_primary_key_position();
  field.unenforced_clustering_key_position = wire.unenforced_clustering_key_position();
  return field;
}

// In a data file's own schema a blob column is a packed struct whose members have neither an id
// nor a parent.
bool IsBlobDescriptor(const Field& field) {
  return field.IsPackedStruct() && FindMetadata(field.metadata.get(), kBlobKey).has_value();
}

// The tree as indexes of children, in the order of the list.
class TreeBuilder {
 public:
  Status Add(const WireField& wire) {
    size_t index = nodes_.size();
    ARROW_ASSIGN_OR_RAISE(size_t parent, FindParent(wire));
    nodes_.push_back({ReadField(wire), {}, parent, parent == kRoot ? 1 : nodes_[parent].depth + 1});
    if (nodes_.back().depth > kMaxFieldLevels) {
      return Corrupt("schema is nested too deeply: field '", PathOf(index), "' (id ", wire.id(),
                     ") has more than ", kMaxFieldLevels, " levels");
    }
    // Old tables may hold an id twice: children belong to the first.
    if (wire.id() != kUnassignedFieldId) by_id_.try_emplace(wire.id(), index);
    (parent == kRoot ? roots_ : nodes_[parent].children).push_back(index);
    bool starts_descriptor =
        parent == kRoot && wire.id() != kUnassignedFieldId && IsBlobDescriptor(nodes_.back().field);
    if (starts_descriptor) descriptor_ = index;
    return Status::OK();
  }

  std::vector<Field> Finish() {
    std::vector<Field> fields;
    fields.reserve(roots_.size());
    for (size_t root : roots_) fields.push_back(Assemble(root));
    return fields;
  }

 private:
  Result<size_t> FindParent(const WireField& wire) {
    if (wire.parent_id() == kNoParent) {
      bool in_descriptor = wire.id() == kUnassignedFieldId && descriptor_ != kRoot &&
                           nodes_[descriptor_].children.size() < kBlobDescriptorMembers;
      if (in_descriptor) return descriptor_;
      descriptor_ = kRoot;
      return kRoot;
    }
    auto found = by_id_.find(wire.parent_id());
    if (found != by_id_.end()) return found->second;
    return Corrupt("schema is out of order: field '", wire.name(), "' (id ", wire.id(),
                   ") references parent id ", wire.parent_id(), ", which must appear earlier");
  }

  std::string PathOf(size_t index) const {
    const Node& node = nodes_[index];
    return node.parent == kRoot ? node.field.name : PathOf(node.parent) + "." + node.field.name;
  }

  Field Assemble(size_t index) {
    Field field = std::move(nodes_[index].field);
    field.children.reserve(nodes_[index].children.size());
    for (size_t child : nodes_[index].children) field.children.push_back(Assemble(child));
    return field;
  }

  std::vector<Node> nodes_;
  std::vector<size_t> roots_;
  std::unordered_map<int32_t, size_t> by_id_;
  // The blob descriptor whose members may follow.
  size_t descriptor_ = kRoot;
};

lance::file::Encoding EncodingOf(std::string_view logical_type) {
  // Readers of 2.x ignore it; written because the reference writes it.
  if (logical_type == "struct" || logical_type == "null") return lance::file::NONE;
  for (std::string_view variable :
       {"string", "large_string", "binary", "large_binary", "json", "blob"}) {
    if (logical_type == variable) return lance::file::VAR_BINARY;
  }
  if (logical_type.starts_with("dict:")) return lance::file::DICTIONARY;
  return lance::file::PLAIN;
}

void WriteField(const Field& field, int32_t parent_id, bool semantic_types, WireFields* fields) {
  const std::string logical_type = semantic_types ? CanonicalName(field) : field.logical_type;
  WireField* wire = fields->Add();
  wire->set_name(field.name);
  wire->set_id(field.id);
  // Members of a blob descriptor have neither id nor parent.
  wire->set_parent_id(field.id == kUnassignedFieldId ? kNoParent : parent_id);
  wire->set_logical_type(logical_type);
  wire->set_nullable(field.nullable);
  wire->set_encoding(EncodingOf(logical_type));
  if (auto name = FindMetadata(field.metadata.get(), kExtensionNameKey)) {
    wire->set_extension_name(std::string(*name));
  }
  for (int64_t i = 0; field.metadata != nullptr && i < field.metadata->size(); ++i) {
    (*wire->mutable_metadata())[field.metadata->key(i)] = field.metadata->value(i);
  }
  wire->set_unenforced_primary_key(field.unenforced_primary_key);
  wire->set_unenforced_primary_key_position(field.unenforced_primary_key_position);
  wire->set_unenforced_clustering_key_position(field.unenforced_clustering_key_position);
  // What is below a blob is named by the blob specification.
  semantic_types = semantic_types && !IsBlobV2(field);
  for (const Field& child : field.children) WriteField(child, field.id, semantic_types, fields);
}

}  // namespace

Result<Schema> Schema::FromProto(const WireFields& fields, bool semantic_types) {
  TreeBuilder builder;
  for (const WireField& field : fields) ARROW_RETURN_NOT_OK(builder.Add(field));
  Schema schema;
  schema.fields = builder.Finish();
  if (semantic_types) ARROW_RETURN_NOT_OK(ResolveSemanticTypes(&schema));
  // Every type must be known and fit its children: later code relies on it.
  for (const Field& field : schema.fields) ARROW_RETURN_NOT_OK(field.ArrowType().status());
  return schema;
}

void Schema::ToProto(WireFields* wire_fields) const {
  for (const Field& field : fields) WriteField(field, kNoParent, semantic_types, wire_fields);
}

}  // namespace lance
