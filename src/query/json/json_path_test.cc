#include "query/json/json_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "query/json/jsonb.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

std::string Bytes(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() == 2) {
      bytes.push_back(static_cast<char>(std::stoi(digits, nullptr, 16)));
      digits.clear();
    }
  }
  return bytes;
}

/// {"n":1000,"ratio":0.5,"tags":["a",null,true],"user":{"id":-300,"name":"Zoë"}}
std::string Example() {
  return Bytes(
      "40000004 10000001 10000005 10000004 10000004 20000003 20000009 50000011 50000021"
      "6e 726174696f 74616773 75736572 5003e8 603fe0000000000000"
      "80000003 10000001 00000000 40000000 61"
      "40000002 10000002 10000004 20000003 10000004 6964 6e616d65 40fed4 5a6fc3ab");
}

std::string Select(std::string_view path, const std::string& cell = Example()) {
  auto parsed = JsonPath::Parse(path);
  if (!parsed.ok()) return parsed.status().message();
  auto root = ReadJsonb(cell);
  if (!root) return "not JSONB";
  std::deque<std::string> made;
  auto items = parsed->Select(*root, &made);
  if (!items.ok()) return items.status().message();
  std::string text;
  for (const JsonItem& item : *items)
    text += (text.empty() ? "" : " ") + JsonText(item).value_or("?");
  return text;
}

TEST(JsonbTest, ReadsTheExample) {
  std::string cell = Example();
  auto root = ReadJsonb(cell);
  ASSERT_TRUE(root);
  EXPECT_EQ(JsonText(*root),
            R"({"n":1000,"ratio":0.5,"tags":["a",null,true],"user":{"id":-300,"name":"Zoë"}})");
  EXPECT_EQ(Select("$", Bytes("20000000 00000000")), "null");
  EXPECT_EQ(Select("$", Bytes("20000000 20000001 00")), "0");
  EXPECT_EQ(Select("$", Bytes("20000000 20000009 604059000000000000")), "100.0");
  EXPECT_EQ(Select("$", Bytes("80000000")), "[]");
  EXPECT_FALSE(ReadJsonb(""));
  EXPECT_FALSE(ReadJsonb("{}"));
}

TEST(JsonbTest, NumbersKeepTheirBytes) {
  auto hex = [](const std::string& bytes) {
    std::string text;
    constexpr char kDigits[] = "0123456789abcdef";
    for (char byte : bytes) {
      text += kDigits[static_cast<unsigned char>(byte) >> 4];
      text += kDigits[byte & 15];
    }
    return text;
  };
  EXPECT_EQ(hex(EncodeNumber(uint64_t{0})), "00");
  EXPECT_EQ(hex(EncodeNumber(uint64_t{255})), "50ff");
  EXPECT_EQ(hex(EncodeNumber(uint64_t{1000})), "5003e8");
  EXPECT_EQ(hex(EncodeNumber(int64_t{-300})), "40fed4");
  EXPECT_EQ(hex(EncodeNumber(int64_t{-128})), "4080");
  EXPECT_EQ(hex(EncodeNumber(0.5)), "603fe0000000000000");
  for (double value : {1e16, 1e-6, 5e-324, 0.00001, 1e15, 123.25, -0.0}) {
    JsonItem item{JsonType::kNumber, {}};
    std::string bytes = EncodeNumber(value);
    item.bytes = bytes;
    EXPECT_EQ(item.number_as_double(), value);
  }
  EXPECT_EQ(JsonNumberText(1e16), "1e+16");
  EXPECT_EQ(JsonNumberText(1e-6), "1e-6");
  EXPECT_EQ(JsonNumberText(1e15), "1000000000000000.0");
  EXPECT_EQ(JsonNumberText(0.00001), "0.00001");
}

TEST(JsonbTest, DamagedBytesAreNoCrash) {
  std::mt19937 random(7);
  std::string sound = Example();
  for (int round = 0; round < 20'000; ++round) {
    std::string cell = sound.substr(0, round % 3 == 0 ? random() % sound.size() : sound.size());
    for (int i = 0; i < round % 4 && !cell.empty(); ++i) {
      cell[random() % cell.size()] = static_cast<char>(random());
    }
    // Of exactly this size, so that reads beyond it are seen.
    std::string exact(cell);
    exact.shrink_to_fit();
    if (auto root = ReadJsonb(exact)) {
      JsonText(*root);
      Select("$.**", exact);
      Select("$.tags[last]", exact);
    }
  }
}

TEST(JsonPathTest, Steps) {
  for (const char* path : {"$.n", "n", ".n", "$:n", "$[\"n\"]", "$.\"n\"", "$.\\u006e", " $.n "}) {
    EXPECT_EQ(Select(path), "1000") << path;
  }
  EXPECT_EQ(Select("$.user.name"), R"("Zoë")");
  EXPECT_EQ(Select("$.tags[0]"), R"("a")");
  EXPECT_EQ(Select("$.tags[last]"), "true");
  EXPECT_EQ(Select("$.tags[0, last - 1]"), R"("a" null)");
  EXPECT_EQ(Select("$.tags[1 to last]"), "null true");
  EXPECT_EQ(Select("$.tags[5]"), "");
  EXPECT_EQ(Select("$.tags[*]"), R"("a" null true)");
  EXPECT_EQ(Select("$.n[*]"), "1000") << "what is no array is its own item";
  EXPECT_EQ(Select("$.user.*"), R"(-300 "Zoë")");
  EXPECT_EQ(Select("$.user.**{1}"), R"(-300 "Zoë")");
  EXPECT_EQ(Select("$.nope"), "");
  EXPECT_EQ(Select("$.tags[0 to last]", Bytes("80000000")), "");
  EXPECT_EQ(Select(""), Select("$"));
}

TEST(JsonPathTest, PredicatesAndArithmetic) {
  EXPECT_EQ(Select("$.n == 1000"), "true");
  EXPECT_EQ(Select("$.n > 1000 || $.user.name == \"Zoë\""), "true");
  EXPECT_EQ(Select("$.n == \"x\""), "null") << "of different types";
  EXPECT_EQ(Select("$.n != \"x\""), "true");
  EXPECT_EQ(Select("$.user.name starts with \"Zo\""), "true");
  EXPECT_EQ(Select("exists($.user.id)"), "true");
  EXPECT_EQ(Select("$.tags[*]?(@ == \"a\")"), R"("a")");
  EXPECT_EQ(Select("$.user?(@.id < 0).name"), R"("Zoë")");
  EXPECT_EQ(Select("$.n + $.user.id"), "700");
  EXPECT_EQ(Select("$.n / 8"), "125.0");
  EXPECT_EQ(Select("-$.n"), "-1000");
  EXPECT_THAT(Select("$.n % 0"), HasSubstr("Division by zero"));
  EXPECT_THAT(Select("$.tags + 1"), HasSubstr("InvalidJsonPath"));
}

TEST(JsonPathTest, WhatIsNoPathIsRefused) {
  for (const char* path : {"$a", "$..a", "$.", "$['a']", "$ . a", "@.a", "a b", "\"x\"", "$[\"\"]",
                           "$.a == 1.0", "$[1 to]", "$.a?(", "$.**{300}"}) {
    EXPECT_EQ(Select(path), "Invalid JSONPath '" + std::string(path) + "': InvalidJsonPath")
        << path;
  }
  const std::string deep = std::string(10'000, '(') + "$.n == 1";
  EXPECT_THAT(Select(deep), HasSubstr("InvalidJsonPath"));
}

}  // namespace
}  // namespace lance::query
