#include "cli/text_table.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/output.h"

namespace lance::cli {
namespace {

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(Printable("plain 日本 é 😀"), "plain 日本 é 😀");
  EXPECT_EQ(Printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(Printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(Printable("\x7f"), "\\x7f");
  // C1 control, and the mark that turns the direction of text.
  EXPECT_EQ(Printable("\xC2\x9B"), "\\xc2\\x9b");
  EXPECT_EQ(Printable("\xE2\x80\xAE"), "\\xe2\\x80\\xae");
}

TEST(Printable, EscapesMalformedBytes) {
  EXPECT_EQ(Printable("\xFF"), "\\xff");
  EXPECT_EQ(Printable("a\xE6\x97"), "a\\xe6\\x97");         // cut short
  EXPECT_EQ(Printable("\xC0\xAF"), "\\xc0\\xaf");           // too long a form
  EXPECT_EQ(Printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(Printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(DisplayWidth, CountsTerminalColumns) {
  EXPECT_EQ(DisplayWidth(""), 0);
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("é"), 1);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1);  // e and a combining accent
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("😀"), 2);
}

TEST(CutToWidth, EndsWithAnEllipsis) {
  EXPECT_EQ(CutToWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(CutToWidth("abcdefg", 6), "abcde…");
  EXPECT_EQ(CutToWidth("日本語", 5), "日本…");
  EXPECT_EQ(CutToWidth("日本語", 4), "日…");
  EXPECT_EQ(DisplayWidth(CutToWidth("日本語", 4)), 3);
  EXPECT_EQ(CutToWidth("abc", 1), "…");
}

TEST(TextTable, AlignsColumns) {
  TextTable table({{"id", true}, {"name"}, {"x"}});
  table.AddRow({"1", "日本", "a"});
  table.AddRow({"100", "b", ""});
  EXPECT_EQ(table.Render(0),
            " id  name  x\n"
            "  1  日本  a\n"
            "100  b\n");
}

TEST(TextTable, StreamsRowsUnderTheFirstWidths) {
  TextTable table({{"a"}, {"b"}});
  table.AddRow({"11", "x"});
  EXPECT_EQ(table.Render(0), "a   b\n11  x\n");
  table.AddRow({"2", "y"});
  table.AddRow({"3333", "z"});
  EXPECT_EQ(table.Render(0), "2   y\n3333  z\n");
}

TEST(TextTable, CutsLongCells) {
  TextTable table({{"a"}});
  table.AddRow({std::string(kMaxCellWidth + 1, 'x')});
  EXPECT_EQ(table.Render(0), "a\n" + std::string(kMaxCellWidth - 1, 'x') + "…\n");
}

TEST(TextTable, FitsTheTerminal) {
  TextTable table({{"first"}, {"second"}, {"third"}});
  table.AddRow({std::string(40, 'a'), std::string(40, 'b'), "c"});
  std::string text = table.Render(40);
  EXPECT_TRUE(table.HiddenColumns().empty());
  for (size_t start = 0; start < text.size();) {
    size_t end = text.find('\n', start);
    EXPECT_LE(DisplayWidth(text.substr(start, end - start)), 40);
    start = end + 1;
  }
  EXPECT_NE(text.find("third"), std::string::npos);
}

TEST(TextTable, LeavesOutColumnsThatCannotFit) {
  TextTable table({{"one"}, {"two"}, {"three"}});
  table.AddRow({std::string(20, 'a'), std::string(20, 'b'), std::string(20, 'c')});
  std::string text = table.Render(20);
  EXPECT_EQ(table.HiddenColumns(), std::vector<std::string>({"three"}));
  EXPECT_EQ(text.find("three"), std::string::npos);
  EXPECT_NE(text.find("two"), std::string::npos);
}

TEST(TextTable, TakesNoColumns) {
  TextTable table({});
  table.AddRow({});
  EXPECT_EQ(table.Render(80), "\n");
}

TEST(SplitColumns, SplitsOutsideOfBackTicks) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(SplitColumns(std::nullopt), std::nullopt);
  EXPECT_EQ(SplitColumns("a"), Names({"a"}));
  EXPECT_EQ(SplitColumns("a,b.c"), Names({"a", "b.c"}));
  EXPECT_EQ(SplitColumns("`a,b`,c"), Names({"`a,b`", "c"}));
  EXPECT_EQ(SplitColumns(""), Names({""}));
}

TEST(Texts, BytesAndTimes) {
  EXPECT_EQ(ByteText(0), "0 B");
  EXPECT_EQ(ByteText(1023), "1023 B");
  EXPECT_EQ(ByteText(1024), "1.0 KiB");
  EXPECT_EQ(ByteText(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(ByteText(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(IsoTime(0), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(IsoTime(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(TimeText(1'700'000'000'000'000'000), "2023-11-14 22:13:20 UTC");
  EXPECT_EQ(Counted(1, "row"), "1 row");
  EXPECT_EQ(Counted(0, "row"), "0 rows");
}

}  // namespace
}  // namespace lance::cli
