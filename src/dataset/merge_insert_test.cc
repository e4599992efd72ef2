#include "dataset/merge_insert.h"

#include <map>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "dataset/delete_rows.h"
#include "dataset/open_table.h"
#include "dataset/scan.h"
#include "dataset/write_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/inserted_keys.h"

namespace lance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<arrow::RecordBatchReader> Reader(const std::shared_ptr<arrow::Schema>& schema,
                                                 const std::string& rows) {
  auto array =
      arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), rows).ValueOrDie();
  auto batch = arrow::RecordBatch::FromStructArray(array).ValueOrDie();
  batch = arrow::RecordBatch::Make(schema, batch->num_rows(), batch->columns());
  return arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie();
}

/// A table with the primary key `k`, and a struct, in fragments of 2 rows.
class Merges : public ::testing::Test {
 protected:
  void SetUp() override {
    handle_ =
        TableHandle{"memory://merges", {MakeMemoryStore(), "/t"}, std::make_shared<TableSession>()};
    WriteOptions options;
    options.max_rows_per_file = 2;
    options.enable_stable_row_ids = true;
    first_ = WriteTable(handle_, nullptr, Reader(schema_, R"([{"k": 1, "s": {"a": 1, "b": "x"}},
                                            {"k": 2, "s": {"a": 2, "b": "y"}},
                                            {"k": 3, "s": null}])"),
                        options)
                 .ValueOrDie();
  }

  static SourceRows Source(const std::shared_ptr<arrow::Schema>& schema, const std::string& rows) {
    return SourceRows::Read(Reader(schema, rows).get(), arrow::default_memory_pool(), {})
        .ValueOrDie();
  }

  static MergeInsertOptions Upsert() {
    MergeInsertOptions options;
    options.when_matched = WhenMatched::kUpdateAll;
    options.insert_not_matched = true;
    return options;
  }

  static std::vector<std::string> Rows(const std::shared_ptr<const Snapshot>& snapshot) {
    ScanOptions options;
    options.columns = {"k", "s", "_rowid"};
    auto table = ScanTable(snapshot, options).ValueOrDie()->CombineChunks().ValueOrDie();
    auto rows = table->CombineChunksToBatch().ValueOrDie()->ToStructArray().ValueOrDie();
    std::vector<std::string> texts;
    for (int64_t row = 0; row < rows->length(); ++row) {
      std::string text;
      for (const auto& member : rows->fields()) {
        text += (text.empty() ? "" : " ") + member->GetScalar(row).ValueOrDie()->ToString();
      }
      texts.push_back(std::move(text));
    }
    return texts;
  }

  size_t CountFiles(const std::string& folder) {
    return handle_.table.store->List(Context(), "/t/" + folder).ValueOrDie().size();
  }

  std::shared_ptr<arrow::Schema> struct_schema_ =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())});
  std::shared_ptr<arrow::Field> key_ =
      arrow::field("k", arrow::int64(), false,
                   arrow::key_value_metadata({"lance-schema:unenforced-primary-key"}, {"true"}));
  std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({key_, arrow::field("s", arrow::struct_(struct_schema_->fields()))});
  std::shared_ptr<arrow::Schema> members_ =
      arrow::schema({key_, arrow::field("s", arrow::struct_({arrow::field("b", arrow::utf8())}))});
  TableHandle handle_;
  std::shared_ptr<const Snapshot> first_;
};

TEST_F(Merges, MembersThatTheSourceLacksStay) {
  auto source = Source(members_, R"([{"k": 9, "s": {"b": "new"}}, {"k": 3, "s": {"b": "z"}},
                                     {"k": 1, "s": {"b": "X"}}])");
  MergedRows merged = MergeInsertRows(first_, source, Upsert()).ValueOrDie();
  EXPECT_EQ(merged.stats.updated_rows, 2u);
  EXPECT_EQ(merged.stats.inserted_rows, 1u);
  // A member of a null struct was null.
  EXPECT_THAT(
      Rows(merged.snapshot),
      ElementsAre("2 {a:int64 = 2, b:string = y} 1", "1 {a:int64 = 1, b:string = X} 0",
                  "3 {a:int64 = null, b:string = z} 2", "9 {a:int64 = null, b:string = new} 3"));
}

