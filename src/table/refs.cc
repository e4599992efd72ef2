#include "table/refs.h"

#include <nlohmann/json.hpp>

#include "arrow/buffer.h"
#include "table/ref_file.h"
#include "table/ref_json.h"
#include "table/ref_names.h"
#include "table/table_paths.h"

namespace lance {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSuffix = ".json";

Result<Tag> ReadTagFile(const Context& context, ObjectStore& store, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto content, store.Get(context, path));
  auto tag = DecodeTag({content->data(), static_cast<size_t>(content->size())});
  if (!tag.ok()) return WithPlace(tag.status(), {.path = path});
  return tag;
}

std::string TagPath(const std::string& main_root, const std::string& name) {
  return TagsFolder(main_root) + "/" + name + std::string(kSuffix);
}

Status NoTag(const std::string& main_root, const std::string& name) {
  return WithPlace(NotFound("tag '", name, "' does not exist"), {.path = main_root});
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
  tag.metadata = TextMap(object, "metadata");
  return tag;
}

std::string EncodeTag(const Tag& tag) {
  auto text_or_null = [](const std::optional<std::string>& text) -> nlohmann::ordered_json {
    if (!text) return nullptr;
    return *text;
  };
  nlohmann::ordered_json object;
  object["branch"] = text_or_null(tag.branch);
  object["version"] = tag.version;
  object["createdAt"] = text_or_null(tag.created_at);
  object["updatedAt"] = text_or_null(tag.updated_at);
  object["manifestSize"] = tag.manifest_size;
  object["metadata"] = tag.metadata;
  return object.dump(2);
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
  auto tag = ReadTagFile(context, store, TagPath(main_root, name));
  if (!tag.ok() && GetErrorCode(tag.status()) == ErrorCode::kNotFound) {
    return NoTag(main_root, name);
  }
  return tag;
}

Status CreateTag(const Context& context, ObjectStore& store, const std::string& main_root,
                 const std::string& name, const Tag& tag) {
  ARROW_RETURN_NOT_OK(CheckTagName(name));
  std::string json = EncodeTag(tag);
  Status put = CreateRefFile(context, store, TagPath(main_root, name), json);
  if (!put.ok() && GetErrorCode(put) == ErrorCode::kAlreadyExists) {
    return AlreadyExists("tag '", name, "' already exists; update it, or choose another name");
  }
  return put;
}

Status ReplaceTag(const Context& context, ObjectStore& store, const std::string& main_root,
                  const std::string& name, const Tag& tag) {
  ARROW_RETURN_NOT_OK(ReadTag(context, store, main_root, name).status());
  std::string json = EncodeTag(tag);
  return store.Put(context, TagPath(main_root, name), AsBytes(json));
}

Status DeleteTag(const Context& context, ObjectStore& store, const std::string& main_root,
                 const std::string& name) {
  ARROW_RETURN_NOT_OK(ReadTag(context, store, main_root, name).status());
  return store.Delete(context, TagPath(main_root, name));
}

}  // namespace lance
