#include "table/commit.h"

#include <functional>
#include <thread>

#include "arrow/buffer.h"
#include "gtest/gtest.h"
#include "table/unique_names.h"

namespace lance {
namespace {

/// Passes everything to a store in memory; PutIfAbsent can be made to fail.
class FaultyStore final : public ObjectStore {
 public:
  using PutFault = std::function<Status(const std::function<Status()>& put)>;

  Result<std::shared_ptr<RandomReader>> OpenReader(const Context& context, const std::string& path,
                                                   std::optional<uint64_t> size) override {
    if (reads_fail) return IoError("the store is gone");
    return store_->OpenReader(context, path, size);
  }
  Result<std::unique_ptr<ObjectWriter>> OpenWriter(const Context& context,
                                                   const std::string& path) override {
    return store_->OpenWriter(context, path);
  }
  Result<std::shared_ptr<arrow::Buffer>> Get(const Context& context,
                                             const std::string& path) override {
    return store_->Get(context, path);
  }
  Status Put(const Context& context, const std::string& path, Bytes bytes) override {
    if (before_transaction && path.ends_with(".txn")) before_transaction();
    return store_->Put(context, path, bytes);
  }
  Status PutIfAbsent(const Context& context, const std::string& path, Bytes bytes) override {
    auto put = [&] { return store_->PutIfAbsent(context, path, bytes); };
    return fault ? fault(put) : put();
  }
  Result<ObjectInfo> Head(const Context& context, const std::string& path) override {
    return store_->Head(context, path);
  }
  Result<std::vector<ObjectInfo>> List(const Context& context, const std::string& folder) override {
    return store_->List(context, folder);
  }
  Status VisitNames(const Context& context, const std::string& folder,
                    const std::function<void(std::string_view name)>& visit) override {
    return store_->VisitNames(context, folder, visit);
  }
  Result<std::vector<std::string>> ListFolders(const Context& context,
                                               const std::string& folder) override {
    return store_->ListFolders(context, folder);
  }
  Status Delete(const Context& context, const std::string& path) override {
    return store_->Delete(context, path);
  }
  Status DeleteFolder(const Context& context, const std::string& folder) override {
    return store_->DeleteFolder(context, folder);
  }
  bool HasLexicalListing() const override { return false; }

  PutFault fault;
  std::function<void()> before_transaction;
  bool reads_fail = false;

 private:
  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
};

class Commits : public ::testing::Test {
 protected:
  using File = std::shared_ptr<const ManifestFile>;

  Transaction Begin(const File& read) {
    Transaction transaction;
    transaction.set_uuid(MakeUuid());
    transaction.set_read_version(read != nullptr ? read->version() : 0);
    return transaction;
  }
  static void AddFragment(google::protobuf::RepeatedPtrField<table::DataFragment>* fragments) {
    auto* fragment = fragments->Add();
    fragment->set_physical_rows(10);
    auto* file = fragment->add_files();
    file->set_path(MakeDataFileName());
    file->set_file_size_bytes(1);
    file->set_file_major_version(2);
    file->set_file_minor_version(2);
  }
  Transaction Append(const File& read) {
    Transaction transaction = Begin(read);
    AddFragment(transaction.mutable_append()->mutable_fragments());
    return transaction;
  }
  Transaction Overwrite(const File& read) {
    Transaction transaction = Begin(read);
    AddFragment(transaction.mutable_overwrite()->mutable_fragments());
    auto* field = transaction.mutable_overwrite()->add_schema();
    field->set_name("a");
    field->set_parent_id(-1);
    field->set_logical_type("int64");
    return transaction;
  }
  Result<File> Commit(const File& read, Transaction transaction,
                      const CommitOptions& options = {}) {
    return CommitTransaction(context_, table_, read, std::move(transaction), options);
  }
  File Create() { return Commit(nullptr, Overwrite(nullptr)).ValueOrDie(); }

