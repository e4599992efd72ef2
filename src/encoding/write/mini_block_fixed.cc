#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/byte_reader.h"
#include "encoding/codec/bitpack.h"
#include "encoding/write/mini_block_values.h"
#include "encoding/write/out_of_line_packing.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

/// Run lengths of the 2.1 and 2.2 grammar are single bytes; so are packed ones.
constexpr uint64_t kMaxRun = 255;

// Values of T at an address of any alignment.
template <typename T>
class Values {
 public:
  explicit Values(const FixedBlock& block) : data_(block.data), count_(block.count) {}
  T operator[](uint64_t index) const { return LoadLittleEndian<T>(data_ + index * sizeof(T)); }
  const uint8_t* at(uint64_t index) const { return data_ + index * sizeof(T); }
  uint64_t count() const { return count_; }

 private:
  const uint8_t* data_;
  uint64_t count_;
};

// What the choice between the codecs needs to know, from one pass over the values.
struct FixedStatistics {
  /// Bit width of each group of 1024 values.
  std::vector<uint8_t> widths;
  uint64_t packed_bytes = 0;
  uint64_t changes = 0;
};

template <typename T>
FixedStatistics Measure(Values<T> values) {
  FixedStatistics statistics;
  statistics.widths.reserve(values.count() / kBitpackBlock + 1);
  T previous = values.count() > 0 ? values[0] : T{0};
  for (uint64_t first = 0; first < values.count(); first += kBitpackBlock) {
    const uint64_t count = std::min<uint64_t>(kBitpackBlock, values.count() - first);
    T group[kBitpackBlock];
    std::memcpy(group, values.at(first), count * sizeof(T));
    T all = group[0];
    // Counting in T keeps the loop in full vector lanes; 8-bit counters are summed often enough.
    uint64_t changes = group[0] != previous ? 1 : 0;
    for (uint64_t start = 1; start < count; start += 128) {
      const uint64_t end = std::min<uint64_t>(count, start + 128);
      T partial = 0;
      for (uint64_t i = start; i < end; ++i) {
        all |= group[i];
        partial = static_cast<T>(partial + (group[i] != group[i - 1] ? 1 : 0));
      }
      changes += partial;
    }
    previous = group[count - 1];
    statistics.changes += changes;
    const auto width = static_cast<uint8_t>(std::bit_width(all));
    statistics.widths.push_back(width);
    statistics.packed_bytes += (1 + PackedWords<T>(width)) * sizeof(T);
  }
  return statistics;
}

template <typename T>
class PackedValues final : public MiniBlockValues {
 public:
  PackedValues(Values<T> values, std::vector<uint8_t> widths)
      : values_(values), widths_(std::move(widths)) {
    CutEvenly(values.count(), kBitpackBlock);
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    out->mutable_inline_bitpacking()->set_uncompressed_bits_per_value(sizeof(T) * 8);
  }
  uint32_t num_buffers() const override { return 1; }
  uint64_t MaxChunkSize(size_t chunk) const override {
    return (1 + PackedWords<T>(widths_[chunk])) * sizeof(T);
  }
  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t, uint8_t* out) const override {
    const uint64_t count = chunks_[chunk];
    StoreLittleEndian<T>(widths_[chunk], out);
    const uint8_t* from = values_.at(first);
    if (count == kBitpackBlock && reinterpret_cast<uintptr_t>(from) % alignof(T) == 0) {
      PackBlock<T>(widths_[chunk], reinterpret_cast<const T*>(from), out + sizeof(T));
    } else {
      T padded[kBitpackBlock] = {};
      std::memcpy(padded, from, count * sizeof(T));
      PackBlock<T>(widths_[chunk], padded, out + sizeof(T));
    }
    return MaxChunkSize(chunk);
  }

 private:
  const Values<T> values_;
  const std::vector<uint8_t> widths_;
};

template <typename T>
class RunValues final : public MiniBlockValues {
 public:
  RunValues(Values<T> values, uint64_t changes, RunLengthForms forms) : values_(values) {
    starts_.reserve(changes + 2);
    for (uint64_t i = 0; i < values.count(); ++i) {
      if (i == 0 || values[i] != values[i - 1]) starts_.push_back(i);
    }
    starts_.push_back(values.count());
    CutChunks();
    if (forms == RunLengthForms::kSmallest) ChooseForm();
  }

