#include "query/json/is_utf8.h"

#include "arrow/util/utf8.h"

namespace lance::query {

bool IsUtf8(std::string_view text) {
  // Before, Arrow takes anything for UTF-8.
  static const bool is_ready = [] {
    arrow::util::InitializeUTF8();
    return true;
  }();
  return is_ready && arrow::util::ValidateUTF8(text);
}

}  // namespace lance::query
