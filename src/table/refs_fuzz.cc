// Any bytes as the JSON of a tag.

#include <cstdint>

#include "table/refs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(lance::DecodeTag({data, size}).status());
  return 0;
}