  /// Bytes of all chunks, if the form was to be chosen.
  uint64_t stored_bytes() const { return stored_bytes_; }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    encodings21::CompressiveEncoding* values = out->mutable_rle()->mutable_values();
    encodings21::CompressiveEncoding* lengths = out->mutable_rle()->mutable_run_lengths();
    DescribePart(sizeof(T) * 8, form_ == Form::kPackedValues, values);
    DescribePart(form_ == Form::kWords ? 16 : 8, form_ == Form::kPackedLengths, lengths);
  }
  uint32_t num_buffers() const override { return 2; }
  uint64_t MaxChunkSize(size_t chunk) const override {
    return entries_[chunk] * (sizeof(T) + sizeof(uint16_t));
  }
  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t buffer, uint8_t* out) const override {
    if (buffer == 0 && form_ == Form::kPackedValues) {
      std::vector<T> values(entries_[chunk]);
      WriteValues(chunk, first, reinterpret_cast<uint8_t*>(values.data()));
      return PackOutOfLine<T>(values, width_, out);
    }
    if (buffer == 0) return WriteValues(chunk, first, out);
    if (form_ != Form::kPackedLengths) return WriteLengths(chunk, first, out);
    std::vector<uint8_t> lengths(entries_[chunk]);
    WriteLengths(chunk, first, lengths.data());
    return PackOutOfLine<uint8_t>(lengths, width_, out);
  }

 private:
  // How long the lengths are, or what is packed: lengths or values, as one must tell how many runs
  // there are.
  enum class Form : uint8_t { kBytes, kWords, kPackedLengths, kPackedValues };

  static constexpr uint64_t kMaxEntries = kMaxChunkBytes / (sizeof(T) + 1);

  // Entries for the values from `position` (in run `run`) to `end`, or more than kMaxEntries.
  uint64_t CountEntries(size_t run, uint64_t position, uint64_t end) const {
    uint64_t entries = 0;
    for (; position < end && entries <= kMaxEntries; ++run) {
      const uint64_t stop = std::min(starts_[run + 1], end);
      entries += (stop - position + kMaxRun - 1) / kMaxRun;
      position = stop;
    }
    return entries;
  }

  void CutChunks() {
    size_t run = 0;
    for (uint64_t first = 0; first < values_.count();) {
      const uint64_t rest = values_.count() - first;
      uint64_t size = std::min(rest, kMaxChunkValues);
      uint64_t entries = CountEntries(run, first, first + size);
      if (entries > kMaxEntries) {
        size = std::bit_floor(size);
        entries = CountEntries(run, first, first + size);
        while (entries > kMaxEntries) {
          size /= 2;
          entries = CountEntries(run, first, first + size);
        }
      }
      chunks_.push_back(static_cast<uint32_t>(size));
      entries_.push_back(entries);
      first_runs_.push_back(run);
      first += size;
      while (run + 1 < starts_.size() && starts_[run + 1] <= first) ++run;
    }
  }

  // Calls `visit(position, length)` for each run of a chunk.
  template <typename Visit>
  void ForEachRun(size_t chunk, uint64_t first, Visit&& visit) const {
    const uint64_t end = first + chunks_[chunk];
    size_t run = first_runs_[chunk];
    for (uint64_t position = first; position < end; ++run) {
      const uint64_t stop = std::min(starts_[run + 1], end);
      visit(position, stop - position);
      position = stop;
    }
  }

  void ChooseForm() {
    uint64_t longest = 0;
    T all_values = 0;
    uint64_t words = 0;
    uint64_t bytes = 0;
    uint64_t first = 0;
    for (size_t chunk = 0; chunk < chunks_.size(); first += chunks_[chunk++]) {
      ForEachRun(chunk, first, [&](uint64_t position, uint64_t length) {
        longest = std::max(longest, length);
        all_values |= values_[position];
        words += sizeof(T) + sizeof(uint16_t);
      });
      bytes += entries_[chunk] * (sizeof(T) + 1);
    }
    stored_bytes_ = bytes;
    Offer(Form::kWords, 16, words);
    const auto length_bits = static_cast<uint32_t>(std::bit_width(std::min(longest, kMaxRun)));
    const auto value_bits = static_cast<uint32_t>(std::bit_width(all_values));
    uint64_t packed_lengths = 0;
    uint64_t packed_values = 0;
    for (uint64_t entries : entries_) {
      packed_lengths += entries * sizeof(T) + OutOfLinePackedSize<uint8_t>(entries, length_bits);
      packed_values += OutOfLinePackedSize<T>(entries, value_bits) + entries;
    }
    if (length_bits < 8) Offer(Form::kPackedLengths, length_bits, packed_lengths);
    if (value_bits > 0 && value_bits < sizeof(T) * 8) {
      Offer(Form::kPackedValues, value_bits, packed_values);
    }
  }

  void Offer(Form form, uint32_t width, uint64_t bytes) {
    if (bytes >= stored_bytes_) return;
    form_ = form;
    width_ = width;
    stored_bytes_ = bytes;
  }

  void DescribePart(uint64_t bits, bool packed, encodings21::CompressiveEncoding* out) const {
    if (!packed) {
      out->mutable_flat()->set_bits_per_value(bits);
      return;
    }
    out->mutable_out_of_line_bitpacking()->set_uncompressed_bits_per_value(bits);
    out->mutable_out_of_line_bitpacking()->mutable_values()->mutable_flat()->set_bits_per_value(
        width_);
  }

  // How often a value is given, as longer runs are cut.
  uint64_t PiecesOf(uint64_t length) const {
    return form_ == Form::kWords ? 1 : (length + kMaxRun - 1) / kMaxRun;
  }

  uint64_t WriteValues(size_t chunk, uint64_t first, uint8_t* out) const {
    uint8_t* at = out;
    ForEachRun(chunk, first, [&](uint64_t position, uint64_t length) {
      const T value = values_[position];
      for (uint64_t pieces = PiecesOf(length); pieces > 0; --pieces, at += sizeof(T)) {
        StoreLittleEndian(value, at);
      }
    });
    return static_cast<uint64_t>(at - out);
  }

  uint64_t WriteLengths(size_t chunk, uint64_t first, uint8_t* out) const {
    uint8_t* at = out;
    ForEachRun(chunk, first, [&](uint64_t, uint64_t length) {
      if (form_ == Form::kWords) {
        StoreLittleEndian(static_cast<uint16_t>(length), at);
        at += sizeof(uint16_t);
        return;
      }
      for (; length > 0; length -= std::min(length, kMaxRun)) {
        *at++ = static_cast<uint8_t>(std::min(length, kMaxRun));
      }
    });
    return static_cast<uint64_t>(at - out);
  }

  const Values<T> values_;
  // First value of each run, and the end.
  std::vector<uint64_t> starts_;
  // By chunk; runs of more than kMaxRun count several times.
  std::vector<uint64_t> entries_;
  std::vector<size_t> first_runs_;
  Form form_ = Form::kBytes;
  // Bits of what is packed.
  uint32_t width_ = 0;
  uint64_t stored_bytes_ = 0;
};

