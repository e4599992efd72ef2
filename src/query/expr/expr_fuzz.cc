// Any bytes as an expression over a batch with columns of many types: it gives an error or values,
// and its text means the same. The first byte chooses: SQL, or Substrait.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/json/from_string.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "query/expr/binder.h"
#include "query/expr/bounds.h"
#include "query/expr/evaluate.h"
#include "query/expr/substrait.h"

namespace lance::query {
namespace {

std::shared_ptr<arrow::RecordBatch> MakeBatch() {
  auto point = arrow::struct_({arrow::field("x", arrow::int32())});
  struct Column {
    const char* name;
    std::shared_ptr<arrow::DataType> type;
    const char* json;
  };
  const Column columns[] = {
      {"i", arrow::int32(), "[1, null, -2147483648]"},
      {"u", arrow::uint64(), "[1, null, 18446744073709551615]"},
      {"f", arrow::float64(), "[0.5, null, NaN]"},
      {"s", arrow::utf8(), R"(["a", null, "é%_"])"},
      {"b", arrow::boolean(), "[true, null, false]"},
      {"d", arrow::date32(), "[0, null, 2147483647]"},
      {"t", arrow::timestamp(arrow::TimeUnit::MICRO), "[0, null, -9223372036854775808]"},
      {"c", arrow::decimal128(10, 2), R"(["1.50", null, "-99999999.99"])"},
      {"l", arrow::list(arrow::int64()), "[[1, null], null, []]"},
      {"p", point, R"([[1], null, [null]])"},
      {"j", arrow::large_binary(), R"(["", null, "x"])"},
  };
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const Column& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(arrow::json::ArrayFromJSONString(column.type, column.json).ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), 3, arrays);
}

Status Run(const arrow::RecordBatch& batch, bool is_sql, std::string_view text) {
  Source source(text);
  if (!is_sql) {
    ARROW_ASSIGN_OR_RAISE(auto syntax, ParseSubstrait(text, *batch.schema()));
    return BindFilter(Source::WithoutText(), *syntax, *batch.schema()).status();
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr expr, BindSql(text, *batch.schema()));
  static_cast<void>(BoundsOf(expr));
  static_cast<void>(BindSql(ToSql(*expr), *batch.schema()));
  ARROW_ASSIGN_OR_RAISE(auto values, Evaluate(*expr, batch, arrow::default_memory_pool()));
  if (!values->ValidateFull().ok() || values->length() != batch.num_rows()) std::abort();
  if (expr->type->id() != arrow::Type::BOOL) return Status::OK();
  return MatchingRows(*expr, batch, arrow::default_memory_pool()).status();
}

}  // namespace
}  // namespace lance::query

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kBatch = lance::query::MakeBatch();
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static_cast<void>(lance::query::Run(*kBatch, data[0] % 8 != 7, text));
  return 0;
}
