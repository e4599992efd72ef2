#include "dataset/auto_cleanup.h"

#include "gtest/gtest.h"

namespace lance {
namespace {

TEST(AutoCleanup, Durations) {
  constexpr int64_t kSecond = 1000000000;
  EXPECT_EQ(ParseDuration("14d"), 14 * 86400 * kSecond);
  EXPECT_EQ(ParseDuration("2h 30m"), 9000 * kSecond);
  EXPECT_EQ(ParseDuration("2h30m"), 9000 * kSecond);
  EXPECT_EQ(ParseDuration("500ms"), kSecond / 2);
  EXPECT_EQ(ParseDuration("0s"), 0);
  for (const char* text : {"", "1", "d", "1x", "-1s", "99999999999999999999s", "9999999999d"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

}  // namespace
}  // namespace lance
