#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/decimal_values.h"

namespace lance::query {
namespace {

using arrow::Array;
using TypePtr = std::shared_ptr<arrow::DataType>;

std::shared_ptr<Array> Cast(const std::shared_ptr<Array>& array, const TypePtr& to) {
  return CastArray(arrow::default_memory_pool(), array, to, CastMode::kTry).ValueOrDie();
}

template <typename Builder, typename Make>
std::shared_ptr<Array> Values(const TypePtr& type, Make make) {
  Builder builder(type, arrow::default_memory_pool());
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE((i % 50 == 7 ? builder.AppendNull() : builder.Append(make(i))).ok());
  }
  return builder.Finish().ValueOrDie();
}

class DecimalCasts : public ::testing::Test {
 protected:
  /// Numbers of all lengths.
  uint64_t Bits() { return engine_() >> (engine_() % 64); }
  int64_t Signed() { return static_cast<int64_t>(engine_() % 2 == 0 ? Bits() : 0 - Bits()); }
  double Real(int i) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kSpecial[] = {-0.0, 0.5, -0.5, 1e300, -kInfinity, NAN, 9.3e18, 0.125};
    if (i < 8) return kSpecial[i];
    return i % 2 == 0 ? static_cast<double>(Signed()) : std::ldexp(Signed(), -(i % 60));
  }
  int32_t Below(int32_t end) {
    return static_cast<int32_t>(engine_() % static_cast<uint64_t>(end));
  }

  /// The casts that compute with 256 bits throughout are the twin.
  void ExpectSame(const std::shared_ptr<Array>& source) {
    for (int round = 0; round < 40; ++round) {
      const int32_t precision = 1 + Below(38);
      const int32_t scale = Below(precision + 1);
      const auto narrow = Cast(source, arrow::decimal128(precision, scale));
      const auto wide = Cast(source, arrow::decimal256(precision, scale));
      ASSERT_TRUE(Cast(narrow, arrow::utf8())->Equals(*Cast(wide, arrow::utf8())))
          << source->type()->ToString() << " to " << narrow->type()->ToString();
      for (const TypePtr& to : {arrow::int8(), arrow::int64(), arrow::uint64(), arrow::float64()}) {
        ASSERT_TRUE(
            Cast(narrow, to)->Equals(*Cast(wide, to), arrow::EqualOptions().nans_equal(true)))
            << narrow->type()->ToString() << " to " << to->ToString();
      }
    }
  }

  std::mt19937_64 engine_{7};
};

TEST_F(DecimalCasts, OfNumbersAreThoseOf256Bits) {
  ExpectSame(Values<arrow::Int64Builder>(arrow::int64(), [&](int) { return Signed(); }));
  ExpectSame(Values<arrow::UInt64Builder>(arrow::uint64(), [&](int) { return Bits(); }));
  ExpectSame(Values<arrow::Int8Builder>(arrow::int8(), [](int i) { return int8_t(i - 250); }));
  ExpectSame(Values<arrow::DoubleBuilder>(arrow::float64(), [&](int i) { return Real(i); }));
  ExpectSame(Values<arrow::FloatBuilder>(arrow::float32(), [&](int i) { return float(Real(i)); }));
}

TEST_F(DecimalCasts, OfDecimalsAreThoseOf256Bits) {
  for (int32_t scale : {-3, 0, 1, 9, 20, 38}) {
    ExpectSame(Values<arrow::Decimal128Builder>(arrow::decimal128(38, scale), [&](int i) {
      const arrow::Decimal128 value(Signed());
      const auto larger = value * arrow::Decimal128(i % 3 == 0 ? 1 : 5'000'000'000'000'000'000);
      return larger.FitsInPrecision(38) ? larger : value;
    }));
  }
}

TEST(DecimalValues, QuotientsAreNotOneShort) {
  const arrow::Decimal256 value("47491214328463358646668311975165952");
  const arrow::Decimal256 power("10000000000000000000");
  EXPECT_EQ(Divided(value, power).whole.ToIntegerString(), "4749121432846335");
  EXPECT_EQ(Divided(-value, power).left.ToIntegerString(), "-8646668311975165952");
  EXPECT_EQ(WithFewerPlaces(-value, 19, /*rounds=*/true).ToIntegerString(), "-4749121432846336");
  EXPECT_EQ(WithFewerPlaces(value, 19, /*rounds=*/false).ToIntegerString(), "4749121432846335");
}

}  // namespace
}  // namespace lance::query
