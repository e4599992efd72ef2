#include "encoding/write/fsst_block.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "arrow/memory_pool.h"
#include "encoding/codec/fsst_decoder.h"
#include "gtest/gtest.h"

namespace lance::encoding {
namespace {

// Strings as a page holds them.
class Strings {
 public:
  explicit Strings(const std::vector<std::string>& values) {
    offsets_.push_back(0);
    for (const std::string& value : values) {
      bytes_ += value;
      offsets_.push_back(static_cast<uint32_t>(bytes_.size()));
    }
  }

  const std::string& bytes() const { return bytes_; }
  VariableBlock block() const {
    return {offsets_.size() - 1, 32, reinterpret_cast<const uint8_t*>(offsets_.data()),
            reinterpret_cast<const uint8_t*>(bytes_.data())};
  }

 private:
  std::vector<uint32_t> offsets_;
  std::string bytes_;
};

Strings Addresses(uint32_t seed) {
  std::mt19937 random(seed);
  const char* hosts[] = {"www.example.com", "data.example.org", "cdn.example.net"};
  std::vector<std::string> out(5000);
  for (std::string& text : out) {
    text = std::string("https://") + hosts[random() % 3] + "/articles/" +
           std::to_string(random() % 100000) + ".html";
  }
  return Strings(out);
}

Strings Orders(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> out(5000);
  for (std::string& text : out) {
    text = "{\"order\": " + std::to_string(random() % 1000) + ", \"paid\": true}";
  }
  return Strings(out);
}

std::shared_ptr<FsstBlock> Compress(FsstLearner* learner, const Strings& strings) {
  return learner->Compress(strings.block(), arrow::default_memory_pool()).ValueOrDie();
}

uint64_t FreshSize(const Strings& strings) {
  FsstLearner learner(FsstEncoder::Effort::kUsual);
  return Compress(&learner, strings)->block.num_bytes();
}

std::string Decoded(const FsstBlock& block) {
  const auto table = std::as_bytes(std::span(block.symbol_table));
  const FsstDecoder decoder =
      FsstDecoder::Parse({reinterpret_cast<const uint8_t*>(table.data()), table.size()})
          .ValueOrDie();
  const uint64_t size = block.block.num_bytes();
  std::string out(FsstDecoder::MaxDecodedBytes(size), '\0');
  auto* begin = reinterpret_cast<uint8_t*>(out.data());
  const uint8_t* end = decoder.Decode({block.block.bytes, size}, begin);
  out.resize(static_cast<size_t>(end - begin));
  return out;
}

// A page comes back right, and takes `percent` at most of what it takes by itself.
void ExpectSmall(FsstLearner* learner, const Strings& strings, uint64_t percent) {
  const auto block = Compress(learner, strings);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(Decoded(*block), strings.bytes());
  EXPECT_LE(block->block.num_bytes() * 100, FreshSize(strings) * percent);
}

TEST(FsstLearnerTest, PagesThatAreAlikeStaySmall) {
  FsstLearner learner(FsstEncoder::Effort::kUsual);
  for (uint32_t page = 0; page < 5; ++page) {
    SCOPED_TRACE(page);
    ExpectSmall(&learner, Addresses(page), 105);
  }
}

TEST(FsstLearnerTest, OtherStringsAreLearntAnew) {
  FsstLearner learner(FsstEncoder::Effort::kUsual);
  for (uint32_t page = 0; page < 6; ++page) {
    SCOPED_TRACE(page);
    ExpectSmall(&learner, page % 2 == 0 ? Addresses(page) : Orders(page), 110);
  }
}

TEST(FsstLearnerTest, RandomBytesBetweenTwoPagesAreLeftAlone) {
  FsstLearner learner(FsstEncoder::Effort::kUsual);
  ASSERT_NE(Compress(&learner, Addresses(1)), nullptr);
  std::mt19937 random(3);
  std::vector<std::string> noise(2000);
  for (std::string& text : noise) {
    for (int i = 0; i < 20; ++i) text.push_back(static_cast<char>(random()));
  }
  EXPECT_EQ(Compress(&learner, Strings(noise)), nullptr);
  ExpectSmall(&learner, Addresses(2), 105);
}

}  // namespace
}  // namespace lance::encoding
