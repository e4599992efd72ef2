#include "table/branches.h"

#include <algorithm>

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
constexpr std::string_view kEncodedSlash = "%2F";

constexpr uint64_t kFnvOffset = 0xcbf29ce484222325;
constexpr uint64_t kFnvPrime = 0x100000001b3;
constexpr uint64_t kSecondHashMask = 0x9e3779b97f4a7c15;

uint64_t Fnv1a(std::string_view text, uint64_t hash) {
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return hash;
}

std::string Hex(uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kDigits[(value >> shift) & 15]);
  return text;
}

/// The same for every reader of a branch that was written without one.
BranchIdentifier MadeUpIdentifier(std::string_view name, const Branch& branch) {
  std::string text = internal::Concat(
      "branch_name=", name, "\nparent_branch=", branch.parent.value_or(""),
      "\nparent_version=", branch.parent_version, "\ncreate_at=", branch.created_at);
  return {{0, Hex(Fnv1a(text, kFnvOffset)) + Hex(Fnv1a(text, kFnvOffset ^ kSecondHashMask))}};
}

Result<BranchIdentifier> DecodeIdentifier(const Json& mapping) {
  BranchIdentifier identifier;
  for (const Json& pair : mapping) {
    bool valid =
        pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_string();
    if (!valid) {
      return Corrupt("branch has an identifier of another form at position ", identifier.size());
    }
    identifier.emplace_back(pair[0].get<uint64_t>(), pair[1].get<std::string>());
  }
  return identifier;
}

std::string BranchPath(const std::string& main_root, std::string_view name) {
  std::string path = BranchesFolder(main_root) + "/";
  for (char c : name) {
    if (c == '/') {
      path += kEncodedSlash;
    } else {
      path.push_back(c);
    }
  }
  return path + std::string(kSuffix);
}

std::string NameOfFile(std::string_view file) {
  file.remove_suffix(kSuffix.size());
  std::string name;
  while (!file.empty()) {
    if (file.starts_with(kEncodedSlash)) {
      name.push_back('/');
      file.remove_prefix(kEncodedSlash.size());
    } else {
      name.push_back(file.front());
      file.remove_prefix(1);
    }
  }
  return name;
}

Result<Branch> ReadBranchFile(const Context& context, ObjectStore& store, std::string_view name,
                              const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto content, store.Get(context, path));
  auto branch = DecodeBranch(name, {content->data(), static_cast<size_t>(content->size())});
  if (!branch.ok()) return WithPlace(branch.status(), {.path = path});
  return branch;
}

}  // namespace

Result<Branch> DecodeBranch(std::string_view name, Bytes json) {
  Json object = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Corrupt("branch is not a JSON object of ", json.size(), " bytes");
  Branch branch;
  auto parent_version = OptionalNumber(object, "parentVersion");
  if (!parent_version) return Corrupt("branch has no parent version");
  branch.parent_version = *parent_version;
  branch.parent = OptionalText(object, "parentBranch");
  if (branch.parent == kMainBranch) branch.parent.reset();
  branch.created_at = static_cast<int64_t>(OptionalNumber(object, "createAt").value_or(0));
  branch.manifest_size = OptionalNumber(object, "manifestSize").value_or(0);
  branch.metadata = TextMap(object, "metadata");
  auto identifier = object.find("identifier");
  bool has_identifier = identifier != object.end() && identifier->is_object() &&
                        identifier->contains("version_mapping") &&
                        (*identifier)["version_mapping"].is_array();
  if (has_identifier) {
    ARROW_ASSIGN_OR_RAISE(branch.identifier, DecodeIdentifier((*identifier)["version_mapping"]));
  } else {
    branch.identifier = MadeUpIdentifier(name, branch);
  }
  return branch;
}

std::string EncodeBranch(const Branch& branch) {
  using Ordered = nlohmann::ordered_json;
  Ordered mapping = Ordered::array();
  for (const auto& [version, uuid] : branch.identifier) {
    mapping.push_back(Ordered::array({version, uuid}));
  }
  Ordered object;
  object["parentBranch"] = branch.parent ? Ordered(*branch.parent) : Ordered(nullptr);
  object["identifier"]["version_mapping"] = std::move(mapping);
  object["parentVersion"] = branch.parent_version;
  object["createAt"] = branch.created_at;
  object["manifestSize"] = branch.manifest_size;
  object["metadata"] = branch.metadata;
  return object.dump(2);
}

std::optional<uint64_t> ReferencedVersion(const BranchIdentifier& ancestor,
                                          const BranchIdentifier& branch) {
  if (ancestor.size() >= branch.size()) return std::nullopt;
  if (!std::equal(ancestor.begin(), ancestor.end(), branch.begin())) return std::nullopt;
  uint64_t version = branch[ancestor.size()].first;
  return version > 0 ? std::optional<uint64_t>(version) : std::nullopt;
}

Result<std::map<std::string, Branch>> ListBranches(const Context& context, ObjectStore& store,
                                                   const std::string& main_root) {
  ARROW_ASSIGN_OR_RAISE(auto objects, store.List(context, BranchesFolder(main_root)));
  std::map<std::string, Branch> branches;
  for (const ObjectInfo& object : objects) {
    std::string file = object.path.substr(object.path.rfind('/') + 1);
    if (!file.ends_with(kSuffix)) continue;
    std::string name = NameOfFile(file);
    auto branch = ReadBranchFile(context, store, name, object.path);
    // Deleted since it was listed.
    if (!branch.ok() && GetErrorCode(branch.status()) == ErrorCode::kNotFound) continue;
    ARROW_RETURN_NOT_OK(branch.status());
    branches.emplace(std::move(name), std::move(*branch));
  }
  return branches;
}

Result<Branch> ReadBranch(const Context& context, ObjectStore& store, const std::string& main_root,
                          const std::string& name) {
  ARROW_RETURN_NOT_OK(CheckBranchName(name));
  auto branch = ReadBranchFile(context, store, name, BranchPath(main_root, name));
  if (!branch.ok() && GetErrorCode(branch.status()) == ErrorCode::kNotFound) {
    return WithPlace(NotFound("branch '", name, "' does not exist"), {.path = main_root});
  }
  return branch;
}

Status CreateBranchFile(const Context& context, ObjectStore& store, const std::string& main_root,
                        const std::string& name, const Branch& branch) {
  ARROW_RETURN_NOT_OK(CheckBranchName(name));
  std::string json = EncodeBranch(branch);
  Status put = CreateRefFile(context, store, BranchPath(main_root, name), json);
  if (!put.ok() && GetErrorCode(put) == ErrorCode::kAlreadyExists) {
    return AlreadyExists("branch '", name, "' already exists");
  }
  return put;
}

Status ReplaceBranchFile(const Context& context, ObjectStore& store, const std::string& main_root,
                         const std::string& name, const Branch& branch) {
  ARROW_RETURN_NOT_OK(ReadBranch(context, store, main_root, name).status());
  std::string json = EncodeBranch(branch);
  return store.Put(context, BranchPath(main_root, name), AsBytes(json));
}

Status DeleteBranchFile(const Context& context, ObjectStore& store, const std::string& main_root,
                        const std::string& name) {
  ARROW_RETURN_NOT_OK(ReadBranch(context, store, main_root, name).status());
  return store.Delete(context, BranchPath(main_root, name));
}

}  // namespace lance
