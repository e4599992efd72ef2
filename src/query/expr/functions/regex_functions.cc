#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/array/concatenate.h"
#include "arrow/compute/api_scalar.h"
#include "arrow/compute/exec.h"
#include "arrow/scalar.h"
#include "base/compute_kernels.h"
#include "query/expr/function.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/regex_literal.h"
#include "query/expr/kernel/regex_program.h"
#include "query/expr/kernel/regex_search.h"
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

/// The flags at `flags_at`, but for `g`, which belongs to regexp_replace.
std::string FlagsOf(std::span<const Operand> args, size_t flags_at) {
  std::string flags;
  if (args.size() > flags_at && !IsNullAt(args[flags_at], 0)) {
    for (char flag : BytesValues(args[flags_at])[0]) {
      if (flag != 'g') flags += flag;
    }
  }
  return flags;
}

Result<RegexPattern> PatternOf(std::span<const Operand> args, size_t flags_at) {
  return TranslateRegex(BytesValues(args[1])[0], FlagsOf(args, flags_at));
}

/// The rows that can have a match, by what every match has in it; nothing if that can be any.
std::optional<std::vector<int64_t>> LikelyRows(std::span<const Operand> args, size_t flags_at,
                                               int64_t rows) {
  constexpr size_t kMostSearches = 4;
  if (args[0].is_constant || !FlagsOf(args, flags_at).empty()) return std::nullopt;
  const std::vector<std::string> literals = RequiredLiterals(BytesValues(args[1])[0]);
  if (literals.empty() || literals.size() > kMostSearches) return std::nullopt;
  const BytesValues texts(args[0]);
  std::vector<int64_t> likely = RowsContaining(texts, rows, literals[0]);
  for (size_t i = 1; i < literals.size(); ++i) {
    const std::vector<int64_t> others = RowsContaining(texts, rows, literals[i]);
    std::vector<int64_t> both;
    std::set_union(likely.begin(), likely.end(), others.begin(), others.end(),
                   std::back_inserter(both));
    likely = std::move(both);
  }
  return likely;
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

/// Matches only some rows; nullptr if that are too many for it to pay.
Result<std::shared_ptr<Array>> MatchRows(const CallContext& context, const Operand& texts,
                                         int64_t rows, std::vector<int64_t> likely,
                                         const RegexPattern& pattern) {
  constexpr size_t kWorthwhileShare = 2;
  const auto program = RegexProgram::Of(pattern.text, /*keeps_groups=*/false);
  if (!program && likely.size() * kWorthwhileShare > static_cast<size_t>(rows)) return nullptr;
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, {&texts, 1}, rows));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateEmptyBitmap(rows, context.pool));
  if (program) {
    const BytesValues values(texts);
    std::erase_if(likely, [&](int64_t row) {
      if (program->is_for_ascii() && !IsAscii(values[row])) return false;
      const auto outcome = RegexSearch(*program, values[row]).Find(0);
      if (outcome == RegexSearch::Outcome::kFound) {
        arrow::bit_util::SetBit(bits->mutable_data(), row);
      }
      return outcome != RegexSearch::Outcome::kTooHard;
    });
  }
  if (!likely.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto picked, Gather(context.pool, texts.array, likely));
    const arrow::compute::MatchSubstringOptions options(ForFirstMatch(pattern));
    ARROW_ASSIGN_OR_RAISE(auto matches,
                          CallArrow("match_substring_regex", context, picked, options));
    const BooleanValues is_match(Operand{matches, false});
    for (size_t i = 0; i < likely.size(); ++i) {
      if (is_match[static_cast<int64_t>(i)]) {
        arrow::bit_util::SetBit(bits->mutable_data(), likely[i]);
      }
    }
  }
  return MakeBooleans(rows, std::move(bits), nulls.validity());
}

Result<std::shared_ptr<Array>> RegexpLike(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 2));
  if (auto likely = LikelyRows(args, 2, rows)) {
    ARROW_ASSIGN_OR_RAISE(auto matches,
                          MatchRows(context, args[0], rows, *std::move(likely), pattern));
    if (matches != nullptr) return matches;
  }
  const arrow::compute::MatchSubstringOptions options(ForFirstMatch(pattern));
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

/// Asked for rows in ascending order.
class RowSet {
 public:
  /// All of them if there is no list.
  explicit RowSet(const std::optional<std::vector<int64_t>>& rows) : rows_(rows) {}

