#include "table/row_id_sequence.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "rowids.pb.h"

namespace lance {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

std::vector<uint64_t> ReadAll(const RowIdSequence& sequence) {
  std::vector<uint64_t> values(sequence.size());
  sequence.Read(0, values);
  return values;
}

table::U64Segment FormOf(const std::vector<uint64_t>& values) {
  table::U64Segment proto;
  U64Segment::FromValues(values).ToProto(&proto);
  return proto;
}

/// Encodes, decodes, and reads every range of a few lengths.
void ExpectRoundTrip(const std::vector<uint64_t>& values) {
  std::string bytes = RowIdSequence::FromValues(values).Encode();
  auto decoded = RowIdSequence::Decode(AsBytes(bytes));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_EQ(ReadAll(*decoded), values);
  EXPECT_EQ(decoded->Encode(), bytes);
  for (size_t length : {size_t{1}, size_t{2}, size_t{65}}) {
    for (size_t first = 0; first + length <= values.size(); ++first) {
      std::vector<uint64_t> part(length);
      decoded->Read(first, part);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), values.begin() + first)) << first;
    }
  }
}

TEST(U64Segment, ChoosesTheSmallestForm) {
  EXPECT_TRUE(FormOf({}).has_range());
  EXPECT_TRUE(FormOf({7}).has_range());
  EXPECT_TRUE(FormOf({7, 8, 9}).has_range());
  EXPECT_TRUE(FormOf({9, 8}).has_array());
  EXPECT_TRUE(FormOf({8, 8}).has_array());
  // 21 slots, 2 values: holes 24 + 76, bitmap 24 + 3, array 24 + 4.
  auto bitmap = FormOf({1, 20});
  ASSERT_TRUE(bitmap.has_range_with_bitmap());
  // Least significant bit first, as the reference writes it.
  EXPECT_EQ(bitmap.range_with_bitmap().bitmap(), std::string("\x01\x00\x08", 3));
  // 40 slots, one hole: holes 28, bitmap 29, array 102.
  std::vector<uint64_t> one_hole;
  for (uint64_t i = 0; i < 40; ++i) {
    if (i != 20) one_hole.push_back(100 + i);
  }
  auto holes = FormOf(one_hole);
  ASSERT_TRUE(holes.has_range_with_holes());
  EXPECT_EQ(holes.range_with_holes().end(), 140u);
  EXPECT_TRUE(FormOf({0, 1'000'000}).has_sorted_array());
  EXPECT_TRUE(FormOf({kMax}).has_sorted_array());
  EXPECT_TRUE(FormOf({kMax - 1, kMax}).has_sorted_array());
}

TEST(U64Segment, ChoosesTheWidthOfArrays) {
  EXPECT_TRUE(FormOf({65535, 0}).array().has_u16_array());
  EXPECT_TRUE(FormOf({65536, 0}).array().has_u32_array());
  EXPECT_TRUE(FormOf({kMax / 2 + (1ull << 32) - 1, kMax / 2}).array().has_u32_array());
  EXPECT_TRUE(FormOf({kMax / 2 + (1ull << 32), kMax / 2}).array().has_u64_array());
}

TEST(RowIdSequence, RoundTripsEveryForm) {
  ExpectRoundTrip({});
  ExpectRoundTrip({0});
  ExpectRoundTrip({kMax});
  ExpectRoundTrip({5, 4, 3, 3});
  ExpectRoundTrip({kMax, 0, 1ull << 33});
  for (uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (uint64_t spread : {2000u, 1100u, 70000u, 5'000'000u}) {
      std::set<uint64_t> values;
      while (values.size() < 1000) values.insert(1'000'000 + random() % spread);
      ExpectRoundTrip({values.begin(), values.end()});
    }
  }
}

TEST(RowIdSequence, ReadsAcrossSegments) {
  table::RowIdSequence proto;
  std::vector<std::vector<uint64_t>> parts = {{3, 4, 5}, {}, {100, 7}, {50, 52, 53, 54}, {}, {9}};
  std::vector<uint64_t> all;
  for (const auto& part : parts) {
    U64Segment::FromValues(part).ToProto(proto.add_segments());
    all.insert(all.end(), part.begin(), part.end());
  }
  auto sequence = RowIdSequence::Decode(AsBytes(proto.SerializeAsString())).ValueOrDie();
  ASSERT_EQ(ReadAll(sequence), all);
  for (size_t first = 0; first < all.size(); ++first) {
    for (size_t count = 0; first + count <= all.size(); ++count) {
      std::vector<uint64_t> part(count);
      sequence.Read(first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + first));
    }
  }
}

