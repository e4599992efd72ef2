// Any bytes as the JSON of a tag or a branch.

#include <cstdint>

#include "table/branches.h"
#include "table/refs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(lance::DecodeTag({data, size}).status());
  static_cast<void>(lance::DecodeBranch("name", {data, size}).status());
  return 0;
}
