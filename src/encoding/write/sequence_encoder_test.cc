#include "encoding/write/sequence_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "encoding/read/sequence.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using encodings21::CompressiveEncoding;
using Kind = CompressiveEncoding::CompressionCase;
using Numbers = std::vector<uint64_t>;

// Encodes, decodes and compares; returns the form that was chosen.
Kind RoundTrip(const Numbers& numbers, uint64_t* payload_bytes = nullptr) {
  CompressiveEncoding encoding;
  const auto payload =
      EncodeSequence(numbers, arrow::default_memory_pool(), &encoding).ValueOrDie();
  const auto decoder = SequenceDecoder::Make(encoding).ValueOrDie();
  EXPECT_EQ(decoder->has_payload(), payload != nullptr);
  const Bytes bytes =
      payload == nullptr ? Bytes() : Bytes(payload->data(), static_cast<size_t>(payload->size()));
  EXPECT_EQ(decoder->Decode(bytes, numbers.size()).ValueOrDie(), numbers);
  if (payload_bytes != nullptr) *payload_bytes = bytes.size();
  return encoding.compression_case();
}

TEST(SequenceEncoder, RulesTakeNoBytes) {
  EXPECT_EQ(RoundTrip({}), Kind::kConstant);
  EXPECT_EQ(RoundTrip({7}), Kind::kConstant);
  EXPECT_EQ(RoundTrip({7, 7, 7}), Kind::kConstant);
  EXPECT_EQ(RoundTrip({7, 9, 11}), Kind::kRange);
  EXPECT_EQ(RoundTrip({0, ~0ull}), Kind::kRange);
}

TEST(SequenceEncoder, NumbersAreChosenBySize) {
  EXPECT_EQ(RoundTrip({9, 2, 5}), Kind::kFlat);
  EXPECT_EQ(RoundTrip({~0ull, 0, 1}), Kind::kFlat);
  Numbers steps;
  for (uint64_t i = 0; i < 5000; ++i) steps.push_back((i == 0 ? 1u << 30 : steps.back()) + i % 3);
  uint64_t bytes = 0;
  EXPECT_EQ(RoundTrip(steps, &bytes), Kind::kDelta);
  EXPECT_LT(bytes, 5000u);
  std::mt19937_64 random(7);
  for (uint64_t& step : steps) step = random() % 1000;
  EXPECT_EQ(RoundTrip(steps), Kind::kOutOfLineBitpacking);
  for (uint64_t& step : steps) step = 1 + random() % 4;
  EXPECT_EQ(RoundTrip(steps, &bytes), Kind::kDictionary);
  EXPECT_LT(bytes, 5000u * 2 / 8 + 150);
  for (uint64_t& step : steps) step = step == 1 ? 1 + random() % 2 * 699 : 1;
  EXPECT_EQ(RoundTrip(steps, &bytes), Kind::kDictionary);
  EXPECT_LT(bytes, 5000u / 8 + 150);
  for (uint64_t& step : steps) step = random() % 100 == 0 ? random() % 100000 : 1;
  EXPECT_EQ(RoundTrip(steps, &bytes), Kind::kGeneral);
  EXPECT_LT(bytes, 5000u / 10);
}

TEST(SequenceEncoder, RandomNumbersComeBack) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    Numbers numbers(random() % 3000);
    const uint64_t shift = random() % 64;
    for (uint64_t& number : numbers) number = random() >> shift;
    if (round % 2 == 0) std::sort(numbers.begin(), numbers.end());
    RoundTrip(numbers);
  }
}

}  // namespace
}  // namespace lance::encoding
