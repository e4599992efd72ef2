#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/byte_reader.h"
#include "base/context.h"
#include "base/error.h"
#include "io/object_store.h"

namespace lance {

/// A named version: `_refs/tags/{name}.json` under the main root.
struct Tag {
  std::optional<std::string> branch;  ///< nothing: the main branch
  uint64_t version = 0;
  uint64_t manifest_size = 0;
  std::optional<std::string> created_at;  ///< RFC 3339
  std::optional<std::string> updated_at;
  std::map<std::string, std::string> metadata;
};

Result<Tag> DecodeTag(Bytes json);
std::string EncodeTag(const Tag& tag);

Result<std::map<std::string, Tag>> ListTags(const Context& context, ObjectStore& store,
                                            const std::string& main_root);
/// NotFound if there is no such tag.
Result<Tag> ReadTag(const Context& context, ObjectStore& store, const std::string& main_root,
                    const std::string& name);
/// AlreadyExists if there is such a tag.
Status CreateTag(const Context& context, ObjectStore& store, const std::string& main_root,
                 const std::string& name, const Tag& tag);
/// NotFound if there is no such tag.
Status ReplaceTag(const Context& context, ObjectStore& store, const std::string& main_root,
                  const std::string& name, const Tag& tag);
Status DeleteTag(const Context& context, ObjectStore& store, const std::string& main_root,
                 const std::string& name);

}  // namespace lance
