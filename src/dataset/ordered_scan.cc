#include "dataset/ordered_scan.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "base/memory_budget.h"
#include "base/take_rows.h"
#include "dataset/array_types.h"
#include "dataset/scan.h"
#include "dataset/scan_plan.h"
#include "dataset/sort_keys.h"
#include "dataset/source_rows.h"
#include "dataset/value_layout.h"
#include "schema/logical_type.h"
#include "schema/schema.h"

namespace lance {
namespace {

constexpr uint64_t kDefaultBatchSize = 8192;
/// Limits up to this are found by their keys, and the rows read later.
constexpr uint64_t kMostKept = 1 << 16;
/// Rows that are collected before those that can't be among the best are dropped.
constexpr int64_t kRowsAtOnce = 1 << 16;

constexpr char kRowAddress[] = "_rowaddr";

/// The key as an expression: a column of that name, or else a path.
std::string KeySql(const Schema& schema, const std::string& column) {
  for (const Field& field : schema.fields) {
    if (field.name == column) return InBackTicks(column);
  }
  std::string sql;
  for (size_t at = 0; at <= column.size();) {
    const size_t end = std::min(column.find('.', at), column.size());
    sql += (at > 0 ? "." : "") + InBackTicks(column.substr(at, end - at));
    at = end + 1;
  }
  return sql;
}

/// The same rows as they come.
ScanOptions Unordered(ScanOptions options) {
  options.order_by.clear();
  options.limit.reset();
  options.offset = 0;
  return options;
}

/// What finds the keys of the rows of a scan, and behind them their addresses.
ScanOptions KeyOptions(const Snapshot& snapshot, const ScanOptions& options) {
  ScanOptions keys = Unordered(options);
  keys.columns.reset();
  keys.with_row_id = options.include_deleted_rows;
  keys.with_row_address = true;
  keys.batch_size.reset();
  keys.output_encodings.clear();
  keys.expressions.emplace();
  for (size_t i = 0; i < options.order_by.size(); ++i) {
    keys.expressions->emplace_back(std::to_string(i),
                                   KeySql(snapshot.manifest().schema, options.order_by[i].column));
  }
  return keys;
}

/// The keys of rows, in a form that sorts, and their addresses behind them.
class KeyRows {
 public:
  KeyRows(const std::vector<SortKey>& order_by, arrow::MemoryPool* pool)
      : order_by_(order_by), pool_(pool) {}

  Status Add(const arrow::RecordBatch& batch) {
    if (batch.num_rows() == 0) return Status::OK();
    arrow::ArrayVector values = batch.columns();
    auto addresses = std::move(values.back());
    values.resize(order_by_.size());
    ARROW_ASSIGN_OR_RAISE(auto keys, SortableKeys(order_by_, values, batch.num_rows(), pool_));
    ARROW_ASSIGN_OR_RAISE(keys, keys->AddColumn(keys->num_columns(), kRowAddress, addresses));
    rows_ += keys->num_rows();
    batches_.push_back(std::move(keys));
    return Status::OK();
  }
  int64_t rows() const { return rows_; }

  /// Puts them in order, and keeps the first `most` of them.
  Status Sort(int64_t most) {
    if (batches_.empty()) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto whole, arrow::ConcatenateRecordBatches(batches_, pool_));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> order,
                          SortedRows(order_by_, *whole, pool_));
    order = order->Slice(0, most);
    ARROW_ASSIGN_OR_RAISE(auto taken, TakeRows(whole, order, pool_));
    batches_ = {std::move(taken)};
    rows_ = batches_[0]->num_rows();
    return Status::OK();
  }

