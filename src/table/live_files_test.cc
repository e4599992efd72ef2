#include "table/live_files.h"

#include "arrow/type.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

using Fields = std::vector<int32_t>;

// n = 0, s = 1 {a = 2, b = 3}, l = 4 [item = 5 {c = 6, d = 7}]
Schema Table() {
  auto number = [](const std::string& name) { return arrow::field(name, arrow::int64()); };
  auto items = arrow::struct_({number("c"), number("d")});
  return Schema::FromArrow(
             *arrow::schema({number("n"),
                             arrow::field("s", arrow::struct_({number("a"), number("b")})),
                             arrow::field("l", arrow::list(items))}))
      .ValueOrDie();
}

table::DataFragment Fragment(const std::vector<Fields>& files) {
  table::DataFragment fragment;
  for (const Fields& ids : files) {
    auto* file = fragment.add_files();
    for (int32_t id : ids) file->add_fields(id);
  }
  return fragment;
}

/// The files that a fragment has left when a table keeps only these columns.
std::vector<Fields> Left(const std::vector<Fields>& files, const std::vector<std::string>& columns,
                         const Schema& before = Table()) {
  table::DataFragment fragment = Fragment(files);
  RemoveDroppedFiles(before, Table().Project(columns).ValueOrDie(), &fragment);
  std::vector<Fields> left;
  for (const auto& file : fragment.files()) {
    left.emplace_back(file.fields().begin(), file.fields().end());
  }
  return left;
}

using Files = std::vector<Fields>;

TEST(LiveFiles, FilesOfDroppedColumnsGo) {
  EXPECT_EQ(Left({{0}, {2, 3}, {6, 7}}, {"n", "l"}), (Files{{0}, {6, 7}}));
  EXPECT_EQ(Left({{0, 2, 3}, {6, 7}}, {"n"}), (Files{{0, 2, 3}}));
  EXPECT_EQ(Left({{0}, {2}, {3}}, {"n", "s.b"}), (Files{{0}, {3}}));
}

TEST(LiveFiles, OneFileStays) {
  EXPECT_EQ(Left({{2, 3}, {6, 7}}, {"n"}).size(), 1u);
  EXPECT_EQ(Left({{2}}, {"n"}), (Files{{2}}));
}

TEST(LiveFiles, WhatTellsOfNullsStays) {
  // Nothing is stored of b, and of d.
  EXPECT_EQ(Left({{0}, {2}}, {"n", "s.b"}), (Files{{0}, {2}}));
  EXPECT_EQ(Left({{0}, {6}}, {"n", "l.item.d"}), (Files{{0}, {6}}));
  EXPECT_EQ(Left({{0}, {2}, {6}}, {"n", "s.b"}), (Files{{0}, {2}}));
}

TEST(LiveFiles, WhatWasDroppedEarlierMayTellOfNulls) {
  const Schema before = Table().Project({"n", "s.b"}).ValueOrDie();
  // Field 2 is of an unknown parent by now.
  EXPECT_EQ(Left({{0, 2}, {6}}, {"s.b"}, before), (Files{{0, 2}, {6}}));
  EXPECT_EQ(Left({{0, 2}, {3}}, {"s.b"}, before), (Files{{3}}));
}

TEST(LiveFiles, RowLineageStaysAndTombstonesGo) {
  EXPECT_EQ(Left({{0}, {-3}, {kTombstoneFieldId}}, {"n"}), (Files{{0}, {-3}}));
}

TEST(LiveFiles, FilesThatAreNotKeptGo) {
  table::DataFragment fragment = Fragment({{0}, {90}, {91}});
  const auto keep = [](const table::DataFile& dead) { return dead.fields(0) == 91; };
  EXPECT_TRUE(RemoveDeadFiles(Table(), keep, &fragment));
  ASSERT_EQ(fragment.files_size(), 2);
  EXPECT_EQ(fragment.files(1).fields(0), 91);
  EXPECT_FALSE(RemoveDeadFiles(Table(), keep, &fragment));
}

}  // namespace
}  // namespace lance
