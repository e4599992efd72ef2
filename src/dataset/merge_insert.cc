#include "dataset/merge_insert.h"

#include <algorithm>
#include <span>
#include <utility>

#include "arrow/api.h"
#include "dataset/append_schema.h"
#include "dataset/field_layout.h"
#include "dataset/inserted_key_filter.h"
#include "dataset/key_index.h"
#include "dataset/match_condition.h"
#include "dataset/match_rows.h"
#include "dataset/merge_columns.h"
#include "dataset/merge_key.h"
#include "dataset/row_rewrite.h"
#include "dataset/select_rows.h"
#include "dataset/source_row_values.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

/// Rows that are put together and written at once.
constexpr size_t kRowsAtOnce = 1 << 15;

/// `k = 2, name = "x"`
std::string KeyText(const SourceRows& source, const std::vector<int>& columns, uint32_t row) {
  std::string text;
  auto taken = source.Take(std::span(&row, 1), columns, arrow::default_memory_pool());
  if (!taken.ok()) return "?";
  for (int i = 0; i < (*taken)->num_columns(); ++i) {
    auto value = (*taken)->column(i)->GetScalar(0);
    text += (i > 0 ? ", " : "") + (*taken)->schema()->field(i)->name() + " = " +
            (value.ok() ? (*value)->ToString() : "?");
  }
  return text;
}

class Merger {
 public:
  Merger(std::shared_ptr<const Snapshot> snapshot, const SourceRows& source,
         const MergeInsertOptions& options)
      : snapshot_(std::move(snapshot)),
        context_(snapshot_->MakeContext()),
        source_(source),
        options_(options) {}

  Result<UncommittedMerge> Run(RowRewrite* rewrite) {
    ARROW_RETURN_NOT_OK(FindKey());
    ARROW_ASSIGN_OR_RAISE(KeyIndex index, IndexSource());
    ARROW_ASSIGN_OR_RAISE(RowMatches matches, MatchRows(snapshot_, key_names_, index));
    UncommittedMerge merge;
    ARROW_RETURN_NOT_OK(DeleteUnmatched(matches.pairs, rewrite, &merge.stats));
    ARROW_RETURN_NOT_OK(TreatMatched(std::move(matches.pairs), rewrite, &merge.stats));
    std::vector<uint32_t> inserted;
    if (options_.insert_not_matched) inserted = Unmatched(matches.is_matched);
    merge.stats.inserted_rows = inserted.size();
    ARROW_RETURN_NOT_OK(InsertRows(inserted, rewrite));
    ARROW_ASSIGN_OR_RAISE(merge.transaction, rewrite->Finish(AllFields()));
    ARROW_RETURN_NOT_OK(AddKeyFilter(inserted, &merge.transaction));
    return merge;
  }

 private:
  const Schema& schema() const { return snapshot_->manifest().schema; }

  Status FindKey() {
    rewrite_schema_ = RewriteSchema(schema());
    ARROW_ASSIGN_OR_RAISE(key_, MergeKeyOf(schema(), options_.on));
    auto missing = options_.insert_not_matched ? MissingFields::kNullable : MissingFields::kAny;
    ARROW_ASSIGN_OR_RAISE(mapping_, MatchForAppend(schema(), *source_.schema(), missing));
    for (const Field* field : key_) {
      int column = source_.schema()->GetFieldIndex(field->name);
      if (column < 0) return UserError("the source has no key column '", field->name, "'");
      key_names_.push_back(field->name);
      key_columns_.push_back(column);
      const auto& given = mapping_.file_schema.fields;
      auto at = std::find_if(given.begin(), given.end(),
                             [&](const Field& other) { return other.id == field->id; });
      if (!SameTree(*field, *at)) {
        return UserError("the source lacks members of the key column '", field->name, "'");
      }
      arranged_key_columns_.push_back(static_cast<size_t>(at - given.begin()));
    }
    return Status::OK();
  }

  Result<KeyIndex> IndexSource() const {
    KeyIndex index;
    for (const auto& batch : source_.batches()) {
      ARROW_ASSIGN_OR_RAISE(auto arranged, ArrangeBatch(mapping_, *batch));
      arrow::ArrayVector columns;
      for (size_t i = 0; i < key_.size(); ++i) {
        // What it is compared with is read in this layout, JSON as JSONB.
        const Field& key = *rewrite_schema_.FindById(key_[i]->id);
        ARROW_ASSIGN_OR_RAISE(
            columns.emplace_back(),
            ToFieldLayout(key, arranged->column(static_cast<int>(arranged_key_columns_[i])),
                          context_.pool()));
      }
      ARROW_ASSIGN_OR_RAISE(RowKeys keys, RowKeys::Of(columns, context_.pool()));
      ARROW_RETURN_NOT_OK(index.Add(keys));
    }
    return index;
  }

