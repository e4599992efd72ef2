#include "table/base_paths.h"

#include <algorithm>

namespace lance {
namespace {

uint32_t SmallestUnusedId(const BasePaths& bases) {
  uint32_t id = 1;
  while (FindBasePath(bases, id) != nullptr) ++id;
  return id;
}

Status CheckDiffers(const table::BasePath& added, const table::BasePath& base) {
  if (added.id() != 0 && base.id() == added.id()) {
    return UserError("base path id is in use: ", added.id());
  }
  if (added.has_name() && base.has_name() && base.name() == added.name()) {
    return UserError("base path name is in use: '", added.name(), "'");
  }
  if (base.path() == added.path()) {
    return UserError("base path is registered already: '", added.path(), "'");
  }
  return Status::OK();
}

}  // namespace

const table::BasePath* FindBasePath(const BasePaths& bases, uint32_t id) {
  auto at = std::find_if(bases.begin(), bases.end(),
                         [&](const table::BasePath& base) { return base.id() == id; });
  return at == bases.end() ? nullptr : &*at;
}

Status AddBasePaths(const BasePaths& added, BasePaths* bases) {
  for (table::BasePath base : added) {
    if (base.path().empty()) return UserError("a base path is empty");
    for (const auto& other : *bases) ARROW_RETURN_NOT_OK(CheckDiffers(base, other));
    if (base.id() == 0) base.set_id(SmallestUnusedId(*bases));
    *bases->Add() = std::move(base);
  }
  return Status::OK();
}

}  // namespace lance
