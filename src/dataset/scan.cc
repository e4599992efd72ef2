#include "dataset/scan.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "arrow/util/cancel.h"
#include "base/executor.h"
#include "dataset/morsel_planner.h"
#include "dataset/ordered_scan.h"
#include "dataset/ordered_window.h"
#include "dataset/scan_plan.h"
#include "dataset/value_layout.h"

namespace lance {
namespace {

constexpr uint64_t kDefaultBatchSize = 8192;
/// Tasks in the window per CPU thread.
constexpr size_t kTasksPerThread = 2;
/// When results turn out large, fewer are made ahead.
constexpr int64_t kWindowBytes = 256 << 20;
/// Chunks of a table with fewer rows than this, on average, are put together.
constexpr int64_t kSmallChunkRows = 4096;

/// Fewer rows than this that an offset skips are read like the others.
constexpr uint64_t kManySkippedRows = 8192;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

/// The fragments that are asked for.
Result<std::vector<size_t>> FragmentsOf(const Snapshot& snapshot, const ScanOptions& options) {
  std::vector<size_t> indexes;
  if (!options.fragments) {
    indexes.resize(snapshot.fragments().size());
    std::iota(indexes.begin(), indexes.end(), size_t{0});
    return indexes;
  }
  for (uint64_t id : *options.fragments) {
    ARROW_ASSIGN_OR_RAISE(size_t index, snapshot.FindFragment(id));
    indexes.push_back(index);
  }
  return indexes;
}

Result<ScanRange> RangeOf(const Snapshot& snapshot, const ScanPlan& plan,
                          const ScanOptions& options, MorselSize morsel_size) {
  ScanRange range;
  range.morsel_size = morsel_size;
  // Which rows pass a filter is only known when they are read.
  range.offset = plan.is_filtered() ? 0 : options.offset;
  range.limit = plan.is_empty()      ? 0
                : plan.is_filtered() ? kNoLimit
                                     : options.limit.value_or(kNoLimit);
  range.batch_size = options.batch_size.value_or(kDefaultBatchSize);
  if (range.batch_size == 0 || range.batch_size > std::numeric_limits<uint32_t>::max()) {
    return UserError("batch_size must be between 1 and 4294967295, got ", range.batch_size);
  }
  if (options.strict_batch_size && options.batch_size_bytes) {
    return UserError("batch_size_bytes can't be given together with strict_batch_size");
  }
  if (options.batch_size_bytes == 0) return UserError("batch_size_bytes must be at least 1");
  ARROW_ASSIGN_OR_RAISE(range.fragments, FragmentsOf(snapshot, options));
  return range;
}

/// Fragments of whose rows the candidates have none.
void LeaveOutUnwanted(const Snapshot& snapshot, ScanRange* range) {
  if (range->candidates == nullptr) return;
  std::erase_if(range->fragments, [&](size_t index) {
    const query::OffsetSet* wanted = range->candidates->Of(snapshot.fragments()[index].id);
    return wanted != nullptr && wanted->IsNone();
  });
}

using ReadMorsel = std::function<Result<std::shared_ptr<arrow::RecordBatch>>(const Morsel&)>;

/// Reads a morsel in pieces, if its values are too many for an array.
Status ReadFitting(const ReadMorsel& read, const Morsel& morsel, OrderedWindow::Batches* batches) {
  auto batch = read(morsel);
  const bool too_large =
      GetErrorCode(batch.status()) == ErrorCode::kOverBudget || IsLayoutOverflow(batch.status());
  if (batch.ok() || !too_large || morsel.rows.count <= 1)
    return std::move(batch).Value(&batches->emplace_back());
  const uint64_t half = morsel.rows.count / 2;
  ARROW_RETURN_NOT_OK(
      ReadFitting(read, {morsel.fragment_index, {morsel.rows.start, half}}, batches));
  return ReadFitting(
      read, {morsel.fragment_index, {morsel.rows.start + half, morsel.rows.count - half}}, batches);
}

/// The morsels of a scan in order, decoded ahead.
class MorselStream {
 public:
  static Result<std::unique_ptr<MorselStream>> Open(
      std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options, MorselSize morsel_size,
      std::span<const query::IndexPtr> indexes, RowForm form, std::shared_ptr<ScanTotals> totals) {
    if (totals == nullptr) totals = std::make_shared<ScanTotals>(&snapshot->session()->io_stats());
    Context context = snapshot->MakeContext();
    context.io_stats = &totals->io;
    ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(*snapshot, options, indexes, form));
    ARROW_ASSIGN_OR_RAISE(auto range, RangeOf(*snapshot, *plan, options, morsel_size));
    ARROW_ASSIGN_OR_RAISE(range.candidates,
                          plan->Search(context, *snapshot, range.fragments, &totals->steps));
    LeaveOutUnwanted(*snapshot, &range);
    ARROW_ASSIGN_OR_RAISE(auto counts,
                          plan->reads_deleted() ? snapshot->PhysicalCounts() : snapshot->Counts());
    std::unique_ptr<MorselStream> to_first;
    if (options.offset >= kManySkippedRows && plan->reads_kept_rows() && !plan->reads_deleted() &&
        !HasTwice(range)) {
      ARROW_ASSIGN_OR_RAISE(to_first,
                            OpenToFirst(snapshot, options, indexes, range, counts, totals));
    }
    return std::unique_ptr<MorselStream>(
        new MorselStream(std::move(snapshot), std::move(plan), std::move(totals), std::move(counts),
                         std::move(range), options, std::move(to_first)));
  }
  ~MorselStream() { stop_.RequestStop(Status::Cancelled("scan was closed")); }

