// Processes that change one table on disk at the same time. LANCE_STRESS_SECONDS says for how long.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "arrow/api.h"
#include "base/executor.h"
#include "dataset/cleanup.h"
#include "dataset/compact.h"
#include "dataset/compaction_plan.h"
#include "dataset/delete_rows.h"
#include "dataset/merge_insert.h"
#include "dataset/retry_conflicts.h"
#include "dataset/scan.h"
#include "dataset/select_rows.h"
#include "dataset/update_rows.h"
#include "dataset/write_table.h"
#include "gtest/gtest.h"
#include "io/temporary_folder.h"
#include "safety/child_process.h"
#include "table/now.h"

namespace lance::safety {
namespace {

using Clock = std::chrono::steady_clock;
using SnapshotPtr = std::shared_ptr<const Snapshot>;

constexpr int kProcesses = 8;
constexpr int kUpserters = 4;
constexpr int kSeconds = 3;
/// Keys below this are there from the start, in pairs that are always changed together.
constexpr int64_t kPairedKeys = 20;
/// Keys that all processes upsert, the first to come inserting them.
constexpr int64_t kSharedKeys = 400;
constexpr int64_t kFirstSharedKey = 1000;
/// Each process has keys of its own from here on.
constexpr int64_t kOwnKeys = 1000000;

std::chrono::seconds StressTime() {
  const char* given = std::getenv("LANCE_STRESS_SECONDS");
  return std::chrono::seconds(given != nullptr ? std::atoi(given) : kSeconds);
}

std::shared_ptr<arrow::RecordBatchReader> Rows(const std::vector<int64_t>& keys, int64_t value) {
  arrow::Int64Builder key_builder;
  arrow::Int64Builder value_builder;
  for (int64_t key : keys) {
    (void)key_builder.Append(key);
    (void)value_builder.Append(value);
  }
  auto schema =
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("v", arrow::int64())});
  auto batch = arrow::RecordBatch::Make(
      schema, static_cast<int64_t>(keys.size()),
      {key_builder.Finish().ValueOrDie(), value_builder.Finish().ValueOrDie()});
  return arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie();
}

/// The values of each key.
using Values = std::map<int64_t, std::vector<int64_t>>;

Result<Values> Read(const SnapshotPtr& snapshot) {
  ARROW_ASSIGN_OR_RAISE(auto table, ScanTable(snapshot, {}));
  ARROW_ASSIGN_OR_RAISE(auto batch, table->CombineChunksToBatch());
  const auto& keys = static_cast<const arrow::Int64Array&>(*batch->column(0));
  const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(1));
  Values read;
  for (int64_t i = 0; i < batch->num_rows(); ++i) read[keys.Value(i)].push_back(values.Value(i));
  return read;
}

Status CheckValues(const Values& values) {
  for (const auto& [key, of_key] : values) {
    if (of_key.size() != 1) return IoError("key ", key, " is there ", of_key.size(), " times");
  }
  for (int64_t key = 0; key < kPairedKeys; key += 2) {
    if (!values.contains(key) || !values.contains(key + 1)) return IoError("key ", key, " is gone");
    if (values.at(key) != values.at(key + 1)) return IoError("half of an update of key ", key);
  }
  return Status::OK();
}

/// A process of the stress test. What it did successfully it reports in the end.
class Stress {
 public:
  Stress(const TableLocation& table, int number)
      : handle_{"t", table, std::make_shared<TableSession>()},
        number_(number),
        random_(static_cast<uint64_t>(number)) {}

  Status Run(Clock::time_point end) {
    ARROW_RETURN_NOT_OK(handle_.OpenNewest().Value(&snapshot_));
    while (Clock::now() < end) {
      Status status = Step();
      bool conflict = GetErrorCode(status) == ErrorCode::kRetryableConflict ||
                      GetErrorCode(status) == ErrorCode::kIncompatibleConflict;
      if (!status.ok() && !conflict) return status;
      ++(conflict ? conflicts_ : done_);
    }
    return Status::OK();
  }

  std::string Report() const {
    std::ostringstream text;
    text << done_ << " " << conflicts_ << " " << own_.size() << " " << added_.size();
    for (int64_t key : own_) text << " " << key;
    for (const auto& [key, sum] : added_) text << " " << key << " " << sum;
    return text.str();
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }

  Status Step() {
    // Half of the time from where it was.
    if (Below(2) == 0) ARROW_RETURN_NOT_OK(handle_.OpenNewest().Value(&snapshot_));
    switch (Below(8)) {
      case 0:
        return Append();
      case 1:
      case 2:
        return UpdatePair();
      case 3:
      case 4:
        return UpsertShared();
      case 5:
        return DeleteOwn();
      case 6:
        return number_ == 0 ? Compact() : number_ == 1 ? CleanUp() : Scan();
      default:
        return Scan();
    }
  }

