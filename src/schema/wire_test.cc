#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "arrow/extension/uuid.h"
#include "arrow/io/file.h"
#include "arrow/ipc/reader.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "base/byte_reader.h"
#include "file.pb.h"
#include "gtest/gtest.h"
#include "schema/metadata.h"
#include "schema/schema.h"

namespace lance {
namespace {

using WireFields = google::protobuf::RepeatedPtrField<lance::file::Field>;

// Bytes with the entries of maps in a fixed order.
std::string FixedBytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  EXPECT_TRUE(message.SerializeToCodedStream(&coded));
  coded.Trim();
  return bytes;
}

std::string FixedBytes(const WireFields& fields) {
  lance::file::Schema schema;
  *schema.mutable_fields() = fields;
  return FixedBytes(schema);
}

lance::file::Field* AddField(WireFields* fields, int32_t id, int32_t parent_id,
                             const std::string& name, const std::string& logical_type) {
  lance::file::Field* field = fields->Add();
  field->set_id(id);
  field->set_parent_id(parent_id);
  field->set_name(name);
  field->set_logical_type(logical_type);
  field->set_nullable(true);
  return field;
}

Status Refusal(const WireFields& fields) { return Schema::FromProto(fields).status(); }

TEST(WireTest, WritesWhatTheReferenceWrites) {
  // `{id: 1, parent_id: -1, logical_type: "dict:string:int8:false", nullable, DICTIONARY}`
  auto schema = arrow::schema({arrow::field("a", arrow::int8(), false),
                               arrow::field("b", arrow::dictionary(arrow::int8(), arrow::utf8()))});
  WireFields fields;
  Schema::FromArrow(*schema).ValueOrDie().ToProto(&fields);
  const std::string minus_one = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(fields[0].SerializeAsString(),
            "\x12\x01"
            "a\x20" +
                minus_one + "\x2a\x04int8\x38\x01");
  EXPECT_EQ(fields[1].SerializeAsString(),
            "\x12\x01"
            "b\x18\x01\x20" +
                minus_one +
                "\x2a\x16"
                "dict:string:int8:false\x30\x01\x38\x03");
}

TEST(WireTest, EncodingFollowsTheType) {
  WireFields fields;
  const std::vector<std::pair<std::string, lance::file::Encoding>> expected = {
      {"null", lance::file::NONE},
      {"struct", lance::file::NONE},
      {"int8", lance::file::PLAIN},
      {"bool", lance::file::PLAIN},
      {"decimal:128:5:2", lance::file::PLAIN},
      {"fixed_size_list:float:4", lance::file::PLAIN},
      {"timestamp:us:-", lance::file::PLAIN},
      {"fixed_size_binary:4", lance::file::PLAIN},
      {"string", lance::file::VAR_BINARY},
      {"large_binary", lance::file::VAR_BINARY},
      {"json", lance::file::VAR_BINARY},
      {"dict:string:int8:false", lance::file::DICTIONARY}};
  for (size_t i = 0; i < expected.size(); ++i) {
    AddField(&fields, static_cast<int32_t>(i), -1, "f" + std::to_string(i), expected[i].first);
  }
  WireFields written;
  Schema::FromProto(fields).ValueOrDie().ToProto(&written);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(written[static_cast<int>(i)].encoding(), expected[i].second) << expected[i].first;
  }
}

TEST(WireTest, ExtensionNameAloneIsEnough) {
  WireFields fields;
  AddField(&fields, 0, -1, "u", "fixed_size_binary:16")->set_extension_name("arrow.uuid");
  Schema schema = Schema::FromProto(fields).ValueOrDie();
  EXPECT_EQ(FindMetadata(schema.fields[0].metadata.get(), kExtensionNameKey), "arrow.uuid");
  EXPECT_TRUE(schema.fields[0].ToArrow().ValueOrDie()->type()->Equals(*arrow::extension::uuid()));
}

TEST(WireTest, OldBlobsAreLargeBinaryWithTheBlobKey) {
  WireFields fields;
  AddField(&fields, 0, -1, "b", "blob");
  Schema schema = Schema::FromProto(fields).ValueOrDie();
  EXPECT_EQ(schema.fields[0].logical_type, "large_binary");
  EXPECT_EQ(FindMetadata(schema.fields[0].metadata.get(), kBlobKey), "true");
}

TEST(WireTest, ChildrenMayFollowLater) {
  WireFields fields;
  AddField(&fields, 4, -1, "s", "struct");
  AddField(&fields, 5, 4, "a", "int8");
  AddField(&fields, 0, -1, "z", "int8");
  AddField(&fields, 9, 4, "b", "int8");
  Schema schema = Schema::FromProto(fields).ValueOrDie();
  ASSERT_EQ(schema.fields.size(), 2u);
  EXPECT_EQ(schema.fields[0].children[1].name, "b");
}

