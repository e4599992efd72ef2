#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/executor.h"
#include "dataset/hand_made_table.h"
#include "dataset/scan.h"
#include "dataset/scan_plan.h"
#include "dataset/take.h"

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
    snapshot = table.Open();
  }
  static void TearDownTestSuite() { snapshot = nullptr; }

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
    auto table = ScanTable(snapshot, options).ValueOrDie();
    CheckOk(table->ValidateFull());
    auto streamed = ScanBatches(snapshot, options).ValueOrDie()->ToTable().ValueOrDie();
    EXPECT_TRUE(table->Equals(*streamed));
    EXPECT_EQ(CountScan(snapshot, options).ValueOrDie(), static_cast<uint64_t>(table->num_rows()));
    std::vector<int64_t> numbers;
    for (const auto& chunk : table->GetColumnByName("n")->chunks()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*chunk);
      for (int64_t i = 0; i < values.length(); ++i) numbers.push_back(values.Value(i));
    }
    return numbers;
  }

  static std::string Error(const ScanOptions& options) {
    auto table = ScanTable(snapshot, options);
    return table.ok() ? "no error" : table.status().message();
  }

  static std::shared_ptr<const Snapshot> snapshot;
};

std::shared_ptr<const Snapshot> ScanFilterTest::snapshot;

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
  auto table = ScanTable(snapshot, {.columns = {{"bulk", "st.parity", "_rowaddr"}},
                                    .filter = "st.parity = 1 and st.name = 'row 10001'"})
                   .ValueOrDie();
  ASSERT_EQ(table->num_rows(), 1);
  EXPECT_EQ(table->schema()->field_names(),
            std::vector<std::string>({"bulk", "st.parity", "_rowaddr"}));
  EXPECT_EQ((*table->column(2)->GetScalar(0))->ToString(), std::to_string((5LL << 32) + 1));
  auto plain = ScanPlan::Make(*snapshot, {.columns = {{"st.name", "n"}}}).ValueOrDie();
  auto filtered =
      ScanPlan::Make(*snapshot, {.columns = {{"st.name", "n"}}, .filter = "n > 1"}).ValueOrDie();
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
  const IoStats& stats = snapshot->session()->io_stats();
  auto bytes_of = [&](const ScanOptions& options) {
    uint64_t before = stats.read_bytes.load();
    CheckOk(ScanTable(snapshot, options).status());
    return stats.read_bytes.load() - before;
  };
  // Once, so that metadata is there.
  CheckOk(ScanTable(snapshot, {}).status());
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

TEST_F(ScanFilterTest, RowsAreFoundByTheirAddresses) {
  constexpr uint64_t kSecond = 5ULL << 32;
  auto at = [](uint64_t address) { return std::to_string(address); };
  EXPECT_EQ(Numbers({.filter = "_rowaddr = " + at(kSecond + 1)}),
            std::vector<int64_t>({kRows / 2 + 1}));
  EXPECT_EQ(Numbers({.filter = "_rowid = " + at(kSecond)}), std::vector<int64_t>()) << "deleted";
  EXPECT_EQ(Numbers({.filter = "_rowaddr = " + at(kSecond + 10000)}), std::vector<int64_t>());
  EXPECT_EQ(Numbers({.filter = "_rowaddr = " + at(7ULL << 32)}), std::vector<int64_t>());
  EXPECT_EQ(Numbers({.filter = "_rowid in (3, 4, 8589934592, " + at(kSecond + 9) + ")"}),
            std::vector<int64_t>({3, 4, kRows / 2 + 9}));
  EXPECT_EQ(
      Numbers({.filter = "_rowaddr > 9990 and _rowaddr <= " + at(kSecond + 4) + " and n % 2 = 0"}),
      Expected([](int64_t n) { return n > 9990 && n <= kRows / 2 + 4 && n % 2 == 0; }));
  EXPECT_EQ(Numbers({.filter = "not (_rowid >= 5 and _rowid < " + at(kSecond + 9990) + ")"}),
            Expected([](int64_t n) { return n < 5 || n >= kRows / 2 + 9990; }));
  EXPECT_EQ(Numbers({.filter = "_rowid <> 0 and n < 4"}), std::vector<int64_t>({1, 2, 3}));
  EXPECT_EQ(Numbers({.filter = "_rowid = 4 or n = 2"}), std::vector<int64_t>({2, 4}));
  EXPECT_EQ(Numbers({.filter = "_rowid >= 10", .limit = 2, .offset = 1}),
            std::vector<int64_t>({11, 12}));
  EXPECT_EQ(Numbers({.filter = "_rowid in (5, " + at(kSecond + 1) + ")", .fragments = {{5, 0}}}),
            std::vector<int64_t>({kRows / 2 + 1, 5}));
}

