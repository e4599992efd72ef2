#include <string>

#include "query/expr/function.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/value_text.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// write(row) for each value that is not null.
template <typename Write>
Result<std::shared_ptr<Array>> WriteAll(arrow::MemoryPool* pool, const Operand& values,
                                        Write write) {
  const TypePtr& type = arrow::large_utf8();
  return MapTexts({pool, type}, {&values, 1}, values.array->length(),
                  [&](int64_t row, std::string* out) {
                    *out = write(row);
                    return Status::OK();
                  });
}

/// What array_to_string writes for items that are no lists.
Result<std::shared_ptr<Array>> TextsOf(arrow::MemoryPool* pool, const Operand& values) {
  switch (values.array->type_id()) {
    case Type::FLOAT: {
      const FixedValues<float> numbers(values);
      return WriteAll(pool, values, [&](int64_t row) { return PlainText(numbers[row]); });
    }
    case Type::DOUBLE: {
      const FixedValues<double> numbers(values);
      return WriteAll(pool, values, [&](int64_t row) { return PlainText(numbers[row]); });
    }
    case Type::DURATION: {
      const FixedValues<int64_t> spans(values);
      const auto unit = static_cast<const arrow::DurationType&>(*values.array->type()).unit();
      return WriteAll(pool, values, [&](int64_t row) { return IsoDurationText(spans[row], unit); });
    }
    default:
      return CastArray(pool, values.array, arrow::large_utf8(), CastMode::kStrict);
  }
}

/// Writes the items of lists, and of lists in them, one after the other.
class ItemsText {
 public:
  static Result<ItemsText> Of(arrow::MemoryPool* pool, const Operand& lists) {
    ItemsText text;
    text.levels_.push_back(lists);
    while (IsList(*text.levels_.back().array->type())) {
      text.levels_.push_back({ListRows(text.levels_.back()).items(), false});
    }
    ARROW_ASSIGN_OR_RAISE(text.levels_.back().array, TextsOf(pool, text.levels_.back()));
    return text;
  }

  /// Nulls are left out if `null_text` is null.
  void Write(int64_t row, std::string_view separator, const std::string_view* null_text,
             std::string* out) const {
    bool is_first = true;
    WriteItems(0, row, separator, null_text, &is_first, out);
  }

 private:
  void WriteItems(size_t level, int64_t at, std::string_view separator,
                  const std::string_view* null_text, bool* is_first, std::string* out) const {
    const ListRows lists(levels_[level]);
    const Operand& items = levels_[level + 1];
    const bool are_lists = level + 2 < levels_.size();
    for (int64_t i = lists.Begin(at); i < lists.End(at); ++i) {
      const bool is_null = items.array->IsNull(i);
      if (is_null && null_text == nullptr) continue;
      if (!is_null && are_lists) {
        WriteItems(level + 1, i, separator, null_text, is_first, out);
        continue;
      }
      if (!*is_first) *out += separator;
      *is_first = false;
      *out += is_null ? *null_text : BytesValues(items)[i];
    }
  }

  std::vector<Operand> levels_;
};

Result<std::shared_ptr<Array>> ToText(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto items, ItemsText::Of(context.pool, args[0]));
  const BytesValues separators(args[1]);
  const bool has_null_texts = args.size() > 2;
  const BytesValues null_texts(args[has_null_texts ? 2 : 1]);
  return MapTexts(context, args.first(2), rows, [&](int64_t row, std::string* out) {
    const bool writes_nulls = has_null_texts && !IsNullAt(args[2], row);
    const std::string_view null_text = writes_nulls ? null_texts[row] : std::string_view();
    items.Write(row, separators[row], writes_nulls ? &null_text : nullptr, out);
    return Status::OK();
  });
}

/// A list of things that have a text, or of lists of such, or null.
TypePtr WritableList(const TypePtr& type) {
  TypePtr item = PlainType(type->field(0)->type());
  if (IsList(*item)) {
    item = WritableList(item);
  } else if (item->id() == Type::HALF_FLOAT) {
    item = arrow::float32();
  } else if (arrow::is_binary(item->id())) {
    item = arrow::utf8();
  }
  if (item == nullptr || (!IsList(*item) && !CanCast(*item, *arrow::large_utf8()))) return nullptr;
  return type->id() == Type::LARGE_LIST ? arrow::large_list(item) : arrow::list(item);
}

Bound BindToText(BindArgs args) {
  if (args.size() < 2 || args.size() > 3) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  TypePtr type = item == nullptr ? nullptr : WritableList(ListOf(*args[0], item));
  if (type == nullptr) return std::nullopt;
  BoundFunction bound{{type}, arrow::utf8(), ToText, /*can_fail=*/true};
  for (const ExprPtr& arg : args.subspan(1)) {
    if (!TakesString(*arg)) return std::nullopt;
    bound.arg_types.push_back(StringTypeOf(*arg));
  }
  return bound;
}

constexpr Function kFunctions[] = {
    {"array_to_string", "array_to_string(list, separator[, text of nulls])", BindToText},
    {"list_to_string", "list_to_string(list, separator[, text of nulls])", BindToText},
    {"array_join", "array_join(list, separator[, text of nulls])", BindToText},
    {"list_join", "list_join(list, separator[, text of nulls])", BindToText},
};

}  // namespace

std::span<const Function> ListTextFunctions() { return kFunctions; }

}  // namespace lance::query
