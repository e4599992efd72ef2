#include "dataset/auto_cleanup.h"

#include <array>
#include <charconv>
#include <string>

#include "dataset/cleanup.h"
#include "table/now.h"

namespace lance {
namespace {

constexpr char kInterval[] = "lance.auto_cleanup.interval";
constexpr char kOlderThan[] = "lance.auto_cleanup.older_than";
constexpr char kRetainVersions[] = "lance.auto_cleanup.retain_versions";

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};
constexpr int64_t kSecond = 1000000000;
constexpr std::array<Unit, 22> kUnits = {{
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", kSecond},
    {"sec", kSecond},
    {"secs", kSecond},
    {"second", kSecond},
    {"seconds", kSecond},
    {"m", 60 * kSecond},
    {"min", 60 * kSecond},
    {"mins", 60 * kSecond},
    {"minute", 60 * kSecond},
    {"minutes", 60 * kSecond},
    {"h", 3600 * kSecond},
    {"hr", 3600 * kSecond},
    {"hour", 3600 * kSecond},
    {"hours", 3600 * kSecond},
    {"d", 86400 * kSecond},
    {"day", 86400 * kSecond},
    {"days", 86400 * kSecond},
    {"w", 604800 * kSecond},
    {"weeks", 604800 * kSecond},
}};

std::optional<int64_t> UnitOf(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.nanoseconds;
  }
  return std::nullopt;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view ConfigOf(const Manifest& manifest, const char* key) {
  const auto& config = manifest.head.config();
  auto at = config.find(key);
  return at == config.end() ? std::string_view() : std::string_view(at->second);
}

}  // namespace

std::optional<int64_t> ParseDuration(std::string_view text) {
  int64_t total = 0;
  bool any = false;
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    size_t digits = at;
    while (digits < text.size() && IsDigit(text[digits])) ++digits;
    size_t letters = digits;
    while (letters < text.size() && IsLetter(text[letters])) ++letters;
    auto number = ParseNumber(text.substr(at, digits - at));
    auto unit = UnitOf(text.substr(digits, letters - digits));
    int64_t part = 0;
    bool valid = number && unit && *number <= static_cast<uint64_t>(INT64_MAX) &&
                 !__builtin_mul_overflow(static_cast<int64_t>(*number), *unit, &part) &&
                 !__builtin_add_overflow(total, part, &total);
    if (!valid) return std::nullopt;
    any = true;
    at = letters;
  }
  return any ? std::optional<int64_t>(total) : std::nullopt;
}

void CleanUpAfterCommit(const Snapshot& committed) {
  const Manifest& manifest = committed.manifest();
  auto interval = ParseNumber(ConfigOf(manifest, kInterval));
  if (!interval || (*interval != 0 && manifest.version() % *interval != 0)) return;
  CleanupPolicy policy;
  policy.error_if_tagged_old_versions = false;
  if (auto older_than = ParseDuration(ConfigOf(manifest, kOlderThan))) {
    policy.before_timestamp_ns = NowNanoseconds() - *older_than;
  }
  policy.retain_versions = ParseNumber(ConfigOf(manifest, kRetainVersions));
  if (!policy.before_timestamp_ns && !policy.retain_versions) return;
  (void)CleanUpOldVersions(committed, policy);
}

}  // namespace lance
