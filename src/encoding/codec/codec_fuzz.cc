// Any bytes for the codecs alone. The first byte chooses: 0 FSST (the symbol table, then codes),
// 1 zstd, 2 LZ4 (a frame).

#include <cstdint>
#include <vector>

#include "arrow/buffer.h"
#include "encoding/codec/fsst_decoder.h"
#include "encoding/codec/general_compression.h"

namespace lance::encoding {
namespace {

Status DecodeFsst(Bytes input) {
  if (input.size() < kFsstTableBytes) return Corrupt("too short");
  ARROW_ASSIGN_OR_RAISE(FsstDecoder decoder, FsstDecoder::Parse(input.first(kFsstTableBytes)));
  const std::vector<uint8_t> codes(input.begin() + kFsstTableBytes, input.end());
  std::vector<uint8_t> out(FsstDecoder::MaxDecodedBytes(codes.size()));
  static_cast<void>(decoder.Decode(codes, out.data()));
  return Status::OK();
}

Status Run(Bytes input) {
  if (input.empty()) return Status::OK();
  const std::vector<uint8_t> rest(input.begin() + 1, input.end());
  switch (input[0] % 3) {
    case 0:
      return DecodeFsst(rest);
    case 1:
      return Decompress(CompressionScheme::kZstd, rest, arrow::default_memory_pool()).status();
    default:
      return Decompress(CompressionScheme::kLz4, rest, arrow::default_memory_pool()).status();
  }
}

}  // namespace
}  // namespace lance::encoding

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(lance::encoding::Run({data, size}));
  return 0;
}
