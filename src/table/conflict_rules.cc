#include "table/conflict_rules.h"

#include <algorithm>
#include <map>
#include <string>

#include "table/fragment_bitmap.h"
#include "table/inserted_keys.h"
#include "table/operation_footprint.h"
#include "table/system_index.h"

namespace lance {
namespace {

struct RuleInput {
  const RebaseSubject& ours;
  const Transaction& theirs;
  std::set<uint64_t>* shared_fragments;

  const Transaction& mine() const { return ours.transaction; }
};

using Rule = Result<Verdict> (*)(const RuleInput&);

template <typename Set>
bool Meet(const Set& a, const Set& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& value) { return b.contains(value); });
}

Verdict RetryIf(bool conflict) { return conflict ? Verdict::kRetry : Verdict::kCompatible; }
Verdict NeverIf(bool conflict) { return conflict ? Verdict::kIncompatible : Verdict::kCompatible; }

template <typename Ids>
std::set<int32_t> FieldSet(const Ids& ids) {
  std::set<int32_t> fields;
  for (auto id : ids) fields.insert(static_cast<int32_t>(id));
  return fields;
}

std::set<int32_t> ReplacedFields(const table::Transaction::DataReplacement& replacement) {
  std::set<int32_t> fields;
  for (const auto& group : replacement.replacements()) {
    fields.insert(group.new_file().fields().begin(), group.new_file().fields().end());
  }
  return fields;
}

std::set<int32_t> SchemaIds(const table::Transaction::Project& project) {
  std::set<int32_t> ids;
  for (const auto& field : project.schema()) ids.insert(field.id());
  return ids;
}

bool DropsOneOf(const Transaction& project, const std::set<int32_t>& fields) {
  std::set<int32_t> kept = SchemaIds(project.project());
  return std::any_of(fields.begin(), fields.end(),
                     [&](int32_t id) { return id >= 0 && !kept.contains(id); });
}

/// a: metadata of the table, the schema or a field is set by both.
Result<Verdict> BothSetMetadata(const RuleInput& in) {
  ConfigChanges mine = ConfigChangesOf(in.mine());
  ConfigChanges other = ConfigChangesOf(in.theirs);
  bool table = !mine.table_metadata.empty() && !other.table_metadata.empty() &&
               (mine.table_metadata.replace || other.table_metadata.replace ||
                KeysCollide(mine.table_metadata, other.table_metadata));
  bool schema = !mine.schema_metadata.empty() && !other.schema_metadata.empty();
  bool field =
      std::any_of(mine.field_metadata.begin(), mine.field_metadata.end(),
                  [&](const auto& entry) { return other.field_metadata.contains(entry.first); });
  return NeverIf(table || schema || field);
}

/// b: a base path is registered by both.
Result<Verdict> BothAddBase(const RuleInput& in) {
  for (const auto& a : in.mine().update_bases().new_bases()) {
    for (const auto& b : in.theirs.update_bases().new_bases()) {
      bool same_id = a.id() != 0 && a.id() == b.id();
      bool same_name = a.has_name() && b.has_name() && a.name() == b.name();
      if (same_id || same_name || a.path() == b.path()) return Verdict::kIncompatible;
    }
  }
  return Verdict::kCompatible;
}

/// c: values under an index that is being made are replaced.
Result<Verdict> ReplacesIndexedField(const RuleInput& in) {
  bool mine = in.mine().has_create_index();
  const auto& index = mine ? in.mine().create_index() : in.theirs.create_index();
  const auto& replacement = mine ? in.theirs.data_replacement() : in.mine().data_replacement();
  std::set<int32_t> replaced = ReplacedFields(replacement);
  for (const auto& entry : index.new_indices()) {
    if (Meet(FieldSet(entry.fields()), replaced)) return Verdict::kRetry;
  }
  return Verdict::kCompatible;
}

bool SameFiles(const table::DataFragment& a, const table::DataFragment& b) {
  return std::equal(
      a.files().begin(), a.files().end(), b.files().begin(), b.files().end(),
      [](const auto& x, const auto& y) { return x.SerializeAsString() == y.SerializeAsString(); });
}

/// Whether they changed more of a fragment than its deletion file.
Result<bool> FilesChanged(const RuleInput& in, uint64_t id) {
  if (in.ours.read == nullptr) return true;
  const FragmentSummary* before = in.ours.read->FindFragment(id);
  if (before == nullptr) return true;
  ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(*before));
  const auto& updated = in.theirs.has_delete_() ? in.theirs.delete_().updated_fragments()
                                                : in.theirs.update().updated_fragments();
  for (const auto& theirs : updated) {
    if (theirs.id() == id) return !SameFiles(fragment, theirs);
  }
  return true;
}

