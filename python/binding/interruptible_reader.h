#pragma once

#include <chrono>
#include <memory>

#include <nanobind/nanobind.h>

#include "arrow/record_batch.h"

namespace lance::python {

/// Hands on the batches of `source` and lets Ctrl-C end the consumer: between two batches, every
/// 50 ms, pending Python signals are handled; when a handler raises, ReadNext fails with Cancelled
/// and RethrowInterrupt raises what the handler raised. Pulled without the GIL, on the thread that
/// called from Python (on other threads Python never runs signal handlers).
class InterruptibleReader final : public arrow::RecordBatchReader {
 public:
  explicit InterruptibleReader(std::shared_ptr<arrow::RecordBatchReader> source)
      : source_(std::move(source)), next_check_(std::chrono::steady_clock::now() + kInterval) {}
  /// With the GIL held.
  ~InterruptibleReader() override = default;

  std::shared_ptr<arrow::Schema> schema() const override { return source_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override;
  arrow::Status Close() override { return source_->Close(); }

  /// Throws the pending Python exception, if a handler raised one. With the GIL held.
  void RethrowInterrupt();

 private:
  static constexpr std::chrono::milliseconds kInterval{50};

  std::shared_ptr<arrow::RecordBatchReader> source_;
  std::chrono::steady_clock::time_point next_check_;
  std::unique_ptr<nanobind::python_error> interrupt_;
};

}  // namespace lance::python
