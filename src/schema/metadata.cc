#include "schema/metadata.h"

#include <algorithm>
#include <array>

#include "arrow/util/key_value_metadata.h"

namespace lance {

bool IsTruthy(std::string_view text) {
  constexpr std::array<std::string_view, 5> kTrue = {"1", "true", "on", "yes", "y"};
  auto equal = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::any_of(kTrue.begin(), kTrue.end(), [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), equal);
  });
}

std::optional<std::string_view> FindMetadata(const arrow::KeyValueMetadata* metadata,
                                             std::string_view key) {
  if (metadata == nullptr) return std::nullopt;
  for (int64_t i = 0; i < metadata->size(); ++i) {
    if (metadata->key(i) == key) return metadata->value(i);
  }
  return std::nullopt;
}

std::shared_ptr<const arrow::KeyValueMetadata> WithMetadata(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata, std::string_view key,
    std::optional<std::string_view> value) {
  auto changed = std::make_shared<arrow::KeyValueMetadata>();
  for (int64_t i = 0; metadata != nullptr && i < metadata->size(); ++i) {
    if (metadata->key(i) != key) changed->Append(metadata->key(i), metadata->value(i));
  }
  if (value) changed->Append(std::string(key), std::string(*value));
  return changed->size() == 0 ? nullptr : changed;
}

bool AsksForPackedStruct(const arrow::KeyValueMetadata* metadata) {
  return IsTruthy(FindMetadata(metadata, kPackedKey).value_or("")) ||
         IsTruthy(FindMetadata(metadata, kOldPackedKey).value_or(""));
}

}  // namespace lance
