#include "file/file_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "arrow/api.h"
#include "arrow/io/file.h"
#include "arrow/ipc/reader.h"
#include "base/fixture_root.h"
#include "file.pb.h"
#include "file/file_metadata.h"
#include "file/file_writer.h"
#include "file/inspect.h"
#include "proto/parse.h"

namespace lance {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<arrow::Table> ReadIpc(const fs::path& path) {
  auto file = arrow::io::ReadableFile::Open(path.string()).ValueOrDie();
  auto reader = arrow::ipc::RecordBatchFileReader::Open(file).ValueOrDie();
  arrow::RecordBatchVector batches;
  for (int i = 0; i < reader->num_record_batches(); ++i) {
    batches.push_back(reader->ReadRecordBatch(i).ValueOrDie());
  }
  return arrow::Table::FromRecordBatches(reader->schema(), batches).ValueOrDie();
}

std::shared_ptr<arrow::Table> Expected(const fs::path& folder) {
  fs::path path = folder / "expected.arrow";
  if (!fs::exists(path)) {
    std::ifstream ref(folder / "expected.ref");
    std::string line;
    std::getline(ref, line);
    if (line.empty()) return nullptr;
    path = folder / line;
  }
  return ReadIpc(path);
}

// Equal column for column, NaN equal to NaN, floats bit by bit.
std::string Difference(const arrow::Table& expected, const arrow::RecordBatch& got) {
  if (!expected.schema()->Equals(*got.schema(), /*check_metadata=*/false)) {
    return "schema " + got.schema()->ToString() + "\nexpected " + expected.schema()->ToString();
  }
  auto table = arrow::Table::FromRecordBatches({got.Slice(0)}).ValueOrDie();
  for (int i = 0; i < expected.num_columns(); ++i) {
    auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
    if (!expected.column(i)->Equals(*table->column(i), options)) {
      return "column " + expected.field(i)->name() + " differs";
    }
  }
  return "";
}

struct Case {
  fs::path folder;
  std::string name;
};

fs::path FileOf(const fs::path& folder) {
  // The reference writes files of 0.1 only as tables.
  if (!fs::exists(folder / "data.lance")) return folder / "file.lance";
  return fs::directory_iterator(folder / "data.lance" / "data")->path();
}

std::vector<Case> Cases() {
  std::vector<Case> out;
  const fs::path root = FixtureRoot();
  if (root.empty()) return out;
  for (const char* section : {"files14", "files7", "hints14"}) {
    for (const auto& entry : fs::directory_iterator(root / section)) {
      const std::string name = entry.path().filename().string();
      if (name[0] != 'v') continue;
      // The reference's pages of 2.3 changed since.
      if (name.starts_with("v2.3_") && section == std::string("files7")) continue;
      // What is expected there is the text that a table shows: see test_json_of_the_first_format.
      if (name == "v0.1_ext_json") continue;
      if (fs::exists(FileOf(entry.path()))) {
        out.push_back({entry.path(), std::string(section) + "/" + name});
      }
    }
  }
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return out;
}

Result<std::shared_ptr<FileReader>> OpenCase(const Case& test_case) {
  Context context;
  auto store = MakeLocalStore();
  ARROW_ASSIGN_OR_RAISE(auto object, store->OpenReader(context, FileOf(test_case.folder).string()));
  return FileReader::Open(context, object);
}

std::shared_ptr<arrow::RecordBatch> Pick(const arrow::Table& table,
                                         const std::vector<RowRange>& rows) {
  std::vector<std::shared_ptr<arrow::Table>> pieces;
  pieces.reserve(rows.size());
  for (const RowRange& range : rows) {
    pieces.push_back(
        table.Slice(static_cast<int64_t>(range.start), static_cast<int64_t>(range.count)));
  }
  if (pieces.empty()) pieces.push_back(table.Slice(0, 0));
  return arrow::ConcatenateTables(pieces).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
}

TEST(FileReaderFixtures, FullReadsEqual) {
  const auto cases = Cases();
  if (cases.empty()) GTEST_SKIP() << "fixtures are absent";
  Context context;
  for (const Case& test_case : cases) {
    SCOPED_TRACE(test_case.name);
    auto expected = Expected(test_case.folder);
    if (expected == nullptr) continue;
    auto reader = OpenCase(test_case);
    ASSERT_TRUE(reader.ok()) << ErrorText(reader.status());
    auto projection = (*reader)->Project();
    ASSERT_TRUE(projection.ok()) << ErrorText(projection.status());
    const RowRange all{0, (*reader)->num_rows()};
    auto batch = (*reader)->Read(context, *projection, {&all, 1});
    EXPECT_TRUE(batch.ok()) << ErrorText(batch.status());
    if (!batch.ok()) continue;
    Status valid = (*batch)->ValidateFull();
    EXPECT_TRUE(valid.ok()) << valid.ToString();
    if (!valid.ok()) continue;
    EXPECT_EQ(Difference(*expected, **batch), "");
  }
}

TEST(FileReaderFixtures, RandomRowsEqual) {
  const auto cases = Cases();
  if (cases.empty()) GTEST_SKIP() << "fixtures are absent";
  Context context;
  std::mt19937_64 random(5);
  for (const Case& test_case : cases) {
    SCOPED_TRACE(test_case.name);
    auto expected = Expected(test_case.folder);
    if (expected == nullptr) continue;
    auto reader = OpenCase(test_case).ValueOrDie();
    auto projection = reader->Project().ValueOrDie();
    for (int round = 0; round < 12; ++round) {
      // Ranges of many lengths with gaps of many lengths.
      std::vector<RowRange> rows;
      const uint64_t span = round % 3 == 0 ? 3 : round % 3 == 1 ? 40 : 700;
      uint64_t at = random() % (span + 1);
      while (at < reader->num_rows()) {
        const uint64_t count = std::min(1 + random() % span, reader->num_rows() - at);
        rows.push_back({at, count});
        at += count + 1 + random() % span;
      }
      auto batch = reader->Read(context, projection, rows);
      ASSERT_TRUE(batch.ok()) << ErrorText(batch.status());
      ASSERT_TRUE((*batch)->ValidateFull().ok());
      auto wanted = arrow::Table::FromRecordBatches({Pick(*expected, rows)}).ValueOrDie();
      ASSERT_EQ(Difference(*wanted, **batch), "") << "round " << round;
    }
  }
}

// ---- reads are counted

struct CountedRead {
  uint64_t requests = 0;
  uint64_t bytes = 0;
};

// Reads one row twice and returns what the second read cost: page indexes are cached by then.
CountedRead WarmRow(const std::string& name, const std::string& column, uint64_t row) {
  Case test_case{FixtureRoot() / name, name};
  auto reader = OpenCase(test_case).ValueOrDie();
  auto projection = reader->Project({column}).ValueOrDie();
  const RowRange rows{row, 1};
  IoStats stats;
  Context context;
  EXPECT_TRUE(reader->Read(context, projection, {&rows, 1}).ok());
  context.io_stats = &stats;
  EXPECT_TRUE(reader->Read(context, projection, {&rows, 1}).ok());
  return {stats.reads.load(), stats.read_bytes.load()};
}

TEST(FileReaderReads, WarmRowCostsOneRead) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  for (const char* version : {"2.1", "2.2", "2.3"}) {
    const std::string prefix = std::string("files14/v") + version + "_";
    EXPECT_EQ(WarmRow(prefix + "int32", "nonull", 100).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "int32", "somenull", 700).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "float64", "nonull", 1099).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "bool", "somenull", 0).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "string", "nonull", 100).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "list_int32", "somenull", 100).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "int32", "allnull", 500).requests, 0u);
  }
}

