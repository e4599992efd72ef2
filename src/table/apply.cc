#include "table/apply.h"

#include "schema/semantic_schema.h"
#include "table/apply_operation.h"
#include "table/feature_flags.h"

namespace lance {
namespace {

constexpr char kLibraryName[] = "lance-cpp";
constexpr char kFileFormatName[] = "lance";

/// Whether the operation may change what the indexes cover or which there are.
bool DropsDeadIndexes(const Transaction& transaction) {
  return transaction.has_delete_() || transaction.has_update() || transaction.has_merge() ||
         transaction.has_project();
}

Status ApplyTo(const Transaction& transaction, NextVersion* next) {
  switch (transaction.operation_case()) {
    case Transaction::kAppend:
      return ApplyAppend(transaction.append(), next);
    case Transaction::kDelete:
      return ApplyDelete(transaction.delete_(), next);
    case Transaction::kOverwrite:
      return ApplyOverwrite(transaction.overwrite(), next);
    case Transaction::kCreateIndex:
      return ApplyCreateIndex(transaction.create_index(), next);
    case Transaction::kRewrite:
      return ApplyRewrite(transaction.rewrite(), next);
    case Transaction::kMerge:
      return ApplyMerge(transaction.merge(), next);
    case Transaction::kRestore:
      return ApplyRestore(next);
    case Transaction::kReserveFragments:
      return ApplyReserveFragments(transaction.reserve_fragments(), next);
    case Transaction::kUpdate:
      return ApplyUpdate(transaction.update(), next);
    case Transaction::kProject:
      return ApplyProject(transaction.project(), next);
    case Transaction::kUpdateConfig:
      return ApplyUpdateConfig(transaction, next);
    case Transaction::kDataReplacement:
      return ApplyDataReplacement(transaction.data_replacement(), next);
    case Transaction::kClone:
      return ApplyClone(transaction.clone(), next);
    case Transaction::kUpdateBases:
      return ApplyUpdateBases(transaction.update_bases(), next);
    case Transaction::kUpdateMemWalState:
    case Transaction::kDataOverlay:
    case Transaction::OPERATION_NOT_SET:
      break;
  }
  return Unsupported("committing this operation: ", OperationName(transaction));
}

/// The version that the new one starts as a copy of.
const Manifest* StartOf(const ApplyInput& input, const Transaction& transaction) {
  bool from_source = transaction.has_restore() || transaction.has_clone();
  return from_source ? input.source : input.newest;
}

/// Once a table has them, they stay, also when it goes back to a version that had none.
bool HasSemanticTypes(const ApplyInput& input, const ApplyOptions& options) {
  const Manifest* previous = input.newest != nullptr ? input.newest : input.source;
  return options.semantic_types || (previous != nullptr && previous->has_semantic_types());
}

Result<NextVersion> Begin(const ApplyInput& input, const Transaction& transaction,
                          const ApplyOptions& options) {
  const Manifest* start = StartOf(input, transaction);
  if (start == nullptr && !transaction.has_overwrite()) {
    return UserError(OperationName(transaction), " needs a table to be applied to");
  }
  NextVersion next;
  next.newest = input.newest;
  next.stable_row_ids = options.stable_row_ids;
  next.data_version = options.data_version;
  next.semantic_types = HasSemanticTypes(input, options);
  uint64_t version = input.newest != nullptr ? input.newest->version() + 1 : 1;
  if (start != nullptr) {
    next.manifest = *start;
    next.indexes =
        IndexSection(start == input.newest ? input.index_section : input.source_index_section);
    next.stable_row_ids = start->has_stable_row_ids();
    if (!transaction.has_overwrite()) {
      ARROW_ASSIGN_OR_RAISE(next.data_version, start->data_version());
    }
  }
  if (transaction.has_clone()) version = start->version();
  next.manifest.head.set_version(options.version.value_or(version));
  return next;
}

/// What every commit sets.
void Stamp(const Transaction& transaction, const ApplyOptions& options, Manifest* manifest) {
  manifest->set_timestamp_ns(options.timestamp_ns);
  manifest->head.set_tag(transaction.tag());
  manifest->head.set_transaction_file(options.transaction_file);
  if (transaction.has_clone()) return;  // the writer of the files stays known
  manifest->head.clear_writer_version();
  manifest->head.mutable_writer_version()->set_library(kLibraryName);
  manifest->head.mutable_writer_version()->set_version(LANCE_VERSION);
}

/// Also where another writer has left aliases of semantic types.
Status UseCanonicalNames(Manifest* manifest) {
  if (manifest->HasCanonicalNames()) return Status::OK();
  Schema schema = manifest->schema;
  if (!schema.semantic_types) {
    ARROW_ASSIGN_OR_RAISE(schema, WithSemanticTypes(schema));
  }
  manifest->SetSchema(std::move(schema));
  return Status::OK();
}

bool HasCoveringIndexes(const NextVersion& next, const Manifest* start) {
  if (auto decoded = next.indexes.has_covering_fields()) return *decoded;
  return start != nullptr &&
         (start->head.reader_feature_flags() & feature_flag::kCoveringIndexColumns) != 0;
}

}  // namespace

Result<NewVersion> Apply(const ApplyInput& input, const Transaction& transaction,
                         const ApplyOptions& options) {
  ARROW_ASSIGN_OR_RAISE(NextVersion next, Begin(input, transaction, options));
  ARROW_RETURN_NOT_OK(ApplyTo(transaction, &next));
  if (options.migrates_row_ids) ARROW_RETURN_NOT_OK(FinishRowIdMigration(&next));
  if (DropsDeadIndexes(transaction) && next.indexes.Encode()) {
    ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next.indexes.Edit());
    ARROW_RETURN_NOT_OK(DropDeadIndexes(next.manifest, entries));
  }
  if (next.semantic_types) ARROW_RETURN_NOT_OK(UseCanonicalNames(&next.manifest));
  Stamp(transaction, options, &next.manifest);
  if (transaction.has_overwrite()) {
    auto* format = next.manifest.head.mutable_data_format();
    format->set_file_format(kFileFormatName);
    format->set_version(std::string(FileVersionName(options.data_version)));
  }
  FeatureFlagSources flags;
  flags.previous = input.newest != nullptr ? input.newest : input.source;
  flags.has_covering_indexes = HasCoveringIndexes(next, StartOf(input, transaction));
  flags.stable_row_ids = next.stable_row_ids;
  flags.semantic_types = next.semantic_types;
  flags.mixes_file_versions = next.mixes_file_versions;
  SetFeatureFlags(flags, &next.manifest);
  return NewVersion{std::move(next.manifest), next.indexes.Encode()};
}

}  // namespace lance