TEST(WireTest, ARepeatedIdMeansTheFirst) {
  WireFields fields;
  AddField(&fields, 1, -1, "s", "struct");
  AddField(&fields, 1, -1, "t", "struct");
  AddField(&fields, 2, 1, "a", "int8");
  Schema schema = Schema::FromProto(fields).ValueOrDie();
  EXPECT_EQ(schema.fields[0].children.size(), 1u);
  EXPECT_EQ(schema.fields[1].children.size(), 0u);
}

TEST(WireTest, RefusesBrokenTrees) {
  WireFields orphan;
  AddField(&orphan, 0, 7, "a", "int8");
  EXPECT_EQ(GetErrorCode(Refusal(orphan)), ErrorCode::kCorrupt);
  EXPECT_NE(Refusal(orphan).message().find("parent id 7, which must appear earlier"),
            std::string::npos);

  WireFields own_parent;
  AddField(&own_parent, 3, 3, "a", "struct");
  EXPECT_EQ(GetErrorCode(Refusal(own_parent)), ErrorCode::kCorrupt);

  WireFields leaf_with_child;
  AddField(&leaf_with_child, 0, -1, "a", "int8");
  AddField(&leaf_with_child, 1, 0, "b", "int8");
  EXPECT_EQ(GetErrorCode(Refusal(leaf_with_child)), ErrorCode::kCorrupt);

  for (const char* type : {"list", "large_list", "map", "fixed_size_list:struct:2"}) {
    WireFields childless;
    AddField(&childless, 0, -1, "a", type);
    EXPECT_EQ(GetErrorCode(Refusal(childless)), ErrorCode::kCorrupt) << type;
    AddField(&childless, 1, 0, "b", "struct");
    AddField(&childless, 2, 0, "c", "struct");
    EXPECT_EQ(GetErrorCode(Refusal(childless)), ErrorCode::kCorrupt) << type;
  }

  WireFields unknown;
  AddField(&unknown, 0, -1, "s", "struct");
  AddField(&unknown, 1, 0, "a", "interval:month");
  EXPECT_EQ(GetErrorCode(Refusal(unknown)), ErrorCode::kUnsupported);
  EXPECT_EQ(GetErrorDetail(Refusal(unknown))->place.field, "s.a");

  WireFields map_of_ints;
  AddField(&map_of_ints, 0, -1, "m", "map");
  AddField(&map_of_ints, 1, 0, "entries", "int8");
  EXPECT_EQ(GetErrorCode(Refusal(map_of_ints)), ErrorCode::kCorrupt);
}

