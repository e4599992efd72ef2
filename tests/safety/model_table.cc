#include "safety/model_table.h"

#include <algorithm>
#include <set>

namespace lance::safety {
namespace {

constexpr uint64_t kOffsetBits = 32;

/// What an operation does to the rows that it saw.
struct Effect {
  std::vector<uint64_t> deleted = {};   ///< addresses, without those of moved rows
  std::vector<ModelRow> moved = {};     ///< with new values, at their old addresses
  std::vector<ModelRow> inserted = {};  ///< with values only
};

ModelRow RowOf(const SourceRow& source) {
  ModelRow row;
  row.values[kKeyColumn] = source.key;
  row.values[kValueColumn] = source.value;
  row.values[kUniqueColumn] = source.unique;
  return row;
}

ModelRow RowOf(const SourceRow& source, bool whole) {
  ModelRow row = RowOf(source);
  if (!whole) row.values[kUniqueColumn].reset();
  return row;
}

Effect AppendEffect(const Operation& operation, const Outcome& outcome) {
  Effect effect;
  for (const SourceRow& source : operation.source) {
    effect.inserted.push_back(RowOf(source));
    for (size_t column : outcome.more_columns) {
      effect.inserted.back().values[column] = source.unique;
    }
  }
  return effect;
}

bool Holds(const Condition& condition, const ModelRow& row) {
  return condition.Holds(*row.values[kKeyColumn], row.values[kValueColumn]);
}

Effect DeleteEffect(const Operation& operation, const ModelVersion& base) {
  Effect effect;
  for (const ModelRow& row : base.rows) {
    if (Holds(operation.condition, row)) effect.deleted.push_back(row.address);
  }
  return effect;
}

Effect UpdateEffect(const Operation& operation, const ModelVersion& base) {
  Effect effect;
  for (ModelRow row : base.rows) {
    if (!Holds(operation.condition, row)) continue;
    if (row.values[kValueColumn]) *row.values[kValueColumn] += operation.number;
    effect.moved.push_back(row);
  }
  return effect;
}

void TreatMatched(const Operation& operation, const SourceRow& source, ModelRow row,
                  Effect* effect) {
  if (operation.merge == MergeStyle::kInsertOnly) return;
  if (operation.merge == MergeStyle::kDeleteMatched) {
    effect->deleted.push_back(row.address);
    return;
  }
  bool greater =
      source.value && row.values[kValueColumn] && *source.value > row.values[kValueColumn];
  if (operation.merge == MergeStyle::kUpdateIfGreater && !greater) return;
  row.values[kValueColumn] = source.value;
  if (operation.whole_rows) row.values[kUniqueColumn] = source.unique;
  effect->moved.push_back(row);
}

bool Inserts(MergeStyle style) {
  return style == MergeStyle::kUpsert || style == MergeStyle::kInsertOnly ||
         style == MergeStyle::kReplaceBelow || style == MergeStyle::kUpdateIfGreater;
}

Effect MergeEffect(const Operation& operation, const ModelVersion& base) {
  Effect effect;
  std::set<int64_t> present;
  for (const ModelRow& row : base.rows) {
    int64_t key = *row.values[kKeyColumn];
    auto source = std::find_if(operation.source.begin(), operation.source.end(),
                               [&](const SourceRow& other) { return other.key == key; });
    if (source != operation.source.end()) {
      present.insert(key);
      TreatMatched(operation, *source, row, &effect);
    } else if (operation.merge == MergeStyle::kReplaceBelow && key < operation.condition.low) {
      effect.deleted.push_back(row.address);
    }
  }
  if (!Inserts(operation.merge)) return effect;
  for (const SourceRow& source : operation.source) {
    if (!present.contains(source.key)) {
      effect.inserted.push_back(RowOf(source, operation.whole_rows));
    }
  }
  return effect;
}

/// Both as the columns show them; values of columns that were dropped don't count.
bool SameRow(const ModelRow& a, const ModelRow& b, const std::vector<ModelColumn>& columns) {
  bool same_values = std::all_of(columns.begin(), columns.end(), [&](const ModelColumn& column) {
    return a.values[column.column] == b.values[column.column];
  });
  return same_values && a.id == b.id && a.created == b.created && a.updated == b.updated;
}

const ModelRow* FindRow(const ModelVersion& version, uint64_t address) {
  auto at =
      std::lower_bound(version.rows.begin(), version.rows.end(), address,
                       [](const ModelRow& row, uint64_t wanted) { return row.address < wanted; });
  return at != version.rows.end() && at->address == address ? &*at : nullptr;
}

/// Rows that the operation changes must be as it saw them.
Status CheckUntouched(const std::vector<uint64_t>& addresses, const ModelVersion& base,
                      const ModelVersion& previous) {
  for (uint64_t address : addresses) {
    const ModelRow* seen = FindRow(base, address);
    const ModelRow* now = FindRow(previous, address);
    if (now == nullptr) return IoError("changes row ", address, " that others deleted or moved");
    if (!SameRow(*seen, *now, previous.columns)) {
      return IoError("changes row ", address, " that others changed");
    }
  }
  return Status::OK();
}

uint64_t NextFragment(const ModelVersion& version) {
  return version.max_fragment ? *version.max_fragment + 1 : 0;
}

/// Puts rows into a new fragment, in the order given.
void AddFragment(std::vector<ModelRow> rows, uint64_t fragment, ModelVersion* version) {
  if (rows.empty()) return;
  uint64_t offset = 0;
  for (ModelRow& row : rows) {
    row.address = (fragment << kOffsetBits) | offset++;
    if (!version->stable_row_ids) row.id = row.address;
  }
  version->rows.insert(version->rows.end(), rows.begin(), rows.end());
  std::sort(version->rows.begin(), version->rows.end(),
            [](const ModelRow& a, const ModelRow& b) { return a.address < b.address; });
  version->max_fragment = std::max(version->max_fragment.value_or(0), fragment);
}

Result<ModelVersion> ApplyEffect(const Effect& effect, const ModelVersion& base, ModelVersion next,
                                 uint64_t version) {
  std::vector<uint64_t> gone = effect.deleted;
  for (const ModelRow& row : effect.moved) gone.push_back(row.address);
  ARROW_RETURN_NOT_OK(CheckUntouched(gone, base, next));
  std::sort(gone.begin(), gone.end());
  std::erase_if(next.rows, [&](const ModelRow& row) {
    return std::binary_search(gone.begin(), gone.end(), row.address);
  });
  std::vector<ModelRow> added = effect.moved;
  for (ModelRow row : effect.inserted) {
    row.created = version;
    row.id = next.next_row_id++;
    added.push_back(row);
  }
  for (ModelRow& row : added) row.updated = version;
  AddFragment(std::move(added), NextFragment(next), &next);
  return next;
}

void InsertFiles(const std::vector<SourceRow>& rows, uint64_t rows_per_file, uint64_t version,
                 ModelVersion* next) {
  for (size_t at = 0; at < rows.size(); at += rows_per_file) {
    std::vector<ModelRow> fragment;
    for (size_t i = at; i < std::min<size_t>(at + rows_per_file, rows.size()); ++i) {
      fragment.push_back(RowOf(rows[i]));
      fragment.back().created = fragment.back().updated = version;
      fragment.back().id = next->next_row_id++;
    }
    AddFragment(std::move(fragment), NextFragment(*next), next);
  }
}

std::vector<ModelColumn> FirstColumns() {
  return {{kKeyColumn, kKey}, {kValueColumn, kValue}, {kUniqueColumn, kUnique}};
}

Result<ModelVersion> Compact(const Outcome& outcome, const ModelVersion& base, ModelVersion next) {
  for (const auto& group : outcome.groups) {
    std::vector<ModelRow> rows;
    std::vector<uint64_t> addresses;
    for (const ModelRow& row : base.rows) {
      bool inside = std::find(group.old_ids.begin(), group.old_ids.end(),
                              row.address >> kOffsetBits) != group.old_ids.end();
      if (!inside) continue;
      rows.push_back(row);
      addresses.push_back(row.address);
    }
    ARROW_RETURN_NOT_OK(CheckUntouched(addresses, base, next));
    std::erase_if(next.rows, [&](const ModelRow& row) {
      return std::find(group.old_ids.begin(), group.old_ids.end(), row.address >> kOffsetBits) !=
             group.old_ids.end();
    });
    if (group.new_ids.size() != (rows.empty() ? 0 : 1)) {
      return IoError("compaction made ", group.new_ids.size(), " fragments of ", rows.size(),
                     " rows");
    }
    if (!rows.empty()) AddFragment(std::move(rows), group.new_ids[0], &next);
  }
  return next;
}

/// New values for all rows: nobody may have changed any since.
Result<ModelVersion> ChangeColumns(const Operation& operation, const ModelVersion& base,
                                   ModelVersion next, uint64_t version) {
  if (operation.kind == OperationKind::kAddNullColumn ||
      operation.kind == OperationKind::kAddColumn) {
    next.columns.push_back({operation.column, operation.name});
  }
  if (operation.kind == OperationKind::kAddNullColumn) return next;
  bool same = base.rows.size() == next.rows.size() &&
              std::equal(base.rows.begin(), base.rows.end(), next.rows.begin(),
                         [&](const ModelRow& a, const ModelRow& b) {
                           return a.address == b.address && SameRow(a, b, base.columns);
                         });
  if (!same) return IoError("writes a column for rows that others changed");
  for (ModelRow& row : next.rows) {
    if (operation.kind == OperationKind::kAddColumn) {
      row.values[operation.column] = operation.number + *row.values[kKeyColumn];
    }
    if (next.stable_row_ids) row.updated = version;
  }
  return next;
}

Result<ModelVersion> RenameColumn(const std::string& name, const std::string& new_name,
                                  ModelVersion next) {
  for (ModelColumn& column : next.columns) {
    if (column.name != name) continue;
    column.name = new_name;
    return next;
  }
  return IoError("renames column ", name, " that is not there");
}

/// The version as it was, but for what never goes back.
ModelVersion Restored(const ModelVersion& target, const ModelVersion& previous) {
  ModelVersion next = target;
  if (previous.max_fragment) {
    next.max_fragment = std::max(next.max_fragment.value_or(0), *previous.max_fragment);
  }
  next.next_row_id = std::max(next.next_row_id, previous.next_row_id);
  return next;
}

Status CheckCounts(const Effect& effect, const Outcome& outcome) {
  if (!outcome.counted) return Status::OK();
  if (effect.deleted.size() == outcome.deleted && effect.moved.size() == outcome.updated &&
      effect.inserted.size() == outcome.inserted) {
    return Status::OK();
  }
  return IoError("says ", outcome.deleted, " deleted, ", outcome.updated, " updated, ",
                 outcome.inserted, " inserted instead of ", effect.deleted.size(), ", ",
                 effect.moved.size(), ", ", effect.inserted.size());
}

}  // namespace

const ModelColumn* ModelVersion::Find(const std::string& name) const {
  for (const ModelColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

ModelVersion FirstModelVersion(const Program& program) {
  ModelVersion first;
  first.stable_row_ids = program.stable_row_ids;
  first.columns = FirstColumns();
  first.columns.push_back({kFurtherColumn, kFurther});
  InsertFiles(program.first_rows, program.rows_per_file, 1, &first);
  for (ModelRow& row : first.rows) row.values[kFurtherColumn] = row.values[kUniqueColumn];
  return first;
}

ModelVersion Reserve(const ModelVersion& previous, uint64_t fragments) {
  ModelVersion next = previous;
  next.max_fragment = next.max_fragment.value_or(0) + fragments;
  return next;
}

Result<ModelVersion> ApplyToModel(const Operation& operation, const Outcome& outcome,
                                  const ModelVersion& base, const ModelVersion& previous,
                                  uint64_t version) {
  switch (operation.kind) {
    case OperationKind::kAppend:
      return ApplyEffect(AppendEffect(operation, outcome), base, previous, version);
    case OperationKind::kDelete:
    case OperationKind::kTruncate: {
      Effect effect = DeleteEffect(operation, base);
      ARROW_RETURN_NOT_OK(CheckCounts(effect, outcome));
      return ApplyEffect(effect, base, previous, version);
    }
    case OperationKind::kUpdate: {
      Effect effect = UpdateEffect(operation, base);
      ARROW_RETURN_NOT_OK(CheckCounts(effect, outcome));
      return ApplyEffect(effect, base, previous, version);
    }
    case OperationKind::kMerge: {
      Effect effect = MergeEffect(operation, base);
      ARROW_RETURN_NOT_OK(CheckCounts(effect, outcome));
      return ApplyEffect(effect, base, previous, version);
    }
    case OperationKind::kAddNullColumn:
    case OperationKind::kAddColumn:
    case OperationKind::kCastColumn:
      return ChangeColumns(operation, base, previous, version);
    case OperationKind::kDropColumn: {
      ModelVersion next = previous;
      std::erase_if(next.columns,
                    [&](const ModelColumn& column) { return column.name == operation.name; });
      return next;
    }
    case OperationKind::kRenameColumn:
      return RenameColumn(operation.name, operation.new_name, previous);
    case OperationKind::kCompact:
      return Compact(outcome, base, previous);
    case OperationKind::kOverwrite: {
      ModelVersion next = previous;
      next.columns = FirstColumns();
      next.rows.clear();
      InsertFiles(operation.source, SIZE_MAX, version, &next);
      return next;
    }
    case OperationKind::kRestore:
      return Restored(base, previous);
    case OperationKind::kSetConfig: {
      ModelVersion next = previous;
      next.config[operation.name] = std::to_string(operation.number);
      return next;
    }
    case OperationKind::kTag:
    case OperationKind::kCleanUp:
      break;
  }
  return IoError("makes no version: ", operation.ToText());
}

}  // namespace lance::safety