  /// The order of all of them, by their number.
  Result<std::vector<uint32_t>> Order() const {
    std::vector<uint32_t> rows(static_cast<size_t>(rows_));
    if (batches_.empty()) return rows;
    ARROW_ASSIGN_OR_RAISE(auto whole, arrow::ConcatenateRecordBatches(batches_, pool_));
    ARROW_ASSIGN_OR_RAISE(auto order, SortedRows(order_by_, *whole, pool_));
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<uint32_t>(order->Value(static_cast<int64_t>(i)));
    }
    return rows;
  }

  std::vector<uint64_t> Addresses() const {
    std::vector<uint64_t> addresses;
    for (const auto& batch : batches_) {
      const auto& column =
          static_cast<const arrow::UInt64Array&>(*batch->column(batch->num_columns() - 1));
      addresses.insert(addresses.end(), column.raw_values(), column.raw_values() + column.length());
    }
    return addresses;
  }

 private:
  const std::vector<SortKey>& order_by_;
  arrow::MemoryPool* pool_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  int64_t rows_ = 0;
};

/// Calls `add` with each batch.
template <typename Add>
Status ForEachBatch(arrow::RecordBatchReader* reader, Add add) {
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return Status::OK();
    ARROW_RETURN_NOT_OK(add(*batch));
  }
}

/// Values in views again, where rows were taken without them.
Result<std::shared_ptr<arrow::Array>> WithLayout(const std::shared_ptr<arrow::Array>& values,
                                                 const std::shared_ptr<arrow::DataType>& type,
                                                 arrow::MemoryPool* pool) {
  if (values->type()->Equals(*type)) return values;
  auto storage_type = StorageType(type);
  auto storage = Retyped(values, StorageType(values->type()));
  if (!arrow::is_nested(storage_type->id())) {
    ARROW_ASSIGN_OR_RAISE(storage, ToLayout(storage, storage_type, pool));
    return Retyped(storage, type);
  }
  auto data = storage->data()->Copy();
  for (int i = 0; i < storage_type->num_fields(); ++i) {
    auto& child = data->child_data[static_cast<size_t>(i)];
    ARROW_ASSIGN_OR_RAISE(
        auto laid_out, WithLayout(arrow::MakeArray(child), storage_type->field(i)->type(), pool));
    child = laid_out->data();
  }
  data->type = type;
  return arrow::MakeArray(data);
}

/// Some rows of a source in a given order.
class OrderedReader final : public arrow::RecordBatchReader {
 public:
  OrderedReader(std::shared_ptr<arrow::Schema> schema, SourceRows rows, std::vector<uint32_t> order,
                const ScanOptions& options, Context context)
      : schema_(std::move(schema)),
        rows_(std::move(rows)),
        order_(std::move(order)),
        batch_size_(static_cast<size_t>(options.batch_size.value_or(kDefaultBatchSize))),
        poll_(options.poll),
        context_(std::move(context)),
        columns_(static_cast<size_t>(schema_->num_fields())) {
    std::iota(columns_.begin(), columns_.end(), 0);
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    if (at_ == order_.size()) return Status::OK();
    if (poll_) ARROW_RETURN_NOT_OK(poll_());
    const size_t count = std::min(batch_size_, order_.size() - at_);
    ARROW_ASSIGN_OR_RAISE(
        auto taken, rows_.Take(std::span(order_).subspan(at_, count), columns_, context_.pool()));
    at_ += count;
    arrow::ArrayVector columns = taken->columns();
    for (size_t i = 0; i < columns.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          columns[i],
          WithLayout(columns[i], schema_->field(static_cast<int>(i))->type(), context_.pool()));
    }
    *out = arrow::RecordBatch::Make(schema_, taken->num_rows(), std::move(columns));
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  SourceRows rows_;
  std::vector<uint32_t> order_;
  const size_t batch_size_;
  std::function<Status()> poll_;
  Context context_;
  std::vector<int> columns_;
  size_t at_ = 0;
};

Result<SourceRows> Collect(arrow::RecordBatchReader* reader, const Context& context) {
  return SourceRows::Read(reader, context.pool(), {.memory_bytes = DefaultMemoryBudget()});
}