  bool Contains(int64_t row) {
    if (!rows_) return true;
    while (next_ < rows_->size() && (*rows_)[next_] < row) ++next_;
    return next_ < rows_->size() && (*rows_)[next_] == row;
  }

 private:
  const std::optional<std::vector<int64_t>>& rows_;
  size_t next_ = 0;
};

/// The rows that a program can't look at, ascending; nothing if they are most of them.
std::optional<std::vector<int64_t>> ForeignRows(const RegexProgram& program, const Operand& texts,
                                                int64_t rows) {
  std::vector<int64_t> foreign;
  const BytesValues values(texts);
  if (!program.is_for_ascii() || IsAscii(values.Joined(rows))) return foreign;
  for (int64_t row = 0; row < rows; ++row) {
    if (!IsAscii(values[row])) foreign.push_back(row);
  }
  if (foreign.size() * 2 > static_cast<size_t>(rows)) return std::nullopt;
  return foreign;
}

/// Values for all rows, of which those of `rows` are computed by `otherwise` of their texts.
template <typename Otherwise>
Result<std::shared_ptr<Array>> Corrected(const CallContext& context,
                                         const std::shared_ptr<Array>& values, const Operand& texts,
                                         const std::vector<int64_t>& rows, Otherwise otherwise) {
  if (rows.empty()) return values;
  ARROW_ASSIGN_OR_RAISE(auto picked, Gather(context.pool, texts.array, rows));
  ARROW_ASSIGN_OR_RAISE(auto others, otherwise(picked));
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate({values, others}, context.pool));
  std::vector<int64_t> source(static_cast<size_t>(values->length()));
  std::iota(source.begin(), source.end(), 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    source[static_cast<size_t>(rows[i])] = values->length() + static_cast<int64_t>(i);
  }
  return Gather(context.pool, all, source);
}

/// Calls visit() for each match. One that is empty and ends where another did doesn't count. False
/// if the text is too hard.
template <typename Visit>
bool ForEachMatch(RegexSearch* search, std::string_view text, Visit visit) {
  size_t last_end = std::string_view::npos;
  for (size_t from = 0; from <= text.size();) {
    const RegexSearch::Outcome outcome = search->Find(from);
    if (outcome != RegexSearch::Outcome::kFound) return outcome == RegexSearch::Outcome::kNone;
    if (search->begin() == search->end() && search->end() == last_end) {
      from += from < text.size() ? CharacterBytes(text.substr(from)) : 1;
      continue;
    }
    if (!visit()) return true;
    from = search->end();
    last_end = from;
  }
  return true;
}

/// Each match becomes one byte longer, which counts them.
Result<std::shared_ptr<Array>> CountWithRe2(const CallContext& context, const std::string& pattern,
                                            const std::shared_ptr<Array>& texts) {
  ARROW_ASSIGN_OR_RAISE(
      auto longer, CallArrow("replace_substring_regex", context, texts,
                             arrow::compute::ReplaceSubstringOptions(pattern, "\\0.", /*max=*/-1)));
  const Operand longer_operand{longer, false};
  const Operand texts_operand{texts, false};
  const BytesValues after(longer_operand);
  const BytesValues before(texts_operand);
  return MapFixed<int64_t>(context, {&texts_operand, 1}, texts->length(), [&](int64_t row) {
    return static_cast<int64_t>(after[row].size() - before[row].size());
  });
}

/// Matches of each text; null where it is.
Result<std::shared_ptr<Array>> CountMatches(const CallContext& context, const std::string& pattern,
                                            const Operand& texts) {
  const int64_t rows = texts.array->length();
  auto with_re2 = [&](auto& picked) { return CountWithRe2(context, pattern, picked); };
  const auto program = RegexProgram::Of(pattern, /*keeps_groups=*/false);
  if (!program || texts.is_constant) return with_re2(texts.array);
  auto hard = ForeignRows(*program, texts, rows);
  if (!hard) return with_re2(texts.array);
  const BytesValues values(texts);
  ARROW_ASSIGN_OR_RAISE(auto counts,
                        MapFixed<int64_t>(context, {&texts, 1}, rows, [&](int64_t row) {
                          const std::string_view text = values[row];
                          if (program->is_for_ascii() && !IsAscii(text)) return int64_t{0};
                          RegexSearch search(*program, text);
                          int64_t count = 0;
                          auto add = [&] { return ++count > 0; };
                          if (!ForEachMatch(&search, text, add)) hard->push_back(row);
                          return count;
                        }));
  return Corrected(context, counts, texts, *hard, with_re2);
}

