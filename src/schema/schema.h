#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace google::protobuf {
template <typename T>
class RepeatedPtrField;
}
namespace lance::file {
class Field;
}

namespace lance {

/// Special field ids of the wire (spec/file-format.md §4.1).
constexpr int32_t kUnassignedFieldId = -1;
constexpr int32_t kTombstoneFieldId = -2;

/// One node of a table's or file's field tree. What the format calls a field: a column, a struct
/// member, a list item. Fixed-size lists of primitives and dictionaries are leaves.
struct Field {
  int32_t id = kUnassignedFieldId;
  std::string name;
  /// `int32`, `list.struct`, `fixed_size_list:float:768` … (spec/file-format.md §4.2). For
  /// structs and lists the children carry the rest.
  std::string logical_type;
  bool nullable = true;
  /// Arrow field metadata, extension keys included; may be null.
  std::shared_ptr<const arrow::KeyValueMetadata> metadata;
  std::vector<Field> children;

  bool unenforced_primary_key = false;
  uint32_t unenforced_primary_key_position = 0;
  uint32_t unenforced_clustering_key_position = 0;

  /// Storage type as the data files hold it: never an extension type, no views.
  Result<std::shared_ptr<arrow::DataType>> ArrowType() const;
  /// Name, type (an extension type if it is registered in this process, else storage with the
  /// extension keys in the metadata), nullability, metadata.
  Result<std::shared_ptr<arrow::Field>> ToArrow() const;
  /// As reads return it (Schema::ToOutput).
  Result<std::shared_ptr<arrow::Field>> ToOutput(bool semantic_types) const;

  /// A leaf owns one column in files of 2.1 and later: everything but non-empty unpacked structs
  /// (other than blobs), lists, maps and fixed-size lists of struct.
  bool IsLeaf() const;
  bool IsPackedStruct() const;
};

/// In which order a projection has the members of a struct of which several are named.
enum class MemberOrder : uint8_t { kSchema, kAsked };

/// The ordered field tree of a file or table, with schema metadata. A value type.
struct Schema {
  std::vector<Field> fields;
  std::shared_ptr<const arrow::KeyValueMetadata> metadata;
  /// Of a table with semantic types (schema/semantic_schema.h).
  bool semantic_types = false;

  /// Ids are assigned pre-order from `first_id`, except those preset by `lance:field_id`.
  /// Views become their base types; types that the format can't store are refused, the field
  /// named by its path.
  static Result<Schema> FromArrow(const arrow::Schema& schema, int32_t first_id = 0);
  Result<std::shared_ptr<arrow::Schema>> ToArrow() const;
  /// As reads return the fields: JSON as text, and with semantic types in their output encodings.
  Result<std::shared_ptr<arrow::Schema>> ToOutput() const;

  /// Pre-order list of the wire. Fields must come after their parents. `semantic_types`: it is that
  /// of a table with them.
  static Result<Schema> FromProto(
      const google::protobuf::RepeatedPtrField<lance::file::Field>& fields,
      bool semantic_types = false);
  void ToProto(google::protobuf::RepeatedPtrField<lance::file::Field>* fields) const;

  /// The largest id, or -1 when there are no fields.
  int32_t MaxFieldId() const;
  /// Null if there is none.
  const Field* FindById(int32_t id) const;
  /// Top-level field by exact name, null if there is none.
  const Field* FindByName(std::string_view name) const;
  /// The field at a path (`a.b`, quoted as for Project, or a top-level name with dots in it), null
  /// if there is none.
  const Field* FindByPath(const std::string& path) const;
  /// All fields in pre-order.
  std::vector<const Field*> PreOrder() const;
  /// The leaves in column order (2.1 and later).
  std::vector<const Field*> Leaves() const;

  /// The sub-tree of the named columns, in the given order. Names may be paths (`a.b`, with
  /// back-ticks around parts that contain dots; a list item is passed through by its own name);
  /// paths into the same column are merged. An unknown name is a user error that offers the
  /// nearest one; a name given twice is a user error.
  Result<Schema> Project(const std::vector<std::string>& columns,
                         MemberOrder order = MemberOrder::kSchema) const;
  /// The sub-tree of fields whose id is in `ids` (parents are kept for their children).
  Schema ProjectByIds(const std::vector<int32_t>& ids) const;

  /// Checks what a writer must guarantee: unique top-level names, unique ids ≥ 0, no '.' in a
  /// top-level name, list dimensions ≥ 1 (spec/file-format.md §4.1); primary key columns are
  /// leaves, non-null along the whole path, not inside lists.
  Status Validate() const;
};

/// The one of these fields, not of those below them, with this id; null if there is none.
const Field* FieldWithId(const std::vector<Field>& fields, int32_t id);

/// Sets what a field's metadata says about its part in the primary and the clustering key.
void ReadKeys(Field* field);

/// `logical_type` of a leaf or parent Arrow type; refuses types that the format can't store.
Result<std::string> LogicalTypeOf(const arrow::DataType& type);
/// The Arrow type of a leaf's `logical_type`.
Result<std::shared_ptr<arrow::DataType>> ParseLeafLogicalType(std::string_view logical_type);

/// A name as a part of a path, whatever is in it: in back-ticks, those within doubled.
std::string InBackTicks(std::string_view name);

/// What `did you mean 'x'?` offers: the candidate with the smallest edit distance, if any is near.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);

}  // namespace lance