/// d: rows of the same fragment were deleted or moved by both. The deletions can be merged where
/// nothing else of the fragment has changed; whether the rows are different ones shows then.
Result<Verdict> BothDeleteRows(const RuleInput& in) {
  std::set<uint64_t> removed = RemovedFragments(in.theirs);
  std::set<uint64_t> touched = TouchedFragments(in.theirs);
  for (uint64_t id : TouchedFragments(in.mine())) {
    if (!touched.contains(id)) continue;
    if (in.ours.affected_rows == nullptr || removed.contains(id)) return Verdict::kRetry;
    ARROW_ASSIGN_OR_RAISE(bool changed, FilesChanged(in, id));
    if (changed) return Verdict::kRetry;
    in.shared_fragments->insert(id);
  }
  return Verdict::kCompatible;
}

/// e: they removed the fragment that we replace values of.
Result<Verdict> RemovedTarget(const RuleInput& in) {
  return NeverIf(Meet(UpdatedFragments(in.mine()), RemovedFragments(in.theirs)));
}

/// f: they touched a fragment that we touch.
Result<Verdict> TouchesSameFragment(const RuleInput& in) {
  return RetryIf(Meet(TouchedFragments(in.mine()), TouchedFragments(in.theirs)));
}

bool MovesRows(const table::Transaction::Update& update) {
  return update.update_mode() == table::Transaction::Update::REWRITE_ROWS &&
         update.new_fragments_size() > 0;
}

/// h: they updated the fragment, or even the fields, that we replace.
Result<Verdict> UpdatedTarget(const RuleInput& in) {
  std::set<uint64_t> targets = UpdatedFragments(in.mine());
  if (Meet(targets, RemovedFragments(in.theirs))) return Verdict::kIncompatible;
  if (!Meet(targets, UpdatedFragments(in.theirs))) return Verdict::kCompatible;
  const auto& update = in.theirs.update();
  return RetryIf(MovesRows(update) || Meet(ReplacedFields(in.mine().data_replacement()),
                                           FieldSet(update.fields_modified())));
}

std::set<std::string> NamesOf(
    const google::protobuf::RepeatedPtrField<table::IndexMetadata>& entries) {
  std::set<std::string> names;
  for (const auto& entry : entries) names.insert(entry.name());
  return names;
}

std::set<std::string> UuidsOf(
    const google::protobuf::RepeatedPtrField<table::IndexMetadata>& entries) {
  std::set<std::string> uuids;
  for (const auto& entry : entries) uuids.insert(entry.uuid().uuid());
  return uuids;
}

/// Whether `removing` takes away segments of a name that `adding` adds one to.
bool AddsToRemoved(const table::Transaction::CreateIndex& adding,
                   const table::Transaction::CreateIndex& removing) {
  std::set<std::string> removed = NamesOf(removing.removed_indices());
  for (const std::string& name : NamesOf(removing.new_indices())) removed.erase(name);
  return Meet(NamesOf(adding.new_indices()), removed);
}

/// i: the same index is made, changed or removed by both. (New entries of one name include the
/// system indexes, of which there is one each.)
Result<Verdict> SameIndex(const RuleInput& in) {
  const auto& mine = in.mine().create_index();
  const auto& other = in.theirs.create_index();
  bool replaces = mine.new_indices_size() > 0 || other.new_indices_size() > 0;
  bool same_removed =
      replaces && Meet(UuidsOf(mine.removed_indices()), UuidsOf(other.removed_indices()));
  return RetryIf(Meet(NamesOf(mine.new_indices()), NamesOf(other.new_indices())) ||
                 AddsToRemoved(mine, other) || AddsToRemoved(other, mine) || same_removed);
}

/// j: they dropped a field that we replace.
Result<Verdict> DroppedReplacedField(const RuleInput& in) {
  return NeverIf(DropsOneOf(in.theirs, ReplacedFields(in.mine().data_replacement())));
}

/// k: a key of the table config is set by both, or set by one and deleted by the other.
Result<Verdict> BothSetConfig(const RuleInput& in) {
  return NeverIf(KeysCollide(ConfigChangesOf(in.mine()).config, ConfigChangesOf(in.theirs).config));
}

/// o: two overwrites.
Result<Verdict> BothOverwrite(const RuleInput& in) {
  ARROW_ASSIGN_OR_RAISE(Verdict config, BothSetConfig(in));
  return config == Verdict::kIncompatible ? config : Verdict::kRetry;
}

/// m: the MemWAL index is being made while the schema changes.
Result<Verdict> CreatesMemWal(const RuleInput& in) {
  const auto& index =
      in.mine().has_create_index() ? in.mine().create_index() : in.theirs.create_index();
  return RetryIf(NamesOf(index.new_indices()).contains(std::string(kMemWalIndexName)));
}

