#include "lance/dataset.h"

#include <atomic>
#include <thread>

#include "arrow/api.h"
#include "base/error.h"
#include "dataset/lru_cache.h"
#include "gtest/gtest.h"
#include "io/object_store.h"

namespace lance {
namespace {

std::shared_ptr<arrow::Schema> NumberSchema() {
  return arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8())});
}

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t first, int64_t count) {
  arrow::Int64Builder n;
  arrow::StringBuilder s;
  for (int64_t i = first; i < first + count; ++i) {
    EXPECT_TRUE(n.Append(i).ok());
    EXPECT_TRUE(s.Append("number " + std::to_string(i)).ok());
  }
  return arrow::RecordBatch::Make(NumberSchema(), count,
                                  {n.Finish().ValueOrDie(), s.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::RecordBatchReader> Reader(
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches) {
  auto schema = batches.empty() ? NumberSchema() : batches[0]->schema();
  return arrow::RecordBatchReader::Make(std::move(batches), schema).ValueOrDie();
}

/// A source that fails after some batches.
class FailingReader final : public arrow::RecordBatchReader {
 public:
  explicit FailingReader(int batches) : left_(batches) {}
  std::shared_ptr<arrow::Schema> schema() const override { return NumberSchema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (left_-- == 0) return Status::IOError("the source broke off");
    *batch = Numbers(0, 50);
    return Status::OK();
  }

 private:
  int left_;
};

class Datasets : public ::testing::Test {
 protected:
  Datasets() {
    static std::atomic<int> next{0};
    uri_ = "memory://datasets-test-" + std::to_string(next++);
  }

  Result<std::shared_ptr<Dataset>> Write(WriteMode mode,
                                         std::vector<std::shared_ptr<arrow::RecordBatch>> batches,
                                         WriteOptions options = {}) {
    options.mode = mode;
    return Dataset::Write(uri_, Reader(std::move(batches)), options);
  }
  std::shared_ptr<Dataset> Create(int64_t rows) {
    return Write(WriteMode::kCreate, {Numbers(0, rows)}).ValueOrDie();
  }
  size_t CountFiles(const std::string& folder) {
    StoreLocation location = ResolveUri(uri_).ValueOrDie();
    return location.store->List(Context(), location.path + "/" + folder).ValueOrDie().size();
  }
  void ExpectNumbers(const Dataset& dataset, const std::vector<std::pair<int64_t, int64_t>>& runs) {
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    batches.reserve(runs.size());
    for (auto [first, count] : runs) batches.push_back(Numbers(first, count));
    auto expected = arrow::Table::FromRecordBatches(NumberSchema(), batches).ValueOrDie();
    auto actual = dataset.ToTable().ValueOrDie();
    EXPECT_TRUE(actual->Equals(*expected)) << actual->ToString();
  }

  std::string uri_;
};

TEST_F(Datasets, CreateAppendOverwriteAndBack) {
  auto first = Create(10);
  EXPECT_EQ(first->version(), 1u);
  EXPECT_EQ(first->data_storage_version(), "2.2");
  auto second = Write(WriteMode::kAppend, {Numbers(10, 3), Numbers(13, 4)}).ValueOrDie();
  EXPECT_EQ(second->CountRows().ValueOrDie(), 17u);
  auto third =
      second->Insert(Reader({Numbers(100, 2)}), {.mode = WriteMode::kOverwrite}).ValueOrDie();
  ExpectNumbers(*third, {{100, 2}});
  ExpectNumbers(*third->Checkout(uint64_t{2}).ValueOrDie(), {{0, 17}});
  ExpectNumbers(*Dataset::Open(uri_, {.version = uint64_t{1}}).ValueOrDie(), {{0, 10}});
  EXPECT_EQ(first->LatestVersion().ValueOrDie(), 3u);
  auto versions = first->Versions().ValueOrDie();
  ASSERT_EQ(versions.size(), 3u);
  EXPECT_EQ(versions[1].metadata.at("total_rows"), "17");
  EXPECT_EQ(versions[1].metadata.at("total_fragments"), "2");
  EXPECT_LT(versions[0].timestamp_ns, versions[1].timestamp_ns);
  EXPECT_EQ(first->version(), 1u) << "handles don't move";

  // Strictly before.
  OpenOptions as_of;
  as_of.as_of_ns = versions[1].timestamp_ns;
  EXPECT_EQ(Dataset::Open(uri_, as_of).ValueOrDie()->version(), 1u);
  *as_of.as_of_ns += 1;
  EXPECT_EQ(Dataset::Open(uri_, as_of).ValueOrDie()->version(), 2u);
  as_of.as_of_ns = versions[0].timestamp_ns;
  EXPECT_EQ(GetErrorCode(Dataset::Open(uri_, as_of).status()), ErrorCode::kNotFound);
  as_of.version = uint64_t{1};
  EXPECT_EQ(GetErrorCode(Dataset::Open(uri_, as_of).status()), ErrorCode::kUserInput);
}

TEST_F(Datasets, NotFound) {
  Status missing = Dataset::Open(uri_).status();
  EXPECT_EQ(GetErrorCode(missing), ErrorCode::kNotFound);
  EXPECT_NE(missing.message().find("Dataset at path "), std::string::npos) << missing;
  EXPECT_NE(missing.message().find(" was not found"), std::string::npos) << missing;
  EXPECT_EQ(GetErrorCode(Dataset::Open(uri_, {.version = uint64_t{1}}).status()),
            ErrorCode::kNotFound);
  auto dataset = Create(1);
  Status version = dataset->Checkout(uint64_t{9}).status();
  EXPECT_EQ(GetErrorCode(version), ErrorCode::kNotFound);
  EXPECT_NE(version.message().find("version 9"), std::string::npos) << version;
  EXPECT_EQ(GetErrorCode(dataset->Checkout(std::string("no-tag")).status()), ErrorCode::kNotFound);
}

TEST_F(Datasets, Modes) {
  EXPECT_EQ(Write(WriteMode::kAppend, {Numbers(0, 2)}).ValueOrDie()->version(), 1u);
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kCreate, {Numbers(0, 2)}).status()),
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(Write(WriteMode::kOverwrite, {Numbers(0, 2)}).ValueOrDie()->version(), 2u);
  EXPECT_EQ(CountFiles("data"), 2u) << "the refused one left nothing";
}

TEST_F(Datasets, FilesAreCutExactly) {
  WriteOptions options;
  options.max_rows_per_file = 7;
  auto dataset = Write(WriteMode::kCreate, {Numbers(0, 3), Numbers(3, 20), Numbers(23, 5)}, options)
                     .ValueOrDie();
  std::vector<uint64_t> rows;
  for (const FragmentInfo& fragment : dataset->fragments()) rows.push_back(fragment.num_rows());
  EXPECT_EQ(rows, (std::vector<uint64_t>{7, 7, 7, 7}));
  ExpectNumbers(*dataset, {{0, 28}});
  const DataFileInfo& file = dataset->fragments()[0].files[0];
  EXPECT_EQ(file.fields, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(file.file_minor_version, 2u);
  EXPECT_GT(file.file_size_bytes.value_or(0), 0u);

  options.max_rows_per_file = 0;
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kOverwrite, {Numbers(0, 3)}, options).status()),
            ErrorCode::kUserInput);
}

