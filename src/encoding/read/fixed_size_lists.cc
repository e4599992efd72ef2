#include "encoding/read/fixed_size_lists.h"

#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {

Result<UnwrappedLists> UnwrapFixedSizeLists(const encodings21::CompressiveEncoding& encoding,
                                            const LeafShape& shape) {
  UnwrappedLists out;
  out.items = &encoding;
  bool fits = true;
  while (fits && out.items->has_fixed_size_list()) {
    const auto& list = out.items->fixed_size_list();
    fits = out.depths.size() < shape.dimensions.size() &&
           list.items_per_value() == shape.dimensions[out.depths.size()];
    out.items_per_value *= list.items_per_value();
    out.depths.push_back({out.items_per_value, list.has_validity()});
    out.items = &list.values();
  }
  if (!fits || out.depths.size() != shape.dimensions.size()) {
    return Corrupt("page holds ", EncodingName(encoding), ", which is not the column's type");
  }
  return out;
}

}  // namespace lance::encoding
