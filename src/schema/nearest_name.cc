#include <algorithm>
#include <numeric>

#include "schema/schema.h"

namespace lance {
namespace {

char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Insertions, deletions and replacements that turn one text into the other; case doesn't count.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates) {
  // A third of the letters may differ: 'pric' offers 'price', but not 'prize_id'.
  const size_t most = std::max<size_t>(1, name.size() / 3);
  std::optional<std::string> nearest;
  size_t nearest_distance = most + 1;
  for (const std::string& candidate : candidates) {
    size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) >= nearest_distance) continue;
    size_t distance = EditDistance(name, candidate);
    // Nothing in common is not near.
    if (distance >= nearest_distance || distance >= longer) continue;
    nearest = candidate;
    nearest_distance = distance;
  }
  return nearest;
}

}  // namespace lance
