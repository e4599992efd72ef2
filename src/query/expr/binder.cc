#include "query/expr/binder.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/memory_pool.h"
#include "arrow/type.h"
#include "base/stack.h"
#include "query/expr/bounds.h"
#include "query/expr/coercion.h"
#include "query/expr/function.h"
#include "query/expr/kernel/arithmetic.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/like.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/struct_member.h"
#include "query/expr/kernel/value_set.h"
#include "query/expr/parser.h"
#include "query/expr/predicates.h"
#include "query/expr/type_names.h"
#include "schema/schema.h"

namespace lance::query {
namespace {

using arrow::Type;
using lance::internal::Concat;
using Args = std::vector<ExprPtr>;

constexpr size_t kNamesInErrors = 10;

/// Of lists and structs that an expression makes: each level costs as much as all below it.
constexpr size_t kMaxTypeNesting = 64;

size_t NestingOf(const arrow::DataType& type) {
  size_t nesting = 0;
  for (const auto& field : type.fields()) {
    nesting = std::max(nesting, NestingOf(*field->type()) + 1);
  }
  return nesting;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// Takes the type of a column that it meets, if it can.
bool IsPlain(const Syntax& syntax, const Expr& expr) {
  return expr.IsLiteral() && syntax.kind != SyntaxKind::kCast && syntax.kind != SyntaxKind::kCall;
}

std::optional<Comparison> ComparisonOf(std::string_view op) {
  for (auto comparison :
       {Comparison::kEqual, Comparison::kNotEqual, Comparison::kLess, Comparison::kLessEqual,
        Comparison::kGreater, Comparison::kGreaterEqual}) {
    if (op == ComparisonName(comparison)) return comparison;
  }
  return std::nullopt;
}

ExprPtr FoldedCast(ExprPtr expr, TypePtr type) {
  return Fold(MakeCast(std::move(expr), std::move(type)));
}

/// `a`, or `a b` in back-ticks.
std::string Quoted(const std::string& name) {
  auto is_plain = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
               std::all_of(name.begin(), name.end(), is_plain);
  if (plain && !IsReservedWord(name)) return name;
  return InBackTicks(name);
}

class Binder {
 public:
  Binder(const Source& source, const arrow::Schema& schema) : source_(source), schema_(schema) {}

  Result<ExprPtr> Run(const Syntax& root) {
    if (root.kind == SyntaxKind::kOperator && !ComparisonOf(root.text)) {
      return Arithmetic(root, /*is_root=*/true);
    }
    return Bind(root);
  }

 private:
  Status ErrorAt(const Syntax& syntax, std::string_view message) const {
    return source_.ErrorAt(syntax.at, message);
  }

  /// A literal as written, which is refused if it can't take the type of the column that it meets:
  /// not what is computed of constants. `-(1)` is computed, too.
  bool IsBare(const Syntax& syntax, const Expr& expr) const {
    if (!expr.IsLiteral()) return false;
    if (syntax.kind == SyntaxKind::kNegative) {
      const Syntax& operand = *syntax.args[0];
      const SourceSpan sign{syntax.at.begin, operand.at.begin};
      return operand.kind == SyntaxKind::kLiteral &&
             source_.TextAt(sign).find('(') == std::string_view::npos;
    }
    return syntax.kind == SyntaxKind::kLiteral || syntax.kind == SyntaxKind::kArray;
  }

  Result<Args> BindAll(const Syntax& syntax) {
    Args args;
    args.reserve(syntax.args.size());
    for (const SyntaxPtr& arg : syntax.args) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr bound, Bind(*arg));
      args.push_back(std::move(bound));
    }
    return args;
  }

  Result<ExprPtr> Bind(const Syntax& syntax) {
    if (StackIsShort()) {
      return ErrorAt(syntax, "the expression is nested too deep for the stack of this thread");
    }
    // Strictness with literals ends below anything but AND and OR, as in the reference.
    bool is_chain = syntax.kind == SyntaxKind::kAnd || syntax.kind == SyntaxKind::kOr;
    const bool strict = std::exchange(strict_, strict_ && is_chain);
    auto bound = syntax.is_shared ? BindShared(syntax, strict) : BindNode(syntax, strict);
    strict_ = strict;
    return bound;
  }

  /// The operand of CASE x WHEN …
  Result<ExprPtr> BindShared(const Syntax& syntax, bool strict) {
    auto known = shared_.find(&syntax);
    if (known != shared_.end()) return known->second;
    ARROW_ASSIGN_OR_RAISE(ExprPtr bound, BindNode(syntax, strict));
    return shared_[&syntax] = MakeShared(bound);
  }