TEST(FileReaderReads, WarmRowOfOtherLayouts) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  EXPECT_EQ(WarmRow("hints14/v2.1_packed_fixed", "st", 100).requests, 1u);
  EXPECT_EQ(WarmRow("hints14/v2.2_packed_fixed", "st", 499).requests, 1u);
  EXPECT_EQ(WarmRow("hints14/v2.2_packed_var", "st", 100).requests, 1u);
  // Where a blob is, and its bytes.
  const CountedRead blob = WarmRow("hints14/v2.2_blob_v1_large", "b", 3);
  EXPECT_EQ(blob.requests, 2u);
  EXPECT_EQ(WarmRow("hints14/v2.2_blob_v1_large", "b", 10).requests, 1u) << "an empty one";
}

// A row of 2.0 or 0.1: one read for values of fixed width, two for strings, one more for each level
// of lists.
TEST(FileReaderReads, WarmRowOfOldVersions) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  for (const char* version : {"0.1", "2.0"}) {
    const std::string prefix = std::string("files14/v") + version + "_";
    EXPECT_EQ(WarmRow(prefix + "int32", "nonull", 100).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "int32", "somenull", 200).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "bool", "somenull", 0).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "fsl_float32_16", "nonull", 50).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "dict_i32_string", "somenull", 7).requests, 1u);
    EXPECT_EQ(WarmRow(prefix + "string", "nonull", 100).requests, 2u);
    EXPECT_EQ(WarmRow(prefix + "list_int32", "nonull", 100).requests, 2u);
    EXPECT_EQ(WarmRow(prefix + "list_string", "nonull", 16).requests, 3u);
    EXPECT_EQ(WarmRow(prefix + "list_list_int16", "nonull", 100).requests, 3u);
  }
  EXPECT_EQ(WarmRow("files14/v2.0_int32", "allnull", 50).requests, 0u);
}

