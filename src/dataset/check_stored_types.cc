#include "dataset/check_stored_types.h"

#include <string_view>

#include "schema/blob.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

constexpr std::string_view kLarge = "large_";

/// A type without the width of its offsets.
std::string_view PlainType(std::string_view type) {
  return type.starts_with(kLarge) ? type.substr(kLarge.size()) : type;
}

/// Values of any number of bytes that come in several forms; pages tell which.
bool HasForms(std::string_view type) {
  return type == "json" || type.starts_with("dict:") || type.starts_with("blob");
}

/// The same values in any layout.
bool IsSameSemanticType(const Field& wanted, const Field& stored) {
  auto type = SemanticTypeOf(wanted);
  auto other = ParseSemanticType(stored.logical_type);
  return type.ok() && other.ok() && *type == *other;
}

bool IsSameType(const Field& wanted, const Field& stored) {
  const std::string_view a = PlainType(wanted.logical_type);
  const std::string_view b = PlainType(stored.logical_type);
  const auto has_any_length = [](std::string_view type) {
    return type == "string" || type == "binary" || HasForms(type);
  };
  return a == b || (has_any_length(a) && has_any_length(b) && (HasForms(a) || HasForms(b)));
}

}  // namespace

Status CheckStoredTypes(const Schema& wanted, const FindStored& find) {
  for (const Field* leaf : wanted.Leaves()) {
    // Files hold them in forms of their own.
    if (IsBlobV1(*leaf) || IsBlobV1Descriptor(*leaf) || IsBlobV2Descriptor(*leaf)) continue;
    const Field* stored = find(leaf->id);
    if (stored == nullptr || IsSameType(*leaf, *stored)) continue;
    if (wanted.semantic_types && IsSameSemanticType(*leaf, *stored)) continue;
    return WithPlace(Corrupt("data file has ", stored->logical_type, " values '", stored->name,
                             "' in the place of field ", leaf->id, " '", leaf->name, "', expected ",
                             leaf->logical_type),
                     {.field = leaf->name});
  }
  return Status::OK();
}

}  // namespace lance
