#include "dataset/select_rows.h"

#include <set>

#include "arrow/api.h"
#include "base/compute_kernels.h"
#include "dataset/scan.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"

namespace lance {
namespace {

constexpr char kRowAddress[] = "_rowaddr";

void CollectColumns(const query::Expr& expr, std::set<int>* indexes) {
  if (expr.kind == query::ExprKind::kColumn) indexes->insert(expr.column.indexes.front());
  for (const query::ExprPtr& arg : expr.args) CollectColumns(*arg, indexes);
}

Status AddMatches(const query::Expr& filter, const arrow::RecordBatch& batch,
                  arrow::MemoryPool* pool, RowAddressSet* rows) {
  // The address comes last, behind the columns of the filter.
  int last = batch.num_columns() - 1;
  const auto& addresses = static_cast<const arrow::UInt64Array&>(*batch.column(last));
  ARROW_ASSIGN_OR_RAISE(auto columns, batch.RemoveColumn(last));
  ARROW_ASSIGN_OR_RAISE(auto matches, query::MatchingRows(filter, *columns, pool));
  for (int64_t row : matches) rows->Add(RowAddress{addresses.Value(row)});
  return Status::OK();
}

}  // namespace

std::vector<std::string> ColumnsUsed(const query::Expr& expr, const arrow::Schema& schema) {
  std::set<int> indexes;
  CollectColumns(expr, &indexes);
  std::vector<std::string> names;
  for (int index : indexes) names.push_back(schema.field(index)->name());
  return names;
}

Result<RowFilter> BindRowFilter(const Snapshot& snapshot, std::string_view sql) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  ARROW_ASSIGN_OR_RAISE(auto schema, snapshot.manifest().schema.ToArrow());
  ARROW_ASSIGN_OR_RAISE(auto whole, query::BindSqlFilter(sql, *schema));
  RowFilter filter;
  filter.columns = ColumnsUsed(*whole, *schema);
  // Bound again to the columns that are read.
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const std::string& name : filter.columns) fields.push_back(schema->GetFieldByName(name));
  ARROW_ASSIGN_OR_RAISE(filter.expr, query::BindSqlFilter(sql, *arrow::schema(std::move(fields))));
  return filter;
}

Result<std::shared_ptr<RowAddressSet>> SelectRows(std::shared_ptr<const Snapshot> snapshot,
                                                  const RowFilter& filter) {
  ScanOptions options;
  options.columns = filter.columns;
  options.columns->emplace_back(kRowAddress);
  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(std::move(snapshot), options));
  auto rows = std::make_shared<RowAddressSet>();
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return rows;
    ARROW_RETURN_NOT_OK(AddMatches(*filter.expr, *batch, context.pool(), rows.get()));
  }
}

}  // namespace lance
