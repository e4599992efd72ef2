#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lance {

using AddFuzzSeed = std::function<void(const std::string& target, std::string_view bytes)>;

/// Inputs for the fuzz targets to start from, always in the same order: whole files, and what is
/// inside them (pages, blocks, symbol tables, row ids …), of the reference's fixtures, if there are
/// any, of tests/hostile/files, and of files that our own writer makes.
Status MakeFuzzSeeds(const std::filesystem::path& fixtures, const AddFuzzSeed& add);

}  // namespace lance
