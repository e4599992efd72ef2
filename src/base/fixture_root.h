#pragma once

#include <cstdlib>
#include <filesystem>

namespace lance {

/// For tests: the folder of files that the reference wrote, or empty if it isn't there.
inline std::filesystem::path FixtureRoot() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("LANCE_FIXTURES")) return given;
  for (fs::path at = fs::current_path(); at != at.root_path(); at = at.parent_path()) {
    if (fs::exists(at / "shared" / "fixtures" / "files14")) return at / "shared" / "fixtures";
  }
  return {};
}

}  // namespace lance
