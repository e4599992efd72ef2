#include "encoding/read/runs.h"

#include <cstring>

#include "encoding/read/bit_copy.h"
#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {

Result<RunsDecoder::Part> RunsDecoder::MakePart(const encodings21::CompressiveEncoding& encoding) {
  Part part;
  const encodings21::CompressiveEncoding* inner = &encoding;
  if (encoding.has_general()) {
    part.compressed = true;
    ARROW_ASSIGN_OR_RAISE(part.scheme, SchemeOf(encoding.general()));
    inner = &encoding.general().values();
  }
  part.counts = inner->has_flat();
  if (!inner->has_flat() && (part.compressed || !inner->has_out_of_line_bitpacking())) {
    return Unsupported("runs encoded as ", EncodingName(encoding));
  }
  ARROW_ASSIGN_OR_RAISE(part.block, BlockDecoder::Make(encoding));
  const uint64_t bits = part.block->value_bits();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    return Corrupt("runs of ", bits, "-bit numbers");
  }
  return part;
}

Result<RunsDecoder> RunsDecoder::Make(const encodings21::Rle& rle) {
  RunsDecoder out;
  ARROW_ASSIGN_OR_RAISE(out.values_, MakePart(rle.values()));
  ARROW_ASSIGN_OR_RAISE(out.lengths_, MakePart(rle.run_lengths()));
  if (!out.values_.counts && !out.lengths_.counts) {
    return Corrupt("values and lengths of runs are both bit-packed: nothing counts them");
  }
  if (out.lengths_.block->value_bits() > 32) return Corrupt("run lengths of 64 bits");
  return out;
}

Result<uint64_t> RunsDecoder::CountOf(const Part& part, Bytes bytes) {
  uint64_t size = bytes.size();
  if (part.compressed) {
    ARROW_ASSIGN_OR_RAISE(size, DecompressedSize(part.scheme, bytes));
  }
  return size / (part.block->value_bits() / 8);
}

Result<std::vector<uint8_t>> RunsDecoder::DecodePart(const Part& part, Bytes bytes,
                                                     uint64_t count) {
  std::vector<uint8_t> out(count * (part.block->value_bits() / 8));
  ARROW_RETURN_NOT_OK(part.block->DecodeFixed(bytes, count, out.data()));
  return out;
}

Result<RunsDecoder::Runs> RunsDecoder::Decode(Bytes values, Bytes lengths,
                                              uint64_t num_values) const {
  ARROW_ASSIGN_OR_RAISE(uint64_t count,
                        lengths_.counts ? CountOf(lengths_, lengths) : CountOf(values_, values));
  if (count > num_values) return Corrupt(count, " runs for ", num_values, " values");
  Runs runs;
  ARROW_ASSIGN_OR_RAISE(runs.values, DecodePart(values_, values, count));
  ARROW_ASSIGN_OR_RAISE(auto raw, DecodePart(lengths_, lengths, count));
  const uint64_t width = lengths_.block->value_bits() / 8;
  runs.lengths.resize(count);
  for (uint64_t run = 0; run < count; ++run) {
    std::memcpy(&runs.lengths[run], raw.data() + run * width, width);
    if (runs.lengths[run] == 0) return Corrupt("run ", run, " of ", count, " is empty");
  }
  return runs;
}

}  // namespace lance::encoding