class BrokenSegment : public ::testing::Test {
 protected:
  void ExpectCorrupt() {
    auto segment = U64Segment::FromProto(proto_);
    ASSERT_FALSE(segment.ok());
    EXPECT_EQ(GetErrorCode(segment.status()), ErrorCode::kCorrupt) << segment.status();
  }
  void Set(table::EncodedU64Array* array, const std::vector<uint16_t>& offsets, uint64_t base = 0) {
    array->mutable_u16_array()->set_base(base);
    std::string bytes;
    for (uint16_t offset : offsets) {
      bytes.push_back(static_cast<char>(offset & 255));
      bytes.push_back(static_cast<char>(offset >> 8));
    }
    array->mutable_u16_array()->set_offsets(bytes);
  }
  table::U64Segment proto_;
};

TEST_F(BrokenSegment, NoForm) { ExpectCorrupt(); }
TEST_F(BrokenSegment, RangeBackwards) {
  proto_.mutable_range()->set_start(2);
  proto_.mutable_range()->set_end(1);
  ExpectCorrupt();
}
TEST_F(BrokenSegment, HoleOutside) {
  proto_.mutable_range_with_holes()->set_start(10);
  proto_.mutable_range_with_holes()->set_end(20);
  Set(proto_.mutable_range_with_holes()->mutable_holes(), {12, 20});
  ExpectCorrupt();
}
TEST_F(BrokenSegment, HolesNotAscending) {
  proto_.mutable_range_with_holes()->set_end(20);
  Set(proto_.mutable_range_with_holes()->mutable_holes(), {12, 12});
  ExpectCorrupt();
}
TEST_F(BrokenSegment, BitmapTooShort) {
  proto_.mutable_range_with_bitmap()->set_end(9);
  proto_.mutable_range_with_bitmap()->set_bitmap("x");
  ExpectCorrupt();
}
TEST_F(BrokenSegment, BitmapBitsBehindTheEnd) {
  proto_.mutable_range_with_bitmap()->set_end(7);
  proto_.mutable_range_with_bitmap()->set_bitmap("\x80");
  ExpectCorrupt();
}
TEST_F(BrokenSegment, SortedArrayUnsorted) {
  Set(proto_.mutable_sorted_array(), {3, 2});
  ExpectCorrupt();
}
TEST_F(BrokenSegment, ArrayOverflows) {
  Set(proto_.mutable_array(), {3}, kMax - 2);
  ExpectCorrupt();
}
TEST_F(BrokenSegment, ArrayOfHalfAValue) {
  proto_.mutable_array()->mutable_u32_array()->set_offsets("12345");
  ExpectCorrupt();
}

TEST(RowIdSequence, RefusesTooManyRows) {
  table::RowIdSequence proto;
  for (int i = 0; i < 2; ++i) proto.add_segments()->mutable_range()->set_end(kMax);
  EXPECT_FALSE(RowIdSequence::Decode(AsBytes(proto.SerializeAsString())).ok());
  EXPECT_FALSE(RowIdSequence::Decode(AsBytes("\xff\xff")).ok());
}

TEST(RowIdSequence, RunsAreTheSameIds) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    RowIdSequence sequence;
    std::vector<uint64_t> values;
    for (int part = 0; part < 4; ++part) {
      uint64_t next = random() % 50;
      std::vector<uint64_t> some;
      for (uint64_t i = random() % 20; i > 0; --i)
        some.push_back(next += 1 + random() % (part + 1));
      if (random() % 4 == 0) std::shuffle(some.begin(), some.end(), random);
      for (uint64_t value : some) sequence.AppendRange(value, 1);
      values.insert(values.end(), some.begin(), some.end());
    }
    RowIdSequence whole = RowIdSequence::FromValues(values);
    uint64_t first = values.empty() ? 0 : random() % values.size();
    uint64_t count = values.empty() ? 0 : random() % (values.size() - first + 1);
    std::vector<uint64_t> expected(values.begin() + static_cast<ptrdiff_t>(first),
                                   values.begin() + static_cast<ptrdiff_t>(first + count));
    for (const RowIdSequence* from : {&sequence, &whole}) {
      std::vector<IdRun> runs;
      from->AppendRuns(first, count, &runs);
      EXPECT_EQ(ReadAll(RowIdSequence::FromRuns(runs)), expected);
    }
  }
}

/// A hundred million rows: as small as one.
TEST(RowIdSequence, ManyIdsStayRuns) {
  constexpr uint64_t kRows = 100000000;
  RowIdSequence sequence = RowIdSequence::Range(kRows, kRows);
  sequence.AppendRange(0, kRows);
  std::vector<IdRun> runs;
  sequence.AppendRuns(1, kRows, &runs);
  ASSERT_EQ(runs.size(), 2u);
  RowIdSequence part = RowIdSequence::FromRuns(runs);
  EXPECT_EQ(part.size(), kRows);
  std::string bytes = part.Encode();
  EXPECT_LE(bytes.size(), 64u);
  std::vector<uint64_t> ends(1);
  RowIdSequence::Decode(AsBytes(bytes)).ValueOrDie().Read(kRows - 1, ends);
  EXPECT_EQ(ends[0], 0u);
}

}  // namespace
}  // namespace lance
