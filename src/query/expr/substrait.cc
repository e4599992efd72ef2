#include "query/expr/substrait.h"

#include <array>
#include <limits>
#include <map>
#include <string>

#include "arrow/array.h"
#include "arrow/array/builder_base.h"
#include "arrow/builder.h"
#include "arrow/memory_pool.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"
#include "proto/parse.h"
#include "query/expr/coercion.h"
#include "query/expr/literal.h"
#include "substrait.pb.h"

namespace lance::query {
namespace {

using arrow::TimeUnit;
using substrait::Expression;
using Literal = Expression::Literal;

/// A call in Substrait, and what it is here.
struct NamedFunction {
  std::string_view name;
  SyntaxKind kind;
  std::string_view text;
  bool negated = false;
};
constexpr std::array<NamedFunction, 18> kFunctions = {{
    {"equal", SyntaxKind::kOperator, "="},
    {"not_equal", SyntaxKind::kOperator, "<>"},
    {"lt", SyntaxKind::kOperator, "<"},
    {"lte", SyntaxKind::kOperator, "<="},
    {"gt", SyntaxKind::kOperator, ">"},
    {"gte", SyntaxKind::kOperator, ">="},
    {"add", SyntaxKind::kOperator, "+"},
    {"subtract", SyntaxKind::kOperator, "-"},
    {"multiply", SyntaxKind::kOperator, "*"},
    {"divide", SyntaxKind::kOperator, "/"},
    {"modulus", SyntaxKind::kOperator, "%"},
    {"and", SyntaxKind::kAnd, ""},
    {"or", SyntaxKind::kOr, ""},
    {"not", SyntaxKind::kNot, ""},
    {"negate", SyntaxKind::kNegative, ""},
    {"is_null", SyntaxKind::kIs, "null"},
    {"is_not_null", SyntaxKind::kIs, "null", true},
    {"between", SyntaxKind::kBetween, ""},
}};

struct Renamed {
  std::string_view substrait;
  std::string_view sql;
};
constexpr std::array<Renamed, 3> kRenamed = {
    {{"is_nan", "isnan"}, {"substring", "substr"}, {"logb", "log"}}};

/// Types that only Arrow has, by the names of its extension of Substrait.
struct ArrowType {
  std::string_view name;
  const TypePtr& (*type)();
};
constexpr std::array<ArrowType, 6> kArrowTypes = {{{"u8", arrow::uint8},
                                                   {"u16", arrow::uint16},
                                                   {"u32", arrow::uint32},
                                                   {"u64", arrow::uint64},
                                                   {"large_string", arrow::large_utf8},
                                                   {"large_binary", arrow::large_binary}}};

TimeUnit::type UnitOfPrecision(int32_t precision) {
  return precision <= 0   ? TimeUnit::SECOND
         : precision <= 3 ? TimeUnit::MILLI
         : precision <= 6 ? TimeUnit::MICRO
                          : TimeUnit::NANO;
}

Result<TypePtr> TypeOf(const substrait::Type& type) {
  using Kind = substrait::Type;
  switch (type.kind_case()) {
    case Kind::kBool:
      return arrow::boolean();
    case Kind::kI8:
      return arrow::int8();
    case Kind::kI16:
      return arrow::int16();
    case Kind::kI32:
      return arrow::int32();
    case Kind::kI64:
      return arrow::int64();
    case Kind::kFp32:
      return arrow::float32();
    case Kind::kFp64:
      return arrow::float64();
    case Kind::kString:
      return arrow::utf8();
    case Kind::kBinary:
      return arrow::binary();
    case Kind::kTimestamp:
      return arrow::timestamp(TimeUnit::MICRO);
    case Kind::kTimestampTz:
      return arrow::timestamp(TimeUnit::MICRO, "UTC");
    case Kind::kPrecisionTimestamp:
      return arrow::timestamp(UnitOfPrecision(type.precision_timestamp().precision()));
    case Kind::kPrecisionTimestampTz:
      return arrow::timestamp(UnitOfPrecision(type.precision_timestamp_tz().precision()), "UTC");
    case Kind::kDate:
      return arrow::date32();
    case Kind::kTime:
      return arrow::time64(TimeUnit::MICRO);
    case Kind::kDecimal:
      return arrow::Decimal128Type::Make(type.decimal().precision(), type.decimal().scale());
    default:
      return Unsupported("a type of the Substrait expression");
  }
}

template <typename Builder, typename Value>
Result<LiteralValue> One(const TypePtr& type, const Value& value) {
  Builder builder(type, arrow::default_memory_pool());
  ARROW_RETURN_NOT_OK(builder.Append(value));
  return builder.Finish();
}

class Reader {
 public:
  Reader(const substrait::ExtendedExpression& message, const arrow::Schema& schema)
      : schema_(schema) {
    for (const auto& extension : message.extensions()) {
      if (extension.has_extension_type()) {
        const auto& type = extension.extension_type();
        types_[type.type_anchor()] = type.name();
      } else {
        const auto& function = extension.extension_function();
        functions_[function.function_anchor()] = function.name();
      }
    }
  }

