#include "encoding/read/page_levels.h"

#include "encodings21.pb.h"

namespace lance::encoding {

Result<PageLevels> PageLevels::Make(const std::vector<int>& layers, const LeafShape& shape) {
  // pylance 7.0.0 gives blobs of version 2 with nulls a layer more: of the packed rows, within that
  // of the struct. What is null in either is a null struct.
  const bool has_row_layer =
      shape.values == LeafShape::Values::kPackedStruct && layers.size() == shape.layers.size() + 1;
  const size_t rows = has_row_layer ? 1 : 0;
  if (layers.size() != shape.layers.size() + rows) {
    return Corrupt("page has ", layers.size(), " level layers, the column's type has ",
                   shape.layers.size());
  }
  PageLevels out;
  out.to_canonical.push_back(0);
  uint16_t canonical = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const bool is_row = i < rows;
    const bool is_list = !is_row && shape.layers[layers.size() - 1 - i].kind == LayerKind::kList;
    bool null = false;
    bool empty = false;
    bool list = false;
    switch (layers[i]) {
      case encodings21::REPDEF_ALL_VALID_ITEM:
        break;
      case encodings21::REPDEF_NULLABLE_ITEM:
        null = true;
        break;
      case encodings21::REPDEF_ALL_VALID_LIST:
        list = true;
        break;
      case encodings21::REPDEF_NULLABLE_LIST:
        list = null = true;
        break;
      case encodings21::REPDEF_EMPTYABLE_LIST:
        list = empty = true;
        break;
      case encodings21::REPDEF_NULL_AND_EMPTY_LIST:
        list = null = empty = true;
        break;
      default:
        return Corrupt("page has a level layer of unknown kind ", layers[i]);
    }
    if (list != is_list) {
      return Corrupt("level layer ", i, " of a page is ", list ? "a list" : "an item",
                     ", which is not the column's type");
    }
    if (list && out.max_rep == 0) out.max_visible_def = out.max_def;
    if (list) ++out.max_rep;
    if (i != rows || rows == 0) ++canonical;
    if (null) {
      out.to_canonical.push_back(canonical);
      ++out.max_def;
    }
    if (!is_list) continue;
    ++canonical;
    if (empty) {
      out.to_canonical.push_back(canonical);
      ++out.max_def;
    }
  }
  if (out.max_rep == 0) out.max_visible_def = out.max_def;
  return out;
}

}  // namespace lance::encoding
