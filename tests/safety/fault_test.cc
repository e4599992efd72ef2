// Every operation, with every request that it makes to the store going wrong in every way: the
// table is as before or as after, the operation can be done again, and nothing is left behind that
// a clean-up doesn't find.
#include <functional>
#include <map>
#include <sstream>

#include "arrow/api.h"
#include "base/executor.h"
#include "dataset/cleanup.h"
#include "dataset/commit_operation.h"
#include "dataset/manage_branches.h"
#include "dataset/manage_refs.h"
#include "dataset/merge_insert.h"
#include "dataset/migrate_row_ids.h"
#include "dataset/scan.h"
#include "gtest/gtest.h"
#include "safety/faulty_store.h"
#include "safety/writer.h"
#include "table/refs.h"

namespace lance::safety {
namespace {

constexpr char kRoot[] = "/t";
constexpr char kBranch[] = "b";

using Run = std::function<Status(const TableLocation&)>;

struct Case {
  std::string name;
  Run run;
  /// What comes after the table is made and before the operation.
  Run before = [](const TableLocation&) { return Status::OK(); };
  /// Has several effects, and can be run again to have all of them.
  bool in_steps = false;
  bool stable_row_ids = false;

  /// For messages of the test framework.
  friend std::ostream& operator<<(std::ostream& out, const Case& self) { return out << self.name; }
};

TableHandle Open(const TableLocation& table) {
  return {"memory://table", table, std::make_shared<TableSession>()};
}

Program Table(bool stable_row_ids) {
  Program program;
  program.stable_row_ids = stable_row_ids;
  program.rows_per_file = 3;
  for (int64_t key = 0; key < 6; ++key) program.first_rows.push_back({key, key % 4, 1000 + key});
  return program;
}

Operation Make(OperationKind kind) {
  Operation operation;
  operation.kind = kind;
  operation.name = operation.new_name = kFurther;
  operation.new_name += "_new";
  operation.condition = {Condition::Kind::kKeyBelow, 2, 0};
  operation.source = {{1, 7, 2001}, {9, 8, 2009}};
  operation.number = 3;
  return operation;
}

Operation Added(OperationKind kind) {
  Operation operation = Make(kind);
  operation.name = "added";
  return operation;
}

Operation Merged(MergeStyle style) {
  Operation operation = Make(OperationKind::kMerge);
  operation.merge = style;
  return operation;
}

Run Steps(std::vector<Operation> operations) {
  return [operations = std::move(operations)](const TableLocation& table) {
    Writer writer(table);
    for (const Operation& operation : operations) {
      ARROW_RETURN_NOT_OK(writer.Run(operation).status);
    }
    return Status::OK();
  };
}

Run OnNewest(const std::function<Status(const Snapshot&)>& run) {
  return [run](const TableLocation& table) -> Status {
    ARROW_ASSIGN_OR_RAISE(auto newest, Open(table).OpenNewest());
    return run(*newest);
  };
}

/// What some functions take.
std::shared_ptr<const Snapshot> Shared(const Snapshot& snapshot) {
  return HandleOf(snapshot).Open(snapshot.file()).ValueOrDie();
}

/// New values in place, in rows of both fragments.
Status RewriteValues(const Snapshot& newest) {
  auto schema =
      arrow::schema({arrow::field(kKey, arrow::int64()), arrow::field(kValue, arrow::int64())});
  arrow::ArrayVector columns;
  for (int64_t first : {1, 70}) {
    arrow::Int64Builder builder;
    ARROW_RETURN_NOT_OK(builder.AppendValues({first, first + 3, first + 8}));
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder.Finish());
  }
  ARROW_ASSIGN_OR_RAISE(
      auto reader,
      arrow::RecordBatchReader::Make({arrow::RecordBatch::Make(schema, 3, std::move(columns))}));
  ARROW_ASSIGN_OR_RAISE(auto source,
                        SourceRows::Read(reader.get(), arrow::default_memory_pool(), {}));
  MergeInsertOptions options;
  options.on = {kKey};
  options.when_matched = WhenMatched::kUpdateAll;
  options.write_mode = MergeWriteMode::kRewriteColumns;
  return MergeInsertRows(Shared(newest), source, options).status();
}

std::vector<Case> Cases() {
  std::vector<Case> cases = {
      {"append", Steps({Make(OperationKind::kAppend)})},
      {"delete", Steps({Make(OperationKind::kDelete)})},
      {"update", Steps({Make(OperationKind::kUpdate)})},
      {"upsert", Steps({Merged(MergeStyle::kUpsert)})},
      {"replace", Steps({Merged(MergeStyle::kReplaceBelow)})},
      {"add null column", Steps({Added(OperationKind::kAddNullColumn)})},
      {"add column", Steps({Added(OperationKind::kAddColumn)})},
      {"drop column", Steps({Make(OperationKind::kDropColumn)})},
      {"rename column", Steps({Make(OperationKind::kRenameColumn)})},
      {"cast column", Steps({Make(OperationKind::kCastColumn)})},
      {"compact", Steps({Make(OperationKind::kCompact)})},
      {"overwrite", Steps({Make(OperationKind::kOverwrite)})},
      {"restore", Steps({Make(OperationKind::kRestore)})},
      {"truncate", Steps({Make(OperationKind::kTruncate)})},
      {"config", Steps({Make(OperationKind::kSetConfig)})},
      {"clean up", Steps({Make(OperationKind::kCleanUp)})},
      {"tag", Steps({Make(OperationKind::kTag)})},
  };
  cases.push_back(
      {"move tag", OnNewest([](const Snapshot& newest) {
         return UpdateTag(newest, "moved", newest.manifest().version());
       }),
       OnNewest([](const Snapshot& newest) { return CreateTagOf(newest, "moved", uint64_t{1}); })});
  cases.push_back({"create branch", OnNewest([](const Snapshot& newest) {
                     return CreateBranch(newest, kBranch, newest.manifest().version()).status();
                   })});
  cases.push_back({"delete branch",
                   OnNewest([](const Snapshot& newest) { return RemoveBranch(newest, kBranch); }),
                   OnNewest([](const Snapshot& newest) {
                     return CreateBranch(newest, kBranch, newest.manifest().version()).status();
                   }),
                   /*in_steps=*/true});
  cases.push_back({"add base path", OnNewest([](const Snapshot& newest) {
                     Transaction transaction = BeginTransaction(newest);
                     transaction.mutable_update_bases()->add_new_bases()->set_path("/beside");
                     return CommitOperation(newest, std::move(transaction)).status();
                   })});
  cases.push_back({"rewrite columns", OnNewest(RewriteValues)});
  // Half of them each way: how rows are named matters little here.
  for (size_t i = 0; i < cases.size(); ++i) cases[i].stable_row_ids = i % 2 == 0;
  cases.push_back({"migrate row ids", OnNewest([](const Snapshot& newest) {
                     return MigrateToStableRowIds(Shared(newest)).status();
                   })});
  return cases;
}

/// What somebody who opens the table sees, but for ids and numbers of versions.
Result<std::string> Contents(const std::shared_ptr<const Snapshot>& snapshot) {
  std::ostringstream text;
  ARROW_ASSIGN_OR_RAISE(auto table, ScanTable(snapshot, {}));
  ARROW_ASSIGN_OR_RAISE(auto batch, table->CombineChunksToBatch());
  for (const auto& field : batch->schema()->fields()) text << field->ToString() << " ";
  for (const auto& column : batch->columns()) text << column->ToString();
  text << snapshot->manifest().has_stable_row_ids() << " "
       << snapshot->manifest().head.base_paths_size() << " ";
  const auto& config = snapshot->manifest().head.config();
  for (const auto& [key, value] : std::map<std::string, std::string>(config.begin(), config.end()))
    text << key << "=" << value << " ";
  return text.str();
}

Result<std::string> Observe(const TableLocation& table) {
  TableHandle handle = Open(table);
  // Whatever is there must be whole.
  ARROW_ASSIGN_OR_RAISE(auto versions, handle.Versions());
  for (const ManifestLocation& location : versions) {
    ARROW_ASSIGN_OR_RAISE(auto snapshot, handle.Open(location));
    ARROW_RETURN_NOT_OK(Contents(snapshot).status());
  }
  ARROW_ASSIGN_OR_RAISE(auto newest, handle.OpenNewest());
  ARROW_ASSIGN_OR_RAISE(std::string text, Contents(newest));
  ARROW_ASSIGN_OR_RAISE(auto tags, ListTags(Context(), *table.store, kRoot));
  for (const auto& [name, tag] : tags) {
    ARROW_ASSIGN_OR_RAISE(auto tagged, handle.OpenTag(name));
    text.append(name).append(" at ").append(std::to_string(tagged->manifest().version()));
  }
  ARROW_ASSIGN_OR_RAISE(auto branches, BranchesOf(*newest));
  for (const auto& [name, branch] : branches) {
    ARROW_ASSIGN_OR_RAISE(auto opened, handle.OpenBranch({.branch = name}));
    ARROW_ASSIGN_OR_RAISE(std::string contents, Contents(opened));
    text.append(name).append(" from ").append(std::to_string(branch.parent_version));
    text.append(contents);
  }
  return text;
}

/// Also of the branches.
Status CleanUpAll(const TableLocation& table) {
  ARROW_ASSIGN_OR_RAISE(auto newest, Open(table).OpenNewest());
  if (!newest->manifest().head.has_branch()) {
    ARROW_ASSIGN_OR_RAISE(auto branches, BranchesOf(*newest));
    for (const auto& [name, branch] : branches) {
      ARROW_RETURN_NOT_OK(CleanUpAll({table.store, BranchRoot(kRoot, name)}));
    }
  }
  CleanupPolicy policy;
  policy.retain_versions = 1;
  policy.delete_unverified = true;
  policy.error_if_tagged_old_versions = false;
  return CleanUpOldVersions(*newest, policy).status();
}

/// The objects of the table, by folder.
Result<std::map<std::string, size_t>> CountObjects(const TableLocation& table) {
  std::map<std::string, size_t> counts;
  for (const char* folder : {"data", "_deletions", "_transactions", "_versions", "_refs/tags",
                             "_refs/branches", "tree/b/_versions", "tree/b/_transactions"}) {
    ARROW_ASSIGN_OR_RAISE(auto objects, table.store->List(Context(), table.root + "/" + folder));
    // The version hint is only a hint.
    std::erase_if(objects,
                  [](const ObjectInfo& object) { return object.path.ends_with("hint.json"); });
    if (!objects.empty()) counts[folder] = objects.size();
  }
  return counts;
}

class Faults : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { SetCpuThreads(1); }

