#include "encoding/read/sequence.h"

#include <gtest/gtest.h>

#include <cstring>

#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using encodings21::CompressiveEncoding;
using Numbers = std::vector<uint64_t>;

CompressiveEncoding Flat(uint64_t bits) {
  CompressiveEncoding out;
  out.mutable_flat()->set_bits_per_value(bits);
  return out;
}

CompressiveEncoding Constant(uint32_t value) {
  CompressiveEncoding out;
  out.mutable_constant()->set_value(std::string(reinterpret_cast<const char*>(&value), 4));
  return out;
}

CompressiveEncoding Range(uint64_t start, uint64_t step) {
  CompressiveEncoding out;
  out.mutable_range()->set_uncompressed_bits_per_value(64);
  out.mutable_range()->set_start(start);
  out.mutable_range()->set_step(step);
  return out;
}

template <typename T>
std::vector<uint8_t> Raw(const std::vector<T>& numbers) {
  std::vector<uint8_t> out(numbers.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), numbers.data(), out.size());
  return out;
}

std::vector<uint8_t> Join(std::initializer_list<std::vector<uint8_t>> parts) {
  std::vector<uint8_t> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Result<Numbers> Decode(const CompressiveEncoding& encoding, Bytes payload, uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto decoder, SequenceDecoder::Make(encoding));
  return decoder->Decode(payload, count);
}

TEST(Sequence, WithoutPayload) {
  EXPECT_FALSE(SequenceDecoder::Make(Constant(7)).ValueOrDie()->has_payload());
  EXPECT_EQ(Decode(Constant(7), {}, 3).ValueOrDie(), (Numbers{7, 7, 7}));
  EXPECT_EQ(Decode(Range(5, 3), {}, 4).ValueOrDie(), (Numbers{5, 8, 11, 14}));
  CompressiveEncoding nothing;
  nothing.mutable_constant();
  EXPECT_EQ(Decode(nothing, {}, 0).ValueOrDie(), Numbers{});
  EXPECT_FALSE(Decode(nothing, {}, 1).ok());
  EXPECT_FALSE(Decode(Range(~uint64_t{0} - 1, 1), {}, 3).ok());
  EXPECT_FALSE(SequenceDecoder::Make(Range(1, 0)).ok());
}

TEST(Sequence, FlatOf32And64Bits) {
  EXPECT_EQ(Decode(Flat(32), Raw<uint32_t>({1, 2, 4000000000}), 3).ValueOrDie(),
            (Numbers{1, 2, 4000000000}));
  EXPECT_EQ(Decode(Flat(64), Raw<uint64_t>({9, 1ull << 40}), 2).ValueOrDie(),
            (Numbers{9, 1ull << 40}));
  EXPECT_FALSE(Decode(Flat(64), Raw<uint64_t>({9}), 2).ok());
  EXPECT_FALSE(SequenceDecoder::Make(Flat(16)).ok());
}

TEST(Sequence, Delta) {
  CompressiveEncoding encoding;
  encoding.mutable_delta()->set_uncompressed_bits_per_value(64);
  encoding.mutable_delta()->set_base(10);
  *encoding.mutable_delta()->mutable_deltas() = Flat(64);
  EXPECT_EQ(Decode(encoding, Raw<uint64_t>({1, 5}), 3).ValueOrDie(), (Numbers{10, 11, 16}));
  *encoding.mutable_delta()->mutable_deltas() = Constant(2);
  EXPECT_EQ(Decode(encoding, {}, 3).ValueOrDie(), (Numbers{10, 12, 14}));
  encoding.mutable_delta()->set_base(~uint64_t{0});
  EXPECT_FALSE(Decode(encoding, {}, 3).ok());
}

TEST(Sequence, Runs) {
  CompressiveEncoding encoding;
  *encoding.mutable_rle()->mutable_values() = Flat(64);
  *encoding.mutable_rle()->mutable_run_lengths() = Flat(32);
  const auto payload = Join({Raw<uint64_t>({16}), Raw<uint64_t>({3, 8}), Raw<uint32_t>({2, 1})});
  EXPECT_EQ(Decode(encoding, payload, 3).ValueOrDie(), (Numbers{3, 3, 8}));
  EXPECT_FALSE(Decode(encoding, payload, 4).ok());
  EXPECT_FALSE(Decode(encoding, payload, 2).ok());
  EXPECT_FALSE(Decode(encoding, Bytes(payload).first(20), 3).ok());
  // Lengths by a rule.
  *encoding.mutable_rle()->mutable_run_lengths() = Constant(2);
  EXPECT_EQ(Decode(encoding, Join({Raw<uint64_t>({16}), Raw<uint64_t>({3, 8})}), 4).ValueOrDie(),
            (Numbers{3, 3, 8, 8}));
  *encoding.mutable_rle()->mutable_run_lengths() = Range(1, 1);
  EXPECT_EQ(Decode(encoding, Join({Raw<uint64_t>({16}), Raw<uint64_t>({3, 8})}), 3).ValueOrDie(),
            (Numbers{3, 8, 8}));
  // Nothing at all in the payload.
  *encoding.mutable_rle()->mutable_values() = Constant(6);
  *encoding.mutable_rle()->mutable_run_lengths() = Constant(3);
  EXPECT_FALSE(SequenceDecoder::Make(encoding).ValueOrDie()->has_payload());
  EXPECT_EQ(Decode(encoding, {}, 6).ValueOrDie(), (Numbers{6, 6, 6, 6, 6, 6}));
}

TEST(Sequence, Dictionary) {
  CompressiveEncoding encoding;
  *encoding.mutable_dictionary()->mutable_indices() = Flat(32);
  *encoding.mutable_dictionary()->mutable_items() = Range(100, 50);
  encoding.mutable_dictionary()->set_num_dictionary_items(3);
  const auto payload = Join({Raw<uint64_t>({16, 0}), Raw<uint32_t>({2, 0, 0, 1})});
  EXPECT_EQ(Decode(encoding, payload, 4).ValueOrDie(), (Numbers{200, 100, 100, 150}));
  encoding.mutable_dictionary()->set_num_dictionary_items(2);
  EXPECT_FALSE(Decode(encoding, payload, 4).ok());
}

TEST(Sequence, PartsDoNotNest) {
  CompressiveEncoding inner;
  inner.mutable_delta()->set_uncompressed_bits_per_value(64);
  *inner.mutable_delta()->mutable_deltas() = Flat(64);
  CompressiveEncoding outer = inner;
  *outer.mutable_delta()->mutable_deltas() = inner;
  EXPECT_FALSE(SequenceDecoder::Make(outer).ok());
}

TEST(Sequence, CountsAreBounded) {
  for (const auto& rule : {Constant(1), Range(0, 1)}) {
    EXPECT_TRUE(Decode(rule, {}, 100'000).ok());
    EXPECT_FALSE(Decode(rule, {}, uint64_t{1} << 23).ok());
    EXPECT_FALSE(Decode(rule, {}, uint64_t{1} << 60).ok());
  }
}

}  // namespace
}  // namespace lance::encoding
