#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lance/dataset.h"

namespace lance::python {

/// Id, name, whether it is a dataset root, path.
using BaseTuple = std::tuple<uint32_t, std::optional<std::string>, bool, std::string>;

inline std::vector<BasePathInfo> ToBasePathInfos(const std::vector<BaseTuple>& bases) {
  std::vector<BasePathInfo> infos;
  infos.reserve(bases.size());
  for (const auto& [id, name, is_root, path] : bases) infos.push_back({id, name, is_root, path});
  return infos;
}

}  // namespace lance::python
