// What is JSON and JSONB, and how extension values show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "query/json/json_encoder.h"
#include "query/json/json_extension.h"
#include "query/json/json_syntax.h"
#include "query/json/jsonb.h"
#include "query/json/jsonb_check.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::string BigEndian(uint64_t value, size_t width) {
  std::string bytes;
  for (size_t i = width; i-- > 0;) {
    bytes.push_back(i < sizeof(value) ? static_cast<char>(value >> (8 * i)) : '\0');
  }
  return bytes;
}

TEST(JsonSyntax, TakesWhatTheStandardHas) {
  for (const char* text :
       {"1", " -0.5e+10 ", "[]", "{}", "[1,{\"a\":[true,false,null]}]", "\"\\u00e9\\n/\"", "0",
        "\t[\n1\r]", "{\"a\":1,\"a\":2}", "\"\xc3\xa9\""}) {
    EXPECT_TRUE(CheckJsonSyntax(text).ok()) << text;
  }
  EXPECT_TRUE(CheckJsonSyntax(std::string(1000, '[') + std::string(1000, ']')).ok());
}

TEST(JsonSyntax, RefusesEverythingElse) {
  for (const char* text :
       {"",      " ",         "nan", "[1,]", "[,1]",    "{,}",         "{\"a\":1,}", "{a:1}",
        "'a'",   "+1",        "01",  "1.",   ".5",      "1e",          "-",          "0x1",
        "[1 2]", "{\"a\" 1}", "tru", "True", "\"\\x\"", "\"\\u12g4\"", "\"\t\"",     "\"a",
        "[1",    "{",         "1 1", "]",    "/* */1"}) {
    EXPECT_FALSE(CheckJsonSyntax(text).ok()) << text;
  }
  EXPECT_FALSE(CheckJsonSyntax(std::string_view("\0", 1)).ok());
  EXPECT_FALSE(CheckJsonSyntax(std::string_view("\"\0\"", 3)).ok());
  EXPECT_THAT(CheckJsonSyntax(std::string(1001, '[')).message(), HasSubstr("1000 levels"));
  EXPECT_THAT(CheckJsonSyntax("[1, x]").message(), HasSubstr("pos 4"));
  EXPECT_THAT(CheckJsonSyntax("[1, ").message(), HasSubstr("too early"));
}

TEST(StrictJson, LosesNothing) {
  std::string out = "x";
  for (const char* text :
       {"1e999", "-1e999", "\"\\ud800\"", "\"\\udc00\"", "{\"a\":1,\"\\u0061\":2}"}) {
    EXPECT_FALSE(AppendStrictJsonb(text, &out).ok()) << text;
    EXPECT_EQ(out, "x");
  }
  // The reference takes them, but for equal keys.
  for (const char* text : {"1e999", "\"\\ud800\"", "[1,]"}) {
    out.clear();
    EXPECT_TRUE(AppendJsonb(text, &out).ok()) << text;
  }
}

TEST(JsonbCheck, TakesWhatTheEncoderMakes) {
  for (const char* text : {"null", "1", "-300", "2.5", "\"x\"", "[]", "{}",
                           "{\"b\":[1,{\"c\":null}],\"a\":\"\",\"\":true}"}) {
    std::string cell;
    ASSERT_TRUE(AppendStrictJsonb(text, &cell).ok());
    EXPECT_TRUE(CheckJsonb(cell).ok()) << text;
    for (size_t size = 0; size < cell.size(); ++size) {
      EXPECT_FALSE(CheckJsonb(std::string_view(cell).substr(0, size)).ok()) << text << size;
    }
    EXPECT_FALSE(CheckJsonb(cell + "x").ok()) << text;
  }
}

TEST(JsonbCheck, AnyByteChangedIsRefusedOrStillShows) {
  std::string cell;
  ASSERT_TRUE(AppendStrictJsonb(R"({"b":[1,-2,2.5,"é"],"a":{"k":false}})", &cell).ok());
  for (size_t at = 0; at < cell.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = cell;
      changed[at] = static_cast<char>(value);
      if (!CheckJsonb(changed).ok()) continue;
      const auto item = ReadJsonb(changed);
      ASSERT_TRUE(item) << at << " " << value;
      const auto text = JsonText(*item);
      ASSERT_TRUE(text) << at << " " << value;
      EXPECT_TRUE(CheckJsonSyntax(*text).ok()) << *text;
    }
  }
}

TEST(JsonExtension, Shows) {
  EXPECT_THAT(ExtensionText(std::string("\0\xde\xad", 3)), Optional(std::string("DEAD")));
  EXPECT_THAT(ExtensionText("\x10" + BigEndian(19000, 4)), Optional(std::string("2022-01-08")));
  EXPECT_THAT(ExtensionText("\x10" + BigEndian(-719529, 4)),
              Optional(std::string("-000001-12-31")));
  EXPECT_THAT(ExtensionText("\x20" + BigEndian(1700000000123456, 8)),
              Optional(std::string("2023-11-14 22:13:20.123456")));
  EXPECT_THAT(ExtensionText("\x30" + BigEndian(0, 8) + BigEndian(19800, 4)),
              Optional(std::string("1970-01-01 05:30:00.000000 +0530")));
  EXPECT_THAT(ExtensionText("\x30" + BigEndian(0, 8) + BigEndian(-3, 1)),
              Optional(std::string("1969-12-31 21:00:00.000000 -0300")));
  EXPECT_THAT(
      ExtensionText("\x40" + BigEndian(14, 4) + BigEndian(-3, 4) + BigEndian(3723000004, 8)),
      Optional(std::string("1 year 2 months -3 days 01:02:03.000004")));
  EXPECT_THAT(ExtensionText("\x40" + BigEndian(0, 16)), Optional(std::string("00:00:00")));
  for (const std::string& damaged :
       {std::string(), std::string("\x50"), std::string("\x10\0", 2),
        "\x10" + BigEndian(2932897, 4), "\x30" + BigEndian(0, 8) + BigEndian(93600, 4)}) {
    EXPECT_EQ(ExtensionText(damaged), std::nullopt);
  }
}

TEST(JsonNumbers, DecimalsAreDoubles) {
  auto text = [](const std::string& bytes) {
    return JsonText({JsonType::kNumber, bytes}).value_or("?");
  };
  EXPECT_EQ(text("\x70" + BigEndian(12345, 8) + "\x02"), "123.45");
  EXPECT_EQ(text("\x70" + BigEndian(-5, 8) + std::string(1, '\0')), "-5.0");
  EXPECT_EQ(text("\x70" + std::string(24, '\xff') + BigEndian(-5, 8) + "\x01"), "-0.5");
  EXPECT_EQ(text("\x70" + std::string(8, '\0') + BigEndian(12345, 8) + "\x26\x02"), "123.45");
  EXPECT_EQ(text("\x70" + BigEndian(1, 4) + "\x02"), "?");
}

TEST(CellText, DamagedBytesAreUtf8) {
  const std::string cell = BigEndian(0x20000000, 4) + BigEndian(0x10000001, 4) + "\xff";
  EXPECT_THAT(CellText(cell), HasSubstr("\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace lance::query
