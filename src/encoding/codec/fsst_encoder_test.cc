#include "encoding/codec/fsst_encoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "encoding/codec/fsst_decoder.h"

namespace lance::encoding {
namespace {

std::string Compress(const FsstEncoder& encoder, const std::string& text) {
  std::string out(FsstEncoder::MaxCompressedSize(text.size()), '\0');
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  out.resize(encoder.Compress(bytes, text.size(), reinterpret_cast<uint8_t*>(out.data())));
  return out;
}

std::string Decompress(const FsstEncoder& encoder, const std::string& codes) {
  const std::string table = encoder.SerializeTable();
  const FsstDecoder decoder = FsstDecoder::Parse(AsBytes(table)).ValueOrDie();
  std::string out(FsstDecoder::MaxDecodedBytes(codes.size()), '\0');
  auto* begin = reinterpret_cast<uint8_t*>(out.data());
  const uint8_t* end = decoder.Decode(AsBytes(codes), begin);
  EXPECT_NE(end, nullptr);
  out.resize(end == nullptr ? 0 : static_cast<size_t>(end - begin));
  return out;
}

FsstEncoder TrainOn(const std::vector<std::string>& texts) {
  const std::vector<std::string_view> sample(texts.begin(), texts.end());
  return FsstEncoder::Train(sample);
}

std::vector<std::string> Urls(size_t count) {
  std::mt19937 random(7);
  const char* hosts[] = {"www.example.com", "data.example.org", "cdn.example.net"};
  std::vector<std::string> urls;
  for (size_t i = 0; i < count; ++i) {
    urls.push_back(std::string("https://") + hosts[random() % 3] + "/articles/" +
                   std::to_string(random() % 100000) + ".html");
  }
  return urls;
}

TEST(FsstEncoderTest, RepeatedTextShrinksToAThird) {
  const std::vector<std::string> urls = Urls(400);
  const FsstEncoder encoder = TrainOn(urls);
  size_t before = 0;
  size_t after = 0;
  for (const std::string& url : urls) {
    const std::string codes = Compress(encoder, url);
    EXPECT_EQ(Decompress(encoder, codes), url);
    before += url.size();
    after += codes.size();
  }
  EXPECT_LT(after * 3, before);
}

TEST(FsstEncoderTest, StringsOfEveryLengthSurvive) {
  const FsstEncoder encoder = TrainOn(Urls(400));
  std::mt19937 random(11);
  for (size_t size = 0; size < 70; ++size) {
    std::string text(size, '\0');
    for (char& letter : text) letter = static_cast<char>(random());
    EXPECT_EQ(Decompress(encoder, Compress(encoder, text)), text) << size;
    const std::string url = Urls(1)[0].substr(0, size);
    EXPECT_EQ(Decompress(encoder, Compress(encoder, url)), url) << size;
  }
}

template <typename Offset>
void CheckCompressAll(const std::vector<std::string>& texts) {
  const FsstEncoder encoder = TrainOn(Urls(400));
  // Bytes in front of the first string don't belong to any.
  std::string bytes = "xyz";
  std::vector<Offset> offsets = {3};
  for (const std::string& text : texts) {
    bytes += text;
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  std::string out(FsstEncoder::MaxCompressedSize(bytes.size() - 3), '\0');
  std::vector<Offset> out_offsets(offsets.size());
  const auto* text = reinterpret_cast<const uint8_t*>(bytes.data());
  const std::span<uint8_t> room(reinterpret_cast<uint8_t*>(out.data()), out.size());
  ASSERT_TRUE(encoder.CompressAll(offsets.data(), texts.size(), text, out_offsets.data(), room));
  ASSERT_EQ(out_offsets[0], 0u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string codes = out.substr(out_offsets[i], out_offsets[i + 1] - out_offsets[i]);
    EXPECT_EQ(codes, Compress(encoder, texts[i])) << i;
    EXPECT_EQ(Decompress(encoder, codes), texts[i]) << i;
  }
  const std::string table = encoder.SerializeTable();
  const FsstDecoder decoder = FsstDecoder::Parse(AsBytes(table)).ValueOrDie();
  std::string back(FsstDecoder::MaxDecodedBytes(out.size()), '\0');
  std::vector<uint64_t> ends(texts.size());
  ASSERT_TRUE(decoder.DecodeAll(reinterpret_cast<const uint8_t*>(out.data()), out_offsets.data(),
                                texts.size(), reinterpret_cast<uint8_t*>(back.data()),
                                ends.data()));
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(ends[i], offsets[i + 1] - 3) << i;
  EXPECT_EQ(back.substr(0, bytes.size() - 3), bytes.substr(3));
  const uint64_t size = out_offsets.back();
  std::vector<Offset> again(offsets.size());
  EXPECT_TRUE(
      encoder.CompressAll(offsets.data(), texts.size(), text, again.data(), room.first(size)));
  EXPECT_EQ(again, out_offsets);
  if (size == 0) return;
  EXPECT_FALSE(
      encoder.CompressAll(offsets.data(), texts.size(), text, again.data(), room.first(size - 1)));
}

TEST(FsstEncoderTest, AllAtOnceEqualsOneByOne) {
  for (size_t count : {0, 1, 2, 3, 4, 5, 50, 1001, 5000}) {
    CheckCompressAll<uint32_t>(Urls(count));
    CheckCompressAll<uint64_t>(Urls(count));
  }
  std::mt19937 random(13);
  std::vector<std::string> mixed;
  for (const std::string& url : Urls(500)) mixed.push_back(url.substr(0, random() % 60));
  for (size_t i = 0; i < 500; i += 3) mixed[i].clear();
  CheckCompressAll<uint32_t>(mixed);
  CheckCompressAll<uint32_t>(std::vector<std::string>(9));
}

TEST(FsstEncoderTest, LongStringsAmongShortOnes) {
  std::vector<std::string> texts = Urls(300);
  std::string all;
  for (const std::string& url : texts) all += url;
  for (size_t at : {0u, 100u, 301u}) texts.insert(texts.begin() + static_cast<ptrdiff_t>(at), all);
  std::mt19937 random(17);
  for (size_t i = 0; i < texts.size(); i += 7) texts[i] += static_cast<char>(random());
  CheckCompressAll<uint32_t>(texts);
  CheckCompressAll<uint64_t>(texts);
}

TEST(FsstDecoderTest, BadCodesAreFound) {
  const std::string table = TrainOn({}).SerializeTable();
  const FsstDecoder decoder = FsstDecoder::Parse(AsBytes(table)).ValueOrDie();
  auto good = [&](const std::string& codes, uint32_t cut) {
    const uint32_t offsets[] = {0, cut, static_cast<uint32_t>(codes.size())};
    std::vector<uint8_t> out(FsstDecoder::MaxDecodedBytes(codes.size()));
    uint64_t ends[2];
    return decoder.DecodeAll(reinterpret_cast<const uint8_t*>(codes.data()), offsets, 2, out.data(),
                             ends);
  };
  EXPECT_TRUE(
      good("\xFF"
           "a"
           "\xFF"
           "b",
           2));
  EXPECT_FALSE(
      good("\xFF"
           "a"
           "\xFF"
           "b",
           1))
      << "cut inside of an escape";
  EXPECT_FALSE(
      good("\xFF"
           "a"
           "\xFF",
           2))
      << "an escape without its byte";
  EXPECT_FALSE(
      good("\xFF"
           "a"
           "b",
           2))
      << "no such symbol";
}

// A match may not reach over the end, even if the bytes behind it would complete a symbol.
TEST(FsstEncoderTest, MatchesStopAtTheEndOfTheString) {
  std::vector<std::string> pieces;
  for (const std::string& url : Urls(40)) {
    for (size_t at = 0; at < url.size(); at += 3) pieces.push_back(url.substr(at, 3));
  }
  CheckCompressAll<uint32_t>(pieces);
}

// Zero bytes look like the padding of short symbols.
TEST(FsstEncoderTest, ZeroBytesAreNotPadding) {
  const std::vector<std::string> texts(200, std::string("ab\0\0cd\0", 7));
  const FsstEncoder encoder = TrainOn(texts);
  for (const std::string& text :
       {std::string("ab"), std::string("ab\0", 3), std::string("\0\0\0", 3), texts[0]}) {
    EXPECT_EQ(Decompress(encoder, Compress(encoder, text)), text);
  }
}

TEST(FsstEncoderTest, NoSampleMeansEscapesOnly) {
  const FsstEncoder encoder = TrainOn({});
  EXPECT_EQ(encoder.symbols().size(), 0u);
  EXPECT_EQ(Compress(encoder, "abc").size(), 6u);
  EXPECT_EQ(Decompress(encoder, Compress(encoder, "abc")), "abc");
}

TEST(FsstEncoderTest, TableHasItsSizeAndMagic) {
  const std::string table = TrainOn(Urls(100)).SerializeTable();
  ASSERT_EQ(table.size(), kFsstTableBytes);
  EXPECT_EQ(table.substr(3, 5), std::string("\x01TSSF"));
}

TEST(FsstEncoderTest, TrainingIsDeterministic) {
  EXPECT_EQ(TrainOn(Urls(300)).SerializeTable(), TrainOn(Urls(300)).SerializeTable());
}

}  // namespace
}  // namespace lance::encoding
