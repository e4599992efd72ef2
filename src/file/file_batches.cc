#include "file/file_batches.h"

#include <algorithm>
#include <utility>

#include "arrow/record_batch.h"

namespace lance {
namespace {

// Enough that neighbouring batches share the decoding of a chunk, and little enough to wait for.
constexpr double kReadBytes = 8 << 20;
constexpr uint64_t kMaxReadRows = 1 << 20;

class FileBatches final : public arrow::RecordBatchReader {
 public:
  FileBatches(const Context& context, std::shared_ptr<const FileReader> reader,
              FileProjection projection, std::vector<RowRange> rows, uint64_t batch_rows,
              uint64_t read_rows)
      : context_(context),
        reader_(std::move(reader)),
        projection_(std::move(projection)),
        rows_(std::move(rows)),
        batch_rows_(batch_rows),
        read_rows_(read_rows) {}

  std::shared_ptr<arrow::Schema> schema() const override { return projection_.arrow_schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    if (read_ == nullptr || at_ == read_->num_rows()) {
      std::vector<RowRange> next = TakeRows(read_rows_);
      if (next.empty()) {
        *out = nullptr;
        return arrow::Status::OK();
      }
      ARROW_ASSIGN_OR_RAISE(read_, reader_->Read(context_, projection_, next));
      at_ = 0;
    }
    const int64_t count = std::min(static_cast<int64_t>(batch_rows_), read_->num_rows() - at_);
    *out = count == read_->num_rows() ? read_ : read_->Slice(at_, count);
    at_ += count;
    return arrow::Status::OK();
  }

 private:
  // The next `count` rows, or what is left.
  std::vector<RowRange> TakeRows(uint64_t count) {
    std::vector<RowRange> out;
    for (; next_ < rows_.size() && count > 0; ++next_) {
      RowRange& range = rows_[next_];
      const uint64_t taken = std::min(count, range.count);
      if (taken > 0) out.push_back({range.start, taken});
      count -= taken;
      range.start += taken;
      range.count -= taken;
      if (range.count > 0) break;
    }
    return out;
  }

  Context context_;
  std::shared_ptr<const FileReader> reader_;
  FileProjection projection_;
  std::vector<RowRange> rows_;
  size_t next_ = 0;
  uint64_t batch_rows_;
  uint64_t read_rows_;
  std::shared_ptr<arrow::RecordBatch> read_;
  int64_t at_ = 0;
};

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> ReadInBatches(
    const Context& context, std::shared_ptr<const FileReader> reader, FileProjection projection,
    std::vector<RowRange> rows, uint64_t batch_rows) {
  if (batch_rows == 0) return UserError("batches of 0 rows; ask for at least 1");
  ARROW_RETURN_NOT_OK(reader->CheckRows(rows));
  ARROW_ASSIGN_OR_RAISE(double bytes_per_row, reader->BytesPerRow(context, projection));
  batch_rows = std::min(batch_rows, kMaxReadRows);
  const double wanted = kReadBytes / std::max(bytes_per_row, 1.0);
  const uint64_t batches = std::clamp<uint64_t>(static_cast<uint64_t>(wanted) / batch_rows, 1,
                                                kMaxReadRows / batch_rows);
  return std::make_shared<FileBatches>(context, std::move(reader), std::move(projection),
                                       std::move(rows), batch_rows, batches * batch_rows);
}

}  // namespace lance
