// Any bytes for the codecs alone. The first byte chooses: 0 FSST (the symbol table, then codes),
// 1 zstd, 2 LZ4 (a frame).

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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
  const bool whole = decoder.Decode(codes, out.data()) != nullptr;
  // Cut in two strings somewhere: whatever that says of each, the whole is the sum of good ones.
  const uint32_t cut = codes.empty() ? 0 : codes[0] % (codes.size() + 1);
  const uint32_t offsets[] = {0, cut, static_cast<uint32_t>(codes.size())};
  uint64_t ends[2];
  std::vector<uint8_t> again(out.size());
  if (decoder.DecodeAll(codes.data(), offsets, 2, again.data(), ends)) {
    if (!whole ||
        !std::equal(out.begin(), out.begin() + static_cast<ptrdiff_t>(ends[1]), again.begin())) {
      std::abort();
    }
  }
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