TEST_F(Datasets, FilesAreCutBySize) {
  WriteOptions options;
  options.max_bytes_per_file = 20'000;
  auto dataset = Write(WriteMode::kCreate, {Numbers(0, 10'000)}, options).ValueOrDie();
  EXPECT_GT(dataset->fragments().size(), 3u);
  for (const FragmentInfo& fragment : dataset->fragments()) {
    EXPECT_LT(*fragment.files[0].file_size_bytes, 40'000u);
  }
  ExpectNumbers(*dataset, {{0, 10'000}});
}

TEST_F(Datasets, EmptyInput) {
  auto dataset = Write(WriteMode::kCreate, {}).ValueOrDie();
  EXPECT_EQ(dataset->CountRows().ValueOrDie(), 0u);
  EXPECT_TRUE(dataset->fragments().empty());
  EXPECT_TRUE(dataset->schema()->Equals(*NumberSchema()));
  EXPECT_EQ(dataset->ToTable().ValueOrDie()->num_rows(), 0);
  EXPECT_EQ(dataset->Take({}).ValueOrDie()->num_rows(), 0);
  EXPECT_EQ(Write(WriteMode::kAppend, {Numbers(0, 0)}).ValueOrDie()->version(), 2u);
  ExpectNumbers(*Write(WriteMode::kAppend, {Numbers(5, 1)}).ValueOrDie(), {{5, 1}});
}

TEST_F(Datasets, AppendOfSomeColumns) {
  Create(2);
  arrow::Int64Builder n;
  ASSERT_TRUE(n.Append(7).ok());
  auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), 1,
                                        {n.Finish().ValueOrDie()});
  auto dataset = Write(WriteMode::kAppend, {batch}).ValueOrDie();
  EXPECT_EQ(dataset->fragments()[1].files[0].fields, std::vector<int32_t>{0});
  auto table = dataset->ToTable().ValueOrDie();
  EXPECT_EQ(table->GetColumnByName("s")->null_count(), 1);
  auto extra = batch->RenameColumns({"nn"}).ValueOrDie();
  Status status = Write(WriteMode::kAppend, {extra}).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput);
  EXPECT_NE(status.message().find("did you mean 'n'"), std::string::npos) << status;
}

TEST_F(Datasets, FailedWritesLeaveNothing) {
  auto dataset = Create(5);
  WriteOptions options;
  options.mode = WriteMode::kAppend;
  options.max_rows_per_file = 60;
  Status status = Dataset::Write(uri_, std::make_shared<FailingReader>(5), options).status();
  EXPECT_NE(status.message().find("the source broke off"), std::string::npos) << status;
  EXPECT_EQ(CountFiles("data"), 1u);
  EXPECT_EQ(CountFiles("_transactions"), 1u);
  EXPECT_EQ(dataset->LatestVersion().ValueOrDie(), 1u);
  // Conflicts too.
  ASSERT_TRUE(Write(WriteMode::kOverwrite, {Numbers(0, 1)}).ok());
  Status conflict =
      dataset->Insert(Reader({Numbers(0, 1)}), {.mode = WriteMode::kOverwrite}).status();
  EXPECT_EQ(GetErrorCode(conflict), ErrorCode::kRetryableConflict) << conflict;
  EXPECT_EQ(CountFiles("data"), 2u);
  EXPECT_EQ(CountFiles("_transactions"), 2u);
}

TEST_F(Datasets, StorageVersions) {
  WriteOptions options;
  options.data_storage_version = "2.1";
  auto dataset = Write(WriteMode::kCreate, {Numbers(0, 3)}, options).ValueOrDie();
  EXPECT_EQ(dataset->data_storage_version(), "2.1");
  EXPECT_EQ(dataset->fragments()[0].files[0].file_minor_version, 1u);
  auto appended = Write(WriteMode::kAppend, {Numbers(3, 3)}).ValueOrDie();
  EXPECT_EQ(appended->fragments()[1].files[0].file_minor_version, 1u);
  options.data_storage_version = "2.2";
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kAppend, {Numbers(0, 1)}, options).status()),
            ErrorCode::kUserInput);
  options.data_storage_version = "STABLE";
  EXPECT_EQ(
      Write(WriteMode::kOverwrite, {Numbers(0, 1)}, options).ValueOrDie()->data_storage_version(),
      "2.2");
  options.data_storage_version = "7";
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kOverwrite, {Numbers(0, 1)}, options).status()),
            ErrorCode::kUserInput);
  for (const char* version : {"2.0", "2.1", "2.2", "2.3"}) {
    options.data_storage_version = version;
    EXPECT_EQ(
        Write(WriteMode::kOverwrite, {Numbers(0, 1)}, options).ValueOrDie()->data_storage_version(),
        version);
  }
  options.data_storage_version = "legacy";
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kOverwrite, {Numbers(0, 1)}, options).status()),
            ErrorCode::kUnsupported);
}

