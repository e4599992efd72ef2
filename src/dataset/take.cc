#include "dataset/take.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "base/compute_kernels.h"
#include "base/executor.h"
#include "base/take_rows.h"
#include "dataset/array_types.h"
#include "dataset/read_plan.h"
#include "dataset/wide_layout.h"
#include "file/null_items.h"

namespace lance {
namespace {

/// From so many ranges on, fragments are read in parallel.
constexpr size_t kParallelRanges = 64;

Status CheckPositions(std::span<const uint64_t> positions, uint64_t rows) {
  for (uint64_t position : positions) {
    if (position >= rows) {
      return UserError("row index ", position, " is out of range: there are ", rows,
                       " rows; give indices below that");
    }
  }
  return Status::OK();
}

/// What is read of one fragment.
struct FragmentTake {
  size_t fragment_index = 0;
  std::shared_ptr<FragmentReader> reader;
  std::vector<RowRange> rows;
};

class Taker {
 public:
  Taker(const Snapshot& snapshot, std::shared_ptr<const ColumnSelection> selection,
        std::shared_ptr<const RowCounts> counts)
      : snapshot_(snapshot),
        selection_(std::move(selection)),
        counts_(std::move(counts)),
        context_(snapshot.MakeContext()) {}

  /// `positions` ascend without repeats.
  Result<std::shared_ptr<arrow::RecordBatch>> TakeAscending(std::span<const uint64_t> positions) {
    if (positions.empty()) return EmptyBatch(selection_->output_schema, context_.pool());
    ARROW_RETURN_NOT_OK(Plan(positions));
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches(takes_.size());
    auto read = [&](size_t i) {
      return takes_[i].reader->Read(context_, takes_[i].rows).Value(&batches[i]);
    };
    if (takes_.size() == 1) {
      ARROW_RETURN_NOT_OK(read(0));
      return batches[0];
    }
    size_t ranges = 0;
    for (const FragmentTake& take : takes_) ranges += take.rows.size();
    if (ranges >= kParallelRanges) {
      ARROW_RETURN_NOT_OK(ParallelFor(context_, takes_.size(), read));
    } else {
      for (size_t i = 0; i < takes_.size(); ++i) ARROW_RETURN_NOT_OK(read(i));
    }
    for (auto& batch : batches) batch = WithoutNullItems(*batch);
    auto joined = arrow::ConcatenateRecordBatches(batches, context_.pool());
    return joined.ok() ? joined : JoinWidened(batches);
  }

  /// Any order, repeats allowed.
  Result<std::shared_ptr<arrow::RecordBatch>> Take(std::span<const uint64_t> positions) {
    bool ascending = std::adjacent_find(positions.begin(), positions.end(),
                                        std::greater_equal<>()) == positions.end();
    if (ascending) return TakeAscending(positions);
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> order,
        arrow::AllocateBuffer(static_cast<int64_t>(positions.size() * sizeof(int64_t)),
                              context_.pool()));
    const std::vector<uint64_t> sorted = Ascending(positions, order->mutable_data_as<int64_t>());
    ARROW_ASSIGN_OR_RAISE(auto batch, TakeAscending(sorted));
    return PutInOrder(static_cast<int64_t>(positions.size()), std::move(order), batch);
  }

 private:
  using Batch = std::shared_ptr<arrow::RecordBatch>;

  /// The positions in ascending order without repeats; `order` gets where each is in there. To sort
  /// them with their places takes half the time of looking them up afterwards.
  static std::vector<uint64_t> Ascending(std::span<const uint64_t> positions, int64_t* order) {
    std::vector<std::pair<uint64_t, size_t>> places;
    places.reserve(positions.size());
    for (size_t i = 0; i < positions.size(); ++i) places.emplace_back(positions[i], i);
    std::sort(places.begin(), places.end());
    std::vector<uint64_t> sorted;
    sorted.reserve(positions.size());
    for (const auto& [position, place] : places) {
      if (sorted.empty() || sorted.back() != position) sorted.push_back(position);
      order[place] = static_cast<int64_t>(sorted.size()) - 1;
    }
    return sorted;
  }

  /// Columns that one array of their own layout can't hold, as far as is known, are put together in
  /// one that holds any values.
  Result<Batch> JoinWidened(const std::vector<Batch>& batches) const {
    arrow::ArrayVector columns;
    for (size_t i = 0; i < selection_->output_fields.size(); ++i) {
      arrow::ArrayVector pieces;
      for (const Batch& batch : batches) pieces.push_back(batch->column(static_cast<int>(i)));
      auto join = [this](const arrow::ArrayVector& some) {
        return arrow::Concatenate(some, context_.pool());
      };
      ARROW_ASSIGN_OR_RAISE(
          columns.emplace_back(),
          ThroughWideLayout(selection_->output_fields[i], pieces, join, context_.pool()));
    }
    int64_t rows = 0;
    for (const Batch& batch : batches) rows += batch->num_rows();
    return arrow::RecordBatch::Make(selection_->output_schema, rows, std::move(columns));
  }

