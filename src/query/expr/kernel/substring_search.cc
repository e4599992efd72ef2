#include "query/expr/kernel/substring_search.h"

#include <algorithm>
#include <cstring>

#include "query/expr/kernel/short_needle.h"

namespace lance::query {
namespace {

/// The first row from `row` on that ends behind `place`. Hits are near each other or far apart:
/// steps double until one is too far.
int64_t RowAt(const BytesValues& texts, int64_t row, int64_t rows, const char* place) {
  auto ends_behind = [&](int64_t at) { return texts[at].data() + texts[at].size() > place; };
  int64_t step = 1;
  while (row + step < rows && !ends_behind(row + step - 1)) {
    row += step;
    step *= 2;
  }
  int64_t end = std::min(row + step, rows);
  while (row < end) {
    const int64_t middle = row + (end - row) / 2;
    if (ends_behind(middle)) {
      end = middle;
    } else {
      row = middle + 1;
    }
  }
  return row;
}

const char* Find(const char* at, const char* end, std::string_view needle) {
  if (needle.size() <= kShortNeedle) return FindShortNeedle(at, end, needle);
  const void* hit = memmem(at, static_cast<size_t>(end - at), needle.data(), needle.size());
  return hit == nullptr ? end : static_cast<const char*>(hit);
}

}  // namespace

size_t FindText(std::string_view text, std::string_view needle) {
  // What is short costs little in any case; else where many letters of the needle match, and not
  // all of them, each place would cost as much as the needle.
  constexpr size_t kShortText = 64;
  if (needle.size() < kShortNeedle || text.size() < kShortText) return text.find(needle);
  const void* hit = memmem(text.data(), text.size(), needle.data(), needle.size());
  return hit == nullptr ? std::string_view::npos
                        : static_cast<size_t>(static_cast<const char*>(hit) - text.data());
}

std::vector<int64_t> RowsContaining(const BytesValues& texts, int64_t rows,
                                    std::string_view needle) {
  std::vector<int64_t> found;
  const std::string_view all = texts.Joined(rows);
  const char* at = all.data();
  const char* const end = at + all.size();
  int64_t row = 0;
  while (at < end) {
    const char* hit = Find(at, end, needle);
    if (hit == end) break;
    row = RowAt(texts, row, rows, hit);
    const char* row_end = texts[row].data() + texts[row].size();
    if (hit + needle.size() <= row_end) {
      found.push_back(row++);
      at = row_end;
    } else {
      at = hit + 1;  // it goes on in the next row
    }
  }
  return found;
}

}  // namespace lance::query
