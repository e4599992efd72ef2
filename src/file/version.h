#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lance {

/// Versions of the data file format. The value orders them.
enum class FileVersion : uint16_t { kV0_1 = 1, kV2_0 = 200, kV2_1 = 201, kV2_2 = 202, kV2_3 = 203 };

constexpr FileVersion kDefaultFileVersion = FileVersion::kV2_2;

/// `2.2`: the canonical name, as manifests hold it.
std::string_view FileVersionName(FileVersion version);
/// Canonical names and the request aliases `legacy`, `0.3`, `stable`, `next` (any case). Others are
/// user errors.
Result<FileVersion> ParseFileVersion(std::string_view name);
/// 0.1 is only read; an error says so.
Status CheckWritable(FileVersion version);
/// From the numbers in a footer or a manifest's DataFile; each version may have several pairs.
Result<FileVersion> FileVersionFromNumbers(uint32_t major, uint32_t minor);
/// The numbers that DataFile entries of a manifest hold.
struct FileVersionNumbers {
  uint16_t major_version;
  uint16_t minor_version;
};
FileVersionNumbers DataFileVersionNumbers(FileVersion version);
/// The numbers that the footer of a file holds: 2.0 calls itself 0.3 there.
FileVersionNumbers FooterVersionNumbers(FileVersion version);

}  // namespace lance