TEST_F(Datasets, BadSchemas) {
  for (const char* name : {"_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version", "a.b"}) {
    auto batch = Numbers(0, 1)->RenameColumns({name, "s"}).ValueOrDie();
    EXPECT_EQ(GetErrorCode(Write(WriteMode::kCreate, {batch}).status()), ErrorCode::kUserInput)
        << name;
  }
  auto twice = Numbers(0, 1)->RenameColumns({"s", "s"}).ValueOrDie();
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kCreate, {twice}).status()), ErrorCode::kUserInput);
  auto none = arrow::RecordBatch::Make(arrow::schema({}), 3, arrow::ArrayVector());
  EXPECT_EQ(GetErrorCode(Write(WriteMode::kCreate, {none}).status()), ErrorCode::kUserInput);
  EXPECT_EQ(GetErrorCode(Dataset::Open(uri_).status()), ErrorCode::kNotFound);
}

TEST_F(Datasets, StableRowIdsGoOn) {
  WriteOptions options;
  options.enable_stable_row_ids = true;
  ASSERT_TRUE(Write(WriteMode::kCreate, {Numbers(0, 3)}, options).ok());
  ASSERT_TRUE(Write(WriteMode::kAppend, {Numbers(3, 2)}).ok());
  auto dataset = Write(WriteMode::kOverwrite, {Numbers(0, 2)}).ValueOrDie();
  EXPECT_TRUE(dataset->has_stable_row_ids());
  ScanOptions scan;
  scan.columns = {"_rowid", "_row_created_at_version"};
  auto table = dataset->ToTable(scan).ValueOrDie();
  const auto& ids = static_cast<const arrow::UInt64Array&>(*table->column(0)->chunk(0));
  EXPECT_EQ(ids.Value(0), 5u);
  EXPECT_EQ(ids.Value(1), 6u);
  EXPECT_EQ(static_cast<const arrow::UInt64Array&>(*table->column(1)->chunk(0)).Value(0), 3u);
}