  const std::shared_ptr<arrow::Schema>& schema() const { return plan_->output_schema(); }

  /// Null at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    if (!plan_->is_filtered()) return NextRead();
    if (to_first_ != nullptr && kept_limit_ > 0) ARROW_RETURN_NOT_OK(SkipToFirst());
    while (kept_limit_ > 0) {
      ARROW_ASSIGN_OR_RAISE(auto batch, NextRead());
      if (batch == nullptr) return nullptr;
      auto rows = static_cast<uint64_t>(batch->num_rows());
      uint64_t skipped = std::min(rows, kept_offset_);
      kept_offset_ -= skipped;
      uint64_t taken = std::min(rows - skipped, kept_limit_);
      kept_limit_ -= taken;
      if (taken == rows && rows > 0) return batch;
      if (taken > 0) {
        return batch->Slice(static_cast<int64_t>(skipped), static_cast<int64_t>(taken));
      }
    }
    return nullptr;
  }

  const ScanPlan& plan() const { return *plan_; }
  const Candidates* candidates() const { return candidates_.get(); }
  const ScanMetrics& metrics() const { return totals_->steps; }

 private:
  static bool HasTwice(const ScanRange& range) {
    const std::set<size_t> distinct(range.fragments.begin(), range.fragments.end());
    return distinct.size() < range.fragments.size();
  }

