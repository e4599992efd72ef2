#include "table/commit.h"

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "arrow/buffer.h"
#include "table/complete_fragments.h"
#include "table/feature_flags.h"
#include "table/index_section.h"
#include "table/merge_deletions.h"
#include "table/now.h"
#include "table/operation_footprint.h"
#include "table/rebase.h"
#include "table/unseen_versions.h"

namespace lance {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

/// Growth of the back-off stops here: more writers than slots only cost each other some attempts.
constexpr uint32_t kMaxBackoffShift = 6;
constexpr double kMaxBackoff = 1e9;
constexpr double kBackoffUnitFactor = 1.1;
/// Of a request to create a manifest that had no clear answer.
constexpr int kMaxRepeats = 3;
/// Sleeps are cut so that a stop request is seen soon.
constexpr nanoseconds kMaxNap = std::chrono::milliseconds(20);

/// Waits a random number of slots below 2^(attempt + 2), at most 64 slots and a second; a slot is
/// the time of one attempt.
Status BackOff(const Context& context, uint32_t attempt, nanoseconds first_attempt_time) {
  std::random_device source;
  uint64_t slots = uint64_t{1} << std::min(attempt + 2, kMaxBackoffShift);
  uint64_t slot = std::uniform_int_distribution<uint64_t>(0, slots - 1)(source);
  auto unit = static_cast<double>(first_attempt_time.count()) * kBackoffUnitFactor;
  nanoseconds left(static_cast<int64_t>(std::min(unit * static_cast<double>(slot), kMaxBackoff)));
  while (left.count() > 0) {
    ARROW_RETURN_NOT_OK(context.CheckStop());
    nanoseconds nap = std::min(left, kMaxNap);
    std::this_thread::sleep_for(nap);
    left -= nap;
  }
  return Status::OK();
}

uint64_t RandomDetachedVersion() {
  std::random_device source;
  return kDetachedBit | (uint64_t{source()} << 32) | source();
}

/// An index that is being made does not cover values that were updated meanwhile (rule p).
Status PruneNewIndexes(const Transaction& theirs, const Manifest& newest, Transaction* ours) {
  if (!ours->has_create_index() || !theirs.has_update()) return Status::OK();
  std::set<int32_t> fields;
  for (uint32_t id : theirs.update().fields_modified()) fields.insert(static_cast<int32_t>(id));
  return PruneCoverage(UpdatedFragments(theirs), fields, newest,
                       ours->mutable_create_index()->mutable_new_indices());
}

class Committer {
 public:
  Committer(const Context& context, const TableLocation& table,
            std::shared_ptr<const ManifestFile> read, Transaction transaction,
            const CommitOptions& options)
      : context_(context),
        table_(table),
        read_(std::move(read)),
        newest_(read_),
        transaction_(std::move(transaction)),
        source_(options.source),
        source_index_section_(options.source_index_section),
        options_(options),
        strict_(options.max_attempts == 0 && transaction_.has_overwrite()) {}

  Result<std::shared_ptr<const ManifestFile>> Run() {
    std::vector<std::string> folders;
    if (read_ == nullptr) folders = MissingFolders();
    auto committed = TryUntilCommitted();
    bool may_be_committed =
        committed.ok() || GetErrorCode(committed.status()) == ErrorCode::kCommitUnknown;
    if (!may_be_committed) {
      for (const std::string& path : written_) (void)table_.store->Delete(context_, path);
      for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
        table_.store->DeleteEmptyFolder(*folder);
      }
    }
    return committed;
  }

 private:
  /// Those that the commit makes, the outer ones first.
  std::vector<std::string> MissingFolders() const {
    std::vector<std::string> folders =
        table_.store->MissingFolders(TransactionPath(table_.root, ""));
    folders.push_back(VersionsFolder(table_.root));
    return folders;
  }

