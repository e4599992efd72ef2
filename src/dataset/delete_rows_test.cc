#include "dataset/delete_rows.h"

#include "arrow/api.h"
#include "dataset/open_table.h"
#include "dataset/scan.h"
#include "dataset/write_table.h"
#include "gtest/gtest.h"
#include "table/deletion_file.h"

namespace lance {
namespace {

/// A table `id: 0 … 9` in fragments of 5 rows.
class Deletions : public ::testing::Test {
 protected:
  void SetUp() override {
    handle_ = TableHandle{
        "memory://deletions", {MakeMemoryStore(), "/t"}, std::make_shared<TableSession>()};
    arrow::Int64Builder builder;
    for (int64_t i = 0; i < 10; ++i) ASSERT_TRUE(builder.Append(i).ok());
    auto schema = arrow::schema({arrow::field("id", arrow::int64())});
    auto batch = arrow::RecordBatch::Make(schema, 10, {builder.Finish().ValueOrDie()});
    auto reader = arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie();
    WriteOptions options;
    options.max_rows_per_file = 5;
    first_ = WriteTable(handle_, nullptr, reader, options).ValueOrDie();
  }

  static std::shared_ptr<const RowAddressSet> Rows(
      const std::vector<std::pair<uint32_t, uint32_t>>& rows) {
    auto set = std::make_shared<RowAddressSet>();
    for (auto [fragment, offset] : rows) set->Add(MakeRowAddress(fragment, offset));
    return set;
  }

  static std::vector<int64_t> Ids(const std::shared_ptr<const Snapshot>& snapshot) {
    auto table = ScanTable(snapshot, {}).ValueOrDie();
    std::vector<int64_t> ids;
    for (const auto& chunk : table->column(0)->chunks()) {
      const auto& array = static_cast<const arrow::Int64Array&>(*chunk);
      for (int64_t i = 0; i < array.length(); ++i) ids.push_back(array.Value(i));
    }
    return ids;
  }

  size_t CountDeletionFiles() {
    return handle_.table.store->List(Context(), "/t/_deletions").ValueOrDie().size();
  }

  TableHandle handle_;
  std::shared_ptr<const Snapshot> first_;
};

using Values = std::vector<int64_t>;

TEST_F(Deletions, OfRows) {
  auto second = DeleteRows(*first_, Rows({{0, 1}, {0, 3}, {1, 0}}), "x").ValueOrDie();
  EXPECT_EQ(Ids(second), (Values{0, 2, 4, 6, 7, 8, 9}));
  // A new deletion file has the old deletions too.
  auto third = DeleteRows(*second, Rows({{0, 0}}), "x").ValueOrDie();
  EXPECT_EQ(Ids(third), (Values{2, 4, 6, 7, 8, 9}));
  EXPECT_EQ(third->fragments()[0].num_deleted_rows, 3u);
  EXPECT_EQ(Ids(first_).size(), 10u);
}

TEST_F(Deletions, OfWholeFragments) {
  auto second =
      DeleteRows(*first_, Rows({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}), "x").ValueOrDie();
  ASSERT_EQ(second->fragments().size(), 1u);
  EXPECT_EQ(second->fragments()[0].id, 1u);
  EXPECT_EQ(CountDeletionFiles(), 0u);
}

TEST_F(Deletions, OfNoRowsMakeAVersion) {
  EXPECT_EQ(DeleteRows(*first_, Rows({}), "false").ValueOrDie()->manifest().version(), 2u);
}

TEST_F(Deletions, OfRowsThatAreNotThere) {
  EXPECT_EQ(GetErrorCode(DeleteRows(*first_, Rows({{0, 5}}), "x").status()), ErrorCode::kUserInput);
  EXPECT_EQ(GetErrorCode(DeleteRows(*first_, Rows({{7, 0}}), "x").status()), ErrorCode::kNotFound);
}

/// Two writers read version 1 and delete different rows of one fragment: both take effect.
TEST_F(Deletions, AreMerged) {
  ASSERT_TRUE(DeleteRows(*first_, Rows({{0, 1}}), "x").ok());
  auto third = DeleteRows(*first_, Rows({{0, 2}, {1, 4}}), "x").ValueOrDie();
  EXPECT_EQ(third->manifest().version(), 3u);
  EXPECT_EQ(Ids(third), (Values{0, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Deletions, MergedToNothingRemoveTheFragment) {
  ASSERT_TRUE(DeleteRows(*first_, Rows({{0, 0}, {0, 1}, {0, 2}}), "x").ok());
  auto third = DeleteRows(*first_, Rows({{0, 3}, {0, 4}}), "x").ValueOrDie();
  ASSERT_EQ(third->fragments().size(), 1u);
  EXPECT_EQ(Ids(third), (Values{5, 6, 7, 8, 9}));
}

TEST_F(Deletions, OfTheSameRowConflict) {
  ASSERT_TRUE(DeleteRows(*first_, Rows({{0, 1}}), "x").ok());
  size_t files = CountDeletionFiles();
  Status status = DeleteRows(*first_, Rows({{0, 1}, {0, 2}}), "x").status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kRetryableConflict) << status;
  EXPECT_EQ(CountDeletionFiles(), files) << "nothing is left of the one that failed";
  EXPECT_EQ(handle_.OpenNewest().ValueOrDie()->manifest().version(), 2u);
}

TEST_F(Deletions, OfEverything) {
  auto second = DeleteAllRows(*first_).ValueOrDie();
  EXPECT_TRUE(second->fragments().empty());
  EXPECT_EQ(second->manifest().head.max_fragment_id(), 1u);
}

/// More than 5000 rows are kept as a bitmap.
TEST(DeletionFiles, ChooseTheirForm) {
  for (uint32_t count : {1u, 4999u, 5000u, 70000u}) {
    RoaringBitmap deleted;
    for (uint32_t i = 0; i < count; ++i) deleted.add(2 * i);
    table::DeletionFile file;
    std::string content = EncodeDeletionFile(deleted, 7, &file).ValueOrDie();
    EXPECT_EQ(file.file_type() == table::DeletionFile::BITMAP, count >= 5000);
    EXPECT_EQ(file.num_deleted_rows(), count);
    uint64_t rows = 2 * count;
    auto decoded = file.file_type() == table::DeletionFile::BITMAP
                       ? DecodeDeletionBitmap(AsBytes(content), rows)
                       : DecodeDeletionArray(arrow::Buffer::FromString(content), rows);
    EXPECT_EQ((*decoded)->num_deleted(), count);
    auto ranges = (*decoded)->DeletedRanges();
    ASSERT_EQ(ranges.size(), count);
    EXPECT_EQ(ranges.back().start, 2 * (count - 1));
    EXPECT_EQ(ranges.back().count, 1u);
  }
}

}  // namespace
}  // namespace lance