  static const Case& operation() { return GetParam(); }

  /// A table with a deletion file, several fragments and some versions.
  static void MakeTable(const TableLocation& table) {
    ASSERT_TRUE(Writer::Create(table, Table(operation().stable_row_ids)).ok());
    Operation deletes = Make(OperationKind::kDelete);
    deletes.condition = {Condition::Kind::kKeyIs, 4, 0};
    Status status = Steps({deletes, Make(OperationKind::kAppend)})(table);
    ASSERT_TRUE(status.ok()) << status;
    status = operation().before(table);
    ASSERT_TRUE(status.ok()) << status;
  }

  /// Runs the operation with one fault; false when it makes fewer requests.
  bool RunWithFault(uint64_t call, Fault fault) {
    FaultyStore store;
    TableLocation table{store.store(), kRoot};
    MakeTable(table);
    store.Arm(call, fault);
    Status status = operation().run(table);
    bool struck = store.struck();
    store.Disarm();
    if (!struck) return false;
    CheckAfterwards(table, status);
    return true;
  }

  void CheckAfterwards(const TableLocation& table, const Status& status) {
    std::string seen = Observe(table).ValueOrDie();
    bool is_new = seen == after_;
    EXPECT_TRUE(is_new || seen == before_) << status << "\n" << seen;
    EXPECT_TRUE(is_new || !status.ok()) << "says that it worked\n" << seen;
    if (before_ != after_ && is_new && !status.ok()) {
      // Its process is gone, or it knows that it doesn't know.
      bool may_be_new = GetErrorCode(status) == ErrorCode::kCommitUnknown || operation().in_steps;
      EXPECT_TRUE(may_be_new || fault_ >= Fault::kCrash || fault_ == Fault::kFailAfter) << status;
    }
    if (!is_new || before_ == after_ || (!status.ok() && operation().in_steps)) {
      Status again = operation().run(table);
      EXPECT_TRUE(again.ok() || is_new) << again;
      EXPECT_EQ(Observe(table).ValueOrDie(), after_);
    }
    Status cleaned = CleanUpAll(table);
    EXPECT_TRUE(cleaned.ok()) << cleaned;
    EXPECT_EQ(Observe(table).ValueOrDie(), after_);
    EXPECT_EQ(CountObjects(table).ValueOrDie(), objects_);
  }

  Fault fault_ = Fault::kFail;
  std::string before_;
  std::string after_;
  std::map<std::string, size_t> objects_;
};

TEST_P(Faults, OldOrNew) {
  FaultyStore store;
  TableLocation table{store.store(), kRoot};
  MakeTable(table);
  before_ = Observe(table).ValueOrDie();
  Status status = operation().run(table);
  ASSERT_TRUE(status.ok()) << status;
  after_ = Observe(table).ValueOrDie();
  ASSERT_TRUE(CleanUpAll(table).ok());
  objects_ = CountObjects(table).ValueOrDie();

  for (Fault fault : kFaults) {
    fault_ = fault;
    uint64_t call = 0;
    while (true) {
      SCOPED_TRACE("request " + std::to_string(call) + ", fault " +
                   std::to_string(static_cast<int>(fault)));
      if (!RunWithFault(call, fault)) break;
      ++call;
      if (HasFailure()) return;
    }
    EXPECT_GT(call, 3u);
  }
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& letter : name) letter = letter == ' ' ? '_' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Operations, Faults, ::testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace lance::safety
