// Many fragments and many versions: what opening and committing cost doesn't grow with them, but
// for the bytes of one manifest. Requests and allocations are counted, not timed.
#include <optional>

#include "arrow/api.h"
#include "base/executor.h"
#include "dataset/config_changes.h"
#include "dataset/delete_rows.h"
#include "gtest/gtest.h"
#include "safety/allocation_count.h"
#include "safety/wrapped_store.h"
#include "safety/writer.h"
#include "table/commit.h"
#include "table/transaction.h"

namespace lance::safety {
namespace {

constexpr char kRoot[] = "/t";
constexpr uint64_t kFewFragments = 1000;
constexpr uint64_t kManyFragments = 100000;
constexpr uint64_t kFewVersions = 10;
constexpr uint64_t kManyVersions = 10000;
/// Vectors and maps grow by doubling.
constexpr uint64_t kGrowth = 64;

struct Cost {
  uint64_t calls = 0;
  uint64_t allocations = 0;
};

class Scale : public ::testing::Test {
 protected:
  void SetUp() override { SetCpuThreads(1); }

  /// A table of one fragment, whose requests are counted.
  void MakeTable(bool stable_row_ids) {
    calls_ = 0;
    table_.store = std::make_shared<WrappedStore>(MakeMemoryStore(), [this](const StoreCall& call) {
      ++calls_;
      return call.run();
    });
    Program program;
    program.stable_row_ids = stable_row_ids;
    program.rows_per_file = 10;
    program.first_rows = {{1, 1, 1}, {2, 2, 2}};
    ASSERT_TRUE(Writer::Create(table_, program).ok());
  }

  TableHandle Handle() const {
    return {"memory://table", table_, std::make_shared<TableSession>()};
  }
  std::shared_ptr<const Snapshot> Newest() const { return Handle().OpenNewest().ValueOrDie(); }

  /// Puts a manifest made of the newest one as a later version.
  void PutVersion(Manifest manifest, uint64_t version) const {
    Transaction transaction;
    transaction.set_uuid("hand-made");
    transaction.mutable_reserve_fragments();
    manifest.head.set_version(version);
    std::string content =
        EncodeManifestFile(std::nullopt, transaction.SerializeAsString(), &manifest);
    std::string path = ManifestPath(kRoot, version, ManifestNaming::kV2);
    ASSERT_TRUE(table_.store->Put(Context(), path, AsBytes(content)).ok());
  }

  /// So many fragments with the rows of the only one.
  void MakeFragments(uint64_t count) const {
    Manifest manifest = Newest()->manifest();
    auto fragment = ParseFragment(manifest.fragments[0]).ValueOrDie();
    std::vector<table::DataFragment> more(count - 1, fragment);
    for (uint64_t i = 0; i < more.size(); ++i) more[i].set_id(i + 1);
    ASSERT_TRUE(manifest.AddFragments(more).ok());
    manifest.head.set_max_fragment_id(static_cast<uint32_t>(count - 1));
    PutVersion(std::move(manifest), 2);
  }

  /// So many versions, of which all but the newest can't be read.
  void MakeVersions(uint64_t count) const {
    Manifest manifest = Newest()->manifest();
    for (uint64_t version = 1; version < count; ++version) {
      std::string path = ManifestPath(kRoot, version, ManifestNaming::kV2);
      ASSERT_TRUE(table_.store->Put(Context(), path, AsBytes("not a manifest")).ok());
    }
    PutVersion(std::move(manifest), count);
  }

  Cost Measure(const std::function<Status()>& run) {
    Cost before{calls_, AllocationCount()};
    Status status = run();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(AllocationCount() > before.allocations, CountsAllocations());
    return {calls_ - before.calls, AllocationCount() - before.allocations};
  }

  Status Open() const { return Handle().OpenNewest().status(); }
  /// Each by a handle of its own.
  Status Append() const {
    Operation append;
    append.source = {{3, 3, 3}};
    return Writer(table_).Run(append).status;
  }
  Status Delete() const {
    auto rows = std::make_shared<RowAddressSet>();
    rows->Add(RowAddress{0});
    return DeleteRows(*Newest(), rows, "k = 1").status();
  }
  Status SetConfig() const {
    MetadataChanges changes;
    changes.config.emplace().entries["key"] = "value";
    return ChangeMetadata(*Newest(), changes).status();
  }

  static void ExpectSame(const Cost& few, const Cost& many, const char* what) {
    EXPECT_EQ(few.calls, many.calls) << what;
    EXPECT_LE(many.allocations, few.allocations + kGrowth) << what;
  }

  /// What each verb costs on the table as it is now.
  std::vector<std::pair<const char*, Cost>> MeasureAll() {
    return {{"open", Measure([&] { return Open(); })},
            {"append", Measure([&] { return Append(); })},
            {"delete", Measure([&] { return Delete(); })},
            {"config", Measure([&] { return SetConfig(); })}};
  }

  uint64_t calls_ = 0;
  TableLocation table_{nullptr, kRoot};
};

TEST_F(Scale, FragmentsCostNothingEach) {
  for (bool stable : {false, true}) {
    MakeTable(stable);
    MakeFragments(kFewFragments);
    auto few = MeasureAll();
    MakeTable(stable);
    MakeFragments(kManyFragments);
    auto many = MeasureAll();
    for (size_t i = 0; i < few.size(); ++i) {
      // The manifest no longer fits the first read of its file.
      EXPECT_LE(many[i].second.calls, few[i].second.calls + 4) << few[i].first;
      EXPECT_LE(many[i].second.allocations, few[i].second.allocations + kGrowth) << few[i].first;
    }
  }
}

TEST_F(Scale, OldVersionsCostNothingEach) {
  MakeTable(false);
  MakeVersions(kFewVersions);
  auto few = MeasureAll();
  MakeTable(false);
  MakeVersions(kManyVersions);
  auto many = MeasureAll();
  for (size_t i = 0; i < few.size(); ++i) ExpectSame(few[i].second, many[i].second, few[i].first);
  EXPECT_LE(many[0].second.calls, 3u) << "a list of names, and the manifest";
}

/// A handle that is a few versions behind reads those, and of its own whether it is still there.
TEST_F(Scale, RebasingReadsWhatCameSince) {
  MakeTable(false);
  MakeVersions(kManyVersions);
  auto stale = Newest();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Append().ok());
  MetadataChanges changes;
  changes.config.emplace().entries["key"] = "value";
  Cost cost = Measure([&] { return ChangeMetadata(*stale, changes).status(); });
  EXPECT_LE(cost.calls, (3u + 1) * 2 + 5);
}

}  // namespace
}  // namespace lance::safety
