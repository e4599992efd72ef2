// Columns that lie in several files, in none, or only partly in one.
#include "arrow/json/from_string.h"
#include "dataset/append_schema.h"
#include "dataset/hand_made_table.h"
#include "dataset/merge_columns.h"
#include "dataset/scan.h"
#include "dataset/take.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

std::shared_ptr<arrow::RecordBatch> FromJson(const std::shared_ptr<arrow::Schema>& schema,
                                             const std::string& json) {
  auto array = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json);
  return arrow::RecordBatch::FromStructArray(array.ValueOrDie())
      .ValueOrDie()
      ->ReplaceSchema(schema)
      .ValueOrDie();
}

/// Ids: a 0, st 1 {x 2, y 3}, l 4 [item 5 {u 6, v 7}], late 8.
std::shared_ptr<arrow::Schema> Nested() {
  auto st = arrow::struct_({arrow::field("x", arrow::int32()), arrow::field("y", arrow::utf8())});
  auto item =
      arrow::struct_({arrow::field("u", arrow::int32()), arrow::field("v", arrow::int64())});
  return arrow::schema({arrow::field("a", arrow::int64()), arrow::field("st", st),
                        arrow::field("l", arrow::list(item)), arrow::field("late", arrow::int8())});
}

constexpr char kRows[] = R"([
  {"a": 1, "st": {"x": 10, "y": "p"}, "l": [{"u": 1, "v": 2}, {"u": 3, "v": null}], "late": 7},
  {"a": 2, "st": null, "l": null, "late": null},
  {"a": null, "st": {"x": null, "y": "q"}, "l": [], "late": 9},
  {"a": 4, "st": {"x": 40, "y": null}, "l": [null, {"u": 5, "v": 6}], "late": 10}])";

class SplitColumns : public ::testing::Test {
 protected:
  SplitColumns() : table_(Schema::FromArrow(*Nested()).ValueOrDie()) {}

  /// A fragment with one file for each list of leaf ids.
  void AddFragment(const std::vector<std::vector<int32_t>>& files) {
    table::DataFragment fragment;
    fragment.set_id(table_.manifest().fragments.size());
    fragment.set_physical_rows(static_cast<uint64_t>(rows_->num_rows()));
    for (const auto& ids : files) {
      Schema part = table_.manifest().schema.ProjectByIds(ids);
      *fragment.add_files() = table_.WriteFile(part, *Cut(part));
    }
    table_.Add(fragment);
  }
  /// The rows with those fields only.
  std::shared_ptr<arrow::RecordBatch> Cut(const Schema& part) {
    arrow::ArrayVector columns;
    auto schema = part.ToArrow().ValueOrDie();
    for (const Field& field : part.fields) {
      ColumnPart whole{table_.manifest().schema.FindById(field.id),
                       rows_->GetColumnByName(field.name)};
      columns.push_back(MergeColumn(field, schema->GetFieldByName(field.name)->type(), {&whole, 1},
                                    rows_->num_rows(), arrow::default_memory_pool())
                            .ValueOrDie());
    }
    return arrow::RecordBatch::Make(schema, rows_->num_rows(), columns);
  }
  std::shared_ptr<arrow::RecordBatch> ReadAll() {
    auto table = ScanTable(table_.Open(), {}).ValueOrDie();
    EXPECT_TRUE(table->ValidateFull().ok()) << table->ValidateFull();
    return table->CombineChunksToBatch().ValueOrDie();
  }
  void ExpectJson(const std::string& json) {
    auto expected = FromJson(Nested(), json);
    auto actual = ReadAll();
    EXPECT_TRUE(actual->Equals(*expected)) << actual->ToString();
    std::vector<uint64_t> positions = {3, 0, 3, 2, 1};
    auto taken =
        TakeRows(*table_.Open(), positions, {.path_style = PathStyle::kNested}).ValueOrDie();
    ASSERT_TRUE(taken->ValidateFull().ok());
    for (size_t i = 0; i < positions.size(); ++i) {
      EXPECT_TRUE(taken->Slice(static_cast<int64_t>(i), 1)
                      ->Equals(*expected->Slice(static_cast<int64_t>(positions[i]), 1)));
    }
  }

