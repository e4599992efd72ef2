#include "dataset/write_table.h"

#include <algorithm>

#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "dataset/append_schema.h"
#include "dataset/auto_cleanup.h"
#include "dataset/blob_columns.h"
#include "dataset/fragment_writer.h"
#include "dataset/leaf_changes.h"
#include "dataset/new_columns.h"
#include "dataset/write_targets.h"
#include "schema/blob.h"
#include "table/commit.h"
#include "table/feature_flags.h"
#include "table/unique_names.h"

namespace lance {
namespace {

/// What is to be written, worked out before any byte is.
struct WritePlan {
  /// The version to append to or to replace; null for a new table.
  std::shared_ptr<const Snapshot> base;
  bool append = false;
  bool semantic_types = false;
  FileVersion data_version = kDefaultFileVersion;
  /// Of the table after the write.
  Schema table_schema;
  /// Of the files.
  Schema file_schema;
  /// For appends.
  AppendMapping mapping;
  /// Those that a new table is to have.
  BasePaths initial_bases;
  /// Where the files go.
  std::vector<DataFolder> folders;
};

Status CheckOptions(const WriteOptions& options) {
  if (options.max_rows_per_file == 0) {
    return UserError("max_rows_per_file must be at least 1, got 0");
  }
  if (options.max_bytes_per_file == 0) {
    return UserError("max_bytes_per_file must be at least 1, got 0");
  }
  if (options.max_page_bytes == 0) {
    return UserError("max_page_bytes must be greater than 0, got 0");
  }
  return Status::OK();
}

Result<FileVersion> ChooseVersion(const WritePlan& plan, const WriteOptions& options) {
  std::optional<FileVersion> asked;
  if (options.data_storage_version) {
    ARROW_ASSIGN_OR_RAISE(asked, ParseFileVersion(*options.data_storage_version));
  }
  FileVersion version = asked.value_or(kDefaultFileVersion);
  if (plan.base != nullptr) {
    ARROW_ASSIGN_OR_RAISE(FileVersion existing, plan.base->manifest().data_version());
    version = asked.value_or(existing);
  }
  ARROW_RETURN_NOT_OK(CheckWritable(version));
  return version;
}

/// Sets the schemas of a new table, or of new contents.
Status MakeSchemas(const arrow::Schema& given, WritePlan* plan) {
  for (const auto& name : given.field_names()) {
    if (IsReservedColumnName(name)) {
      return UserError("column '", name, "' has a reserved name; rename it");
    }
  }
  int32_t first_id = 0;
  if (plan->base != nullptr && plan->base->manifest().head.has_max_allocated_field_id()) {
    first_id = plan->base->manifest().head.max_allocated_field_id() + 1;
  }
  const bool promote = plan->data_version >= FileVersion::kV2_2;
  ARROW_ASSIGN_OR_RAISE(
      NewColumns columns,
      MakeNewColumns(promote ? *PromoteBlobFields(given) : given, first_id, plan->semantic_types));
  ARROW_RETURN_NOT_OK(CheckBlobMarks(columns.table));
  plan->table_schema = std::move(columns.table);
  plan->file_schema = std::move(columns.files);
  return plan->table_schema.Validate();
}

Result<bool> ChooseSemanticTypes(const WritePlan& plan, const WriteOptions& options) {
  if (plan.base == nullptr) return UsesSemanticTypes(options.semantic_types, plan.data_version);
  const bool has = plan.base->manifest().has_semantic_types();
  if (!options.semantic_types || *options.semantic_types == has) return has;
  return UserError(has ? "the table has semantic types, which can't be taken away; leave "
                         "semantic_types out"
                       : "the table has no semantic types; upgrade it first, or leave "
                         "semantic_types out");
}

Status ChoosePlaces(const TableHandle& handle, const WriteOptions& options, WritePlan* plan) {
  if (!options.initial_bases.empty()) {
    if (plan->base != nullptr) {
      return UserError("Cannot register new bases in ", plan->append ? "Append" : "Overwrite",
                       " mode. Only CREATE mode can register new bases; use add_bases");
    }
    ARROW_ASSIGN_OR_RAISE(BasePaths given, ToBasePaths(options.initial_bases));
    ARROW_RETURN_NOT_OK(AddBasePaths(given, &plan->initial_bases));
  }
  const BasePaths& bases =
      plan->base != nullptr ? plan->base->manifest().head.base_paths() : plan->initial_bases;
  return ChooseFolders(handle.uri, handle.table, bases, options.targets).Value(&plan->folders);
}

Result<WritePlan> MakePlan(const TableHandle& handle, std::shared_ptr<const Snapshot> read,
                           const arrow::Schema& data, const WriteOptions& options) {
  ARROW_RETURN_NOT_OK(CheckOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto newest, handle.OpenNewestIfAny());
  if (newest != nullptr && options.mode == WriteMode::kCreate) {
    return AlreadyExists("Dataset already exists: ", handle.uri, "; append to it or overwrite it");
  }
  WritePlan plan;
  plan.append = newest != nullptr && options.mode == WriteMode::kAppend;
  // What was committed since it was read is the commit's to judge.
  plan.base = read != nullptr ? std::move(read) : newest;
  if (newest != nullptr) ARROW_RETURN_NOT_OK(CheckWritable(newest->manifest()));
  ARROW_RETURN_NOT_OK(ChoosePlaces(handle, options, &plan));
  ARROW_ASSIGN_OR_RAISE(plan.data_version, ChooseVersion(plan, options));
  ARROW_ASSIGN_OR_RAISE(plan.semantic_types, ChooseSemanticTypes(plan, options));
  if (plan.append) {
    plan.table_schema = plan.base->manifest().schema;
    const bool promote = HoldsLeaf(plan.table_schema, IsBlobV2);
    ARROW_ASSIGN_OR_RAISE(
        plan.mapping, MatchForAppend(plan.table_schema, promote ? *PromoteBlobFields(data) : data));
    plan.file_schema = plan.mapping.file_schema;
  } else {
    ARROW_RETURN_NOT_OK(MakeSchemas(data, &plan));
  }
  return plan;
}

FragmentWriteOptions FileOptions(const WritePlan& plan, const WriteOptions& options) {
  FragmentWriteOptions file_options;
  file_options.data.file.version = plan.data_version;
  if (options.data_cache_bytes) {
    file_options.data.file.ShareCache(*options.data_cache_bytes, plan.table_schema.fields.size());
  }
  BlobWriteOptions& blobs = file_options.data.blobs;
  blobs = RewriteBlobs(plan.base != nullptr ? plan.base->manifest().head.base_paths()
                                            : plan.initial_bases);
  blobs.external = options.external_blob_mode;
  blobs.allow_external_outside_bases = options.allow_external_blob_outside_bases;
  blobs.pack_file_bytes = options.blob_pack_file_size_threshold;
  if (plan.semantic_types) file_options.data.json = JsonSource::kGiven;
  file_options.data.file.max_page_bytes = options.max_page_bytes;
  file_options.on_begin = options.progress.begin;
  if (options.progress.complete) {
    file_options.on_complete = [&options](const table::DataFragment& fragment) {
      return options.progress.complete(fragment.SerializeAsString());
    };
  }
  file_options.max_rows_per_file = options.max_rows_per_file;
  file_options.max_bytes_per_file = options.max_bytes_per_file;
  return file_options;
}

Status WriteBatches(const Context& context, const WritePlan& plan,
                    const std::shared_ptr<arrow::RecordBatchReader>& data, FragmentWriter* writer) {
  while (true) {
    ARROW_RETURN_NOT_OK(context.CheckStop());
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(data->ReadNext(&batch));
    if (batch == nullptr) return writer->Finish();
    if (batch->num_columns() == 0 && batch->num_rows() > 0) {
      return UserError("the data has ", batch->num_rows(),
                       " rows but no columns; give at least one");
    }
    if (plan.append) {
      ARROW_ASSIGN_OR_RAISE(batch, ArrangeBatch(plan.mapping, *batch));
    }
    ARROW_RETURN_NOT_OK(writer->Write(batch));
  }
}

Transaction MakeTransaction(const WritePlan& plan, const WriteOptions& options,
                            const std::vector<table::DataFragment>& fragments) {
  Transaction transaction;
  transaction.set_read_version(plan.base != nullptr ? plan.base->manifest().version() : 0);
  transaction.set_uuid(MakeUuid());
  auto& properties = *transaction.mutable_transaction_properties();
  for (const auto& [key, value] : options.transaction_properties) properties[key] = value;
  if (options.commit_message) {
    properties[std::string(kCommitMessageKey)] = *options.commit_message;
  }
  if (plan.append) {
    auto* append = transaction.mutable_append();
    append->mutable_fragments()->Add(fragments.begin(), fragments.end());
  } else {
    auto* overwrite = transaction.mutable_overwrite();
    overwrite->mutable_fragments()->Add(fragments.begin(), fragments.end());
    plan.table_schema.ToProto(overwrite->mutable_schema());
    SchemaMetadataToProto(plan.table_schema, overwrite->mutable_schema_metadata());
    *overwrite->mutable_initial_bases() = plan.initial_bases;
    for (const auto& [key, value] : options.config) {
      (*overwrite->mutable_config_upsert_values())[key] = value;
    }
  }
  return transaction;
}

Result<std::shared_ptr<const ManifestFile>> Commit(const Context& context,
                                                   const TableHandle& handle, const WritePlan& plan,
                                                   const WriteOptions& options,
                                                   const FragmentWriter& writer) {
  CommitOptions commit;
  commit.apply.data_version = plan.data_version;
  commit.apply.stable_row_ids = options.enable_stable_row_ids;
  commit.apply.semantic_types = plan.semantic_types;
  commit.naming = options.enable_v2_manifest_paths ? ManifestNaming::kV2 : ManifestNaming::kV1;
  return CommitTransaction(context, handle.table,
                           plan.base != nullptr ? plan.base->file() : nullptr,
                           MakeTransaction(plan, options, writer.fragments()), commit);
}

/// Whether files written for a new table of schema `ours` fit a table that was created meanwhile.
bool FilesFit(const Schema& ours, FileVersion version, const Manifest& theirs) {
  if (ours.semantic_types != theirs.has_semantic_types()) return false;
  auto data_version = theirs.data_version();
  if (!data_version.ok() || *data_version != version) return false;
  auto mine = ours.PreOrder();
  auto other = theirs.schema.PreOrder();
  return std::equal(mine.begin(), mine.end(), other.begin(), other.end(),
                    [](const Field* a, const Field* b) {
                      return a->id == b->id && a->name == b->name &&
                             a->logical_type == b->logical_type && a->nullable == b->nullable;
                    });
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> WriteTable(
    const TableHandle& handle, std::shared_ptr<const Snapshot> read,
    const std::shared_ptr<arrow::RecordBatchReader>& data, const WriteOptions& options) {
  Context context = handle.session->MakeContext();
  ARROW_ASSIGN_OR_RAISE(WritePlan plan,
                        MakePlan(handle, std::move(read), *data->schema(), options));
  FragmentWriter writer(context, plan.folders, plan.file_schema, FileOptions(plan, options));
  ARROW_RETURN_NOT_OK(WriteBatches(context, plan, data, &writer));
  auto committed = Commit(context, handle, plan, options, writer);

  // Somebody created the table that an append would have created.
  bool raced = !committed.ok() && plan.base == nullptr && plan.initial_bases.empty() &&
               options.mode == WriteMode::kAppend &&
               GetErrorCode(committed.status()) == ErrorCode::kAlreadyExists;
  if (raced) {
    ARROW_ASSIGN_OR_RAISE(plan.base, handle.OpenNewest());
    if (FilesFit(plan.table_schema, plan.data_version, plan.base->manifest())) {
      plan.append = true;
      committed = Commit(context, handle, plan, options, writer);
    }
  }
  if (committed.ok() || GetErrorCode(committed.status()) == ErrorCode::kCommitUnknown) {
    writer.Keep();
  }
  if (!committed.ok() && GetErrorCode(committed.status()) == ErrorCode::kAlreadyExists) {
    return AlreadyExists("Dataset already exists: ", handle.uri,
                         "; it was created by another writer meanwhile");
  }
  ARROW_RETURN_NOT_OK(committed.status());
  ARROW_ASSIGN_OR_RAISE(auto snapshot, handle.Open(*std::move(committed)));
  CleanUpAfterCommit(*snapshot);
  return snapshot;
}

Result<Transaction> WriteUncommitted(const TableHandle& handle,
                                     const std::shared_ptr<arrow::RecordBatchReader>& data,
                                     const WriteOptions& options) {
  Context context = handle.session->MakeContext();
  ARROW_ASSIGN_OR_RAISE(WritePlan plan, MakePlan(handle, nullptr, *data->schema(), options));
  FragmentWriter writer(context, plan.folders, plan.file_schema, FileOptions(plan, options));
  ARROW_RETURN_NOT_OK(WriteBatches(context, plan, data, &writer));
  writer.Keep();
  return MakeTransaction(plan, options, writer.fragments());
}

}  // namespace lance
