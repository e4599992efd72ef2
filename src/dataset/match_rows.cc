#include "dataset/match_rows.h"

#include "arrow/api.h"
#include "dataset/scan.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

/// What is worked out of a batch should fit into a cache.
constexpr uint64_t kRowsPerBatch = 1 << 14;

void AddPairs(const KeyIndex& source, uint32_t first, uint64_t position, uint64_t address,
              RowMatches* matches) {
  for (uint32_t row = first; row != KeyIndex::kNone; row = source.Next(row)) {
    matches->pairs.push_back({position, address, row});
    matches->is_matched[row] = true;
  }
}

}  // namespace

Result<RowMatches> MatchRows(std::shared_ptr<const Snapshot> snapshot,
                             const std::vector<std::string>& key, const KeyIndex& source,
                             const Poll& poll) {
  RowMatches matches;
  matches.is_matched.resize(source.size());
  if (source.size() == 0) return matches;
  ScanOptions options;
  options.columns = key;
  options.with_row_address = true;
  options.batch_size = kRowsPerBatch;
  options.poll = poll;
  options.output_encodings = WidestEncodings(snapshot->manifest().schema);
  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(std::move(snapshot), options));
  uint64_t position = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return matches;
    arrow::ArrayVector columns = batch->columns();
    auto addresses = std::static_pointer_cast<arrow::UInt64Array>(columns.back());
    columns.pop_back();
    ARROW_ASSIGN_OR_RAISE(RowKeys keys, RowKeys::Of(columns, context.pool()));
    for (const KeyIndex::Hit& hit : source.Find(keys)) {
      AddPairs(source, hit.row, position + static_cast<uint64_t>(hit.key),
               addresses->Value(hit.key), &matches);
    }
    position += static_cast<uint64_t>(keys.size());
  }
}

}  // namespace lance
