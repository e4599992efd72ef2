#include "encoding/write/fsst_block.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lance::encoding {
namespace {

/// Below so many bytes a symbol table of 2 KiB hardly pays.
constexpr uint64_t kMinBytes = 8192;
constexpr uint64_t kMinLongest = 5;
/// Longer strings give one piece of this size to the sample.
constexpr uint64_t kPieceBytes = 512;

/// A prime, to spread places.
constexpr uint64_t kSpread = 7919;

// A larger sample takes longer to learn from, which little data doesn't pay for.
constexpr uint64_t kMinSampleBytes = 16384;
constexpr uint64_t kSampledPart = 16;

// A table learnt from the very sample, so it looks better than it is.
constexpr double kWorthwhileRatio = 0.95;
// An adapted table may be so many times as large as the one it came from; else the data differ.
constexpr double kMaxDrift = 1.02;

// Pieces of strings: one from each of many stretches of equal length, not always at the same place
// in it, as data may have a period.
std::vector<std::string_view> TakeSample(const VariableBlock& block, FsstEncoder::Effort effort) {
  std::vector<std::string_view> sample;
  const uint64_t average = std::max<uint64_t>(1, block.num_bytes() / block.count);
  const uint64_t sample_bytes = std::clamp(block.num_bytes() / kSampledPart, kMinSampleBytes,
                                           FsstEncoder::SampleBytes(effort));
  const uint64_t wanted = sample_bytes / std::min(average, kPieceBytes) + 1;
  const uint64_t step = std::max<uint64_t>(1, block.count / wanted);
  for (uint64_t first = 0; first < block.count; first += step) {
    const uint64_t i = std::min(first + (first / step * kSpread) % step, block.count - 1);
    const uint64_t length = block.length(i);
    if (length == 0) continue;
    const uint64_t piece = std::min(length, kPieceBytes);
    // Not always the beginning, which is often alike.
    const uint64_t skip = length == piece ? 0 : (i * kSpread) % (length - piece);
    sample.emplace_back(reinterpret_cast<const char*>(block.bytes) + block.offset(i) + skip, piece);
  }
  return sample;
}

// Part of the sample's bytes that its codes take.
double RatioOf(const FsstEncoder& encoder, const std::vector<std::string_view>& sample) {
  uint8_t out[FsstEncoder::MaxCompressedSize(kPieceBytes)];
  uint64_t before = 0;
  uint64_t after = 0;
  for (std::string_view piece : sample) {
    const auto* text = reinterpret_cast<const uint8_t*>(piece.data());
    before += piece.size();
    after += encoder.Compress(text, piece.size(), out);
  }
  return before == 0 ? 1 : static_cast<double>(after) / static_cast<double>(before);
}

// False if there is nothing to gain.
template <typename Offset>
Result<bool> CompressStrings(const VariableBlock& block, const FsstEncoder& encoder,
                             arrow::MemoryPool* pool, FsstBlock* out) {
  ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<Offset>::Allocate(block.count + 1, pool));
  ARROW_ASSIGN_OR_RAISE(
      auto codes, ScratchArray<uint8_t>::Allocate(block.num_bytes() - kFsstTableBytes - 1, pool));
  if (!encoder.CompressAll(block.offsets_as<Offset>(), block.count, block.bytes, offsets.data(),
                           std::span(codes.data(), codes.size()))) {
    return false;
  }
  out->block = {block.count, block.offset_bits, reinterpret_cast<const uint8_t*>(offsets.data()),
                codes.data()};
  out->offsets = offsets.buffer();
  out->codes = codes.buffer();
  return true;
}

}  // namespace

FsstLearner::Table FsstLearner::Learn(const VariableBlock& block) const {
  const std::vector<std::string_view> sample = TakeSample(block, effort_);
  if (symbols_ != nullptr) {
    FsstEncoder adapted = FsstEncoder::Adapt(*symbols_, sample);
    const double ratio = RatioOf(adapted, sample);
    if (ratio <= ratio_ * kMaxDrift) return {std::move(adapted), ratio};
  }
  FsstEncoder fresh = FsstEncoder::Train(sample, effort_);
  const double ratio = RatioOf(fresh, sample);
  return {std::move(fresh), ratio};
}

Result<std::shared_ptr<FsstBlock>> FsstLearner::Compress(const VariableBlock& block,
                                                         arrow::MemoryPool* pool) {
  const uint64_t size = block.num_bytes();
  if (size < kMinBytes) return nullptr;
  uint64_t longest = 0;
  for (uint64_t i = 0; i < block.count && longest < kMinLongest; ++i) {
    longest = std::max(longest, block.length(i));
  }
  if (longest < kMinLongest) return nullptr;
  const auto [encoder, ratio] = Learn(block);
  if (ratio >= kWorthwhileRatio) return nullptr;
  symbols_ = std::make_shared<const std::vector<std::string>>(encoder.symbols());
  ratio_ = ratio;
  auto out = std::make_shared<FsstBlock>();
  out->symbol_table = encoder.SerializeTable();
  ARROW_ASSIGN_OR_RAISE(const bool smaller,
                        block.offset_bits == 32
                            ? CompressStrings<uint32_t>(block, encoder, pool, out.get())
                            : CompressStrings<uint64_t>(block, encoder, pool, out.get()));
  return smaller ? out : nullptr;
}

}  // namespace lance::encoding