  Status Append() {
    std::vector<int64_t> keys;
    for (uint64_t i = Below(20) + 1; i > 0; --i) {
      keys.push_back(kOwnKeys * (number_ + 1) + next_own_++);
    }
    WriteOptions options;
    options.mode = WriteMode::kAppend;
    ARROW_RETURN_NOT_OK(WriteTable(handle_, snapshot_, Rows(keys, 0), options).Value(&snapshot_));
    own_.insert(keys.begin(), keys.end());
    return Status::OK();
  }

  Status UpdatePair() {
    int64_t key = static_cast<int64_t>(Below(kPairedKeys / 2)) * 2;
    std::string where = "k = " + std::to_string(key) + " OR k = " + std::to_string(key + 1);
    auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
      ARROW_ASSIGN_OR_RAISE(auto updated, UpdateRows(snapshot, {{"v", "v + 1"}}, where, {}));
      if (updated.count != 2) return IoError("updated ", updated.count, " rows of a pair");
      return updated.snapshot;
    };
    ARROW_RETURN_NOT_OK(RetryConflicts(snapshot_, {}, run).Value(&snapshot_));
    ++added_[key];
    return Status::OK();
  }

  Status UpsertShared() {
    std::vector<int64_t> keys;
    auto key = static_cast<int64_t>(Below(kSharedKeys));
    for (int64_t i = 0; i < 3; ++i) keys.push_back(kFirstSharedKey + (key + i * 7) % kSharedKeys);
    ARROW_ASSIGN_OR_RAISE(SourceRows source, SourceRows::Read(Rows(keys, number_).get(),
                                                              arrow::default_memory_pool(), {}));
    MergeInsertOptions options;
    options.on = {"k"};
    options.when_matched = WhenMatched::kUpdateAll;
    options.insert_not_matched = true;
    auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
      ARROW_ASSIGN_OR_RAISE(auto merged, MergeInsertRows(snapshot, source, options));
      return merged.snapshot;
    };
    return RetryConflicts(snapshot_, {}, run).Value(&snapshot_);
  }

  Status DeleteOwn() {
    if (own_.empty()) return Status::OK();
    int64_t key = *own_.begin();
    auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
      std::string where = "k = " + std::to_string(key);
      ARROW_ASSIGN_OR_RAISE(auto rows, SelectRows(snapshot, where));
      if (rows->size() != 1) return IoError("own key ", key, " is there ", rows->size(), " times");
      return DeleteRows(*snapshot, rows, where);
    };
    ARROW_RETURN_NOT_OK(RetryConflicts(snapshot_, {}, run).Value(&snapshot_));
    own_.erase(key);
    return Status::OK();
  }

  Status Compact() {
    CompactionOptions options;
    ARROW_RETURN_NOT_OK(handle_.OpenNewest().Value(&snapshot_));
    ARROW_ASSIGN_OR_RAISE(auto plan, PlanCompaction(*snapshot_, options));
    std::vector<CompactionResult> results;
    for (const CompactionTask& task : plan.tasks) {
      ARROW_ASSIGN_OR_RAISE(results.emplace_back(),
                            RunCompactionTask(snapshot_, task, options, {}));
    }
    return CommitCompaction(snapshot_, results).Value(&snapshot_);
  }

  /// What others have in use is younger.
  Status CleanUp() {
    CleanupPolicy policy;
    policy.before_timestamp_ns = NowNanoseconds() - int64_t{20} * 1000000000;
    return CleanUpOldVersions(*snapshot_, policy).status();
  }

  /// The newest version holds together, and one that was read before reads the same.
  Status Scan() {
    ARROW_ASSIGN_OR_RAISE(auto newest, handle_.OpenNewest());
    ARROW_ASSIGN_OR_RAISE(Values values, Read(newest));
    ARROW_RETURN_NOT_OK(CheckValues(values));
    for (int64_t key : own_) {
      if (!values.contains(key)) return IoError("own key ", key, " is lost");
    }
    bool is_old = Clock::now() - pinned_at_ > std::chrono::seconds(5);
    if (pinned_ != nullptr && !is_old) {
      // By a handle without anything in memory.
      TableHandle fresh{"t", handle_.table, std::make_shared<TableSession>()};
      ARROW_ASSIGN_OR_RAISE(auto again, fresh.OpenVersion(pinned_->manifest().version()));
      ARROW_ASSIGN_OR_RAISE(Values same, Read(again));
      if (same != pinned_values_) return IoError("a pinned version has changed");
      return Status::OK();
    }
    pinned_ = newest;
    pinned_values_ = std::move(values);
    pinned_at_ = Clock::now();
    return Status::OK();
  }

  TableHandle handle_;
  const int number_;
  std::mt19937_64 random_;
  SnapshotPtr snapshot_;
  uint64_t done_ = 0;
  uint64_t conflicts_ = 0;
  int64_t next_own_ = 0;
  std::set<int64_t> own_;
  std::map<int64_t, int64_t> added_;
  SnapshotPtr pinned_;
  Values pinned_values_;
  Clock::time_point pinned_at_;
};

