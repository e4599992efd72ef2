#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "arrow/record_batch.h"
#include "cli/output.h"
#include "cli/transfer.h"

namespace lance::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kRefreshInterval = std::chrono::milliseconds(200);

class CountingReader final : public arrow::RecordBatchReader {
 public:
  CountingReader(std::shared_ptr<arrow::RecordBatchReader> source, std::string path,
                 std::shared_ptr<uint64_t> rows)
      : source_(std::move(source)),
        path_(std::move(path)),
        rows_(std::move(rows)),
        shown_(ErrorsGoToTerminal()) {}
  ~CountingReader() override {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

  std::shared_ptr<arrow::Schema> schema() const override { return source_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(WithPlace(source_->ReadNext(batch), {.path = path_}));
    if (*batch != nullptr) *rows_ += static_cast<uint64_t>((*batch)->num_rows());
    if (shown_) Draw();
    return Status::OK();
  }

 private:
  void Draw() {
    Clock::time_point now = Clock::now();
    if (now - last_draw_ < kRefreshInterval) return;
    last_draw_ = now;
    drawn_ = true;
    double seconds = std::chrono::duration<double>(now - start_).count();
    std::fprintf(stderr, "\r\033[K%s, %.0f s", Counted(*rows_, "row").c_str(), seconds);
  }

  std::shared_ptr<arrow::RecordBatchReader> source_;
  std::string path_;
  std::shared_ptr<uint64_t> rows_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_ = start_;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> CountRows(
    std::shared_ptr<arrow::RecordBatchReader> source, std::string path,
    std::shared_ptr<uint64_t> rows) {
  return std::make_shared<CountingReader>(std::move(source), std::move(path), std::move(rows));
}

}  // namespace lance::cli
