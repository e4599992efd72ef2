#include <limits>
#include <string>

#include "arrow/array/concatenate.h"
#include "arrow/compute/api_scalar.h"
#include "arrow/compute/exec.h"
#include "arrow/scalar.h"
#include "base/compute_kernels.h"
#include "query/expr/function.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/regex_literal.h"
#include "query/expr/kernel/substring_search.h"

namespace lance::query {
namespace {

using arrow::Array;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// Regular expressions are those of Arrow's kernels (RE2), whose syntax is that of the reference for
// all but rare constructs.

Result<std::shared_ptr<Array>> CallArrow(const std::string& function, const CallContext& context,
                                         const std::shared_ptr<Array>& texts,
                                         const arrow::compute::FunctionOptions& options) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(context.pool);
  ARROW_ASSIGN_OR_RAISE(auto result,
                        arrow::compute::CallFunction(function, {texts}, &options, &exec));
  return result.make_array();
}

/// The pattern with its flags (`i`, `s`, `m`, `U`) written into it. `g` belongs to regexp_replace.
std::string PatternOf(std::span<const Operand> args, size_t flags_at) {
  auto pattern = std::string(BytesValues(args[1])[0]);
  if (args.size() <= flags_at) return pattern;
  std::string flags;
  for (char flag : BytesValues(args[flags_at])[0]) {
    if (flag != 'g') flags += flag;
  }
  return flags.empty() ? pattern : "(?" + flags + ")" + pattern;
}

bool HasGlobalFlag(std::span<const Operand> args) {
  return args.size() > 3 && BytesValues(args[3])[0].find('g') != std::string_view::npos;
}

/// Matches only the rows that have `literal`; nullptr if that are too many for it to pay.
Result<std::shared_ptr<Array>> MatchWithLiteral(
    const CallContext& context, const Operand& texts, int64_t rows, std::string_view literal,
    const arrow::compute::MatchSubstringOptions& options) {
  constexpr size_t kWorthwhileShare = 2;
  std::vector<int64_t> likely = RowsContaining(BytesValues(texts), rows, literal);
  if (likely.size() * kWorthwhileShare > static_cast<size_t>(rows)) return nullptr;
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, {&texts, 1}, rows));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateEmptyBitmap(rows, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto picked, Gather(context.pool, texts.array, likely));
  ARROW_ASSIGN_OR_RAISE(auto matches, CallArrow("match_substring_regex", context, picked, options));
  const BooleanValues is_match(Operand{matches, false});
  for (size_t i = 0; i < likely.size(); ++i) {
    if (is_match[static_cast<int64_t>(i)]) {
      arrow::bit_util::SetBit(bits->mutable_data(), likely[i]);
    }
  }
  return MakeBooleans(rows, std::move(bits), nulls.validity());
}

Result<std::shared_ptr<Array>> RegexpLike(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  arrow::compute::MatchSubstringOptions options(PatternOf(args, 2));
  // Flags are written into the pattern, which then has no literal.
  const std::string literal = RequiredLiteral(options.pattern);
  if (!args[0].is_constant && !literal.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto matches, MatchWithLiteral(context, args[0], rows, literal, options));
    if (matches != nullptr) return matches;
  }
  return CallArrow("match_substring_regex", context, args[0].array, options);
}

/// Nulls have no match.
Result<std::shared_ptr<Array>> RegexpCount(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto counts,
                        CallArrow("count_substring_regex", context, args[0].array,
                                  arrow::compute::MatchSubstringOptions(PatternOf(args, 2))));
  bool is_wide = counts->type_id() == arrow::Type::INT64;
  FixedValues<int64_t> wide(Operand{counts, args[0].is_constant});
  FixedValues<int32_t> narrow(Operand{counts, args[0].is_constant});
  const Array& texts = *args[0].array;
  return MapFixed<int64_t>(context, {}, rows, [&](int64_t row) -> int64_t {
    if (texts.IsNull(args[0].IndexOf(row))) return 0;
    return is_wide ? wide[row] : narrow[row];
  });
}