  std::shared_ptr<arrow::RecordBatch> rows_ = FromJson(Nested(), kRows);
  HandMadeTable table_;
};

TEST_F(SplitColumns, OneFile) {
  AddFragment({{0, 2, 3, 6, 7, 8}});
  ExpectJson(kRows);
}
TEST_F(SplitColumns, TwoFiles) {
  AddFragment({{2, 3, 8}, {0, 6, 7}});
  ExpectJson(kRows);
}
TEST_F(SplitColumns, MembersOfOneStructInTwoFiles) {
  AddFragment({{0, 2, 8}, {3, 6, 7}});
  ExpectJson(kRows);
}
TEST_F(SplitColumns, MembersBelowAListInTwoFiles) {
  AddFragment({{0, 2, 3, 7, 8}, {6}});
  ExpectJson(kRows);
}
TEST_F(SplitColumns, EveryLeafInAFileOfItsOwn) {
  AddFragment({{8}, {7}, {6}, {3}, {2}, {0}});
  ExpectJson(kRows);
}
TEST_F(SplitColumns, MissingFieldsAreNull) {
  AddFragment({{2, 7}});
  ExpectJson(R"([
    {"a": null, "st": {"x": 10, "y": null},
     "l": [{"u": null, "v": 2}, {"u": null, "v": null}], "late": null},
    {"a": null, "st": null, "l": null, "late": null},
    {"a": null, "st": {"x": null, "y": null}, "l": [], "late": null},
    {"a": null, "st": {"x": 40, "y": null}, "l": [null, {"u": null, "v": 6}], "late": null}])");
}
TEST_F(SplitColumns, NothingIsThere) {
  AddFragment({});
  ExpectJson(R"([{"a": null, "st": null, "l": null, "late": null},
                 {"a": null, "st": null, "l": null, "late": null},
                 {"a": null, "st": null, "l": null, "late": null},
                 {"a": null, "st": null, "l": null, "late": null}])");
}

