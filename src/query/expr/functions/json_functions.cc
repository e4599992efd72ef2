#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "arrow/builder.h"
#include "query/expr/function.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/value_text.h"
#include "query/json/json_encoder.h"
#include "query/json/json_path.h"
#include "query/json/jsonb.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// Cells are JSONB; what is not (text that an old release stored, say) has no members, and paths
// into it are errors.

// ---- paths ----

/// Paths by row: one that is the same for all rows is parsed once.
class Paths {
 public:
  explicit Paths(const Operand& operand) : texts_(operand), is_constant_(operand.is_constant) {}

  Result<const JsonPath*> Of(int64_t row) {
    if (!path_ || !is_constant_) {
      ARROW_ASSIGN_OR_RAISE(path_, JsonPath::Parse(texts_[row]));
    }
    return &*path_;
  }

 private:
  BytesValues texts_;
  bool is_constant_;
  std::optional<JsonPath> path_;
};

struct Selected {
  std::vector<JsonItem> items;
  std::deque<std::string> made;
};

Result<Selected> Select(std::string_view cell, const JsonPath& path) {
  auto root = ReadJsonb(cell);
  if (!root) return UserError("the cell is not valid JSON: InvalidJsonb");
  Selected selected;
  ARROW_ASSIGN_OR_RAISE(selected.items, path.Select(*root, &selected.made));
  return selected;
}

Result<std::string> TextOf(const JsonItem& item) {
  auto text = JsonText(item);
  if (!text) return UserError("the cell is not valid JSON: InvalidJsonb");
  return *std::move(text);
}

/// The matches as one value: itself, or as an array of several.
Result<std::string> TextOf(const std::vector<JsonItem>& items) {
  if (items.size() == 1) return TextOf(items[0]);
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(std::string item, TextOf(items[i]));
    text += (i == 0 ? "" : ",") + item;
  }
  return text + "]";
}

/// value_of(items, row), an optional value, for each row that has no null.
template <typename Builder, typename ValueOf>
Result<std::shared_ptr<Array>> MapMatches(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows, ValueOf value_of) {
  BytesValues cells(args[0]);
  Paths paths(args[1]);
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  Builder builder(context.pool);
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const JsonPath* path, paths.Of(row));
    ARROW_ASSIGN_OR_RAISE(Selected selected, Select(cells[row], *path));
    ARROW_ASSIGN_OR_RAISE(auto value, value_of(selected.items, row));
    ARROW_RETURN_NOT_OK(value ? builder.Append(*value) : builder.AppendNull());
  }
  return builder.Finish();
}

Result<std::shared_ptr<Array>> JsonExtract(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  return MapMatches<arrow::StringBuilder>(
      context, args, rows,
      [](const std::vector<JsonItem>& items, int64_t) -> Result<std::optional<std::string>> {
        if (items.empty()) return std::nullopt;
        ARROW_ASSIGN_OR_RAISE(std::string text, TextOf(items));
        return text;
      });
}

/// JSONB of the matches as one value: itself, or an array of several.
Result<std::string> CellOf(const std::vector<JsonItem>& items) {
  if (items.size() == 1) return EncodeCell(items[0]);
  ARROW_ASSIGN_OR_RAISE(std::string text, TextOf(items));
  std::string cell;
  ARROW_RETURN_NOT_OK(AppendJsonb(text, &cell));
  return cell;
}

/// 0 is JSON's null, or no match.
uint8_t TypeTag(const JsonItem& item) {
  switch (item.type) {
    case JsonType::kNull:
      return 0;
    case JsonType::kFalse:
    case JsonType::kTrue:
      return 1;
    case JsonType::kNumber: {
      const auto number = item.number();
      if (!number || std::holds_alternative<double>(*number)) return 3;
      const auto* large = std::get_if<uint64_t>(&*number);
      const bool is_large =
          large != nullptr && *large > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      return is_large ? 3 : 2;
    }
    case JsonType::kString:
    case JsonType::kExtension:
      return 4;
    case JsonType::kArray:
      return 5;
    case JsonType::kObject:
      return 6;
  }
  return 0;
}

const TypePtr& TaggedType() {
  static const TypePtr kType =
      arrow::struct_({arrow::field("value", arrow::large_binary()),
                      arrow::field("type_tag", arrow::uint8(), /*nullable=*/false)});
  return kType;
}