  /// Rows of the table that no row of the source matches.
  Status DeleteUnmatched(const std::vector<RowMatch>& pairs, RowRewrite* rewrite,
                         MergeInsertStats* stats) const {
    if (!options_.delete_not_matched_by_source) return Status::OK();
    rewrite->DependOnAllRows();
    RowAddressSet matched;
    for (const RowMatch& pair : pairs) matched.Add(RowAddress{pair.address});
    ARROW_ASSIGN_OR_RAISE(auto chosen, SelectRows(snapshot_, options_.delete_condition));
    for (const auto& [fragment, offsets] : matched.fragments) {
      auto at = chosen->fragments.find(fragment);
      if (at != chosen->fragments.end()) at->second -= offsets;
    }
    stats->deleted_rows += chosen->size();
    *rewrite->deleted() = std::move(*chosen);
    return Status::OK();
  }

  Status TreatMatched(std::vector<RowMatch> pairs, RowRewrite* rewrite,
                      MergeInsertStats* stats) const {
    switch (options_.when_matched) {
      case WhenMatched::kDoNothing:
        return Status::OK();
      case WhenMatched::kFail:
        if (pairs.empty()) return Status::OK();
        return UserError("Merge insert failed: found matching row with key values: ",
                         KeyText(source_, key_columns_, pairs[0].source_row));
      case WhenMatched::kDelete:
        ARROW_RETURN_NOT_OK(CheckUnambiguous(pairs));
        for (const RowMatch& pair : pairs) rewrite->Delete(RowAddress{pair.address});
        stats->deleted_rows += pairs.size();
        return Status::OK();
      case WhenMatched::kUpdateAll:
        break;
    }
    if (options_.update_condition) {
      ARROW_ASSIGN_OR_RAISE(auto condition, MatchCondition::Bind(*options_.update_condition,
                                                                 *snapshot_, *source_.schema()));
      ARROW_ASSIGN_OR_RAISE(pairs, condition.Filter(*snapshot_, source_, pairs));
    }
    ARROW_RETURN_NOT_OK(CheckUnambiguous(pairs));
    stats->updated_rows = pairs.size();
    return ReplaceRows(pairs, rewrite);
  }

  Status CheckUnambiguous(const std::vector<RowMatch>& pairs) const {
    auto twice = std::adjacent_find(
        pairs.begin(), pairs.end(),
        [](const RowMatch& a, const RowMatch& b) { return a.position == b.position; });
    if (twice == pairs.end()) return Status::OK();
    return UserError(
        "Ambiguous merge inserts are prohibited: multiple source rows match the same target row "
        "on (",
        KeyText(source_, key_columns_, twice->source_row),
        "). Please ensure each target row is matched by at most one source row.");
  }

  Status ReplaceRows(const std::vector<RowMatch>& pairs, RowRewrite* rewrite) const {
    ARROW_ASSIGN_OR_RAISE(auto values, SourceRowValues::Make(snapshot_, &source_, mapping_));
    for (size_t at = 0; at < pairs.size(); at += kRowsAtOnce) {
      std::vector<uint64_t> positions;
      std::vector<uint32_t> source_rows;
      for (size_t i = at; i < std::min(at + kRowsAtOnce, pairs.size()); ++i) {
        positions.push_back(pairs[i].position);
        source_rows.push_back(pairs[i].source_row);
        rewrite->Delete(RowAddress{pairs[i].address});
      }
      ARROW_ASSIGN_OR_RAISE(auto rows, values.Replace(positions, source_rows));
      ARROW_RETURN_NOT_OK(rewrite->Move(rows.batch, rows.ids));
    }
    return Status::OK();
  }

  static std::vector<uint32_t> Unmatched(const std::vector<bool>& is_matched) {
    std::vector<uint32_t> rows;
    for (size_t row = 0; row < is_matched.size(); ++row) {
      if (!is_matched[row]) rows.push_back(static_cast<uint32_t>(row));
    }
    return rows;
  }

