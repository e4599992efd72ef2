#include "fixtures.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace lance {

namespace fs = std::filesystem;

namespace {

void SortBySize(std::vector<fs::path>* files) {
  std::sort(files->begin(), files->end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(fs::file_size(a), a) < std::pair(fs::file_size(b), b);
  });
}

}  // namespace

std::vector<fs::path> FindFixtures(const std::vector<std::string>& folders, uintmax_t max_bytes,
                                   const std::function<bool(const fs::path&)>& wanted) {
  std::vector<fs::path> out;
  for (const std::string& folder : folders) {
    auto found = FindFiles(FixtureRoot() / folder, max_bytes, wanted);
    out.insert(out.end(), found.begin(), found.end());
  }
  SortBySize(&out);
  return out;
}

std::vector<fs::path> FindFiles(const fs::path& folder, uintmax_t max_bytes,
                                const std::function<bool(const fs::path&)>& wanted) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.file_size() > max_bytes) continue;
    if (wanted(entry.path())) out.push_back(entry.path());
  }
  SortBySize(&out);
  return out;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace lance
