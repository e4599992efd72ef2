// Text that is made to hurt: whatever it is, an answer or an error comes soon and with little
// stack.

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <numeric>
#include <string>

#include "arrow/api.h"
#include "query/expr/binder.h"
#include "query/expr/bounds.h"
#include "query/expr/evaluate.h"

namespace lance::query {
namespace {

/// A step for each pair of so many parts would take minutes, and the test run be stopped.
constexpr int kMany = 100'000;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStackBytes = 16 << 20;  // frames are several times as large
#else
constexpr size_t kStackBytes = 1 << 20;
#endif
/// They quote a piece of the text.
constexpr size_t kMessageBytes = 1000;

std::shared_ptr<arrow::RecordBatch> MakeBatch() {
  arrow::Int64Builder numbers;
  arrow::StringBuilder texts;
  arrow::BooleanBuilder flags;
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(numbers.Append(i).ok());
    EXPECT_TRUE(texts.Append("text " + std::to_string(i)).ok());
    EXPECT_TRUE(flags.Append(i % 2 == 0).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8()),
                     arrow::field("b", arrow::boolean())}),
      100, {*numbers.Finish(), *texts.Finish(), *flags.Finish()});
}

std::string Repeated(std::string_view text, int count) {
  std::string all;
  all.reserve(text.size() * static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

/// Runs something on a thread with little stack.
void WithLittleStack(size_t stack_bytes, const std::function<void()>& run) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  pthread_t thread{};
  auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&run)),
            0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

/// How many rows pass; -1 if there is an error.
int64_t Matches(const std::string& sql, size_t stack_bytes = kStackBytes) {
  int64_t matches = -1;
  WithLittleStack(stack_bytes, [&] {
    static const auto batch = MakeBatch();
    auto filter = BindSqlFilter(sql, *batch->schema());
    if (filter.ok()) {
      BoundsOf(*filter);
      ToSql(**filter);
      auto rows = MatchingRows(**filter, *batch, arrow::default_memory_pool());
      if (rows.ok()) matches = static_cast<int64_t>(rows->size());
      EXPECT_LT(rows.status().message().size(), kMessageBytes);
    } else {
      EXPECT_LT(filter.status().message().size(), kMessageBytes);
    }
  });
  return matches;
}

TEST(HostileText, DeepNestingIsRefused) {
  for (const auto& [open, middle, close] :
       std::vector<std::array<std::string, 3>>{{"(", "b", ")"},
                                               {"not ", "b", ""},
                                               {"- ", "n", " > 0"},
                                               {"-", "1 = n", ""},
                                               {"[", "1", "]"},
                                               {"abs(", "n", ")"},
                                               {"cast(", "n", " as bigint)"},
                                               {"case when b then ", "b", " else false end"},
                                               {"case ", "n", " when 1 then 2 end"},
                                               {"b and (b or ", "b", ")"},
                                               {"s = (", "s", ")"},
                                               {"n in (", "n", ")"},
                                               {"n between ", "1", " and 2"},
                                               {"coalesce(n, ", "n", ")"},
                                               {"extract(year from ", "n", ")"},
                                               {"", "n", "[1]"},
                                               {"", "n", ".x"},
                                               {"", "n", "::bigint"},
                                               {"", "b", " is true"},
                                               {"", "n", " + 1"},
                                               {"", "n", " * 2 + 1"},
                                               {"", "n", " = n"}}) {
    for (int count : {600, kMany}) {
      EXPECT_EQ(Matches(Repeated(open, count) + middle + Repeated(close, count)), -1)
          << open << " … " << close;
    }
  }
  EXPECT_EQ(Matches(Repeated("(", kMany)), -1);
  EXPECT_EQ(Matches(Repeated(")", kMany)), -1);
  EXPECT_EQ(Matches(Repeated("case when ", kMany)), -1);
}

TEST(HostileText, NestingWithinTheLimitNeedsLittleStack) {
  EXPECT_EQ(Matches(Repeated("(", 400) + "b" + Repeated(")", 400)), 50);
  EXPECT_EQ(Matches(Repeated("not ", 400) + "b"), 50);
  EXPECT_EQ(Matches(Repeated("coalesce(n, ", 400) + "n" + Repeated(")", 400) + " < 10"), 10);
  EXPECT_EQ(Matches(Repeated("case when b then b else ", 400) + "b" + Repeated(" end", 400)), 50);
}

