#include "dataset/source_rows.h"

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

std::shared_ptr<arrow::RecordBatch> Batch(int64_t first, int64_t count, size_t text_bytes) {
  arrow::Int64Builder numbers;
  arrow::StringViewBuilder views;
  arrow::StringBuilder texts;
  for (int64_t i = first; i < first + count; ++i) {
    EXPECT_TRUE(numbers.Append(i).ok());
    EXPECT_TRUE(views.Append(std::to_string(i)).ok());
    EXPECT_TRUE(texts.Append(std::string(text_bytes, 'x')).ok());
  }
  auto schema =
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("v", arrow::utf8_view()),
                     arrow::field("t", arrow::utf8())});
  return arrow::RecordBatch::Make(
      schema, count,
      {numbers.Finish().ValueOrDie(), views.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
}

SourceRows Read(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                const SourceRows::Limits& limits = {}) {
  auto reader = arrow::RecordBatchReader::Make(batches, batches[0]->schema()).ValueOrDie();
  return SourceRows::Read(reader.get(), arrow::default_memory_pool(), limits).ValueOrDie();
}

TEST(SourceRows, AreTakenInAnyOrder) {
  SourceRows rows = Read({Batch(0, 3, 1), Batch(3, 0, 1), Batch(3, 4, 1)});
  EXPECT_EQ(rows.num_rows(), 7u);
  EXPECT_EQ(rows.batches().size(), 1u);
  std::vector<uint32_t> wanted = {6, 0, 6, 3};
  auto taken = rows.Take(wanted, {1, 0}, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(taken->schema()->field_names(), (std::vector<std::string>{"v", "n"}));
  EXPECT_EQ(taken->column(0)->type_id(), arrow::Type::STRING) << "views are copied";
  EXPECT_EQ(taken->ToString(), [&] {
    arrow::StringBuilder texts;
    arrow::Int64Builder numbers;
    for (uint32_t row : wanted) {
      EXPECT_TRUE(texts.Append(std::to_string(row)).ok());
      EXPECT_TRUE(numbers.Append(row).ok());
    }
    return arrow::RecordBatch::Make(taken->schema(), 4,
                                    {texts.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()})
        ->ToString();
  }());
}

TEST(SourceRows, OfSeveralLargeBatches) {
  // 100 KB each: two of three go together.
  SourceRows rows = Read({Batch(0, 100, 1000), Batch(100, 100, 1000), Batch(200, 100, 1000)},
                         {.batch_bytes = 250'000});
  EXPECT_EQ(rows.batches().size(), 2u);
  std::vector<uint32_t> wanted = {299, 0, 150, 299, 200, 199};
  auto taken = rows.Take(wanted, {0}, arrow::default_memory_pool()).ValueOrDie();
  const auto& numbers = static_cast<const arrow::Int64Array&>(*taken->column(0));
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(numbers.Value(static_cast<int64_t>(i)), wanted[i]);
  }
}

TEST(SourceRows, LargeOnesAreInAFile) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (int64_t i = 0; i < 20; ++i) {
    // Another dictionary in each.
    auto batch = Batch(i * 100, 100, 1000);
    auto words = arrow::compute::DictionaryEncode(
                     arrow::compute::Cast(*batch->column(0), arrow::utf8()).ValueOrDie())
                     .ValueOrDie();
    batches.push_back(batch->AddColumn(3, "d", words.make_array()).ValueOrDie());
  }
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  auto reader = arrow::RecordBatchReader::Make(batches, batches[0]->schema()).ValueOrDie();
  SourceRows rows = SourceRows::Read(reader.get(), &pool, {.memory_bytes = 300'000}).ValueOrDie();
  EXPECT_EQ(rows.num_rows(), 2000u);
  EXPECT_LT(pool.bytes_allocated(), 300'000) << "the rows are not in memory";
  std::vector<uint32_t> wanted = {1999, 0, 1050, 77};
  auto taken = rows.Take(wanted, {0, 1, 2, 3}, arrow::default_memory_pool()).ValueOrDie();
  ASSERT_TRUE(taken->ValidateFull().ok());
  for (int i = 0; i < taken->num_rows(); ++i) {
    std::string number = std::to_string(wanted[static_cast<size_t>(i)]);
    EXPECT_EQ(taken->column(0)->GetScalar(i).ValueOrDie()->ToString(), number);
    EXPECT_EQ(taken->column(1)->GetScalar(i).ValueOrDie()->ToString(), number);
    EXPECT_EQ(taken->column(2)->GetScalar(i).ValueOrDie()->ToString(), std::string(1000, 'x'));
    auto word = std::static_pointer_cast<arrow::DictionaryScalar>(
        taken->column(3)->GetScalar(i).ValueOrDie());
    EXPECT_EQ(word->GetEncodedValue().ValueOrDie()->ToString(), number);
  }
}

TEST(SourceRows, MayBeNone) {
  SourceRows rows = Read({Batch(0, 0, 1)});
  EXPECT_EQ(rows.num_rows(), 0u);
  EXPECT_EQ(rows.schema()->field(1)->type()->id(), arrow::Type::STRING);
  EXPECT_EQ(rows.Take({}, {0, 1}, arrow::default_memory_pool()).ValueOrDie()->num_rows(), 0);
}

}  // namespace
}  // namespace lance
