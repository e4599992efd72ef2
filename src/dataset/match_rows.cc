#include "dataset/match_rows.h"

#include "arrow/api.h"
#include "dataset/scan.h"

namespace lance {
namespace {

constexpr uint64_t kRowsPerBatch = 1 << 16;

void AddPairs(const KeyIndex& source, uint32_t first, uint64_t position, uint64_t address,
              RowMatches* matches) {
  for (uint32_t row = first; row != KeyIndex::kNone; row = source.Next(row)) {
    matches->pairs.push_back({position, address, row});
    matches->is_matched[row] = true;
  }
}

}  // namespace

Result<RowMatches> MatchRows(std::shared_ptr<const Snapshot> snapshot,
                             const std::vector<std::string>& key, const KeyIndex& source) {
  RowMatches matches;
  matches.is_matched.resize(source.size());
  ScanOptions options;
  options.columns = key;
  options.with_row_address = true;
  options.batch_size = kRowsPerBatch;
  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(std::move(snapshot), options));
  std::vector<uint32_t> found;
  uint64_t position = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return matches;
    arrow::ArrayVector columns = batch->columns();
    auto addresses = std::static_pointer_cast<arrow::UInt64Array>(columns.back());
    columns.pop_back();
    ARROW_ASSIGN_OR_RAISE(RowKeys keys, RowKeys::Of(columns, context.pool()));
    source.Find(keys, &found);
    for (size_t row = 0; row < found.size(); ++row) {
      if (found[row] == KeyIndex::kNone) continue;
      AddPairs(source, found[row], position + row, addresses->Value(static_cast<int64_t>(row)),
               &matches);
    }
    position += found.size();
  }
}

}  // namespace lance
