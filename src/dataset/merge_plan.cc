#include "dataset/merge_plan.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <vector>

#include "arrow/api.h"
#include "dataset/append_schema.h"
#include "dataset/merge_key.h"
#include "dataset/source_row_values.h"

namespace lance {
namespace {

/// `[a, b]`
std::string ListText(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() > 1 ? ", " : "") + name;
  return text + "]";
}

std::string MatchedText(const MergeInsertOptions& options) {
  switch (options.when_matched) {
    case WhenMatched::kDoNothing:
      return "DoNothing";
    case WhenMatched::kDelete:
      return "Delete";
    case WhenMatched::kFail:
      return "Fail";
    case WhenMatched::kUpdateAll:
      break;
  }
  return options.update_condition ? "UpdateIf(" + *options.update_condition + ")" : "UpdateAll";
}

std::string BySourceText(const MergeInsertOptions& options) {
  if (!options.delete_not_matched_by_source) return "Keep";
  return options.delete_condition ? "DeleteIf(" + *options.delete_condition + ")" : "Delete";
}

/// What a merge came to.
struct Measured {
  const UncommittedMerge& merge;
  std::chrono::nanoseconds elapsed;
  uint64_t source_rows;
};

std::string MetricsText(const Measured& measured) {
  const auto& update = measured.merge.transaction.update();
  uint64_t bytes = 0;
  int files = update.new_fragments_size();
  for (const auto& fragment : update.new_fragments()) {
    for (const auto& file : fragment.files()) bytes += file.file_size_bytes();
  }
  if (update.update_mode() == table::Transaction::Update::REWRITE_COLUMNS) {
    files = update.updated_fragments_size();
    for (const auto& fragment : update.updated_fragments()) {
      bytes += fragment.files().rbegin()->file_size_bytes();
    }
  }
  const MergeInsertStats& stats = measured.merge.stats;
  std::ostringstream text;
  text << ", elapsed=" << static_cast<double>(measured.elapsed.count()) / 1e6 << "ms"
       << ", metrics=[bytes_written=" << bytes << ", num_deleted_rows=" << stats.deleted_rows
       << ", num_files_written=" << files << ", num_inserted_rows=" << stats.inserted_rows
       << ", num_updated_rows=" << stats.updated_rows << "]";
  return text.str();
}

Result<std::string> PlanText(const Snapshot& snapshot, const arrow::Schema& source,
                             const MergeInsertOptions& options,
                             const std::optional<Measured>& measured) {
  const Schema& schema = snapshot.manifest().schema;
  ARROW_ASSIGN_OR_RAISE(auto fields, MergeKeyOf(schema, options.on));
  std::vector<std::string> key;
  key.reserve(fields.size());
  for (const Field* field : fields) key.push_back(field->name);
  ARROW_ASSIGN_OR_RAISE(auto mapping, MatchForAppend(schema, source, MissingFields::kAny));
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  std::ostringstream text;
  text << "MergeInsert: on=" << ListText(key) << ", when_matched=" << MatchedText(options)
       << ", when_not_matched=" << (options.insert_not_matched ? "InsertAll" : "DoNothing")
       << ", when_not_matched_by_source=" << BySourceText(options);
  if (measured) text << MetricsText(*measured);
  text << "\n  HashJoin: build=source, on=" << ListText(key);
  text << "\n    Source: columns=" << ListText(source.field_names());
  if (measured) text << ", metrics=[rows=" << measured->source_rows << "]";
  text << "\n    LanceScan: columns=" << ListText(key)
       << ", num_fragments=" << snapshot.fragments().size() << ", rows=" << counts->total();
  std::vector<std::string> taken = MissingPaths(schema, mapping.file_schema);
  if (options.write_mode == MergeWriteMode::kRewriteColumns) {
    taken = source.field_names();
    std::erase_if(taken, [&](const std::string& name) {
      return std::find(key.begin(), key.end(), name) != key.end();
    });
  }
  if (options.when_matched == WhenMatched::kUpdateAll && !taken.empty()) {
    text << "\n  LanceTake: columns=" << ListText(taken);
  }
  text << "\n";
  return text.str();
}

}  // namespace

Result<std::string> ExplainMergeInsert(const Snapshot& snapshot, const arrow::Schema& source,
                                       const MergeInsertOptions& options) {
  return PlanText(snapshot, source, options, std::nullopt);
}

Result<std::string> AnalyzeMergeInsert(const std::shared_ptr<const Snapshot>& snapshot,
                                       const SourceRows& source,
                                       const MergeInsertOptions& options) {
  auto start = std::chrono::steady_clock::now();
  ARROW_ASSIGN_OR_RAISE(auto merge, TryMergeInsert(snapshot, source, options));
  auto elapsed = std::chrono::steady_clock::now() - start;
  return PlanText(*snapshot, *source.schema(), options,
                  Measured{merge, elapsed, source.num_rows()});
}

}  // namespace lance
