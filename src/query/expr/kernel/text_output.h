#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "arrow/builder.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {

/// A string (or binary) column of what write(row, &text) puts into an empty text, for rows that are
/// not null in `nulls`. The text is a std::string, or a std::string_view if it is part of an
/// argument. `write` returns a Status. Room for `usual_bytes` is made at once.
template <typename Builder, typename Write>
Result<std::shared_ptr<arrow::Array>> BuildTexts(const CallContext& context, int64_t rows,
                                                 const RowNulls& nulls, int64_t usual_bytes,
                                                 Write write) {
  Builder builder(context.type, context.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
  ARROW_RETURN_NOT_OK(builder.ReserveData(usual_bytes));
  using Text = std::conditional_t<std::is_invocable_v<Write, int64_t, std::string_view*>,
                                  std::string_view, std::string>;
  Text text;
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    if constexpr (std::is_same_v<Text, std::string>) {
      text.clear();
    } else {
      text = {};
    }
    ARROW_RETURN_NOT_OK(write(row, &text));
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  ARROW_ASSIGN_OR_RAISE(auto texts, builder.Finish());
  return WithType(texts, context.type);
}

/// How long texts that are made of `args` usually are together. No promise, and no more than what
/// the narrower offsets reach.
inline int64_t UsualBytes(std::span<const Operand> args, int64_t rows) {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  int64_t bytes = 0;
  for (const Operand& arg : args) {
    const bool is_text = arrow::is_base_binary_like(arg.array->type_id());
    if (!is_text || arg.is_constant) continue;
    bytes += static_cast<int64_t>(BytesValues(arg).Joined(rows).size());
  }
  return std::min(bytes, kMostBytes);
}

/// The same; a row is null if it is in any of `args`.
template <typename Write>
Result<std::shared_ptr<arrow::Array>> MapTexts(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows,
                                               Write write) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  const int64_t bytes = UsualBytes(args, rows);
  const arrow::Type::type id = context.type->id();
  if (id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY) {
    return BuildTexts<arrow::LargeBinaryBuilder>(context, rows, nulls, bytes, write);
  }
  return BuildTexts<arrow::BinaryBuilder>(context, rows, nulls, bytes, write);
}

}  // namespace lance::query
