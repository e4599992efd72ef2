#include "encoding/codec/fsst_decoder.h"

#include <cstring>

namespace lance::encoding {
namespace {

constexpr uint8_t kEscape = 255;
constexpr uint64_t kHeaderBytes = 8;
/// Codes that are decoded at once; what is known of each stays in the nearest cache.
constexpr uint64_t kStreamCodes = 2048;
/// Stands for a place in the output that no string can end at.
constexpr uint32_t kInsideEscape = ~uint32_t{0};

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

uint8_t* FsstDecoder::DecodeStream(Bytes codes, uint8_t* out, uint32_t* at, bool* known) const {
  const uint8_t* in = codes.data();
  const uint8_t* const end = in + codes.size();
  uint32_t done = 0;
  uint32_t unknown = 0;
  auto expand = [&](uint8_t code) {
    StoreLittleEndian(symbols_[code], out + done);
    *at++ = done;
    done += lengths_[code];
    unknown |= lengths_[code] == 0 ? 1 : 0;
  };
  while (in < end) {
    if (end - in >= 8) {
      const auto eight = LoadLittleEndian<uint64_t>(in);
      // True when none of the eight bytes is the escape: the complement has no zero byte.
      if (((~eight - 0x0101010101010101u) & eight & 0x8080808080808080u) == 0) {
        for (int i = 0; i < 8; ++i) expand(in[i]);
        in += 8;
        continue;
      }
    }
    if (*in != kEscape) {
      expand(*in++);
      continue;
    }
    *at++ = done;
    if (in + 1 == end) {
      unknown = 1;
      break;
    }
    *at++ = kInsideEscape;
    out[done++] = in[1];
    in += 2;
  }
  *at = done;
  if (unknown != 0) *known = false;
  return out + done;
}

template <typename Offset>
bool FsstDecoder::DecodeAll(const uint8_t* codes, const Offset* offsets, uint64_t count,
                            uint8_t* out, uint64_t* ends) const {
  const uint8_t* const first = out;
  bool known = true;
  if (!in_use_) {
    const uint64_t size = offsets[count] - offsets[0];
    if (size > 0) std::memcpy(out, codes + offsets[0], size);
    for (uint64_t i = 0; i < count; ++i) ends[i] = offsets[i + 1] - offsets[0];
    return true;
  }
  // Strings are found again in the output by where each code went. Decoding all codes in one loop
  // spares the mispredicted ends of one loop per string.
  std::array<uint32_t, kStreamCodes + 1> at;
  for (uint64_t i = 0; i < count;) {
    const Offset begin = offsets[i];
    uint64_t next = i;
    while (next < count && offsets[next + 1] - begin <= kStreamCodes) ++next;
    if (next == i) {
      out = Decode({codes + begin, static_cast<size_t>(offsets[i + 1] - begin)}, out);
      if (out == nullptr) return false;
      ends[i++] = static_cast<uint64_t>(out - first);
      continue;
    }
    const auto before = static_cast<uint64_t>(out - first);
    out = DecodeStream({codes + begin, static_cast<size_t>(offsets[next] - begin)}, out, at.data(),
                       &known);
    for (; i < next; ++i) {
      const uint32_t end = at[offsets[i + 1] - begin];
      known &= end != kInsideEscape;
      ends[i] = before + end;
    }
    if (!known) return false;
  }
  return known;
}

template bool FsstDecoder::DecodeAll(const uint8_t*, const uint32_t*, uint64_t, uint8_t*,
                                     uint64_t*) const;
template bool FsstDecoder::DecodeAll(const uint8_t*, const uint64_t*, uint64_t, uint8_t*,
                                     uint64_t*) const;

Status FsstDecoder::BadCodes() {
  return Corrupt("FSST string uses a code that has no symbol, or ends with an escape");
}

}  // namespace lance::encoding
