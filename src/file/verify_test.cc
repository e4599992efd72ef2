#include "file/verify.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "arrow/api.h"
#include "base/fixture_root.h"
#include "file/file_metadata.h"
#include "file/file_writer.h"
#include "file_v2.pb.h"
#include "proto/parse.h"

namespace lance {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<arrow::Array> Ints(int32_t count) {
  arrow::Int32Builder builder;
  for (int32_t i = 0; i < count; ++i) {
    EXPECT_TRUE((i % 5 == 2 ? builder.AppendNull() : builder.Append(i * 37)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Strings(int32_t count) {
  arrow::StringBuilder builder;
  for (int32_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append("text " + std::to_string(i)).ok());
  return builder.Finish().ValueOrDie();
}

/// A file of two columns, `i` (ints, some null) and `s` (strings), that a test damages.
class VerifyTest : public ::testing::Test {
 protected:
  static constexpr int32_t kRows = 300;

  VerifyTest() {
    auto schema =
        arrow::schema({arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8())});
    auto object = store_->OpenWriter({}, "/f").ValueOrDie();
    auto writer = FileWriter::Open({}, std::move(object), Schema::FromArrow(*schema).ValueOrDie())
                      .ValueOrDie();
    auto batch =
        arrow::RecordBatch::Make(schema, kRows, arrow::ArrayVector{Ints(kRows), Strings(kRows)});
    EXPECT_TRUE(writer->WriteBatch(*batch).ok());
    EXPECT_TRUE(writer->Finish().ok());
    bytes_ = store_->Get({}, "/f").ValueOrDie()->ToString();
  }

  FileVerification Verify() {
    EXPECT_TRUE(store_->Put({}, "/f", AsBytes(bytes_)).ok());
    auto verified = VerifyFile({}, store_->OpenReader({}, "/f").ValueOrDie());
    EXPECT_TRUE(verified.ok()) << ErrorText(verified.status());
    return verified.ok() ? *verified : FileVerification();
  }
  /// The only finding.
  Finding Only() {
    FileVerification found = Verify();
    EXPECT_EQ(found.findings.size(), 1u);
    for (const Finding& finding : found.findings) SCOPED_TRACE(finding.problem);
    return found.findings.empty() ? Finding() : found.findings[0];
  }
  FileMetadata Metadata() {
    return FileMetadata::Load({}, *store_->OpenReader({}, "/f").ValueOrDie()).ValueOrDie();
  }
  /// Changes the metadata of a column to one of the same size.
  void ChangeColumn(uint32_t column,
                    const std::function<void(lance::file::v2::ColumnMetadata*)>& change) {
    const ByteRange range = Metadata().column_range(column);
    lance::file::v2::ColumnMetadata message;
    ASSERT_TRUE(ParseMessage(std::string_view(bytes_).substr(range.offset, range.size), &message));
    change(&message);
    const std::string changed = message.SerializeAsString();
    ASSERT_EQ(changed.size(), range.size) << "the change has to keep the size";
    bytes_.replace(range.offset, range.size, changed);
  }
  /// Where a page's buffer lies.
  ByteRange Buffer(uint32_t column, size_t buffer) {
    auto object = store_->OpenReader({}, "/f").ValueOrDie();
    return Metadata()
        .LoadColumns({}, *object, {&column, 1})
        .ValueOrDie()[0]
        .pages[0]
        .buffers[buffer];
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  std::string bytes_;
};

TEST_F(VerifyTest, SoundFile) {
  FileVerification found = Verify();
  EXPECT_TRUE(found.findings.empty()) << found.findings[0].problem;
  EXPECT_TRUE(found.skipped.empty());
  EXPECT_EQ(found.rows, static_cast<uint64_t>(kRows));
  EXPECT_EQ(found.columns, 2u);
  EXPECT_EQ(found.pages, 2u);
  EXPECT_EQ(found.size_bytes, bytes_.size());
}

TEST_F(VerifyTest, BytesThatAreNoText) {
  const size_t at = bytes_.find("text 123");
  ASSERT_NE(at, std::string::npos);
  bytes_[at] = '\xff';
  Finding finding = Only();
  EXPECT_EQ(finding.place.column, 1);
  EXPECT_EQ(finding.place.page, 0);
  EXPECT_EQ(finding.place.field, "s");
  EXPECT_EQ(finding.place.offset, Buffer(1, 0).offset);
  EXPECT_NE(finding.problem.find("UTF-8"), std::string::npos) << finding.problem;
}

TEST_F(VerifyTest, DamagedChunkTable) {
  bytes_[Buffer(0, 0).offset + 1] = '\x7f';
  Finding finding = Only();
  EXPECT_EQ(finding.place.column, 0);
  EXPECT_EQ(finding.place.page, 0);
}

TEST_F(VerifyTest, EveryDamagedColumnIsFound) {
  bytes_[Buffer(0, 0).offset + 1] = '\x7f';
  bytes_[Buffer(1, 0).offset + 1] = '\x7f';
  FileVerification found = Verify();
  ASSERT_EQ(found.findings.size(), 2u);
  EXPECT_EQ(found.findings[0].place.column, 0);
  EXPECT_EQ(found.findings[1].place.column, 1);
}

TEST_F(VerifyTest, DamagedColumnMetadataHidesNoOtherColumn) {
  bytes_[Metadata().column_range(0).offset] = '\xff';
  bytes_[Buffer(1, 0).offset + 1] = '\x7f';
  FileVerification found = Verify();
  ASSERT_GE(found.findings.size(), 2u);
  EXPECT_EQ(found.findings.front().place.column, 0);
  EXPECT_EQ(found.findings.back().place.column, 1);
}

TEST_F(VerifyTest, BuffersOutsideOfTheFileOrUnaligned) {
  ChangeColumn(0, [](auto* column) { column->mutable_pages(0)->set_buffer_sizes(0, 127); });
  EXPECT_TRUE(Verify().findings.size() == 1);
  ChangeColumn(0, [](auto* column) { column->mutable_pages(0)->set_buffer_offsets(0, 1); });
  EXPECT_NE(Only().problem.find("not aligned"), std::string::npos);
}

TEST_F(VerifyTest, ColumnsWithDifferentNumbersOfRows) {
  ChangeColumn(1, [](auto* column) { column->mutable_pages(0)->set_length(kRows - 1); });
  FileVerification found = Verify();
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].place.column, 1);
  EXPECT_NE(found.findings[0].problem.find("299"), std::string::npos) << found.findings[0].problem;
}

TEST_F(VerifyTest, NoLanceFile) {
  bytes_ = "PAR1 and so on";
  EXPECT_EQ(Verify().findings.size(), 1u);
  bytes_.clear();
  EXPECT_EQ(Verify().findings.size(), 1u);
}

TEST_F(VerifyTest, MissingFileIsAnError) { EXPECT_FALSE(store_->OpenReader({}, "/none").ok()); }

/// Every leaf of a struct has the struct's nulls in its own levels. One bit flipped in those of the
/// second leaf turns a null struct into a null member, which its page alone doesn't show.
TEST(VerifySiblings, MembersMustAgreeAboutTheirParent) {
  auto type =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::int32())});
  auto schema = arrow::schema({arrow::field("p", type)});
  auto store = MakeMemoryStore();
  auto object = store->OpenWriter({}, "/f").ValueOrDie();
  auto writer =
      FileWriter::Open({}, std::move(object), Schema::FromArrow(*schema).ValueOrDie()).ValueOrDie();
  std::vector<bool> valid(100);
  for (size_t i = 0; i < valid.size(); ++i) valid[i] = i % 3 != 1;
  arrow::TypedBufferBuilder<bool> bits;
  for (bool one : valid) ASSERT_TRUE(bits.Append(one).ok());
  auto array = std::make_shared<arrow::StructArray>(
      type, 100, arrow::ArrayVector{Ints(100), Ints(100)}, bits.Finish().ValueOrDie());
  ASSERT_TRUE(writer->WriteBatch(*arrow::RecordBatch::Make(schema, 100, {array})).ok());
  ASSERT_TRUE(writer->Finish().ok());
  std::string bytes = store->Get({}, "/f").ValueOrDie()->ToString();
  auto verify = [&] {
    EXPECT_TRUE(store->Put({}, "/f", AsBytes(bytes)).ok());
    return VerifyFile({}, store->OpenReader({}, "/f").ValueOrDie()).ValueOrDie();
  };
  ASSERT_TRUE(verify().findings.empty());

