#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/executor.h"
#include "dataset/hand_made_table.h"
#include "dataset/scan.h"
#include "dataset/scan_plan.h"

namespace lance {
namespace {

using ::testing::HasSubstr;
using Expressions = std::vector<std::pair<std::string, std::string>>;

constexpr int64_t kRows = 20'000;
constexpr size_t kPadding = 200;

/// Rows n, n + 1, …: a number, a struct with its parity and a name, and some bulk.
std::shared_ptr<arrow::RecordBatch> MakeRows(int64_t first, int64_t count) {
  arrow::Int64Builder n;
  arrow::Int64Builder parity;
  arrow::StringBuilder name;
  arrow::StringBuilder bulk;
  for (int64_t i = first; i < first + count; ++i) {
    CheckOk(n.Append(i));
    CheckOk(parity.Append(i % 2));
    CheckOk(i % 7 == 0 ? name.AppendNull() : name.Append("row " + std::to_string(i)));
    CheckOk(
        bulk.Append(std::string(kPadding, static_cast<char>('a' + i % 26)) + std::to_string(i)));
  }
  auto st = arrow::StructArray::Make({*parity.Finish(), *name.Finish()},
                                     std::vector<std::string>{"parity", "name"});
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("st", (*st)->type()),
                     arrow::field("bulk", arrow::utf8())}),
      count, {*n.Finish(), *st, *bulk.Finish()});
}

class ScanFilterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    HandMadeTable table(*Schema::FromArrow(*MakeRows(0, 0)->schema()));
    for (int64_t first : {int64_t{0}, kRows / 2}) {
      table::DataFragment fragment;
      fragment.set_id(first == 0 ? 0 : 5);
      fragment.set_physical_rows(kRows / 2);
      *fragment.add_files() = table.WriteFile(table.manifest().schema, *MakeRows(first, kRows / 2));
      if (first > 0) table.Delete(&fragment, {0, 3, 9999});
      table.Add(fragment);
    }
    snapshot_ = table.Open();
  }
  static void TearDownTestSuite() { snapshot_ = nullptr; }

  static bool IsLive(int64_t n) { return n != kRows / 2 && n != kRows / 2 + 3 && n != kRows - 1; }

  /// Live numbers for which `test` holds.
  template <typename Test>
  static std::vector<int64_t> Expected(Test test) {
    std::vector<int64_t> numbers;
    for (int64_t n = 0; n < kRows; ++n) {
      if (IsLive(n) && test(n)) numbers.push_back(n);
    }
    return numbers;
  }

  /// Column `n` of a scan as a table, which a scan as a stream must agree with.
  static std::vector<int64_t> Numbers(const ScanOptions& options) {
    auto table = ScanTable(snapshot_, options).ValueOrDie();
    CheckOk(table->ValidateFull());
    auto streamed = ScanBatches(snapshot_, options).ValueOrDie()->ToTable().ValueOrDie();
    EXPECT_TRUE(table->Equals(*streamed));
    EXPECT_EQ(CountScan(snapshot_, options).ValueOrDie(), static_cast<uint64_t>(table->num_rows()));
    std::vector<int64_t> numbers;
    for (const auto& chunk : table->GetColumnByName("n")->chunks()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*chunk);
      for (int64_t i = 0; i < values.length(); ++i) numbers.push_back(values.Value(i));
    }
    return numbers;
  }

  static std::string Error(const ScanOptions& options) {
    auto table = ScanTable(snapshot_, options);
    return table.ok() ? "no error" : table.status().message();
  }

  static std::shared_ptr<const Snapshot> snapshot_;
};

std::shared_ptr<const Snapshot> ScanFilterTest::snapshot_;

TEST_F(ScanFilterTest, KeepsTheRowsForWhichItIsTrue) {
  EXPECT_EQ(Numbers({.filter = "n % 1000 = 7"}), Expected([](int64_t n) { return n % 1000 == 7; }));
  EXPECT_EQ(Numbers({.filter = "st.name is null and n > 5000"}),
            Expected([](int64_t n) { return n % 7 == 0 && n > 5000; }));
  EXPECT_EQ(Numbers({.filter = "true"}), Expected([](int64_t) { return true; }));
  EXPECT_EQ(Numbers({.filter = "n < 0"}), std::vector<int64_t>());
  EXPECT_EQ(Numbers({.filter = "1 = 2"}), std::vector<int64_t>());
  EXPECT_EQ(Numbers({.filter = "bulk like '%19998' or st.parity = 2"}),
            std::vector<int64_t>({19998}));
}

TEST_F(ScanFilterTest, ColumnsThatDoNotMatterAreNotRead) {
  EXPECT_EQ(Numbers({.filter = "n = 5 and (st.name = 'x' or not (0.5 > 0.5))"}),
            std::vector<int64_t>({5}));
}

