#include "dataset/compaction_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "table/fragment_bitmap.h"
#include "table/index_section.h"
#include "table/system_index.h"

namespace lance {
namespace {

enum class Candidacy : uint8_t { kNone, kWithNeighbours, kAlone };

struct Candidate {
  size_t index = 0;
  Candidacy candidacy = Candidacy::kNone;
  uint64_t live_rows = 0;
};
using Bin = std::vector<Candidate>;

/// The indexes over each fragment, and what stands against rewriting it.
class IndexCoverage {
 public:
  static Result<IndexCoverage> Read(const Snapshot& snapshot) {
    IndexCoverage coverage;
    ARROW_ASSIGN_OR_RAISE(auto section, snapshot.file()->ReadIndexSection(snapshot.MakeContext(),
                                                                          *snapshot.table().store));
    lance::IndexSection indexes(section);
    ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, indexes.Edit());
    bool stable_row_ids = snapshot.manifest().has_stable_row_ids();
    for (const auto& entry : *entries) {
      if (entry.name() == kFragmentReuseIndexName) coverage.has_reuse_index_ = true;
      if (IsSystemIndex(entry.name())) continue;
      ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
      // With stable row ids, an index of addresses just stops to cover what is rewritten.
      const bool may_lose_rows = covered && (stable_row_ids || HoldsZones(entry));
      const bool forbids = HoldsRowAddresses(entry, stable_row_ids) && !may_lose_rows;
      coverage.entries_.push_back({entry.name(), std::move(covered), forbids});
    }
    return coverage;
  }

  /// Equal for fragments that may be rewritten into one.
  std::vector<bool> SetOf(uint64_t fragment) const {
    std::vector<bool> set;
    for (const Entry& entry : entries_) set.push_back(Covers(entry, fragment));
    return set;
  }

  /// Refuses when an index over the fragment holds addresses, which would have to be rewritten.
  Status CheckRewritable(uint64_t fragment) const {
    for (const Entry& entry : entries_) {
      if (!entry.forbids_rewrites || !Covers(entry, fragment)) continue;
      return Unsupported("compacting fragments under index '", entry.name,
                         "', whose row addresses would have to be rewritten; drop the index first");
    }
    if (has_reuse_index_) {
      return Unsupported(
          "compacting a table with a fragment reuse index; drop its indexes first, and '",
          kFragmentReuseIndexName, "' last");
    }
    return Status::OK();
  }

 private:
  struct Entry {
    std::string name;
    /// Nothing: unknown, taken for all.
    std::optional<RoaringBitmap> covered;
    /// Its row addresses would have to be rewritten, too.
    bool forbids_rewrites;
  };
  static bool Covers(const Entry& entry, uint64_t fragment) {
    return !entry.covered || entry.covered->contains(static_cast<uint32_t>(fragment));
  }

  std::vector<Entry> entries_;
  bool has_reuse_index_ = false;
};

/// Whether a file is kept only for its row lineage.
Result<bool> HasDeadLineageFile(const FragmentSummary& summary, const Schema& schema) {
  if (!summary.has_spilled_lineage) return false;
  ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
  for (const auto& file : fragment.files()) {
    bool has_user_fields = false;
    bool has_live_field = false;
    for (int32_t id : file.fields()) {
      has_user_fields = has_user_fields || id >= 0 || id == kTombstoneFieldId;
      has_live_field = has_live_field || (id >= 0 && schema.FindById(id) != nullptr);
    }
    if (has_user_fields && !has_live_field) return true;
  }
  return false;
}

class Planner {
 public:
  Planner(const Snapshot& snapshot, const CompactionOptions& options, IndexCoverage coverage)
      : snapshot_(snapshot), options_(options), coverage_(std::move(coverage)) {}

  Result<CompactionPlan> Run() {
    ARROW_ASSIGN_OR_RAISE(counts_, snapshot_.Counts());
    ARROW_RETURN_NOT_OK(FillBins());
    CompactionPlan plan;
    plan.read_version = snapshot_.manifest().version();
    for (const Bin& bin : bins_) {
      for (const Bin& part : Split(bin)) AddTask(part, &plan);
    }
    ARROW_RETURN_NOT_OK(CheckTasks(plan));
    return plan;
  }