TEST_F(Datasets, ConcurrentWriters) {
  // All of them may create the table.
  constexpr int kThreads = 4;
  constexpr int kAppends = 5;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kAppends; ++i) {
        auto written = Write(WriteMode::kAppend, {Numbers(100 * t + 10 * i, 10)});
        EXPECT_TRUE(written.ok()) << written.status();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  auto dataset = Dataset::Open(uri_).ValueOrDie();
  EXPECT_EQ(dataset->version(), static_cast<uint64_t>(kThreads * kAppends));
  EXPECT_EQ(dataset->CountRows().ValueOrDie(), static_cast<uint64_t>(10 * kThreads * kAppends));
}

TEST_F(Datasets, FilesAreSharedBetweenVersions) {
  auto first = Create(100);
  std::vector<uint64_t> row = {50};
  ASSERT_TRUE(first->Take(row).ok());
  auto second = first->Insert(Reader({Numbers(100, 1)}), {.mode = WriteMode::kAppend}).ValueOrDie();
  uint64_t reads = second->io_counters().reads;
  ASSERT_TRUE(second->Take(row).ok());
  // One for the number; at most two for the string: the file is open, its page indexes are loaded.
  EXPECT_LE(second->io_counters().reads - reads, 3u);
  EXPECT_EQ(first->io_counters().reads, second->io_counters().reads);
}

TEST(LruCache, KeepsTheLastUsed) {
  LruCache<int, int> cache(2);
  EXPECT_EQ(cache.Get(1), nullptr);
  EXPECT_EQ(*cache.Put(1, std::make_shared<int>(10)), 10);
  EXPECT_EQ(*cache.Put(2, std::make_shared<int>(20)), 20);
  EXPECT_EQ(*cache.Put(1, std::make_shared<int>(11)), 10) << "the first one wins";
  EXPECT_EQ(*cache.Get(1), 10);
  cache.Put(3, std::make_shared<int>(30));
  EXPECT_EQ(cache.Get(2), nullptr);
  EXPECT_NE(cache.Get(1), nullptr);
}

}  // namespace
}  // namespace lance
