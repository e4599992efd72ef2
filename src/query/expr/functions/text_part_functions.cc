#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "query/expr/function.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// ---- substr_index ----

/// What comes before the count-th delimiter; if it is negative, behind it from the end.
std::string_view PartsUpTo(std::string_view text, std::string_view delimiter, int64_t count) {
  if (count == 0 || delimiter.empty()) return {};
  if (count > 0) {
    size_t at = 0;
    for (; count > 0; --count) {
      const size_t found = text.find(delimiter, at);
      if (found == std::string_view::npos) return text;
      if (count == 1) return text.substr(0, found);
      at = found + delimiter.size();
    }
  }
  std::string_view left = text;
  for (; count < 0; ++count) {
    const size_t found = left.rfind(delimiter);
    if (found == std::string_view::npos) return text;
    if (count == -1) return text.substr(found + delimiter.size());
    left = left.substr(0, found);
  }
  return text;
}

Result<std::shared_ptr<Array>> SubstrIndex(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  const BytesValues texts(args[0]);
  const BytesValues delimiters(args[1]);
  const FixedValues<int64_t> counts(args[2]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string_view* out) {
    *out = PartsUpTo(texts[row], delimiters[row], counts[row]);
    return Status::OK();
  });
}

Bound BindSubstrIndex(BindArgs args) {
  if (args.size() != 3 || !TakesString(*args[0]) || !TakesString(*args[1]) ||
      !TakesInteger(*args[2])) {
    return std::nullopt;
  }
  TypePtr type = StringTypeOf(*args[0]);
  return BoundFunction{{type, StringTypeOf(*args[1]), arrow::int64()}, type, SubstrIndex};
}

// ---- find_in_set ----

/// The place of a text among those between commas, from 1; 0 if it isn't there.
Result<std::shared_ptr<Array>> FindInSet(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const BytesValues texts(args[0]);
  const BytesValues sets(args[1]);
  return MapFixed<int32_t>(context, args, rows, [&](int64_t row) -> int32_t {
    std::string_view left = sets[row];
    for (int32_t place = 1;; ++place) {
      const size_t comma = left.find(',');
      if (left.substr(0, comma) == texts[row]) return place;
      if (comma == std::string_view::npos) return 0;
      left.remove_prefix(comma + 1);
    }
  });
}

// ---- levenshtein ----

std::vector<std::string_view> CharactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    characters.push_back(text.substr(0, CharacterBytes(text)));
    text.remove_prefix(characters.back().size());
  }
  return characters;
}

/// How many characters have to be inserted, deleted or changed. `row` is room for the costs.
template <typename Characters>
int32_t EditDistance(const Characters& a, const Characters& b, std::vector<int32_t>* row) {
  row->resize(b.size() + 1);
  std::vector<int32_t>& costs = *row;
  std::iota(costs.begin(), costs.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int32_t diagonal = costs[0];
    costs[0] = static_cast<int32_t>(i) + 1;
    for (size_t k = 0; k < b.size(); ++k) {
      const int32_t changed = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = costs[k + 1];
      costs[k + 1] = std::min({costs[k] + 1, costs[k + 1] + 1, changed});
    }
  }
  return costs.back();
}

