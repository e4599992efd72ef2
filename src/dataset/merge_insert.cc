#include "dataset/merge_insert.h"

#include <algorithm>
#include <span>
#include <utility>

#include "arrow/api.h"
#include "base/memory_budget.h"
#include "dataset/append_schema.h"
#include "dataset/commit_operation.h"
#include "dataset/field_layout.h"
#include "dataset/inserted_key_filter.h"
#include "dataset/key_index.h"
#include "dataset/match_condition.h"
#include "dataset/match_rows.h"
#include "dataset/merge_columns.h"
#include "dataset/merge_key.h"
#include "dataset/patch_columns.h"
#include "dataset/poll.h"
#include "dataset/row_rewrite.h"
#include "dataset/select_rows.h"
#include "dataset/source_row_values.h"
#include "schema/semantic_schema.h"
#include "table/fragment_bitmap.h"

namespace lance {
namespace {

/// Rows that are put together and written at once.
constexpr size_t kRowsAtOnce = 1 << 15;
constexpr int64_t kRowsIndexedAtOnce = 1 << 16;

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

/// The rows of a source, one part after the other.
class SourceCursor {
 public:
  explicit SourceCursor(const SourceRows& source) : batches_(source.batches()) { SkipEnded(); }

  bool at_end() const { return batch_ == batches_.size(); }
  /// At most `rows` of them.
  std::shared_ptr<arrow::RecordBatch> Next(int64_t rows) {
    auto part = batches_[batch_]->Slice(at_, rows);
    at_ += part->num_rows();
    SkipEnded();
    return part;
  }

 private:
  void SkipEnded() {
    while (batch_ < batches_.size() && at_ == batches_[batch_]->num_rows()) {
      ++batch_;
      at_ = 0;
    }
  }

  const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches_;
  size_t batch_ = 0;
  int64_t at_ = 0;
};

/// The numbers of the rows of a source that match no row of the table.
class UnmatchedRows {
 public:
  explicit UnmatchedRows(const std::vector<bool>& is_matched) : is_matched_(is_matched) {}

  /// At most `count` of them.
  std::vector<uint32_t> Next(size_t count) {
    std::vector<uint32_t> rows;
    for (; next_ < is_matched_.size() && rows.size() < count; ++next_) {
      if (!is_matched_[next_]) rows.push_back(static_cast<uint32_t>(next_));
    }
    return rows;
  }

 private:
  const std::vector<bool>& is_matched_;
  size_t next_ = 0;
};

class Merger {
 public:
  Merger(std::shared_ptr<const Snapshot> snapshot, const SourceRows& source,
         const MergeInsertOptions& options)
      : snapshot_(std::move(snapshot)),
        context_(snapshot_->MakeContext()),
        source_(source),
        options_(options),
        // Half of it is for the rows themselves; an index that grows takes twice its size
        // meanwhile.
        index_bytes_(options.memory_budget.value_or(DefaultMemoryBudget()) / 4) {}

  Result<UncommittedMerge> Run(RowRewrite* rewrite) {
    ARROW_RETURN_NOT_OK(FindKey());
    const bool patches = options_.write_mode == MergeWriteMode::kRewriteColumns;
    if (patches) ARROW_RETURN_NOT_OK(CheckPatchable());
    UncommittedMerge merge;
    SourceCursor cursor(source_);
    do {
      ARROW_RETURN_NOT_OK(MatchBlock(&cursor, rewrite, &merge.stats));
    } while (!cursor.at_end());
    if (patches) {
      merge.stats.updated_rows = to_patch_.size();
      ARROW_ASSIGN_OR_RAISE(merge.transaction, PatchColumns(rewrite->files()));
      return merge;
    }
    ARROW_RETURN_NOT_OK(DeleteUnmatched(rewrite, &merge.stats));
    ARROW_RETURN_NOT_OK(InsertRows(rewrite, &merge.stats));
    ARROW_ASSIGN_OR_RAISE(merge.transaction, rewrite->Finish(AllFields()));
    ARROW_RETURN_NOT_OK(AddKeyFilter(merge.stats.inserted_rows > 0, &merge.transaction));
    return merge;
  }

