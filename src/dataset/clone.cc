#include "dataset/clone.h"

#include "dataset/copy_files.h"
#include "table/commit.h"
#include "table/feature_flags.h"
#include "table/unique_names.h"

namespace lance {
namespace {

Transaction CloneTransaction(const Snapshot& source, const CloneNames& names, bool is_shallow) {
  Transaction transaction;
  transaction.set_read_version(source.manifest().version());
  transaction.set_uuid(MakeUuid());
  auto* clone = transaction.mutable_clone();
  clone->set_is_shallow(is_shallow);
  clone->set_ref_version(source.manifest().version());
  clone->set_ref_path(source.table().root);
  if (names.ref_name) clone->set_ref_name(*names.ref_name);
  if (names.branch_name) clone->set_branch_name(*names.branch_name);
  return transaction;
}

Status CheckVacant(const TableHandle& target) {
  ARROW_ASSIGN_OR_RAISE(auto existing, target.OpenNewestIfAny());
  if (existing != nullptr) return AlreadyExists("Dataset already exists: ", target.uri);
  return Status::OK();
}

Result<std::shared_ptr<const Snapshot>> Commit(const Snapshot& source, const TableHandle& target,
                                               Transaction transaction) {
  Context context = target.session->MakeContext();
  CommitOptions options;
  options.source = source.file();
  ARROW_ASSIGN_OR_RAISE(
      options.source_index_section,
      source.file()->ReadIndexSection(source.MakeContext(), *source.table().store));
  ARROW_ASSIGN_OR_RAISE(auto committed, CommitTransaction(context, target.table, nullptr,
                                                          std::move(transaction), options));
  return target.Open(std::move(committed));
}

Result<std::shared_ptr<const Snapshot>> CopyAndCommit(const Snapshot& source,
                                                      const TableHandle& target, NewFiles* files) {
  ARROW_RETURN_NOT_OK(CopyFiles(source, target.table, files));
  return Commit(source, target, CloneTransaction(source, {}, /*is_shallow=*/false));
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> ShallowClone(const Snapshot& source,
                                                     const TableHandle& target,
                                                     const CloneNames& names) {
  ARROW_RETURN_NOT_OK(CheckWritable(source.manifest()));
  ARROW_RETURN_NOT_OK(CheckVacant(target));
  return Commit(source, target, CloneTransaction(source, names, /*is_shallow=*/true));
}

Result<std::shared_ptr<const Snapshot>> DeepClone(const Snapshot& source,
                                                  const TableHandle& target) {
  ARROW_RETURN_NOT_OK(CheckWritable(source.manifest()));
  ARROW_RETURN_NOT_OK(CheckVacant(target));
  NewFiles files(target.session->MakeContext());
  Result<std::shared_ptr<const Snapshot>> cloned = CopyAndCommit(source, target, &files);
  // The files have the names of the source's: once somebody else has made the table, they are its.
  const bool may_be_used = cloned.ok() ||
                           GetErrorCode(cloned.status()) == ErrorCode::kCommitUnknown ||
                           !CheckVacant(target).ok();
  if (may_be_used) files.Keep();
  return cloned;
}

}  // namespace lance
