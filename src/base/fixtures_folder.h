#pragma once

#include <cstdlib>
#include <filesystem>

namespace lance {

/// For tests: where the files and tables written by the reference lie.
inline std::filesystem::path FixturesFolder() {
  if (const char* folder = std::getenv("LANCE_FIXTURES")) return folder;
  // Beside the repository, wherever in it the test is started.
  std::filesystem::path folder = std::filesystem::current_path();
  while (!std::filesystem::exists(folder / "shared/fixtures") && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder / "shared/fixtures";
}

}  // namespace lance
