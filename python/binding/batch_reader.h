#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <nanobind/nanobind.h>

#include "arrow/record_batch.h"
#include "arrow_exchange.h"
#include "errors.h"

namespace lance::python {

/// A stream of batches, as a Python iterator and as an Arrow C stream. Usable from several Python
/// threads, one at a time.
class BatchReader final {
 public:
  explicit BatchReader(std::shared_ptr<arrow::RecordBatchReader> reader)
      : reader_(std::move(reader)) {}
  ~BatchReader() {
    // Ending a scan may wait for reads under way.
    nanobind::gil_scoped_release release;
    reader_.reset();
  }
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  nanobind::object Schema() const { return ToPython(reader_->schema()); }

  nanobind::object Next() {
    std::shared_ptr<arrow::RecordBatch> batch;
    Check(WithoutGil([&] {
      std::lock_guard lock(mutex_);
      return reader_->ReadNext(&batch);
    }));
    if (batch == nullptr) throw nanobind::stop_iteration();
    return ToPython(batch);
  }

  nanobind::object Stream(nanobind::handle /*requested_schema*/) const {
    return ToStreamCapsule(reader_);
  }

 private:
  std::mutex mutex_;  // taken without the GIL only
  std::shared_ptr<arrow::RecordBatchReader> reader_;
};

}  // namespace lance::python
