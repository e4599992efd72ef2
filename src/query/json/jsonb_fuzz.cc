// Any bytes as a JSON cell and a path into it: the first byte is the length of the path.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "query/json/json_path.h"
#include "query/json/jsonb.h"

namespace lance::query {
namespace {

Status Run(const std::string& path_text, const std::string& cell) {
  auto root = ReadJsonb(cell);
  if (root) static_cast<void>(JsonText(*root));
  ARROW_ASSIGN_OR_RAISE(JsonPath path, JsonPath::Parse(path_text));
  if (!root) return Status::OK();
  std::deque<std::string> made;
  ARROW_ASSIGN_OR_RAISE(auto items, path.Select(*root, &made));
  for (const JsonItem& item : items) static_cast<void>(JsonText(item));
  return Status::OK();
}

}  // namespace
}  // namespace lance::query

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto* text = reinterpret_cast<const char*>(data) + 1;
  const size_t path = std::min<size_t>(data[0], size - 1);
  static_cast<void>(
      lance::query::Run(std::string(text, path), std::string(text + path, size - 1 - path)));
  return 0;
}