  size_t CountFiles(const std::string& folder) {
    return store_->List(context_, "/t/" + folder).ValueOrDie().size();
  }
  std::vector<uint64_t> Versions() {
    std::vector<uint64_t> versions;
    for (const auto& location : ListVersions(context_, *store_, "/t").ValueOrDie()) {
      versions.push_back(location.version);
    }
    return versions;
  }

  Context context_;
  std::shared_ptr<FaultyStore> store_ = std::make_shared<FaultyStore>();
  TableLocation table_{store_, "/t"};
};

using Numbers = std::vector<uint64_t>;

TEST_F(Commits, CreateAndAppend) {
  File first = Create();
  EXPECT_EQ(first->version(), 1u);
  Transaction append = Append(first);
  File second = Commit(first, append).ValueOrDie();
  EXPECT_EQ(second->version(), 2u);
  EXPECT_EQ(Versions(), (Numbers{1, 2}));
  EXPECT_EQ(second->location().path, "/t/_versions/18446744073709551613.manifest");
  // The transaction is in the manifest and in its own file.
  EXPECT_EQ(second->ReadTransactionSection(context_, *store_).ValueOrDie(),
            append.SerializeAsString());
  std::string name = second->manifest().head.transaction_file();
  EXPECT_EQ(name, "1-" + append.uuid() + ".txn");
  EXPECT_EQ(store_->Get(context_, "/t/_transactions/" + name).ValueOrDie()->ToString(),
            append.SerializeAsString());
  EXPECT_EQ(store_->Get(context_, "/t/_versions/latest_version_hint.json").ValueOrDie()->ToString(),
            "{\"version\":2}");
}

TEST_F(Commits, NamingIsKept) {
  CommitOptions options;
  options.naming = ManifestNaming::kV1;
  File first = Commit(nullptr, Overwrite(nullptr), options).ValueOrDie();
  File second = Commit(first, Append(first)).ValueOrDie();
  EXPECT_EQ(second->location().path, "/t/_versions/2.manifest");
}

TEST_F(Commits, CreateTwice) {
  Create();
  Status status = Commit(nullptr, Overwrite(nullptr)).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kAlreadyExists);
  EXPECT_EQ(CountFiles("_transactions"), 1u);
}

/// Two writers read version 1; both land.
TEST_F(Commits, TwoAppendsFromOneVersion) {
  File first = Create();
  File second = Commit(first, Append(first)).ValueOrDie();
  Transaction late = Append(first);
  File third = Commit(first, late).ValueOrDie();
  EXPECT_EQ(third->version(), 3u);
  ASSERT_EQ(third->manifest().fragments.size(), 3u);
  EXPECT_EQ(third->manifest().fragments[2].id, 2u) << "assigned against the newest version";
  EXPECT_EQ(third->manifest().head.transaction_file(), "1-" + late.uuid() + ".txn");
}

/// Another writer comes in between looking for the newest version and creating the next one.
TEST_F(Commits, LosesTheRaceAndTriesAgain) {
  File first = Create();
  int lost = 0;
  store_->fault = [&](const std::function<Status()>& put) {
    if (lost < 3) {
      ++lost;
      auto fault = std::move(store_->fault);
      EXPECT_TRUE(Commit(first, Append(first)).ok());
      store_->fault = std::move(fault);
    }
    return put();
  };
  File last = Commit(first, Append(first)).ValueOrDie();
  EXPECT_EQ(last->version(), 5u);
  EXPECT_EQ(last->manifest().fragments.size(), 5u);
  EXPECT_EQ(CountFiles("_transactions"), 5u) << "those of lost attempts are replaced";
}

TEST_F(Commits, GivesUpAfterItsAttempts) {
  File first = Create();
  CommitOptions options;
  options.max_attempts = 3;
  int attempts = 0;
  store_->fault = [&](const std::function<Status()>&) {
    ++attempts;
    auto fault = std::move(store_->fault);
    EXPECT_TRUE(Commit(first, Append(first)).ok());
    store_->fault = std::move(fault);
    return AlreadyExists("taken");
  };
  Status status = Commit(first, Append(first), options).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kRetryableConflict) << status;
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(CountFiles("_transactions"), 4u) << "none of the one that failed";
}