 private:
  Result<Candidate> Judge(size_t index) const {
    const FragmentSummary& fragment = snapshot_.fragments()[index];
    Candidate candidate{index, Candidacy::kNone, counts_->of_fragment(index)};
    const auto& excluded = options_.excluded_fragment_ids;
    if (std::find(excluded.begin(), excluded.end(), fragment.id) != excluded.end()) {
      return candidate;
    }
    uint64_t deleted = fragment.physical_rows - candidate.live_rows;
    bool many_deleted =
        options_.materialize_deletions &&
        static_cast<double>(deleted) >
            options_.materialize_deletions_threshold * static_cast<double>(fragment.physical_rows);
    ARROW_ASSIGN_OR_RAISE(bool dead_file,
                          HasDeadLineageFile(fragment, snapshot_.manifest().schema));
    if (many_deleted || dead_file) {
      candidate.candidacy = Candidacy::kAlone;
    } else if (fragment.physical_rows < options_.target_rows_per_fragment) {
      candidate.candidacy = Candidacy::kWithNeighbours;
    }
    return candidate;
  }

  Status FillBins() {
    Bin bin;
    std::vector<bool> indexes;
    for (size_t i = 0; i < snapshot_.fragments().size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(Candidate candidate, Judge(i));
      std::vector<bool> its_indexes = coverage_.SetOf(snapshot_.fragments()[i].id);
      bool ends = candidate.candidacy == Candidacy::kNone || its_indexes != indexes;
      if (ends) EndBin(&bin);
      indexes = std::move(its_indexes);
      if (candidate.candidacy != Candidacy::kNone) bin.push_back(candidate);
    }
    EndBin(&bin);
    return Status::OK();
  }

  void EndBin(Bin* bin) {
    bool useless =
        bin->empty() || (bin->size() == 1 && bin->front().candidacy == Candidacy::kWithNeighbours);
    if (!useless) bins_.push_back(std::move(*bin));
    bin->clear();
  }

  /// Parts that fill a fragment each, where what is left does too.
  std::vector<Bin> Split(const Bin& bin) const {
    uint64_t left = 0;
    for (const Candidate& candidate : bin) left += candidate.live_rows;
    std::vector<Bin> parts(1);
    uint64_t rows = 0;
    for (const Candidate& candidate : bin) {
      parts.back().push_back(candidate);
      rows += candidate.live_rows;
      left -= candidate.live_rows;
      if (rows >= options_.target_rows_per_fragment && left >= options_.target_rows_per_fragment) {
        parts.emplace_back();
        rows = 0;
      }
    }
    return parts;
  }

  void AddTask(const Bin& bin, CompactionPlan* plan) {
    CompactionTask task;
    for (const Candidate& candidate : bin) {
      const FragmentSummary& fragment = snapshot_.fragments()[candidate.index];
      task.fragment_ids.push_back(fragment.id);
      source_rows_ += candidate.live_rows;
      source_bytes_ += fragment.data_bytes;
    }
    source_fragments_ += bin.size();
    auto within = [](const std::optional<uint64_t>& limit, uint64_t value) {
      return !limit || value <= *limit;
    };
    over_budget_ = over_budget_ || !within(options_.max_source_fragments, source_fragments_) ||
                   !within(options_.max_source_rows, source_rows_) ||
                   !within(options_.max_source_bytes, source_bytes_);
    if (!over_budget_) plan->tasks.push_back(std::move(task));
  }

  Status CheckTasks(const CompactionPlan& plan) const {
    for (const CompactionTask& task : plan.tasks) {
      for (uint64_t id : task.fragment_ids) ARROW_RETURN_NOT_OK(coverage_.CheckRewritable(id));
    }
    return Status::OK();
  }

  const Snapshot& snapshot_;
  const CompactionOptions& options_;
  IndexCoverage coverage_;
  std::shared_ptr<const RowCounts> counts_;
  std::vector<Bin> bins_;
  uint64_t source_fragments_ = 0;
  uint64_t source_rows_ = 0;
  uint64_t source_bytes_ = 0;
  bool over_budget_ = false;
};

}  // namespace

Result<CompactionPlan> PlanCompaction(const Snapshot& snapshot, const CompactionOptions& options) {
  if (options.target_rows_per_fragment == 0) {
    return UserError("target_rows_per_fragment must be at least 1, got 0");
  }
  ARROW_ASSIGN_OR_RAISE(auto coverage, IndexCoverage::Read(snapshot));
  return Planner(snapshot, options, std::move(coverage)).Run();
}

}  // namespace lance