TEST_F(SplitColumns, PathsAreFlatInScansAndNestedInTakes) {
  AddFragment({{0, 2, 8}, {3, 6, 7}});
  auto snapshot = table_.Open();
  ScanOptions options;
  options.columns = {"st.y", "a", "st.x"};
  auto table = ScanTable(snapshot, options).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
  auto flat = arrow::schema({arrow::field("st.y", arrow::utf8()), arrow::field("a", arrow::int64()),
                             arrow::field("st.x", arrow::int32())});
  EXPECT_TRUE(table->Equals(*FromJson(flat, R"([
    {"st.y": "p", "a": 1, "st.x": 10}, {"st.y": null, "a": 2, "st.x": null},
    {"st.y": "q", "a": null, "st.x": null}, {"st.y": null, "a": 4, "st.x": 40}])")))
      << table->ToString();
  options.columns = {"st", "st.x"};
  EXPECT_EQ(ScanTable(snapshot, options).ValueOrDie()->schema()->field_names(),
            (std::vector<std::string>{"st", "st.x"}));
  options.columns = {"l.item.u"};
  EXPECT_EQ(GetErrorCode(ScanTable(snapshot, options).status()), ErrorCode::kUserInput);

  std::vector<uint64_t> positions = {1, 0};
  auto taken = TakeRows(*snapshot, positions,
                        {.columns = std::vector<std::string>{"st.x", "_rowid", "a"},
                         .path_style = PathStyle::kNested})
                   .ValueOrDie();
  auto nested =
      arrow::schema({arrow::field("st", arrow::struct_({arrow::field("x", arrow::int32())})),
                     arrow::field("_rowid", arrow::uint64()), arrow::field("a", arrow::int64())});
  EXPECT_TRUE(taken->Equals(*FromJson(nested, R"([
    {"st": null, "_rowid": 1, "a": 2}, {"st": {"x": 10}, "_rowid": 0, "a": 1}])")))
      << taken->ToString();
}

TEST_F(SplitColumns, TakeFindsMembersOfItemsOfLists) {
  AddFragment({{0, 2, 8}, {3, 6, 7}});
  std::vector<uint64_t> positions = {3, 1};
  ColumnRequest columns{.columns = {{"l.item.v"}}, .path_style = PathStyle::kNested};
  auto taken = TakeRows(*table_.Open(), positions, columns).ValueOrDie();
  auto item = arrow::struct_({arrow::field("v", arrow::int64())});
  auto schema = arrow::schema({arrow::field("l", arrow::list(item))});
  EXPECT_TRUE(taken->Equals(*FromJson(schema, R"([{"l": [null, {"v": 6}]}, {"l": null}])")))
      << taken->ToString();
}

TEST_F(SplitColumns, TombstonesAndHiddenIdsAreSkipped) {
  AddFragment({{0, 2, 3}, {6, 7, 8}});
  table::DataFragment fragment = ParseFragment(table_.manifest().fragments[0]).ValueOrDie();
  // Field 0 was moved out of the first file: it reads as null, since no file has it.
  fragment.mutable_files(0)->set_fields(0, kTombstoneFieldId);
  fragment.mutable_files(1)->add_fields(-77);
  fragment.mutable_files(1)->add_column_indices(-1);
  fragment.set_id(1);
  table_.Add(fragment);
  ScanOptions options;
  options.columns = {"a", "late"};
  options.fragments = std::vector<uint64_t>{1};
  auto batch = ScanTable(table_.Open(), options).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
  EXPECT_EQ(batch->column(0)->null_count(), 4);
  EXPECT_TRUE(batch->column(1)->Equals(*rows_->GetColumnByName("late")));
}

TEST_F(SplitColumns, PagesOfDescriptorsAreRefused) {
  AddFragment({{0, 2, 3}});
  table::DataFragment fragment = ParseFragment(table_.manifest().fragments[0]).ValueOrDie();
  fragment.mutable_files(0)->set_fields(1, 1);  // the struct itself, as blobs are stored
  fragment.set_id(1);
  table_.Add(fragment);
  Status status = ScanTable(table_.Open(), {}).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported) << status;
  EXPECT_NE(ErrorText(status).find("'st'"), std::string::npos);
}

TEST_F(SplitColumns, StableRowIds) {
  AddFragment({{0, 2, 3, 6, 7, 8}});
  table_.manifest().head.set_reader_feature_flags(2);
  table_.manifest().head.set_writer_feature_flags(2);
  ScanOptions options;
  options.columns = {"_rowid", "_rowaddr", "_row_created_at_version"};
  EXPECT_EQ(GetErrorCode(ScanTable(table_.Open(), options).status()), ErrorCode::kCorrupt)
      << "ids are missing";
  table::DataFragment fragment = ParseFragment(table_.manifest().fragments[0]).ValueOrDie();
  table_.manifest().fragments.clear();
  const std::vector<uint64_t> ids = {70, 71, 9, 100};
  fragment.set_inline_row_ids(RowIdSequence::FromValues(ids).Encode());
  table_.Delete(&fragment, {1});
  table_.Add(fragment);
  auto batch = ScanTable(table_.Open(), options).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
  auto schema = arrow::schema({arrow::field("_rowid", arrow::uint64()),
                               arrow::field("_rowaddr", arrow::uint64()),
                               arrow::field("_row_created_at_version", arrow::uint64())});
  EXPECT_TRUE(batch->Equals(*FromJson(schema, R"([
    {"_rowid": 70, "_rowaddr": 0, "_row_created_at_version": 1},
    {"_rowid": 9, "_rowaddr": 2, "_row_created_at_version": 1},
    {"_rowid": 100, "_rowaddr": 3, "_row_created_at_version": 1}])")))
      << batch->ToString();
  fragment.set_inline_row_ids(RowIdSequence::Range(0, 3).Encode());
  table_.manifest().fragments.clear();
  table_.Add(fragment);
  EXPECT_EQ(GetErrorCode(ScanTable(table_.Open(), options).status()), ErrorCode::kCorrupt)
      << "ids for another number of rows";
}

TEST_F(SplitColumns, UnknownCountsAreLookedUp) {
  AddFragment({{0, 2, 3, 6, 7, 8}});
  table::DataFragment fragment = ParseFragment(table_.manifest().fragments[0]).ValueOrDie();
  table_.Delete(&fragment, {0, 3});
  fragment.set_physical_rows(0);
  fragment.mutable_files(0)->set_file_size_bytes(0);
  fragment.mutable_deletion_file()->set_num_deleted_rows(0);
  table_.manifest().fragments.clear();
  table_.Add(fragment);
  auto snapshot = table_.Open();
  EXPECT_EQ((*snapshot->Counts())->total(), 2u);
  EXPECT_EQ(ScanTable(snapshot, {}).ValueOrDie()->num_rows(), 2);
}

TEST_F(SplitColumns, FilesMustAgreeAboutRows) {
  AddFragment({{0, 2, 3, 6, 7}});
  table::DataFragment fragment = ParseFragment(table_.manifest().fragments[0]).ValueOrDie();
  auto half = rows_->Slice(0, 2);
  *fragment.add_files() = table_.WriteFile(table_.manifest().schema.ProjectByIds({8}), *half);
  fragment.set_id(5);
  table_.Add(fragment);
  EXPECT_EQ(GetErrorCode(ScanTable(table_.Open(), {}).status()), ErrorCode::kCorrupt);
}

TEST(MatchForAppend, NamesAndTypes) {
  Schema table = Schema::FromArrow(*Nested()).ValueOrDie();
  auto match = [&](const std::vector<std::shared_ptr<arrow::Field>>& fields) {
    return MatchForAppend(table, *arrow::schema(fields));
  };
  auto all = match(Nested()->fields()).ValueOrDie();
  EXPECT_EQ(all.file_schema.fields.size(), 4u);
  auto some =
      match({arrow::field("late", arrow::int8()), arrow::field("a", arrow::int64())}).ValueOrDie();
  ASSERT_EQ(some.file_schema.fields.size(), 2u);
  EXPECT_EQ(some.file_schema.fields[0].id, 0) << "the table's order and ids";
  EXPECT_EQ(some.file_schema.fields[1].id, 8);

  Status type = match({arrow::field("a", arrow::int32())}).status();
  EXPECT_EQ(GetErrorCode(type), ErrorCode::kUserInput);
  for (const char* part : {"'a'", "int64", "int32"}) {
    EXPECT_NE(type.message().find(part), std::string::npos) << type;
  }
  auto inner = arrow::struct_({arrow::field("x", arrow::utf8())});
  EXPECT_NE(match({arrow::field("st", inner)}).status().message().find("'st.x'"),
            std::string::npos);
  Status extra =
      match({arrow::field("a", arrow::int64()), arrow::field("latte", arrow::int8())}).status();
  EXPECT_NE(extra.message().find("did you mean 'late'"), std::string::npos) << extra;
  EXPECT_FALSE(match({arrow::field("st", arrow::int8())}).ok());
  EXPECT_FALSE(match({}).ok());
  table.fields[0].nullable = false;
  Status missing = match({arrow::field("late", arrow::int8())}).status();
  EXPECT_NE(missing.message().find("'a' is missing"), std::string::npos) << missing;
}

TEST(MatchForAppend, MembersInAnotherOrder) {
  Schema table = Schema::FromArrow(*Nested()).ValueOrDie();
  auto st = arrow::struct_({arrow::field("y", arrow::utf8()), arrow::field("x", arrow::int32())});
  auto item =
      arrow::struct_({arrow::field("v", arrow::int64()), arrow::field("u", arrow::int32())});
  auto schema = arrow::schema({arrow::field("l", arrow::list(item)), arrow::field("st", st)});
  auto mapping = MatchForAppend(table, *schema).ValueOrDie();
  auto batch = FromJson(schema, R"([{"l": [{"v": 9, "u": 8}], "st": {"y": "p", "x": 1}},
                                    {"l": [{"v": 1, "u": 2}], "st": null},
                                    {"l": null, "st": {"y": null, "x": 3}}])");
  auto arranged = ArrangeBatch(mapping, *batch->Slice(1)).ValueOrDie();
  ASSERT_TRUE(arranged->ValidateFull().ok());
  auto expected = FromJson(
      arrow::schema({Nested()->GetFieldByName("st"), Nested()->GetFieldByName("l")}),
      R"([{"st": null, "l": [{"u": 2, "v": 1}]}, {"st": {"x": 3, "y": null}, "l": null}])");
  EXPECT_TRUE(arranged->Equals(*expected)) << arranged->ToString();
}

}  // namespace
}  // namespace lance
