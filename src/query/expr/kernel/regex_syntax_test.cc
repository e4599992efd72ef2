#include "query/expr/kernel/regex_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lance::query {
namespace {

using ::testing::HasSubstr;

std::string Translated(std::string_view pattern, std::string_view flags = "") {
  auto result = TranslateRegex(pattern, flags);
  return result.ok() ? result->text : result.status().message();
}

TEST(RegexSyntax, ClassesAreThoseOfUnicode) {
  EXPECT_EQ(Translated("a\\d+"), "a[\\p{Nd}]+");
  EXPECT_EQ(Translated("[\\D_]"), "[\\P{Nd}_]");
  EXPECT_THAT(Translated("\\W"), HasSubstr("[^\\p{L}\\p{M}"));
  EXPECT_EQ(Translated("[^\\W]"), Translated("\\w"));
  EXPECT_EQ(Translated("\\p{Letter}\\pN\\p{Greek}"), "\\p{L}\\pN\\p{Greek}");
  EXPECT_EQ(Translated("[[:alpha:]][a[bc]-z]"), "[[:alpha:]][abc-z]");
}

TEST(RegexSyntax, WhatRe2WritesOtherwise) {
  EXPECT_EQ(Translated("\\u0061\\u{e9}\\x41\\U0001F600"), "\\x{0061}\\x{e9}\\x{41}\\x{0001F600}");
  EXPECT_EQ(Translated("a++b*"), "(?:a+)+b*");
  EXPECT_EQ(Translated("(a){2}+?"), "(?:(?P<g1>a){2})+?");
  EXPECT_EQ(Translated("(?<x>a)|(?P<y>b)|(?:c)"), "(?P<g1>a)|(?P<g2>b)|(?:c)");
  EXPECT_EQ(Translated("(?x) a b # c\n [d e]"), "ab[de]");
  EXPECT_EQ(Translated("(?x: a ) b"), "(?:a) b");
  EXPECT_EQ(Translated("a", "iux"), "(?i)a");
  EXPECT_EQ(Translated("(?i-s)a"), "(?i-s)a");
}

TEST(RegexSyntax, WhatNeitherHasIsRefused) {
  for (const char* pattern :
       {"\\C",    "\\Qa\\E",    "\\1",     "\\",    "[a&&b]", "[a\\W]", "[a",     "[]",   "(a",
        "a)",     "*",          "a|+",     "a{",    "a{,2}",  "(?=a)",  "(?<!a)", "(?<a", "(?R)a",
        "(?-u)a", "\\b{start}", "\\x{zz}", "\\u00", "\\p{L",  "\\<",    "(?"}) {
    EXPECT_THAT(Translated(pattern), HasSubstr("regular expression")) << pattern;
  }
  EXPECT_THAT(Translated(std::string(100'000, '[')), HasSubstr("too many brackets"));
}

TEST(RegexSyntax, ReplacementsNameGroups) {
  const RegexPattern pattern = *TranslateRegex("(?<n>a)(b)", "");
  auto replacement = [&](std::string_view text, size_t before = 0) {
    auto result = TranslateReplacement(text, pattern, before);
    return result.ok() ? *result : result.status().message();
  };
  EXPECT_EQ(replacement("$1-${2}-$n-${n}-\\2-$0"), "\\1-\\2-\\1-\\1-\\2-\\0");
  EXPECT_EQ(replacement("$1x ${x} $3 $$1 $ ${ \\ \\d"), "   $1 $ ${ \\\\ \\\\d");
  EXPECT_EQ(replacement("$0$1", 2), "\\2\\3");
  EXPECT_THAT(replacement("$2", 8), HasSubstr("names group 2"));
}

}  // namespace
}  // namespace lance::query