  Result<ExprPtr> BindNode(const Syntax& syntax, bool strict) {
    switch (syntax.kind) {
      case SyntaxKind::kLiteral:
        return MakeLiteral(syntax.value, syntax.at);
      case SyntaxKind::kName:
        return Column(syntax);
      case SyntaxKind::kMember:
        return Member(syntax);
      case SyntaxKind::kItem:
        return Item(syntax);
      case SyntaxKind::kNegative:
        return Negative(syntax);
      case SyntaxKind::kNot: {
        ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Condition(*syntax.args[0], "NOT"));
        return MakeNot(std::move(arg), syntax.at);
      }
      case SyntaxKind::kOperator:
        if (!ComparisonOf(syntax.text)) return Arithmetic(syntax, /*is_root=*/false);
        return Compare(syntax, *ComparisonOf(syntax.text), *syntax.args[0], *syntax.args[1],
                       strict);
      case SyntaxKind::kConcat:
        return Call(syntax, "||");
      case SyntaxKind::kAnd:
      case SyntaxKind::kOr:
        return Chain(syntax);
      case SyntaxKind::kIs:
        return Is(syntax);
      case SyntaxKind::kDistinct: {
        auto comparison = syntax.negated ? Comparison::kNotDistinct : Comparison::kDistinct;
        return Compare(syntax, comparison, *syntax.args[0], *syntax.args[1], strict);
      }
      case SyntaxKind::kIn:
        return In(syntax, strict);
      case SyntaxKind::kBetween:
        return Between(syntax, strict);
      case SyntaxKind::kLike:
        return Like(syntax);
      case SyntaxKind::kCase:
        return Case(syntax);
      case SyntaxKind::kCast: {
        ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Bind(*syntax.args[0]));
        return Cast(syntax, std::move(arg), syntax.type, syntax.text == "try_cast");
      }
      case SyntaxKind::kArray:
        return Call(syntax, "make_array");
      case SyntaxKind::kCall:
        return SpecialCall(syntax);
    }
    return ErrorAt(syntax, "an expression of unknown kind");
  }

  // ---- columns ----

  static std::vector<std::string> NamesOf(const arrow::FieldVector& fields) {
    std::vector<std::string> names;
    for (const auto& field : fields) names.push_back(field->name());
    return names;
  }

  Status NotFound(SourceSpan at, std::string_view what, const std::string& name,
                  const std::vector<std::string>& names) const {
    if (auto nearest = NearestName(name, names)) {
      return source_.ErrorAt(
          at, Concat("there is no ", what, " '", name, "'; did you mean '", *nearest, "'?"));
    }
    std::string known;
    for (size_t i = 0; i < std::min(names.size(), kNamesInErrors); ++i) {
      known += (i == 0 ? "'" : ", '") + names[i] + "'";
    }
    if (names.size() > kNamesInErrors) {
      known += Concat(" and ", names.size() - kNamesInErrors, " more");
    }
    return source_.ErrorAt(at, Concat("there is no ", what, " '", name, "'; there is ",
                                      names.empty() ? "none" : known));
  }

  Result<ExprPtr> Column(const Syntax& syntax) {
    int index = schema_.GetFieldIndex(syntax.text);
    for (int i = 0; index < 0 && !syntax.quoted && i < schema_.num_fields(); ++i) {
      if (EqualsIgnoringCase(schema_.field(i)->name(), syntax.text)) index = i;
    }
    if (index < 0) return NotFound(syntax.at, "column", syntax.text, NamesOf(schema_.fields()));
    const auto& field = schema_.field(index);
    return MakeColumn(PlainType(field->type()), {{index}}, Quoted(field->name()), syntax.at);
  }

  Result<ExprPtr> Member(const Syntax& syntax) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr parent, Bind(*syntax.args[0]));
    return MemberOf(syntax, std::move(parent), syntax.text, NameAtEnd(syntax));
  }

  /// Of `a.b` the place of `b`.
  SourceSpan NameAtEnd(const Syntax& syntax) const {
    const SourceSpan rest{syntax.args[0]->at.end, syntax.at.end};
    const size_t before = source_.TextAt(rest).find_first_not_of("). \t\r\n");
    return before == std::string_view::npos
               ? syntax.at
               : SourceSpan{rest.begin + static_cast<uint32_t>(before), rest.end};
  }

  Result<ExprPtr> MemberOf(const Syntax& syntax, ExprPtr parent, const std::string& name,
                           SourceSpan name_at) {
    if (parent->type->id() != Type::STRUCT) {
      return source_.ErrorAt(name_at, Concat("'", name, "' is asked of a value of type ",
                                             parent->type->ToString(), ", which has no members"));
    }
    const auto& type = static_cast<const arrow::StructType&>(*parent->type);
    int index = type.GetFieldIndex(name);
    if (index < 0) return NotFound(name_at, "member", name, NamesOf(type.fields()));
    TypePtr member = PlainType(type.field(index)->type());
    if (parent->kind == ExprKind::kColumn) {
      ColumnPath path = parent->column;
      path.indexes.push_back(index);
      return MakeColumn(std::move(member), std::move(path), parent->name + "." + Quoted(name),
                        syntax.at);
    }
    Expr get{ExprKind::kCall,
             std::move(member),
             syntax.at,
             {std::move(parent), MakeLiteral(StringLiteral(name), syntax.at)}};
    get.name = "get_field";
    get.kernel = StructMemberKernel();
    return Fold(MakeExpr(std::move(get)));
  }

  Result<ExprPtr> Item(const Syntax& syntax) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr parent, Bind(*syntax.args[0]));
    ARROW_ASSIGN_OR_RAISE(ExprPtr index, Bind(*syntax.args[1]));
    if (parent->type->id() == Type::STRUCT) {
      auto name = LiteralText(*index);
      if (!name) return ErrorAt(*syntax.args[1], "a member of a struct is named by a string");
      return MemberOf(syntax, std::move(parent), *name, syntax.args[1]->at);
    }
    const bool is_map = parent->type->id() == Type::MAP;
    return CallOf(syntax, is_map ? "map[]" : "array_element",
                  {std::move(parent), std::move(index)});
  }

  // ---- operators ----

  Result<ExprPtr> Negative(const Syntax& syntax) {
    const Syntax& operand = *syntax.args[0];
    if (operand.kind == SyntaxKind::kLiteral && operand.value->type_id() == Type::UINT64) {
      return NegativeOfLarge(syntax, *operand.value);
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Bind(operand));
    if (arg->type->id() == Type::HALF_FLOAT) {
      TypePtr half = arg->type;
      ARROW_ASSIGN_OR_RAISE(arg, NegativeOf(syntax, MakeCast(std::move(arg), arrow::float32())));
      return FoldedCast(std::move(arg), half);
    }
    return NegativeOf(syntax, std::move(arg));
  }

  Result<ExprPtr> NegativeOf(const Syntax& syntax, ExprPtr arg) {
    if (arg->type->id() == Type::NA) arg = FoldedCast(std::move(arg), arrow::int64());
    bool is_signed = IsNumeric(*arg->type) || arg->type->id() == Type::DURATION;
    Kernel kernel = is_signed ? NegationKernel(*arg->type) : nullptr;
    if (kernel == nullptr) {
      return ErrorAt(syntax, Concat("'-' needs a signed number, not ", arg->type->ToString()));
    }
    Expr negative{ExprKind::kCall, arg->type, syntax.at, {arg}};
    negative.name = "negative";
    negative.kernel = kernel;
    negative.can_fail = !arrow::is_floating(arg->type->id());
    return Fold(MakeExpr(std::move(negative)));
  }

  /// -9223372036854775808 has digits that alone don't fit into an int64.
  static Result<ExprPtr> NegativeOfLarge(const Syntax& syntax, const arrow::Array& value) {
    uint64_t digits = static_cast<const arrow::UInt64Array&>(value).Value(0);
    if (digits == uint64_t{1} << 63) {
      return MakeLiteral(Int64Literal(std::numeric_limits<int64_t>::min()), syntax.at);
    }
    ARROW_ASSIGN_OR_RAISE(auto number, NumberLiteral(Concat("-", digits, ".0")));
    return MakeLiteral(std::move(number), syntax.at);
  }

  Result<ExprPtr> Arithmetic(const Syntax& syntax, bool is_root) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr left, Bind(*syntax.args[0]));
    ARROW_ASSIGN_OR_RAISE(ExprPtr right, Bind(*syntax.args[1]));
    // What is selected as `i + 1` has the type of i, as in the reference.
    if (is_root && left->kind == ExprKind::kColumn && IsPlain(*syntax.args[1], *right)) {
      ARROW_RETURN_NOT_OK(TakeTypeOf(*left, *syntax.args[1], /*strict=*/true, &right));
    } else if (is_root && right->kind == ExprKind::kColumn && IsBare(*syntax.args[0], *left)) {
      ARROW_RETURN_NOT_OK(TakeTypeOf(*right, *syntax.args[0], /*strict=*/true, &left));
    }
    return ArithmeticOf(syntax, std::move(left), std::move(right));
  }

  Result<ExprPtr> ArithmeticOf(const Syntax& syntax, ExprPtr left, ExprPtr right) {
    // Days are added to a date64, and subtracted from it, as to a date32.
    const bool has_date64 = left->type->id() == Type::DATE64 || right->type->id() == Type::DATE64;
    if (has_date64 && left->type->id() != Type::TIMESTAMP && right->type->id() != Type::TIMESTAMP) {
      for (ExprPtr* operand : {&left, &right}) {
        if ((*operand)->type->id() != Type::DATE64) continue;
        *operand = FoldedCast(std::move(*operand), arrow::date32());
      }
      ARROW_ASSIGN_OR_RAISE(ExprPtr days, ArithmeticOf(syntax, std::move(left), std::move(right)));
      const bool is_date = days->type->id() == Type::DATE32;
      return is_date ? FoldedCast(std::move(days), arrow::date64()) : days;
    }
    auto types = TypesOfArithmetic(syntax.text, left->type, right->type);
    Kernel kernel = nullptr;
    if (types) {
      kernel = arrow::is_decimal(types->result->id()) ? DecimalKernel(syntax.text, *types->left)
                                                      : ArithmeticKernel(syntax.text, *types->left);
    }
    if (kernel == nullptr) {
      const bool has_text = IsString(*left->type) || IsString(*right->type);
      return ErrorAt(syntax,
                     Concat("there is no ", left->type->ToString(), " ", syntax.text, " ",
                            right->type->ToString(),
                            has_text ? "; use cast() to say which number a text stands for" : ""));
    }
    bool is_half = types->result->id() == Type::HALF_FLOAT;
    Expr call{
        ExprKind::kCall,
        is_half ? types->left : types->result,
        syntax.at,
        {FoldedCast(std::move(left), types->left), FoldedCast(std::move(right), types->right)}};
    call.name = syntax.text;
    call.kernel = kernel;
    call.can_fail = !arrow::is_floating(call.type->id());
    return FoldedCast(Fold(MakeExpr(std::move(call))), types->result);
  }

  /// Gives a literal the type of a column, if it is one that may. With `strict`, one that can't is
  /// refused.
  Status TakeTypeOf(const Expr& column, const Syntax& syntax, bool strict, ExprPtr* literal) {
    ARROW_ASSIGN_OR_RAISE(CoercedLiteral coerced,
                          CoerceLiteral((*literal)->value, column.type, strict));
    if (coerced.fit == LiteralFit::kFits) {
      *literal = MakeLiteral(std::move(coerced.value), (*literal)->at);
    } else if (strict && coerced.fit == LiteralFit::kRefused && IsBare(syntax, **literal)) {
      return ErrorAt(syntax, Concat("the literal of type ", (*literal)->type->ToString(),
                                    " cannot be converted to ", column.type->ToString(),
                                    ", the type of column ", column.name,
                                    ", without loss; use cast() to say what is meant"));
    }
    return Status::OK();
  }

  /// Brings two operands to one type.
  Status Meet(const Syntax& at, const Syntax& left_syntax, const Syntax& right_syntax, bool strict,
              ExprPtr* left, ExprPtr* right) {
    if ((*left)->kind == ExprKind::kColumn && (*right)->IsLiteral()) {
      ARROW_RETURN_NOT_OK(TakeTypeOf(**left, right_syntax, strict, right));
    } else if ((*right)->kind == ExprKind::kColumn && (*left)->IsLiteral()) {
      ARROW_RETURN_NOT_OK(TakeTypeOf(**right, left_syntax, strict, left));
    }
    TypePtr common = CommonType((*left)->type, (*right)->type);
    if (common == nullptr && (*left)->type->Equals(*(*right)->type)) common = (*left)->type;
    if (common == nullptr) {
      return ErrorAt(at, Concat("values of type ", (*left)->type->ToString(), " and ",
                                (*right)->type->ToString(), " cannot be compared"));
    }
    *left = FoldedCast(*left, ComparedType((*left)->type, common));
    *right = FoldedCast(*right, ComparedType((*right)->type, common));
    return Status::OK();
  }

  Result<ExprPtr> Compare(const Syntax& syntax, Comparison comparison, const Syntax& left_syntax,
                          const Syntax& right_syntax, bool strict) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr left, Bind(left_syntax));
    return CompareBound(syntax, comparison, left_syntax, std::move(left), right_syntax, strict);
  }

  Result<ExprPtr> CompareBound(const Syntax& syntax, Comparison comparison,
                               const Syntax& left_syntax, ExprPtr left, const Syntax& right_syntax,
                               bool strict) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr right, Bind(right_syntax));
    ARROW_RETURN_NOT_OK(Meet(syntax, left_syntax, right_syntax, strict, &left, &right));
    TypePtr type = left->type;
    ExprPtr result = MakeComparison(comparison, std::move(left), std::move(right), syntax.at);
    if (result != nullptr) return result;
    return ErrorAt(syntax, Concat("values of type ", type->ToString(), " have no '",
                                  ComparisonName(comparison), "'"));
  }

  Result<ExprPtr> Between(const Syntax& syntax, bool strict) {
    const Syntax& operand_syntax = *syntax.args[0];
    ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(operand_syntax));
    operand = MakeShared(operand);
    ARROW_ASSIGN_OR_RAISE(ExprPtr low,
                          CompareBound(syntax, Comparison::kGreaterEqual, operand_syntax, operand,
                                       *syntax.args[1], strict));
    ARROW_ASSIGN_OR_RAISE(ExprPtr high, CompareBound(syntax, Comparison::kLessEqual, operand_syntax,
                                                     operand, *syntax.args[2], strict));
    ExprPtr both = MakeAnd({std::move(low), std::move(high)}, syntax.at);
    return syntax.negated ? MakeNot(std::move(both), syntax.at) : both;
  }

  // ---- conditions ----

  Result<ExprPtr> Condition(const Syntax& syntax, std::string_view user) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr expr, Bind(syntax));
    if (expr->type->id() == Type::NA) return FoldedCast(std::move(expr), arrow::boolean());
    if (expr->type->id() == Type::BOOL) return expr;
    return ErrorAt(
        syntax, Concat(user, " needs a condition, not a value of type ", expr->type->ToString()));
  }

  Result<ExprPtr> Chain(const Syntax& syntax) {
    bool is_and = syntax.kind == SyntaxKind::kAnd;
    Args args;
    args.reserve(syntax.args.size());
    for (const SyntaxPtr& arg : syntax.args) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr condition, Condition(*arg, is_and ? "AND" : "OR"));
      args.push_back(std::move(condition));
    }
    return is_and ? MakeAnd(args, syntax.at) : MakeOr(args, syntax.at);
  }

  Result<ExprPtr> Is(const Syntax& syntax) {
    const Syntax& operand = *syntax.args[0];
    if (syntax.text == "null") {
      ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Bind(operand));
      return MakeIsNull(std::move(arg), syntax.negated, syntax.at);
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Condition(operand, "IS " + syntax.text));
    if (syntax.text == "unknown") return MakeIsNull(std::move(arg), syntax.negated, syntax.at);
    return MakeIsBoolean(std::move(arg), syntax.text == "true", syntax.negated, syntax.at);
  }

  Result<ExprPtr> In(const Syntax& syntax, bool strict) {
    ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
    bool is_column = args[0]->kind == ExprKind::kColumn;
    for (size_t i = 1; is_column && i < args.size(); ++i) {
      if (args[i]->IsLiteral()) {
        ARROW_RETURN_NOT_OK(TakeTypeOf(*args[0], *syntax.args[i], strict, &args[i]));
      }
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr result, Among(syntax, std::move(args)));
    return syntax.negated ? MakeNot(std::move(result), syntax.at) : result;
  }

  /// Whether the first of the values equals one of the others.
  Result<ExprPtr> Among(const Syntax& syntax, Args args) {
    std::vector<TypePtr> types;
    for (const ExprPtr& arg : args) {
      if (types.empty() || !arg->type->Equals(*types.back())) types.push_back(arg->type);
    }
    TypePtr common = CommonType(types);
    // Two half floats meet in a float, which has comparisons.
    if (common != nullptr) common = CommonType(common, common);
    if (common == nullptr) {
      return ErrorAt(syntax, Concat("the values of IN cannot be compared with a value of type ",
                                    args[0]->type->ToString()));
    }
    for (ExprPtr& arg : args) arg = FoldedCast(arg, ComparedType(arg->type, common));
    return InList(syntax, args);
  }

  /// A set of the literals that have the type of the operand, comparisons with others.
  Result<ExprPtr> InList(const Syntax& syntax, const Args& args) {
    const TypePtr& type = args[0]->type;
    auto fits_set = [&](const ExprPtr& arg) {
      return arg->IsLiteral() && arg->type->Equals(*type);
    };
    const bool has_set = CanHash(*type) && std::all_of(args.begin() + 1, args.end(),
                                                       [&](auto& arg) { return arg->IsLiteral(); });
    if (!has_set) return InEqualities(syntax, args);
    if (std::all_of(args.begin() + 1, args.end(), fits_set)) return InSet(syntax, args);
    // Timestamps keep their unit, to be compared exactly.
    const ExprPtr operand = MakeShared(args[0]);
    Args in_set = {operand};
    Args others = {operand};
    for (size_t i = 1; i < args.size(); ++i) {
      (fits_set(args[i]) ? in_set : others).push_back(args[i]);
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr result, InEqualities(syntax, others));
    if (in_set.size() == 1) return result;
    ARROW_ASSIGN_OR_RAISE(ExprPtr among, InSet(syntax, in_set));
    return MakeOr({std::move(among), std::move(result)}, syntax.at);
  }

  static Result<ExprPtr> InSet(const Syntax& syntax, const Args& args) {
    arrow::ArrayVector values;
    values.reserve(args.size() - 1);
    for (size_t i = 1; i < args.size(); ++i) values.push_back(args[i]->value);
    ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(values, arrow::default_memory_pool()));
    Expr in{ExprKind::kIn, arrow::boolean(), syntax.at, {args[0]}};
    ARROW_ASSIGN_OR_RAISE(in.set, ValueSet::Make(std::move(all)));
    return Fold(MakeExpr(std::move(in)));
  }

  Result<ExprPtr> InEqualities(const Syntax& syntax, const Args& args) {
    Args equalities;
    const ExprPtr operand = MakeShared(args[0]);
    for (size_t i = 1; i < args.size(); ++i) {
      ExprPtr equal = MakeComparison(Comparison::kEqual, operand, args[i], args[i]->at);
      if (equal == nullptr) {
        return ErrorAt(syntax,
                       Concat("values of type ", args[0]->type->ToString(), " cannot be compared"));
      }
      equalities.push_back(std::move(equal));
    }
    return MakeOr(equalities, syntax.at);
  }

  Result<ExprPtr> Like(const Syntax& syntax) {
    if (syntax.text == "ilike" && std::isalpha(static_cast<int>(syntax.escape)) != 0) {
      return ErrorAt(syntax, "ILIKE ignores case, so its ESCAPE cannot be a letter");
    }
    ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
    for (size_t i = 0; i < args.size(); ++i) {
      if (!TakesString(*args[i])) {
        return ErrorAt(*syntax.args[i], Concat("LIKE needs a string, not a value of type ",
                                               args[i]->type->ToString()));
      }
      args[i] = FoldedCast(args[i], StringTypeOf(*args[i]));
      if (syntax.text == "ilike") {
        ARROW_ASSIGN_OR_RAISE(args[i], CallOf(*syntax.args[i], "lower", {args[i]}));
      }
    }
    args.push_back(MakeLiteral(Int64Literal(static_cast<int64_t>(syntax.escape)), syntax.at));
    Expr like{ExprKind::kCall, arrow::boolean(), syntax.at, std::move(args)};
    like.name = "like";
    like.kernel = LikeKernel();
    ExprPtr result = Fold(MakeExpr(std::move(like)));
    return syntax.negated ? MakeNot(std::move(result), syntax.at) : result;
  }

  // ---- conditional ----

  /// `int32, string and binary`: each once.
  static std::string TypesText(const std::vector<TypePtr>& types) {
    std::vector<std::string> names;
    for (const TypePtr& type : types) {
      std::string name = type->ToString();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    }
    return text;
  }

  /// Casts values to their common type, which is returned.
  Result<TypePtr> Unify(const Syntax& syntax, const std::vector<ExprPtr*>& values) {
    std::vector<TypePtr> types;
    types.reserve(values.size());
    for (ExprPtr* value : values) types.push_back((*value)->type);
    bool all_equal = std::all_of(types.begin(), types.end(),
                                 [&](const TypePtr& type) { return type->Equals(*types[0]); });
    TypePtr common = all_equal ? types[0] : CommonType(types);
    if (common == nullptr) {
      return ErrorAt(syntax,
                     Concat("values of type ", TypesText(types), " have no type in common"));
    }
    for (ExprPtr* value : values) *value = FoldedCast(*value, common);
    return common;
  }

  Result<ExprPtr> Case(const Syntax& syntax) {
    Args args;
    for (size_t i = 0; i < syntax.args.size(); ++i) {
      bool is_condition = i % 2 == 0 && i + 1 < syntax.args.size();
      ARROW_ASSIGN_OR_RAISE(
          ExprPtr arg, is_condition ? Condition(*syntax.args[i], "WHEN") : Bind(*syntax.args[i]));
      args.push_back(std::move(arg));
    }
    return MakeCase(syntax, std::move(args));
  }

  Result<ExprPtr> MakeCase(const Syntax& syntax, Args args) {
    std::vector<ExprPtr*> values;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i % 2 == 1 || i + 1 == args.size()) values.push_back(&args[i]);
    }
    ARROW_ASSIGN_OR_RAISE(TypePtr type, Unify(syntax, values));
    return Fold(MakeExpr({ExprKind::kCase, std::move(type), syntax.at, std::move(args)}));
  }

  Result<ExprPtr> Coalesce(const Syntax& syntax, Args args) {
    std::vector<ExprPtr*> values;
    for (ExprPtr& arg : args) values.push_back(&arg);
    ARROW_ASSIGN_OR_RAISE(TypePtr type, Unify(syntax, values));
    return Fold(MakeExpr({ExprKind::kCoalesce, std::move(type), syntax.at, std::move(args)}));
  }

  Result<ExprPtr> NullIf(const Syntax& syntax, Args args) {
    for (ExprPtr& arg : args) arg = MakeShared(arg);
    ExprPtr left = args[0];
    ExprPtr right = args[1];
    std::vector<ExprPtr*> values = {&left, &right};
    ARROW_RETURN_NOT_OK(Unify(syntax, values).status());
    TypePtr compared = CommonType(left->type, left->type);
    auto as_compared = [&](const ExprPtr& arg) {
      return FoldedCast(arg, ComparedType(arg->type, compared));
    };
    ExprPtr equal = compared == nullptr ? nullptr
                                        : MakeComparison(Comparison::kEqual, as_compared(args[0]),
                                                         as_compared(args[1]), syntax.at);
    if (equal == nullptr) {
      return ErrorAt(syntax,
                     Concat("values of type ", left->type->ToString(), " cannot be compared"));
    }
    return MakeCase(syntax, {equal, MakeLiteral(NullLiteral(), syntax.at), left});
  }

  Result<ExprPtr> Cast(const Syntax& syntax, ExprPtr arg, const TypePtr& type, bool is_try) {
    if (!CanCast(*arg->type, *type)) {
      return ErrorAt(syntax, Concat("values of type ", arg->type->ToString(), " cannot be cast to ",
                                    type->ToString()));
    }
    if (!is_try || arg->type->Equals(*type)) {
      return FoldedCast(std::move(arg), type);
    }
    Expr cast{ExprKind::kCall, type, syntax.at, {std::move(arg)}};
    cast.name = "try_cast";
    cast.kernel = CastKernel(CastMode::kTry);
    return Fold(MakeExpr(std::move(cast)));
  }

  // ---- functions ----

  /// Functions that are not simply computed from their arguments.
  Result<ExprPtr> SpecialCall(const Syntax& syntax) {
    const std::string& name = syntax.text;
    size_t count = syntax.args.size();
    if (count == 0 && IsClock(name)) return Clock(syntax);
    if (name == "coalesce" && count == 0) {
      return ErrorAt(syntax, "coalesce() needs at least one argument");
    }
    if (name == "coalesce" || ((name == "nvl" || name == "ifnull") && count == 2)) {
      ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
      return Coalesce(syntax, std::move(args));
    }
    if (name == "nullif" && count == 2) {
      ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
      return NullIf(syntax, std::move(args));
    }
    if (name == "nvl2" && count == 3) {
      ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
      args[0] = MakeIsNull(args[0], /*negated=*/true, syntax.at);
      return MakeCase(syntax, std::move(args));
    }
    if (name == "is_valid" && count == 1) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Bind(*syntax.args[0]));
      return MakeIsNull(std::move(arg), /*negated=*/true, syntax.at);
    }
    if (count == 2 && IsSearch(name)) {
      ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
      return args[0]->IsCallOf("make_array") ? AmongItems(syntax, std::move(args))
                                             : CallOf(syntax, name, std::move(args));
    }
    const bool is_arrow_cast = name == "arrow_cast" || name == "arrow_try_cast";
    if (count == 2 && (is_arrow_cast || name == "get_field")) {
      ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
      auto text = LiteralText(*args[1]);
      if (!text) return ErrorAt(*syntax.args[1], "expected a string literal");
      if (name == "get_field") return MemberOf(syntax, args[0], *text, syntax.args[1]->at);
      auto type = ParseArrowTypeName(*text);
      if (!type.ok()) return ErrorAt(*syntax.args[1], type.status().message());
      return Cast(syntax, args[0], *type, /*is_try=*/name == "arrow_try_cast");
    }
    if (is_arrow_cast || name == "get_field") {
      return ErrorAt(syntax, Concat("the function is ", name,
                                    name == "get_field" ? "(struct, 'member')" : "(value, 'type')",
                                    "; it cannot be called with ", count, " arguments"));
    }
    if (name == "arrow_typeof" && count == 1) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr arg, Bind(*syntax.args[0]));
      return MakeLiteral(StringLiteral(ArrowTypeName(*arg->type)), syntax.at);
    }
    return Call(syntax, name);
  }

  static bool IsSearch(std::string_view name) {
    return name == "array_has" || name == "list_has" || name == "array_contains" ||
           name == "list_contains";
  }

  /// In a list that is made of columns a value is looked for as by IN: null if it isn't there, but
  /// a null is.
  Result<ExprPtr> AmongItems(const Syntax& syntax, Args args) {
    const auto bound = FindFunction(syntax.text)->bind(args);
    // As in the reference, where the items are not cast once more to meet the value.
    const bool is_as_in = bound && bound->arg_types[0]->Equals(*args[0]->type);
    if (!is_as_in) return CallOf(syntax, syntax.text, std::move(args));
    Args operands = {args[1]};
    operands.insert(operands.end(), args[0]->args.begin(), args[0]->args.end());
    return Among(syntax, std::move(operands));
  }

  static bool IsClock(std::string_view name) {
    return name == "now" || name == "current_timestamp" || name == "current_date" ||
           name == "today" || name == "current_time";
  }

  /// The time when the expression is bound, the same for all rows.
  static Result<ExprPtr> Clock(const Syntax& syntax) {
    auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    int64_t nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
    TypePtr utc = arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    ExprPtr now = MakeLiteral(FixedWidthLiteral(utc, nanos), syntax.at);
    if (syntax.text == "current_date" || syntax.text == "today") {
      return FoldedCast(std::move(now), arrow::date32());
    }
    if (syntax.text == "current_time") {
      return FoldedCast(std::move(now), arrow::time64(arrow::TimeUnit::NANO));
    }
    return now;
  }

  Result<ExprPtr> Call(const Syntax& syntax, const std::string& name) {
    ARROW_ASSIGN_OR_RAISE(Args args, BindAll(syntax));
    return CallOf(syntax, name, std::move(args));
  }

  Result<ExprPtr> CallOf(const Syntax& syntax, const std::string& name, Args args) {
    const Function* function = FindFunction(name);
    if (function == nullptr && (name == "random" || name == "rand" || name == "uuid")) {
      return ErrorAt(syntax, Concat(name,
                                    "() has another value whenever it is computed: which rows "
                                    "a filter keeps would depend on how often and in which "
                                    "order it is read; store such values in a column"));
    }
    if (function == nullptr) {
      auto nearest = NearestName(name, FunctionNames());
      return ErrorAt(syntax, Concat("there is no function '", name, "'",
                                    nearest ? "; did you mean '" + *nearest + "'?" : ""));
    }
    auto bound = function->bind(args);
    if (!bound && function->parts != nullptr && !args.empty()) {
      auto part = LiteralText(*args[0]);
      const std::vector<std::string> parts = function->parts();
      const bool is_known = part && std::any_of(parts.begin(), parts.end(), [&](const auto& known) {
                              return EqualsIgnoringCase(known, *part);
                            });
      if (part && !is_known) return NotFound(args[0]->at, "part", *part, parts);
    }
    if (!bound) {
      std::string types;
      for (const ExprPtr& arg : args) types += (types.empty() ? "" : ", ") + arg->type->ToString();
      return ErrorAt(syntax, Concat("the function is ", function->usage,
                                    "; it cannot be called "
                                    "with (",
                                    types, ")"));
    }
    if (NestingOf(*bound->type) > kMaxTypeNesting) {
      return ErrorAt(syntax,
                     Concat("lists or structs are nested more than ", kMaxTypeNesting, " deep"));
    }
    for (size_t i = 0; i < args.size(); ++i) {
      args[i] = FoldedCast(std::move(args[i]), bound->arg_types[i]);
    }
    Expr call{ExprKind::kCall, std::move(bound->type), syntax.at, std::move(args)};
    call.name = function->name;
    call.kernel = bound->kernel;
    call.can_fail = bound->can_fail;
    return Fold(MakeExpr(std::move(call)));
  }

  const Source& source_;
  const arrow::Schema& schema_;
  bool strict_ = true;
  std::map<const Syntax*, ExprPtr> shared_;
};

}  // namespace

