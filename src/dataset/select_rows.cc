#include "dataset/select_rows.h"

#include "arrow/api.h"
#include "dataset/scan.h"

namespace lance {
namespace {

constexpr uint64_t kRowsPerBatch = 1 << 16;

/// Runs of addresses are added at once.
void AddAll(const arrow::UInt64Array& addresses, RowAddressSet* rows) {
  for (int64_t at = 0; at < addresses.length();) {
    RowAddress first{addresses.Value(at)};
    int64_t end = at + 1;
    while (end < addresses.length() && addresses.Value(end) == addresses.Value(end - 1) + 1) ++end;
    uint64_t offset = OffsetOf(first);
    rows->fragments[FragmentIdOf(first)].addRange(offset, offset + static_cast<uint64_t>(end - at));
    at = end;
  }
}

}  // namespace

Result<std::shared_ptr<RowAddressSet>> SelectRows(std::shared_ptr<const Snapshot> snapshot,
                                                  const std::optional<std::string>& condition,
                                                  const Poll& poll) {
  ScanOptions options;
  options.columns.emplace();
  options.with_row_address = true;
  options.filter = condition;
  options.batch_size = kRowsPerBatch;
  options.poll = poll;
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(std::move(snapshot), options));
  auto rows = std::make_shared<RowAddressSet>();
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return rows;
    AddAll(static_cast<const arrow::UInt64Array&>(*batch->column(0)), rows.get());
  }
}

}  // namespace lance