  /// The position of the first row behind the offset. It takes the columns of the filter alone to
  /// find it.
  static Result<std::unique_ptr<MorselStream>> OpenToFirst(
      std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options,
      std::span<const query::IndexPtr> indexes, ScanRange range,
      std::shared_ptr<const RowCounts> counts, const std::shared_ptr<ScanTotals>& totals) {
    ScanOptions first = options;
    first.columns = {std::string(VirtualColumnName(VirtualColumn::kRowOffset))};
    first.expressions.reset();
    first.with_row_id = false;
    first.with_row_address = false;
    first.limit = 1;
    ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(*snapshot, first, indexes, RowForm::kStored));
    return std::unique_ptr<MorselStream>(
        new MorselStream(std::move(snapshot), std::move(plan), std::make_shared<ScanTotals>(totals),
                         std::move(counts), std::move(range), first, nullptr));
  }

  Status SkipToFirst() {
    std::unique_ptr<MorselStream> stream = std::move(to_first_);
    ARROW_ASSIGN_OR_RAISE(auto first, stream->Next());
    // Other threads are done with it then.
    const std::shared_ptr<const ScanTotals> found = stream->totals_;
    stream = nullptr;
    for (auto part : {&ScanMetrics::narrowed, &ScanMetrics::whole}) {
      for (auto step : {&ReadMetrics::first, &ReadMetrics::filter}) {
        (totals_->steps.*part.*step).Add(found->steps.*part.*step);
      }
    }
    if (first == nullptr) {
      planned_all_ = true;
    } else {
      planner_.StartAt(static_cast<const arrow::UInt64Array&>(*first->column(0)).Value(0));
    }
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> NextRead() {
    while (next_ready_ == ready_.size()) {
      if (poll_) ARROW_RETURN_NOT_OK(poll_());
      ARROW_RETURN_NOT_OK(FillWindow());
      if (window_.size() == 0) return nullptr;
      ARROW_ASSIGN_OR_RAISE(ready_, window_.PopFront());
      next_ready_ = 0;
      NoteSize();
    }
    return std::move(ready_[next_ready_++]);
  }

  MorselStream(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const ScanPlan> plan,
               std::shared_ptr<ScanTotals> totals, std::shared_ptr<const RowCounts> counts,
               ScanRange range, const ScanOptions& options, std::unique_ptr<MorselStream> to_first)
      : snapshot_(std::move(snapshot)),
        plan_(std::move(plan)),
        totals_(std::move(totals)),
        candidates_(range.candidates),
        planner_(snapshot_, plan_->first_selection(), std::move(counts), std::move(range)),
        to_first_(std::move(to_first)),
        kept_offset_(to_first_ != nullptr ? 0 : options.offset),
        kept_limit_(options.limit.value_or(kNoLimit)),
        poll_(options.poll),
        context_(snapshot_->MakeContext()) {
    context_.stop = stop_.token();
    context_.io_stats = &totals_->io;
  }

  size_t WindowSize() const {
    auto threads = static_cast<size_t>(CpuThreads());
    if (threads == 1) return 1;
    size_t fits = static_cast<size_t>(kWindowBytes / std::max<int64_t>(largest_bytes_, 1));
    return std::clamp<size_t>(fits, 1, kTasksPerThread * threads);
  }

  Status FillWindow() {
    while (!planned_all_ && window_.size() < WindowSize()) {
      ARROW_ASSIGN_OR_RAISE(auto morsels, planner_.Next(context_));
      if (morsels.empty()) {
        planned_all_ = true;
        break;
      }
      for (const Morsel& morsel : morsels) {
        if (last_fragment_ != morsel.fragment_index) ++totals_->fragments;
        last_fragment_ = morsel.fragment_index;
      }
      // More rows than this are not needed of any morsel.
      uint64_t most_rows =
          kept_limit_ > kNoLimit - kept_offset_ ? kNoLimit : kept_offset_ + kept_limit_;
      auto task = [context = context_, snapshot = snapshot_, plan = plan_, totals = totals_,
                   candidates = candidates_, most_rows,
                   morsels = std::move(morsels)]() -> Result<OrderedWindow::Batches> {
        OrderedWindow::Batches batches;
        auto read = [&](const Morsel& morsel) {
          return plan->Read(context, *snapshot, candidates.get(), morsel, most_rows,
                            &totals->steps);
        };
        for (const Morsel& morsel : morsels)
          ARROW_RETURN_NOT_OK(ReadFitting(read, morsel, &batches));
        return batches;
      };
      // The caller takes the first task itself, at once.
      window_.Push(std::move(task), /*ahead=*/window_.size() > 0);
    }
    return Status::OK();
  }

  void NoteSize() {
    int64_t bytes = 0;
    for (const auto& batch : ready_) bytes += arrow::util::TotalBufferSize(*batch);
    largest_bytes_ = std::max(largest_bytes_, bytes);
  }

  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const ScanPlan> plan_;
  std::shared_ptr<ScanTotals> totals_;
  std::shared_ptr<const Candidates> candidates_;
  MorselPlanner planner_;
  /// Null: nothing is left out, or it is known where to start.
  std::unique_ptr<MorselStream> to_first_;
  // Of the rows that pass the filter, if there is one.
  uint64_t kept_offset_;
  uint64_t kept_limit_;
  std::function<Status()> poll_;
  arrow::StopSource stop_;
  Context context_;
  bool planned_all_ = false;
  std::optional<size_t> last_fragment_;  // that was planned
  int64_t largest_bytes_ = 0;
  OrderedWindow::Batches ready_;
  size_t next_ready_ = 0;
  OrderedWindow window_;
};