Result<ExprPtr> Bind(const Source& source, const Syntax& syntax, const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr expr, Binder(source, schema).Run(syntax));
  return source.has_positions() ? WithText(expr, source.text()) : expr;
}

Result<ExprPtr> BindSql(std::string_view sql, const arrow::Schema& schema) {
  Source source(sql);
  ARROW_ASSIGN_OR_RAISE(SyntaxPtr syntax, ParseSql(source));
  return Bind(source, *syntax, schema);
}

Result<ExprPtr> BindSqlFilter(std::string_view sql, const arrow::Schema& schema) {
  Source source(sql);
  ARROW_ASSIGN_OR_RAISE(SyntaxPtr syntax, ParseSql(source));
  return BindFilter(source, *syntax, schema);
}

Result<ExprPtr> BindFilter(const Source& source, const Syntax& syntax,
                           const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr expr, Bind(source, syntax, schema));
  return AsFilter(source, std::move(expr));
}

Result<ExprPtr> AsFilter(const Source& source, ExprPtr expr) {
  if (expr->type->id() == Type::BOOL) {
    return MayBeTrue(expr) ? std::move(expr) : MakeLiteral(BooleanLiteral(false), expr->at);
  }
  // Unknown for each row: whoever makes conditions of parts may end up with this.
  if (expr->type->id() == Type::NA) return MakeLiteral(BooleanLiteral(false), expr->at);
  if (expr->IsCallOf("regexp_match")) {
    SourceSpan at = expr->at;
    return MakeIsNull(std::move(expr), /*negated=*/true, at);
  }
  return source.ErrorAt(expr->at, Concat("a filter must be a condition; this is a value of type ",
                                         expr->type->ToString()));
}

}  // namespace lance::query
