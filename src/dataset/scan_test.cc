#include "dataset/scan.h"

#include <numeric>
#include <random>

#include "base/executor.h"
#include "dataset/hand_made_table.h"
#include "dataset/take.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

std::shared_ptr<arrow::Schema> ArrowSchema() {
  return arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8()),
                        arrow::field("half", arrow::float32())});
}

/// Row `n` of the test table, in each column.
std::shared_ptr<arrow::RecordBatch> MakeRows(const std::vector<int64_t>& numbers) {
  arrow::Int64Builder n;
  arrow::StringBuilder s;
  arrow::FloatBuilder half;
  for (int64_t number : numbers) {
    CheckOk(n.Append(number));
    CheckOk(number % 5 == 0 ? s.AppendNull() : s.Append("row " + std::to_string(number)));
    CheckOk(half.Append(static_cast<float>(number) / 2));
  }
  return arrow::RecordBatch::Make(
      ArrowSchema(), static_cast<int64_t>(numbers.size()),
      {n.Finish().ValueOrDie(), s.Finish().ValueOrDie(), half.Finish().ValueOrDie()});
}

/// A random table with what is in it.
class RandomTable {
 public:
  explicit RandomTable(uint32_t seed)
      : random_(seed), table_(Schema::FromArrow(*ArrowSchema()).ValueOrDie()) {
    size_t fragments = 1 + random_() % 6;
    for (size_t i = 0; i < fragments; ++i) AddFragment(3 * i + random_() % 3);
    snapshot_ = table_.Open();
  }

  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  const std::vector<std::vector<int64_t>>& live() const { return live_; }
  std::vector<int64_t> all() const {
    std::vector<int64_t> numbers;
    for (const auto& fragment : live_) {
      numbers.insert(numbers.end(), fragment.begin(), fragment.end());
    }
    return numbers;
  }
  std::vector<uint64_t> addresses() const { return addresses_; }
  std::mt19937& random() { return random_; }

 private:
  void AddFragment(uint64_t id) {
    const std::vector<size_t> sizes = {1, 2, 100, 1023, 1024, 1025, 4096, 9000};
    std::vector<int64_t> numbers(sizes[random_() % sizes.size()]);
    std::iota(numbers.begin(), numbers.end(), next_);
    next_ += static_cast<int64_t>(numbers.size());
    auto batch = MakeRows(numbers);
    Schema schema = table_.manifest().schema;
    table::DataFragment fragment;
    fragment.set_id(id);
    fragment.set_physical_rows(numbers.size());
    if (random_() % 2 == 0) {
      *fragment.add_files() = table_.WriteFile(schema, *batch);
    } else {
      // The middle column lies in a file of its own.
      *fragment.add_files() = table_.WriteFile(schema.ProjectByIds({1}), *batch);
      *fragment.add_files() = table_.WriteFile(schema.ProjectByIds({0, 2}), *batch);
    }
    std::vector<uint32_t> deleted;
    uint32_t modulus = std::vector<uint32_t>{0, 2, 50, 1000}[random_() % 4];
    live_.emplace_back();
    for (uint32_t offset = 0; offset < numbers.size(); ++offset) {
      if (modulus != 0 && offset % modulus == 1) {
        deleted.push_back(offset);
      } else {
        live_.back().push_back(numbers[offset]);
        addresses_.push_back((id << 32) | offset);
      }
    }
    if (!deleted.empty()) table_.Delete(&fragment, deleted);
    table_.Add(fragment);
  }

  std::mt19937 random_;
  HandMadeTable table_;
  int64_t next_ = 0;
  std::vector<std::vector<int64_t>> live_;
  std::vector<uint64_t> addresses_;
  std::shared_ptr<const Snapshot> snapshot_;
};

void ExpectRows(const arrow::Table& table, const std::vector<int64_t>& numbers) {
  ASSERT_TRUE(table.ValidateFull().ok()) << table.ValidateFull();
  auto expected = arrow::Table::FromRecordBatches({MakeRows(numbers)}).ValueOrDie();
  ASSERT_EQ(table.num_rows(), expected->num_rows());
  for (int i = 0; i < expected->num_columns(); ++i) {
    auto column = table.GetColumnByName(expected->field(i)->name());
    if (column == nullptr) continue;
    ASSERT_TRUE(column->Equals(*expected->column(i))) << i;
  }
}

std::vector<std::shared_ptr<arrow::RecordBatch>> ReadAll(arrow::RecordBatchReader& reader) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    CheckOk(reader.ReadNext(&batch));
    if (batch == nullptr) return batches;
    batches.push_back(std::move(batch));
  }
}

class Scans : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { SetCpuThreads(GetParam()); }
  void TearDown() override { SetCpuThreads(before_); }

 private:
  const int before_ = CpuThreads();
};
INSTANTIATE_TEST_SUITE_P(Threads, Scans, ::testing::Values(1, 4));

