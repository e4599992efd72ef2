#include "dataset/stored_layouts.h"

#include <string_view>
#include <utility>

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

/// Whether values that a file holds in one layout can be decoded to the other: the width of offsets
/// is a matter of decoding.
bool CanDecode(const SemanticType& type, std::string_view stored, std::string_view wanted) {
  if (type.kind != SemanticKind::kString && type.kind != SemanticKind::kBinary) return false;
  if (IsDictionary(stored) != IsDictionary(wanted)) return false;
  return !IsDictionary(stored) || KeysOf(stored) == KeysOf(wanted);
}

class Layouts {
 public:
  Layouts(const FindStored& find, bool decodes_offsets)
      : find_(find), decodes_offsets_(decodes_offsets) {}

  Status Adapt(Field* wanted) {
    if (wanted->IsLeaf()) {
      const Field* stored = find_(wanted->id);
      return stored == nullptr ? Status::OK() : AdaptLeaf(*stored, wanted);
    }
    if (!decodes_offsets_) AdaptList(wanted);
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
    if (is_same ||
        (decodes_offsets_ && CanDecode(type, stored.logical_type, wanted->logical_type))) {
      return Status::OK();
    }
    wanted->logical_type = stored.logical_type;
    changed_ = true;
    return Status::OK();
  }

  const FindStored& find_;
  const bool decodes_offsets_;
  bool changed_ = false;
};

}  // namespace

Result<std::optional<Schema>> WithStoredLayouts(const Schema& wanted, const FindStored& find,
                                                bool decodes_offsets) {
  Schema stored = wanted;
  Layouts layouts(find, decodes_offsets);
  for (Field& field : stored.fields) ARROW_RETURN_NOT_OK(layouts.Adapt(&field));
  if (!layouts.changed()) return std::nullopt;
  return stored;
}

}  // namespace lance