TEST(FileReaderReads, OneVectorReadsItsBytesAlone) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  auto reader = OpenCase({FixtureRoot() / "files14/v2.2_wide_values", ""}).ValueOrDie();
  for (const Field& field : reader->schema().fields) {
    if (field.logical_type != "fixed_size_list:float:512") continue;
    const CountedRead read = WarmRow("files14/v2.2_wide_values", field.name, 3);
    EXPECT_EQ(read.requests, 1u) << field.name;
    // The vector, and a control word with the validity of its items where there are nulls.
    EXPECT_LE(read.bytes, 512u * 4 + 1 + 64) << field.name;
  }
}

TEST(FileReaderReads, OpeningTakesAtMostTwoReads) {
  const auto cases = Cases();
  if (cases.empty()) GTEST_SKIP() << "fixtures are absent";
  EXPECT_GT(cases.size(), 150u);
  for (const Case& test_case : cases) {
    IoStats stats;
    Context context;
    context.io_stats = &stats;
    auto object =
        MakeLocalStore()->OpenReader(context, FileOf(test_case.folder).string()).ValueOrDie();
    ASSERT_TRUE(FileReader::Open(context, object).ok()) << test_case.name;
    EXPECT_LE(stats.reads.load(), 2u) << test_case.name;
  }
}

// What only some leaves of nested columns, or some of many columns, cost.
class SelectiveReads : public ::testing::Test {
 protected:
  void Write(const std::shared_ptr<arrow::RecordBatch>& batch,
             FileVersion version = kDefaultFileVersion) {
    auto schema = Schema::FromArrow(*batch->schema()).ValueOrDie();
    auto object = store_->OpenWriter({}, "/f").ValueOrDie();
    auto writer = FileWriter::Open({}, std::move(object), std::move(schema), {.version = version})
                      .ValueOrDie();
    ASSERT_TRUE(writer->WriteBatch(*batch).ok());
    ASSERT_TRUE(writer->Finish().ok());
    batch_ = batch;
  }
  std::shared_ptr<RandomReader> Object() { return store_->OpenReader({}, "/f").ValueOrDie(); }
  std::shared_ptr<FileReader> Open(std::optional<uint64_t> table_rows = std::nullopt) {
    return FileReader::Open(context_, Object(), table_rows).ValueOrDie();
  }
  std::shared_ptr<arrow::RecordBatch> ReadAll(const FileReader& reader,
                                              const FileProjection& projection) {
    const RowRange all{0, static_cast<uint64_t>(batch_->num_rows())};
    return reader.Read(context_, projection, {&all, 1}).ValueOrDie();
  }
  // Since the last call.
  CountedRead Cost() { return {stats_.reads.exchange(0), stats_.read_bytes.exchange(0)}; }
  // Stored bytes of the column that holds this leaf.
  uint64_t StoredBytes(const std::string& leaf) {
    auto inspection = InspectFile({}, *Object()).ValueOrDie();
    for (const auto& column : inspection.columns) {
      if (column.field == leaf) return column.bytes();
    }
    ADD_FAILURE() << "no leaf " << leaf;
    return 0;
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  std::shared_ptr<arrow::RecordBatch> batch_;
  IoStats stats_;
  Context context_{.io_stats = &stats_};
};

std::shared_ptr<arrow::Array> RandomInts(int64_t count, std::mt19937_64& random) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(builder.Append(static_cast<int64_t>(random())).ok());
  }
  return builder.Finish().ValueOrDie();
}