  Result<SyntaxPtr> Read(const Expression& expression) {
    switch (expression.rex_type_case()) {
      case Expression::kLiteral:
        return ReadLiteral(expression.literal());
      case Expression::kSelection:
        return ReadColumn(expression.selection());
      case Expression::kScalarFunction:
        return ReadCall(expression.scalar_function());
      case Expression::kIfThen:
        return ReadIf(expression.if_then());
      case Expression::kSingularOrList:
        return ReadIn(expression.singular_or_list());
      case Expression::kCast: {
        Syntax cast{SyntaxKind::kCast, {}, "cast"};
        ARROW_ASSIGN_OR_RAISE(cast.type, NamedTypeOf(expression.cast().type()));
        ARROW_RETURN_NOT_OK(AddArg(expression.cast().input(), &cast));
        return Finish(std::move(cast));
      }
      default:
        return Unsupported("a part of the Substrait expression");
    }
  }

 private:
  static Result<SyntaxPtr> Finish(Syntax node) {
    for (const SyntaxPtr& arg : node.args) node.depth = std::max(node.depth, arg->depth + 1);
    if (node.depth > kMaxDepth) {
      return UserError("the expression is nested more than ", kMaxDepth, " deep");
    }
    return std::make_shared<const Syntax>(std::move(node));
  }

  Status AddArg(const Expression& arg, Syntax* node) {
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr syntax, Read(arg));
    // a AND b AND c comes as nested pairs.
    bool is_chain = node->kind == SyntaxKind::kAnd || node->kind == SyntaxKind::kOr;
    if (is_chain && syntax->kind == node->kind) {
      node->args.insert(node->args.end(), syntax->args.begin(), syntax->args.end());
    } else {
      node->args.push_back(std::move(syntax));
    }
    return Status::OK();
  }

  // ---- types ----

  Result<TypePtr> NamedTypeOf(const substrait::Type& type) const {
    return type.has_user_defined() ? TypeNamed(type.user_defined().type_reference()) : TypeOf(type);
  }

  Result<TypePtr> TypeNamed(uint32_t reference) const {
    auto name = types_.find(reference);
    if (name == types_.end()) {
      return UserError("the Substrait expression uses type ", reference,
                       ", which it does not declare");
    }
    for (const ArrowType& known : kArrowTypes) {
      if (known.name == name->second) return known.type();
    }
    return Unsupported("the type '", name->second, "' of the Substrait expression");
  }

  // ---- columns ----

  Result<SyntaxPtr> ReadColumn(const Expression::FieldReference& reference) {
    if (reference.has_expression() || !reference.direct_reference().has_struct_field()) {
      return Unsupported("a column reference of the Substrait expression");
    }
    SyntaxPtr column;
    const arrow::FieldVector* fields = &schema_.fields();
    const auto* segment = &reference.direct_reference();
    while (segment->has_struct_field()) {
      int32_t index = segment->struct_field().field();
      if (index < 0 || static_cast<size_t>(index) >= fields->size()) {
        return UserError("the Substrait expression uses column ", index, ", but there are ",
                         fields->size());
      }
      const auto& field = (*fields)[static_cast<size_t>(index)];
      if (column == nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            column, Finish({.kind = SyntaxKind::kName, .text = field->name(), .quoted = true}));
      } else {
        ARROW_ASSIGN_OR_RAISE(column, Finish({SyntaxKind::kMember, {}, field->name(), {column}}));
      }
      fields = &field->type()->fields();
      if (!segment->struct_field().has_child()) break;
      segment = &segment->struct_field().child();
    }
    return column;
  }

  // ---- literals ----

  Result<SyntaxPtr> ReadLiteral(const Literal& literal) {
    ARROW_ASSIGN_OR_RAISE(LiteralValue value, ValueOf(literal));
    return Finish({.kind = SyntaxKind::kLiteral, .value = std::move(value)});
  }