TEST_F(Merges, OnlyTheKeyIsReadOfRowsThatDoNotMatch) {
  auto source = Source(schema_, R"([{"k": 7, "s": null}])");
  auto session = std::make_shared<TableSession>();
  auto fresh = TableHandle{handle_.uri, handle_.table, session}.OpenNewest().ValueOrDie();
  ASSERT_TRUE(MergeInsertRows(fresh, source, Upsert()).ok());
  uint64_t reads = session->MakeContext().io_stats->reads;
  ScanOptions options;
  options.columns = {"k"};
  auto session2 = std::make_shared<TableSession>();
  auto again = TableHandle{handle_.uri, handle_.table, session2}.OpenVersion(1).ValueOrDie();
  ASSERT_TRUE(ScanTable(again, options).ok());
  // The commit looks for newer versions and opens the one it made.
  EXPECT_LE(reads, session2->MakeContext().io_stats->reads + 3);
}

TEST_F(Merges, OfTheSameNewKeyConflict) {
  auto source = Source(schema_, R"([{"k": 7, "s": null}])");
  auto other = Source(schema_, R"([{"k": 8, "s": null}])");
  ASSERT_TRUE(MergeInsertRows(first_, source, Upsert()).ok());
  size_t files = CountFiles("data");
  Status status = MergeInsertRows(first_, source, Upsert()).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kRetryableConflict) << status;
  EXPECT_EQ(CountFiles("data"), files) << "nothing is left of the one that failed";
  EXPECT_TRUE(MergeInsertRows(first_, other, Upsert()).ok());
}

/// Whatever the key is, not only where it is the primary key: the reference inserts both.
TEST_F(Merges, OfTheSameNewValueOfAnyKeyConflict) {
  auto schema =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()),
                     arrow::field("s", arrow::struct_({arrow::field("x", arrow::int8())}))});
  TableHandle handle{"memory://any", {MakeMemoryStore(), "/t"}, std::make_shared<TableSession>()};
  auto first =
      WriteTable(handle, nullptr, Reader(schema, R"([{"a": 1, "b": "x", "s": {"x": 1}}])"), {})
          .ValueOrDie();
  auto two = Source(schema, R"([{"a": 2, "b": "y", "s": {"x": 2}}])");
  auto three = Source(schema, R"([{"a": 3, "b": "z", "s": {"x": 3}}])");
  auto conflict = [&](const std::vector<std::string>& mine, const std::vector<std::string>& other,
                      const SourceRows& others) {
    auto read = handle.OpenNewest().ValueOrDie();
    MergeInsertOptions options = Upsert();
    options.on = other;
    EXPECT_TRUE(MergeInsertRows(read, others, options).ok());
    options.on = mine;
    Status status = MergeInsertRows(read, two, options).status();
    EXPECT_TRUE(DeleteAllRows(*handle.OpenNewest().ValueOrDie()).ok());
    return GetErrorCode(status) == ErrorCode::kRetryableConflict;
  };
  EXPECT_TRUE(conflict({"a"}, {"a"}, two));
  EXPECT_FALSE(conflict({"a"}, {"a"}, three));
  EXPECT_TRUE(conflict({"a", "b"}, {"b", "a"}, two));
  EXPECT_FALSE(conflict({"b", "a"}, {"a", "b"}, three));
  EXPECT_TRUE(conflict({"a"}, {"b"}, three)) << "of other columns: can't be told";
  EXPECT_TRUE(conflict({"s"}, {"s"}, two));
  EXPECT_TRUE(conflict({"s"}, {"s"}, three)) << "such values have no hash: any may be the same";
}

TEST_F(Merges, ThatFailLeaveNothing) {
  auto twice =
      Source(schema_, R"([{"k": 7, "s": null}, {"k": 1, "s": null}, {"k": 1, "s": null}])");
  Status status = MergeInsertRows(first_, twice, Upsert()).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput);
  EXPECT_THAT(status.message(), HasSubstr("(k = 1)"));
  EXPECT_EQ(CountFiles("data"), 2u);
  EXPECT_EQ(CountFiles("_transactions"), 1u);
  TryMergeInsert(first_, Source(schema_, R"([{"k": 1, "s": null}])"), Upsert()).ValueOrDie();
  EXPECT_EQ(CountFiles("data"), 2u);
}

/// Rows {k: first}, {k: first + step}, …
std::shared_ptr<arrow::RecordBatchReader> Keys(int64_t first, int64_t step, int64_t count) {
  arrow::Int64Builder keys;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(keys.Append(first + i * step).ok());
  auto schema = arrow::schema({arrow::field("k", arrow::int64())});
  auto batch = arrow::RecordBatch::Make(schema, count, {keys.Finish().ValueOrDie()});
  return arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie();
}

