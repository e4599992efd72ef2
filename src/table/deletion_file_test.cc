#include "table/deletion_file.h"

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/writer.h"
#include "arrow/util/compression.h"
#include "base/roaring_bitmap.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

std::shared_ptr<arrow::Buffer> WriteIpc(const arrow::Schema& schema,
                                        const std::vector<std::shared_ptr<arrow::Array>>& batches,
                                        arrow::Compression::type compression) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  arrow::ipc::IpcWriteOptions options;
  if (compression != arrow::Compression::UNCOMPRESSED) {
    options.codec = arrow::util::Codec::Create(compression).ValueOrDie();
  }
  auto shared = std::make_shared<arrow::Schema>(schema);
  auto writer = arrow::ipc::MakeFileWriter(sink, shared, options).ValueOrDie();
  for (const auto& array : batches) {
    auto batch = arrow::RecordBatch::Make(shared, array->length(), {array});
    EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok());
  }
  EXPECT_TRUE(writer->Close().ok());
  return sink->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Offsets(const std::vector<uint32_t>& values) {
  arrow::UInt32Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

const arrow::Schema kSchema({arrow::field("row_id", arrow::uint32(), /*nullable=*/false)});

TEST(DeletionFile, Names) {
  table::DeletionFile file;
  file.set_read_version(7);
  file.set_id(18446744073709551615u);
  EXPECT_EQ(DeletionFileName(3, file), "3-7-18446744073709551615.arrow");
  file.set_file_type(table::DeletionFile::BITMAP);
  EXPECT_EQ(DeletionFileName(3, file), "3-7-18446744073709551615.bin");
}

TEST(DeletionFile, ArrayInEachCompression) {
  for (auto compression : {arrow::Compression::ZSTD, arrow::Compression::LZ4_FRAME,
                           arrow::Compression::UNCOMPRESSED}) {
    auto content = WriteIpc(kSchema, {Offsets({17, 3, 99})}, compression);
    auto vector = DecodeDeletionArray(content, 100).ValueOrDie();
    EXPECT_EQ(vector->num_deleted(), 3u);
    for (uint64_t offset : {3u, 17u, 99u}) EXPECT_TRUE(vector->IsDeleted(offset));
    EXPECT_FALSE(vector->IsDeleted(4));
    EXPECT_FALSE(DecodeDeletionArray(content, 99).ok()) << "an offset lies outside";
  }
}

TEST(DeletionFile, RunsOfHundredMillionRowsStayRuns) {
  constexpr uint64_t kRows = 100'000'000;
  constexpr uint64_t kEnd = kRows - 10;
  RoaringBitmap deleted;
  deleted.addRange(1'000, kEnd);
  table::DeletionFile file;
  std::string content = EncodeDeletionFile(deleted, 1, &file).ValueOrDie();
  EXPECT_EQ(file.file_type(), table::DeletionFile::BITMAP);
  EXPECT_LT(content.size(), 64u << 10);
  auto vector = DecodeDeletionBitmap(
                    Bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size()), kRows)
                    .ValueOrDie();
  EXPECT_EQ(vector->num_live(), 1'010u);
  ASSERT_EQ(vector->DeletedRanges().size(), 1u);
  EXPECT_EQ(vector->PhysicalOffset(999), 999u);
  EXPECT_EQ(vector->PhysicalOffset(1'000), kEnd);
  std::vector<RowRange> live;
  vector->AppendPhysicalRanges({0, 1'010}, &live);
  EXPECT_EQ(live.size(), 2u);
}

TEST(DeletionFile, DecodesWhateverElseIsAllocated) {
  auto held = arrow::AllocateBuffer(64 << 20).ValueOrDie();
  std::vector<uint32_t> offsets(1000);
  for (uint32_t i = 0; i < 1000; ++i) offsets[i] = i * 7;
  auto content = WriteIpc(kSchema, {Offsets(offsets)}, arrow::Compression::ZSTD);
  EXPECT_EQ(DecodeDeletionArray(content, 10000).ValueOrDie()->num_deleted(), 1000u);
}

TEST(DeletionFile, ArrayOfTheWrongShape) {
  auto none = arrow::Compression::UNCOMPRESSED;
  arrow::Schema other_name({arrow::field("rows", arrow::uint32(), false)});
  arrow::Schema other_type({arrow::field("row_id", arrow::int32(), false)});
  auto one = Offsets({1});
  auto as_int = one->View(arrow::int32()).ValueOrDie();
  arrow::UInt32Builder builder;
  ASSERT_TRUE(builder.AppendNull().ok());
  auto null = builder.Finish().ValueOrDie();
  arrow::Schema nullable({arrow::field("row_id", arrow::uint32())});
  for (const auto& content :
       {WriteIpc(other_name, {one}, none), WriteIpc(other_type, {as_int}, none),
        WriteIpc(kSchema, {one, one}, none), WriteIpc(kSchema, {}, none),
        WriteIpc(nullable, {null}, none), WriteIpc(kSchema, {Offsets({1, 2, 1})}, none)}) {
    auto vector = DecodeDeletionArray(content, 100);
    ASSERT_FALSE(vector.ok());
    EXPECT_EQ(GetErrorCode(vector.status()), ErrorCode::kCorrupt) << vector.status();
  }
}

TEST(DeletionFile, ArrayCutAnywhere) {
  auto content = WriteIpc(kSchema, {Offsets({17, 3, 99})}, arrow::Compression::ZSTD);
  for (int64_t size = 0; size < content->size(); ++size) {
    auto cut = arrow::Buffer::FromString(
        std::string(reinterpret_cast<const char*>(content->data()), static_cast<size_t>(size)));
    auto vector = DecodeDeletionArray(cut, 100);
    ASSERT_FALSE(vector.ok()) << size;
    EXPECT_EQ(GetErrorCode(vector.status()), ErrorCode::kCorrupt) << vector.status();
  }
}

TEST(DeletionFile, Bitmap) {
  RoaringBitmap bitmap;
  bitmap.addRange(10, 20);
  bitmap.add(70000);
  std::string bytes(bitmap.getSizeInBytes(true), '\0');
  bitmap.write(bytes.data(), true);
  auto vector = DecodeDeletionBitmap(AsBytes(bytes), 80000).ValueOrDie();
  EXPECT_EQ(vector->num_deleted(), 11u);
  EXPECT_TRUE(vector->IsDeleted(70000));
  EXPECT_FALSE(DecodeDeletionBitmap(AsBytes(bytes), 70000).ok()) << "an offset lies outside";
  EXPECT_FALSE(DecodeDeletionBitmap(AsBytes(bytes + "x"), 80000).ok()) << "bytes behind the end";
}

TEST(DeletionFile, CountMustAgreeWithTheManifest) {
  auto store = MakeMemoryStore();
  Context context;
  auto content = WriteIpc(kSchema, {Offsets({1, 2})}, arrow::Compression::UNCOMPRESSED);
  ASSERT_TRUE(
      store
          ->Put(context, "/t/_deletions/x", {content->data(), static_cast<size_t>(content->size())})
          .ok());
  table::DeletionFile file;
  EXPECT_TRUE(ReadDeletionFile(context, *store, "/t/_deletions/x", file, 10).ok()) << "unknown";
  file.set_num_deleted_rows(2);
  EXPECT_TRUE(ReadDeletionFile(context, *store, "/t/_deletions/x", file, 10).ok());
  file.set_num_deleted_rows(3);
  Status status = ReadDeletionFile(context, *store, "/t/_deletions/x", file, 10).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_NE(ErrorText(status).find("/t/_deletions/x"), std::string::npos);
}

}  // namespace
}  // namespace lance
