#include "file/file_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "base/executor.h"
#include "file/file_reader.h"

namespace lance {
namespace {

using arrow::field;

class FileWriterTest : public ::testing::Test {
 protected:
  Result<FileWriteResult> Write(const std::shared_ptr<arrow::Schema>& schema,
                                const arrow::RecordBatchVector& batches,
                                FileWriteOptions options = {}, const std::string& path = "/f") {
    ARROW_ASSIGN_OR_RAISE(auto writer, OpenWriter(schema, options, path));
    for (const auto& batch : batches) ARROW_RETURN_NOT_OK(writer->WriteBatch(*batch));
    return writer->Finish();
  }

  Result<std::unique_ptr<FileWriter>> OpenWriter(const std::shared_ptr<arrow::Schema>& schema,
                                                 FileWriteOptions options = {},
                                                 const std::string& path = "/f") {
    ARROW_ASSIGN_OR_RAISE(Schema ours, Schema::FromArrow(*schema));
    ARROW_ASSIGN_OR_RAISE(auto object, store_->OpenWriter(context_, path));
    return FileWriter::Open(context_, std::move(object), std::move(ours), options);
  }

  std::shared_ptr<FileReader> OpenReader(const std::string& path = "/f") {
    auto object = store_->OpenReader(context_, path).ValueOrDie();
    return FileReader::Open(context_, std::move(object)).ValueOrDie();
  }

  std::shared_ptr<arrow::RecordBatch> ReadAll(const std::string& path = "/f") {
    const auto reader = OpenReader(path);
    const RowRange all = {0, reader->num_rows()};
    return reader->Read(context_, reader->Project().ValueOrDie(), {&all, 1}).ValueOrDie();
  }

  std::string FileBytes(const std::string& path = "/f") {
    return store_->Get(context_, path).ValueOrDie()->ToString();
  }

  Context context_;
  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
};

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::vector<std::string>& names,
                                            const arrow::ArrayVector& arrays) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < names.size(); ++i) fields.push_back(field(names[i], arrays[i]->type()));
  return arrow::RecordBatch::Make(arrow::schema(fields), arrays.empty() ? 0 : arrays[0]->length(),
                                  arrays);
}

// Random arrays with about `nulls` of 10 slots null on each level.
class RandomArrays {
 public:
  RandomArrays(uint32_t seed, uint32_t nulls, bool null_structs = true)
      : random_(seed), nulls_(nulls), null_structs_(null_structs) {}

  bool Null() { return random_() % 10 < nulls_; }

  std::shared_ptr<arrow::Array> Ints(int64_t count, uint64_t below) {
    arrow::Int64Builder builder;
    for (int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<int64_t>(random_() % below);
      EXPECT_TRUE((Null() ? builder.AppendNull() : builder.Append(value)).ok());
    }
    return builder.Finish().ValueOrDie();
  }

  std::shared_ptr<arrow::Array> Strings(int64_t count, size_t longest) {
    arrow::StringBuilder builder;
    for (int64_t i = 0; i < count; ++i) {
      std::string text(random_() % (longest + 1), 'a');
      for (char& letter : text) letter = static_cast<char>('a' + random_() % 5);
      EXPECT_TRUE((Null() ? builder.AppendNull() : builder.Append(text)).ok());
    }
    return builder.Finish().ValueOrDie();
  }

  std::shared_ptr<arrow::Array> Lists(int64_t count, bool nested) {
    arrow::TypedBufferBuilder<int32_t> offsets;
    int32_t items = 0;
    for (int64_t i = 0; i <= count; ++i) {
      EXPECT_TRUE(offsets.Append(items).ok());
      items += static_cast<int32_t>(random_() % 4);
    }
    items = offsets.data()[count];
    const auto child = nested ? Structs(items) : Ints(items, 1000);
    auto data =
        arrow::ArrayData::Make(arrow::list(child->type()), count,
                               {Validity(count), offsets.Finish().ValueOrDie()}, {child->data()});
    return arrow::MakeArray(data);
  }

  std::shared_ptr<arrow::Array> Structs(int64_t count) {
    const auto a = Ints(count, 50);
    const auto b = Lists(count, false);
    const auto type = arrow::struct_({field("a", a->type()), field("b", b->type())});
    return arrow::MakeArray(arrow::ArrayData::Make(
        type, count, {null_structs_ ? Validity(count) : nullptr}, {a->data(), b->data()}));
  }

  std::shared_ptr<arrow::RecordBatch> Batch(int64_t count) {
    return BatchOf({"i", "wide", "s", "long", "l", "n"},
                   {Ints(count, 100), Ints(count, ~0ull), Strings(count, 12), Strings(count, 600),
                    Lists(count, false), Lists(count, true)});
  }

