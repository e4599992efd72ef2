#include "dataset/json_values.h"

#include <limits>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "dataset/value_layout.h"
#include "query/json/json_encoder.h"
#include "query/json/jsonb.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

template <typename TextArray>
Result<ArrayPtr> Encode(const arrow::Array& array, arrow::MemoryPool* pool) {
  const auto& texts = static_cast<const TextArray&>(array);
  arrow::LargeBinaryBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(texts.length()));
  std::string cell;
  for (int64_t i = 0; i < texts.length(); ++i) {
    if (texts.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    cell.clear();
    const Status status = query::AppendJsonb(texts.GetView(i), &cell);
    if (!status.ok()) return WithPlace(UserError(status.message()), {.row = i});
    ARROW_RETURN_NOT_OK(builder.Append(cell));
  }
  return builder.Finish();
}

}  // namespace

bool IsJson(const Field& field) { return field.logical_type == "json"; }

Result<ArrayPtr> EncodeJson(const ArrayPtr& values, arrow::MemoryPool* pool) {
  switch (values->type_id()) {
    case arrow::Type::STRING:
      return Encode<arrow::StringArray>(*values, pool);
    case arrow::Type::LARGE_STRING:
      return Encode<arrow::LargeStringArray>(*values, pool);
    case arrow::Type::STRING_VIEW:
      return Encode<arrow::StringViewArray>(*values, pool);
    case arrow::Type::LARGE_BINARY:
      return values;
    default:
      return UserError("column holds no JSON, but ", values->type()->ToString(),
                       "; make it arrow.json, or strings");
  }
}

Result<ArrayPtr> JsonTexts(const arrow::Array& values, arrow::MemoryPool* pool) {
  constexpr auto kMaxBytes = static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
  const auto& cells = static_cast<const arrow::LargeBinaryArray&>(values);
  arrow::StringBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(cells.length()));
  uint64_t total = 0;
  for (int64_t i = 0; i < cells.length(); ++i) {
    if (cells.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const std::string text = query::CellText(cells.GetView(i));
    total += text.size();
    if (total > kMaxBytes) return LayoutOverflow(total, *arrow::utf8());
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  return builder.Finish();
}

}  // namespace lance