/// How large batches are to be.
struct BatchSize {
  int64_t rows = kDefaultBatchSize;
  std::optional<int64_t> bytes;
  /// Smaller batches than this are put together.
  int64_t least_rows = 0;

  static BatchSize Of(const ScanOptions& options, bool is_filtered) {
    BatchSize size;
    size.rows = static_cast<int64_t>(options.batch_size.value_or(kDefaultBatchSize));
    if (options.batch_size_bytes) {
      size.bytes = static_cast<int64_t>(std::min<uint64_t>(*options.batch_size_bytes, INT64_MAX));
    }
    // What a filter leaves of a morsel may be a row or two.
    if (options.strict_batch_size) {
      size.least_rows = size.rows;
    } else if (is_filtered && !size.bytes) {
      size.least_rows = size.rows / 2;
    }
    return size;
  }

  int64_t RowsOf(const arrow::RecordBatch& batch) const {
    if (!bytes || batch.num_rows() == 0) return rows;
    auto all = arrow::util::ReferencedBufferSize(batch);
    if (!all.ok()) return rows;
    const int64_t row_bytes = std::max<int64_t>(*all / batch.num_rows(), 1);
    return std::clamp<int64_t>(*bytes / row_bytes, 1, rows);
  }
};

class ScanReader final : public arrow::RecordBatchReader {
 public:
  ScanReader(std::unique_ptr<MorselStream> stream, BatchSize size, arrow::MemoryPool* pool)
      : schema_(stream->schema()), stream_(std::move(stream)), size_(size), pool_(pool) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    ARROW_RETURN_NOT_OK(failure_);
    failure_ = Next().Value(out);
    return failure_;
  }

  Status Close() override {
    morsel_ = nullptr;
    stream_ = nullptr;
    return Status::OK();
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    if (!apart_.empty()) {
      auto part = std::move(apart_.back());
      apart_.pop_back();
      return part;
    }
    std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
    int64_t rows = 0;
    do {
      ARROW_ASSIGN_OR_RAISE(auto part, NextPart(rows));
      if (part == nullptr) break;
      rows += part->num_rows();
      parts.push_back(std::move(part));
    } while (rows < size_.least_rows);
    if (parts.empty()) return nullptr;
    if (parts.size() == 1) return std::move(parts[0]);
    auto whole = arrow::ConcatenateRecordBatches(parts, pool_);
    if (whole.ok()) return whole;
    // Dictionaries may have too many values for one.
    apart_.assign(parts.rbegin(), parts.rend() - 1);
    return std::move(parts[0]);
  }

  /// Rows of the current morsel, or of the next; as many as a batch that has some still takes.
  Result<std::shared_ptr<arrow::RecordBatch>> NextPart(int64_t rows_before) {
    while (morsel_ == nullptr || at_ == morsel_->num_rows()) {
      morsel_ = nullptr;
      if (stream_ == nullptr) return nullptr;
      auto next = stream_->Next();
      at_ = 0;
      if (!next.ok() || *next == nullptr) {
        stream_ = nullptr;
        return next;
      }
      morsel_ = *std::move(next);
      morsel_batch_rows_ = size_.RowsOf(*morsel_);
    }
    const int64_t rows = std::min(morsel_batch_rows_ - rows_before, morsel_->num_rows() - at_);
    auto part = rows == morsel_->num_rows() ? morsel_ : morsel_->Slice(at_, rows);
    at_ += rows;
    return part;
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<MorselStream> stream_;  // null: no more
  const BatchSize size_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::RecordBatch> morsel_;
  int64_t morsel_batch_rows_ = 0;
  std::vector<std::shared_ptr<arrow::RecordBatch>> apart_;  // the next one last
  int64_t at_ = 0;
  Status failure_;
};

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> ScanBatches(
    std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options,
    std::span<const query::IndexPtr> indexes, RowForm form, std::shared_ptr<ScanTotals> totals) {
  arrow::MemoryPool* pool = snapshot->MakeContext().pool();
  ARROW_ASSIGN_OR_RAISE(
      auto stream, MorselStream::Open(std::move(snapshot), options, kStreamMorsels, indexes, form,
                                      std::move(totals)));
  const auto size = BatchSize::Of(options, stream->plan().is_filtered());
  return std::make_shared<ScanReader>(std::move(stream), size, pool);
}

