#include "dataset/stored_layouts.h"

#include <string>
#include <string_view>
#include <utility>

#include "arrow/type.h"
#include "dataset/dictionary_keys.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

bool IsDictionary(std::string_view logical_type) { return logical_type.starts_with("dict:"); }

/// `dict:string:int16:false` → `int16:false`
std::string_view KeysOf(std::string_view dictionary) {
  const size_t value = dictionary.find(':') + 1;
  return dictionary.substr(dictionary.find(':', value) + 1);
}

/// Whether keys of one type hold all that those of another do.
bool HoldsKeys(std::string_view keys, std::string_view others) {
  if (keys == others) return true;
  auto type = ParseLeafLogicalType(keys.substr(0, keys.find(':')));
  auto other = ParseLeafLogicalType(others.substr(0, others.find(':')));
  const bool same_order = keys.substr(keys.find(':')) == others.substr(others.find(':'));
  return type.ok() && other.ok() && same_order && KeyCapacity(**type) >= KeyCapacity(**other);
}

/// Whether values that a file holds in one layout can be decoded to the other: the width of offsets
/// and of keys is a matter of decoding.
bool CanDecode(const SemanticType& type, std::string_view stored, std::string_view wanted,
               DecodedWidths widths) {
  if (type.kind != SemanticKind::kString && type.kind != SemanticKind::kBinary) return false;
  if (widths == DecodedWidths::kAsStored || IsDictionary(stored) != IsDictionary(wanted)) {
    return false;
  }
  if (!IsDictionary(stored)) return true;
  return widths == DecodedWidths::kAll ? HoldsKeys(KeysOf(wanted), KeysOf(stored))
                                       : KeysOf(stored) == KeysOf(wanted);
}

/// Of plain values the layout that holds any number of bytes: a dictionary is made of them.
std::string WithLargeOffsets(const std::string& stored) {
  return stored == "string" || stored == "binary" ? "large_" + stored : stored;
}

class Layouts {
 public:
  Layouts(const FindStored& find, DecodedWidths widths) : find_(find), widths_(widths) {}

  Status Adapt(Field* wanted) {
    if (wanted->IsLeaf()) {
      const Field* stored = find_(wanted->id);
      return stored == nullptr ? Status::OK() : AdaptLeaf(*stored, wanted);
    }
    if (widths_ == DecodedWidths::kAsStored) AdaptList(wanted);
    for (Field& child : wanted->children) ARROW_RETURN_NOT_OK(Adapt(&child));
    return Status::OK();
  }

  bool changed() const { return changed_; }

 private:
  static bool IsList(const Field& field) {
    const FieldKind kind = KindOfLogicalType(field.logical_type);
    return kind == FieldKind::kList || kind == FieldKind::kLargeList;
  }

  void AdaptList(Field* wanted) {
    if (!IsList(*wanted)) return;
    const Field* stored = find_(wanted->id);
    if (stored == nullptr || !IsList(*stored)) return;
    changed_ = changed_ || wanted->logical_type != stored->logical_type;
    wanted->logical_type = stored->logical_type;
  }

  Status AdaptLeaf(const Field& stored, Field* wanted) {
    if (IsBlobV1(*wanted) || IsBlobV1Descriptor(*wanted) || IsBlobV2Descriptor(*wanted)) {
      return Status::OK();
    }
    // The members of a packed struct are decoded together.
    if (stored.children.size() == wanted->children.size()) {
      for (size_t i = 0; i < wanted->children.size(); ++i) {
        ARROW_RETURN_NOT_OK(AdaptLeaf(stored.children[i], &wanted->children[i]));
      }
    }
    ARROW_ASSIGN_OR_RAISE(SemanticType type, SemanticTypeOf(*wanted));
    // JSON is stored in one way.
    if (!type.has_output_encodings() || type.kind == SemanticKind::kJson) return Status::OK();
    auto stored_type = ParseSemanticType(stored.logical_type);
    if (!stored_type.ok() || !(*stored_type == type)) {
      return WithPlace(Corrupt("data file holds values of another type than its table: ",
                               stored.logical_type, ", expected ", type.name),
                       {.field = wanted->name});
    }
    const bool is_same = stored.logical_type == wanted->logical_type;
    if (is_same || CanDecode(type, stored.logical_type, wanted->logical_type, widths_)) {
      return Status::OK();
    }
    wanted->logical_type = widths_ == DecodedWidths::kAsStored
                               ? stored.logical_type
                               : WithLargeOffsets(stored.logical_type);
    changed_ = true;
    return Status::OK();
  }

  const FindStored& find_;
  const DecodedWidths widths_;
  bool changed_ = false;
};

}  // namespace

Result<std::optional<Schema>> WithStoredLayouts(const Schema& wanted, const FindStored& find,
                                                DecodedWidths widths) {
  Schema stored = wanted;
  Layouts layouts(find, widths);
  for (Field& field : stored.fields) ARROW_RETURN_NOT_OK(layouts.Adapt(&field));
  if (!layouts.changed()) return std::nullopt;
  return stored;
}

}  // namespace lance
