#include "file/column_paths.h"

#include <utility>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/blob.h"
#include "schema/metadata.h"

namespace lance {
namespace {

bool IsPacked(const arrow::Field& field) { return AsksForPackedStruct(field.metadata().get()); }

// Blobs have one level of structure in their pages, and the reference keeps them as large binary.
Status CheckBlob(const Field& field, const encoding::LeafPath& path, uint32_t minor_version) {
  if (minor_version >= encoding::kMinorVersion2_3) {
    return Unsupported("file version 2.", minor_version, " has no blobs marked by ", kBlobKey,
                       ": field '", path.name(), "'; use the extension type ", kBlobV2Name);
  }
  for (const encoding::PathStep& step : path.steps) {
    if (step.kind == encoding::StepKind::kStruct || step.kind == encoding::StepKind::kLeaf)
      continue;
    return Unsupported("blobs inside of lists can't be stored: field '", path.name(), "'");
  }
  if (field.logical_type == "large_binary") return Status::OK();
  return UserError("blob column is not of type large_binary: field '", path.name(), "' is ",
                   field.logical_type, "; cast it before writing");
}

Status CheckWritable(const Field& field, const std::string& parent) {
  const std::string path = parent.empty() ? field.name : parent + "." + field.name;
  if (IsBlobV2(field)) {
    return Unsupported("blobs of ", kBlobV2Name, " are written through a table: field '", path,
                       "'; write the column as large_binary with the metadata ", kBlobKey);
  }
  for (const Field& child : field.children) ARROW_RETURN_NOT_OK(CheckWritable(child, path));
  return Status::OK();
}

void ListInTree(const std::vector<Field>& fields, std::vector<const Field*>* out) {
  for (const Field& field : fields) {
    out->push_back(&field);
    if (!field.IsLeaf()) ListInTree(field.children, out);
  }
}

}  // namespace

std::vector<const Field*> FieldsWithColumns(const Schema& schema, uint32_t minor_version) {
  if (minor_version != encoding::kMinorVersion2_0) return schema.Leaves();
  std::vector<const Field*> out;
  ListInTree(schema.fields, &out);
  return out;
}

Result<ColumnPaths> FindColumnPaths(const Schema& schema, uint32_t minor_version) {
  ARROW_RETURN_NOT_OK(CheckBlobMarks(schema));
  ColumnPaths paths;
  const std::vector<const Field*> column_fields = FieldsWithColumns(schema, minor_version);
  for (const Field& field : schema.fields) {
    ARROW_RETURN_NOT_OK(CheckWritable(field, ""));
    TopLevelField top;
    top.name = field.name;
    ARROW_ASSIGN_OR_RAISE(top.type, field.ArrowType());
    top.first_column = paths.columns.size();
    ARROW_ASSIGN_OR_RAISE(
        auto leaves,
        encoding::LeafPathsOf(*arrow::field(field.name, top.type, field.nullable, field.metadata),
                              minor_version, IsPacked));
    top.num_columns = leaves.size();
    for (encoding::LeafPath& leaf : leaves) {
      const Field& leaf_field = *column_fields[paths.columns.size()];
      auto hints = encoding::ParseEncodingHints(schema.metadata.get(), field.metadata.get(),
                                                leaf_field.metadata.get(), minor_version);
      if (!hints.ok()) return WithPlace(hints.status(), {.field = leaf.name()});
      leaf.hints = *std::move(hints);
      if (IsBlobV1(leaf_field)) {
        ARROW_RETURN_NOT_OK(CheckBlob(leaf_field, leaf, minor_version));
        leaf = encoding::BlobPathOf(std::move(leaf));
      }
      paths.columns.push_back(std::move(leaf));
    }
    paths.fields.push_back(std::move(top));
  }
  return paths;
}

Result<int> FindColumn(const arrow::Schema& schema, const std::string& name) {
  const std::vector<int> found = schema.GetAllFieldIndices(name);
  if (found.size() == 1) return found[0];
  if (found.size() > 1) {
    return UserError("batch has the column '", name, "' ", found.size(),
                     " times; rename or drop the others");
  }
  const std::optional<std::string> nearest = NearestName(name, schema.field_names());
  return UserError("batch is missing the column '", name, "'",
                   nearest ? "; it has a column '" + *nearest + "'" : std::string(),
                   "; add the column or write with a schema without it");
}

uint32_t MinorVersion(FileVersion version) { return static_cast<uint32_t>(version) % 100; }

}  // namespace lance
