#include "dataset/alter_columns.h"

#include <cstdint>
#include <set>

#include "arrow/api.h"
#include "arrow/util/key_value_metadata.h"
#include "dataset/add_columns.h"
#include "dataset/cast_columns.h"
#include "dataset/commit_operation.h"
#include "dataset/new_columns.h"
#include "dataset/scan.h"
#include "schema/metadata.h"
#include "schema/packed_struct.h"
#include "schema/semantic_schema.h"
#include "table/feature_flags.h"
#include "table/live_files.h"

namespace lance {
namespace {

constexpr std::string_view kEncodingPrefix = "lance-encoding:";
constexpr std::string_view kSchemaPrefix = "lance-schema:";

Field* FindById(std::vector<Field>* fields, int32_t id) {
  for (Field& field : *fields) {
    if (field.id == id) return &field;
    if (Field* found = FindById(&field.children, id)) return found;
  }
  return nullptr;
}

/// Names must be unique among siblings.
Status CheckNames(const std::vector<Field>& fields) {
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    if (!names.insert(field.name).second) {
      return UserError("Duplicate field name \"", field.name, "\" in schema");
    }
    ARROW_RETURN_NOT_OK(CheckNames(field.children));
  }
  return Status::OK();
}

/// The layout of the new type is the output encoding from now on, also where it is the default.
std::shared_ptr<const arrow::KeyValueMetadata> WithInputEncoding(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata,
    const std::shared_ptr<arrow::DataType>& type) {
  const std::string encoding = EncodingOfInput(*arrow::field("", type));
  if (encoding.empty()) return WithMetadata(metadata, kOutputEncodingKey, std::nullopt);
  return WithMetadata(metadata, kOutputEncodingKey, encoding);
}

/// Of the metadata of a column that is cast, what says how it is stored or which role it has; what
/// users said of the old values goes, as in the reference.
std::shared_ptr<const arrow::KeyValueMetadata> KeptByCast(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  auto kept = metadata;
  for (int64_t i = 0; metadata != nullptr && i < metadata->size(); ++i) {
    const std::string& key = metadata->key(i);
    const bool is_ours = key.starts_with(kEncodingPrefix) || key.starts_with(kSchemaPrefix);
    if (!is_ours) kept = WithMetadata(kept, key, std::nullopt);
  }
  return kept;
}

class Alterer {
 public:
  explicit Alterer(std::shared_ptr<const Snapshot> snapshot)
      : snapshot_(std::move(snapshot)), schema_(snapshot_->manifest().schema) {}

  Result<std::shared_ptr<const Snapshot>> Run(const std::vector<ColumnAlteration>& alterations) {
    ARROW_RETURN_NOT_OK(CheckWritable(snapshot_->manifest()));
    ARROW_ASSIGN_OR_RAISE(next_id_, snapshot_->manifest().NextFieldId());
    for (const ColumnAlteration& alteration : alterations) {
      ARROW_RETURN_NOT_OK(Alter(alteration));
    }
    ARROW_RETURN_NOT_OK(CheckNames(schema_.fields));
    ARROW_RETURN_NOT_OK(schema_.Validate());
    return casts_.empty() ? Project() : Merge();
  }

 private:
  Status Alter(const ColumnAlteration& alteration) {
    // Paths are those of the table before any change.
    const Field* before = snapshot_->manifest().schema.FindByPath(alteration.path);
    if (before == nullptr) {
      return UserError("Column \"", alteration.path, "\" does not exist in the dataset");
    }
    Field* field = FindById(&schema_.fields, before->id);
    if (field == nullptr) return UserError("Column \"", alteration.path, "\" is altered twice");
    if (alteration.rename) {
      if (alteration.rename->empty()) {
        return UserError("Column \"", alteration.path,
                         "\" can't be renamed: the new name is empty");
      }
      field->name = *alteration.rename;
    }
    if (alteration.nullable && *alteration.nullable != field->nullable) {
      if (!*alteration.nullable) ARROW_RETURN_NOT_OK(CheckNoNulls(alteration.path));
      field->nullable = *alteration.nullable;
      preserves_nullability_ = preserves_nullability_ && *alteration.nullable;
    }
    return alteration.data_type != nullptr ? SetType(alteration, field) : Status::OK();
  }