TEST_P(Scans, WholeTables) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomTable table(seed);
    EXPECT_EQ((*table.snapshot()->Counts())->total(), table.all().size());
    ExpectRows(*ScanTable(table.snapshot(), {}).ValueOrDie(), table.all());
  }
}

TEST_P(Scans, BatchesEndAtFragmentEnds) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    for (uint64_t batch_size : {1000u, 1024u, 77u, 1u << 20}) {
      SCOPED_TRACE(seed);
      RandomTable table(seed);
      ScanOptions options;
      options.batch_size = batch_size;
      auto batches = ReadAll(*ScanBatches(table.snapshot(), options).ValueOrDie());
      std::vector<size_t> sizes;
      sizes.reserve(batches.size());
      for (const auto& batch : batches) sizes.push_back(static_cast<size_t>(batch->num_rows()));
      std::vector<size_t> expected;
      for (const auto& fragment : table.live()) {
        for (size_t left = fragment.size(); left > 0;) {
          expected.push_back(std::min<size_t>(left, batch_size));
          left -= expected.back();
        }
      }
      EXPECT_EQ(sizes, expected);
      ExpectRows(*arrow::Table::FromRecordBatches(ArrowSchema(), batches).ValueOrDie(),
                 table.all());
    }
  }
}

TEST_P(Scans, LimitAndOffset) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomTable table(seed);
    std::vector<int64_t> all = table.all();
    for (int i = 0; i < 10; ++i) {
      ScanOptions options;
      options.offset = table.random()() % (all.size() + 10);
      options.limit = table.random()() % (all.size() + 10);
      size_t start = std::min<size_t>(options.offset, all.size());
      size_t end = std::min<size_t>(start + *options.limit, all.size());
      ExpectRows(
          *ScanTable(table.snapshot(), options).ValueOrDie(),
          {all.begin() + static_cast<ptrdiff_t>(start), all.begin() + static_cast<ptrdiff_t>(end)});
    }
  }
}

TEST_P(Scans, ChosenFragments) {
  RandomTable table(4);
  const auto& fragments = table.snapshot()->fragments();
  ASSERT_GT(fragments.size(), 1u);
  ScanOptions options;
  options.fragments = std::vector<uint64_t>{fragments[1].id, fragments[0].id};
  std::vector<int64_t> expected = table.live()[1];
  expected.insert(expected.end(), table.live()[0].begin(), table.live()[0].end());
  ExpectRows(*ScanTable(table.snapshot(), options).ValueOrDie(), expected);
  options.fragments = std::vector<uint64_t>{12345};
  EXPECT_EQ(GetErrorCode(ScanTable(table.snapshot(), options).status()), ErrorCode::kNotFound);
}

TEST_P(Scans, VirtualColumnsAndOrder) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    RandomTable table(seed);
    ScanOptions options;
    options.columns = {"_rowaddr", "half", "n"};
    options.with_row_id = true;
    options.with_row_address = true;
    auto result = ScanTable(table.snapshot(), options).ValueOrDie();
    ASSERT_EQ(result->schema()->field_names(),
              (std::vector<std::string>{"_rowaddr", "half", "n", "_rowid"}));
    ExpectRows(*result, table.all());
    arrow::UInt64Builder builder;
    CheckOk(builder.AppendValues(table.addresses()));
    arrow::ChunkedArray expected(builder.Finish().ValueOrDie());
    EXPECT_TRUE(result->GetColumnByName("_rowaddr")->Equals(expected));
    EXPECT_TRUE(result->GetColumnByName("_rowid")->Equals(expected)) << "no stable row ids";
  }
}

TEST_P(Scans, NoColumnsHaveCounts) {
  RandomTable table(2);
  ScanOptions options;
  options.columns = std::vector<std::string>();
  options.offset = 1;
  auto result = ScanTable(table.snapshot(), options).ValueOrDie();
  EXPECT_EQ(result->num_columns(), 0);
  EXPECT_EQ(static_cast<size_t>(result->num_rows()), table.all().size() - 1);
  size_t rows = 0;
  for (const auto& batch : ReadAll(*ScanBatches(table.snapshot(), options).ValueOrDie())) {
    rows += static_cast<size_t>(batch->num_rows());
  }
  EXPECT_EQ(rows, table.all().size() - 1);
}

TEST_P(Scans, MayBeLeftEarly) {
  RandomTable table(4);
  for (int batches = 0; batches < 4; ++batches) {
    ScanOptions options;
    options.batch_size = 10;
    auto reader = ScanBatches(table.snapshot(), options).ValueOrDie();
    for (int i = 0; i < batches; ++i) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ASSERT_TRUE(reader->ReadNext(&batch).ok());
    }
    if (batches % 2 == 0) {
      ASSERT_TRUE(reader->Close().ok());
    }
  }
}

