#include "dataset/source_rows.h"

#include <algorithm>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "base/check_offsets.h"
#include "base/compute_kernels.h"
#include "base/take_rows.h"
#include "dataset/array_types.h"
#include "dataset/null_values.h"
#include "dataset/spilled_batches.h"
#include "dataset/without_views.h"
#include "schema/schema.h"

namespace lance {
namespace {

std::shared_ptr<arrow::Array> Numbers(const std::vector<uint32_t>& numbers) {
  return std::make_shared<arrow::UInt32Array>(static_cast<int64_t>(numbers.size()),
                                              arrow::Buffer::Wrap(numbers));
}

/// Puts batches together, and moves them to a temporary file once they take too much memory.
class Collector {
 public:
  Collector(arrow::MemoryPool* pool, const SourceRows::Limits& limits)
      : pool_(pool),
        batch_bytes_(std::min(limits.batch_bytes, limits.memory_bytes / kBatchesInMemory)),
        memory_bytes_(limits.memory_bytes) {}

  Status Add(std::shared_ptr<arrow::RecordBatch> batch) {
    if (batch->num_rows() == 0) return Status::OK();
    ARROW_RETURN_NOT_OK(CheckSound(*batch));
    ARROW_ASSIGN_OR_RAISE(int64_t referenced, arrow::util::ReferencedBufferSize(*batch));
    const auto bytes = static_cast<uint64_t>(referenced);
    if (pending_bytes_ + bytes > batch_bytes_) ARROW_RETURN_NOT_OK(PutTogether());
    pending_bytes_ += bytes;
    pending_.push_back(std::move(batch));
    return Status::OK();
  }

  Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> Finish() {
    ARROW_RETURN_NOT_OK(PutTogether());
    if (spilled_ == nullptr) return std::move(in_memory_);
    return spilled_->Finish();
  }

 private:
  /// So that one more of them than fits is not much more.
  static constexpr uint64_t kBatchesInMemory = 8;

  Status PutTogether() {
    if (pending_.empty()) return Status::OK();
    std::shared_ptr<arrow::RecordBatch> whole = pending_[0];
    if (pending_.size() > 1) {
      ARROW_ASSIGN_OR_RAISE(whole, arrow::ConcatenateRecordBatches(pending_, pool_));
    }
    in_memory_.push_back(std::move(whole));
    bytes_ += pending_bytes_;
    pending_.clear();
    pending_bytes_ = 0;
    return bytes_ > memory_bytes_ ? Spill() : Status::OK();
  }

  /// The first time all, later each batch.
  Status Spill() {
    if (spilled_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(spilled_, SpilledBatches::Create(in_memory_[0]->schema()));
    }
    for (const auto& batch : in_memory_) ARROW_RETURN_NOT_OK(spilled_->Write(*batch));
    in_memory_.clear();
    return Status::OK();
  }

  arrow::MemoryPool* pool_;
  const uint64_t batch_bytes_;
  const uint64_t memory_bytes_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending_;
  uint64_t pending_bytes_ = 0;
  std::vector<std::shared_ptr<arrow::RecordBatch>> in_memory_;
  uint64_t bytes_ = 0;  // of all batches so far
  std::unique_ptr<SpilledBatches> spilled_;
};

}  // namespace

Result<SourceRows> SourceRows::Read(arrow::RecordBatchReader* reader, arrow::MemoryPool* pool,
                                    const Limits& limits) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  Collector collector(pool, limits);
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_ASSIGN_OR_RAISE(batch, WithoutViews(batch, pool));
    ARROW_ASSIGN_OR_RAISE(batch, WithoutNullValues(batch, pool));
    ARROW_RETURN_NOT_OK(collector.Add(std::move(batch)));
  }
  SourceRows source;
  ARROW_ASSIGN_OR_RAISE(source.batches_, collector.Finish());
  ARROW_ASSIGN_OR_RAISE(auto empty, EmptyBatch(reader->schema(), pool));
  ARROW_ASSIGN_OR_RAISE(empty, WithoutViews(empty, pool));
  source.schema_ = empty->schema();
  if (source.batches_.empty()) source.batches_.push_back(std::move(empty));
  for (const auto& batch : source.batches_) {
    source.starts_.push_back(source.num_rows() + static_cast<uint64_t>(batch->num_rows()));
  }
  return source;
}

Result<std::shared_ptr<arrow::RecordBatch>> SourceRows::Take(std::span<const uint32_t> rows,
                                                             const std::vector<int>& columns,
                                                             arrow::MemoryPool* pool) const {
  if (batches_.size() == 1) {
    std::vector<uint32_t> numbers(rows.begin(), rows.end());
    ARROW_ASSIGN_OR_RAISE(auto batch, batches_[0]->SelectColumns(columns));
    return TakeRows(batch, Numbers(numbers), pool);
  }
  // The rows of each batch are taken together, then put into the order asked for.
  std::vector<std::vector<uint32_t>> local(batches_.size());
  std::vector<std::vector<size_t>> places(batches_.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    auto after = std::upper_bound(starts_.begin(), starts_.end(), uint64_t{rows[i]});
    auto index = static_cast<size_t>(after - starts_.begin()) - 1;
    local[index].push_back(static_cast<uint32_t>(rows[i] - starts_[index]));
    places[index].push_back(i);
  }
  std::vector<std::shared_ptr<arrow::RecordBatch>> taken;
  std::vector<uint32_t> order(rows.size());
  uint32_t next = 0;
  for (size_t index = 0; index < batches_.size(); ++index) {
    for (size_t place : places[index]) order[place] = next++;
    ARROW_ASSIGN_OR_RAISE(auto batch, batches_[index]->SelectColumns(columns));
    ARROW_ASSIGN_OR_RAISE(taken.emplace_back(), TakeRows(batch, Numbers(local[index]), pool));
  }
  ARROW_ASSIGN_OR_RAISE(auto whole, arrow::ConcatenateRecordBatches(taken, pool));
  return TakeRows(whole, Numbers(order), pool);
}

}  // namespace lance