TEST_F(ScanFilterTest, RowsFoundByTheirAddressesCostTheirReadsOnly) {
  const IoStats& stats = snapshot->session()->io_stats();
  auto reads_of = [&](const ScanOptions& options) {
    uint64_t before = stats.reads.load();
    CheckOk(ScanTable(snapshot, options).status());
    return stats.reads.load() - before;
  };
  ScanOptions one{.columns = {{"n", "bulk"}}, .filter = "_rowid = 77 and _rowaddr < 100"};
  CheckOk(ScanTable(snapshot, one).status());
  std::vector<uint64_t> row = {77};
  uint64_t before = stats.reads.load();
  CheckOk(TakeRows(*snapshot, row, {.columns = one.columns}).status());
  uint64_t of_take = stats.reads.load() - before;
  before = stats.reads.load();
  CheckOk(TakeRows(*snapshot, row, {.columns = one.columns}).status());
  of_take = std::min(of_take, stats.reads.load() - before);
  EXPECT_EQ(reads_of(one), of_take);
  before = stats.reads.load();
  EXPECT_EQ(CountScan(snapshot, {.filter = "_rowid between 5 and 7"}).ValueOrDie(), 3U);
  EXPECT_EQ(stats.reads.load(), before) << "counting by address reads nothing";
}

TEST_F(ScanFilterTest, OffsetsAreColumnsToo) {
  auto offsets = [](const ScanOptions& options) {
    auto table = ScanTable(snapshot, options).ValueOrDie();
    std::vector<uint64_t> values;
    for (const auto& chunk : table->GetColumnByName("_rowoffset")->chunks()) {
      const auto& numbers = static_cast<const arrow::UInt64Array&>(*chunk);
      values.insert(values.end(), numbers.raw_values(), numbers.raw_values() + numbers.length());
    }
    return values;
  };
  std::vector<uint64_t> all = offsets({.columns = {{"_rowoffset"}}});
  std::vector<uint64_t> counted(all.size());
  std::iota(counted.begin(), counted.end(), uint64_t{0});
  EXPECT_EQ(all, counted);
  EXPECT_EQ(Numbers({.columns = {{"n", "_rowoffset"}},
                     .filter = "_rowoffset in (0, 10000, 10001, 10002)"}),
            std::vector<int64_t>({0, kRows / 2 + 1, kRows / 2 + 2, kRows / 2 + 4}));
  EXPECT_EQ(offsets({.columns = {{"_rowoffset"}}, .filter = "n > 10003", .limit = 2}),
            std::vector<uint64_t>({10002, 10003}));
  std::vector<uint64_t> rows = {10002, 3, 3};
  auto taken = TakeRows(*snapshot, rows, {.columns = {{"_rowoffset", "n"}}}).ValueOrDie();
  EXPECT_EQ(taken->column(0)->ToString(), "[\n  10002,\n  3,\n  3\n]");
}

TEST_F(ScanFilterTest, AStarStandsForAllColumns) {
  auto table = ScanTable(snapshot, {.columns = {{"_rowid", "*"}}, .limit = 1}).ValueOrDie();
  EXPECT_EQ(table->schema()->field_names(),
            std::vector<std::string>({"_rowid", "n", "st", "bulk"}));
}

TEST_F(ScanFilterTest, TakesComputeColumnsToo) {
  std::vector<uint64_t> rows = {10000, 2, 2};
  auto taken =
      TakeComputedRows(*snapshot, rows, {{"twice", "n * 2"}, {"at", "_rowoffset"}}).ValueOrDie();
  EXPECT_EQ(taken->column(0)->ToString(), "[\n  20002,\n  4,\n  4\n]");
  EXPECT_EQ(taken->column(1)->ToString(), "[\n  10000,\n  2,\n  2\n]");
  EXPECT_FALSE(TakeComputedRows(*snapshot, rows, {{"x", "nothing"}}).ok());
}

/// Finds rows by `n`, of the first fragment only.
class NumberIndex final : public query::PredicateIndex {
 public:
  explicit NumberIndex(bool is_exact) : is_exact_(is_exact) { coverage_.add(0U); }

  std::optional<query::IndexOffer> Accepts(const query::Expr& condition) const override {
    bool is_equality = condition.IsCallOf("=") && condition.args[1]->IsLiteral();
    if (!is_equality || condition.args[0]->name != "n") return std::nullopt;
    return query::IndexOffer{.cost = 1, .is_exact = is_exact_};
  }
  Result<query::IndexAnswer> Search(const Context& context,
                                    const query::Expr& condition) const override {
    auto value = static_cast<const arrow::Int64Array&>(*condition.args[1]->value).Value(0);
    query::RowSet rows = query::RowSet::None();
    rows.Add(0, static_cast<uint32_t>(value));
    // Stale and surplus rows may be among them.
    rows.Add(5, 0);
    if (is_exact_) return query::IndexAnswer::Exact(rows);
    rows.Add(0, static_cast<uint32_t>(value + 1));
    return query::IndexAnswer::AtMost(rows);
  }
  const RoaringBitmap& coverage() const override { return coverage_; }
  std::string_view name() const override { return "numbers"; }

 private:
  bool is_exact_;
  RoaringBitmap coverage_;
};

