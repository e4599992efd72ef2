#include "table/apply.h"

#include <limits>

#include "table/feature_flags.h"
#include "table/row_id_sequence.h"
#include "table/row_words.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

constexpr char kLibraryName[] = "lance-cpp";
constexpr char kFileFormatName[] = "lance";

using FragmentList = google::protobuf::RepeatedPtrField<table::DataFragment>;

/// Whether files of `version` may be in a table whose own version is `table_version`.
bool Mixes(FileVersion version, FileVersion table_version) {
  return version == table_version ||
         (version != FileVersion::kV0_1 && table_version != FileVersion::kV0_1);
}

Status CheckNewFragment(const table::DataFragment& fragment, FileVersion table_version,
                        bool* mixes_file_versions) {
  if (fragment.physical_rows() == 0) return UserError("new fragment has no rows");
  if (fragment.physical_rows() > kMaxFragmentRows) {
    return UserError("new fragment has more than 2^32 rows: ", fragment.physical_rows(),
                     "; write smaller files");
  }
  for (const auto& file : fragment.files()) {
    ARROW_ASSIGN_OR_RAISE(
        FileVersion file_version,
        FileVersionFromNumbers(file.file_major_version(), file.file_minor_version()));
    if (!Mixes(file_version, table_version)) {
      return UserError("cannot append data files of version ", FileVersionName(file_version),
                       " to a table of version ", FileVersionName(table_version),
                       ": V1 and V2 storage versions cannot be mixed");
    }
    if (file_version != table_version) *mixes_file_versions = true;
  }
  return Status::OK();
}

/// Gives ids to new fragments above every id used before.
Status AssignFragmentIds(std::optional<uint32_t> max_before,
                         std::vector<table::DataFragment>* fragments, Manifest* manifest) {
  uint64_t next = max_before ? uint64_t{*max_before} + 1 : 0;
  for (auto& fragment : *fragments) {
    if (next > std::numeric_limits<uint32_t>::max()) {
      return Unsupported("table has given out all of its 2^32 fragment ids");
    }
    fragment.set_id(next++);
  }
  if (next > 0) manifest->head.set_max_fragment_id(static_cast<uint32_t>(next - 1));
  return Status::OK();
}

Status AssignRowIds(uint64_t version, std::vector<table::DataFragment>* fragments,
                    Manifest* manifest) {
  uint64_t next = manifest->head.next_row_id();
  for (auto& fragment : *fragments) {
    uint64_t rows = fragment.physical_rows();
    if (rows > std::numeric_limits<uint64_t>::max() - next) {
      return Corrupt("next row id of the table leaves no room for ", rows, " rows: ", next);
    }
    fragment.set_inline_row_ids(RowIdSequence::Range(next, rows).Encode());
    std::string versions = VersionSequence::Uniform(version, rows).Encode();
    fragment.set_inline_created_at_versions(versions);
    fragment.set_inline_last_updated_at_versions(std::move(versions));
    next += rows;
  }
  manifest->head.set_next_row_id(next);
  return Status::OK();
}

Status AddNewFragments(const FragmentList& added, FileVersion table_version,
                       FeatureFlagSources* flags, Manifest* manifest) {
  std::vector<table::DataFragment> fragments(added.begin(), added.end());
  for (const auto& fragment : fragments) {
    ARROW_RETURN_NOT_OK(CheckNewFragment(fragment, table_version, &flags->mixes_file_versions));
  }
  std::optional<uint32_t> max_before;
  if (flags->previous != nullptr) max_before = flags->previous->max_fragment_id();
  ARROW_RETURN_NOT_OK(AssignFragmentIds(max_before, &fragments, manifest));
  if (flags->stable_row_ids) {
    ARROW_RETURN_NOT_OK(AssignRowIds(manifest->version(), &fragments, manifest));
  }
  return manifest->AddFragments(fragments);
}

Status ApplyAppend(const table::Transaction::Append& append, FeatureFlagSources* flags,
                   Manifest* manifest) {
  if (flags->previous == nullptr) return UserError("append needs a table to append to");
  ARROW_ASSIGN_OR_RAISE(FileVersion table_version, flags->previous->data_version());
  return AddNewFragments(append.fragments(), table_version, flags, manifest);
}

/// With non-reusable field ids, an overwrite brings ids that were never used.
Status AdvanceFieldIdLimit(Manifest* manifest) {
  if (!manifest->head.has_max_allocated_field_id()) return Status::OK();
  int32_t limit = manifest->head.max_allocated_field_id();
  for (const Field* field : manifest->schema.PreOrder()) {
    if (field->id <= limit) {
      return MakeError(ErrorCode::kRetryableConflict,
                       internal::Concat("field ids of this Overwrite are in use: ", field->id,
                                        " is not above ", limit, "; please retry"));
    }
  }
  manifest->head.set_max_allocated_field_id(std::max(limit, manifest->schema.MaxFieldId()));
  return Status::OK();
}

Status ApplyOverwrite(const table::Transaction::Overwrite& overwrite, const ApplyOptions& options,
                      FeatureFlagSources* flags, Manifest* manifest) {
  manifest->fragments.clear();
  manifest->fragment_owners.clear();
  ARROW_ASSIGN_OR_RAISE(Schema schema,
                        SchemaFromProto(overwrite.schema(), overwrite.schema_metadata()));
  manifest->SetSchema(std::move(schema));
  ARROW_RETURN_NOT_OK(AdvanceFieldIdLimit(manifest));
  for (const auto& [key, value] : overwrite.config_upsert_values()) {
    (*manifest->head.mutable_config())[key] = value;
  }
  auto* format = manifest->head.mutable_data_format();
  format->set_file_format(kFileFormatName);
  format->set_version(std::string(FileVersionName(options.data_version)));
  return AddNewFragments(overwrite.fragments(), options.data_version, flags, manifest);
}

}  // namespace

bool KeepsIndexes(const Transaction& transaction) { return !transaction.has_overwrite(); }

Result<Manifest> Apply(const Manifest* newest, const Transaction& transaction,
                       const ApplyOptions& options) {
  Manifest manifest;
  if (newest != nullptr) manifest = *newest;
  FeatureFlagSources flags;
  flags.previous = newest;
  flags.keeps_indexes = KeepsIndexes(transaction);
  flags.stable_row_ids = newest != nullptr ? newest->has_stable_row_ids() : options.stable_row_ids;
  manifest.head.set_version(newest != nullptr ? newest->version() + 1 : 1);
  manifest.set_timestamp_ns(options.timestamp_ns);
  manifest.head.set_tag(transaction.tag());
  manifest.head.set_transaction_file(options.transaction_file);
  manifest.head.clear_writer_version();
  manifest.head.mutable_writer_version()->set_library(kLibraryName);
  manifest.head.mutable_writer_version()->set_version(LANCE_VERSION);

  switch (transaction.operation_case()) {
    case Transaction::kAppend:
      ARROW_RETURN_NOT_OK(ApplyAppend(transaction.append(), &flags, &manifest));
      break;
    case Transaction::kOverwrite:
      ARROW_RETURN_NOT_OK(ApplyOverwrite(transaction.overwrite(), options, &flags, &manifest));
      break;
    default:
      return Unsupported("committing this operation: ", OperationName(transaction));
  }
  SetFeatureFlags(flags, &manifest);
  return manifest;
}

}  // namespace lance