// Byte j of all values of a chunk, one j after the other.
template <typename T>
class SplitValues final : public MiniBlockValues {
 public:
  explicit SplitValues(Values<T> values) : values_(values) {
    CutEvenly(values.count(), kChunkBytes / sizeof(T));
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    auto* split = out->mutable_byte_stream_split();
    split->mutable_values()->mutable_flat()->set_bits_per_value(sizeof(T) * 8);
  }
  uint32_t num_buffers() const override { return 1; }
  uint64_t MaxChunkSize(size_t chunk) const override { return chunks_[chunk] * sizeof(T); }
  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t, uint8_t* out) const override {
    const uint64_t count = chunks_[chunk];
    for (uint64_t byte = 0; byte < sizeof(T); ++byte) {
      const uint8_t* from = values_.at(first) + byte;
      for (uint64_t i = 0; i < count; ++i) *out++ = from[i * sizeof(T)];
    }
    return count * sizeof(T);
  }

 private:
  static constexpr uint64_t kChunkBytes = 4096;

  const Values<T> values_;
};

/// Values that tell whether splitting their bytes pays, and the entropy below which it does: some
/// of the bytes are then nearly always the same.
constexpr uint64_t kEntropySample = 64;
constexpr double kMaxSplitEntropy = 4.0;