Result<std::shared_ptr<Array>> JsonExtractWithType(const CallContext& context,
                                                   std::span<const Operand> args, int64_t rows) {
  arrow::UInt8Builder tags(context.pool);
  ARROW_RETURN_NOT_OK(tags.Reserve(rows));
  int64_t next = 0;
  // Rows with a null argument are left out: their tag is 0.
  auto add_until = [&](int64_t row) {
    for (; next < row; ++next) tags.UnsafeAppend(0);
  };
  ARROW_ASSIGN_OR_RAISE(auto values, MapMatches<arrow::LargeBinaryBuilder>(
                                         context, args, rows,
                                         [&](const std::vector<JsonItem>& items,
                                             int64_t row) -> Result<std::optional<std::string>> {
                                           add_until(row);
                                           constexpr uint8_t kArrayTag = 5;
                                           ++next;
                                           tags.UnsafeAppend(items.size() == 1  ? TypeTag(items[0])
                                                             : items.size() > 1 ? kArrayTag
                                                                                : 0);
                                           if (items.empty()) return std::nullopt;
                                           ARROW_ASSIGN_OR_RAISE(std::string cell, CellOf(items));
                                           return cell;
                                         }));
  add_until(rows);
  ARROW_ASSIGN_OR_RAISE(auto tag_array, tags.Finish());
  return std::make_shared<arrow::StructArray>(context.type, rows,
                                              arrow::ArrayVector{values, tag_array});
}

Result<std::shared_ptr<Array>> JsonExists(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  return MapMatches<arrow::BooleanBuilder>(
      context, args, rows,
      [](const std::vector<JsonItem>& items, int64_t) -> Result<std::optional<bool>> {
        return !items.empty();
      });
}

/// Some element of a matched array has this text, with or without quotes.
Result<std::shared_ptr<Array>> JsonArrayContains(const CallContext& context,
                                                 std::span<const Operand> args, int64_t rows) {
  BytesValues values(args[2]);
  auto has_value = [&](const JsonItem& item, std::string_view wanted) -> Result<bool> {
    if (item.type != JsonType::kArray) return false;
    auto elements = ItemsOf(item);
    if (!elements) return UserError("the cell is not valid JSON: InvalidJsonb");
    for (const JsonItem& element : *elements) {
      ARROW_ASSIGN_OR_RAISE(std::string text, TextOf(element));
      if (text == wanted || text == "\"" + std::string(wanted) + "\"") return true;
    }
    return false;
  };
  return MapMatches<arrow::BooleanBuilder>(
      context, args, rows,
      [&](const std::vector<JsonItem>& items, int64_t row) -> Result<std::optional<bool>> {
        for (const JsonItem& item : items) {
          ARROW_ASSIGN_OR_RAISE(bool found, has_value(item, values[row]));
          if (found) return true;
        }
        return false;
      });
}

/// Of the first match: 0 if it is no array, null if there is none.
Result<std::shared_ptr<Array>> JsonArrayLength(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows) {
  return MapMatches<arrow::Int64Builder>(
      context, args, rows,
      [](const std::vector<JsonItem>& items, int64_t) -> Result<std::optional<int64_t>> {
        if (items.empty()) return std::nullopt;
        auto elements = ItemsOf(items[0]);
        return elements ? static_cast<int64_t>(elements->size()) : 0;
      });
}

// ---- members ----

/// The member of an object, or the item of an array whose number the key is.
std::optional<JsonItem> MemberOf(std::string_view cell, std::string_view key) {
  auto root = ReadJsonb(cell);
  if (!root) return std::nullopt;
  if (root->type == JsonType::kObject) return FindMember(*root, key);
  if (root->type != JsonType::kArray) return std::nullopt;
  auto index = ParseInteger<uint64_t>(key);
  auto items = ItemsOf(*root);
  if (!index || !items || *index >= items->size()) return std::nullopt;
  return (*items)[*index];
}

Status InvalidCast(std::string_view type) {
  return UserError("Failed to convert to ", type, ": InvalidCast");
}

/// Appends convert(member) for each row that has one which is not JSON null.
template <typename Builder, typename Convert>
Result<std::shared_ptr<Array>> MapMembers(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows, bool keeps_null, Convert convert) {
  BytesValues cells(args[0]);
  BytesValues keys(args[1]);
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  Builder builder(context.type, context.pool);
  for (int64_t row = 0; row < rows; ++row) {
    std::optional<JsonItem> member;
    if (!nulls.IsNull(row)) member = MemberOf(cells[row], keys[row]);
    if (!member || (member->type == JsonType::kNull && !keeps_null)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto value, convert(*member));
    ARROW_RETURN_NOT_OK(builder.Append(value));
  }
  return builder.Finish();
}

Result<std::shared_ptr<Array>> JsonGet(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  return MapMembers<arrow::LargeBinaryBuilder>(
      context, args, rows, /*keeps_null=*/true,
      [](const JsonItem& item) -> Result<std::string> { return EncodeCell(item); });
}

Result<std::string> ToString(const JsonItem& item) {
  if (item.is_container() || item.type == JsonType::kExtension) return InvalidCast("string");
  if (item.type == JsonType::kString) return std::string(item.bytes);
  if (item.type != JsonType::kNumber) return TextOf(item);
  double value = item.number_as_double();
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return TextOf(item);
}