 private:
  std::shared_ptr<arrow::Buffer> Validity(int64_t count) {
    auto bits = arrow::AllocateEmptyBitmap(count).ValueOrDie();
    for (int64_t i = 0; i < count; ++i) {
      if (!Null()) arrow::bit_util::SetBit(bits->mutable_data(), i);
    }
    return bits;
  }

  std::mt19937_64 random_;
  uint32_t nulls_;
  bool null_structs_;
};

TEST_F(FileWriterTest, RandomTablesAreReadBack) {
  for (FileVersion version :
       {FileVersion::kV2_0, FileVersion::kV2_1, FileVersion::kV2_2, FileVersion::kV2_3}) {
    for (int64_t rows : {1, 2, 1023, 1024, 1025, 4096, 8193}) {
      for (uint32_t nulls : {0u, 2u, 10u}) {
        SCOPED_TRACE(::testing::Message() << FileVersionName(version) << " rows " << rows
                                          << " nulls " << nulls << ", seed 17");
        const auto batch = RandomArrays(17, nulls, version != FileVersion::kV2_0).Batch(rows);
        for (int64_t step : {rows, rows / 3 + 1}) {
          arrow::RecordBatchVector slices;
          for (int64_t row = 0; row < rows; row += step) slices.push_back(batch->Slice(row, step));
          FileWriteOptions options;
          options.version = version;
          options.page_bytes = step == rows ? options.page_bytes : 1;
          ASSERT_TRUE(Write(batch->schema(), slices, options).ok());
          const auto got = ReadAll();
          EXPECT_TRUE(got->Equals(*batch)) << "step " << step;
        }
      }
    }
  }
}

TEST_F(FileWriterTest, BytesDontDependOnThreads) {
  const auto batch = RandomArrays(3, 1).Batch(9000);
  const arrow::RecordBatchVector slices = {batch->Slice(0, 5000), batch->Slice(5000)};
  FileWriteOptions options;
  options.page_bytes = 10000;
  const int threads = CpuThreads();
  SetCpuThreads(1);
  ASSERT_TRUE(Write(batch->schema(), slices, options, "/one").ok());
  SetCpuThreads(4);
  ASSERT_TRUE(Write(batch->schema(), slices, options, "/four").ok());
  SetCpuThreads(threads);
  EXPECT_EQ(FileBytes("/one"), FileBytes("/four"));
}

TEST_F(FileWriterTest, ColumnsShareTheBuffer) {
  constexpr int kColumns = 24;
  constexpr int64_t kRows = 10'000;
  constexpr int kBatches = 20;  // 38 MB
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  std::mt19937_64 random(5);
  for (int i = 0; i < kColumns; ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), arrow::int64()));
    arrow::Int64Builder builder;
    for (int64_t row = 0; row < kRows; ++row) {
      ASSERT_TRUE(builder.Append(static_cast<int64_t>(random())).ok());
    }
    columns.push_back(builder.Finish().ValueOrDie());
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), kRows, columns);
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  context_.memory_pool = &pool;
  auto writer = OpenWriter(batch->schema()).ValueOrDie();
  for (int i = 0; i < kBatches; ++i) ASSERT_TRUE(writer->WriteBatch(*batch).ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_LT(pool.max_memory(), 16 << 20);
  context_.memory_pool = nullptr;
  const auto got = ReadAll();
  ASSERT_EQ(got->num_rows(), kBatches * kRows);
  for (int i = 0; i < kBatches; ++i) {
    EXPECT_TRUE(got->Slice(i * kRows, kRows)->Equals(*batch)) << "batch " << i;
  }
}