// Numbers of `bits` bits at most, but for zeros at the beginning.
template <typename Type>
std::shared_ptr<arrow::Array> NarrowNumbers(int64_t count, uint32_t bits, std::mt19937_64& random) {
  arrow::NumericBuilder<Type> builder;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t number = i < 3000 || bits == 0 ? 0 : random() >> (64 - bits);
    EXPECT_TRUE(builder.Append(static_cast<typename Type::c_type>(number)).ok());
  }
  return builder.Finish().ValueOrDie();
}

// Ascending, of 1 … `longest` rows, some next to each other.
std::vector<RowRange> RandomRanges(uint64_t count, uint64_t longest, std::mt19937_64& random) {
  std::vector<RowRange> ranges;
  uint64_t row = random() % 300;
  while (row + longest < count) {
    const uint64_t length = 1 + random() % longest;
    ranges.push_back({row, length});
    row += length + (random() % 3 == 0 ? random() % 2 : random() % 700);
  }
  return ranges;
}

TEST_F(SelectiveReads, ScatteredPackedNumbersAreRight) {
  constexpr int64_t kRows = 20001;
  std::mt19937_64 random(5);
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  auto add = [&](std::shared_ptr<arrow::Array> column) {
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), column->type(), false));
    columns.push_back(std::move(column));
  };
  for (uint32_t bits = 0; bits <= 64; ++bits) {
    add(NarrowNumbers<arrow::UInt64Type>(kRows, bits, random));
    if (bits <= 32) add(NarrowNumbers<arrow::UInt32Type>(kRows, bits, random));
    if (bits <= 16) add(NarrowNumbers<arrow::UInt16Type>(kRows, bits, random));
    if (bits <= 8) add(NarrowNumbers<arrow::UInt8Type>(kRows, bits, random));
  }
  for (const FileVersion version : {FileVersion::kV2_1, FileVersion::kV2_2, FileVersion::kV2_3}) {
    Write(arrow::RecordBatch::Make(arrow::schema(fields), kRows, columns), version);
    auto reader = Open();
    for (const uint64_t longest : {1, 2, 6}) {
      const std::vector<RowRange> ranges = RandomRanges(kRows, longest, random);
      auto read = reader->Read(context_, reader->Project().ValueOrDie(), ranges).ValueOrDie();
      for (int i = 0; i < read->num_columns(); ++i) {
        int64_t at = 0;
        for (const RowRange& range : ranges) {
          const auto start = static_cast<int64_t>(range.start);
          const auto count = static_cast<int64_t>(range.count);
          ASSERT_TRUE(read->column(i)->RangeEquals(at, at + count, start, columns[i]))
              << fields[i]->ToString() << ", rows from " << start;
          at += count;
        }
      }
    }
  }
}

TEST_F(SelectiveReads, OnePackedNumberReadsItsWordsAlone) {
  constexpr int64_t kRows = 20000;
  std::mt19937_64 random(6);
  auto column = NarrowNumbers<arrow::UInt64Type>(kRows, 45, random);
  auto schema = arrow::schema({arrow::field("n", column->type(), false)});
  Write(arrow::RecordBatch::Make(schema, kRows, {column}));
  auto reader = Open();
  auto projection = reader->Project().ValueOrDie();
  ReadAll(*reader, projection);
  Cost();
  const RowRange row{15000, 1};
  auto read = reader->Read(context_, projection, {&row, 1}).ValueOrDie();
  EXPECT_TRUE(read->column(0)->RangeEquals(0, 1, 15000, column));
  const CountedRead cost = Cost();
  EXPECT_EQ(cost.requests, 1u);
  EXPECT_LE(cost.bytes, 136u);
}