TEST_F(ScanFilterTest, ColumnsAreThoseAskedFor) {
  auto table = ScanTable(snapshot_, {.columns = {{"bulk", "st.parity", "_rowaddr"}},
                                     .filter = "st.parity = 1 and st.name = 'row 10001'"})
                   .ValueOrDie();
  ASSERT_EQ(table->num_rows(), 1);
  EXPECT_EQ(table->schema()->field_names(),
            std::vector<std::string>({"bulk", "st.parity", "_rowaddr"}));
  EXPECT_EQ((*table->column(2)->GetScalar(0))->ToString(), std::to_string((5LL << 32) + 1));
  auto plain = ScanPlan::Make(*snapshot_, {.columns = {{"st.name", "n"}}}).ValueOrDie();
  auto filtered =
      ScanPlan::Make(*snapshot_, {.columns = {{"st.name", "n"}}, .filter = "n > 1"}).ValueOrDie();
  EXPECT_TRUE(plain->output_schema()->Equals(*filtered->output_schema(), true));
}

TEST_F(ScanFilterTest, RowAddressesAndIdsAreColumnsToo) {
  EXPECT_EQ(Numbers({.filter = "_rowaddr >= 21474836480 and _rowaddr < 21474836484"}),
            std::vector<int64_t>({kRows / 2 + 1, kRows / 2 + 2}));
  EXPECT_EQ(Numbers({.columns = {{"n", "_rowid"}}, .filter = "_rowid in (1, 3)"}),
            std::vector<int64_t>({1, 3}));
}

TEST_F(ScanFilterTest, LimitAndOffsetCountTheRowsThatPass) {
  auto even = Expected([](int64_t n) { return n % 2 == 0; });
  for (uint64_t offset : {0U, 1U, 4998U, 5000U, 9000U, 20000U}) {
    for (uint64_t limit : {0U, 1U, 3U, 6000U}) {
      auto begin = std::min<size_t>(offset, even.size());
      auto end = std::min<size_t>(begin + limit, even.size());
      EXPECT_EQ(Numbers({.filter = "n % 2 = 0", .limit = limit, .offset = offset}),
                std::vector<int64_t>(even.begin() + static_cast<int64_t>(begin),
                                     even.begin() + static_cast<int64_t>(end)))
          << offset << " " << limit;
    }
  }
  EXPECT_EQ(Numbers({.filter = "n >= 10002", .limit = 2, .fragments = {{5, 0}}}),
            std::vector<int64_t>({10002, 10004}));
}

TEST_F(ScanFilterTest, OtherColumnsAreReadOfTheRowsThatPassOnly) {
  const IoStats& stats = snapshot_->session()->io_stats();
  auto bytes_of = [&](const ScanOptions& options) {
    uint64_t before = stats.read_bytes.load();
    CheckOk(ScanTable(snapshot_, options).status());
    return stats.read_bytes.load() - before;
  };
  // Once, so that metadata is there.
  CheckOk(ScanTable(snapshot_, {}).status());
  uint64_t all = bytes_of({});
  uint64_t number_only = bytes_of({.columns = {{"n"}}});
  ASSERT_GT(all, kRows * kPadding / 40) << "the bulk is not compressed away";
  EXPECT_LE(bytes_of({.filter = "n < 0"}), number_only);
  EXPECT_LE(bytes_of({.columns = {{"n"}}, .filter = "n % 2 = 0"}), number_only)
      << "a column of the filter is not read again";
  EXPECT_LT(bytes_of({.filter = "n = 12345"}), number_only + all / 4);
  EXPECT_LT(bytes_of({.columns = {{"n"}}, .filter = "n > 5 and st.parity = 1"}), number_only * 2)
      << "a struct's other members are not read";
}

TEST_F(ScanFilterTest, ExpressionsMakeColumns) {
  auto table = ScanTable(snapshot_, {.expressions = Expressions{{"twice", "n * 2"},
                                                                {"who", "upper(st.name)"},
                                                                {"one", "1"},
                                                                {"st", "st"}},
                                     .filter = "n between 8 and 9",
                                     .with_row_id = true})
                   .ValueOrDie();
  CheckOk(table->ValidateFull());
  EXPECT_EQ(table->schema()->field_names(),
            std::vector<std::string>({"twice", "who", "one", "st", "_rowid"}));
  ASSERT_EQ(table->num_rows(), 2);
  EXPECT_EQ((*table->column(0)->GetScalar(1))->ToString(), "18");
  EXPECT_EQ((*table->column(1)->GetScalar(0))->ToString(), "ROW 8");
  EXPECT_EQ((*table->column(2)->GetScalar(0))->ToString(), "1");
  EXPECT_EQ(table->field(0)->type()->id(), arrow::Type::INT64);
  auto plain =
      ScanTable(snapshot_, {.expressions = Expressions{{"n", "n"}}, .limit = 3, .offset = 2});
  EXPECT_EQ((*(*plain)->column(0)->GetScalar(2))->ToString(), "4");
}

TEST_F(ScanFilterTest, ErrorsNameTheirPlace) {
  EXPECT_THAT(Error({.filter = "bulky > 1"}),
              HasSubstr("there is no column 'bulky'; did you mean 'bulk'?"));
  EXPECT_THAT(Error({.filter = "n >"}), HasSubstr("at the end of the expression"));
  EXPECT_THAT(Error({.filter = "1000 / n > 0"}), HasSubstr("division by zero, in: 1000 / n"));
  EXPECT_THAT(Error({.expressions = Expressions{{"a", "n"}, {"a", "n"}}}),
              HasSubstr("named twice"));
  EXPECT_THAT(Error({.columns = {{"n"}}, .expressions = Expressions{{"a", "n"}}}),
              HasSubstr("either columns or expressions"));
}

}  // namespace
}  // namespace lance
