#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

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
  if (args.size() > flags_at && !IsNullAt(args[flags_at], 0)) {
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

/// The character at which a count starts, from 1.
int64_t StartOf(std::span<const Operand> args) {
  return args.size() < 3 || IsNullAt(args[2], 0) ? 1 : FixedValues<int64_t>(args[2])[0];
}

/// Where a count starts: after the first `start - 1` characters of each text.
Result<Operand> TextsFrom(const CallContext& context, std::span<const Operand> args) {
  const int64_t start = StartOf(args);
  if (start == 1) return args[0];
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

/// Nulls have no match, nor have texts that end before the start. Each match becomes one byte
/// longer, which counts them.
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
  const int64_t start = StartOf(args);
  const BytesValues whole(args[0]);
  return MapFixed<int64_t>(context, {}, rows, [&](int64_t row) -> int64_t {
    if (IsNullAt(texts, row)) return 0;
    if (start > 1 && CountCharacters(whole[row]) < start - 1) return 0;
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

/// The result for rows whose pattern, or another text after it, is null.
enum class OfNull : uint8_t { kNull, kZero };

/// Rows that have the same texts and numbers after the first argument, by what these are.
class SameRows {
 public:
  /// Rows where one of the first `required` arguments is null are unknown.
  SameRows(std::span<const Operand> args, size_t required, int64_t rows) {
    std::string key;
    for (int64_t row = 0; row < rows; ++row) {
      key.clear();
      for (const Operand& arg : args) Add(arg, row, &key);
      if (HasNull(args.first(std::min(required, args.size())), row)) {
        unknown_.push_back(row);
        continue;
      }
      auto [found, is_new] = groups_.try_emplace(key, rows_.size());
      if (is_new) rows_.emplace_back();
      rows_[found->second].push_back(row);
    }
  }

  const std::vector<std::vector<int64_t>>& groups() const { return rows_; }
  const std::vector<int64_t>& unknown() const { return unknown_; }

  static bool HasNull(std::span<const Operand> args, int64_t row) {
    return std::any_of(args.begin(), args.end(),
                       [&](const Operand& arg) { return IsNullAt(arg, row); });
  }

 private:
  static void Add(const Operand& arg, int64_t row, std::string* key) {
    if (IsNullAt(arg, row)) {
      *key += 'n';
    } else if (arg.array->type_id() == arrow::Type::INT64) {
      *key += std::to_string(FixedValues<int64_t>(arg)[row]);
    } else {
      const std::string_view text = BytesValues(arg)[row];
      *key += Concat(text.size(), ":");
      *key += text;
    }
    *key += ';';
  }

  std::unordered_map<std::string, size_t> groups_;
  std::vector<std::vector<int64_t>> rows_;
  std::vector<int64_t> unknown_;
};

Result<std::shared_ptr<Array>> ForUnknown(const CallContext& context, OfNull of_null,
                                          int64_t rows) {
  if (of_null == OfNull::kNull) {
    return arrow::MakeArrayOfNull(context.type, rows, context.pool);
  }
  return MapFixed<int64_t>(context, {}, rows, [](int64_t) { return int64_t{0}; });
}

/// Each pattern is compiled once for all rows that have it. kKernel takes the arguments behind the
/// first as constants, of which kRequired are not null.
template <Kernel kKernel, OfNull kOfNull, size_t kRequired>
Result<std::shared_ptr<Array>> ByPattern(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const auto others = args.subspan(1);
  const bool is_one =
      std::all_of(others.begin(), others.end(), [](const Operand& arg) { return arg.is_constant; });
  if (is_one) {
    const bool is_unknown = SameRows::HasNull(others.first(std::min(kRequired, others.size())), 0);
    return is_unknown ? ForUnknown(context, kOfNull, rows) : kKernel(context, args, rows);
  }
  const SameRows same(others, kRequired, rows);
  arrow::ArrayVector pieces;
  std::vector<int64_t> source(static_cast<size_t>(rows));
  int64_t length = 0;
  auto add = [&](const std::shared_ptr<Array>& piece, const std::vector<int64_t>& of_rows) {
    for (size_t i = 0; i < of_rows.size(); ++i) {
      source[static_cast<size_t>(of_rows[i])] =
          length + (piece->length() == 1 ? 0 : static_cast<int64_t>(i));
    }
    length += piece->length();
    pieces.push_back(piece);
  };
  for (const std::vector<int64_t>& group : same.groups()) {
    std::vector<Operand> group_args = {args[0]};
    if (!args[0].is_constant) {
      ARROW_ASSIGN_OR_RAISE(group_args[0].array, Gather(context.pool, args[0].array, group));
    }
    for (const Operand& arg : others) {
      group_args.push_back({arg.array->Slice(arg.IndexOf(group[0]), 1), true});
    }
    const auto count = static_cast<int64_t>(args[0].is_constant ? 1 : group.size());
    ARROW_ASSIGN_OR_RAISE(auto piece, kKernel(context, group_args, count));
    add(piece, group);
  }
  if (!same.unknown().empty()) {
    ARROW_ASSIGN_OR_RAISE(auto piece, ForUnknown(context, kOfNull, 1));
    add(piece, same.unknown());
  }
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(pieces, context.pool));
  return Gather(context.pool, all, source);
}

/// All of them strings, `least` to `most`.
bool AreStrings(BindArgs args, size_t least, size_t most) {
  return args.size() >= least && args.size() <= most &&
         std::all_of(args.begin(), args.end(), [](auto& arg) { return TakesString(*arg); });
}

BoundFunction BindTexts(BindArgs args, TypePtr type, Kernel kernel) {
  BoundFunction bound{{StringTypeOf(*args[0])}, std::move(type), kernel, /*can_fail=*/true};
  bound.arg_types.resize(args.size(), arrow::utf8());
  return bound;
}

Bound BindLike(BindArgs args) {
  if (!AreStrings(args, 2, 3)) return std::nullopt;
  return BindTexts(args, arrow::boolean(), ByPattern<RegexpLike, OfNull::kNull, 1>);
}

/// With a third argument, the character at which to start.
Bound BindCount(BindArgs args) {
  if (args.size() > 4 || !AreStrings(args.first(std::min<size_t>(args.size(), 2)), 2, 2)) {
    return std::nullopt;
  }
  if (args.size() > 2 && !TakesInteger(*args[2])) return std::nullopt;
  if (args.size() > 3 && !TakesString(*args[3])) return std::nullopt;
  BoundFunction bound = BindTexts(args, arrow::int64(), ByPattern<RegexpCount, OfNull::kZero, 1>);
  if (args.size() > 2) bound.arg_types[2] = arrow::int64();
  return bound;
}

Bound BindMatch(BindArgs args) {
  if (!AreStrings(args, 2, 3)) return std::nullopt;
  return BindTexts(args, arrow::list(StringTypeOf(*args[0])),
                   ByPattern<RegexpMatch, OfNull::kNull, 1>);
}

Bound BindReplace(BindArgs args) {
  if (!AreStrings(args, 3, 4)) return std::nullopt;
  return BindTexts(args, StringTypeOf(*args[0]), ByPattern<RegexpReplace, OfNull::kNull, 3>);
}

constexpr Function kFunctions[] = {
    {"regexp_like", "regexp_like(string, pattern[, flags])", BindLike},
    {"regexp_match", "regexp_match(string, pattern[, flags])", BindMatch},
    {"regexp_count", "regexp_count(string, pattern[, start[, flags]])", BindCount},
    {"regexp_replace", "regexp_replace(string, pattern, replacement[, flags])", BindReplace},
};

}  // namespace

std::span<const Function> RegexFunctions() { return kFunctions; }

}  // namespace lance::query