  Status SetType(const ColumnAlteration& alteration, Field* field) {
    if (const Field* whole = StoredTogetherIn(snapshot_->manifest().schema, field->id)) {
      return UserError("Cannot cast column \"", alteration.path,
                       "\": it is stored together with the rest of \"", whole->name, "\"");
    }
    ARROW_ASSIGN_OR_RAISE(auto old_type, field->ArrowType());
    auto metadata = schema_.semantic_types
                        ? WithInputEncoding(field->metadata, alteration.data_type)
                        : KeptByCast(field->metadata);
    auto target = arrow::field(field->name, alteration.data_type, field->nullable, metadata);
    ARROW_ASSIGN_OR_RAISE(NewColumns columns, MakeNewColumns(*arrow::schema({target}), next_id_,
                                                             schema_.semantic_types));
    Schema made = std::move(columns.table);
    if (schema_.semantic_types && CanonicalName(made.fields[0]) == CanonicalName(*field) &&
        field->children.empty()) {
      // Nothing but the layout that it is shown in changes.
      field->logical_type = made.fields[0].logical_type;
      field->metadata = made.fields[0].metadata;
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto new_type, made.fields[0].ArrowType());
    if (!CanCast(*old_type, *new_type)) {
      return UserError("Cannot cast column \"", alteration.path, "\" from ", old_type->ToString(),
                       " to ", new_type->ToString());
    }
    if (schema_.semantic_types) made.fields[0].metadata = KeptByCast(made.fields[0].metadata);
    casts_[made.fields[0].id] = field->id;
    // Without ids left, a second cast gets the same one, which the schema's check refuses.
    int32_t last = made.MaxFieldId();
    next_id_ = last < INT32_MAX ? last + 1 : last;
    *field = std::move(made.fields[0]);
    return Status::OK();
  }

  Status CheckNoNulls(const std::string& path) {
    ARROW_ASSIGN_OR_RAISE(auto scan,
                          ScanBatches(snapshot_, {.columns = std::vector<std::string>{path}}));
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
      if (batch == nullptr) return Status::OK();
      if (batch->column(0)->null_count() == 0) continue;
      return UserError("Column \"", path,
                       "\" contains NULL values and cannot be made non-nullable");
    }
  }

  Result<std::shared_ptr<const Snapshot>> Project() {
    Transaction transaction = BeginTransaction(*snapshot_);
    auto* project = transaction.mutable_project();
    schema_.ToProto(project->mutable_schema());
    project->set_preserves_nullability(preserves_nullability_);
    return CommitOperation(*snapshot_, std::move(transaction));
  }

  Result<std::shared_ptr<const Snapshot>> Merge() {
    NewFiles files(snapshot_->MakeContext());
    ARROW_ASSIGN_OR_RAISE(auto fragments, WriteCastColumns(snapshot_, schema_, casts_, &files));
    // What only held the values from before the cast.
    const Schema& before = snapshot_->manifest().schema;
    for (auto& fragment : fragments) (void)RemoveDroppedFiles(before, schema_, &fragment);
    return CommitMerge(*snapshot_, schema_, fragments, preserves_nullability_, &files);
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Schema schema_;
  CastFields casts_;
  int32_t next_id_ = 0;
  bool preserves_nullability_ = true;
};

}  // namespace

Result<std::shared_ptr<const Snapshot>> AlterColumns(
    std::shared_ptr<const Snapshot> snapshot, const std::vector<ColumnAlteration>& alterations) {
  return Alterer(std::move(snapshot)).Run(alterations);
}

}  // namespace lance
