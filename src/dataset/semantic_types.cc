#include "dataset/semantic_types.h"

#include <utility>

#include "dataset/commit_operation.h"
#include "dataset/config_changes.h"
#include "schema/blob.h"
#include "schema/metadata.h"
#include "schema/semantic_schema.h"
#include "table/feature_flags.h"

namespace lance {
namespace {

std::optional<std::string> ExtensionOf(const Field& field) {
  for (std::string_view key : {kExtensionNameKey, kLanceExtensionNameKey}) {
    if (auto name = FindMetadata(field.metadata.get(), key)) return std::string(*name);
  }
  return std::nullopt;
}

Status Describe(const Field& field, const std::string& prefix, std::vector<SemanticField>* out) {
  ARROW_ASSIGN_OR_RAISE(SemanticType type, SemanticTypeOf(field));
  const bool is_blob = type.kind == SemanticKind::kBlob;
  SemanticField& described = out->emplace_back();
  described.id = field.id;
  described.path = prefix.empty() ? field.name : prefix + "." + field.name;
  described.semantic_type = is_blob ? "blob" : type.name;
  described.parameters = type.ParameterText();
  described.nullable = field.nullable;
  if (type.kind != SemanticKind::kJson) described.extension = ExtensionOf(field);
  if (auto encoding = OutputEncodingOf(field)) {
    described.is_default_encoding = encoding->name == DefaultOutputEncoding(type).name;
    described.output_encoding = std::move(encoding->name);
    if (auto recorded = FindMetadata(field.metadata.get(), kOutputEncodingKey)) {
      described.recorded_encoding = std::string(*recorded);
    }
  }
  if (is_blob) return Status::OK();
  const std::string path = described.path;  // what follows may move it
  for (const Field& child : field.children) ARROW_RETURN_NOT_OK(Describe(child, path, out));
  return Status::OK();
}

}  // namespace

Result<std::vector<SemanticField>> DescribeSemantics(const Schema& schema) {
  std::vector<SemanticField> described;
  if (!schema.semantic_types) {
    ARROW_ASSIGN_OR_RAISE(Schema upgraded, WithSemanticTypes(schema));
    return DescribeSemantics(upgraded);
  }
  for (const Field& field : schema.fields) ARROW_RETURN_NOT_OK(Describe(field, "", &described));
  return described;
}

Result<std::shared_ptr<const Snapshot>> UpgradeSemanticTypes(
    const std::shared_ptr<const Snapshot>& snapshot) {
  const Manifest& manifest = snapshot->manifest();
  if (manifest.HasCanonicalNames()) return snapshot;
  ARROW_RETURN_NOT_OK(CheckWritable(manifest));
  Schema schema = manifest.schema;
  if (!schema.semantic_types) {
    ARROW_ASSIGN_OR_RAISE(schema, WithSemanticTypes(schema));
  }
  Transaction transaction = BeginTransaction(*snapshot);
  auto* project = transaction.mutable_project();
  schema.ToProto(project->mutable_schema());
  project->set_preserves_nullability(true);
  CommitOptions options;
  options.apply.semantic_types = true;
  NewFiles none(snapshot->MakeContext());
  return CommitOperation(*snapshot, std::move(transaction), &none, options);
}

Result<std::shared_ptr<const Snapshot>> SetOutputEncoding(
    const Snapshot& snapshot, const std::string& path, const std::optional<std::string>& encoding) {
  if (!snapshot.manifest().has_semantic_types()) {
    return UserError(
        "output encodings are for tables with semantic types; upgrade the table first");
  }
  MetadataChanges changes;
  changes.fields[path].entries[std::string(kOutputEncodingKey)] = encoding;
  return ChangeMetadata(snapshot, changes);
}

}  // namespace lance