/// `$1` and `${1}` as RE2 writes them: `\1`.
std::string ReplacementOf(std::string_view text) {
  std::string out;
  auto is_digit = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_group = (text[i] == '\\' || text[i] == '$') && is_digit(i + 1);
    if (is_group) {
      out += '\\';
    } else if (text[i] == '\\') {
      out += "\\\\";
    } else if (text[i] == '$' && i + 3 < text.size() && text[i + 1] == '{' && is_digit(i + 2) &&
               text[i + 3] == '}') {
      out += '\\';
      out += text[i + 2];
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

Result<std::shared_ptr<Array>> RegexpReplace(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  std::string replacement = ReplacementOf(BytesValues(args[2])[0]);
  arrow::compute::ReplaceSubstringOptions options(PatternOf(args, 3), replacement,
                                                  HasGlobalFlag(args) ? -1 : 1);
  return CallArrow("replace_substring_regex", context, args[0].array, options);
}

/// A pattern all of whose groups have names, as Arrow's extract_regex wants them; one around it all
/// if there is none.
std::string WithNamedGroups(std::string_view pattern) {
  std::string named;
  int groups = 0;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    named += c;
    if (c == '\\' && i + 1 < pattern.size()) {
      named += pattern[++i];
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      // A bracket that comes first is part of the class.
      size_t first = i + 1;
      if (first < pattern.size() && pattern[first] == '^') ++first;
      if (first < pattern.size() && pattern[first] == ']') {
        named += pattern.substr(i + 1, first - i);
        i = first;
      }
    } else if (c == '(') {
      std::string_view rest = pattern.substr(i + 1);
      bool has_name = rest.starts_with("?P<") || rest.starts_with("?<");
      if (has_name) i = std::min(pattern.find('>', i), pattern.size() - 1);
      if (has_name || !rest.starts_with('?')) named += "?P<g" + std::to_string(++groups) + ">";
    }
  }
  return groups > 0 ? named : "(?P<g1>" + named + ")";
}

/// The groups of the first match, or the match if there are none; null without a match.
Result<std::shared_ptr<Array>> RegexpMatch(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  std::string pattern = WithNamedGroups(PatternOf(args, 2));
  ARROW_ASSIGN_OR_RAISE(auto extracted, CallArrow("extract_regex", context, args[0].array,
                                                  arrow::compute::ExtractRegexOptions(pattern)));
  const auto& groups = static_cast<const arrow::StructArray&>(*extracted);
  auto count = static_cast<int64_t>(groups.num_fields());
  int64_t length = groups.length();
  if (length * count > std::numeric_limits<int32_t>::max()) {
    return UserError("too many matches at once");
  }
  arrow::ArrayVector columns;
  for (int i = 0; i < groups.num_fields(); ++i) columns.push_back(groups.field(i));
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(columns, context.pool));
  std::vector<int64_t> order;
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues<int32_t>(context.pool, length + 1));
  auto* offset = offsets->mutable_data_as<int32_t>();
  offset[0] = 0;
  for (int64_t row = 0; row < length; ++row) {
    if (groups.IsValid(row)) {
      for (int64_t group = 0; group < count; ++group) order.push_back(group * length + row);
    }
    offset[row + 1] = static_cast<int32_t>(order.size());
  }
  ARROW_ASSIGN_OR_RAISE(auto items, Gather(context.pool, all, order));
  Operand operand{extracted, false};
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, {&operand, 1}, length));
  return arrow::MakeArray(arrow::ArrayData::Make(
      context.type, length, {nulls.validity(), std::move(offsets)}, {items->data()}));
}

/// A text, then literals: a pattern, and flags at `flags_at`.
bool TakesPattern(BindArgs args, size_t flags_at) {
  if (args.size() < flags_at || args.size() > flags_at + 1 || !TakesString(*args[0])) return false;
  for (size_t i = 1; i < args.size(); ++i) {
    if (!LiteralText(*args[i])) return false;
  }
  if (args.size() == flags_at) return true;
  return LiteralText(*args[flags_at])->find_first_not_of("gismU") == std::string::npos;
}

BoundFunction BindTexts(BindArgs args, TypePtr type, Kernel kernel) {
  BoundFunction bound{{StringTypeOf(*args[0])}, std::move(type), kernel, /*can_fail=*/true};
  bound.arg_types.resize(args.size(), arrow::utf8());
  return bound;
}

Bound BindLike(BindArgs args) {
  if (!TakesPattern(args, 2)) return std::nullopt;
  return BindTexts(args, arrow::boolean(), RegexpLike);
}

Bound BindCount(BindArgs args) {
  if (!TakesPattern(args, 2)) return std::nullopt;
  return BindTexts(args, arrow::int64(), RegexpCount);
}

Bound BindMatch(BindArgs args) {
  if (!TakesPattern(args, 2)) return std::nullopt;
  return BindTexts(args, arrow::list(StringTypeOf(*args[0])), RegexpMatch);
}

Bound BindReplace(BindArgs args) {
  if (!TakesPattern(args, 3)) return std::nullopt;
  return BindTexts(args, StringTypeOf(*args[0]), RegexpReplace);
}

constexpr Function kFunctions[] = {
    {"regexp_like", "regexp_like(string, 'pattern'[, 'flags'])", BindLike},
    {"regexp_match", "regexp_match(string, 'pattern'[, 'flags'])", BindMatch},
    {"regexp_count", "regexp_count(string, 'pattern'[, 'flags'])", BindCount},
    {"regexp_replace", "regexp_replace(string, 'pattern', 'replacement'[, 'flags'])", BindReplace},
};

}  // namespace

std::span<const Function> RegexFunctions() { return kFunctions; }

}  // namespace lance::query