TEST(HostileText, AnyNestingOnAnyStack) {
  for (const auto& [open, middle, close] :
       std::vector<std::array<std::string, 3>>{{"(", "b", ")"},
                                               {"not ", "b", ""},
                                               {"[", "1", "]"},
                                               {"coalesce(n, ", "n", ")"},
                                               {"case when b then b else ", "b", " end"},
                                               {"", "n", " + 1"},
                                               {"(", "b", " between false and b)"}}) {
    for (size_t stack : {kStackBytes / 4, kStackBytes / 2}) {
      EXPECT_GE(Matches(Repeated(open, 490) + middle + Repeated(close, 490), stack), -1);
    }
  }
}

TEST(HostileText, WhatStandsTwiceIsComputedOnce) {
  EXPECT_EQ(Matches(Repeated("nullif(", 240) + "s" + Repeated(",'x')", 240) + "='text 7'"), 1);
  EXPECT_EQ(Matches(Repeated("(", 120) + "b" + Repeated(" between false and true)", 120)), 100);
  EXPECT_GE(Matches(Repeated("(", 120) + "b" + Repeated(" not between false and b)", 120)), 0);
  EXPECT_GE(Matches(Repeated("case ", 120) + "s" +
                    Repeated(" when 'x' then 'y' when 'y' then s else s end", 120) + "='text 7'"),
            0);
  EXPECT_GE(Matches(Repeated("nullif(abs(", 120) + "n" + Repeated(") + 1, 3)", 120) + "> 0"), 0);
  EXPECT_EQ(Matches(Repeated("[", 65) + "1" + Repeated("]", 65) + " is null"), -1);
  EXPECT_EQ(Matches(Repeated("[", 64) + "1" + Repeated("]", 64) + " is null"), 0);
}

TEST(HostileText, LongChainsAreNoNesting) {
  EXPECT_EQ(Matches("b" + Repeated(" and b", kMany)), 50);
  EXPECT_EQ(Matches("n = 1" + Repeated(" or n = 2", kMany)), 2);
  EXPECT_EQ(Matches("n < 50" + Repeated(" and n <> 7", kMany)), 49);
  EXPECT_EQ(Matches("not (n = 1" + Repeated(" or n = 2", kMany) + ")"), 98);
  EXPECT_EQ(Matches("s" + Repeated(" || 'x'", kMany) + " = 'y'"), 0);
}

TEST(HostileText, LongLists) {
  std::string numbers;
  std::string texts;
  std::string mixed;
  for (int i = 0; i < kMany; ++i) {
    std::string number = std::to_string(i * 3);
    numbers += ", " + number;
    texts += ", 'text " + number + "'";
    mixed += ", " + (i % 2 == 0 ? number : "n + " + number);
  }
  EXPECT_EQ(Matches("n in (0" + numbers + ")"), 34);
  EXPECT_EQ(Matches("n not in (0" + numbers + ")"), 66);
  EXPECT_EQ(Matches("n in (0" + numbers + ", null)"), 34);
  EXPECT_EQ(Matches("s in (''" + texts + ")"), 34);
  EXPECT_EQ(Matches("n in (0" + Repeated(", 1", kMany) + ")"), 2);
  EXPECT_EQ(Matches("n in (" + Repeated("1, ", kMany) + ")"), -1);
  EXPECT_GE(Matches("n in (0" + mixed.substr(0, 5000) + ")"), -1);
  EXPECT_GE(Matches("array_has([0" + numbers + "], n)"), -1);
  EXPECT_GE(Matches("concat('a'" + texts + ") = s"), -1);
  EXPECT_GE(Matches("coalesce(n" + numbers + ") = 1"), -1);
  EXPECT_GE(Matches("greatest(n" + numbers + ") = 1"), -1);
  EXPECT_GE(Matches("case n" + Repeated(" when 1 then true", kMany) + " end"), -1);
}

