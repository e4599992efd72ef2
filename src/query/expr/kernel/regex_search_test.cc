#include "query/expr/kernel/regex_search.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "arrow/array.h"
#include "arrow/array/builder_binary.h"
#include "arrow/compute/api_scalar.h"
#include "arrow/compute/exec.h"
#include "base/compute_kernels.h"
#include "query/expr/kernel/regex_syntax.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using Outcome = RegexSearch::Outcome;

/// `begin-end:group,group` of the first match from `from` on.
std::string First(std::string_view pattern, std::string_view text, size_t from = 0) {
  auto program = RegexProgram::Of(TranslateRegex(pattern, "")->text, /*keeps_groups=*/true);
  if (!program) return "RE2";
  RegexSearch search(*program, text);
  const Outcome outcome = search.Find(from);
  if (outcome != Outcome::kFound) return outcome == Outcome::kNone ? "none" : "too hard";
  std::string found = std::to_string(search.begin()) + "-" + std::to_string(search.end());
  for (size_t group = 1; group <= 2; ++group) found += "," + std::string(search.Group(group));
  return found;
}

TEST(RegexSearch, FindsTheLeftmostMatchThatIsFoundFirst) {
  EXPECT_EQ(First("b+", "abbb"), "1-4,,");
  EXPECT_EQ(First("b+?", "abbb"), "1-2,,");
  EXPECT_EQ(First("a|ab", "xab"), "1-2,,");
  EXPECT_EQ(First("(a*)(ab)?", "aab"), "0-2,aa,");
  EXPECT_EQ(First("(a*?)(ab)", "aab"), "0-3,a,ab");
  EXPECT_EQ(First("(é.)|(.é)", "xxéé"), "1-4,,xé");
  EXPECT_EQ(First("^b", "ab"), "none");
  EXPECT_EQ(First("b$", "ab", 2), "none");
  EXPECT_EQ(First("$", "ab"), "2-2,,");
  EXPECT_EQ(First("\\bb", "ab b"), "3-4,,");
  EXPECT_EQ(First("[^a]{2,3}", "aéa東京bc"), "4-11,,");
}

TEST(RegexSearch, LeavesTheRestToRe2) {
  for (const char* pattern : {"(ab)+", "(?:a|b)*", "a{1001}", "[[:alpha:]]", "\\p{Lu}", "\\B",
                              "(?s).", "[z-a]", "(?i)é", "a{3,2}", "[a-b-c]"}) {
    EXPECT_EQ(First(pattern, "a"), "RE2") << pattern;
  }
  std::string many_groups;
  for (int i = 0; i < 50; ++i) many_groups += "(a)?";
  EXPECT_EQ(First(many_groups, "a"), "RE2");
  std::string many_choices;
  for (int i = 0; i < 30; ++i) many_choices += "(?:a)?";
  EXPECT_EQ(First(many_choices + "b", std::string(1000, 'a')), "too hard");
  EXPECT_EQ(First("a*a*a*a*a*b", std::string(1000, 'a')), "too hard");
  EXPECT_EQ(First("[^a]b", "\xE6\x9D"), "too hard");
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(engine_); }
  template <typename T>
  std::string Pick(std::initializer_list<T> choices) {
    return *(choices.begin() + Below(choices.size()));
  }

  std::string Pattern(size_t depth = 0) {
    std::string pattern;
    for (size_t items = Below(4) + (depth == 0 ? 1 : 0); items > 0; --items) {
      const size_t kind = Below(depth < 3 ? 10 : 8);
      if (kind < 6) {
        pattern += Pick({"a",      "b",     "ab",  "é",   ".",       "[ab]", "[^a]",
                         "[^é-ü]", "[b-é]", "\\w", "\\s", "\\d",     "\\.",  "[\\d_-]",
                         "[^\\s]", "\\S",   "\\D", "東",  "\\x{E9}", "[-a]"});
        if (Below(2) == 0) pattern += Pick({"*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,1}"});
        if (Below(6) == 0) pattern += "?";
      } else if (kind < 8) {
        pattern += Pick({"^", "$", "\\b", "\\A", "\\z", "|"});
      } else {
        pattern += Pick({"(", "(?:", "(?P<n>"}) + Pattern(depth + 1) + ")" + Pick({"", "?", "??"});
      }
    }
    return pattern;
  }

  std::string Text() {
    std::string text;
    for (size_t i = Below(9); i > 0; --i) {
      text += Pick({"a", "b", "é", " ", "東", "_", "1", ".", "\n", "A", "😀"});
    }
    return text;
  }

 private:
  std::mt19937 engine_;
};

/// `replacement`, the match between `[` and `]`, for all matches.
std::string Replaced(const RegexProgram& program, const std::string& text) {
  RegexSearch search(program, text);
  std::string out;
  size_t copied = 0;
  size_t last_end = std::string::npos;
  for (size_t from = 0; from <= text.size();) {
    const Outcome outcome = search.Find(from);
    if (outcome == Outcome::kTooHard) return "too hard";
    if (outcome == Outcome::kNone) break;
    if (search.begin() == search.end() && search.end() == last_end) {
      from += from < text.size() ? CharacterBytes(std::string_view(text).substr(from)) : 1;
      continue;
    }
    out += text.substr(copied, search.begin() - copied) + "[";
    out += std::string(search.Group(0)) + "]";
    for (size_t group = 1; group <= 3; ++group) out += "<" + std::string(search.Group(group)) + ">";
    copied = from = last_end = search.end();
  }
  return out + text.substr(copied);
}

TEST(RegexSearch, FindsWhatRe2Finds) {
  ASSERT_TRUE(InitializeComputeKernels().ok());
  int compared = 0;
  int too_hard = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const bool ignores_case = random.Below(5) == 0;
    // Groups that there are not are empty for RE2, too.
    const std::string source = random.Pattern();
    const auto pattern = TranslateRegex(source, ignores_case ? "i" : "");
    if (!pattern.ok()) continue;
    const auto program = RegexProgram::Of(pattern->text, /*keeps_groups=*/true);
    if (!program) continue;
    ++compared;
    std::string replacement = "[\\0]";
    for (size_t group = 1; group <= 3; ++group) {
      replacement += group <= pattern->groups.size() ? "<\\" + std::to_string(group) + ">" : "<>";
    }
    std::vector<std::string> texts;
    arrow::StringBuilder builder;
    for (int i = 0; i < 20; ++i) {
      const std::string text = random.Text();
      if (program->is_for_ascii() && !IsAscii(text)) continue;
      texts.push_back(text);
      ASSERT_TRUE(builder.Append(text).ok());
    }
    const arrow::compute::ReplaceSubstringOptions options(pattern->text, replacement);
    auto expected = arrow::compute::CallFunction("replace_substring_regex",
                                                 {builder.Finish().ValueOrDie()}, &options);
    ASSERT_TRUE(expected.ok()) << source << ": " << expected.status().ToString();
    const std::shared_ptr<arrow::Array> array = expected->make_array();
    const auto& values = static_cast<const arrow::StringArray&>(*array);
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::string replaced = Replaced(*program, texts[i]);
      too_hard += replaced == "too hard" ? 1 : 0;
      if (replaced == "too hard") continue;
      EXPECT_EQ(replaced, values.GetView(static_cast<int64_t>(i)))
          << "seed " << seed << ", pattern '" << source << "' in '" << texts[i] << "'";
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_LT(too_hard, 10);
}

}  // namespace
}  // namespace lance::query
