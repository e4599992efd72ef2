// The verbs of Dataset that change a table, and its references.
#include "arrow/api.h"
#include "dataset/add_columns.h"
#include "dataset/alter_columns.h"
#include "dataset/cleanup.h"
#include "dataset/clone.h"
#include "dataset/commit_operation.h"
#include "dataset/compact.h"
#include "dataset/compaction_plan.h"
#include "dataset/config_changes.h"
#include "dataset/dataset_impl.h"
#include "dataset/delete_rows.h"
#include "dataset/drop_columns.h"
#include "dataset/manage_branches.h"
#include "dataset/manage_refs.h"
#include "dataset/merge_table.h"
#include "dataset/migrate_row_ids.h"
#include "dataset/open_table.h"
#include "dataset/restore.h"
#include "dataset/retry_conflicts.h"
#include "dataset/semantic_types.h"
#include "dataset/validate_version.h"
#include "dataset/write_targets.h"
#include "table/migrate_names.h"

namespace lance {
namespace {

BranchInfo DescribeBranch(Branch branch) {
  BranchInfo info;
  info.parent_branch = std::move(branch.parent);
  info.identifier = std::move(branch.identifier);
  info.parent_version = branch.parent_version;
  info.created_at = branch.created_at;
  info.manifest_size = branch.manifest_size;
  info.metadata = std::move(branch.metadata);
  return info;
}

/// What a clone remembers of how it was asked for.
CloneNames NamesOf(const VersionRef& version) {
  CloneNames names;
  if (const auto* tag = std::get_if<std::string>(&version)) names.ref_name = *tag;
  return names;
}

}  // namespace

arrow::Status Dataset::CreateTag(const std::string& name, const VersionRef& version) const {
  return CreateTagOf(*impl_->snapshot, name, version);
}

arrow::Status Dataset::UpdateTag(const std::string& name, const VersionRef& version) const {
  return lance::UpdateTag(*impl_->snapshot, name, version);
}

arrow::Status Dataset::DeleteTag(const std::string& name) const {
  return RemoveTag(*impl_->snapshot, name);
}

arrow::Status Dataset::ReplaceTagMetadata(
    const std::string& name, const std::map<std::string, std::string>& metadata) const {
  return lance::ReplaceTagMetadata(*impl_->snapshot, name, metadata);
}

arrow::Result<std::map<std::string, BranchInfo>> Dataset::Branches() const {
  ARROW_ASSIGN_OR_RAISE(auto branches, BranchesOf(*impl_->snapshot));
  std::map<std::string, BranchInfo> described;
  for (auto& [name, branch] : branches) described.emplace(name, DescribeBranch(std::move(branch)));
  return described;
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::CreateBranch(const std::string& name,
                                                              const VersionRef& start) const {
  return From(lance::CreateBranch(*impl_->snapshot, name, start));
}

arrow::Status Dataset::DeleteBranch(const std::string& name) const {
  return RemoveBranch(*impl_->snapshot, name);
}

arrow::Status Dataset::ReplaceBranchMetadata(
    const std::string& name, const std::map<std::string, std::string>& metadata) const {
  return lance::ReplaceBranchMetadata(*impl_->snapshot, name, metadata);
}

std::optional<std::string> Dataset::branch() const {
  const auto& head = impl_->manifest().head;
  return head.has_branch() ? std::optional<std::string>(head.branch()) : std::nullopt;
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Restore() const {
  return From(RestoreVersion(*impl_->snapshot));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::DropColumns(
    const std::vector<std::string>& paths) const {
  return From(lance::DropColumns(*impl_->snapshot, paths));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::AlterColumns(
    const std::vector<ColumnAlteration>& alterations) const {
  return From(lance::AlterColumns(impl_->snapshot, alterations));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::AddNullColumns(
    const std::shared_ptr<arrow::Schema>& columns) const {
  return From(lance::AddNullColumns(*impl_->snapshot, *columns));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::AddColumns(
    const std::shared_ptr<arrow::RecordBatchReader>& values) const {
  return From(lance::AddColumns(*impl_->snapshot, values));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Merge(
    const std::shared_ptr<arrow::RecordBatchReader>& right, const std::string& left_on,
    const std::string& right_on, const Poll& poll) const {
  return From(MergeTable(impl_->snapshot, right, left_on, right_on, poll));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::UpgradeSemanticTypes() const {
  return From(lance::UpgradeSemanticTypes(impl_->snapshot));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::SetOutputEncoding(
    const std::string& path, const std::optional<std::string>& encoding) const {
  return From(lance::SetOutputEncoding(*impl_->snapshot, path, encoding));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::ChangeMetadata(
    const MetadataChanges& changes) const {
  return From(lance::ChangeMetadata(*impl_->snapshot, changes));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Truncate() const {
  auto run = [](const std::shared_ptr<const Snapshot>& snapshot) {
    return DeleteAllRows(*snapshot);
  };
  return From(RetryConflicts(impl_->snapshot, {}, run));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::AddBases(
    const std::vector<BasePathInfo>& bases,
    const std::map<std::string, std::string>& properties) const {
  Transaction transaction = BeginTransaction(*impl_->snapshot);
  for (const auto& [key, value] : properties) {
    (*transaction.mutable_transaction_properties())[key] = value;
  }
  ARROW_ASSIGN_OR_RAISE(*transaction.mutable_update_bases()->mutable_new_bases(),
                        ToBasePaths(bases));
  return From(CommitOperation(*impl_->snapshot, std::move(transaction)));
}

std::vector<BasePathInfo> Dataset::base_paths() const {
  std::vector<BasePathInfo> infos;
  for (const auto& base : impl_->manifest().head.base_paths()) {
    BasePathInfo info{base.id(), std::nullopt, base.is_dataset_root(), base.path()};
    if (base.has_name()) info.name = base.name();
    infos.push_back(std::move(info));
  }
  return infos;
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::MigrateToStableRowIds() const {
  return From(lance::MigrateToStableRowIds(impl_->snapshot));
}

arrow::Result<std::pair<std::shared_ptr<Dataset>, CompactionMetrics>> Dataset::Compact(
    const CompactionOptions& options, const Poll& poll) const {
  ARROW_ASSIGN_OR_RAISE(auto compacted, lance::Compact(impl_->snapshot, options, poll));
  ARROW_ASSIGN_OR_RAISE(auto dataset, From(std::move(compacted.first)));
  return std::pair(std::move(dataset), compacted.second);
}

arrow::Result<CompactionPlan> Dataset::PlanCompaction(const CompactionOptions& options) const {
  return lance::PlanCompaction(*impl_->snapshot, options);
}

arrow::Result<CompactionResult> Dataset::RunCompactionTask(const CompactionTask& task,
                                                           const CompactionOptions& options,
                                                           const Poll& poll) const {
  return lance::RunCompactionTask(impl_->snapshot, task, options, poll);
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::CommitCompaction(
    const std::vector<CompactionResult>& results) const {
  return From(lance::CommitCompaction(impl_->snapshot, results));
}

arrow::Result<CleanupStats> Dataset::CleanUpOldVersions(const CleanupPolicy& policy) const {
  return lance::CleanUpOldVersions(*impl_->snapshot, policy);
}

arrow::Status Dataset::MigrateManifestPathsV2() const {
  return MigrateManifestNames(impl_->snapshot->MakeContext(), impl_->snapshot->table());
}

arrow::Status Dataset::Validate() const { return ValidateVersion(*impl_->snapshot); }

arrow::Result<std::shared_ptr<Dataset>> Dataset::ShallowClone(const std::string& uri,
                                                              const VersionRef& version) const {
  ARROW_ASSIGN_OR_RAISE(auto source, OpenReference(*impl_->snapshot, version));
  ARROW_ASSIGN_OR_RAISE(auto target, TableHandle::Make(uri));
  return From(lance::ShallowClone(*source, target, NamesOf(version)));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::DeepClone(const std::string& uri,
                                                           const VersionRef& version) const {
  ARROW_ASSIGN_OR_RAISE(auto source, OpenReference(*impl_->snapshot, version));
  ARROW_ASSIGN_OR_RAISE(auto target, TableHandle::Make(uri));
  return From(lance::DeepClone(*source, target));
}

}  // namespace lance