TEST_F(Commits, AppendOverOverwriteIsAConflict) {
  File first = Create();
  ASSERT_TRUE(Commit(first, Overwrite(first)).ok());
  Status status = Commit(first, Append(first)).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIncompatibleConflict) << status;
  EXPECT_EQ(Versions(), (Numbers{1, 2}));
  EXPECT_EQ(CountFiles("_transactions"), 2u);
}

TEST_F(Commits, StrictOverwrite) {
  File first = Create();
  CommitOptions strict;
  strict.max_attempts = 0;
  ASSERT_TRUE(Commit(first, Append(first)).ok());
  Status status = Commit(first, Overwrite(first), strict).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kRetryableConflict) << status;
  // Not strict: goes over the append.
  EXPECT_TRUE(Commit(first, Overwrite(first)).ok());
}

TEST_F(Commits, FailureAfterTheEffectIsASuccess) {
  File first = Create();
  for (bool as_conflict : {false, true}) {
    store_->fault = [&](const std::function<Status()>& put) {
      EXPECT_TRUE(put().ok());
      return as_conflict ? AlreadyExists("sent twice") : IoError("connection lost");
    };
    File next = Commit(first, Append(first)).ValueOrDie();
    EXPECT_EQ(next->version(), as_conflict ? 3u : 2u);
  }
  EXPECT_EQ(Versions(), (Numbers{1, 2, 3}));
  EXPECT_EQ(CountFiles("_transactions"), 3u);
}

TEST_F(Commits, FailureWithoutEffectLeavesNothing) {
  File first = Create();
  store_->fault = [&](const std::function<Status()>&) { return IoError("disk full"); };
  Status status = Commit(first, Append(first)).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
  EXPECT_EQ(Versions(), Numbers{1});
  EXPECT_EQ(CountFiles("_transactions"), 1u);
}

TEST_F(Commits, UnknownOutcomeDeletesNothing) {
  File first = Create();
  store_->fault = [&](const std::function<Status()>& put) {
    EXPECT_TRUE(put().ok());
    store_->reads_fail = true;
    return IoError("connection lost");
  };
  Status status = Commit(first, Append(first)).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCommitUnknown) << status;
  EXPECT_EQ(CountFiles("_transactions"), 2u);
}

/// A request without an answer may still be on its way: a further one decides.
TEST_F(Commits, LateRequestsAreOvertaken) {
  File first = Create();
  int requests = 0;
  store_->fault = [&](const std::function<Status()>& put) {
    return ++requests == 1 ? MakeError(ErrorCode::kCommitUnknown, "no answer") : put();
  };
  EXPECT_EQ(Commit(first, Append(first)).ValueOrDie()->version(), 2u);
  store_->fault = [&](const std::function<Status()>&) {
    return MakeError(ErrorCode::kCommitUnknown, "no answer");
  };
  EXPECT_EQ(GetErrorCode(Commit(first, Append(first)).status()), ErrorCode::kCommitUnknown);
  EXPECT_EQ(CountFiles("_transactions"), 3u) << "of the last one too: it may be committed yet";
}

/// While a writer makes version 2, others make it and the next one, and it is cleaned up: the name
/// is free again.
TEST_F(Commits, NumbersOfCleanedUpVersionsAreNotTaken) {
  File first = Create();
  store_->before_transaction = [&] {
    store_->before_transaction = {};
    File second = Commit(first, Append(first)).ValueOrDie();
    EXPECT_TRUE(Commit(second, Append(second)).ok());
    EXPECT_TRUE(store_->Delete(context_, second->location().path).ok());
  };
  // It goes with whatever the missing version did.
  EXPECT_EQ(Commit(first, Append(first)).ValueOrDie()->version(), 4U);
  EXPECT_EQ(Versions(), (Numbers{1, 3, 4}));
}