  Result<std::shared_ptr<const ManifestFile>> TryUntilCommitted() {
    ARROW_RETURN_NOT_OK(FollowNaming());
    if (transaction_.has_restore()) ARROW_RETURN_NOT_OK(ReadRestored());
    uint32_t attempts = std::max<uint32_t>(options_.max_attempts, 1);
    auto start = Clock::now();
    nanoseconds first_attempt_time{0};
    for (uint32_t attempt = 0; attempt < attempts; ++attempt) {
      if (attempt > 0) {
        if (Clock::now() - start > options_.retry_time) break;
        ARROW_RETURN_NOT_OK(BackOff(context_, attempt - 1, first_attempt_time));
      }
      ARROW_RETURN_NOT_OK(context_.CheckStop());
      if (newest_ != nullptr) {
        ARROW_RETURN_NOT_OK(strict_ || options_.detached ? CheckSameTable(/*is_newest=*/false)
                                                         : CatchUp());
      }
      ARROW_ASSIGN_OR_RAISE(auto committed, Attempt());
      if (committed != nullptr) return committed;
      if (newest_ == nullptr) {
        return WithPlace(AlreadyExists("dataset already exists"), {.path = table_.root});
      }
      if (strict_) break;
      if (attempt == 0) first_attempt_time = Clock::now() - start;
    }
    return WithPlace(MakeError(ErrorCode::kRetryableConflict,
                               internal::Concat("other writers committed first at each of ",
                                                attempts, " attempts; please retry")),
                     {.path = table_.root});
  }