template <typename T>
bool BytesRepeat(Values<T> values) {
  const uint64_t count = std::min(values.count(), kEntropySample);
  double entropy = 0;
  for (uint64_t byte = 0; byte < sizeof(T); ++byte) {
    std::array<uint32_t, 256> seen = {};
    for (uint64_t i = 0; i < count; ++i) ++seen[values.at(i)[byte]];
    for (uint32_t times : seen) {
      if (times == 0) continue;
      const double part = static_cast<double>(times) / static_cast<double>(count);
      entropy -= part * std::log2(part);
    }
  }
  return entropy / sizeof(T) < kMaxSplitEntropy;
}

template <typename T>
bool WantsSplit(Values<T> values, const EncodingHints& hints) {
  if constexpr (sizeof(T) < 4) return false;
  if (!hints.wants_general() || hints.byte_stream_split == EncodingHints::Split::kOff) return false;
  return hints.byte_stream_split == EncodingHints::Split::kOn || BytesRepeat(values);
}

enum class FixedCodec : uint8_t { kFlat, kPacked, kRuns };

bool HasFewRuns(uint64_t count, const FixedStatistics& statistics,
                std::optional<double> rle_threshold) {
  return !rle_threshold ||
         static_cast<double>(statistics.changes + 1) < static_cast<double>(count) * *rle_threshold;
}

template <typename T>
std::pair<FixedCodec, uint64_t> ChooseCodec(uint64_t count, const FixedStatistics& statistics,
                                            std::optional<double> rle_threshold) {
  const uint64_t raw = count * sizeof(T);
  const uint64_t entries = statistics.changes + 1 + count / kMaxRun + count / kMaxChunkValues;
  const uint64_t runs = entries * RunBytes(sizeof(T));
  const bool few_runs = HasFewRuns(count, statistics, rle_threshold);
  if (few_runs && runs < raw && runs <= statistics.packed_bytes) return {FixedCodec::kRuns, runs};
  if (statistics.packed_bytes < raw) return {FixedCodec::kPacked, statistics.packed_bytes};
  return {FixedCodec::kFlat, raw};
}

// Calls `visit` with a value of the unsigned type of the width, if packing knows it.
template <typename Visit>
bool VisitWordType(uint64_t bits, Visit&& visit) {
  switch (bits) {
    case 8:
      visit(uint8_t{});
      return true;
    case 16:
      visit(uint16_t{});
      return true;
    case 32:
      visit(uint32_t{});
      return true;
    case 64:
      visit(uint64_t{});
      return true;
    default:
      return false;
  }
}

class FixedSizeListValues final : public MiniBlockValues {
 public:
  explicit FixedSizeListValues(const LeafBlock& block) : block_(block) {
    uint64_t items = 1;
    uint64_t bits = block.items_per_list() * block.fixed.bits;
    for (const ListDimension& dimension : block.dimensions) {
      items *= dimension.size;
      if (dimension.child_validity == nullptr) continue;
      validity_.push_back({dimension.child_validity, items});
      bits += items;
    }
    validity_.push_back({block.fixed.data, block.items_per_list() * block.fixed.bits});
    uint64_t size = kMaxChunkValues;
    while (size > 2 && size * bits / 8 + validity_.size() >= kMaxChunkBytes) size /= 2;
    CutEvenly(block.count, size);
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    encodings21::CompressiveEncoding* level = out;
    for (const ListDimension& dimension : block_.dimensions) {
      auto* list = level->mutable_fixed_size_list();
      list->set_items_per_value(dimension.size);
      list->set_has_validity(dimension.child_validity != nullptr);
      level = list->mutable_values();
    }
    level->mutable_flat()->set_bits_per_value(block_.fixed.bits);
  }
  uint32_t num_buffers() const override { return static_cast<uint32_t>(validity_.size()); }
  uint64_t MaxChunkSize(size_t chunk) const override {
    uint64_t size = 0;
    for (const BitRun& run : validity_) size += (chunks_[chunk] * run.bits_per_list + 7) / 8;
    return size;
  }
  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t buffer, uint8_t* out) const override;

 private:
  // Bits that stand one list after the other.
  struct BitRun {
    const uint8_t* data;
    uint64_t bits_per_list;
  };

  const LeafBlock& block_;
  // Of each dimension that has it, then the items themselves.
  std::vector<BitRun> validity_;
};

