#include "safety/operation.h"

#include <array>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

namespace lance::safety {
namespace {

constexpr std::array<std::string_view, 16> kKindNames = {
    "append",   "delete", "update", "merge",   "add null column", "add column",
    "drop",     "rename", "cast",   "compact", "overwrite",       "restore",
    "truncate", "config", "tag",    "clean up"};
constexpr std::array<std::string_view, 6> kStyleNames = {
    "upsert", "insert only", "update only", "update if greater", "delete matched", "replace below"};
constexpr int64_t kKeys = 8;
constexpr int64_t kValues = 5;
constexpr uint64_t kNames = 3;
constexpr size_t kFirstAddedColumn = 4;

/// How often each kind occurs, in the order of OperationKind; each program has one of these moods.
using Weights = std::array<uint64_t, 16>;
constexpr std::array<Weights, 4> kMoods = {{
    {12, 14, 14, 20, 3, 3, 3, 2, 2, 8, 3, 4, 2, 4, 2, 0},  // of everything
    {4, 16, 16, 30, 0, 0, 0, 0, 0, 10, 0, 2, 2, 0, 0, 0},  // rows
    {20, 4, 6, 8, 8, 8, 14, 10, 10, 4, 2, 4, 2, 2, 0, 0},  // columns
    {14, 8, 8, 10, 2, 2, 2, 0, 2, 10, 4, 14, 2, 0, 8, 14}  // upkeep
}};
constexpr uint64_t kUpkeep = 3;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Program Run() {
    Program program;
    program.stable_row_ids = Below(2) == 0;
    program.primary_key = Below(2) == 0;
    uint64_t mood = Below(kMoods.size());
    program.cleans_up = mood == kUpkeep;
    program.rows_per_file = 1 + Below(4);
    for (uint64_t i = Below(7); i > 0; --i) program.first_rows.push_back(Row());
    program.writers.resize(2 + Below(3));
    for (auto& writer : program.writers) {
      for (uint64_t i = 1 + Below(3); i > 0; --i) {
        writer.push_back(Step(kMoods[mood]));
      }
    }
    return program;
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  int64_t Key() { return static_cast<int64_t>(Below(kKeys)); }
  std::string Name() { return "x" + std::to_string(Below(kNames)); }

  SourceRow Row() {
    SourceRow row{Key(), static_cast<int64_t>(Below(kValues)), next_unique_++};
    if (Below(6) == 0) row.value = std::nullopt;
    return row;
  }

  /// Rows of different keys.
  std::vector<SourceRow> Rows() {
    std::vector<SourceRow> rows;
    uint64_t keys = Below(1 << kKeys) & Below(1 << kKeys);
    for (int64_t key = 0; key < kKeys; ++key) {
      if ((keys >> key & 1) == 0) continue;
      rows.push_back(Row());
      rows.back().key = key;
    }
    return rows;
  }

  Condition Where() {
    Condition condition;
    condition.kind = static_cast<Condition::Kind>(Below(5));
    condition.low = Key();
    condition.high = condition.low + 1 + static_cast<int64_t>(Below(4));
    return condition;
  }

  OperationKind Kind(const Weights& weights) {
    uint64_t at = Below(std::accumulate(weights.begin(), weights.end(), uint64_t{0}));
    size_t kind = 0;
    while (at >= weights[kind]) at -= weights[kind++];
    return static_cast<OperationKind>(kind);
  }

  Operation Step(const Weights& weights) {
    Operation step;
    step.kind = Kind(weights);
    step.refresh = Below(2) == 0;
    step.condition = step.kind == OperationKind::kTruncate ? Condition() : Where();
    step.merge = static_cast<MergeStyle>(Below(kStyleNames.size()));
    step.source = Rows();
    step.whole_rows = Below(3) != 0;
    step.number = static_cast<int64_t>(Below(1000));
    step.column = next_column_++;
    step.name = Name();
    step.new_name = Name();
    return step;
  }

  std::mt19937_64 random_;
  int64_t next_unique_ = 1000;
  size_t next_column_ = kFirstAddedColumn;
};

std::string TextOf(const std::vector<SourceRow>& rows) {
  std::string text = "[";
  for (const SourceRow& row : rows) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(row.key) + ":" +
            (row.value ? std::to_string(*row.value) : "null") + "#" + std::to_string(row.unique);
  }
  return text + "]";
}

}  // namespace

std::string Condition::Sql() const {
  switch (kind) {
    case Kind::kEvery:
      return "true";
    case Kind::kKeyIs:
      return "k = " + std::to_string(low);
    case Kind::kKeyBelow:
      return "k < " + std::to_string(low);
    case Kind::kKeyBetween:
      return "k >= " + std::to_string(low) + " AND k < " + std::to_string(high);
    case Kind::kValueIsNull:
      return "v IS NULL";
  }
  return {};
}

bool Condition::Holds(int64_t key, const std::optional<int64_t>& value) const {
  switch (kind) {
    case Kind::kEvery:
      return true;
    case Kind::kKeyIs:
      return key == low;
    case Kind::kKeyBelow:
      return key < low;
    case Kind::kKeyBetween:
      return key >= low && key < high;
    case Kind::kValueIsNull:
      return !value.has_value();
  }
  return false;
}

std::string Operation::ToText() const {
  std::string text(kKindNames[static_cast<size_t>(kind)]);
  switch (kind) {
    case OperationKind::kUpdate:
      text += " v += " + std::to_string(number);
      [[fallthrough]];
    case OperationKind::kDelete:
      text += " where " + condition.Sql();
      break;
    case OperationKind::kMerge:
      text += " " + std::string(kStyleNames[static_cast<size_t>(merge)]) + " " + TextOf(source);
      if (merge == MergeStyle::kReplaceBelow) text += " below " + std::to_string(condition.low);
      if (!whole_rows) text += " without u";
      break;
    case OperationKind::kAppend:
    case OperationKind::kOverwrite:
      text += " " + TextOf(source);
      break;
    case OperationKind::kRenameColumn:
      text += " " + name + " to " + new_name;
      break;
    default:
      text += " " + name + " " + std::to_string(number);
  }
  return text + (refresh ? "" : " (stale)");
}

std::string Program::ToText() const {
  std::string text = std::string(stable_row_ids ? "stable row ids" : "row addresses") +
                     (primary_key ? ", primary key" : "") + ", files of " +
                     std::to_string(rows_per_file) + ": " + TextOf(first_rows) + "\n";
  for (size_t i = 0; i < writers.size(); ++i) {
    for (const Operation& step : writers[i]) {
      text += "  writer " + std::to_string(i) + ": " + step.ToText() + "\n";
    }
  }
  return text;
}

Program MakeProgram(uint64_t seed) { return Generator(seed).Run(); }

}  // namespace lance::safety
