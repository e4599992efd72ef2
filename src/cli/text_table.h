#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lance::cli {

/// A cell is cut at this many terminal columns; JSON output has whole values.
constexpr int kMaxCellWidth = 60;

/// UTF-8 with control characters (a terminal would obey them) and malformed bytes escaped.
std::string Printable(std::string_view text);
/// Terminal columns that printable UTF-8 takes: 2 for East Asian wide characters and emoji, 0 for
/// combining marks.
int DisplayWidth(std::string_view text);
/// At most `width` columns; what is cut ends with `…`.
std::string CutToWidth(std::string_view text, int width);

/// Rows of cells printed as aligned columns, two spaces apart. Numbers go to the right.
class TextTable {
 public:
  struct Column {
    std::string name;
    bool align_right = false;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  size_t num_rows() const { return rows_.size(); }

  /// Lines with the rows added since the last call. The first call prints the header and decides
  /// the widths. `terminal_width` 0: no limit. Columns that don't fit are left out at the right
  /// and counted in HiddenColumns.
  std::string Render(int terminal_width);
  const std::vector<std::string>& HiddenColumns() const { return hidden_; }

 private:
  void DecideWidths(int terminal_width);
  std::string Line(const std::vector<std::string>& cells) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<int> widths_;
  std::vector<std::string> hidden_;
  bool cut_cells_ = false;
};

}  // namespace lance::cli