TEST_F(Merges, InParts) {
  // Keys 0 … 199,999; a source of three parts with the even ones of 100,000 … 499,998.
  TableHandle handle{"memory://parts", {MakeMemoryStore(), "/t"}, std::make_shared<TableSession>()};
  WriteOptions write;
  write.enable_stable_row_ids = true;
  auto table = WriteTable(handle, nullptr, Keys(0, 1, 200'000), write).ValueOrDie();
  SourceRows source = SourceRows::Read(Keys(100'000, 2, 200'000).get(),
                                       arrow::default_memory_pool(), {.memory_bytes = 100'000})
                          .ValueOrDie();
  auto options = Upsert();
  options.on = {"k"};
  options.memory_budget = 1;
  options.delete_not_matched_by_source = true;
  options.delete_condition = "k < 150000";
  auto merged = MergeInsertRows(table, source, options).ValueOrDie();
  EXPECT_EQ(merged.stats.updated_rows, 50'000u);
  EXPECT_EQ(merged.stats.inserted_rows, 150'000u);
  EXPECT_EQ(merged.stats.deleted_rows, 125'000u);
  ScanOptions scan;
  scan.columns = {"k", "_rowid"};
  auto rows = ScanTable(merged.snapshot, scan).ValueOrDie();
  auto batch = rows->CombineChunksToBatch().ValueOrDie();
  std::map<int64_t, uint64_t> ids;
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    ids[static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(row)] =
        static_cast<const arrow::UInt64Array&>(*batch->column(1)).Value(row);
  }
  EXPECT_EQ(batch->num_rows(), 225'000);
  for (int64_t key = 0; key < 500'000; ++key) {
    const bool expected = key >= 100'000 && (key % 2 == 0 || (key >= 150'000 && key < 200'000));
    ASSERT_EQ(ids.contains(key), expected) << key;
    if (expected && key < 200'000) {
      ASSERT_EQ(ids[key], static_cast<uint64_t>(key));
    }
  }
}

TEST_F(Merges, PartsAreUnambiguousTogether) {
  TableHandle handle{"memory://parts", {MakeMemoryStore(), "/t"}, std::make_shared<TableSession>()};
  auto table = WriteTable(handle, nullptr, Keys(0, 1, 10), WriteOptions()).ValueOrDie();
  auto keys = Keys(3, 1, 150'000)->ToRecordBatches().ValueOrDie();
  keys.push_back(Keys(3, 1, 1)->Next().ValueOrDie());
  SourceRows source =
      SourceRows::Read(arrow::RecordBatchReader::Make(keys, keys[0]->schema()).ValueOrDie().get(),
                       arrow::default_memory_pool(), {})
          .ValueOrDie();
  auto options = Upsert();
  options.on = {"k"};
  options.memory_budget = 1;
  auto merged = MergeInsertRows(table, source, options);
  EXPECT_THAT(merged.status().message(), HasSubstr("k = 3"));
  EXPECT_THAT(merged.status().message(), HasSubstr("multiple source rows"));
}

TEST_F(Merges, FilterOfInsertedKeys) {
  auto filter_of = [&](const std::string& rows, const MergeInsertOptions& options) {
    return TryMergeInsert(first_, Source(schema_, rows), options).ValueOrDie().transaction.update();
  };
  auto seven = filter_of(R"([{"k": 7, "s": null}, {"k": 1, "s": null}])", Upsert());
  InsertedKeys expected;
  expected.Add(std::string_view("\7\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(seven.inserted_rows().SerializeAsString(), expected.Finish({0}).SerializeAsString());
  auto one = filter_of(R"([{"k": 1, "s": null}])", Upsert());
  EXPECT_TRUE(one.has_inserted_rows());
  EXPECT_FALSE(MayShareKeys(one.inserted_rows(), one.inserted_rows()));
  MergeInsertOptions only_deletes;
  only_deletes.when_matched = WhenMatched::kDelete;
  EXPECT_FALSE(filter_of(R"([{"k": 1, "s": null}])", only_deletes).has_inserted_rows());
}

TEST_F(Merges, ColumnsInPlace) {
  MergeInsertOptions options;
  options.when_matched = WhenMatched::kUpdateAll;
  options.write_mode = MergeWriteMode::kRewriteColumns;
  auto member =
      arrow::schema({key_, arrow::field("s", arrow::struct_({arrow::field("a", arrow::int64())}))});
  auto source = Source(member, R"([{"k": 2, "s": {"a": 20}}, {"k": 9, "s": {"a": 90}}])");
  auto merged = MergeInsertRows(first_, source, options).ValueOrDie();
  EXPECT_EQ(merged.stats.updated_rows, 1u);
  EXPECT_THAT(Rows(merged.snapshot), ElementsAre("1 {a:int64 = 1, b:string = x} 0",
                                                 "2 {a:int64 = 20, b:string = y} 1", "3 null 2"));
  auto fragment = ParseFragment(merged.snapshot->fragments()[0]).ValueOrDie();
  ASSERT_EQ(fragment.files_size(), 2);
  EXPECT_THAT(fragment.files(0).fields(), ElementsAre(0, -2, 3));
  EXPECT_THAT(fragment.files(1).fields(), ElementsAre(2));
  EXPECT_EQ(ParseFragment(merged.snapshot->fragments()[1]).ValueOrDie().files_size(), 1);

  // Another writer deletes a row of the fragment meanwhile.
  auto rows = std::make_shared<RowAddressSet>();
  rows->Add(MakeRowAddress(0, 0));
  ASSERT_TRUE(DeleteRows(*merged.snapshot, rows, "x").ok());
  auto late = MergeInsertRows(merged.snapshot, source, options);
  EXPECT_EQ(GetErrorCode(late.status()), ErrorCode::kRetryableConflict);
  EXPECT_EQ(CountFiles("data"), 3u) << "its file is gone";
}

TEST_F(Merges, ColumnsInPlaceFromASourceInParts) {
  TableHandle handle{"memory://parts", {MakeMemoryStore(), "/t"}, std::make_shared<TableSession>()};
  auto column = [](int64_t first, int64_t step, int64_t count) -> std::shared_ptr<arrow::Array> {
    arrow::Int64Builder numbers;
    for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(numbers.Append(first + i * step).ok());
    return numbers.Finish().ValueOrDie();
  };
  arrow::FieldVector fields;
  for (const char* name : {"k", "v", "w"}) fields.push_back(arrow::field(name, arrow::int64()));
  auto keys = column(0, 1, 300'000);
  auto whole = arrow::RecordBatch::Make(arrow::schema(fields), 300'000, {keys, keys, keys});
  WriteOptions write;
  write.max_rows_per_file = 120'000;
  auto table =
      WriteTable(handle, nullptr, arrow::RecordBatchReader::Make({whole}).ValueOrDie(), write)
          .ValueOrDie();
  // Even keys from the last to the first, so that parts have rows of several fragments.
  fields.pop_back();
  auto given = arrow::RecordBatch::Make(
      arrow::schema(fields), 150'000, {column(300'000, -2, 150'000), column(-300'000, 2, 150'000)});
  std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
  for (int64_t at = 0; at < 150'000; at += 10'000) parts.push_back(given->Slice(at, 10'000));
  auto reader = arrow::RecordBatchReader::Make(parts).ValueOrDie();
  auto source =
      SourceRows::Read(reader.get(), arrow::default_memory_pool(), {.memory_bytes = 100'000})
          .ValueOrDie();
  MergeInsertOptions options;
  options.on = {"k"};
  options.when_matched = WhenMatched::kUpdateAll;
  options.write_mode = MergeWriteMode::kRewriteColumns;
  options.memory_budget = 1;
  auto merged = MergeInsertRows(table, source, options).ValueOrDie();
  EXPECT_EQ(merged.stats.updated_rows, 149'999u) << "all even keys but 0";
  auto batch = ScanTable(merged.snapshot, {}).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
  ASSERT_EQ(batch->num_rows(), 300'000);
  const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(1));
  for (int64_t key = 0; key < batch->num_rows(); ++key) {
    ASSERT_EQ(values.Value(key), key % 2 == 0 ? -key : key);
  }
}

TEST_F(Merges, CanBeInterruptedAtAnyTime) {
  auto source = Source(schema_, R"([{"k": 2, "s": null}, {"k": 9, "s": {"a": 9, "b": "z"}}])");
  MergeInsertOptions upsert = Upsert();
  upsert.delete_not_matched_by_source = true;
  upsert.update_condition = "source.k < 100";
  MergeInsertOptions patch;
  patch.when_matched = WhenMatched::kUpdateAll;
  patch.write_mode = MergeWriteMode::kRewriteColumns;
  auto member =
      arrow::schema({key_, arrow::field("s", arrow::struct_({arrow::field("a", arrow::int64())}))});
  auto members = Source(member, R"([{"k": 2, "s": {"a": 20}}])");
  for (auto [options, rows] : {std::pair(upsert, &source), std::pair(patch, &members)}) {
    size_t files = CountFiles("data") + CountFiles("_deletions");
    int allowed = 0;
    for (bool done = false; !done; ++allowed) {
      ASSERT_LT(allowed, 100);
      int left = allowed;
      options.poll = [&] { return left-- > 0 ? Status::OK() : Status::Cancelled("enough"); };
      auto merged = MergeInsertUncommitted(first_, *rows, options);
      done = merged.ok();
      if (done) break;
      EXPECT_TRUE(merged.status().IsCancelled()) << merged.status();
      EXPECT_EQ(CountFiles("data") + CountFiles("_deletions"), files);
    }
    EXPECT_GT(allowed, 2);
  }
}

}  // namespace
}  // namespace lance
