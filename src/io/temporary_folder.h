#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace lance {

/// For tests: a new folder, deleted with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lance-XXXXXX").string();
    const char* made = mkdtemp(name.data());
    path_ = made != nullptr ? made : "/no-temporary-folder";
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Absolute, no '/' at the end.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lance