  Result<LiteralValue> ValueOf(const Literal& literal) const {
    switch (literal.literal_type_case()) {
      case Literal::kBoolean:
        return BooleanLiteral(literal.boolean());
      case Literal::kI8:
        return One<arrow::Int8Builder>(arrow::int8(), static_cast<int8_t>(literal.i8()));
      case Literal::kI16:
        return One<arrow::Int16Builder>(arrow::int16(), static_cast<int16_t>(literal.i16()));
      case Literal::kI32:
        return One<arrow::Int32Builder>(arrow::int32(), literal.i32());
      case Literal::kI64:
        return Int64Literal(literal.i64());
      case Literal::kFp32:
        return One<arrow::FloatBuilder>(arrow::float32(), literal.fp32());
      case Literal::kFp64:
        return One<arrow::DoubleBuilder>(arrow::float64(), literal.fp64());
      case Literal::kString:
        return StringLiteral(literal.string());
      case Literal::kBinary:
        return One<arrow::BinaryBuilder>(arrow::binary(), literal.binary());
      case Literal::kFixedBinary:
        return One<arrow::BinaryBuilder>(arrow::binary(), literal.fixed_binary());
      case Literal::kTimestamp:
        return FixedWidthLiteral(arrow::timestamp(TimeUnit::MICRO), literal.timestamp());
      case Literal::kTimestampTz:
        return FixedWidthLiteral(arrow::timestamp(TimeUnit::MICRO, "UTC"), literal.timestamp_tz());
      case Literal::kPrecisionTimestamp: {
        const auto& timestamp = literal.precision_timestamp();
        return FixedWidthLiteral(arrow::timestamp(UnitOfPrecision(timestamp.precision())),
                                 timestamp.value());
      }
      case Literal::kPrecisionTimestampTz: {
        const auto& timestamp = literal.precision_timestamp_tz();
        return FixedWidthLiteral(arrow::timestamp(UnitOfPrecision(timestamp.precision()), "UTC"),
                                 timestamp.value());
      }
      case Literal::kDate:
        return One<arrow::Date32Builder>(arrow::date32(), literal.date());
      case Literal::kTime:
        return FixedWidthLiteral(arrow::time64(TimeUnit::MICRO), literal.time());
      case Literal::kDecimal:
        return DecimalValue(literal.decimal());
      case Literal::kNull: {
        ARROW_ASSIGN_OR_RAISE(TypePtr type, NamedTypeOf(literal.null()));
        return arrow::MakeArrayOfNull(type, 1);
      }
      case Literal::kUserDefined:
        return ValueOfArrowType(literal.user_defined());
      default:
        return Unsupported("a literal of the Substrait expression");
    }
  }

  Result<LiteralValue> ValueOfArrowType(const Literal::UserDefined& literal) const {
    ARROW_ASSIGN_OR_RAISE(TypePtr type, TypeNamed(literal.type_reference()));
    const std::string& bytes = literal.value().value();
    if (arrow::is_integer(type->id())) {
      substrait::UnsignedValue number;
      const bool is_number = ParseMessage(bytes, &number);
      const int unused_bits = 64 - arrow::bit_width(type->id());
      if (is_number && number.value() <= std::numeric_limits<uint64_t>::max() >> unused_bits) {
        return FixedWidthLiteral(type, static_cast<int64_t>(number.value()));
      }
    } else if (type->id() == arrow::Type::LARGE_STRING) {
      substrait::TextValue text;
      if (ParseMessage(bytes, &text)) return One<arrow::LargeStringBuilder>(type, text.value());
    } else {
      substrait::BytesValue binary;
      if (ParseMessage(bytes, &binary)) return LargeBinaryLiteral(binary.value());
    }
    return UserError("a literal of the Substrait expression is no ", type->ToString());
  }

  /// 16 bytes, little-endian.
  static Result<LiteralValue> DecimalValue(const Literal::Decimal& decimal) {
    ARROW_ASSIGN_OR_RAISE(TypePtr type,
                          arrow::Decimal128Type::Make(decimal.precision(), decimal.scale()));
    if (decimal.value().size() != sizeof(arrow::Decimal128)) {
      return UserError("a decimal of the Substrait expression has ", decimal.value().size(),
                       " bytes, expected 16");
    }
    arrow::Decimal128 value(reinterpret_cast<const uint8_t*>(decimal.value().data()));
    return One<arrow::Decimal128Builder>(type, value);
  }