  auto reader = store->OpenReader({}, "/f").ValueOrDie();
  auto metadata = FileMetadata::Load({}, *reader).ValueOrDie();
  const uint32_t second = 1;
  auto column = metadata.LoadColumns({}, *reader, {&second, 1}).ValueOrDie();
  const ByteRange chunks = column[0].pages[0].buffers[1];
  bool found = false;
  for (uint64_t at = chunks.offset + 8; at < chunks.offset + chunks.size && !found; ++at) {
    const std::string before = bytes;
    for (int bit = 0; bit < 8 && !found; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      for (const Finding& finding : verify().findings) {
        found |= finding.problem.find("disagree about 'p'") != std::string::npos;
      }
      bytes = before;
    }
  }
  EXPECT_TRUE(found);
}

// ---- what the reference wrote is sound

TEST(VerifyFixtures, FilesOfTheReferenceAreSound) {
  const fs::path root = FixtureRoot();
  if (root.empty()) GTEST_SKIP() << "fixtures are absent";
  auto store = MakeLocalStore();
  size_t files = 0;
  for (const char* section : {"files14", "files7", "hints14"}) {
    for (const auto& entry : fs::directory_iterator(root / section)) {
      const fs::path path = entry.path() / "file.lance";
      if (!fs::exists(path)) continue;
      SCOPED_TRACE(path.string());
      auto verified = VerifyFile({}, store->OpenReader({}, path.string()).ValueOrDie());
      if (!verified.ok()) {
        EXPECT_EQ(GetErrorCode(verified.status()), ErrorCode::kUnsupported)
            << ErrorText(verified.status());
        continue;
      }
      ++files;
      for (const Finding& finding : verified->findings) ADD_FAILURE() << finding.problem;
      EXPECT_GT(verified->rows + verified->columns, 0u);
    }
  }
  EXPECT_GT(files, 150u);
}

}  // namespace
}  // namespace lance