TEST_F(SelectiveReads, LeavesOfNestedColumnsAreReadAlone) {
  constexpr int64_t kRows = 20000;
  std::mt19937_64 random(3);
  auto ints = [&] { return RandomInts(kRows, random); };
  auto structs = [](const arrow::ArrayVector& members, const std::vector<std::string>& names) {
    return arrow::StructArray::Make(members, names).ValueOrDie();
  };
  auto b = structs({ints(), ints()}, {"c", "d"});
  auto a = structs({b, ints()}, {"b", "e"});
  auto item = structs({ints(), ints(), ints()}, {"u", "v", "w"});
  arrow::Int32Builder offsets;
  for (int32_t i = 0; i <= kRows; ++i) ASSERT_TRUE(offsets.Append(i).ok());
  auto list = arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *item).ValueOrDie();
  auto schema = arrow::schema({arrow::field("a", a->type()), arrow::field("l", list->type())});
  struct Case {
    std::vector<std::string> columns;
    std::vector<std::string> leaves;
  };
  const std::vector<Case> cases = {
      {{"a.b.c"}, {"a.b.c"}},
      {{"a.b"}, {"a.b.c", "a.b.d"}},
      {{"a.e", "a.b.d"}, {"a.e", "a.b.d"}},
      {{"l.item.v"}, {"l.item.v"}},
      {{"l.item.w", "a.e", "l.item.u"}, {"l.item.u", "l.item.w", "a.e"}},
  };
  for (const FileVersion version : {FileVersion::kV2_1, FileVersion::kV2_2}) {
    Write(arrow::RecordBatch::Make(schema, kRows, {a, list}), version);
    for (const Case& test_case : cases) {
      SCOPED_TRACE(test_case.columns[0]);
      auto reader = Open();
      auto projection = reader->Project(test_case.columns).ValueOrDie();
      Cost();
      auto read = ReadAll(*reader, projection);
      uint64_t stored = 0;
      for (const std::string& leaf : test_case.leaves) stored += StoredBytes(leaf);
      const CountedRead cost = Cost();
      // Neighbours closer than a coalescing gap come along.
      EXPECT_LE(cost.bytes, stored + test_case.leaves.size() * 2 * kCoalesceGapBytes);
      // Chunk table, repetition index, chunks.
      EXPECT_LE(cost.requests, 3 * test_case.leaves.size());
      EXPECT_EQ(projection.columns.size(), test_case.leaves.size());
    }
  }

  auto reader = Open();
  auto read = ReadAll(*reader, reader->Project({"a.e", "a.b.d"}).ValueOrDie());
  EXPECT_EQ(read->schema()->field(0)->type()->ToString(), "struct<e: int64, b: struct<d: int64>>");
  const auto& read_a = static_cast<const arrow::StructArray&>(*read->column(0));
  const auto& read_b = static_cast<const arrow::StructArray&>(*read_a.field(1));
  EXPECT_TRUE(read_a.field(0)->Equals(static_cast<const arrow::StructArray&>(*a).field(1)));
  EXPECT_TRUE(read_b.field(0)->Equals(static_cast<const arrow::StructArray&>(*b).field(1)));
  read = ReadAll(*reader, reader->Project({"l.item.v"}).ValueOrDie());
  const auto& read_list = static_cast<const arrow::ListArray&>(*read->column(0));
  EXPECT_EQ(read_list.type()->ToString(), "list<item: struct<v: int64>>");
  EXPECT_TRUE(static_cast<const arrow::StructArray&>(*read_list.values())
                  .field(0)
                  ->Equals(static_cast<const arrow::StructArray&>(*item).field(1)));
}

// Rows of one take that lie near each other are read together, those far apart alone.
TEST_F(SelectiveReads, TakesCoalesce) {
  constexpr uint64_t kRows = 200'000;
  std::mt19937_64 random(5);
  auto array = RandomInts(kRows, random);
  auto schema = arrow::schema({arrow::field("x", array->type())});
  Write(arrow::RecordBatch::Make(schema, kRows, {array}));
  auto reader = Open();
  auto projection = reader->Project().ValueOrDie();
  const RowRange first{0, 1};
  ASSERT_TRUE(reader->Read(context_, projection, {&first, 1}).ok()) << "opens the page";
  const uint64_t stored = StoredBytes("x");
  const struct {
    uint64_t distance;
    uint64_t rows_there;
    uint64_t requests;
  } takes[] = {{1, 1, 1}, {20, 3, 1}, {400, 1, 1}, {10'000, 1, 20}, {10'000, 2, 20}};
  for (const auto& take : takes) {
    std::vector<RowRange> rows;
    for (uint64_t row = 0; row < kRows; row += take.distance) {
      rows.push_back({row, take.rows_there});
    }
    Cost();
    auto batch = reader->Read(context_, projection, rows).ValueOrDie();
    const CountedRead cost = Cost();
    EXPECT_EQ(cost.requests, take.requests) << take.distance;
    // A chunk of 512 numbers for each row that is alone.
    EXPECT_LE(cost.bytes, take.requests == 1 ? stored : take.requests * 2 * 4200) << take.distance;
    const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& wanted = static_cast<const arrow::Int64Array&>(*array);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto at = static_cast<int64_t>(i * take.rows_there);
      ASSERT_EQ(values.Value(at), wanted.Value(static_cast<int64_t>(rows[i].start)));
    }
  }
}