Result<std::shared_ptr<arrow::Table>> ScanTable(std::shared_ptr<const Snapshot> snapshot,
                                                const ScanOptions& options, RowForm form,
                                                std::shared_ptr<ScanTotals> totals) {
  ARROW_ASSIGN_OR_RAISE(auto stream, MorselStream::Open(std::move(snapshot), options, kTableMorsels,
                                                        {}, form, std::move(totals)));
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (batch == nullptr) break;
    batches.push_back(std::move(batch));
  }
  if (stream->schema()->num_fields() == 0) {
    int64_t rows = 0;
    for (const auto& batch : batches) rows += batch->num_rows();
    return arrow::Table::Make(stream->schema(), arrow::ChunkedArrayVector(), rows);
  }
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(stream->schema(), batches));
  // What a filter leaves of a morsel may be a row or two.
  bool is_scattered = stream->plan().is_filtered() && batches.size() > 1 &&
                      table->num_rows() / static_cast<int64_t>(batches.size()) < kSmallChunkRows;
  if (!is_scattered) return table;
  auto combined = table->CombineChunks();
  // Dictionaries may have too many values for one.
  return combined.ok() ? combined : table;
}

Result<uint64_t> CountScan(std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options) {
  ScanOptions without_columns = options;
  without_columns.columns.emplace();
  without_columns.expressions.reset();
  ARROW_ASSIGN_OR_RAISE(auto stream, MorselStream::Open(std::move(snapshot), without_columns,
                                                        kTableMorsels, {}, RowForm::kStored,
                                                        /*totals=*/nullptr));
  uint64_t rows = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (batch == nullptr) return rows;
    rows += static_cast<uint64_t>(batch->num_rows());
  }
}

namespace {

PlanNode BelowLimit(std::vector<PlanNode> steps, const ScanOptions& options,
                    std::optional<PlanMetrics> metrics) {
  PlanNode plan;
  if (options.order_by.empty()) {
    plan = std::move(steps[0]);
  } else {
    plan = {.step = "Sort",
            .details = {{"order_by", "[" + OrderText(options.order_by) + "]"}},
            .metrics = metrics,
            .inputs = std::move(steps)};
  }
  if (!options.limit && options.offset == 0) return plan;
  PlanNode limit{.step = "Limit", .metrics = metrics};
  if (options.limit) limit.details.push_back({"limit", std::to_string(*options.limit)});
  limit.details.push_back({"offset", std::to_string(options.offset)});
  limit.inputs.push_back(std::move(plan));
  return limit;
}

/// Reads to the end. `metrics` gets the rows, and the time without that of `sink`.
template <typename Next>
Status Measure(const Next& next, const BatchSink& sink, StepMetrics* metrics) {
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    {
      StepTimer timer(metrics);
      ARROW_ASSIGN_OR_RAISE(batch, next());
      if (batch == nullptr) return Status::OK();
      timer.AddRows(static_cast<uint64_t>(batch->num_rows()));
    }
    if (sink) ARROW_RETURN_NOT_OK(sink(batch));
  }
}

}  // namespace

