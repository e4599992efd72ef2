#pragma once

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
/// argument. `write` returns a Status.
template <typename Builder, typename Write>
Result<std::shared_ptr<arrow::Array>> BuildTexts(const CallContext& context, int64_t rows,
                                                 const RowNulls& nulls, Write write) {
  Builder builder(context.type, context.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
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

/// The same; a row is null if it is in any of `args`.
template <typename Write>
Result<std::shared_ptr<arrow::Array>> MapTexts(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows,
                                               Write write) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  const arrow::Type::type id = context.type->id();
  if (id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY) {
    return BuildTexts<arrow::LargeBinaryBuilder>(context, rows, nulls, write);
  }
  return BuildTexts<arrow::BinaryBuilder>(context, rows, nulls, write);
}

}  // namespace lance::query
