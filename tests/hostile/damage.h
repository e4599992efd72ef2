#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lance {

// A sanitizer takes fifteen times as long: then some positions of each file.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kDamageEvery = 4;
#else
constexpr size_t kDamageEvery = 1;
#endif

/// Calls `check` with the bytes damaged in every way of these tests: each byte inverted, zeroed and
/// incremented, then cut at every length. `what` says which, for messages.
inline void ForEachDamage(
    const std::string& bytes,
    const std::function<void(std::string_view damaged, const std::string& what)>& check) {
  std::string damaged = bytes;
  for (size_t at = bytes.size() % kDamageEvery; at < bytes.size(); at += kDamageEvery) {
    const char original = bytes[at];
    const struct {
      const char* name;
      char value;
    } changes[] = {{"inverted", static_cast<char>(~original)},
                   {"zeroed", '\0'},
                   {"incremented", static_cast<char>(original + 1)}};
    for (const auto& change : changes) {
      if (change.value == original) continue;
      damaged[at] = change.value;
      check(damaged, "byte " + std::to_string(at) + " " + change.name);
    }
    damaged[at] = original;
  }
  for (size_t size = 0; size < bytes.size(); size += kDamageEvery) {
    check(std::string_view(bytes).substr(0, size), "cut to " + std::to_string(size));
  }
}

}  // namespace lance