Result<PlanNode> DescribeSteps(const Snapshot& snapshot, const ScanOptions& options,
                               const ScanMetrics* metrics) {
  ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(snapshot, options));
  if (plan->is_empty()) return PlanNode{.step = "Empty"};
  ARROW_ASSIGN_OR_RAISE(auto fragments, FragmentsOf(snapshot, options));
  return plan->Describe(snapshot, fragments, nullptr, metrics);
}

Result<PlanNode> ExplainScan(const Snapshot& snapshot, const ScanOptions& options,
                             std::span<const query::IndexPtr> indexes) {
  ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(snapshot, options, indexes));
  if (plan->is_empty()) return PlanNode{.step = "Empty"};
  ARROW_ASSIGN_OR_RAISE(auto fragments, FragmentsOf(snapshot, options));
  std::vector<PlanNode> steps;
  if (options.order_by.empty()) {
    steps.push_back(plan->Describe(snapshot, fragments, nullptr, nullptr));
  } else {
    ARROW_ASSIGN_OR_RAISE(steps, StepsOfOrder(snapshot, options, nullptr));
  }
  return BelowLimit(std::move(steps), options, std::nullopt);
}

Result<PlanNode> AnalyzeScan(const std::shared_ptr<const Snapshot>& snapshot,
                             const ScanOptions& options, std::span<const query::IndexPtr> indexes,
                             const BatchSink& sink) {
  StepMetrics whole;
  const OrderTotals totals(&snapshot->session()->io_stats());
  std::unique_ptr<MorselStream> stream;
  if (options.order_by.empty()) {
    {
      StepTimer timer(&whole);
      ARROW_ASSIGN_OR_RAISE(stream, MorselStream::Open(snapshot, options, kStreamMorsels, indexes,
                                                       RowForm::kOutput, totals.all));
    }
    ARROW_RETURN_NOT_OK(Measure([&] { return stream->Next(); }, sink, &whole));
  } else {
    std::shared_ptr<arrow::RecordBatchReader> reader;
    {
      StepTimer timer(&whole);
      ARROW_ASSIGN_OR_RAISE(reader, ScanInOrder(snapshot, options, &totals));
    }
    ARROW_RETURN_NOT_OK(Measure([&] { return reader->Next(); }, sink, &whole));
  }
  PlanNode root{.step = "Scan", .metrics = MetricsOf(whole)};
  root.metrics->reads = totals.all->io.reads;
  root.metrics->read_bytes = totals.all->io.read_bytes;
  ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(*snapshot, options, indexes, RowForm::kOutput));
  if (plan->is_empty()) {
    root.inputs.push_back({.step = "Empty"});
    return root;
  }
  std::vector<PlanNode> steps;
  PlanMetrics above{.rows = whole.rows};
  if (stream != nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto fragments, FragmentsOf(*snapshot, options));
    steps.push_back(plan->Describe(*snapshot, fragments, stream->candidates(), &stream->metrics()));
  } else {
    ARROW_ASSIGN_OR_RAISE(steps, StepsOfOrder(*snapshot, options, &totals));
    above.nanoseconds = whole.nanoseconds;
  }
  root.inputs.push_back(BelowLimit(std::move(steps), options, above));
  return root;
}

}  // namespace lance