 private:
  const Schema& schema() const { return snapshot_->manifest().schema; }

  Status FindKey() {
    if (source_.num_rows() >= KeyIndex::kNone) {
      return Unsupported("a source of more than ", KeyIndex::kNone, " rows");
    }
    rewrite_schema_ = RewriteSchema(schema());
    ARROW_ASSIGN_OR_RAISE(key_, MergeKeyOf(schema(), options_.on));
    const bool inserts = options_.insert_not_matched && source_.num_rows() > 0;
    auto missing = inserts ? MissingFields::kNullable : MissingFields::kAny;
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

  /// Looks up as many rows of the source as can be indexed in the memory that there is.
  Status MatchBlock(SourceCursor* cursor, RowRewrite* rewrite, MergeInsertStats* stats) {
    const auto first_row = static_cast<uint32_t>(is_matched_.size());
    ARROW_ASSIGN_OR_RAISE(KeyIndex index, IndexBlock(cursor));
    ARROW_ASSIGN_OR_RAISE(RowMatches matches,
                          MatchRows(snapshot_, key_names_, index, options_.poll));
    is_matched_.insert(is_matched_.end(), matches.is_matched.begin(), matches.is_matched.end());
    for (RowMatch& pair : matches.pairs) pair.source_row += first_row;
    if (options_.delete_not_matched_by_source) {
      for (const RowMatch& pair : matches.pairs) matched_.Add(RowAddress{pair.address});
    }
    return TreatMatched(std::move(matches.pairs), rewrite, stats);
  }

  Result<KeyIndex> IndexBlock(SourceCursor* cursor) const {
    KeyIndex index;
    do {
      if (cursor->at_end()) break;
      ARROW_RETURN_NOT_OK(CallPoll(options_.poll));
      ARROW_RETURN_NOT_OK(AddKeys(*cursor->Next(kRowsIndexedAtOnce), &index));
    } while (index.memory_bytes() < index_bytes_);
    return index;
  }

  Status AddKeys(const arrow::RecordBatch& batch, KeyIndex* index) const {
    ARROW_ASSIGN_OR_RAISE(auto arranged, ArrangeBatch(mapping_, batch));
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
    return index->Add(keys);
  }

  /// Rows of the table that no row of the source matches.
  Status DeleteUnmatched(RowRewrite* rewrite, MergeInsertStats* stats) const {
    if (!options_.delete_not_matched_by_source) return Status::OK();
    rewrite->DependOnAllRows();
    ARROW_ASSIGN_OR_RAISE(auto chosen,
                          SelectRows(snapshot_, options_.delete_condition, options_.poll));
    for (const auto& [fragment, offsets] : matched_.fragments) {
      auto at = chosen->fragments.find(fragment);
      if (at != chosen->fragments.end()) at->second -= offsets;
    }
    stats->deleted_rows += chosen->size();
    for (const auto& [fragment, offsets] : chosen->fragments) {
      rewrite->deleted()->fragments[fragment] |= offsets;
    }
    return Status::OK();
  }

  Status TreatMatched(std::vector<RowMatch> pairs, RowRewrite* rewrite, MergeInsertStats* stats) {
    switch (options_.when_matched) {
      case WhenMatched::kDoNothing:
        return Status::OK();
      case WhenMatched::kFail:
        if (pairs.empty()) return Status::OK();
        return UserError("Merge insert failed: found matching row with key values: ",
                         KeyText(source_, key_columns_, pairs[0].source_row));
      case WhenMatched::kDelete:
        ARROW_RETURN_NOT_OK(CheckUnambiguous(pairs, *rewrite->deleted()));
        for (const RowMatch& pair : pairs) rewrite->Delete(RowAddress{pair.address});
        stats->deleted_rows += pairs.size();
        return Status::OK();
      case WhenMatched::kUpdateAll:
        break;
    }
    if (options_.update_condition) {
      ARROW_ASSIGN_OR_RAISE(auto condition, MatchCondition::Bind(*options_.update_condition,
                                                                 *snapshot_, *source_.schema()));
      ARROW_ASSIGN_OR_RAISE(pairs, condition.Filter(*snapshot_, source_, pairs, options_.poll));
    }
    if (options_.write_mode == MergeWriteMode::kRewriteColumns) {
      to_patch_.insert(to_patch_.end(), pairs.begin(), pairs.end());
      return Status::OK();
    }
    ARROW_RETURN_NOT_OK(CheckUnambiguous(pairs, *rewrite->deleted()));
    stats->updated_rows += pairs.size();
    return ReplaceRows(pairs, rewrite);
  }

  Status CheckPatchable() const {
    const char* reason = nullptr;
    if (options_.when_matched != WhenMatched::kUpdateAll) {
      reason = "when_matched must update rather than delete or do nothing";
    } else if (options_.insert_not_matched) {
      reason = "inserting unmatched source rows adds rows, which patching cannot do";
    } else if (options_.delete_not_matched_by_source) {
      reason = "deleting target rows unmatched by the source removes rows";
    } else if (options_.data_storage_version) {
      reason = "patched files have the version of the table";
    } else if (source_.schema()->num_fields() == static_cast<int>(key_.size())) {
      reason = "the source carries no column besides the join key";
    } else if (MissingPaths(schema(), mapping_.file_schema).empty()) {
      reason = "the source covers every dataset column, so there is nothing to skip";
    }
    if (reason == nullptr) return Status::OK();
    return UserError("RewriteColumns cannot express this merge insert: ", reason,
                     ". Use RewriteRows instead");
  }

  /// Writes the columns of the source, but for the key, of all fragments that have a row of a pair.
  Result<Transaction> PatchColumns(NewFiles* files) {
    std::sort(to_patch_.begin(), to_patch_.end(),
              [](const RowMatch& a, const RowMatch& b) { return a.position < b.position; });
    ARROW_RETURN_NOT_OK(CheckUnambiguous(to_patch_, {}));
    std::vector<int> columns;
    for (int i = 0; i < source_.schema()->num_fields(); ++i) {
      bool is_key = std::find(key_columns_.begin(), key_columns_.end(), i) != key_columns_.end();
      if (!is_key) columns.push_back(i);
    }
    ARROW_ASSIGN_OR_RAISE(auto patcher, ColumnPatcher::Make(snapshot_, &source_, columns));
    Transaction transaction = BeginTransaction(*snapshot_);
    auto* update = transaction.mutable_update();
    update->set_update_mode(table::Transaction::Update::REWRITE_COLUMNS);
    std::span<const RowMatch> pairs = to_patch_;
    while (!pairs.empty()) {
      ARROW_ASSIGN_OR_RAISE(size_t count, PatchFragment(patcher, pairs, files, update));
      pairs = pairs.subspan(count);
    }
    if (update->updated_fragments().empty()) return transaction;
    for (int32_t id : patcher.fields()) update->add_fields_modified(static_cast<uint32_t>(id));
    return transaction;
  }

  /// Of the fragment that has the row of the first pair; says how many pairs that were.
  Result<size_t> PatchFragment(const ColumnPatcher& patcher, std::span<const RowMatch> pairs,
                               NewFiles* files, table::Transaction::Update* update) const {
    ARROW_ASSIGN_OR_RAISE(auto counts, snapshot_->Counts());
    size_t index = counts->FragmentAt(pairs.front().position);
    std::vector<RowPatch> patches;
    RoaringBitmap offsets;
    for (const RowMatch& pair : pairs) {
      if (pair.position >= counts->starts[index + 1]) break;
      patches.push_back({pair.position - counts->starts[index], pair.source_row});
      offsets.add(OffsetOf(RowAddress{pair.address}));
    }
    ARROW_ASSIGN_OR_RAISE(auto fragment, patcher.Patch(index, patches, files, options_.poll));
    if (snapshot_->manifest().has_stable_row_ids()) {
      (*update->mutable_updated_fragment_offset_bitmaps())[fragment.id()] = EncodeBitmap(offsets);
    }
    *update->add_updated_fragments() = std::move(fragment);
    return patches.size();
  }

  /// `treated` are the rows that earlier rows of the source match.
  Status CheckUnambiguous(const std::vector<RowMatch>& pairs, const RowAddressSet& treated) const {
    auto twice = std::adjacent_find(
        pairs.begin(), pairs.end(),
        [](const RowMatch& a, const RowMatch& b) { return a.position == b.position; });
    if (twice == pairs.end()) {
      twice = std::find_if(pairs.begin(), pairs.end(), [&](const RowMatch& pair) {
        return treated.Contains(RowAddress{pair.address});
      });
    }
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

  Status InsertRows(RowRewrite* rewrite, MergeInsertStats* stats) const {
    if (!options_.insert_not_matched) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto values, SourceRowValues::Make(snapshot_, &source_, mapping_));
    UnmatchedRows unmatched(is_matched_);
    for (auto rows = unmatched.Next(kRowsAtOnce); !rows.empty();
         rows = unmatched.Next(kRowsAtOnce)) {
      ARROW_ASSIGN_OR_RAISE(auto batch, values.Insert(rows));
      ARROW_RETURN_NOT_OK(rewrite->Insert(batch));
      stats->inserted_rows += rows.size();
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
  Status AddKeyFilter(bool inserted, Transaction* transaction) const {
    bool only_deletes =
        options_.when_matched == WhenMatched::kDelete && !options_.insert_not_matched;
    if (only_deletes) return Status::OK();
    std::vector<const Field*> fields = PrimaryKeyOf(schema());
    if (!std::is_permutation(fields.begin(), fields.end(), key_.begin(), key_.end())) {
      if (!inserted) return Status::OK();
      fields = key_;
      std::sort(fields.begin(), fields.end(),
                [](const Field* a, const Field* b) { return a->id < b->id; });
    }
    std::vector<int> columns;
    for (const Field* field : fields) {
      auto at = std::find(key_.begin(), key_.end(), field);
      columns.push_back(key_columns_[static_cast<size_t>(at - key_.begin())]);
    }
    InsertedKeys keys;
    UnmatchedRows unmatched(is_matched_);
    while (inserted) {
      auto rows = unmatched.Next(kRowsAtOnce);
      if (rows.empty()) break;
      ARROW_ASSIGN_OR_RAISE(auto batch, source_.Take(rows, columns, context_.pool()));
      ARROW_RETURN_NOT_OK(AddKeysOf(*batch, context_.pool(), &keys));
    }
    std::vector<int32_t> ids;
    ids.reserve(fields.size());
    for (const Field* field : fields) ids.push_back(field->id);
    *transaction->mutable_update()->mutable_inserted_rows() = keys.Finish(ids);
    return Status::OK();
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  const SourceRows& source_;
  const MergeInsertOptions& options_;
  const uint64_t index_bytes_;

  std::vector<const Field*> key_;
  std::vector<std::string> key_names_;
  std::vector<int> key_columns_;              // in the source
  std::vector<size_t> arranged_key_columns_;  // in what the mapping makes of it
  AppendMapping mapping_;
  Schema rewrite_schema_;

  std::vector<bool> is_matched_;  // by row of the source, as far as it was looked up
  RowAddressSet matched_;         // of the table; only for deleting the others
  std::vector<RowMatch> to_patch_;
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
  ARROW_ASSIGN_OR_RAISE(
      *rewrite, RowRewrite::Begin(snapshot, {.data_storage_version = options.data_storage_version,
                                             .targets = options.targets,
                                             .poll = options.poll}));
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
