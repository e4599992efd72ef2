#include "table/refs.h"

#include <nlohmann/json.hpp>

#include "arrow/buffer.h"
#include "table/table_paths.h"

namespace lance {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kMainBranch = "main";

std::optional<std::string> OptionalText(const Json& object, const char* key) {
  auto at = object.find(key);
  if (at == object.end() || !at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

std::optional<uint64_t> OptionalNumber(const Json& object, const char* key) {
  auto at = object.find(key);
  if (at == object.end() || !at->is_number_unsigned()) return std::nullopt;
  return at->get<uint64_t>();
}

Status CheckTagName(const std::string& name) {
  bool climbs = name.empty() || name.find('/') != std::string::npos ||
                name.find('\0') != std::string::npos || name.find("..") != std::string::npos;
  if (climbs) return UserError("not a valid name of a tag: '", name, "'");
  return Status::OK();
}

Result<Tag> ReadTagFile(const Context& context, ObjectStore& store, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto content, store.Get(context, path));
  auto tag = DecodeTag({content->data(), static_cast<size_t>(content->size())});
  if (!tag.ok()) return WithPlace(tag.status(), {.path = path});
  return tag;
}

}  // namespace

Result<Tag> DecodeTag(Bytes json) {
  Json object = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Corrupt("tag is not a JSON object of ", json.size(), " bytes");
  Tag tag;
  auto version = OptionalNumber(object, "version");
  if (!version) return Corrupt("tag has no version");
  tag.version = *version;
  tag.branch = OptionalText(object, "branch");
  if (tag.branch == kMainBranch) tag.branch.reset();
  tag.manifest_size = OptionalNumber(object, "manifestSize").value_or(0);
  tag.created_at = OptionalText(object, "createdAt");
  tag.updated_at = OptionalText(object, "updatedAt");
  if (auto metadata = object.find("metadata"); metadata != object.end() && metadata->is_object()) {
    for (const auto& [key, value] : metadata->items()) {
      if (value.is_string()) tag.metadata[key] = value.get<std::string>();
    }
  }
  return tag;
}

Result<std::map<std::string, Tag>> ListTags(const Context& context, ObjectStore& store,
                                            const std::string& main_root) {
  ARROW_ASSIGN_OR_RAISE(auto objects, store.List(context, TagsFolder(main_root)));
  std::map<std::string, Tag> tags;
  for (const ObjectInfo& object : objects) {
    std::string name = object.path.substr(object.path.rfind('/') + 1);
    if (!name.ends_with(kSuffix)) continue;
    auto tag = ReadTagFile(context, store, object.path);
    // Deleted since it was listed.
    if (!tag.ok() && GetErrorCode(tag.status()) == ErrorCode::kNotFound) continue;
    ARROW_RETURN_NOT_OK(tag.status());
    tags.emplace(name.substr(0, name.size() - kSuffix.size()), std::move(*tag));
  }
  return tags;
}

Result<Tag> ReadTag(const Context& context, ObjectStore& store, const std::string& main_root,
                    const std::string& name) {
  ARROW_RETURN_NOT_OK(CheckTagName(name));
  auto tag = ReadTagFile(context, store, TagsFolder(main_root) + "/" + name + std::string(kSuffix));
  if (!tag.ok() && GetErrorCode(tag.status()) == ErrorCode::kNotFound) {
    return WithPlace(NotFound("tag '", name, "' does not exist"), {.path = main_root});
  }
  return tag;
}

}  // namespace lance