TEST(WireTest, DepthIsBounded) {
  auto chain = [](int32_t depth) {
    WireFields fields;
    for (int32_t i = 0; i < depth; ++i) AddField(&fields, i, i - 1, "s", "struct");
    return fields;
  };
  EXPECT_TRUE(Refusal(chain(128)).ok());
  EXPECT_EQ(GetErrorCode(Refusal(chain(129))), ErrorCode::kCorrupt);
  EXPECT_EQ(GetErrorCode(Refusal(chain(100'000))), ErrorCode::kCorrupt);
}

TEST(WireTest, BlobDescriptorsKeepTheirMembers) {
  WireFields fields;
  AddField(&fields, 0, -1, "id", "int64");
  lance::file::Field* blob = AddField(&fields, 1, -1, "blob", "struct");
  (*blob->mutable_metadata())["lance-encoding:blob"] = "true";
  (*blob->mutable_metadata())["lance-encoding:packed"] = "true";
  for (const char* name : {"kind", "position", "size", "blob_id", "blob_uri"}) {
    AddField(&fields, -1, -1, name, "uint64")->set_nullable(false);
  }
  AddField(&fields, 2, -1, "after", "int64");
  for (lance::file::Field& field : fields) {
    field.set_encoding(field.logical_type() == "struct" ? lance::file::NONE : lance::file::PLAIN);
  }
  Schema schema = Schema::FromProto(fields).ValueOrDie();
  ASSERT_EQ(schema.fields.size(), 3u);
  EXPECT_EQ(schema.fields[1].children.size(), 5u);
  EXPECT_TRUE(schema.fields[1].IsLeaf());
  WireFields written;
  schema.ToProto(&written);
  EXPECT_EQ(FixedBytes(written), FixedBytes(fields));
}

// ---- Files of the reference

std::optional<std::filesystem::path> Fixtures() {
  const char* given = std::getenv("LANCE_FIXTURES");
  auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::filesystem::path path = given != nullptr ? given : root / "../shared/fixtures";
  if (std::filesystem::exists(path / "files14")) return path;
  return std::nullopt;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The schema message of a 2.x file: its first global buffer. Nothing for files of 0.1.
std::optional<lance::file::FileDescriptor> DescriptorOf(const std::string& file) {
  constexpr size_t kFooterBytes = 40;
  if (file.size() < kFooterBytes) return std::nullopt;
  ByteReader footer(AsBytes(file).last(kFooterBytes));
  if (!footer.ReadBytes(16, "other offsets").ok()) return std::nullopt;
  if (LoadLittleEndian<uint16_t>(AsBytes(file).last(8).data()) == 0 &&
      LoadLittleEndian<uint16_t>(AsBytes(file).last(6).data()) < 3) {
    return std::nullopt;
  }
  uint64_t table = footer.Read<uint64_t>("offset of the global buffer table").ValueOrDie();
  ByteReader entry(AsBytes(file).subspan(table));
  uint64_t position = entry.Read<uint64_t>("position").ValueOrDie();
  uint64_t size = entry.Read<uint64_t>("size").ValueOrDie();
  lance::file::FileDescriptor descriptor;
  Bytes bytes = AsBytes(file).subspan(position, size);
  if (!descriptor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  return descriptor;
}

std::shared_ptr<arrow::Schema> ExpectedSchema(const std::filesystem::path& folder) {
  std::filesystem::path path = folder / "expected.arrow";
  if (!std::filesystem::exists(path)) {
    std::string reference = ReadFile(folder / "expected.ref");
    while (!reference.empty() && std::isspace(static_cast<unsigned char>(reference.back())) != 0) {
      reference.pop_back();
    }
    path = folder / reference;
  }
  auto file = arrow::io::ReadableFile::Open(path.string());
  if (!file.ok()) return nullptr;
  auto reader = arrow::ipc::RecordBatchFileReader::Open(*file);
  return reader.ok() ? (*reader)->schema() : nullptr;
}

class FixtureTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::optional<std::filesystem::path> fixtures = Fixtures();
    if (fixtures) {
      folder_ = *fixtures / GetParam();
      return;
    }
    ASSERT_EQ(std::getenv("CI"), nullptr) << "fixtures are missing";
    GTEST_SKIP() << "fixtures are missing; set LANCE_FIXTURES";
  }

  std::filesystem::path folder_;
};

class MessageFixtureTest : public FixtureTest {};

// Every data file, also of tables and indexes.
TEST_P(MessageFixtureTest, SchemaMessagesGoBothWays) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".lance") continue;
    std::string file = ReadFile(entry.path());
    SCOPED_TRACE(entry.path().string());
    std::optional<lance::file::FileDescriptor> descriptor = DescriptorOf(file);
    if (!descriptor) continue;
    ++files;
    const WireFields& fields = descriptor->schema().fields();
    Result<Schema> schema = Schema::FromProto(fields);
    ASSERT_TRUE(schema.ok()) << schema.status();
    WireFields written;
    schema->ToProto(&written);
    EXPECT_EQ(FixedBytes(written), FixedBytes(fields));
  }
  EXPECT_GT(files, 40);
}

// Files with what the reference read from them.
TEST_P(FixtureTest, ArrowSchemasAreThoseOfTheReference) {
  int files = 0;
  for (const auto& folder : std::filesystem::directory_iterator(folder_)) {
    std::filesystem::path path = folder.path() / "file.lance";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path.string());
    std::optional<lance::file::FileDescriptor> descriptor = DescriptorOf(ReadFile(path));
    ASSERT_TRUE(descriptor.has_value());
    ++files;
    const WireFields& fields = descriptor->schema().fields();
    Schema schema = Schema::FromProto(fields).ValueOrDie();
    std::shared_ptr<arrow::Schema> ours = schema.ToArrow().ValueOrDie();
    std::shared_ptr<arrow::Schema> expected = ExpectedSchema(folder.path());
    ASSERT_NE(expected, nullptr);
    // What was read from files with hints may stand elsewhere, without the hints.
    bool with_metadata = folder_.filename() != "hints14";
    EXPECT_TRUE(ours->WithMetadata(expected->metadata())->Equals(*expected, with_metadata))
        << ours->ToString(true) << "\nexpected\n"
        << expected->ToString(true);

    // From Arrow, the same message comes out.
    Result<Schema> from_arrow = Schema::FromArrow(*ours);
    ASSERT_TRUE(from_arrow.ok()) << from_arrow.status();
    EXPECT_TRUE(from_arrow->Validate().ok()) << from_arrow->Validate();
    WireFields again;
    from_arrow->ToProto(&again);
    // 7.0.0 kept the name of JSON text.
    bool old_json = FixedBytes(fields).find("arrow.json") != std::string::npos;
    EXPECT_TRUE(old_json || FixedBytes(again) == FixedBytes(fields)) << ours->ToString(true);
  }
  EXPECT_GT(files, 40);
}

INSTANTIATE_TEST_SUITE_P(Folders, FixtureTest, testing::Values("files14", "files7", "hints14"));
INSTANTIATE_TEST_SUITE_P(Folders, MessageFixtureTest,
                         testing::Values("files14", "files7", "hints14", "tables14", "tables7",
                                         "indexes14", "indexes7"));

}  // namespace
}  // namespace lance
