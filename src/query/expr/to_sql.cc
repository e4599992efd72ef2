#include <cmath>
#include <string>

#include "arrow/array.h"
#include "arrow/memory_pool.h"
#include "arrow/type.h"
#include "query/expr/coercion.h"
#include "query/expr/expr.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/value_set.h"
#include "query/expr/type_names.h"

namespace lance::query {
namespace {

using arrow::Type;
using lance::internal::Concat;

std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string HexText(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "X'";
  for (char byte : bytes) {
    auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text + "'";
}

/// A value as CAST to string writes it.
std::string TextOf(const arrow::Array& array, int64_t at) {
  auto text =
      CastArray(arrow::default_memory_pool(), array.Slice(at, 1), arrow::utf8(), CastMode::kTry);
  if (!text.ok() || (*text)->IsNull(0)) return "";
  return std::string(BytesValues(Operand{*text, true})[0]);
}

std::string ArrowCast(std::string_view inner, const arrow::DataType& type, bool is_try = false) {
  return Concat(is_try ? "arrow_try_cast(" : "arrow_cast(", inner, ", ",
                QuotedText(ArrowTypeName(type)), ")");
}

/// One value. `beside_column`: what it meets has its type, so that it need not say its own.
std::string ValueSql(const arrow::Array& array, int64_t at, bool beside_column) {
  const arrow::DataType& type = *array.type();
  auto typed = [&](const std::string& text, bool is_own_type) {
    return beside_column || is_own_type ? text : ArrowCast(text, type);
  };
  if (array.IsNull(at)) return typed("NULL", type.id() == Type::NA);
  switch (type.id()) {
    case Type::BOOL:
      return TextOf(array, at);
    case Type::STRING:
    case Type::LARGE_STRING:
      return typed(QuotedText(TextOf(array, at)), type.id() == Type::STRING);
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY: {
      std::string bytes(BytesValues(Operand{array.Slice(at, 1), true})[0]);
      return typed(HexText(bytes), type.id() != Type::LARGE_BINARY);
    }
    case Type::HALF_FLOAT:
    case Type::FLOAT:
    case Type::DOUBLE: {
      std::string text = TextOf(array, at);
      bool is_number = text.find_first_of("Nn") == std::string::npos;
      return is_number ? typed(text, type.id() == Type::DOUBLE) : ArrowCast(QuotedText(text), type);
    }
    case Type::LIST:
    case Type::LARGE_LIST: {
      // The items of a list of one.
      auto slice = array.Slice(at, 1);
      auto list = CastArray(arrow::default_memory_pool(), slice,
                            arrow::large_list(type.field(0)->type()), CastMode::kTry);
      if (!list.ok()) return slice->ToString();
      auto items = static_cast<const arrow::LargeListArray&>(**list).value_slice(0);
      std::string text = "[";
      for (int64_t i = 0; i < items->length(); ++i) {
        text += (i == 0 ? "" : ", ") + ValueSql(*items, i, false);
      }
      return ArrowCast(text + "]", type);
    }
    case Type::STRUCT: {
      const auto& value = static_cast<const arrow::StructArray&>(array);
      std::string text = "named_struct(";
      for (int i = 0; i < type.num_fields(); ++i) {
        text += Concat(i == 0 ? "" : ", ", QuotedText(type.field(i)->name()), ", ",
                       ValueSql(*value.field(i), at, false));
      }
      return text + ")";
    }
    default:
      break;
  }
  if (arrow::is_integer(type.id())) return typed(TextOf(array, at), type.id() == Type::INT64);
  if (type.id() == Type::DURATION || type.id() == Type::DATE64) {
    auto number =
        CastArray(arrow::default_memory_pool(), array.Slice(at, 1), arrow::int64(), CastMode::kTry);
    return number.ok() ? ArrowCast(TextOf(**number, 0), type) : "NULL";
  }
  std::string text = QuotedText(TextOf(array, at));
  std::string name = SqlTypeName(type);
  return name.empty() ? ArrowCast(text, type) : name + " " + text;
}

bool IsInfix(const Expr& expr) {
  if (expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr || expr.kind == ExprKind::kIn) {
    return true;
  }
  if (expr.kind != ExprKind::kCall) return false;
  bool is_word = expr.name.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos;
  return !is_word || expr.name.starts_with("is ") || expr.name == "like" || expr.name == "not" ||
         expr.name == "negative";
}

std::string UpperCase(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

/// How many nodes inside of shared parts are written: nested, they would double at each level.
constexpr size_t kMostSharedNodes = 1 << 16;

class Printer {
 public:
  std::string Sql(const Expr& expr) {
    const bool in_shared = shared_depth_ > 0 || expr.is_shared;
    if (!in_shared) return NodeSql(expr);
    if (shared_nodes_ == kMostSharedNodes) return "…";
    ++shared_nodes_;
    shared_depth_ += expr.is_shared ? 1 : 0;
    std::string text = NodeSql(expr);
    shared_depth_ -= expr.is_shared ? 1 : 0;
    return text;
  }

 private:
  std::string NodeSql(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return ValueSql(*expr.value, 0, false);
      case ExprKind::kColumn:
        return expr.name;
      case ExprKind::kCall:
        return IsInfix(expr) ? InfixSql(expr) : CallSql(expr);
      case ExprKind::kAnd:
        return Joined(expr.args, " AND ");
      case ExprKind::kOr:
        return Joined(expr.args, " OR ");
      case ExprKind::kCase:
        return CaseSql(expr);
      case ExprKind::kCoalesce:
        return "coalesce(" + Joined(expr.args, ", ") + ")";
      case ExprKind::kIn:
        return InSql(expr);
    }
    return "";
  }

  std::string OperandSql(const Expr& operand, bool beside_column) {
    if (operand.IsLiteral()) return ValueSql(*operand.value, 0, beside_column);
    return IsInfix(operand) ? "(" + Sql(operand) + ")" : Sql(operand);
  }

  std::string Joined(const std::vector<ExprPtr>& args, std::string_view separator) {
    std::string text;
    for (const ExprPtr& arg : args) {
      if (!text.empty()) text += separator;
      text += OperandSql(*arg, false);
    }
    return text;
  }

  std::string InfixSql(const Expr& expr) {
    const Expr& left = *expr.args[0];
    if (expr.name == "not") return "NOT " + OperandSql(left, false);
    if (expr.name == "negative") return "- " + OperandSql(left, false);
    if (expr.args.size() == 1) return OperandSql(left, false) + " " + UpperCase(expr.name);
    if (expr.name == "||") return Joined(expr.args, " || ");
    const Expr& right = *expr.args[1];
    bool is_comparison = expr.type->id() == Type::BOOL;
    std::string text = OperandSql(left, false) + " " + UpperCase(expr.name) + " " +
                       OperandSql(right, is_comparison && left.kind == ExprKind::kColumn);
    if (expr.name != "like") return text;
    auto escape = static_cast<char>(FixedValues<int64_t>(Operand{expr.args[2]->value, true})[0]);
    return escape == '\\' ? text : text + " ESCAPE " + QuotedText(std::string(1, escape));
  }

  std::string CaseSql(const Expr& expr) {
    std::string text = "CASE";
    for (size_t i = 0; i + 1 < expr.args.size(); i += 2) {
      text += " WHEN " + Sql(*expr.args[i]) + " THEN " + Sql(*expr.args[i + 1]);
    }
    if (expr.args.size() % 2 == 1) text += " ELSE " + Sql(*expr.args.back());
    return text + " END";
  }

  std::string InSql(const Expr& expr) {
    const arrow::Array& values = *expr.set->values();
    bool beside_column = expr.args[0]->kind == ExprKind::kColumn;
    std::string text = OperandSql(*expr.args[0], false) + " IN (";
    for (int64_t i = 0; i < values.length(); ++i) {
      text += (i == 0 ? "" : ", ") + ValueSql(values, i, beside_column);
    }
    return text + ")";
  }

  std::string CallSql(const Expr& expr) {
    bool is_cast = expr.name == "cast" || expr.name == "try_cast";
    if (expr.name == "map[]") {
      return Concat(OperandSql(*expr.args[0], false), "[", Sql(*expr.args[1]), "]");
    }
    if (!is_cast) return expr.name + "(" + Joined(expr.args, ", ") + ")";
    std::string type = SqlTypeName(*expr.type);
    std::string operand = OperandSql(*expr.args[0], false);
    return type.empty() ? ArrowCast(operand, *expr.type, expr.name == "try_cast")
                        : Concat(expr.name, "(", operand, " AS ", type, ")");
  }

  size_t shared_depth_ = 0;
  size_t shared_nodes_ = 0;
};

}  // namespace

std::string ToSql(const Expr& expr) { return Printer().Sql(expr); }

}  // namespace lance::query
