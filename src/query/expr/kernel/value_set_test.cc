#include "query/expr/kernel/value_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "base/compute_kernels.h"

namespace lance::query {
namespace {

/// Random numbers, each third one null if `with_nulls`.
std::shared_ptr<arrow::Array> Numbers(std::mt19937_64* random, int64_t count, int64_t least,
                                      uint64_t span, bool with_nulls) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) {
    auto value = static_cast<int64_t>(static_cast<uint64_t>(least) + (*random)() % span);
    EXPECT_TRUE((with_nulls && i % 3 == 1 ? builder.AppendNull() : builder.Append(value)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> As(const std::shared_ptr<arrow::Array>& array,
                                 const std::shared_ptr<arrow::DataType>& type) {
  EXPECT_TRUE(InitializeComputeKernels().ok());
  return arrow::compute::Cast(*array, type, arrow::compute::CastOptions::Unsafe()).ValueOrDie();
}

void ExpectContains(const std::shared_ptr<arrow::Array>& list,
                    const std::shared_ptr<arrow::Array>& column) {
  auto set = ValueSet::Make(list).ValueOrDie();
  auto result =
      set->Contains(arrow::default_memory_pool(), Operand{column, false}, column->length())
          .ValueOrDie();
  ASSERT_TRUE(result->ValidateFull().ok());
  const auto& found = static_cast<const arrow::BooleanArray&>(*result);
  const bool has_null = list->null_count() > 0;
  for (int64_t row = 0; row < column->length(); ++row) {
    bool is_in = false;
    for (int64_t i = 0; i < list->length(); ++i) {
      is_in = is_in || (list->IsValid(i) && column->IsValid(row) &&
                        list->RangeEquals(*column, i, i + 1, row));
    }
    if (is_in) {
      EXPECT_TRUE(found.IsValid(row) && found.Value(row)) << row;
    } else {
      EXPECT_EQ(found.IsNull(row), has_null || column->IsNull(row)) << row;
      EXPECT_FALSE(found.IsValid(row) && found.Value(row)) << row;
    }
  }
}

TEST(ValueSets, ContainWhatTheyWereMadeOf) {
  std::mt19937_64 random(23);
  const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::int8(),   arrow::uint8(),  arrow::int32(),   arrow::uint32(),
      arrow::int64(),  arrow::uint64(), arrow::float32(), arrow::utf8(),
      arrow::binary(), arrow::date32(), arrow::boolean()};
  for (const auto& type : types) {
    // Few, many near each other, many far from each other; also around zero.
    for (int64_t count : {1, 5, 16, 17, 200}) {
      for (uint64_t span : {uint64_t{30}, uint64_t{3000}, uint64_t{1} << 40}) {
        for (bool with_nulls : {false, true}) {
          auto make = [&](int64_t length) {
            auto numbers = Numbers(&random, length, -10, span, with_nulls);
            if (type->id() == arrow::Type::BINARY) return As(As(numbers, arrow::utf8()), type);
            if (type->id() == arrow::Type::DATE32) return As(As(numbers, arrow::int32()), type);
            return As(numbers, type);
          };
          ExpectContains(make(count), make(150));
          ExpectContains(make(count), make(150)->Slice(7, 100));
        }
      }
    }
  }
}

TEST(ValueSets, KnowTheEndsOfTheNumbers) {
  arrow::Int64Builder list;
  ASSERT_TRUE(list.AppendValues({std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max(), 0, -1, 1})
                  .ok());
  for (int64_t i = 0; i < 20; ++i) ASSERT_TRUE(list.Append(i * 1'000'000'007).ok());
  auto array = list.Finish().ValueOrDie();
  ExpectContains(array, array);
  ExpectContains(array->Slice(0, 5), array);
}

TEST(ValueSets, SeeZerosAndNansAsEqual) {
  arrow::DoubleBuilder list;
  ASSERT_TRUE(list.AppendValues({0.0, std::nan("")}).ok());
  arrow::DoubleBuilder column;
  ASSERT_TRUE(column.AppendValues({-0.0, -std::nan("1"), 1.0}).ok());
  auto set = ValueSet::Make(list.Finish().ValueOrDie()).ValueOrDie();
  auto found =
      set->Contains(arrow::default_memory_pool(), Operand{column.Finish().ValueOrDie(), false}, 3)
          .ValueOrDie();
  EXPECT_EQ(found->ToString(), "[\n  true,\n  true,\n  false\n]");
}

TEST(ValueSets, TellTextsOfAnyLengthApart) {
  arrow::StringBuilder list;
  arrow::StringBuilder column;
  for (size_t length = 0; length < 80; ++length) {
    std::string text(length, 'a');
    ASSERT_TRUE(list.Append(text).ok());
    ASSERT_TRUE(column.Append(text).ok());
    for (size_t at = 0; at < length; ++at) {
      std::string other = text;
      other[at] = 'b';
      ASSERT_TRUE(column.Append(other).ok());
    }
  }
  ExpectContains(list.Finish().ValueOrDie(), column.Finish().ValueOrDie());
}

}  // namespace
}  // namespace lance::query