  Status Plan(std::span<const uint64_t> positions) {
    for (size_t i = 0; i < positions.size();) {
      size_t index = counts_->FragmentAt(positions[i]);
      uint64_t start = counts_->starts[index];
      uint64_t end = counts_->starts[index + 1];
      FragmentTake take{index, nullptr, {}};
      ARROW_ASSIGN_OR_RAISE(take.reader, snapshot_.OpenFragment(context_, selection_, index));
      if (take.reader->live_rows() != end - start) {
        return Corrupt("fragment ", snapshot_.fragments()[index].id, " has ",
                       take.reader->live_rows(), " rows, not ", end - start,
                       " as its manifest says");
      }
      while (i < positions.size() && positions[i] < end) {
        uint64_t first = positions[i];
        uint64_t count = 1;
        while (i + count < positions.size() && positions[i + count] == first + count &&
               first + count < end) {
          ++count;
        }
        take.reader->AppendPhysicalRanges({first - start, count}, &take.rows);
        i += count;
      }
      takes_.push_back(std::move(take));
    }
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> PutInOrder(
      int64_t count, std::shared_ptr<arrow::Buffer> order,
      const std::shared_ptr<arrow::RecordBatch>& batch) {
    if (batch->num_columns() == 0) {
      return arrow::RecordBatch::Make(batch->schema(), count, arrow::ArrayVector());
    }
    ARROW_RETURN_NOT_OK(InitializeComputeKernels());
    auto indices = std::make_shared<arrow::Int64Array>(count, std::move(order));
    auto take = [&](const arrow::ArrayVector& columns) -> Result<std::shared_ptr<arrow::Array>> {
      return TakeRows(columns[0], indices, context_.pool());
    };
    arrow::ArrayVector taken;
    for (size_t i = 0; i < selection_->output_fields.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          taken.emplace_back(),
          ThroughWideLayout(selection_->output_fields[i], {batch->column(static_cast<int>(i))},
                            take, context_.pool()));
    }
    return arrow::RecordBatch::Make(batch->schema(), count, std::move(taken));
  }

  const Snapshot& snapshot_;
  std::shared_ptr<const ColumnSelection> selection_;
  std::shared_ptr<const RowCounts> counts_;
  Context context_;
  std::vector<FragmentTake> takes_;
};

Result<std::shared_ptr<arrow::RecordBatch>> TakeInForm(
    const Snapshot& snapshot, std::span<const uint64_t> positions,
    const std::shared_ptr<const ColumnSelection>& selection,
    std::shared_ptr<const RowCounts> counts, RowForm form) {
  ARROW_ASSIGN_OR_RAISE(auto batch, Taker(snapshot, selection, std::move(counts)).Take(positions));
  if (form == RowForm::kStored) return batch;
  return FinishBatch(selection->finisher.get(), std::move(batch), snapshot.MakeContext().pool());
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const Snapshot& snapshot,
                                                     std::span<const uint64_t> positions,
                                                     const ColumnRequest& request, RowForm form) {
  ARROW_ASSIGN_OR_RAISE(auto selection, snapshot.Select(request));
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  ARROW_RETURN_NOT_OK(CheckPositions(positions, counts->total()));
  return TakeInForm(snapshot, positions, selection, std::move(counts), form);
}

Result<std::shared_ptr<arrow::RecordBatch>> TakeComputedRows(
    const Snapshot& snapshot, std::span<const uint64_t> positions,
    const std::vector<std::pair<std::string, std::string>>& expressions,
    const OutputEncodings& output_encodings) {
  const ScanOptions options{.expressions = expressions, .output_encodings = output_encodings};
  ARROW_ASSIGN_OR_RAISE(auto plan,
                        ReadPlan::Make(snapshot, options, /*filter=*/nullptr, RowForm::kOutput));
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  ARROW_RETURN_NOT_OK(CheckPositions(positions, counts->total()));
  ARROW_ASSIGN_OR_RAISE(
      auto rows, Taker(snapshot, plan->first_selection(), std::move(counts)).Take(positions));
  ReadMetrics metrics;
  return plan->MakeOutput(snapshot.MakeContext(), rows, &metrics.output);
}

Result<std::shared_ptr<arrow::RecordBatch>> TakeRowsOfFragment(const Snapshot& snapshot,
                                                               uint64_t fragment_id,
                                                               std::span<const uint64_t> positions,
                                                               const ColumnRequest& request,
                                                               RowForm form) {
  ARROW_ASSIGN_OR_RAISE(auto selection, snapshot.Select(request));
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  ARROW_ASSIGN_OR_RAISE(size_t index, snapshot.FindFragment(fragment_id));
  ARROW_RETURN_NOT_OK(CheckPositions(positions, counts->of_fragment(index)));
  std::vector<uint64_t> global(positions.begin(), positions.end());
  for (uint64_t& position : global) position += counts->starts[index];
  return TakeInForm(snapshot, global, selection, std::move(counts), form);
}

}  // namespace lance