Status CreateTable(const TableLocation& table) {
  std::vector<int64_t> keys;
  for (int64_t key = 0; key < kPairedKeys; ++key) keys.push_back(key);
  WriteOptions options;
  options.max_rows_per_file = 7;
  options.enable_stable_row_ids = true;
  return WriteTable({"t", table, std::make_shared<TableSession>()}, nullptr, Rows(keys, 0), options)
      .status();
}

TEST(Processes, LoseNothing) {
  SetCpuThreads(1);
  TemporaryFolder folder;
  TableLocation table{MakeLocalStore(), folder.path() + "/t"};
  ASSERT_TRUE(CreateTable(table).ok());
  auto end = Clock::now() + StressTime();
  std::vector<ChildProcess> processes;
  processes.reserve(kProcesses);
  for (int i = 0; i < kProcesses; ++i) {
    processes.emplace_back([&, i](int output) {
      Stress stress(table, i);
      Status status = stress.Run(end);
      WriteLine(output, status.ok() ? "ok" : "error " + status.ToString());
      // May be long: there is no other writer of this pipe.
      WriteLine(output, stress.Report());
    });
  }
  std::set<int64_t> own;
  std::map<int64_t, int64_t> added;
  uint64_t all_done = 0;
  uint64_t all_conflicts = 0;
  for (ChildProcess& process : processes) {
    std::istringstream report(process.Finish());
    std::string result;
    std::getline(report, result);
    EXPECT_EQ(result, "ok");
    uint64_t done = 0;
    uint64_t conflicts = 0;
    uint64_t own_keys = 0;
    uint64_t added_keys = 0;
    report >> done >> conflicts >> own_keys >> added_keys;
    all_done += done;
    all_conflicts += conflicts;
    int64_t key = 0;
    int64_t sum = 0;
    while (own_keys-- > 0 && report >> key) own.insert(key);
    while (added_keys-- > 0 && report >> key >> sum) added[key] += sum;
  }
  TableHandle handle{"t", table, std::make_shared<TableSession>()};
  auto newest = handle.OpenNewest().ValueOrDie();
  Values values = Read(newest).ValueOrDie();
  Status status = CheckValues(values);
  EXPECT_TRUE(status.ok()) << status;
  for (int64_t key = 0; key < kPairedKeys; ++key) {
    EXPECT_EQ(values[key], std::vector<int64_t>{added[key - key % 2]}) << "updates of key " << key;
  }
  std::set<int64_t> found;
  for (const auto& [key, of_key] : values) {
    if (key >= kOwnKeys) found.insert(key);
  }
  EXPECT_EQ(found, own);
  std::cout << all_done << " operations, " << all_conflicts << " conflicts, version "
            << newest->manifest().version() << "\n";
}

/// Handles from before: the second one to come must see the keys of the first.
TEST(Processes, UpsertTheSameNewKeysOnce) {
  SetCpuThreads(1);
  TemporaryFolder folder;
  TableLocation table{MakeLocalStore(), folder.path() + "/t"};
  ASSERT_TRUE(CreateTable(table).ok());
  auto start = Clock::now() + std::chrono::milliseconds(300);
  std::vector<ChildProcess> processes;
  processes.reserve(kUpserters);
  for (int i = 0; i < kUpserters; ++i) {
    processes.emplace_back([&, i](int output) {
      TableHandle handle{"t", table, std::make_shared<TableSession>()};
      auto stale = handle.OpenVersion(1).ValueOrDie();
      std::this_thread::sleep_until(start);
      SourceRows source =
          SourceRows::Read(Rows({100, 101, 102}, i).get(), arrow::default_memory_pool(), {})
              .ValueOrDie();
      MergeInsertOptions options;
      options.on = {"k"};
      options.when_matched = WhenMatched::kUpdateAll;
      options.insert_not_matched = true;
      uint64_t inserted = 0;
      auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
        ARROW_ASSIGN_OR_RAISE(auto merged, MergeInsertRows(snapshot, source, options));
        inserted = merged.stats.inserted_rows;
        return merged.snapshot;
      };
      Status status = RetryConflicts(stale, {}, run).status();
      WriteLine(output, status.ok() ? std::to_string(inserted) : status.ToString());
    });
  }
  int inserters = 0;
  for (ChildProcess& process : processes) {
    std::string report = process.Finish();
    EXPECT_TRUE(report == "3\n" || report == "0\n") << report;
    if (report == "3\n") ++inserters;
  }
  EXPECT_EQ(inserters, 1);
  TableHandle handle{"t", table, std::make_shared<TableSession>()};
  Values values = Read(handle.OpenNewest().ValueOrDie()).ValueOrDie();
  for (int64_t key : {100, 101, 102}) EXPECT_EQ(values[key].size(), 1u);
}

}  // namespace
}  // namespace lance::safety
