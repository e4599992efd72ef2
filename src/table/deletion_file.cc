#include "table/deletion_file.h"

#include <random>
#include <span>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/reader.h"
#include "arrow/ipc/writer.h"
#include "arrow/util/compression.h"
#include "table/fragment_bitmap.h"
#include "table/roaring_walk.h"

namespace lance {
namespace {

/// What decompression may take beside the values: Arrow's own small structures and padding.
constexpr int64_t kDecodeSlackBytes = 1 << 20;
/// From so many deleted rows on, a bitmap is written.
constexpr uint64_t kMinBitmapRows = 5000;

Result<std::string> EncodeArray(std::span<const uint32_t> offsets) {
  auto values = std::make_shared<arrow::UInt32Array>(
      static_cast<int64_t>(offsets.size()), arrow::Buffer::Wrap(offsets.data(), offsets.size()));
  auto schema = arrow::schema({arrow::field("row_id", arrow::uint32(), /*nullable=*/false)});
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(arrow::Compression::ZSTD));
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeFileWriter(sink, schema, options));
  ARROW_RETURN_NOT_OK(
      writer->WriteRecordBatch(*arrow::RecordBatch::Make(schema, values->length(), {values})));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(auto content, sink->Finish());
  return content->ToString();
}

uint64_t RandomId() {
  std::random_device source;
  return (uint64_t{source()} << 32) | source();
}

Status AddArray(const arrow::UInt32Array& offsets, DeletionVector::Builder* builder) {
  for (int64_t i = 0; i < offsets.length(); ++i) {
    ARROW_RETURN_NOT_OK(builder->Add(offsets.Value(i)));
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadOnlyBatch(std::shared_ptr<arrow::Buffer> content,
                                                          arrow::MemoryPool* pool) {
  arrow::io::BufferReader input(std::move(content));
  arrow::ipc::IpcReadOptions options;
  options.memory_pool = pool;
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(&input, options));
  const arrow::Schema& schema = *reader->schema();
  if (schema.num_fields() != 1 || schema.field(0)->name() != "row_id" ||
      schema.field(0)->type()->id() != arrow::Type::UINT32) {
    return Corrupt("deletion file has the wrong columns: ", schema.ToString(),
                   ", expected row_id: uint32 not null");
  }
  if (reader->num_record_batches() != 1) {
    return Corrupt("deletion file has ", reader->num_record_batches(), " batches, expected 1");
  }
  ARROW_ASSIGN_OR_RAISE(auto batch, reader->ReadRecordBatch(0));
  ARROW_RETURN_NOT_OK(batch->ValidateFull());
  if (batch->column(0)->null_count() != 0) return Corrupt("deletion file has nulls");
  return batch;
}

}  // namespace

std::string DeletionFileName(uint64_t fragment_id, const table::DeletionFile& file) {
  const char* extension = file.file_type() == table::DeletionFile::BITMAP ? ".bin" : ".arrow";
  return std::to_string(fragment_id) + "-" + std::to_string(file.read_version()) + "-" +
         std::to_string(file.id()) + extension;
}

Result<std::shared_ptr<const DeletionVector>> DecodeDeletionArray(
    std::shared_ptr<arrow::Buffer> content, uint64_t physical_rows) {
  // A compressed body names its own size: it may not be more than the fragment's rows allow.
  auto limit =
      static_cast<int64_t>(physical_rows * sizeof(uint32_t)) + content->size() + kDecodeSlackBytes;
  // The cap looks at all that its pool has allocated: that must be this decoding alone.
  arrow::ProxyMemoryPool own(arrow::default_memory_pool());
  arrow::CappedMemoryPool pool(&own, limit);
  auto batch = ReadOnlyBatch(std::move(content), &pool);
  if (!batch.ok()) {
    if (GetErrorDetail(batch.status()) != nullptr) return batch.status();
    return Corrupt("deletion file is not a valid Arrow file: ", batch.status().message());
  }
  DeletionVector::Builder builder(physical_rows);
  ARROW_RETURN_NOT_OK(
      AddArray(static_cast<const arrow::UInt32Array&>(*(*batch)->column(0)), &builder));
  return std::move(builder).Finish();
}

Result<std::shared_ptr<const DeletionVector>> DecodeDeletionBitmap(Bytes content,
                                                                   uint64_t physical_rows) {
  DeletionVector::Builder builder(physical_rows);
  Status added;
  auto add = [&](uint32_t first, uint64_t count) {
    if (added.ok()) added = builder.Add(first, count);
  };
  ARROW_ASSIGN_OR_RAISE(uint64_t size, WalkRoaring(content, add));
  ARROW_RETURN_NOT_OK(added);
  if (size != content.size()) {
    return Corrupt("deletion file has bytes behind its bitmap: ", content.size(), " bytes, ", size,
                   " expected");
  }
  return std::move(builder).Finish();
}

Result<std::shared_ptr<const DeletionVector>> ReadDeletionFile(const Context& context,
                                                               ObjectStore& store,
                                                               const std::string& path,
                                                               const table::DeletionFile& file,
                                                               uint64_t physical_rows) {
  ARROW_ASSIGN_OR_RAISE(auto content, store.Get(context, path));
  auto decode = [&]() -> Result<std::shared_ptr<const DeletionVector>> {
    switch (file.file_type()) {
      case table::DeletionFile::ARROW_ARRAY:
        return DecodeDeletionArray(content, physical_rows);
      case table::DeletionFile::BITMAP:
        return DecodeDeletionBitmap({content->data(), static_cast<size_t>(content->size())},
                                    physical_rows);
      default:
        return Unsupported("deletion file is of an unknown kind: ",
                           static_cast<int>(file.file_type()));
    }
  };
  auto vector = decode();
  if (!vector.ok()) return WithPlace(vector.status(), {.path = path});
  uint64_t expected = file.num_deleted_rows();
  if (expected != 0 && (*vector)->num_deleted() != expected) {
    return WithPlace(Corrupt("deletion file has another number of rows than its manifest says: ",
                             (*vector)->num_deleted(), ", expected ", expected),
                     {.path = path});
  }
  return vector;
}

Result<std::string> EncodeDeletionFile(const RoaringBitmap& deleted, uint64_t read_version,
                                       table::DeletionFile* file) {
  file->Clear();
  file->set_read_version(read_version);
  file->set_id(RandomId());
  file->set_num_deleted_rows(deleted.cardinality());
  if (deleted.cardinality() < kMinBitmapRows) {
    file->set_file_type(table::DeletionFile::ARROW_ARRAY);
    std::vector<uint32_t> offsets(deleted.cardinality());
    deleted.toUint32Array(offsets.data());
    return EncodeArray(offsets);
  }
  file->set_file_type(table::DeletionFile::BITMAP);
  RoaringBitmap packed = deleted;
  packed.runOptimize();
  return EncodeBitmap(packed);
}

}  // namespace lance
