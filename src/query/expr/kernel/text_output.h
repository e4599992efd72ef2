#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "arrow/buffer_builder.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {

/// A string (or binary) column in the making: its texts one behind the other.
template <typename Offset>
class TextColumn {
 public:
  /// Room for `usual_bytes` is made at once.
  static Result<TextColumn> Of(arrow::MemoryPool* pool, int64_t rows, int64_t usual_bytes) {
    TextColumn column(pool);
    ARROW_ASSIGN_OR_RAISE(column.offsets_, AllocateValues<Offset>(pool, rows + 1));
    column.next_ = column.offsets_->template mutable_data_as<Offset>();
    *column.next_++ = 0;
    ARROW_RETURN_NOT_OK(column.bytes_.Reserve(usual_bytes));
    return column;
  }

  /// The text of the next row; empty if it is null.
  Status Append(std::string_view text) {
    constexpr int64_t kMostBytes = std::numeric_limits<Offset>::max() - 1;
    const auto size = static_cast<int64_t>(text.size());
    if (size > kMostBytes - bytes_.length()) {
      return UserError("texts of more than ", kMostBytes, " bytes at once");
    }
    // The bytes of an empty text may be nowhere, which copies must not be given.
    if (size > 0) ARROW_RETURN_NOT_OK(bytes_.Append(text.data(), size));
    *next_++ = static_cast<Offset>(bytes_.length());
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::Array>> Finish(const std::shared_ptr<arrow::DataType>& type,
                                               std::shared_ptr<arrow::Buffer> validity) {
    const int64_t rows = next_ - offsets_->template data_as<Offset>() - 1;
    ARROW_ASSIGN_OR_RAISE(auto bytes, bytes_.Finish());
    return arrow::MakeArray(
        arrow::ArrayData::Make(type, rows, {std::move(validity), offsets_, std::move(bytes)}));
  }

 private:
  explicit TextColumn(arrow::MemoryPool* pool) : bytes_(pool) {}

  std::shared_ptr<arrow::Buffer> offsets_;
  Offset* next_ = nullptr;
  arrow::BufferBuilder bytes_;
};

inline bool HasWideOffsets(const arrow::DataType& type) {
  return type.id() == arrow::Type::LARGE_STRING || type.id() == arrow::Type::LARGE_BINARY;
}

/// A string (or binary) column of what write(row, &text) puts into an empty text, for rows that are
/// not null in `nulls`. The text is a std::string, or a std::string_view if it is part of an
/// argument. `write` returns a Status.
template <typename Offset, typename Write>
Result<std::shared_ptr<arrow::Array>> BuildTexts(const CallContext& context, int64_t rows,
                                                 const RowNulls& nulls, int64_t usual_bytes,
                                                 Write write) {
  ARROW_ASSIGN_OR_RAISE(auto column, TextColumn<Offset>::Of(context.pool, rows, usual_bytes));
  using Text = std::conditional_t<std::is_invocable_v<Write, int64_t, std::string_view*>,
                                  std::string_view, std::string>;
  Text text;
  for (int64_t row = 0; row < rows; ++row) {
    if constexpr (std::is_same_v<Text, std::string>) {
      text.clear();
    } else {
      text = {};
    }
    if (!nulls.IsNull(row)) ARROW_RETURN_NOT_OK(write(row, &text));
    ARROW_RETURN_NOT_OK(column.Append(text));
  }
  return column.Finish(context.type, nulls.validity());
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
  return HasWideOffsets(*context.type) ? BuildTexts<int64_t>(context, rows, nulls, bytes, write)
                                       : BuildTexts<int32_t>(context, rows, nulls, bytes, write);
}

}  // namespace lance::query