  // ---- calls ----

  Result<SyntaxPtr> ReadCall(const Expression::ScalarFunction& call) {
    auto found = functions_.find(call.function_reference());
    if (found == functions_.end()) {
      return UserError("the Substrait expression calls function ", call.function_reference(),
                       ", which it does not declare");
    }
    // Names may come with a signature: equal:any_any.
    std::string_view name = std::string_view(found->second).substr(0, found->second.find(':'));
    ARROW_ASSIGN_OR_RAISE(Syntax node, NodeOf(name));
    for (const auto& arg : call.arguments()) {
      if (arg.has_value()) {
        ARROW_RETURN_NOT_OK(AddArg(arg.value(), &node));
      } else {
        ARROW_ASSIGN_OR_RAISE(SyntaxPtr text, Finish({.kind = SyntaxKind::kLiteral,
                                                      .value = StringLiteral(arg.enumeration())}));
        node.args.push_back(std::move(text));
      }
    }
    ARROW_RETURN_NOT_OK(CheckArgs(name, node));
    return Finish(std::move(node));
  }

  static Result<Syntax> NodeOf(std::string_view name) {
    for (const NamedFunction& function : kFunctions) {
      if (function.name != name) continue;
      return Syntax{
          .kind = function.kind, .text = std::string(function.text), .negated = function.negated};
    }
    for (const Renamed& renamed : kRenamed) {
      if (renamed.substrait == name) name = renamed.sql;
    }
    return Syntax{.kind = SyntaxKind::kCall, .text = std::string(name)};
  }

  static Status CheckArgs(std::string_view name, const Syntax& node) {
    size_t least = 0;
    size_t most = node.args.size();
    if (node.kind == SyntaxKind::kOperator) least = most = 2;
    if (node.kind == SyntaxKind::kBetween) least = most = 3;
    if (node.kind == SyntaxKind::kAnd || node.kind == SyntaxKind::kOr) least = 1;
    if (node.kind == SyntaxKind::kNot || node.kind == SyntaxKind::kNegative ||
        node.kind == SyntaxKind::kIs) {
      least = most = 1;
    }
    if (node.args.size() >= least && node.args.size() <= most) return Status::OK();
    return UserError("the Substrait expression calls '", name, "' with ", node.args.size(),
                     " arguments");
  }

  Result<SyntaxPtr> ReadIf(const Expression::IfThen& if_then) {
    Syntax node{.kind = SyntaxKind::kCase};
    for (const auto& clause : if_then.ifs()) {
      ARROW_RETURN_NOT_OK(AddArg(clause.condition(), &node));
      ARROW_RETURN_NOT_OK(AddArg(clause.then(), &node));
    }
    if (node.args.empty()) return UserError("an empty if of the Substrait expression");
    if (if_then.has_otherwise()) ARROW_RETURN_NOT_OK(AddArg(if_then.otherwise(), &node));
    return Finish(std::move(node));
  }

  Result<SyntaxPtr> ReadIn(const Expression::SingularOrList& list) {
    Syntax node{.kind = SyntaxKind::kIn};
    ARROW_RETURN_NOT_OK(AddArg(list.value(), &node));
    for (const Expression& option : list.options()) ARROW_RETURN_NOT_OK(AddArg(option, &node));
    if (node.args.size() > 1) return Finish(std::move(node));
    return Finish({.kind = SyntaxKind::kLiteral, .value = BooleanLiteral(false)});
  }

  const arrow::Schema& schema_;
  std::map<uint32_t, std::string> functions_;
  std::map<uint32_t, std::string> types_;
};

}  // namespace

Result<SyntaxPtr> ParseSubstrait(std::string_view bytes, const arrow::Schema& schema) {
  // A level of the expression is three of messages.
  constexpr int kMessageDepth = 3 * static_cast<int>(kMaxDepth);
  substrait::ExtendedExpression message;
  if (!ParseDeepMessage(bytes, kMessageDepth, &message)) {
    return UserError("the filter is not a Substrait expression");
  }
  if (message.referred_expr_size() != 1 || !message.referred_expr(0).has_expression()) {
    return UserError("the Substrait message has ", message.referred_expr_size(),
                     " expressions, expected one");
  }
  return Reader(message, schema).Read(message.referred_expr(0).expression());
}

}  // namespace lance::query
