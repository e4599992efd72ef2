#include "file/version.h"

#include <algorithm>
#include <array>

namespace lance {
namespace {

struct VersionFacts {
  FileVersion version;
  std::string_view name;
  FileVersionNumbers data_file_numbers;
};

constexpr std::array<VersionFacts, 5> kVersions = {{
    {FileVersion::kV0_1, "0.1", {0, 2}},
    {FileVersion::kV2_0, "2.0", {2, 0}},
    {FileVersion::kV2_1, "2.1", {2, 1}},
    {FileVersion::kV2_2, "2.2", {2, 2}},
    {FileVersion::kV2_3, "2.3", {2, 3}},
}};

const VersionFacts& FactsOf(FileVersion version) {
  for (const VersionFacts& facts : kVersions) {
    if (facts.version == version) return facts;
  }
  return kVersions.front();
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

}  // namespace

std::string_view FileVersionName(FileVersion version) { return FactsOf(version).name; }

Result<FileVersion> ParseFileVersion(std::string_view name) {
  std::string wanted = Lower(name);
  for (const VersionFacts& facts : kVersions) {
    if (facts.name == wanted) return facts.version;
  }
  if (wanted == "legacy") return FileVersion::kV0_1;
  if (wanted == "0.3") return FileVersion::kV2_0;
  if (wanted == "stable") return FileVersion::kV2_2;
  if (wanted == "next") return FileVersion::kV2_3;
  return UserError("Unknown Lance storage version: '", name,
                   "'; use 0.1, 2.0, 2.1, 2.2, 2.3, or legacy, stable, next");
}

Status CheckWritable(FileVersion version) {
  if (version >= FileVersion::kV2_0) return Status::OK();
  return Unsupported("data files of version ", FileVersionName(version),
                     " can be read, not written; 2.0 and later can be written");
}

Result<FileVersion> FileVersionFromNumbers(uint32_t major, uint32_t minor) {
  // Footers of 0.1 and 2.0 have had several spellings.
  if (major == 0 && minor <= 2) return FileVersion::kV0_1;
  if (major == 0 && minor == 3) return FileVersion::kV2_0;
  for (const VersionFacts& facts : kVersions) {
    FileVersionNumbers numbers = facts.data_file_numbers;
    if (numbers.major_version == major && numbers.minor_version == minor) return facts.version;
  }
  return Unsupported("Unknown Lance storage version: ", major, ".", minor);
}

FileVersionNumbers DataFileVersionNumbers(FileVersion version) {
  return FactsOf(version).data_file_numbers;
}

FileVersionNumbers FooterVersionNumbers(FileVersion version) {
  if (version == FileVersion::kV2_0) return {0, 3};
  return DataFileVersionNumbers(version);
}

}  // namespace lance