Result<std::shared_ptr<Array>> JsonGetString(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  return MapMembers<arrow::StringBuilder>(context, args, rows, false, ToString);
}

Result<int64_t> RoundToInteger(double value) {
  double rounded = std::round(value);
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (!(rounded >= -kEnd && rounded < kEnd)) return InvalidCast("integer");
  return static_cast<int64_t>(rounded);
}

Result<int64_t> ToInteger(const JsonItem& item) {
  if (item.is_boolean()) return item.type == JsonType::kTrue ? 1 : 0;
  if (item.type == JsonType::kString) {
    if (auto integer = ParseInteger<int64_t>(item.bytes)) return *integer;
    auto number = ParseDouble(item.bytes);
    return number ? RoundToInteger(*number) : InvalidCast("integer");
  }
  if (item.type != JsonType::kNumber) return InvalidCast("integer");
  JsonNumber number = item.number().value_or(0.0);
  if (const auto* value = std::get_if<int64_t>(&number)) return *value;
  if (const auto* value = std::get_if<double>(&number)) return RoundToInteger(*value);
  uint64_t value = std::get<uint64_t>(number);
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return InvalidCast("integer");
  }
  return static_cast<int64_t>(value);
}

Result<std::shared_ptr<Array>> JsonGetInt(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  return MapMembers<arrow::Int64Builder>(context, args, rows, false, ToInteger);
}

Result<double> ToDouble(const JsonItem& item) {
  if (item.is_boolean()) return item.type == JsonType::kTrue ? 1.0 : 0.0;
  if (item.type == JsonType::kNumber) return item.number_as_double();
  auto number = item.type == JsonType::kString ? ParseDouble(item.bytes) : std::nullopt;
  if (!number) return InvalidCast("float");
  return *number;
}

Result<std::shared_ptr<Array>> JsonGetFloat(const CallContext& context,
                                            std::span<const Operand> args, int64_t rows) {
  return MapMembers<arrow::DoubleBuilder>(context, args, rows, false, ToDouble);
}

Result<bool> ToBoolean(const JsonItem& item) {
  if (item.is_boolean()) return item.type == JsonType::kTrue;
  if (item.type != JsonType::kString) return InvalidCast("boolean");
  std::string lower(item.bytes);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "true" || lower == "yes") return true;
  if (lower == "false" || lower == "no") return false;
  return InvalidCast("boolean");
}

Result<std::shared_ptr<Array>> JsonGetBool(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  return MapMembers<arrow::BooleanBuilder>(context, args, rows, false, ToBoolean);
}

// ---- binding ----

/// A cell, then strings (other scalars are cast).
template <Kernel kKernel, const TypePtr& (*kType)(), size_t kArgs>
Bound BindJson(BindArgs args) {
  if (args.size() != kArgs) return std::nullopt;
  if (args[0]->type->id() != Type::LARGE_BINARY && args[0]->type->id() != Type::NA) {
    return std::nullopt;
  }
  for (const ExprPtr& arg : args.subspan(1)) {
    if (!TakesString(*arg) && !IsNumeric(*arg->type) && arg->type->id() != Type::BOOL) {
      return std::nullopt;
    }
  }
  BoundFunction bound{{arrow::large_binary()}, kType(), kKernel, /*can_fail=*/true};
  bound.arg_types.resize(kArgs, arrow::utf8());
  return bound;
}

constexpr Function kFunctions[] = {
    {"json_extract", "json_extract(json, path)", BindJson<JsonExtract, arrow::utf8, 2>},
    {"json_extract_with_type", "json_extract_with_type(json, path)",
     BindJson<JsonExtractWithType, TaggedType, 2>},
    {"json_exists", "json_exists(json, path)", BindJson<JsonExists, arrow::boolean, 2>},
    {"json_array_contains", "json_array_contains(json, path, value)",
     BindJson<JsonArrayContains, arrow::boolean, 3>},
    {"json_array_length", "json_array_length(json, path)",
     BindJson<JsonArrayLength, arrow::int64, 2>},
    {"json_get", "json_get(json, key)", BindJson<JsonGet, arrow::large_binary, 2>},
    {"json_get_string", "json_get_string(json, key)", BindJson<JsonGetString, arrow::utf8, 2>},
    {"json_get_int", "json_get_int(json, key)", BindJson<JsonGetInt, arrow::int64, 2>},
    {"json_get_float", "json_get_float(json, key)", BindJson<JsonGetFloat, arrow::float64, 2>},
    {"json_get_bool", "json_get_bool(json, key)", BindJson<JsonGetBool, arrow::boolean, 2>},
};

}  // namespace

std::span<const Function> JsonFunctions() { return kFunctions; }

}  // namespace lance::query
