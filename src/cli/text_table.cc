#include "cli/text_table.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

namespace lance::cli {
namespace {

constexpr int kGap = 2;
// A column is not narrowed below this to make others fit.
constexpr int kMinColumnWidth = 8;

struct Character {
  char32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};

// The character at the start of `text`, which is not empty.
Character Decode(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  char32_t code = byte(0) & (0x7F >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kSmallest[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes, true};
}

struct CodeRange {
  char32_t first;
  char32_t last;
};

template <size_t kSize>
bool IsIn(char32_t code, const CodeRange (&ranges)[kSize]) {
  return std::any_of(std::begin(ranges), std::end(ranges), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

int WidthOf(char32_t code) {
  constexpr CodeRange kZero[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
                                 {0x610, 0x61A},   {0x64B, 0x65F},   {0x200B, 0x200F},
                                 {0x202A, 0x202E}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
                                 {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
  constexpr CodeRange kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                 {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                 {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                 {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (code < 0x300) return 1;
  if (IsIn(code, kZero)) return 0;
  return IsIn(code, kWide) ? 2 : 1;
}

std::string Escape(uint8_t byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default: {
      char text[8];
      std::snprintf(text, sizeof(text), "\\x%02x", byte);
      return text;
    }
  }
}

// Controls of C0 and C1, DEL, and the marks that reorder text.
bool IsControl(char32_t code) {
  constexpr CodeRange kControls[] = {{0, 0x1F}, {0x7F, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}};
  return IsIn(code, kControls);
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    Character character = Decode(text);
    if (character.valid && !IsControl(character.code)) {
      out += text.substr(0, character.bytes);
    } else {
      for (size_t i = 0; i < character.bytes; ++i) out += Escape(static_cast<uint8_t>(text[i]));
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    Character character = Decode(text);
    width += character.valid ? WidthOf(character.code) : 1;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string CutToWidth(std::string_view text, int width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  size_t bytes = 0;
  int used = 0;
  while (bytes < text.size()) {
    Character character = Decode(text.substr(bytes));
    int next = character.valid ? WidthOf(character.code) : 1;
    if (used + next > width - 1) break;
    used += next;
    bytes += character.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

void TextTable::DecideWidths(int terminal_width) {
  for (size_t column = 0; column < columns_.size(); ++column) {
    int width = std::min(DisplayWidth(columns_[column].name), kMaxCellWidth);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[column]));
    widths_.push_back(std::min(width, kMaxCellWidth));
  }
  cut_cells_ = terminal_width > 0;
  if (terminal_width == 0) return;
  auto total = [this] {
    return std::accumulate(widths_.begin(), widths_.end(), 0) +
           kGap * (static_cast<int>(widths_.size()) - 1);
  };
  while (total() > terminal_width) {
    auto widest = std::max_element(widths_.begin(), widths_.end());
    if (*widest > kMinColumnWidth) {
      --*widest;
    } else if (widths_.size() > 1) {
      widths_.pop_back();
    } else {
      *widest = terminal_width;
    }
  }
  for (size_t column = widths_.size(); column < columns_.size(); ++column) {
    hidden_.push_back(columns_[column].name);
  }
}

std::string TextTable::Line(const std::vector<std::string>& cells) const {
  std::string line;
  for (size_t column = 0; column < widths_.size(); ++column) {
    int limit = cut_cells_ ? widths_[column] : kMaxCellWidth;
    std::string cell = CutToWidth(cells[column], limit);
    std::string padding(std::max(0, widths_[column] - DisplayWidth(cell)), ' ');
    if (column > 0) line.append(kGap, ' ');
    line += columns_[column].align_right ? padding + cell : cell + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string TextTable::Render(int terminal_width) {
  std::string out;
  if (widths_.empty() && !columns_.empty()) {
    DecideWidths(terminal_width);
    std::vector<std::string> names;
    for (const Column& column : columns_) names.push_back(column.name);
    out += Line(names);
  }
  for (const auto& row : rows_) out += Line(row);
  rows_.clear();
  return out;
}

}  // namespace lance::cli
