#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "nlohmann/json_fwd.hpp"

namespace lance {

// Members of the JSON files of tags and branches. Unknown and ill-typed ones are passed over.

std::optional<std::string> OptionalText(const nlohmann::json& object, const char* key);
std::optional<uint64_t> OptionalNumber(const nlohmann::json& object, const char* key);
/// The members of an object that are strings.
std::map<std::string, std::string> TextMap(const nlohmann::json& object, const char* key);

/// `2026-01-02T03:04:05.000000006Z`
std::string FormatTimestamp(int64_t time_ns);

}  // namespace lance