/// The addresses of the rows within the limit, in order.
Result<std::vector<uint64_t>> BestRows(const std::shared_ptr<const Snapshot>& snapshot,
                                       const ScanOptions& options, const Context& context,
                                       const std::shared_ptr<ScanTotals>& totals) {
  const auto most = static_cast<int64_t>(options.offset + *options.limit);
  KeyRows keys(options.order_by, context.pool());
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, KeyOptions(*snapshot, options), {},
                                               RowForm::kStored, totals));
  ARROW_RETURN_NOT_OK(ForEachBatch(scan.get(), [&](const arrow::RecordBatch& batch) -> Status {
    ARROW_RETURN_NOT_OK(keys.Add(batch));
    return keys.rows() < most + kRowsAtOnce ? Status::OK() : keys.Sort(most);
  }));
  ARROW_RETURN_NOT_OK(keys.Sort(most));
  std::vector<uint64_t> addresses = keys.Addresses();
  addresses.erase(addresses.begin(), addresses.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(
                                                             options.offset, addresses.size())));
  return addresses;
}

/// Of rows with these addresses: where each of them is among `rows`.
std::vector<uint32_t> PlacesOf(const std::vector<uint64_t>& addresses,
                               const arrow::ChunkedArray& rows) {
  std::unordered_map<uint64_t, uint32_t> places;
  for (const auto& chunk : rows.chunks()) {
    const auto& values = static_cast<const arrow::UInt64Array&>(*chunk);
    for (int64_t i = 0; i < values.length(); ++i) {
      places.emplace(values.Value(i), static_cast<uint32_t>(places.size()));
    }
  }
  std::vector<uint32_t> order;
  order.reserve(addresses.size());
  for (uint64_t address : addresses) order.push_back(places.at(address));
  return order;
}

Result<std::shared_ptr<arrow::RecordBatchReader>> ScanBest(
    const std::shared_ptr<const Snapshot>& snapshot, const ScanOptions& options,
    std::shared_ptr<arrow::Schema> schema, const OrderTotals& totals) {
  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto addresses, BestRows(snapshot, options, context, totals.keys));
  if (addresses.empty()) return arrow::RecordBatchReader::Make({}, schema);
  // Rows have passed the filter; that they are wanted is one on their addresses.
  ScanOptions rows = Unordered(options);
  rows.substrait_filter.reset();
  rows.row_allowlist.reset();
  rows.row_blocklist.reset();
  rows.filter = std::string(kRowAddress) + " IN (";
  for (size_t i = 0; i < addresses.size(); ++i) {
    *rows.filter += (i > 0 ? "," : "") + std::to_string(addresses[i]);
  }
  *rows.filter += ")";
  ScanOptions only_addresses = rows;
  only_addresses.columns = std::vector<std::string>();
  only_addresses.expressions.reset();
  only_addresses.with_row_id = false;
  only_addresses.with_row_address = true;
  ARROW_ASSIGN_OR_RAISE(auto found, ScanTable(snapshot, only_addresses));
  std::vector<uint32_t> order = PlacesOf(addresses, *found->column(0));
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, rows, {}, RowForm::kOutput, totals.rows));
  ARROW_ASSIGN_OR_RAISE(SourceRows source, Collect(scan.get(), context));
  return std::make_shared<OrderedReader>(std::move(schema), std::move(source), std::move(order),
                                         options, context);
}

