#include "query/expr/kernel/substring_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "arrow/api.h"
#include "query/expr/kernel/regex_literal.h"

namespace lance::query {
namespace {

TEST(SubstringSearch, FindsInOneText) {
  std::mt19937 random(8);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (size_t left = random() % 200; left > 0; --left) {
      text += static_cast<char>('a' + random() % 2);
    }
    std::string needle = text.substr(random() % (text.size() + 1), random() % 20);
    if (random() % 2 == 0) needle += 'a';
    EXPECT_EQ(FindText(text, needle), text.find(needle)) << text << " " << needle;
  }
}

TEST(SubstringSearch, FindsTheRowsThatHaveIt) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    arrow::StringBuilder builder;
    std::vector<std::string> texts(1 + random() % 300);
    for (std::string& text : texts) {
      for (size_t left = random() % (round % 2 == 0 ? 4 : 300); left > 0; --left) {
        text += static_cast<char>('a' + random() % 2);
      }
      ASSERT_TRUE(builder.Append(text).ok());
    }
    auto array = builder.Finish().ValueOrDie();
    const auto skipped = static_cast<int64_t>(random() % texts.size());
    auto slice = array->Slice(skipped);
    std::string needle;
    for (size_t left = 1 + random() % (round % 3 == 0 ? 20 : 6); left > 0; --left) {
      needle += static_cast<char>('a' + random() % 2);
    }
    std::vector<int64_t> expected;
    for (int64_t row = 0; row < slice->length(); ++row) {
      if (texts[static_cast<size_t>(skipped + row)].find(needle) != std::string::npos) {
        expected.push_back(row);
      }
    }
    EXPECT_EQ(RowsContaining(BytesValues(Operand{slice, false}), slice->length(), needle),
              expected);
  }
}

/// Those of the alternatives, with `|` between them.
std::string Required(std::string_view pattern) {
  std::string all;
  for (const std::string& literal : RequiredLiterals(pattern)) {
    all += all.empty() ? literal : "|" + literal;
  }
  return all;
}

TEST(RegexLiterals, AreInEveryMatch) {
  EXPECT_EQ(Required("abc"), "abc");
  EXPECT_EQ(Required("^abc$"), "abc");
  EXPECT_EQ(Required("fur[a-z]+ly bold"), "ly bold");
  EXPECT_EQ(Required("a.bcd.e"), "bcd");
  EXPECT_EQ(Required("abc?d"), "ab");
  EXPECT_EQ(Required("abc*de*"), "ab");
  EXPECT_EQ(Required("xab+cd"), "xab");
  EXPECT_EQ(Required("ab{0,3}cde"), "cde");
  EXPECT_EQ(Required("aé*b"), "a") << "the whole character may be missing";
  EXPECT_EQ(Required("a\\.b\\d+cc"), "a.b");
  EXPECT_EQ(Required("(abc|d)ef(gh(i))?"), "ef");
  EXPECT_EQ(Required("(ab)+c"), "c");
  EXPECT_EQ(Required("abc|de+f|[gh]i"), "abc|de|i");
}

TEST(RegexLiterals, AreNotGuessed) {
  for (const char* pattern :
       {"",        "abc|d*",         "(?i)abc", "abc(?i)def", "a(?:b)",   "\\x41bc",   "\\Qa.b\\E",
        "\\pLabc", "[[:alpha:]]abc", "[]a]bc",  "[^]a]bc",    "[\\]]abc", "(a\\)bc)d", "abc\\",
        "(abc",    "ab[c",           "a*",      ".*",         "[abc]",    "\\d+"}) {
    EXPECT_EQ(Required(pattern), "") << pattern;
  }
}

}  // namespace
}  // namespace lance::query
