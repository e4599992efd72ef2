#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/fixture_root.h"

namespace lance {

/// Files below some folders of the fixtures for which `wanted` holds and that have at most
/// `max_bytes`, the smallest first.
std::vector<std::filesystem::path> FindFixtures(
    const std::vector<std::string>& folders, uintmax_t max_bytes,
    const std::function<bool(const std::filesystem::path&)>& wanted);

/// The same below any folder.
std::vector<std::filesystem::path> FindFiles(
    const std::filesystem::path& folder, uintmax_t max_bytes,
    const std::function<bool(const std::filesystem::path&)>& wanted);

std::string ReadFile(const std::filesystem::path& path);

}  // namespace lance
