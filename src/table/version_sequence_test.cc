#include "table/version_sequence.h"

#include "gtest/gtest.h"
#include "rowids.pb.h"
#include "table/row_id_sequence.h"

namespace lance {
namespace {

TEST(VersionSequence, UniformIsAsTheReferenceWritesIt) {
  // 200 rows of version 1.
  const uint8_t expected[] = {10, 9, 10, 5, 10, 3, 16, 200, 1, 16, 1};
  EXPECT_EQ(VersionSequence::Uniform(1, 200).Encode(), AsText(expected));
}

TEST(VersionSequence, ReadsRunsByTheNumberOfTheirValues) {
  table::RowDatasetVersionSequence proto;
  auto add = [&](std::vector<uint64_t> span, uint64_t version) {
    auto* run = proto.add_runs();
    U64Segment::FromValues(span).ToProto(run->mutable_span());
    run->set_version(version);
  };
  add({5, 9, 70}, 4);
  add({}, 8);
  add({0, 1}, 2);
  auto sequence = VersionSequence::Decode(AsBytes(proto.SerializeAsString())).ValueOrDie();
  ASSERT_EQ(sequence.size(), 5u);
  const std::vector<uint64_t> all = {4, 4, 4, 2, 2};
  for (size_t first = 0; first < all.size(); ++first) {
    std::vector<uint64_t> rest(all.size() - first);
    sequence.Read(first, rest);
    EXPECT_EQ(rest, std::vector<uint64_t>(all.begin() + first, all.end()));
  }
}

TEST(VersionSequence, RefusesBrokenBytes) {
  EXPECT_FALSE(VersionSequence::Decode(AsBytes("\xff")).ok());
  table::RowDatasetVersionSequence proto;
  proto.add_runs()->set_version(3);
  EXPECT_FALSE(VersionSequence::Decode(AsBytes(proto.SerializeAsString())).ok());
}

TEST(VersionSequence, WithVersion) {
  auto values = [](const VersionSequence& sequence) {
    std::vector<uint64_t> out(sequence.size());
    sequence.Read(0, out);
    return out;
  };
  using Values = std::vector<uint64_t>;
  auto sequence = VersionSequence::FromValues(Values{1, 1, 1, 2, 2});
  std::vector<uint32_t> offsets = {0, 2, 3};
  EXPECT_EQ(values(sequence.WithVersion(9, offsets)), (Values{9, 1, 9, 9, 2}));
  EXPECT_EQ(values(sequence.WithVersion(9, {})), values(sequence));
  std::vector<uint32_t> all = {0, 1, 2, 3, 4};
  EXPECT_EQ(sequence.WithVersion(9, all).Encode(), VersionSequence::Uniform(9, 5).Encode());
}

TEST(VersionSequence, Parts) {
  constexpr uint64_t kRows = 100000000;
  VersionSequence sequence;
  sequence.Append(VersionSequence::Uniform(3, kRows), 5, kRows - 5);
  sequence.Append(VersionSequence::FromValues(std::vector<uint64_t>{3, 4, 4, 5}), 0, 3);
  EXPECT_EQ(sequence.size(), kRows - 2);
  std::vector<uint64_t> last(4);
  sequence.Read(kRows - 6, last);
  EXPECT_EQ(last, (std::vector<uint64_t>{3, 3, 4, 4}));
  EXPECT_LE(sequence.Encode().size(), 64u) << "two runs";
}

}  // namespace
}  // namespace lance
