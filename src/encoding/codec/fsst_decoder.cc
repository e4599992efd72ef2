#include "encoding/codec/fsst_decoder.h"

#include <cstring>

namespace lance::encoding {
namespace {

constexpr uint8_t kEscape = 255;
constexpr uint64_t kHeaderBytes = 8;

}  // namespace

Result<FsstDecoder> FsstDecoder::Parse(Bytes table) {
  if (table.size() != kFsstTableBytes) {
    return Corrupt("FSST symbol table has ", table.size(), " bytes, expected ", kFsstTableBytes);
  }
  if (std::memcmp(table.data() + 4, "TSSF", 4) != 0) {
    return Corrupt("FSST symbol table lacks its magic number");
  }
  const uint32_t num_symbols = table[0];
  FsstDecoder decoder;
  decoder.in_use_ = (table[3] & 1) != 0;
  const uint8_t* symbols = table.data() + kHeaderBytes;
  const uint8_t* lengths = symbols + num_symbols * kFsstMaxSymbolBytes;
  for (uint32_t code = 0; code < num_symbols; ++code) {
    if (lengths[code] < 1 || lengths[code] > kFsstMaxSymbolBytes) {
      return Corrupt("FSST symbol ", code, " has a length of ", int{lengths[code]},
                     ", expected 1 to 8");
    }
    decoder.symbols_[code] = LoadLittleEndian<uint64_t>(symbols + code * kFsstMaxSymbolBytes);
    decoder.lengths_[code] = lengths[code];
  }
  return decoder;
}

uint8_t* FsstDecoder::Decode(Bytes codes, uint8_t* out) const {
  if (!in_use_) {
    if (!codes.empty()) std::memcpy(out, codes.data(), codes.size());
    return out + codes.size();
  }
  const uint8_t* in = codes.data();
  const uint8_t* end = in + codes.size();
  bool known = true;
  auto expand = [&](uint8_t code) {
    StoreLittleEndian(symbols_[code], out);
    out += lengths_[code];
    known &= lengths_[code] != 0;
  };
  while (in < end) {
    if (end - in >= 4) {
      const uint32_t four = LoadLittleEndian<uint32_t>(in);
      // True when none of the four bytes is the escape: the complement has no zero byte.
      const uint32_t flipped = ~four;
      if (((flipped - 0x01010101u) & four & 0x80808080u) == 0) {
        expand(in[0]);
        expand(in[1]);
        expand(in[2]);
        expand(in[3]);
        in += 4;
        continue;
      }
    }
    if (*in != kEscape) {
      expand(*in++);
    } else {
      if (in + 1 == end) return nullptr;
      *out++ = in[1];
      in += 2;
    }
  }
  return known ? out : nullptr;
}

Status FsstDecoder::BadCodes() {
  return Corrupt("FSST string uses a code that has no symbol, or ends with an escape");
}

}  // namespace lance::encoding
