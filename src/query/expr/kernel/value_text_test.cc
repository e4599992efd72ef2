#include "query/expr/kernel/value_text.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <random>

namespace lance::query {
namespace {

template <typename T>
std::string Text(T value) {
  TextBuffer buffer;
  return std::string(FloatText(value, &buffer));
}

/// Digits behind the point, but not more than are needed.
template <typename T>
std::string FixedText(T value) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
          .ptr;
  std::string text(buffer.data(), end);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

template <typename T>
void ExpectShortest(T value) {
  EXPECT_EQ(Text(value), FixedText(value));
  EXPECT_EQ(Text(-value), FixedText(-value));
}

template <typename T>
void ExpectShortestOfRandom() {
  std::mt19937_64 engine(3);
  for (int i = 0; i < 20'000; ++i) {
    const auto digits = static_cast<T>(1 + (engine() >> (24 + engine() % 40)) % 10'000'000);
    for (const T value : {digits, digits / 10, digits / 100, digits / 1000, digits / 10'000,
                          digits / 100'000, std::nextafter(digits / 100, T(0)), digits / 4096}) {
      if (value > T(1e-3)) ExpectShortest(value);
    }
  }
}

TEST(FloatTexts, AreTheShortest) {
  ExpectShortestOfRandom<double>();
  ExpectShortestOfRandom<float>();
  for (double value : {0.0001234, 0.05, 999'999.9999, 99'999'999'999.9999, 99'999'999'999.99995,
                       123'456'789'012.3456, 9007199254740991.0}) {
    ExpectShortest(value);
  }
  for (float value : {0.1F, 16'777'215.0F, 99.9999F, 100.0001F, 99.99995F}) ExpectShortest(value);
  EXPECT_EQ(Text(1e-4), "0.0001");
  EXPECT_EQ(Text(-0.0), "-0.0");
  EXPECT_EQ(Text(1e16), "1e16");
}

}  // namespace
}  // namespace lance::query