TEST_F(SelectiveReads, OneOfTwoThousandColumnsReadsItsMetadataAlone) {
  constexpr int kColumns = 2000;
  constexpr int64_t kRows = 100;
  constexpr uint64_t kTailBytes = 64 * 1024;
  std::mt19937_64 random(4);
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (int i = 0; i < kColumns; ++i) {
    fields.push_back(arrow::field("column_" + std::to_string(i), arrow::int64()));
    arrays.push_back(RandomInts(kRows, random));
  }
  Write(arrow::RecordBatch::Make(arrow::schema(fields), kRows, arrays));
  auto metadata = FileMetadata::Load({}, *Object()).ValueOrDie();
  const uint64_t column_bytes =
      metadata.footer().column_table_position - metadata.footer().column_metadata_position;
  ASSERT_GT(column_bytes, 2 * kTailBytes) << "more than the tail of the file";

  // As a table reads it: the manifest tells the schema and the number of rows.
  auto table_schema = Schema::FromArrow(*arrow::schema(fields)).ValueOrDie();
  std::vector<int32_t> ids(kColumns);
  std::iota(ids.begin(), ids.end(), 0);
  auto reader = Open(kRows);
  CountedRead cost = Cost();
  EXPECT_EQ(cost.requests, 1u);
  EXPECT_LE(cost.bytes, kTailBytes);
  for (const int column : {7, 1000}) {
    auto wanted = table_schema.Project({fields[static_cast<size_t>(column)]->name()}).ValueOrDie();
    auto projection = reader->Project(std::move(wanted), ids, ids).ValueOrDie();
    ASSERT_TRUE(reader->BytesPerRow(context_, projection).ok());
    cost = Cost();
    EXPECT_EQ(cost.requests, 1u);
    EXPECT_EQ(cost.bytes, metadata.column_range(static_cast<uint32_t>(column)).size);
    auto read = ReadAll(*reader, projection);
    EXPECT_TRUE(read->column(0)->Equals(arrays[static_cast<size_t>(column)]));
    EXPECT_LE(Cost().requests, 2u);
    ReadAll(*reader, projection);
    EXPECT_EQ(Cost().requests, 1u) << "everything but the values is kept";
  }

  // A file alone also has to tell its schema and its number of rows.
  reader = Open();
  cost = Cost();
  EXPECT_EQ(cost.requests, 2u);
  EXPECT_LE(cost.bytes, kTailBytes + metadata.global_buffers()[0].size + 1024);
  EXPECT_EQ(reader->num_rows(), static_cast<uint64_t>(kRows));
  EXPECT_TRUE(ReadAll(*reader, reader->Project({"column_1000"}).ValueOrDie())
                  ->column(0)
                  ->Equals(arrays[1000]));

  // Another number of rows than the manifest told.
  reader = Open(kRows + 1);
  const RowRange row{0, 1};
  auto projection = reader->Project(table_schema, ids, ids).ValueOrDie();
  EXPECT_EQ(GetErrorCode(reader->Read(context_, projection, {&row, 1}).status()),
            ErrorCode::kCorrupt);
}

std::shared_ptr<RandomReader> InMemory(ObjectStore& store, Bytes bytes) {
  Context context;
  EXPECT_TRUE(store.Put(context, "file", bytes).ok());
  return store.OpenReader(context, "file").ValueOrDie();
}