TEST_P(Scans, BadOptions) {
  RandomTable table(1);
  ScanOptions options;
  options.batch_size = 0;
  EXPECT_EQ(GetErrorCode(ScanBatches(table.snapshot(), options).status()), ErrorCode::kUserInput);
  options.batch_size.reset();
  options.columns = {"hal"};
  Status unknown = ScanBatches(table.snapshot(), options).status();
  EXPECT_EQ(GetErrorCode(unknown), ErrorCode::kUserInput);
  EXPECT_NE(unknown.message().find("'half'"), std::string::npos) << unknown;
  options.columns = {"n", "n"};
  EXPECT_EQ(GetErrorCode(ScanBatches(table.snapshot(), options).status()), ErrorCode::kUserInput);
}

/// The error of a broken data file comes out, and stays.
TEST_P(Scans, ErrorsComeThrough) {
  HandMadeTable table(Schema::FromArrow(*ArrowSchema()).ValueOrDie());
  for (uint64_t id = 0; id < 30; ++id) {
    table::DataFragment fragment;
    fragment.set_id(id);
    fragment.set_physical_rows(id == 20 ? 4 : 3);
    *fragment.add_files() = table.WriteFile(table.manifest().schema, *MakeRows({1, 2, 3}));
    table.Add(fragment);
  }
  auto snapshot = table.Open();
  EXPECT_EQ(GetErrorCode(ScanTable(snapshot, {}).status()), ErrorCode::kCorrupt);
  auto reader = ScanBatches(snapshot, {}).ValueOrDie();
  Status failure;
  int batches = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
  while ((failure = reader->ReadNext(&batch)).ok() && batch != nullptr) ++batches;
  EXPECT_EQ(GetErrorCode(failure), ErrorCode::kCorrupt);
  EXPECT_LE(batches, 20);
  EXPECT_FALSE(reader->ReadNext(&batch).ok());
}

TEST_P(Scans, TakeIsLikeScan) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomTable table(seed);
    std::vector<int64_t> all = table.all();
    auto& random = table.random();
    for (size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{50}, size_t{2000}}) {
      for (bool ascending : {false, true}) {
        std::vector<uint64_t> positions(count);
        for (uint64_t& position : positions) position = random() % all.size();
        if (ascending) std::sort(positions.begin(), positions.end());
        auto taken =
            TakeRows(*table.snapshot(), positions, {.path_style = PathStyle::kNested}).ValueOrDie();
        std::vector<int64_t> expected;
        expected.reserve(positions.size());
        for (uint64_t position : positions) expected.push_back(all[position]);
        ExpectRows(*arrow::Table::FromRecordBatches({taken}).ValueOrDie(), expected);
      }
    }
    size_t fragment = random() % table.live().size();
    const auto& live = table.live()[fragment];
    std::vector<uint64_t> positions = {live.size() - 1, 0, live.size() / 2};
    auto taken = TakeRowsOfFragment(*table.snapshot(), table.snapshot()->fragments()[fragment].id,
                                    positions, {.path_style = PathStyle::kNested})
                     .ValueOrDie();
    ExpectRows(*arrow::Table::FromRecordBatches({taken}).ValueOrDie(),
               {live.back(), live.front(), live[live.size() / 2]});
  }
}

TEST_P(Scans, TakeOutOfRange) {
  RandomTable table(3);
  uint64_t rows = table.all().size();
  IoStats& stats = table.snapshot()->session()->io_stats();
  uint64_t reads = stats.reads;
  for (std::vector<uint64_t> positions : {std::vector<uint64_t>{rows}, {0, ~uint64_t{0}}}) {
    Status status =
        TakeRows(*table.snapshot(), positions, {.path_style = PathStyle::kNested}).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput);
    EXPECT_NE(status.message().find(std::to_string(rows) + " rows"), std::string::npos) << status;
  }
  EXPECT_EQ(stats.reads, reads) << "nothing is read before the check";
  uint64_t first_size = table.live()[0].size();
  EXPECT_FALSE(TakeRowsOfFragment(*table.snapshot(), table.snapshot()->fragments()[0].id,
                                  std::vector<uint64_t>{first_size},
                                  {.path_style = PathStyle::kNested})
                   .ok());
}

TEST_P(Scans, TakeWithoutColumns) {
  RandomTable table(3);
  std::vector<uint64_t> positions = {2, 1, 1};
  auto taken =
      TakeRows(*table.snapshot(), positions, {.columns = std::vector<std::string>()}).ValueOrDie();
  EXPECT_EQ(taken->num_rows(), 3);
  EXPECT_EQ(taken->num_columns(), 0);
}

/// Warm, a row costs the reads of its values and nothing else.
TEST_P(Scans, WarmTakeReadsOnlyTheRow) {
  RandomTable table(3);
  std::vector<std::string> columns = {"n"};
  IoStats& stats = table.snapshot()->session()->io_stats();
  std::vector<uint64_t> position = {table.all().size() / 2};
  ASSERT_TRUE(TakeRows(*table.snapshot(), position, {.columns = columns}).ok());
  uint64_t reads = stats.reads;
  ASSERT_TRUE(TakeRows(*table.snapshot(), position, {.columns = columns}).ok());
  EXPECT_LE(stats.reads - reads, 1u);
}

}  // namespace
}  // namespace lance
