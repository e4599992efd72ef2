#include <algorithm>
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
#include "query/expr/kernel/regex_syntax.h"
#include "query/expr/kernel/substring_search.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using arrow::Array;
using lance::internal::Concat;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// Arrow's kernels match with RE2; patterns are brought into its syntax.

Result<std::shared_ptr<Array>> CallArrow(const std::string& function, const CallContext& context,
                                         const std::shared_ptr<Array>& texts,
                                         const arrow::compute::FunctionOptions& options) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(context.pool);
  ARROW_ASSIGN_OR_RAISE(auto result,
                        arrow::compute::CallFunction(function, {texts}, &options, &exec));
  return result.make_array();
}

/// The pattern, with the flags at `flags_at`. `g` belongs to regexp_replace.
Result<RegexPattern> PatternOf(std::span<const Operand> args, size_t flags_at) {
  std::string flags;
  if (args.size() > flags_at) {
    for (char flag : BytesValues(args[flags_at])[0]) {
      if (flag != 'g') flags += flag;
    }
  }
  return TranslateRegex(BytesValues(args[1])[0], flags);
}

bool HasGlobalFlag(std::span<const Operand> args) {
  return args.size() > 3 && BytesValues(args[3])[0].find('g') != std::string_view::npos;
}

/// Takes any number of characters, so that what follows begins where a character does.
constexpr std::string_view kAnyStart = "\\A(?s:.*?)";

/// The pattern for a search of its first match.
std::string ForFirstMatch(const RegexPattern& pattern) {
  if (!pattern.has_inner_boundary) return pattern.text;
  return Concat(kAnyStart, "(?:", pattern.text, ")");
}

/// For what looks at all matches.
Status RefuseInnerBoundary(const RegexPattern& pattern) {
  if (!pattern.has_inner_boundary) return Status::OK();
  return UserError("\\B is not supported where all matches are looked for");
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
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 2));
  arrow::compute::MatchSubstringOptions options(ForFirstMatch(pattern));
  const bool has_flags = args.size() > 2;
  const std::string literal = has_flags ? "" : RequiredLiteral(BytesValues(args[1])[0]);
  if (!args[0].is_constant && !literal.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto matches, MatchWithLiteral(context, args[0], rows, literal, options));
    if (matches != nullptr) return matches;
  }
  return CallArrow("match_substring_regex", context, args[0].array, options);
}

/// Where a count starts: after the first `start - 1` characters of each text.
Result<Operand> TextsFrom(const CallContext& context, std::span<const Operand> args) {
  if (args.size() < 3) return args[0];
  const int64_t start = FixedValues<int64_t>(args[2])[0];
  if (start < 1) return UserError("regexp_count() starts at character 1 or later, not at ", start);
  BytesValues texts(args[0]);
  const CallContext text_context{context.pool, args[0].array->type()};
  ARROW_ASSIGN_OR_RAISE(auto rest,
                        MapTexts(text_context, args.first(1), args[0].array->length(),
                                 [&](int64_t row, std::string_view* out) {
                                   *out = texts[row].substr(ByteOfCharacter(texts[row], start - 1));
                                   return Status::OK();
                                 }));
  return Operand{std::move(rest), args[0].is_constant};
}

/// Nulls have no match. Each match becomes one byte longer, which counts them.
Result<std::shared_ptr<Array>> RegexpCount(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 3));
  ARROW_RETURN_NOT_OK(RefuseInnerBoundary(pattern));
  ARROW_ASSIGN_OR_RAISE(Operand texts, TextsFrom(context, args));
  ARROW_ASSIGN_OR_RAISE(auto longer, CallArrow("replace_substring_regex", context, texts.array,
                                               arrow::compute::ReplaceSubstringOptions(
                                                   pattern.text, "\\0.", /*max=*/-1)));
  const Operand longer_operand{longer, texts.is_constant};
  BytesValues after(longer_operand);
  BytesValues before(texts);
  return MapFixed<int64_t>(context, {}, rows, [&](int64_t row) -> int64_t {
    if (texts.array->IsNull(texts.IndexOf(row))) return 0;
    return static_cast<int64_t>(after[row].size() - before[row].size());
  });
}

