#include "encoding/write/sequence_encoder.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "encoding/write/out_of_line_packing.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using encodings21::CompressiveEncoding;
using Numbers = std::span<const uint64_t>;

constexpr uint64_t kWordBits = 64;

bool AllEqual(Numbers numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](uint64_t number) { return number == numbers.front(); });
}

/// Numbers at the width of the largest.
struct PackedForm {
  explicit PackedForm(Numbers from) : numbers(from) {
    uint64_t all = 0;
    for (uint64_t number : numbers) all |= number;
    width = static_cast<uint32_t>(std::bit_width(all));
    bytes = numbers.size_bytes();
    // Zero bits are no legal width.
    if (width == 0 || width >= kWordBits) return;
    const uint64_t packed = OutOfLinePackedSize<uint64_t>(numbers.size(), width);
    is_plain = packed >= bytes;
    bytes = std::min(bytes, packed);
  }

  Result<std::shared_ptr<arrow::Buffer>> Encode(arrow::MemoryPool* pool,
                                                CompressiveEncoding* out) const {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(static_cast<int64_t>(bytes), pool));
    if (is_plain) {
      out->mutable_flat()->set_bits_per_value(kWordBits);
      std::copy(numbers.begin(), numbers.end(), buffer->mutable_data_as<uint64_t>());
      return buffer;
    }
    auto* packed = out->mutable_out_of_line_bitpacking();
    packed->set_uncompressed_bits_per_value(kWordBits);
    packed->mutable_values()->mutable_flat()->set_bits_per_value(width);
    PackOutOfLine<uint64_t>(numbers, width, buffer->mutable_data());
    return buffer;
  }

  Numbers numbers;
  uint32_t width = 0;
  bool is_plain = true;
  uint64_t bytes = 0;
};

// Empty if the numbers don't ascend.
std::vector<uint64_t> DeltasOf(Numbers numbers) {
  std::vector<uint64_t> deltas;
  if (numbers.size() < 2 || !std::is_sorted(numbers.begin(), numbers.end())) return deltas;
  deltas.reserve(numbers.size() - 1);
  for (size_t i = 1; i < numbers.size(); ++i) deltas.push_back(numbers[i] - numbers[i - 1]);
  return deltas;
}

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> EncodeSequence(Numbers numbers, arrow::MemoryPool* pool,
                                                      CompressiveEncoding* out) {
  if (numbers.empty() || AllEqual(numbers)) {
    auto* constant = out->mutable_constant();
    if (!numbers.empty()) {
      constant->set_value(
          std::string(reinterpret_cast<const char*>(numbers.data()), sizeof(uint64_t)));
    }
    return nullptr;
  }
  const std::vector<uint64_t> deltas = DeltasOf(numbers);
  if (!deltas.empty() && AllEqual(deltas)) {
    auto* range = out->mutable_range();
    range->set_uncompressed_bits_per_value(kWordBits);
    range->set_start(numbers.front());
    range->set_step(deltas.front());
    return nullptr;
  }
  const PackedForm packed(numbers);
  if (!deltas.empty()) {
    const PackedForm packed_deltas(deltas);
    if (packed_deltas.bytes < packed.bytes) {
      auto* delta = out->mutable_delta();
      delta->set_uncompressed_bits_per_value(kWordBits);
      delta->set_base(numbers.front());
      return packed_deltas.Encode(pool, delta->mutable_deltas());
    }
  }
  return packed.Encode(pool, out);
}

}  // namespace lance::encoding
