// The kernels of reading and writing by themselves: `lance_bench_kernels`. For each the bytes that
// it gives (decoders) or takes (encoders) in a second on one core, and as a part of what memcpy
// moves. All of it stays in the second-level cache, as chunks do.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "encoding/codec/bitpack.h"
#include "encoding/codec/fsst_decoder.h"
#include "encoding/codec/fsst_encoder.h"
#include "encoding/read/level_counts.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kBytes = 256 << 10;
double memcpy_rate = 0;

// The best of many runs, in bytes a second.
double Rate(uint64_t bytes, const std::function<void()>& body) {
  double best = 0;
  for (int run = 0; run < 200; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(bytes) / took.count());
  }
  return best;
}

void Report(const std::string& name, uint64_t bytes, const std::function<void()>& body) {
  const double rate = Rate(bytes, body);
  if (memcpy_rate == 0) memcpy_rate = rate;
  std::printf("| %s | %.2f | %.2f |\n", name.c_str(), rate / 1e9, rate / memcpy_rate);
}

template <typename T>
void Bitpacking(uint32_t width) {
  const uint64_t blocks = kBytes / sizeof(T) / kBitpackBlock;
  std::vector<T> values(blocks * kBitpackBlock);
  std::mt19937_64 random(1);
  for (T& value : values) value = static_cast<T>(random() & ((uint64_t{1} << width) - 1));
  const uint64_t packed_bytes = PackedWords<T>(width) * sizeof(T);
  std::vector<uint8_t> packed(blocks * packed_bytes);
  const std::string what = std::to_string(sizeof(T) * 8) + " to " + std::to_string(width) + " bits";
  Report("pack " + what, kBytes, [&] {
    for (uint64_t i = 0; i < blocks; ++i) {
      PackBlock<T>(width, values.data() + i * kBitpackBlock, packed.data() + i * packed_bytes);
    }
  });
  Report("unpack " + what, kBytes, [&] {
    for (uint64_t i = 0; i < blocks; ++i) {
      UnpackBlock<T>(width, packed.data() + i * packed_bytes, values.data() + i * kBitpackBlock);
    }
  });
}

void Fsst(const std::string& name, size_t words) {
  const char* vocabulary[] = {"red ",   "green ", "blue ",  "amber ", "quick ", "slow ",
                              "river ", "stone ", "paper ", "glass ", "cloud ", "field "};
  std::mt19937 random(2);
  std::string bytes;
  std::vector<uint32_t> offsets = {0};
  while (bytes.size() < kBytes) {
    for (size_t i = 0; i < words; ++i) bytes += vocabulary[random() % 12];
    offsets.push_back(static_cast<uint32_t>(bytes.size()));
  }
  const uint64_t count = offsets.size() - 1;
  std::vector<std::string_view> sample;
  for (uint64_t i = 0; i < count && i < 500; ++i) {
    sample.push_back(std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]));
  }
  const FsstEncoder encoder = FsstEncoder::Train(sample);
  std::vector<uint8_t> codes(FsstEncoder::MaxCompressedSize(bytes.size()));
  std::vector<uint32_t> ends(count + 1);
  const auto* text = reinterpret_cast<const uint8_t*>(bytes.data());
  Report("FSST encode, " + name, bytes.size(),
         [&] { encoder.CompressAll(offsets.data(), count, text, ends.data(), std::span(codes)); });
  const std::string table = encoder.SerializeTable();
  const FsstDecoder decoder = FsstDecoder::Parse(AsBytes(table)).ValueOrDie();
  std::vector<uint8_t> out(FsstDecoder::MaxDecodedBytes(ends[count]));
  std::vector<uint64_t> out_ends(count);
  Report("FSST decode, " + name, bytes.size(),
         [&] { decoder.DecodeAll(codes.data(), ends.data(), count, out.data(), out_ends.data()); });
  Report("FSST decode one by one, " + name, bytes.size(), [&] {
    uint8_t* at = out.data();
    for (uint64_t i = 0; i < count; ++i) {
      at = decoder.Decode({codes.data() + ends[i], ends[i + 1] - ends[i]}, at);
    }
  });
}

void Levels() {
  std::vector<uint16_t> levels(kBytes / sizeof(uint16_t));
  std::mt19937 random(3);
  for (uint16_t& level : levels) level = random() % 3;
  uint64_t sum = 0;
  Report("count levels", kBytes, [&] { sum += CountLevels(levels.data(), levels.size(), 1); });
  if (sum == 0) std::puts("");
}

void Run() {
  std::puts("| kernel | GB/s | of memcpy |\n|---|---:|---:|");
  std::vector<uint8_t> from(kBytes, 1);
  std::vector<uint8_t> to(kBytes);
  Report("memcpy", kBytes, [&] { std::memcpy(to.data(), from.data(), kBytes); });
  Bitpacking<uint8_t>(5);
  Bitpacking<uint16_t>(1);
  Bitpacking<uint16_t>(9);
  Bitpacking<uint32_t>(10);
  Bitpacking<uint32_t>(21);
  Bitpacking<uint64_t>(17);
  Bitpacking<uint64_t>(40);
  Fsst("strings of 11 bytes", 2);
  Fsst("strings of 33 bytes", 6);
  Fsst("strings of 110 bytes", 20);
  Levels();
}

}  // namespace
}  // namespace lance::encoding

int main() { lance::encoding::Run(); }
