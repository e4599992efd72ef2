#include "dataset/json_values.h"

#include <limits>
#include <string>
#include <string_view>

#include "arrow/api.h"
#include "dataset/value_layout.h"
#include "query/json/json_encoder.h"
#include "query/json/jsonb.h"
#include "query/json/jsonb_check.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

using Append = Status (*)(std::string_view text, std::string* out);

Status AtRow(const Status& status, int64_t row) {
  return WithPlace(UserError(status.message()), {.row = row});
}

template <typename TextArray>
Result<ArrayPtr> Encode(const arrow::Array& array, Append append, arrow::MemoryPool* pool) {
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
    const Status status = append(texts.GetView(i), &cell);
    if (!status.ok()) return AtRow(status, i);
    ARROW_RETURN_NOT_OK(builder.Append(cell));
  }
  return builder.Finish();
}

Result<ArrayPtr> EncodeTexts(const arrow::Array& values, Append append, arrow::MemoryPool* pool) {
  switch (values.type_id()) {
    case arrow::Type::STRING:
      return Encode<arrow::StringArray>(values, append, pool);
    case arrow::Type::LARGE_STRING:
      return Encode<arrow::LargeStringArray>(values, append, pool);
    case arrow::Type::STRING_VIEW:
      return Encode<arrow::StringViewArray>(values, append, pool);
    default:
      return UserError("column holds no JSON, but ", values.type()->ToString(),
                       "; make it arrow.json, or strings");
  }
}

Status CheckCells(const arrow::LargeBinaryArray& cells) {
  for (int64_t i = 0; i < cells.length(); ++i) {
    if (cells.IsNull(i)) continue;
    const Status status = query::CheckJsonb(cells.GetView(i));
    if (!status.ok()) return AtRow(status, i);
  }
  return Status::OK();
}

}  // namespace

bool IsJson(const Field& field) { return field.logical_type == "json"; }

Result<ArrayPtr> EncodeJson(const ArrayPtr& values, arrow::MemoryPool* pool) {
  if (values->type_id() == arrow::Type::LARGE_BINARY) return values;
  return EncodeTexts(*values, query::AppendJsonb, pool);
}

Result<ArrayPtr> EncodeGivenJson(const ArrayPtr& values, arrow::MemoryPool* pool) {
  if (values->type_id() != arrow::Type::LARGE_BINARY) {
    return EncodeTexts(*values, query::AppendStrictJsonb, pool);
  }
  ARROW_RETURN_NOT_OK(CheckCells(static_cast<const arrow::LargeBinaryArray&>(*values)));
  return values;
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
    if (total > kMaxBytes) {
      return LayoutOverflow(internal::Concat(total, " bytes of values"), "arrow.json",
                            "as lance.json");
    }
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  return builder.Finish();
}

}  // namespace lance
