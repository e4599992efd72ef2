#include "encoding/write/sequence_encoder.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "base/byte_reader.h"
#include "encoding/write/general_scheme.h"
#include "encoding/write/out_of_line_packing.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using encodings21::CompressiveEncoding;
using Numbers = std::span<const uint64_t>;

constexpr uint64_t kWordBits = 64;
/// A general scheme, which is slower to read, must save this part of the next best.
constexpr uint64_t kMinCompressionGain = 32;

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

/// Few different numbers of a narrow range, as indices into them.
class DictionaryForm {
 public:
  explicit DictionaryForm(Numbers numbers) {
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    if (*most - *least >= kMaxItems) return;
    std::vector<uint32_t> index_of(*most - *least + 1);
    for (uint64_t number : numbers) index_of[number - *least] = 1;
    for (uint64_t i = 0; i < index_of.size(); ++i) {
      if (index_of[i] == 0) continue;
      index_of[i] = static_cast<uint32_t>(items_.size());
      items_.push_back(*least + i);
    }
    indices_.reserve(numbers.size());
    for (uint64_t number : numbers) indices_.push_back(index_of[number - *least]);
    width_ = static_cast<uint32_t>(std::bit_width(items_.size() - 1));
    index_bytes_ = OutOfLinePackedSize<uint32_t>(indices_.size(), width_);
    items_are_range_ = items_.size() == index_of.size();
    bytes_ = kPrefixBytes + index_bytes_ + (items_are_range_ ? 0 : PackedForm(items_).bytes);
  }

  /// More than anything else if there is no such form.
  uint64_t bytes() const { return bytes_; }

  Result<std::shared_ptr<arrow::Buffer>> Encode(arrow::MemoryPool* pool,
                                                CompressiveEncoding* out) const {
    auto* dictionary = out->mutable_dictionary();
    dictionary->set_num_dictionary_items(static_cast<uint32_t>(items_.size()));
    auto* indices = dictionary->mutable_indices()->mutable_out_of_line_bitpacking();
    indices->set_uncompressed_bits_per_value(kIndexBits);
    indices->mutable_values()->mutable_flat()->set_bits_per_value(width_);
    std::shared_ptr<arrow::Buffer> items;
    if (items_are_range_) {
      auto* range = dictionary->mutable_items()->mutable_range();
      range->set_uncompressed_bits_per_value(kWordBits);
      range->set_start(items_.front());
      range->set_step(1);
    } else {
      ARROW_ASSIGN_OR_RAISE(items, PackedForm(items_).Encode(pool, dictionary->mutable_items()));
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(static_cast<int64_t>(bytes_), pool));
    uint8_t* at = buffer->mutable_data();
    StoreLittleEndian<uint64_t>(index_bytes_, at);
    StoreLittleEndian<uint64_t>(bytes_ - kPrefixBytes - index_bytes_, at + sizeof(uint64_t));
    at += kPrefixBytes;
    PackOutOfLine<uint32_t>(indices_, width_, at);
    if (items != nullptr) std::copy_n(items->data(), items->size(), at + index_bytes_);
    return buffer;
  }

 private:
  static constexpr uint64_t kMaxItems = 4096;
  static constexpr uint64_t kIndexBits = 32;
  /// The sizes of both payloads.
  static constexpr uint64_t kPrefixBytes = 2 * sizeof(uint64_t);

  std::vector<uint64_t> items_;
  std::vector<uint32_t> indices_;
  uint32_t width_ = 0;
  uint64_t index_bytes_ = 0;
  bool items_are_range_ = false;
  uint64_t bytes_ = std::numeric_limits<uint64_t>::max();
};

// Gains where some numbers are much more frequent than others.
Result<std::shared_ptr<arrow::Buffer>> CompressWith(const GeneralScheme& scheme, Numbers numbers,
                                                    arrow::MemoryPool* pool) {
  return scheme.Compress({reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size_bytes()},
                         pool);
}

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
  const std::optional<PackedForm> packed_deltas =
      deltas.empty() ? std::nullopt : std::optional<PackedForm>(deltas);
  const DictionaryForm dictionary(numbers);
  uint64_t best = std::min(dictionary.bytes(), packed.bytes);
  if (packed_deltas) best = std::min(best, packed_deltas->bytes);
  const auto zstd = GeneralScheme::Of(EncodingHints::Compression::kZstd, std::nullopt);
  ARROW_ASSIGN_OR_RAISE(auto compressed, CompressWith(*zstd, numbers, pool));
  if (static_cast<uint64_t>(compressed->size()) < best - best / kMinCompressionGain) {
    out->mutable_general()->mutable_values()->mutable_flat()->set_bits_per_value(kWordBits);
    zstd->Describe(out->mutable_general()->mutable_compression());
    return compressed;
  }
  if (packed_deltas && packed_deltas->bytes == best) {
    auto* delta = out->mutable_delta();
    delta->set_uncompressed_bits_per_value(kWordBits);
    delta->set_base(numbers.front());
    return packed_deltas->Encode(pool, delta->mutable_deltas());
  }
  if (packed.bytes == best) return packed.Encode(pool, out);
  return dictionary.Encode(pool, out);
}

}  // namespace lance::encoding
