#include "dataset/spilled_batches.h"

#include <utility>

#include "arrow/io/memory.h"
#include "arrow/ipc/reader.h"
#include "arrow/ipc/writer.h"
#include "arrow/record_batch.h"

namespace lance {
namespace {

/// Arrow's streaming format: in files, dictionaries couldn't change from batch to batch.
arrow::ipc::IpcWriteOptions WriteOptionsOfSpills() {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.alignment = 64;
  return options;
}

}  // namespace

SpilledBatches::SpilledBatches(std::shared_ptr<arrow::Schema> schema, TemporaryFile file)
    : schema_(std::move(schema)), file_(std::move(file)) {}

SpilledBatches::~SpilledBatches() = default;

Result<std::unique_ptr<SpilledBatches>> SpilledBatches::Create(
    const std::shared_ptr<arrow::Schema>& schema) {
  ARROW_ASSIGN_OR_RAISE(auto file, TemporaryFile::Create());
  std::unique_ptr<SpilledBatches> spilled(new SpilledBatches(schema, std::move(file)));
  ARROW_ASSIGN_OR_RAISE(spilled->stream_, spilled->file_.OpenForWriting());
  ARROW_ASSIGN_OR_RAISE(
      spilled->writer_,
      arrow::ipc::MakeStreamWriter(spilled->stream_.get(), schema, WriteOptionsOfSpills()));
  return spilled;
}

Status SpilledBatches::Write(const arrow::RecordBatch& batch) {
  return writer_->WriteRecordBatch(batch);
}

Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> SpilledBatches::Finish() {
  ARROW_RETURN_NOT_OK(writer_->Close());
  ARROW_RETURN_NOT_OK(stream_->Close());
  ARROW_ASSIGN_OR_RAISE(auto bytes, file_.Map());
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(
                                         std::make_shared<arrow::io::BufferReader>(bytes)));
  ARROW_ASSIGN_OR_RAISE(auto batches, reader->ToRecordBatches());
  // With the very schema that was given.
  for (auto& batch : batches) {
    batch = arrow::RecordBatch::Make(schema_, batch->num_rows(), batch->columns());
  }
  return batches;
}

}  // namespace lance