/// Nulls have no match, nor have texts that end before the start.
Result<std::shared_ptr<Array>> RegexpCount(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 3));
  ARROW_RETURN_NOT_OK(RefuseInnerBoundary(pattern));
  ARROW_ASSIGN_OR_RAISE(Operand texts, TextsFrom(context, args));
  ARROW_ASSIGN_OR_RAISE(auto counts, CountMatches(context, pattern.text, texts));
  const Operand counts_operand{counts, texts.is_constant};
  const FixedValues<int64_t> count(counts_operand);
  const int64_t start = StartOf(args);
  const BytesValues whole(args[0]);
  return MapFixed<int64_t>(context, {}, rows, [&](int64_t row) -> int64_t {
    if (IsNullAt(texts, row)) return 0;
    if (start > 1 && CountCharacters(whole[row]) < start - 1) return 0;
    return count[row];
  });
}

/// A replacement in the form of RE2, taken apart.
class Replacement {
 public:
  explicit Replacement(std::string_view text) {
    parts_.emplace_back();
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        parts_.back().text += text[i];
      } else if (text[++i] == '\\') {
        parts_.back().text += '\\';
      } else {
        parts_.push_back({static_cast<size_t>(text[i] - '0'), ""});
      }
    }
  }

  bool has_groups() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.group > 0; });
  }

  void AppendTo(const RegexSearch& search, std::string* out) const {
    *out += parts_[0].text;
    for (size_t i = 1; i < parts_.size(); ++i) {
      *out += search.Group(parts_[i].group);
      *out += parts_[i].text;
    }
  }

 private:
  /// The first one has no group.
  struct Part {
    size_t group = 0;
    std::string text;  // behind it
  };
  std::vector<Part> parts_;
};

/// The matches of a program in `likely` rows replaced, others where RE2 does it.
template <typename Otherwise>
Result<std::shared_ptr<Array>> ReplaceRows(const CallContext& context, const Operand& texts,
                                           const RegexProgram& program, const Replacement& with,
                                           bool replaces_all,
                                           const std::optional<std::vector<int64_t>>& likely,
                                           Otherwise otherwise) {
  const int64_t rows = texts.array->length();
  auto hard = ForeignRows(program, texts, rows);
  if (!hard) return otherwise(texts.array);
  const BytesValues values(texts);
  RowSet likely_rows(likely);
  bool is_any_changed = false;
  std::string changed;
  auto write = [&](int64_t row, std::string_view* out) {
    const std::string_view text = values[row];
    *out = text;
    if (!likely_rows.Contains(row) || (program.is_for_ascii() && !IsAscii(text)))
      return Status::OK();
    RegexSearch search(program, text);
    changed.clear();
    size_t copied = 0;
    bool is_changed = false;
    const bool is_done = ForEachMatch(&search, text, [&] {
      changed += text.substr(copied, search.begin() - copied);
      with.AppendTo(search, &changed);
      copied = search.end();
      is_changed = true;
      return replaces_all;
    });
    if (!is_done) hard->push_back(row);
    if (!is_done || !is_changed) return Status::OK();
    changed += text.substr(copied);
    *out = changed;
    is_any_changed = true;
    return Status::OK();
  };
  ARROW_ASSIGN_OR_RAISE(auto replaced, MapTexts(context, {&texts, 1}, rows, write));
  if (!is_any_changed && hard->empty()) return texts.array;
  return Corrected(context, replaced, texts, *hard, otherwise);
}