TEST(HostileText, LargeTokens) {
  const std::string large(8 << 20, 'x');
  const std::string digits(1 << 20, '7');
  EXPECT_EQ(Matches("s = '" + large + "'"), 0);
  EXPECT_EQ(Matches("s <> '" + large + "'"), 100);
  EXPECT_EQ(Matches("s like '" + large + "'"), 0);
  EXPECT_EQ(Matches("s like '" + Repeated("%a", kMany) + "'"), 0);
  EXPECT_EQ(Matches("s like '" + Repeated("_", kMany) + "'"), 0);
  EXPECT_GE(Matches("regexp_like(s, '" + large.substr(0, 1 << 16) + "')"), -1);
  EXPECT_GE(Matches("regexp_like(s, '" + Repeated("(", 2000) + Repeated(")", 2000) + "')"), -1);
  EXPECT_GE(Matches("regexp_like(s, '(a*)*(a*)*(a*)*b')"), 0);
  EXPECT_EQ(Matches("n = " + digits), -1);
  EXPECT_GE(Matches("n < 1." + digits), -1);
  EXPECT_GE(Matches("n < 1e" + digits), -1);
  EXPECT_EQ(Matches("n < cast('" + digits + "' as decimal(38, 0))"), -1);
  EXPECT_EQ(Matches("cast(s as binary) = X'" + digits + "'"), 0);
  EXPECT_EQ(Matches(large + " = 1"), -1);
  EXPECT_EQ(Matches("`" + large + "` = 1"), -1);
  EXPECT_EQ(Matches("n." + large + " = 1"), -1);
  EXPECT_EQ(Matches(large + "(n) = 1"), -1);
  EXPECT_EQ(Matches(std::string(8 << 20, ' ') + "b" + std::string(8 << 20, '\n')), 50);
  EXPECT_EQ(Matches("json_extract(s, '" + Repeated("$.a[*]", kMany) + "') = s"), -1);
  EXPECT_GE(Matches("date_part('" + large + "', now()) = 1"), -1);
  EXPECT_GE(Matches("cast(s as timestamp) > timestamp '" + digits + "'"), -1);
  EXPECT_GE(Matches("lpad(s, 2000000000, 'x') = s"), -1);
  EXPECT_GE(Matches("repeat(s, 2000000000) = s"), -1);
  EXPECT_EQ(Matches("repeat(repeat(s, 3000), 3000) = s"), -1);
  // Steps for each pair of a letter of the text and one of these would take long.
  EXPECT_EQ(Matches("s like '" + Repeated("%", 10 * kMany) + "'"), 100);
  const std::string letters = Repeated("a", kMany);
  EXPECT_EQ(Matches("contains(repeat('a', 200000 + n), '" + letters + "b')"), 0);
  EXPECT_EQ(Matches("strpos(repeat('a', 200000 + n), '" + letters + "b') > 0"), 0);
  std::string distinct;
  for (int letter = 0x4E00; letter < 0x9E00; ++letter) {
    distinct +=
        {static_cast<char>(0xE0 | letter >> 12), static_cast<char>(0x80 | (letter >> 6 & 63)),
         static_cast<char>(0x80 | (letter & 63))};
  }
  EXPECT_EQ(Matches("translate(repeat('\xE9\xB7\xBF', 20000 + n), '" + distinct + "', 'a') = s"),
            0);
}

TEST(HostileText, UnbalancedQuotes) {
  for (const char* quote : {"'", "\"", "`"}) {
    EXPECT_EQ(Matches(std::string("s = ") + quote + "abc"), -1);
    EXPECT_EQ(Matches(std::string("s = abc") + quote), -1);
    EXPECT_EQ(Matches(quote), -1);
    EXPECT_EQ(Matches(std::string("s = ") + Repeated(quote, 2 * kMany + 1)), -1);
  }
  EXPECT_EQ(Matches("s = " + Repeated("'", 2 * kMany)), 0) << "quotes that stand for themselves";
  EXPECT_EQ(Matches("s = '" + Repeated("''", kMany)), -1);
}

TEST(HostileText, BytesThatAreNoText) {
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  EXPECT_EQ(Matches(bytes), -1);
  EXPECT_LE(Matches("s = '\xff\xfe'"), 0);
  EXPECT_EQ(Matches(std::string("b\0 and true", 11)), -1);
  EXPECT_EQ(Matches(""), -1);
}

}  // namespace
}  // namespace lance::query