TEST_F(FileWriterTest, ResultAndCounts) {
  const auto type = arrow::struct_({field("a", arrow::int32()), field("b", arrow::utf8())});
  const auto batch = BatchOf({"s", "x"}, {FromJson(type, R"([{"a": 1, "b": "y"}, null])"),
                                          FromJson(arrow::int8(), "[1, 2]")});
  auto writer = OpenWriter(batch->schema()).ValueOrDie();
  ASSERT_TRUE(writer->WriteBatch(*batch).ok());
  ASSERT_TRUE(writer->WriteBatch(*batch->Slice(0, 0)).ok());
  EXPECT_EQ(writer->num_rows(), 2u);
  EXPECT_GT(writer->estimated_bytes(), 0u);
  const FileWriteResult result = writer->Finish().ValueOrDie();
  EXPECT_EQ(result.num_rows, 2u);
  EXPECT_EQ(result.size_bytes, FileBytes().size());
  EXPECT_EQ(result.field_ids, (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(result.column_indices, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_FALSE(writer->WriteBatch(*batch).ok());
  EXPECT_FALSE(writer->Finish().ok());
}

// In 2.0 structs and lists have columns of their own, but no nulls of structs.
TEST_F(FileWriterTest, ColumnsOfTrees) {
  const auto type = arrow::struct_(
      {field("a", arrow::int32()), field("l", arrow::list(field("item", arrow::utf8())))});
  FileWriteOptions options;
  options.version = FileVersion::kV2_0;
  const auto good = BatchOf({"s", "x"}, {FromJson(type, R"([{"a": 1, "l": ["y"]}, {"l": null}])"),
                                         FromJson(arrow::int8(), "[1, 2]")});
  const FileWriteResult result = Write(good->schema(), {good}, options).ValueOrDie();
  EXPECT_EQ(result.field_ids, (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(result.column_indices, (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(ReadAll()->Equals(*good));
  // The footer calls the version 0.3.
  EXPECT_EQ(FileBytes().substr(FileBytes().size() - 8), std::string("\0\0\3\0LANC", 8));
  const auto bad = BatchOf({"s"}, {FromJson(type, R"([{"a": 1}, null])")});
  const Status refused = Write(bad->schema(), {bad}, options, "/bad").status();
  EXPECT_NE(refused.message().find("null struct: field 's'"), std::string::npos) << refused;
}

// The worked example of the format description, byte for byte.
TEST_F(FileWriterTest, WorkedExample) {
  const auto batch = BatchOf({"i", "s"}, {FromJson(arrow::int32(), "[1, 2, null]"),
                                          FromJson(arrow::utf8(), R"(["a", "bc", null])")});
  ASSERT_TRUE(Write(batch->schema(), {batch}).ok());
  const std::string bytes = FileBytes();
  EXPECT_EQ(bytes.size(), 645u);
  EXPECT_EQ(bytes.substr(0, 4), std::string("\x30\0\0\0", 4));
  EXPECT_EQ(bytes.substr(4, 60), std::string(60, 'H'));
  EXPECT_EQ(bytes.substr(0x40, 8), std::string("\3\0\6\0\x0C\0\0\0", 8));
  EXPECT_EQ(bytes.substr(0x48, 8), std::string("\0\0\0\0\1\0\xFE\xFE", 8));
  EXPECT_EQ(bytes.substr(0xD0, 20), std::string("\x10\0\0\0\x11\0\0\0\x13\0\0\0\x13\0\0\0"
                                                "abcH",
                                                20));
  EXPECT_EQ(bytes.substr(bytes.size() - 16), std::string("\1\0\0\0\2\0\0\0\2\0\2\0LANC", 16));
}

TEST_F(FileWriterTest, NoRowsAndNoColumns) {
  const auto schema = arrow::schema({field("x", arrow::list(arrow::int32()))});
  ASSERT_TRUE(Write(schema, {}).ok());
  EXPECT_EQ(OpenReader()->num_rows(), 0u);
  EXPECT_TRUE(OpenReader()->schema().ToArrow().ValueOrDie()->Equals(*schema));
  ASSERT_TRUE(Write(arrow::schema({}),
                    {arrow::RecordBatch::Make(arrow::schema({}), 5, arrow::ArrayVector{})})
                  .ok());
  EXPECT_EQ(FileBytes().substr(FileBytes().size() - 4), "LANC");
}

TEST_F(FileWriterTest, MetadataAndGlobalBuffers) {
  const auto schema =
      arrow::schema({field("x", arrow::int8())}, arrow::key_value_metadata({"a", "b"}, {"1", "2"}));
  auto writer = OpenWriter(schema).ValueOrDie();
  writer->AddSchemaMetadata("b", "3");
  writer->AddSchemaMetadata("c", "4");
  EXPECT_EQ(writer->AddGlobalBuffer(AsBytes("hello")).ValueOrDie(), 1u);
  EXPECT_EQ(writer->AddGlobalBuffer(AsBytes("there")).ValueOrDie(), 2u);
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(FileBytes().substr(0, 5), "hello");
  EXPECT_EQ(FileBytes().substr(64, 5), "there");
  const auto metadata = OpenReader()->schema().metadata;
  ASSERT_NE(metadata, nullptr);
  EXPECT_TRUE(metadata->Equals(*arrow::key_value_metadata({"a", "b", "c"}, {"1", "3", "4"})));
}

TEST_F(FileWriterTest, ColumnsAreFoundByName) {
  const auto a = FromJson(arrow::int32(), "[1]");
  const auto b = FromJson(arrow::utf8(), R"(["x"])");
  const auto schema = BatchOf({"a", "b"}, {a, b})->schema();
  ASSERT_TRUE(Write(schema, {BatchOf({"z", "b", "a"}, {a, b, a})}).ok());
  EXPECT_TRUE(ReadAll()->Equals(*BatchOf({"a", "b"}, {a, b})));
}

TEST_F(FileWriterTest, BadBatchesAreUserErrors) {
  const auto schema = arrow::schema({field("value", arrow::int32(), /*nullable=*/false)});
  auto error = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    auto writer = OpenWriter(schema).ValueOrDie();
    const Status status = writer->WriteBatch(*batch);
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput) << status.ToString();
    // Nothing of the batch was kept.
    EXPECT_EQ(writer->num_rows(), 0u);
    EXPECT_TRUE(writer->WriteBatch(*BatchOf({"value"}, {FromJson(arrow::int32(), "[1]")})).ok());
    return status.message();
  };
  EXPECT_NE(error(BatchOf({"valu"}, {FromJson(arrow::int32(), "[1]")})).find("'valu'"),
            std::string::npos);
  const std::string type = error(BatchOf({"value"}, {FromJson(arrow::utf8(), R"(["1"])")}));
  EXPECT_NE(type.find("'value'"), std::string::npos);
  EXPECT_NE(type.find("int32"), std::string::npos);
  EXPECT_NE(type.find("string"), std::string::npos);
  EXPECT_NE(error(BatchOf({"value"}, {FromJson(arrow::int32(), "[1, null]")})).find("'value'"),
            std::string::npos);
}

// As another engine may hand it over: a null vector without items.
TEST_F(FileWriterTest, ArraysWithTooFewItemsAreUserErrors) {
  const auto type = arrow::fixed_size_list(arrow::int32(), 3);
  auto data = FromJson(type, "[[1, 2, 3], null]")->data()->Copy();
  data->child_data[0] = data->child_data[0]->Copy();
  data->child_data[0]->length = 3;
  auto schema = arrow::schema({field("value", type)});
  auto writer = OpenWriter(schema).ValueOrDie();
  const Status status = writer->WriteBatch(*arrow::RecordBatch::Make(schema, 2, {data}));
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput) << status.ToString();
  EXPECT_NE(status.message().find("'value'"), std::string::npos) << status.ToString();
}

TEST_F(FileWriterTest, UnsupportedThingsAreNamed) {
  auto error = [&](const std::shared_ptr<arrow::Field>& field, FileWriteOptions options = {}) {
    const auto writer = OpenWriter(arrow::schema({field}), options);
    EXPECT_EQ(GetErrorCode(writer.status()), ErrorCode::kUnsupported);
    return writer.status().message();
  };
  const auto metadata = [](const char* key) { return arrow::key_value_metadata({key}, {"true"}); };
  const auto packed = [&](const std::shared_ptr<arrow::DataType>& member) {
    return field("p", arrow::struct_({field("a", member)}), true,
                 metadata("lance-encoding:packed"));
  };
  EXPECT_NE(error(packed(arrow::boolean())).find("'p.a'"), std::string::npos);
  EXPECT_NE(error(packed(arrow::list(arrow::int8()))).find("'p.a'"), std::string::npos);
  const auto blob = field("b", arrow::large_binary(), true, metadata("lance-encoding:blob"));
  EXPECT_NE(error(field("l", arrow::list(blob))).find("'l.b'"), std::string::npos);
  FileWriteOptions old;
  old.version = FileVersion::kV0_1;
  EXPECT_NE(error(field("x", arrow::int32()), old).find("0.1"), std::string::npos);
  old.version = FileVersion::kV2_3;
  EXPECT_NE(error(blob, old).find("'b'"), std::string::npos);
  old.version = FileVersion::kV2_0;
  EXPECT_NE(error(field("m", arrow::map(arrow::utf8(), arrow::int32())), old).find("'m'"),
            std::string::npos);
  old.version = FileVersion::kV2_1;
  EXPECT_NE(error(packed(arrow::utf8()), old).find("'p.a'"), std::string::npos);
  EXPECT_NE(error(field("m", arrow::map(arrow::utf8(), arrow::int32())), old).find("'m'"),
            std::string::npos);
}

TEST_F(FileWriterTest, UnfinishedFilesDontAppear) {
  {
    auto writer = OpenWriter(arrow::schema({field("x", arrow::int8())})).ValueOrDie();
    ASSERT_TRUE(writer->WriteBatch(*BatchOf({"x"}, {FromJson(arrow::int8(), "[1]")})).ok());
  }
  EXPECT_EQ(GetErrorCode(store_->Get(context_, "/f").status()), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace lance