Result<std::shared_ptr<Array>> RegexpReplace(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 3));
  const bool replaces_all = HasGlobalFlag(args);
  if (replaces_all) ARROW_RETURN_NOT_OK(RefuseInnerBoundary(pattern));
  // With RE2, replacing the first match is replacing a text up to its end: only then does the match
  // see what stands around it.
  constexpr size_t kGroupsAround = 2;
  const std::string_view replacement = BytesValues(args[2])[0];
  ARROW_ASSIGN_OR_RAISE(
      std::string re2_replacement,
      TranslateReplacement(replacement, pattern, replaces_all ? 0 : kGroupsAround));
  arrow::compute::ReplaceSubstringOptions options(pattern.text, re2_replacement, /*max=*/-1);
  if (!replaces_all) {
    options.pattern = Concat("\\A((?s:.*?))(", pattern.text, ")");
    options.replacement.insert(0, "\\1");
  }
  auto with_re2 = [&](const std::shared_ptr<Array>& texts) {
    return CallArrow("replace_substring_regex", context, texts, options);
  };
  ARROW_ASSIGN_OR_RAISE(std::string own_replacement, TranslateReplacement(replacement, pattern, 0));
  const Replacement with(own_replacement);
  const auto program = RegexProgram::Of(pattern.text, with.has_groups());
  if (!program || args[0].is_constant) return with_re2(args[0].array);
  const auto likely = LikelyRows(args, 3, rows);
  if (likely && likely->empty()) return args[0].array;
  return ReplaceRows(context, args[0], *program, with, replaces_all, likely, with_re2);
}

Result<std::shared_ptr<Array>> MatchWithRe2(const CallContext& context, RegexPattern pattern,
                                            const std::shared_ptr<Array>& texts) {
  if (pattern.groups.empty()) pattern.text = Concat("(?P<g1>", pattern.text, ")");
  ARROW_ASSIGN_OR_RAISE(auto extracted,
                        CallArrow("extract_regex", context, texts,
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

/// The groups that a program finds in likely rows; those that are too hard for it go to `hard`.
template <typename Offset>
Result<std::shared_ptr<Array>> MatchGroups(const CallContext& context, const Operand& texts,
                                           const RegexProgram& program, size_t groups,
                                           RowSet likely, std::vector<int64_t>* hard) {
  const int64_t rows = texts.array->length();
  const int64_t items_of_row = std::max<int64_t>(static_cast<int64_t>(groups), 1);
  if (rows * items_of_row > std::numeric_limits<int32_t>::max()) {
    return UserError("too many matches at once");
  }
  ARROW_ASSIGN_OR_RAISE(auto items, TextColumn<Offset>::Of(context.pool, rows * items_of_row, 0));
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues<int32_t>(context.pool, rows + 1));
  auto* offset = offsets->template mutable_data_as<int32_t>();
  offset[0] = 0;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity,
                        arrow::AllocateEmptyBitmap(rows, context.pool));
  const BytesValues values(texts);
  for (int64_t row = 0; row < rows; ++row) {
    offset[row + 1] = offset[row];
    if (!likely.Contains(row) || IsNullAt(texts, row)) continue;
    if (program.is_for_ascii() && !IsAscii(values[row])) continue;
    RegexSearch search(program, values[row]);
    const RegexSearch::Outcome outcome = search.Find(0);
    if (outcome == RegexSearch::Outcome::kTooHard) hard->push_back(row);
    if (outcome != RegexSearch::Outcome::kFound) continue;
    for (size_t group = std::min<size_t>(groups, 1); group <= groups; ++group) {
      ARROW_RETURN_NOT_OK(items.Append(search.Group(group)));
    }
    offset[row + 1] += static_cast<int32_t>(items_of_row);
    arrow::bit_util::SetBit(validity->mutable_data(), row);
  }
  ARROW_ASSIGN_OR_RAISE(auto all, items.Finish(context.type->field(0)->type(), nullptr));
  return arrow::MakeArray(arrow::ArrayData::Make(
      context.type, rows, {std::move(validity), std::move(offsets)}, {all->data()}));
}

/// The groups of the first match, or the match if there are none; null without a match.
Result<std::shared_ptr<Array>> RegexpMatch(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RegexPattern pattern, PatternOf(args, 2));
  const size_t groups = pattern.groups.size();
  auto with_re2 = [&](const std::shared_ptr<Array>& texts) {
    return MatchWithRe2(context, pattern, texts);
  };
  const auto program = RegexProgram::Of(pattern.text, /*keeps_groups=*/groups > 0);
  if (!program || args[0].is_constant) return with_re2(args[0].array);
  auto hard = ForeignRows(*program, args[0], rows);
  if (!hard) return with_re2(args[0].array);
  const auto likely = LikelyRows(args, 2, rows);
  const bool is_wide = HasWideOffsets(*context.type->field(0)->type());
  ARROW_ASSIGN_OR_RAISE(
      auto matches,
      (is_wide ? MatchGroups<int64_t> : MatchGroups<int32_t>)(context, args[0], *program, groups,
                                                              RowSet(likely), &*hard));
  return Corrected(context, matches, args[0], *hard, with_re2);
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