/// What versions did that are gone can't be known.
TEST_F(Commits, VersionsCleanedUpMeanwhileStopTheRebaseWhereTheyMayMatter) {
  File first = Create();
  File second = Commit(first, Append(first)).ValueOrDie();
  Transaction config = Begin(second);
  (*config.mutable_update_config()->mutable_upsert_values())["a"] = "1";
  ASSERT_TRUE(Commit(second, config).ok());
  ASSERT_TRUE(store_->Delete(context_, second->location().path).ok());

  Transaction removal = Begin(first);
  removal.mutable_delete_()->add_deleted_fragment_ids(0);
  Transaction same_key = Begin(first);
  (*same_key.mutable_update_config()->mutable_upsert_values())["a"] = "2";
  for (const Transaction& transaction : {removal, same_key}) {
    Status status = Commit(first, transaction).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kRetryableConflict) << status;
  }
  Transaction other_key = Begin(first);
  (*other_key.mutable_update_config()->mutable_upsert_values())["b"] = "2";
  EXPECT_EQ(Commit(first, other_key).ValueOrDie()->version(), 4U);
  EXPECT_EQ(Commit(first, Overwrite(first)).ValueOrDie()->version(), 5U);
}

TEST_F(Commits, UnreadableVersionsStopTheRebase) {
  File first = Create();
  ASSERT_TRUE(
      store_->Put(context_, ManifestPath("/t", 2, ManifestNaming::kV2), AsBytes("not a manifest"))
          .ok());
  EXPECT_EQ(GetErrorCode(Commit(first, Append(first)).status()), ErrorCode::kCorrupt);
}

TEST_F(Commits, VersionsWithoutATransactionStopTheRebase) {
  File first = Create();
  Manifest bare = first->manifest();
  bare.head.set_version(2);
  bare.head.clear_transaction_file();
  std::string content =
      EncodeManifestFile(std::nullopt, std::string(kMaxInlineTransactionBytes + 1, 't'), &bare);
  ASSERT_TRUE(
      store_->Put(context_, ManifestPath("/t", 2, ManifestNaming::kV2), AsBytes(content)).ok());
  Status status = Commit(first, Append(first)).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIncompatibleConflict) << status;
}

TEST_F(Commits, IndexesAreCarriedOverByAppendsOnly) {
  File first = Create();
  Manifest manifest = first->manifest();
  manifest.head.set_version(2);
  Transaction reserve = Begin(first);
  reserve.mutable_reserve_fragments();
  std::string content =
      EncodeManifestFile("the index section", reserve.SerializeAsString(), &manifest);
  std::string path = ManifestPath("/t", 2, ManifestNaming::kV2);
  ASSERT_TRUE(store_->Put(context_, path, AsBytes(content)).ok());
  File appended = Commit(first, Append(first)).ValueOrDie();
  EXPECT_EQ(appended->ReadIndexSection(context_, *store_).ValueOrDie(), "the index section");
  File overwritten = Commit(appended, Overwrite(appended)).ValueOrDie();
  EXPECT_FALSE(overwritten->ReadIndexSection(context_, *store_).ValueOrDie());
}

TEST_F(Commits, ManyThreads) {
  File first = Create();
  constexpr int kThreads = 4;
  constexpr int kAppends = 6;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kAppends; ++i) EXPECT_TRUE(Commit(first, Append(first)).ok());
    });
  }
  for (auto& thread : threads) thread.join();
  auto versions = Versions();
  ASSERT_EQ(versions.size(), 1u + kThreads * kAppends);
  auto newest = ManifestFile::Read(context_, *store_,
                                   ListVersions(context_, *store_, "/t").ValueOrDie().back())
                    .ValueOrDie();
  ASSERT_EQ(newest->manifest().fragments.size(), versions.size());
  for (size_t i = 0; i < versions.size(); ++i) {
    EXPECT_EQ(newest->manifest().fragments[i].id, i);
    EXPECT_EQ(versions[i], i + 1);
  }
}

}  // namespace
}  // namespace lance