/// q: an index other than the MemWAL's is made while a MemWAL makes progress. Merging their
/// progress into ours is not done here: whoever makes that index does it anew.
Result<Verdict> MemWalProgress(const RuleInput& in) {
  bool is_mem_wal =
      NamesOf(in.mine().create_index().new_indices()).contains(std::string(kMemWalIndexName));
  return is_mem_wal ? Verdict::kRetry : Verdict::kIncompatible;
}

/// g: two compactions of one fragment.
Result<Verdict> BothRewrite(const RuleInput& in) {
  return RetryIf(Meet(RemovedFragments(in.mine()), RemovedFragments(in.theirs)));
}

/// p: values under an index that is being made were updated. Compatible: the entry loses these
/// fragments when it is committed.
Result<Verdict> UpdatesUnderNewIndex(const RuleInput& /*in*/) { return Verdict::kCompatible; }

/// Whether a new index covers one of the fragments, or doesn't say what it covers.
Result<bool> CoversOneOf(const table::Transaction::CreateIndex& index,
                         const std::set<uint64_t>& fragments) {
  if (fragments.empty()) return false;
  for (const auto& entry : index.new_indices()) {
    ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
    if (!covered) return true;
    for (uint64_t id : fragments) {
      if (covered->contains(static_cast<uint32_t>(id))) return true;
    }
  }
  return false;
}

/// w, x: fragments under an index that is being made were compacted.
Result<Verdict> RewritesUnderNewIndex(const RuleInput& in) {
  bool mine = in.mine().has_create_index();
  const auto& index = mine ? in.mine().create_index() : in.theirs.create_index();
  ARROW_ASSIGN_OR_RAISE(bool covers,
                        CoversOneOf(index, RemovedFragments(mine ? in.theirs : in.mine())));
  return RetryIf(covers);
}

/// t: they dropped a field that we update.
Result<Verdict> DroppedUpdatedField(const RuleInput& in) {
  return RetryIf(DropsOneOf(in.theirs, FieldSet(in.mine().update().fields_modified())));
}

/// u: rows that we insert by key may have been inserted by them.
Result<Verdict> InsertsByKey(const RuleInput& in) {
  const auto& update = in.mine().update();
  if (!update.has_inserted_rows()) return Verdict::kCompatible;
  if (!in.theirs.has_update() || !in.theirs.update().has_inserted_rows()) return Verdict::kRetry;
  return RetryIf(MayShareKeys(update.inserted_rows(), in.theirs.update().inserted_rows()));
}

/// v: they laid values over a fragment that we update. Which rows and fields isn't looked at:
/// tables with overlays are not written by this code anyway.
Result<Verdict> OverlaysUpdated(const RuleInput& in) {
  return RetryIf(Meet(TouchedFragments(in.mine()), TouchedFragments(in.theirs)));
}

/// y: values of one field in one fragment are replaced by both.
Result<Verdict> BothReplaceValues(const RuleInput& in) {
  for (const auto& a : in.mine().data_replacement().replacements()) {
    for (const auto& b : in.theirs.data_replacement().replacements()) {
      if (a.fragment_id() == b.fragment_id() &&
          Meet(FieldSet(a.new_file().fields()), FieldSet(b.new_file().fields()))) {
        return Verdict::kRetry;
      }
    }
  }
  return Verdict::kCompatible;
}

std::map<std::string, uint64_t> Generations(const Transaction& transaction) {
  const auto& tables = transaction.has_update()
                           ? transaction.update().compacted_sstables()
                           : transaction.update_mem_wal_state().compacted_sstables();
  std::map<std::string, uint64_t> generations;
  for (const auto& sstable : tables) {
    uint64_t& generation = generations[sstable.shard_id().uuid()];
    generation = std::max(generation, sstable.generation());
  }
  return generations;
}

/// z: progress of the same MemWAL shard.
Result<Verdict> SameShard(const RuleInput& in) {
  std::map<std::string, uint64_t> other = Generations(in.theirs);
  for (const auto& [shard, generation] : Generations(in.mine())) {
    auto theirs = other.find(shard);
    if (theirs == other.end()) continue;
    return theirs->second >= generation ? Verdict::kIncompatible : Verdict::kRetry;
  }
  return Verdict::kCompatible;
}

/// n and s: decided before the matrix is asked.
Result<Verdict> AlreadyJudged(const RuleInput& /*in*/) { return Verdict::kCompatible; }

