#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoding_hints.h"

namespace lance::encoding {

/// Minor numbers of the file versions that can be written.
constexpr uint32_t kMinorVersion2_0 = 0;
constexpr uint32_t kMinorVersion2_1 = 1;
constexpr uint32_t kMinorVersion2_2 = 2;
constexpr uint32_t kMinorVersion2_3 = 3;

/// A node between a top-level field and a leaf column. Maps are lists of structs.
enum class StepKind : uint8_t { kStruct, kList, kLargeList, kFixedSizeList, kLeaf };

struct PathStep {
  StepKind kind = StepKind::kLeaf;
  bool nullable = true;
  /// Dotted path of the field, for errors.
  std::string name;
  /// Struct: the child that the path goes on with.
  int child = 0;
  /// Fixed-size list of structs: slots per list.
  uint32_t dimension = 1;
};

inline bool IsList(StepKind kind) {
  return kind == StepKind::kList || kind == StepKind::kLargeList;
}

/// The way from a top-level field down to one of its columns. From 2.1 on these are the leaves. In
/// 2.0 lists and structs have columns too: their paths end in a leaf of a list type, whose items
/// are in other columns, or of the type of an empty struct.
struct LeafPath {
  /// Outermost first; the last one is the leaf.
  std::vector<PathStep> steps;
  /// Storage type of the leaf: no extension type, no view.
  std::shared_ptr<arrow::DataType> type;
  /// Product of the dimensions of all fixed-size lists of structs above the leaf: the length of a
  /// page is given as rows times this number.
  uint64_t slots_per_row = 1;
  /// Fixed-size lists of structs together with other lists: levels among the values can't say
  /// which, so the structure stands apart (2.3).
  bool structure_apart = false;
  /// The file version has no way to store a value of the type.
  bool only_nulls = false;
  EncodingHints hints = {};
  /// Packed struct: the ways to its members, which share the column.
  std::vector<LeafPath> members = {};
  /// What is buffered and encoded is where the blobs are: packed structs of position and size.
  bool is_blob = false;

  const std::string& name() const { return steps.back().name; }
  bool is_empty_struct() const;
  /// 2.0: the column that says where lists end.
  bool is_list() const;
  bool is_packed_struct() const { return !members.empty(); }
  /// Packed struct: all members are numbers, so that rows have one width.
  bool has_plain_members() const;
};

/// Whether a struct is to be stored in one column.
using IsPackedStruct = bool (*)(const arrow::Field& field);

/// The columns of a top-level field of storage types, in column order. Types that the
/// version can't store are Unsupported, the field named.
Result<std::vector<LeafPath>> LeafPathsOf(
    const arrow::Field& field, uint32_t minor_version,
    IsPackedStruct is_packed = [](const arrow::Field&) { return false; });

/// The column of the blobs of a binary column.
LeafPath BlobPathOf(LeafPath column);

}  // namespace lance::encoding