/// Replacing the first match is replacing a text up to its end: only then does the match see what
/// stands around it.
Result<std::shared_ptr<Array>> RegexpReplace(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 3));
  const bool replaces_all = HasGlobalFlag(args);
  if (replaces_all) ARROW_RETURN_NOT_OK(RefuseInnerBoundary(pattern));
  constexpr size_t kGroupsAround = 2;
  ARROW_ASSIGN_OR_RAISE(
      std::string replacement,
      TranslateReplacement(BytesValues(args[2])[0], pattern, replaces_all ? 0 : kGroupsAround));
  if (!replaces_all) {
    pattern.text = Concat("\\A((?s:.*?))(", pattern.text, ")");
    replacement.insert(0, "\\1");
  }
  return CallArrow("replace_substring_regex", context, args[0].array,
                   arrow::compute::ReplaceSubstringOptions(pattern.text, replacement, -1));
}

/// The groups of the first match, or the match if there are none; null without a match.
Result<std::shared_ptr<Array>> RegexpMatch(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 2));
  if (pattern.groups.empty()) pattern.text = Concat("(?P<g1>", pattern.text, ")");
  ARROW_ASSIGN_OR_RAISE(auto extracted,
                        CallArrow("extract_regex", context, args[0].array,
                                  arrow::compute::ExtractRegexOptions(ForFirstMatch(pattern))));
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

bool HasNull(BindArgs args) {
  return std::any_of(args.begin(), args.end(), [](auto& arg) { return arg->IsNullLiteral(); });
}

/// A text, then literals of text: a pattern, and flags at `flags_at`. Nulls are fine.
bool TakesPattern(BindArgs args, size_t flags_at) {
  if (args.size() < flags_at || args.size() > flags_at + 1 || !TakesString(*args[0])) return false;
  return std::all_of(args.begin() + 1, args.end(), [](auto& arg) {
    return LiteralText(*arg).has_value() || (TakesString(*arg) && arg->IsNullLiteral());
  });
}

Result<std::shared_ptr<Array>> AllNull(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  return arrow::MakeArrayOfNull(context.type, rows, context.pool);
}

Result<std::shared_ptr<Array>> NoMatches(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  return MapFixed<int64_t>(context, {}, rows, [](int64_t) { return int64_t{0}; });
}

BoundFunction BindTexts(BindArgs args, TypePtr type, Kernel kernel) {
  if (HasNull(args.subspan(1))) kernel = AllNull;
  BoundFunction bound{{StringTypeOf(*args[0])}, std::move(type), kernel, /*can_fail=*/true};
  bound.arg_types.resize(args.size(), arrow::utf8());
  return bound;
}

Bound BindLike(BindArgs args) {
  if (!TakesPattern(args, 2)) return std::nullopt;
  return BindTexts(args, arrow::boolean(), RegexpLike);
}

/// With a third argument, the character at which to start.
Bound BindCount(BindArgs args) {
  const bool has_start = args.size() > 2 && TakesInteger(*args[2]) && args[2]->IsLiteral();
  if (!TakesPattern(args.first(std::min<size_t>(args.size(), 2)), 2)) return std::nullopt;
  if (args.size() > 4 || (args.size() > 2 && !has_start)) return std::nullopt;
  if (args.size() > 3 && !LiteralText(*args[3])) return std::nullopt;
  BoundFunction bound = BindTexts(args, arrow::int64(), RegexpCount);
  if (HasNull(args.subspan(1))) bound.kernel = NoMatches;
  if (has_start) bound.arg_types[2] = arrow::int64();
  return bound;
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
    {"regexp_count", "regexp_count(string, 'pattern'[, start[, 'flags']])", BindCount},
    {"regexp_replace", "regexp_replace(string, 'pattern', 'replacement'[, 'flags'])", BindReplace},
};

}  // namespace

std::span<const Function> RegexFunctions() { return kFunctions; }

}  // namespace lance::query