/// What both begin or end with costs nothing.
template <typename Span>
std::pair<Span, Span> WithoutCommonEnds(Span a, Span b) {
  const size_t begin =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  a = a.subspan(begin);
  b = b.subspan(begin);
  const size_t end = static_cast<size_t>(
      std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  return {a.first(a.size() - end), b.first(b.size() - end)};
}

template <typename T>
Result<std::shared_ptr<Array>> Levenshtein(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  constexpr size_t kMostSteps = size_t{1} << 28;
  const BytesValues left(args[0]);
  const BytesValues right(args[1]);
  std::vector<int32_t> costs;
  auto distance = [&](const auto& a, const auto& b, T* out) {
    if (!a.empty() && b.size() > kMostSteps / a.size()) {
      return UserError("levenshtein() of texts of ", a.size(), " and ", b.size(),
                       " characters; their product may be ", kMostSteps, " at most");
    }
    const auto [left_part, right_part] = WithoutCommonEnds(std::span(a), std::span(b));
    *out = static_cast<T>(EditDistance(left_part, right_part, &costs));
    return Status::OK();
  };
  return MapFixedChecked<T>(context, args, rows, [&](int64_t row, T* out) {
    if (IsAscii(left[row]) && IsAscii(right[row])) return distance(left[row], right[row], out);
    return distance(CharactersOf(left[row]), CharactersOf(right[row]), out);
  });
}

bool AreStrings(BindArgs args, size_t count) {
  return args.size() == count && std::all_of(args.begin(), args.end(),
                                             [](const ExprPtr& arg) { return TakesString(*arg); });
}

Bound BindFindInSet(BindArgs args) {
  if (!AreStrings(args, 2)) return std::nullopt;
  return BoundFunction{{StringTypeOf(*args[0]), StringTypeOf(*args[1])}, arrow::int32(), FindInSet};
}

Bound BindLevenshtein(BindArgs args) {
  if (!AreStrings(args, 2)) return std::nullopt;
  BoundFunction bound{{StringTypeOf(*args[0]), StringTypeOf(*args[1])},
                      arrow::int32(),
                      Levenshtein<int32_t>,
                      /*can_fail=*/true};
  const bool is_wide = std::any_of(args.begin(), args.end(), [](const ExprPtr& arg) {
    return arg->type->id() == Type::LARGE_STRING;
  });
  if (is_wide) {
    bound.type = arrow::int64();
    bound.kernel = Levenshtein<int64_t>;
  }
  return bound;
}

// ---- overlay ----

/// Puts a text in the place of some characters: from a position, as many as it has itself or as
/// the last argument says.
Result<std::shared_ptr<Array>> Overlay(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  const BytesValues texts(args[0]);
  const BytesValues inserted(args[1]);
  const FixedValues<int64_t> starts(args[2]);
  const bool has_counts = args.size() > 3;
  const FixedValues<int64_t> counts(args[has_counts ? 3 : 2]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    const int64_t start = starts[row];
    if (start < 1) return UserError("overlay() starts at character 1 or later, not at ", start);
    const int64_t count = has_counts ? counts[row] : CountCharacters(inserted[row]);
    int64_t end = 0;
    if (__builtin_add_overflow(start - 1, count, &end)) end = std::numeric_limits<int64_t>::max();
    const std::string_view text = texts[row];
    *out += text.substr(0, ByteOfCharacter(text, start - 1));
    *out += inserted[row];
    *out += text.substr(ByteOfCharacter(text, std::max<int64_t>(end, 0)));
    return Status::OK();
  });
}

Bound BindOverlay(BindArgs args) {
  if (args.size() < 3 || args.size() > 4 || !AreStrings(args.first(2), 2)) return std::nullopt;
  BoundFunction bound{{StringTypeOf(*args[0]), StringTypeOf(*args[1])},
                      arrow::utf8(),
                      Overlay,
                      /*can_fail=*/true};
  for (const ExprPtr& arg : args.subspan(2)) {
    if (!TakesInteger(*arg)) return std::nullopt;
    bound.arg_types.push_back(arrow::int64());
  }
  return bound;
}

constexpr Function kFunctions[] = {
    {"substr_index", "substr_index(string, delimiter, count)", BindSubstrIndex},
    {"substring_index", "substring_index(string, delimiter, count)", BindSubstrIndex},
    {"find_in_set", "find_in_set(string, 'text,text,…')", BindFindInSet},
    {"levenshtein", "levenshtein(string, string)", BindLevenshtein},
    {"overlay", "overlay(string, string, start[, count])", BindOverlay},
};

}  // namespace

std::span<const Function> TextPartFunctions() { return kFunctions; }

}  // namespace lance::query