Rule RuleOf(char letter) {
  switch (letter) {
    case 'a':
      return BothSetMetadata;
    case 'b':
      return BothAddBase;
    case 'c':
      return ReplacesIndexedField;
    case 'd':
      return BothDeleteRows;
    case 'e':
      return RemovedTarget;
    case 'f':
      return TouchesSameFragment;
    case 'g':
      return BothRewrite;
    case 'h':
      return UpdatedTarget;
    case 'i':
      return SameIndex;
    case 'j':
      return DroppedReplacedField;
    case 'k':
      return BothSetConfig;
    case 'm':
      return CreatesMemWal;
    case 'n':
    case 's':
      return AlreadyJudged;
    case 'o':
      return BothOverwrite;
    case 'p':
      return UpdatesUnderNewIndex;
    case 'q':
      return MemWalProgress;
    case 't':
      return DroppedUpdatedField;
    case 'u':
      return InsertsByKey;
    case 'v':
      return OverlaysUpdated;
    case 'w':
    case 'x':
      return RewritesUnderNewIndex;
    case 'y':
      return BothReplaceValues;
    case 'z':
      return SameShard;
    default:
      return nullptr;
  }
}

/// A Merge or Project that may have tightened nullability.
bool MayTightenNullability(const Transaction& transaction) {
  if (transaction.has_merge()) return !transaction.merge().preserves_nullability();
  if (transaction.has_project()) return !transaction.project().preserves_nullability();
  return false;
}

/// Rows written without knowing of a stricter schema might hold nulls.
bool SuppliesValues(const Transaction& transaction) {
  return transaction.has_append() || transaction.has_update() ||
         transaction.has_data_replacement() || transaction.has_data_overlay();
}

bool ChangesSchemaMetadata(const Transaction& transaction) {
  if (!transaction.has_update_config()) return false;
  ConfigChanges changes = ConfigChangesOf(transaction);
  return !changes.schema_metadata.empty() ||
         std::any_of(changes.field_metadata.begin(), changes.field_metadata.end(),
                     [](const auto& entry) { return !entry.second.empty(); });
}

/// `a` and `b` either way round.
bool Either(bool (*first)(const Transaction&), bool (*second)(const Transaction&),
            const Transaction& a, const Transaction& b) {
  return (first(a) && second(b)) || (first(b) && second(a));
}

bool IsMerge(const Transaction& transaction) { return transaction.has_merge(); }
bool IsRestore(const Transaction& transaction) { return transaction.has_restore(); }

}  // namespace

Verdict JudgeBeforeMatrix(const Transaction& ours, const Transaction& theirs) {
  if (Either(IsRestore, ChangesSchemaMetadata, ours, theirs)) return Verdict::kIncompatible;
  if (ChangesSchemaMetadata(ours) && theirs.has_overwrite()) return Verdict::kIncompatible;
  if (Either(IsMerge, ChangesSchemaMetadata, ours, theirs)) return Verdict::kRetry;
  return RetryIf(Either(MayTightenNullability, SuppliesValues, ours, theirs));
}

Verdict JudgeAppendedColumns(const RebaseSubject& ours, const Transaction& theirs) {
  if (!ours.transaction.has_append() || !theirs.has_merge() || ours.before_theirs == nullptr) {
    return Verdict::kCompatible;
  }
  std::set<int32_t> after;
  for (const auto& field : theirs.merge().schema()) after.insert(field.id());
  for (const auto& fragment : ours.transaction.append().fragments()) {
    for (const auto& file : fragment.files()) {
      for (int32_t id : file.fields()) {
        bool was_there = ours.before_theirs->schema.FindById(id) != nullptr;
        if (was_there != after.contains(id)) return Verdict::kRetry;
      }
    }
  }
  return Verdict::kCompatible;
}

Verdict JudgeAddedRows(const RebaseSubject& ours, const Transaction& theirs) {
  bool adds_rows = theirs.append().fragments_size() > 0 || theirs.update().new_fragments_size() > 0;
  return RetryIf(ours.depends_on_all_rows && adds_rows);
}

Result<Verdict> JudgeCell(std::string_view cell, const RebaseSubject& ours,
                          const Transaction& theirs, std::set<uint64_t>* shared_fragments) {
  RuleInput input{ours, theirs, shared_fragments};
  for (char letter : cell) {
    if (letter == '.' || letter == '+' || letter == ',') continue;
    if (letter == 'R') return Verdict::kRetry;
    Rule rule = RuleOf(letter);
    if (letter == 'X' || rule == nullptr) return Verdict::kIncompatible;
    ARROW_ASSIGN_OR_RAISE(Verdict verdict, rule(input));
    if (verdict != Verdict::kCompatible) return verdict;
  }
  return Verdict::kCompatible;
}

}  // namespace lance