uint64_t FixedSizeListValues::WriteBuffer(size_t chunk, uint64_t first, uint32_t buffer,
                                          uint8_t* out) const {
  const BitRun& run = validity_[buffer];
  const uint64_t start = first * run.bits_per_list;
  const uint64_t bits = chunks_[chunk] * run.bits_per_list;
  const uint64_t size = (bits + 7) / 8;
  const uint64_t shift = start % 8;
  const uint8_t* from = run.data + start / 8;
  if (shift == 0) {
    std::memcpy(out, from, size);
    return size;
  }
  const uint64_t available = (shift + bits + 7) / 8;
  for (uint64_t i = 0; i < size; ++i) {
    const uint32_t high = i + 1 < available ? from[i + 1] : 0u;
    out[i] = static_cast<uint8_t>((from[i] | high << 8) >> shift);
  }
  return size;
}

}  // namespace

Result<std::unique_ptr<MiniBlockValues>> EncodeFixed(const FixedBlock& block, RunLengthForms forms,
                                                     const EncodingHints& hints) {
  if (block.width() * 2 > kMaxChunkBytes) {
    return Unsupported("values of ", block.width(),
                       " bytes are too wide for chunks; choose structural-encoding fullzip");
  }
  std::unique_ptr<MiniBlockValues> values;
  if (hints.compression == EncodingHints::Compression::kNone) return EncodeFlat(block);
  VisitWordType(block.bits, [&](auto word) {
    using T = decltype(word);
    const Values<T> typed(block);
    if (WantsSplit(typed, hints)) {
      values = std::make_unique<SplitValues<T>>(typed);
      return;
    }
    FixedStatistics statistics = Measure<T>(typed);
    const auto [codec, bytes] = ChooseCodec<T>(block.count, statistics, hints.rle_threshold);
    // What is compressed has no packed lengths beside it.
    const bool may_choose = forms == RunLengthForms::kSmallest && !hints.wants_general();
    if (may_choose && (statistics.changes + 1) * sizeof(T) < bytes &&
        HasFewRuns(block.count, statistics, hints.rle_threshold)) {
      auto runs = std::make_unique<RunValues<T>>(typed, statistics.changes, forms);
      if (runs->stored_bytes() < bytes) {
        values = std::move(runs);
        return;
      }
    }
    switch (codec) {
      case FixedCodec::kRuns:
        values = std::make_unique<RunValues<T>>(typed, statistics.changes, RunLengthForms::kBytes);
        return;
      case FixedCodec::kPacked:
        values = std::make_unique<PackedValues<T>>(typed, std::move(statistics.widths));
        return;
      case FixedCodec::kFlat:
        return;
    }
  });
  if (values == nullptr) return EncodeFlat(block);
  return values;
}

FixedSize EncodedFixedSize(const FixedBlock& block) {
  FixedSize size{.bytes = block.num_bytes()};
  VisitWordType(block.bits, [&](auto word) {
    using T = decltype(word);
    const auto [codec, bytes] =
        ChooseCodec<T>(block.count, Measure<T>(Values<T>(block)), std::nullopt);
    size = {bytes, codec == FixedCodec::kRuns};
  });
  return size;
}

Result<std::unique_ptr<MiniBlockValues>> EncodeFixedSizeLists(const LeafBlock& block) {
  std::unique_ptr<MiniBlockValues> values = std::make_unique<FixedSizeListValues>(block);
  if (values->MaxChunkSize(0) > kMaxChunkBytes) {
    return Unsupported("fixed-size lists of ", block.items_per_list() * block.fixed.bits / 8,
                       " bytes are too wide for chunks; choose structural-encoding fullzip");
  }
  return values;
}

}  // namespace lance::encoding