TEST_F(ScanFilterTest, IndexesFindTheRowsOfTheFragmentsThatTheyCover) {
  for (bool is_exact : {true, false}) {
    std::vector<query::IndexPtr> indexes = {std::make_shared<NumberIndex>(is_exact)};
    auto numbers = [&](const std::string& filter) {
      ScanOptions options{.columns = {{"n"}}, .filter = filter};
      auto table = ScanBatches(snapshot, options, indexes).ValueOrDie()->ToTable().ValueOrDie();
      auto plain = ScanTable(snapshot, options).ValueOrDie();
      EXPECT_TRUE(table->Equals(*plain)) << filter;
      return table->num_rows();
    };
    EXPECT_EQ(numbers("n = 77"), 1);
    EXPECT_EQ(numbers("n = 12345"), 1) << "in the fragment that is not covered";
    EXPECT_EQ(numbers("n = 77 and st.parity = 0"), 0);
    EXPECT_EQ(numbers("(n = 77 or n = 78) and st.parity = 0"), 1);
    EXPECT_EQ(numbers("n = 77 and _rowaddr >= 77"), 1);
    EXPECT_EQ(numbers("n = 77 or st.parity = 0"), 10000) << "no use for it";
    ScanOptions one{.columns = {{"bulk"}}, .filter = "n = 77 and st.parity = 1"};
    std::string plan = PlanToText(ExplainScan(*snapshot, one, indexes).ValueOrDie());
    EXPECT_EQ(plan.find("Union\n") != std::string::npos, is_exact) << plan;
    EXPECT_THAT(plan, HasSubstr("IndexSearch: query=numbers(n = 77)"));
    one.fragments = {{0}};
    PlanNode done = AnalyzeScan(snapshot, one, indexes).ValueOrDie();
    const PlanNode* read = &done;
    while (read->step != "Read") read = &read->inputs[0];
    EXPECT_EQ(read->metrics->rows, is_exact ? 1U : 2U) << PlanToText(done);
  }
}

TEST_F(ScanFilterTest, PlansTellTheirSteps) {
  ScanOptions options{.columns = {{"bulk", "n"}}, .filter = "n > 10", .limit = 5};
  EXPECT_EQ(PlanToText(ExplainScan(*snapshot, options).ValueOrDie()),
            "Limit: limit=5, offset=0\n"
            "  Project: columns=[bulk, n]\n"
            "    ReadKept: columns=[bulk]\n"
            "      Filter: condition=n > 10\n"
            "        Read: columns=[n], fragments=2, rows=19997\n");
  EXPECT_EQ(PlanToText(ExplainScan(*snapshot, {.filter = "1 = 2"}).ValueOrDie()), "Empty\n");
  EXPECT_EQ(
      PlanToText(ExplainScan(*snapshot, {.expressions = Expressions{{"m", "n + 1"}}}).ValueOrDie()),
      "Compute: m=n + 1\n"
      "  Read: columns=[n], fragments=2, rows=19997\n");
  const IoStats& stats = snapshot->session()->io_stats();
  uint64_t before = stats.read_bytes.load();
  PlanNode done =
      AnalyzeScan(snapshot, {.columns = {{"bulk"}}, .filter = "n % 1000 = 1"}).ValueOrDie();
  uint64_t bytes = 0;
  for (const PlanNode* node = &done; !node->inputs.empty();) {
    node = &node->inputs[0];
    bytes += node->metrics->read_bytes;
  }
  EXPECT_EQ(bytes, stats.read_bytes.load() - before);
  EXPECT_EQ(bytes, done.metrics->read_bytes);
  EXPECT_EQ(done.metrics->rows, 20U);
  EXPECT_THAT(PlanToText(done), HasSubstr("Filter: condition=(n % 1000) = 1; rows=20, reads=0, "));
}

TEST_F(ScanFilterTest, ExpressionsMakeColumns) {
  auto table = ScanTable(snapshot, {.expressions = Expressions{{"twice", "n * 2"},
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
      ScanTable(snapshot, {.expressions = Expressions{{"n", "n"}}, .limit = 3, .offset = 2});
  EXPECT_EQ((*(*plain)->column(0)->GetScalar(2))->ToString(), "4");
}

TEST_F(ScanFilterTest, ErrorsNameTheirPlace) {
  EXPECT_THAT(Error({.filter = "bulky > 1"}),
              HasSubstr("there is no column 'bulky'; did you mean 'bulk'?"));
  EXPECT_THAT(Error({.filter = "n >"}), HasSubstr("at the end of the expression"));
  EXPECT_THAT(Error({.filter = "1000 / n > 0"}),
              HasSubstr("division by zero, at character 1 of the expression: '1000 / n"));
  EXPECT_THAT(Error({.expressions = Expressions{{"a", "n"}, {"a", "n"}}}),
              HasSubstr("named twice"));
  EXPECT_THAT(Error({.columns = {{"n"}}, .expressions = Expressions{{"a", "n"}}}),
              HasSubstr("either columns or expressions"));
}

}  // namespace
}  // namespace lance