  Status InsertRows(std::span<const uint32_t> source_rows, RowRewrite* rewrite) const {
    ARROW_ASSIGN_OR_RAISE(auto values, SourceRowValues::Make(snapshot_, &source_, mapping_));
    while (!source_rows.empty()) {
      auto some = source_rows.first(std::min(kRowsAtOnce, source_rows.size()));
      ARROW_ASSIGN_OR_RAISE(auto batch, values.Insert(some));
      ARROW_RETURN_NOT_OK(rewrite->Insert(batch));
      source_rows = source_rows.subspan(some.size());
    }
    return Status::OK();
  }

  std::vector<int32_t> AllFields() const {
    std::vector<int32_t> ids;
    for (const Field* field : schema().PreOrder()) ids.push_back(field->id);
    return ids;
  }

  /// Writers that insert rows of the same key at the same time must notice each other. The primary
  /// key has a filter even where nothing is inserted, as other writers do it; nothing but deletions
  /// has no need of one.
  Status AddKeyFilter(std::span<const uint32_t> inserted, Transaction* transaction) const {
    bool only_deletes =
        options_.when_matched == WhenMatched::kDelete && !options_.insert_not_matched;
    if (only_deletes) return Status::OK();
    std::vector<const Field*> fields = PrimaryKeyOf(schema());
    if (!std::is_permutation(fields.begin(), fields.end(), key_.begin(), key_.end())) {
      if (inserted.empty()) return Status::OK();
      fields = key_;
      std::sort(fields.begin(), fields.end(),
                [](const Field* a, const Field* b) { return a->id < b->id; });
    }
    std::vector<int> columns;
    for (const Field* field : fields) {
      auto at = std::find(key_.begin(), key_.end(), field);
      columns.push_back(key_columns_[static_cast<size_t>(at - key_.begin())]);
    }
    return FilterOfInsertedKeys(source_, columns, fields, inserted, context_.pool())
        .Value(transaction->mutable_update()->mutable_inserted_rows());
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  const SourceRows& source_;
  const MergeInsertOptions& options_;

  std::vector<const Field*> key_;
  std::vector<std::string> key_names_;
  std::vector<int> key_columns_;              // in the source
  std::vector<size_t> arranged_key_columns_;  // in what the mapping makes of it
  AppendMapping mapping_;
  Schema rewrite_schema_;
};

Status CheckOptions(const MergeInsertOptions& options) {
  bool does_something = options.when_matched != WhenMatched::kDoNothing ||
                        options.insert_not_matched || options.delete_not_matched_by_source;
  if (does_something) return Status::OK();
  return UserError("The merge insert job is not configured to change the data in any way");
}

Result<UncommittedMerge> MergeOnce(const std::shared_ptr<const Snapshot>& snapshot,
                                   const SourceRows& source, const MergeInsertOptions& options,
                                   std::unique_ptr<RowRewrite>* rewrite) {
  ARROW_RETURN_NOT_OK(CheckOptions(options));
  ARROW_ASSIGN_OR_RAISE(*rewrite, RowRewrite::Begin(snapshot, options.data_storage_version));
  return Merger(snapshot, source, options).Run(rewrite->get());
}

}  // namespace

Result<MergedRows> MergeInsertRows(const std::shared_ptr<const Snapshot>& snapshot,
                                   const SourceRows& source, const MergeInsertOptions& options) {
  std::unique_ptr<RowRewrite> rewrite;
  ARROW_ASSIGN_OR_RAISE(auto merge, MergeOnce(snapshot, source, options, &rewrite));
  ARROW_ASSIGN_OR_RAISE(auto committed, rewrite->Commit(std::move(merge.transaction)));
  return MergedRows{std::move(committed), merge.stats};
}

Result<UncommittedMerge> MergeInsertUncommitted(const std::shared_ptr<const Snapshot>& snapshot,
                                                const SourceRows& source,
                                                const MergeInsertOptions& options) {
  std::unique_ptr<RowRewrite> rewrite;
  ARROW_ASSIGN_OR_RAISE(auto merge, MergeOnce(snapshot, source, options, &rewrite));
  rewrite->Keep();
  return merge;
}

Result<UncommittedMerge> TryMergeInsert(const std::shared_ptr<const Snapshot>& snapshot,
                                        const SourceRows& source,
                                        const MergeInsertOptions& options) {
  std::unique_ptr<RowRewrite> rewrite;
  return MergeOnce(snapshot, source, options, &rewrite);
}

}  // namespace lance
