#pragma once

#include <memory>
#include <utility>

#include "arrow/record_batch.h"
#include "signal_check.h"

namespace lance::python {

/// Hands on the batches of `source` and lets Ctrl-C end the consumer between two of them: ReadNext
/// then fails with Cancelled, and RethrowInterrupt raises what the signal handler raised.
class InterruptibleReader final : public arrow::RecordBatchReader {
 public:
  explicit InterruptibleReader(std::shared_ptr<arrow::RecordBatchReader> source)
      : source_(std::move(source)) {}
  /// With the GIL held.
  ~InterruptibleReader() override = default;

  std::shared_ptr<arrow::Schema> schema() const override { return source_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(signals_.Poll());
    return source_->ReadNext(batch);
  }
  arrow::Status Close() override { return source_->Close(); }

  /// For work between two batches.
  arrow::Status Poll() { return signals_.Poll(); }
  void RethrowInterrupt() { signals_.RethrowInterrupt(); }

 private:
  std::shared_ptr<arrow::RecordBatchReader> source_;
  SignalCheck signals_;
};

}  // namespace lance::python
