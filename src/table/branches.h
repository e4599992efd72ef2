#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_reader.h"
#include "base/context.h"
#include "base/error.h"
#include "io/object_store.h"

namespace lance {

/// Where a branch comes from: for each ancestor the version of its parent that it started from, and
/// a UUID (32 hex digits) that no other branch has. The main branch has the empty list.
using BranchIdentifier = std::vector<std::pair<uint64_t, std::string>>;

/// `_refs/branches/{name, '/' as %2F}.json` under the main root.
struct Branch {
  std::optional<std::string> parent;  ///< nothing: the main branch
  BranchIdentifier identifier;
  uint64_t parent_version = 0;
  int64_t created_at = 0;  ///< seconds since the epoch
  uint64_t manifest_size = 0;
  std::map<std::string, std::string> metadata;
};

/// `name` is for branches of old writers, which have no identifier: theirs is made of what they
/// have.
Result<Branch> DecodeBranch(std::string_view name, Bytes json);
std::string EncodeBranch(const Branch& branch);

/// The version of `ancestor` that `branch` (or an ancestor of it) started from, if it descends from
/// it.
std::optional<uint64_t> ReferencedVersion(const BranchIdentifier& ancestor,
                                          const BranchIdentifier& branch);

Result<std::map<std::string, Branch>> ListBranches(const Context& context, ObjectStore& store,
                                                   const std::string& main_root);
/// NotFound if there is no such branch.
Result<Branch> ReadBranch(const Context& context, ObjectStore& store, const std::string& main_root,
                          const std::string& name);
/// AlreadyExists if there is such a branch.
Status CreateBranchFile(const Context& context, ObjectStore& store, const std::string& main_root,
                        const std::string& name, const Branch& branch);
/// NotFound if there is no such branch.
Status ReplaceBranchFile(const Context& context, ObjectStore& store, const std::string& main_root,
                         const std::string& name, const Branch& branch);
Status DeleteBranchFile(const Context& context, ObjectStore& store, const std::string& main_root,
                        const std::string& name);

}  // namespace lance
