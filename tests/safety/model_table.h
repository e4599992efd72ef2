#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "safety/operation.h"

namespace lance::safety {

constexpr size_t kMaxModelColumns = 20;
constexpr size_t kKeyColumn = 0;
constexpr size_t kValueColumn = 1;
constexpr size_t kUniqueColumn = 2;
/// That the first version has besides, with the unique numbers too.
constexpr size_t kFurtherColumn = 3;

/// A row as a plain value: what the table must have at some version.
struct ModelRow {
  std::array<std::optional<int64_t>, kMaxModelColumns> values = {};
  uint64_t address = 0;
  uint64_t id = 0;
  uint64_t created = 0;
  uint64_t updated = 0;

  bool operator==(const ModelRow&) const = default;
};

struct ModelColumn {
  size_t column = 0;  ///< into ModelRow::values
  std::string name;

  bool operator==(const ModelColumn&) const = default;
};

/// One version of a table, without files, transactions or anything clever.
struct ModelVersion {
  bool stable_row_ids = false;
  std::vector<ModelColumn> columns = {};
  std::vector<ModelRow> rows = {};  ///< by address
  std::map<std::string, std::string> config = {};
  std::optional<uint64_t> max_fragment = {};
  uint64_t next_row_id = 0;

  const ModelColumn* Find(const std::string& name) const;
};

/// How an operation went.
struct Outcome {
  Status status = Status::OK();
  /// The version that it was computed from, in the end.
  uint64_t base = 0;
  /// The version that it made; 0: none.
  uint64_t version = 0;
  /// Rows that it says to have deleted, updated and inserted; whether that is to be compared.
  bool counted = true;
  uint64_t deleted = 0;
  uint64_t updated = 0;
  uint64_t inserted = 0;
  /// Of an Append: columns besides the first three that its rows had, and which these were.
  std::vector<std::string> more_names = {};
  std::vector<size_t> more_columns = {};
  /// Of a compaction: fragments that became one, and its id, if it has rows.
  struct Group {
    std::vector<uint64_t> old_ids;
    std::vector<uint64_t> new_ids;
  };
  std::vector<Group> groups = {};
};

/// What the operation makes of `previous`, given that it was computed from `base`: an error says
/// what it should have noticed.
Result<ModelVersion> ApplyToModel(const Operation& operation, const Outcome& outcome,
                                  const ModelVersion& base, const ModelVersion& previous,
                                  uint64_t version);
/// The first version.
ModelVersion FirstModelVersion(const Program& program);
/// A version that only raised the largest fragment id.
ModelVersion Reserve(const ModelVersion& previous, uint64_t fragments);

}  // namespace lance::safety
