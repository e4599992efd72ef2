#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace lance {

/// How a page is described to people.
struct PageText {
  /// `miniblock`, `fullzip`, `constant`, `blob`; of 2.0 see DescribeArrayEncoding(); for pages
  /// of 2.3 and unknown kinds the name of their message: `PlanarLayout`.
  std::string layout;
  /// The layout with its parts: `miniblock(values=fsst(variable<32>), def=inline_bitpack<16>,
  /// layers=nullable_item, items=1024)`. The same as `layout` where the parts aren't looked into.
  ///
  /// Each encoding is written `name<parameters>(what it holds)`; widths are bits. Layers stand
  /// innermost first.
  std::string encoding;
};

/// `type` is the full name of the page's message, `message` its bytes.
Result<PageText> DescribePage(std::string_view type, std::string_view message);

}  // namespace lance
