// Any bytes as a block (levels, dictionary items): flat, bit-packed, run-length, variable,
// compressed.
//
//   u16 size of the CompressiveEncoding message, the message   u32 values   the block

#include <cstdint>
#include <memory>

#include "arrow/memory_pool.h"
#include "encoding/read/block_decoder.h"
#include "encodings21.pb.h"
#include "proto/parse.h"

namespace lance::encoding {
namespace {

Status DecodeBlock(Bytes input) {
  ByteReader reader(input);
  ARROW_ASSIGN_OR_RAISE(uint16_t size, reader.Read<uint16_t>("size"));
  ARROW_ASSIGN_OR_RAISE(Bytes message, reader.ReadBytes(size, "message"));
  ARROW_ASSIGN_OR_RAISE(uint32_t count, reader.Read<uint32_t>("count"));
  encodings21::CompressiveEncoding encoding;
  if (!ParseMessage(message, &encoding)) return Corrupt("no message");
  ARROW_ASSIGN_OR_RAISE(auto decoder, BlockDecoder::Make(encoding));
  // A copy, so that an address sanitizer sees reads beyond its end.
  const Bytes rest = input.subspan(reader.position());
  const std::vector<uint8_t> block(rest.begin(), rest.end());
  return decoder->Decode(block, count, arrow::default_memory_pool()).status();
}

}  // namespace
}  // namespace lance::encoding

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(lance::encoding::DecodeBlock({data, size}));
  return 0;
}