Result<std::shared_ptr<arrow::RecordBatchReader>> ScanSorted(
    const std::shared_ptr<const Snapshot>& snapshot, const ScanOptions& options,
    std::shared_ptr<arrow::Schema> schema, const OrderTotals& totals) {
  Context context = snapshot->MakeContext();
  KeyRows keys(options.order_by, context.pool());
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, KeyOptions(*snapshot, options), {},
                                               RowForm::kStored, totals.keys));
  ARROW_RETURN_NOT_OK(
      ForEachBatch(scan.get(), [&](const arrow::RecordBatch& batch) { return keys.Add(batch); }));
  if (keys.rows() > std::numeric_limits<uint32_t>::max()) {
    return Unsupported("ordering more than 2^32 rows; give a limit of at most ", kMostKept);
  }
  ARROW_ASSIGN_OR_RAISE(std::vector<uint32_t> order, keys.Order());
  const uint64_t skipped = std::min<uint64_t>(options.offset, order.size());
  order.erase(order.begin(), order.begin() + static_cast<ptrdiff_t>(skipped));
  if (options.limit && *options.limit < order.size()) order.resize(*options.limit);
  // The same rows in the same order as their keys.
  ARROW_ASSIGN_OR_RAISE(
      scan, ScanBatches(snapshot, Unordered(options), {}, RowForm::kOutput, totals.rows));
  ARROW_ASSIGN_OR_RAISE(SourceRows source, Collect(scan.get(), context));
  return std::make_shared<OrderedReader>(std::move(schema), std::move(source), std::move(order),
                                         options, context);
}

/// The rows are few enough to be kept by their addresses.
bool KeepsBest(const ScanOptions& options) {
  return options.limit && !options.include_deleted_rows && options.offset <= kMostKept &&
         *options.limit <= kMostKept - options.offset;
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> ScanInOrder(
    const std::shared_ptr<const Snapshot>& snapshot, const ScanOptions& options,
    const OrderTotals* totals) {
  const OrderTotals own(&snapshot->session()->io_stats());
  if (totals == nullptr) totals = &own;
  ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(*snapshot, options, {}, RowForm::kOutput));
  const auto& schema = plan->output_schema();
  // Rows without columns are all alike.
  if (schema->num_fields() == 0) {
    ScanOptions any = options;
    any.order_by.clear();
    return ScanBatches(snapshot, any, {}, RowForm::kOutput, totals->all);
  }
  ARROW_ASSIGN_OR_RAISE(auto reader, KeepsBest(options)
                                         ? ScanBest(snapshot, options, schema, *totals)
                                         : ScanSorted(snapshot, options, schema, *totals));
  // All is read now.
  totals->all->AddPart(*totals->keys);
  totals->all->AddPart(*totals->rows);
  return reader;
}

Result<std::vector<PlanNode>> StepsOfOrder(const Snapshot& snapshot, const ScanOptions& options,
                                           const OrderTotals* totals) {
  auto of = [&](const std::shared_ptr<ScanTotals> OrderTotals::*part) {
    return totals == nullptr ? nullptr : &(totals->*part)->steps;
  };
  ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(snapshot, options, {}, RowForm::kOutput));
  const auto& schema = plan->output_schema();
  std::vector<PlanNode> steps;
  if (schema->num_fields() == 0) {
    ARROW_ASSIGN_OR_RAISE(steps.emplace_back(),
                          DescribeSteps(snapshot, Unordered(options), of(&OrderTotals::all)));
    return steps;
  }
  if (KeepsBest(options)) {
    PlanNode best{.step = "ReadBest", .details = {{"columns", ColumnsText(*schema)}}};
    if (totals != nullptr) best.metrics = totals->rows->Sum();
    steps.push_back(std::move(best));
  } else {
    ARROW_ASSIGN_OR_RAISE(steps.emplace_back(),
                          DescribeSteps(snapshot, Unordered(options), of(&OrderTotals::rows)));
  }
  ARROW_ASSIGN_OR_RAISE(steps.emplace_back(), DescribeSteps(snapshot, KeyOptions(snapshot, options),
                                                            of(&OrderTotals::keys)));
  return steps;
}

std::string OrderText(const std::vector<SortKey>& order_by) {
  std::string text;
  for (const SortKey& key : order_by) {
    text += (text.empty() ? "" : ", ") + key.column + (key.ascending ? " ASC" : " DESC") +
            (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  }
  return text;
}

}  // namespace lance
