#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lance::safety {

/// What the tables of these tests hold: a key, a value, and a number that no other inserted row
/// has. Programs add and remove further columns.
constexpr char kKey[] = "k";
constexpr char kValue[] = "v";
constexpr char kUnique[] = "u";
/// A column that programs may drop, rename and cast.
constexpr char kFurther[] = "x0";

enum class OperationKind : uint8_t {
  kAppend,
  kDelete,
  kUpdate,
  kMerge,
  kAddNullColumn,
  kAddColumn,
  kDropColumn,
  kRenameColumn,
  kCastColumn,
  kCompact,
  kOverwrite,
  kRestore,
  kTruncate,
  kSetConfig,
  kTag,
  kCleanUp,
};

/// Which rows a Delete or an Update is about.
struct Condition {
  enum class Kind : uint8_t { kEvery, kKeyIs, kKeyBelow, kKeyBetween, kValueIsNull };
  Kind kind = Kind::kEvery;
  int64_t low = 0;
  int64_t high = 0;

  std::string Sql() const;
  bool Holds(int64_t key, const std::optional<int64_t>& value) const;
};

enum class MergeStyle : uint8_t {
  kUpsert,
  kInsertOnly,
  kUpdateOnly,
  kUpdateIfGreater,
  kDeleteMatched,
  kReplaceBelow,  ///< an upsert that deletes rows below a key that the source lacks
};

/// A row that an Append, an Overwrite or a merge brings.
struct SourceRow {
  int64_t key = 0;
  std::optional<int64_t> value = {};
  int64_t unique = 0;
};

/// One step of a writer.
struct Operation {
  OperationKind kind = OperationKind::kAppend;
  /// Starts from the newest version, instead of the one that the writer saw last.
  bool refresh = true;
  Condition condition = {};
  MergeStyle merge = MergeStyle::kUpsert;
  std::vector<SourceRow> source = {};
  /// Whether the source has columns besides the key and the value.
  bool whole_rows = true;
  /// What an Update adds, an added column starts with, a config key is set to; chooses the version
  /// to restore.
  int64_t number = 0;
  /// Identity of an added column.
  size_t column = 0;
  std::string name = {};
  std::string new_name = {};

  std::string ToText() const;
};

/// The steps of each writer, and the table that they start from.
struct Program {
  bool stable_row_ids = false;
  bool primary_key = false;
  bool cleans_up = false;
  std::vector<SourceRow> first_rows = {};
  uint64_t rows_per_file = 2;
  std::vector<std::vector<Operation>> writers = {};

  std::string ToText() const;
};

Program MakeProgram(uint64_t seed);

}  // namespace lance::safety