  /// The manifests may have been renamed since the version was read.
  Status FollowNaming() {
    if (newest_ == nullptr || newest_->location().naming == ManifestNaming::kV2) {
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(ManifestNaming naming, FindNaming(context_, *table_.store, table_.root));
    if (naming == ManifestNaming::kV1) return Status::OK();
    uint64_t version = newest_->version();
    auto renamed = ManifestFile::Read(
        context_, *table_.store, {version, naming, ManifestPath(table_.root, version, naming)});
    // It was cleaned up; catching up will see that.
    if (GetErrorCode(renamed.status()) == ErrorCode::kNotFound) return Status::OK();
    return std::move(renamed).Value(&newest_);
  }

  /// Loads the versions committed after newest_ and rebases the transaction over each. What a
  /// version did that was cleaned up meanwhile can't be known: where it might matter, the operation
  /// has to be done anew.
  Status CatchUp() {
    ARROW_ASSIGN_OR_RAISE(auto locations, ListVersionsAfter(context_, *table_.store, table_.root,
                                                            newest_->version()));
    ARROW_RETURN_NOT_OK(CheckSameTable(/*is_newest=*/locations.empty()));
    if (locations.empty()) return Status::OK();
    for (const ManifestLocation& location : locations) {
      auto file = ManifestFile::Read(context_, *table_.store, location);
      if (!file.ok() && GetErrorCode(file.status()) == ErrorCode::kNotFound) {
        return CleanedUp(location.version);
      }
      ARROW_RETURN_NOT_OK(file.status());
      const uint64_t next = newest_->version() + 1;
      if (location.version != next &&
          !CommutesWithUnseen(transaction_, newest_->manifest(), (*file)->manifest())) {
        return CleanedUp(next);
      }
      ARROW_RETURN_NOT_OK(RebaseOver(**file));
      newest_ = std::move(*file);
    }
    return FinishRebase();
  }

  /// A version never becomes another one. It may have been cleaned up, but not if it is the newest:
  /// if that is gone, so is the table.
  Status CheckSameTable(bool is_newest) const {
    auto is_there = newest_->IsThere(context_, *table_.store);
    if (GetErrorCode(is_there.status()) == ErrorCode::kNotFound) {
      return is_newest ? OtherTable("is gone and none is newer") : Status::OK();
    }
    ARROW_RETURN_NOT_OK(is_there.status());
    return *is_there ? Status::OK() : OtherTable("is another one now");
  }

  Status OtherTable(const char* what) const {
    return WithPlace(MakeError(ErrorCode::kIncompatibleConflict,
                               internal::Concat("version ", newest_->version(), " ", what,
                                                ": the table was removed or made anew; open it "
                                                "again")),
                     {.path = newest_->location().path, .version = newest_->version()});
  }

  Status CleanedUp(uint64_t version) const {
    return WithPlace(
        MakeError(ErrorCode::kRetryableConflict,
                  internal::Concat("version ", version,
                                   ", committed meanwhile, was cleaned up; please retry on the "
                                   "newest version (checkout_latest)")),
        {.path = table_.root, .version = version});
  }

  /// What of the rebase needs the newest version.
  Status FinishRebase() {
    bool moves_along =
        transaction_.has_delete_() || transaction_.has_update() || transaction_.has_create_index();
    if (moves_along) transaction_.set_read_version(newest_->version());
    if (shared_fragments_.empty()) return Status::OK();
    return MergeDeletions(context_, table_, newest_->manifest(), *options_.affected_rows,
                          shared_fragments_, &transaction_, &written_);
  }

  Status RebaseOver(const ManifestFile& file) {
    ARROW_ASSIGN_OR_RAISE(auto bytes, ReadTransactionBytes(context_, table_, file));
    if (!bytes) {
      return WithPlace(MakeError(ErrorCode::kIncompatibleConflict,
                                 "a version committed meanwhile does not say what it did"),
                       {.path = file.location().path, .version = file.version()});
    }
    auto theirs = DecodeTransaction(AsBytes(*bytes));
    if (!theirs.ok()) return WithPlace(theirs.status(), {.path = file.location().path});
    RebaseSubject ours{transaction_, &read_->manifest(), options_.affected_rows.get(),
                       &newest_->manifest(), options_.depends_on_all_rows};
    ARROW_RETURN_NOT_OK(CheckConflict(ours, *theirs, file.version(), &shared_fragments_));
    return PruneNewIndexes(*theirs, newest_->manifest(), &transaction_);
  }

  /// The version to go back to must be one that could be written on.
  Status ReadRestored() {
    uint64_t version = transaction_.restore().version();
    if (newest_ != nullptr) {
      ManifestNaming naming = newest_->location().naming;
      auto file = ManifestFile::Read(context_, *table_.store,
                                     {version, naming, ManifestPath(table_.root, version, naming)});
      if (file.ok() || GetErrorCode(file.status()) != ErrorCode::kNotFound) {
        ARROW_ASSIGN_OR_RAISE(source_, std::move(file));
        ARROW_RETURN_NOT_OK(CheckWritable(source_->manifest()));
        return source_->ReadIndexSection(context_, *table_.store).Value(&source_index_section_);
      }
    }
    return WithPlace(NotFound("version ", version, " to restore was not found"),
                     {.path = table_.root});
  }

  /// Now that clean-ups can see the transaction file, they delete no version after the one that it
  /// was made from, and keep the files of one that it restores. What they deleted before shows
  /// here: AlreadyExists when the version to be made was made, even if it is gone again.
  Status CheckAnnounced(const ManifestLocation& target) {
    if (!options_.detached) {
      uint64_t newest = newest_ != nullptr ? newest_->version() : 0;
      ARROW_ASSIGN_OR_RAISE(auto later,
                            ListVersionsAfter(context_, *table_.store, table_.root, newest));
      if (!later.empty()) return AlreadyExists("object already exists: '", target.path, "'");
    }
    if (!transaction_.has_restore()) return Status::OK();
    auto info = table_.store->Head(context_, source_->location().path);
    if (info.ok() || GetErrorCode(info.status()) != ErrorCode::kNotFound) return info.status();
    return WithPlace(NotFound("version ", source_->version(), " was cleaned up meanwhile"),
                     {.path = table_.root});
  }

  /// OK when the manifest is there and ours; AlreadyExists when another writer's is.
  Status CreateManifest(const ManifestLocation& target, const std::string& content,
                        const std::string& transaction_bytes) {
    Status put = table_.store->PutIfAbsent(context_, target.path, AsBytes(content));
    // The request may still be on its way: a further one decides who has the version.
    for (int i = 0; i < kMaxRepeats && GetErrorCode(put) == ErrorCode::kCommitUnknown; ++i) {
      put = table_.store->PutIfAbsent(context_, target.path, AsBytes(content));
    }
    if (put.ok() || GetErrorCode(put) == ErrorCode::kCommitUnknown) return put;
    ARROW_ASSIGN_OR_RAISE(bool is_ours, IsOurs(target, transaction_bytes, put));
    return is_ours ? Status::OK() : put;
  }

  Result<ApplyInput> MakeInput() {
    ApplyInput input;
    input.source = source_ != nullptr ? &source_->manifest() : nullptr;
    input.source_index_section = source_index_section_;
    if (newest_ == nullptr) return input;
    ARROW_RETURN_NOT_OK(CheckWritable(newest_->manifest()));
    input.newest = &newest_->manifest();
    if (!transaction_.has_overwrite()) {
      ARROW_ASSIGN_OR_RAISE(input.index_section,
                            newest_->ReadIndexSection(context_, *table_.store));
    }
    return input;
  }

  /// One try. Null when another writer took the version.
  Result<std::shared_ptr<const ManifestFile>> Attempt() {
    ARROW_ASSIGN_OR_RAISE(ApplyInput input, MakeInput());
    ApplyOptions apply = options_.apply;
    apply.timestamp_ns = NowNanoseconds();
    apply.transaction_file = TransactionFileName(transaction_.read_version(), transaction_.uuid());
    if (options_.detached) apply.version = RandomDetachedVersion();
    ARROW_ASSIGN_OR_RAISE(NewVersion next, Apply(input, transaction_, apply));
    if (!transaction_.has_clone()) {
      ARROW_RETURN_NOT_OK(CompleteFragments(context_, table_, &next.manifest));
    }
    std::string transaction_bytes = transaction_.SerializeAsString();
    std::string content = EncodeManifestFile(next.index_section, transaction_bytes, &next.manifest);

    ManifestLocation target;
    target.version = next.manifest.version();
    target.naming = newest_ != nullptr ? newest_->location().naming : options_.naming;
    target.path = ManifestPath(table_.root, target.version, target.naming);
    target.size = content.size();
    std::string transaction_path = TransactionPath(table_.root, apply.transaction_file);
    Status put = table_.store->Put(context_, transaction_path, AsBytes(transaction_bytes));
    bool is_announced = put.ok();
    if (put.ok()) put = CheckAnnounced(target);
    if (put.ok()) put = CreateManifest(target, content, transaction_bytes);
    if (!put.ok()) {
      if (GetErrorCode(put) == ErrorCode::kCommitUnknown) return put;
      (void)table_.store->Delete(context_, transaction_path);
      if (is_announced && GetErrorCode(put) == ErrorCode::kAlreadyExists) return nullptr;
      return put;
    }
    WriteVersionHint(context_, *table_.store, table_.root, target.version);
    return ManifestFile::FromBytes(arrow::Buffer::FromString(std::move(content)),
                                   std::move(target));
  }

  /// Whether the manifest that we failed to make is ours: the request may have had its effect
  /// although it failed, or may have been repeated below us.
  Result<bool> IsOurs(const ManifestLocation& target, const std::string& transaction_bytes,
                      const Status& failure) {
    auto unknown = [&](const Status& why) {
      return MakeError(ErrorCode::kCommitUnknown,
                       internal::Concat("commit failed, and whether it took effect can't be found "
                                        "out: ",
                                        failure.message(), "; then: ", why.message()),
                       {.path = target.path, .version = target.version});
    };
    // A stop request must not keep us from learning what happened.
    Context context = context_;
    context.stop = arrow::StopToken::Unstoppable();
    auto file = ManifestFile::Read(context, *table_.store, target);
    if (!file.ok()) {
      if (GetErrorCode(file.status()) == ErrorCode::kNotFound) return false;
      return unknown(file.status());
    }
    auto bytes = ReadTransactionBytes(context, table_, **file);
    if (!bytes.ok()) return unknown(bytes.status());
    return *bytes == transaction_bytes;
  }

  const Context& context_;
  const TableLocation& table_;
  /// The version that the transaction was made from, null for a new table.
  const std::shared_ptr<const ManifestFile> read_;
  /// The version to build on, null for a new table.
  std::shared_ptr<const ManifestFile> newest_;
  Transaction transaction_;
  /// The version to restore or to clone.
  std::shared_ptr<const ManifestFile> source_;
  std::optional<std::string> source_index_section_;
  /// Fragments in which others deleted rows too.
  std::set<uint64_t> shared_fragments_;
  /// Files written by rebasing; nobody's when the commit fails.
  std::vector<std::string> written_;
  const CommitOptions& options_;
  const bool strict_;
};

}  // namespace

Result<std::shared_ptr<const ManifestFile>> CommitTransaction(
    const Context& context, const TableLocation& table,
    const std::shared_ptr<const ManifestFile>& read, Transaction transaction,
    const CommitOptions& options) {
  return Committer(context, table, read, std::move(transaction), options).Run();
}

}  // namespace lance