std::vector<uint8_t> FileBytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A file of 0.1 may leave its schema to the table's manifest.
TEST(FileReaderLegacy, SchemaOfTheTable) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  const Case test_case{FixtureRoot() / "files14/v0.1_list_struct_list", ""};
  const Schema schema = OpenCase(test_case).ValueOrDie()->schema();
  auto bytes = FileBytes(FileOf(test_case.folder));
  const auto position = LoadLittleEndian<uint64_t>(bytes.data() + bytes.size() - 16);
  const auto size = LoadLittleEndian<uint32_t>(bytes.data() + position);
  lance::file::Metadata metadata;
  ASSERT_TRUE(ParseMessage(Bytes(bytes).subspan(position + sizeof(size), size), &metadata));
  metadata.clear_manifest_position();
  const std::string message = metadata.SerializeAsString();
  bytes.resize(position);
  auto append = [&bytes](const void* from, size_t count) {
    const auto* at = static_cast<const uint8_t*>(from);
    bytes.insert(bytes.end(), at, at + count);
  };
  const auto message_size = static_cast<uint32_t>(message.size());
  append(&message_size, sizeof(message_size));
  append(message.data(), message.size());
  append(&position, sizeof(position));
  const uint16_t version[] = {0, 2};
  append(version, sizeof(version));
  append("LANC", 4);

  Context context;
  auto store = MakeMemoryStore();
  auto object = InMemory(*store, bytes);
  EXPECT_EQ(GetErrorCode(FileReader::Open(context, object).status()), ErrorCode::kUnsupported);
  auto expected = Expected(test_case.folder);
  const auto rows = static_cast<uint64_t>(expected->num_rows());
  auto reader = FileReader::Open(context, object, rows).ValueOrDie();
  std::vector<int32_t> ids;
  for (const Field* field : schema.PreOrder()) ids.push_back(field->id);
  auto projection = reader->Project(schema, ids, {}).ValueOrDie();
  const RowRange all{0, rows};
  EXPECT_EQ(Difference(*expected, *reader->Read(context, projection, {&all, 1}).ValueOrDie()), "");
}

// ---- damaged files

// Pages without bytes can claim any number of rows: reading stops here.
constexpr uint64_t kMaxRows = 8192;

// Opens and reads everything; only the status matters.
Status ReadAll(const std::shared_ptr<RandomReader>& object) {
  Context context;
  ARROW_ASSIGN_OR_RAISE(auto reader, FileReader::Open(context, object));
  ARROW_ASSIGN_OR_RAISE(auto projection, reader->Project());
  const RowRange all{0, std::min(reader->num_rows(), kMaxRows)};
  ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(context, projection, {&all, 1}));
  return batch->ValidateFull();
}

TEST(FileReaderDamage, EveryTruncationIsAnErrorThatNamesTheFile) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  const auto bytes = FileBytes(FixtureRoot() / "files14/v2.2_one_row/file.lance");
  ASSERT_GT(bytes.size(), 500u);
  auto store = MakeMemoryStore();
  ASSERT_TRUE(ReadAll(InMemory(*store, bytes)).ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Status status = ReadAll(InMemory(*store, Bytes(bytes).first(size)));
    ASSERT_FALSE(status.ok()) << size;
    ASSERT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << size << ErrorText(status);
    ASSERT_NE(ErrorText(status).find("file"), std::string::npos) << size;
  }
}

// The same at random places of larger files, of the layouts that have none so small.
TEST(FileReaderDamage, ChangedBytesOfOtherLayoutsNeverCrash) {
  const auto cases = Cases();
  if (cases.empty()) GTEST_SKIP() << "fixtures are absent";
  auto store = MakeMemoryStore();
  std::mt19937_64 random(7);
  int tried = 0;
  for (const Case& test_case : cases) {
    const bool wanted = test_case.name.find("packed") != std::string::npos ||
                        test_case.name.find("blob") != std::string::npos ||
                        test_case.name.find("/v2.3_") != std::string::npos;
    auto bytes = FileBytes(test_case.folder / "file.lance");
    if (!wanted || bytes.size() > 60000) continue;
    SCOPED_TRACE(test_case.name);
    ++tried;
    // Descriptions, at the end, are where a change does most.
    const size_t tail = std::min<size_t>(bytes.size(), 3000);
    for (int round = 0; round < 60; ++round) {
      const size_t at =
          round % 3 == 0 ? random() % bytes.size() : bytes.size() - 1 - random() % tail;
      const uint8_t original = bytes[at];
      bytes[at] = static_cast<uint8_t>(round % 2 == 0 ? random() : original + 1);
      Status status = ReadAll(InMemory(*store, bytes));
      EXPECT_TRUE(status.ok() || !status.message().empty());
      bytes[at] = original;
    }
  }
  EXPECT_GT(tried, 50);
}

}  // namespace
}  // namespace lance
