#include "query/json/json_path.h"

#include <algorithm>
#include <cmath>

#include "query/json/json_path_expr.h"

namespace lance::query {
namespace {

using Items = std::vector<JsonItem>;
using Op = JsonPathOp;

constexpr int kMaxNesting = 1000;

// What an answer is when it can be unknown.
enum class Tri : uint8_t { kFalse, kTrue, kUndefined };

class Selector {
 public:
  Selector(const JsonItem& root, std::string_view path, std::deque<std::string>* made)
      : root_(root), path_(path), made_(made) {}

  Result<Items> Follow(const std::vector<JsonPathStep>& steps, const JsonItem& start) {
    Items items = {start};
    for (const JsonPathStep& step : steps) {
      Items next;
      for (const JsonItem& item : items) ARROW_RETURN_NOT_OK(Take(step, item, &next));
      items = std::move(next);
    }
    return items;
  }

  Result<Items> Compute(const JsonPathExpr& expr, const JsonItem& item) {
    if (expr.op >= Op::kPlus) return Arithmetic(expr, item);
    ARROW_ASSIGN_OR_RAISE(Tri answer, Test(expr, item));
    if (answer == Tri::kUndefined) return Items{JsonItem{JsonType::kNull, {}}};
    return Items{JsonItem{answer == Tri::kTrue ? JsonType::kTrue : JsonType::kFalse, {}}};
  }

 private:
  Status Damaged() const { return Failed("InvalidJsonb"); }
  Status Failed(std::string_view why) const {
    return UserError("Failed to select value from path '", path_, "': ", why);
  }

  Result<Items> Children(const JsonItem& item) const {
    Items children;
    if (item.type == JsonType::kArray) {
      auto items = ItemsOf(item);
      if (!items) return Damaged();
      children = *std::move(items);
    } else if (item.type == JsonType::kObject) {
      auto members = MembersOf(item);
      if (!members) return Damaged();
      for (const JsonMember& member : *members) children.push_back(member.value);
    }
    return children;
  }

  // ---- steps ----

  Status Take(const JsonPathStep& step, const JsonItem& item, Items* out) {
    using Kind = JsonPathStep::Kind;
    switch (step.kind) {
      case Kind::kMember:
        if (item.type == JsonType::kObject) {
          if (!MembersOf(item)) return Damaged();
          if (auto member = FindMember(item, step.name)) out->push_back(*member);
        }
        return Status::OK();
      case Kind::kAnyMember: {
        if (item.type != JsonType::kObject) return Status::OK();
        ARROW_ASSIGN_OR_RAISE(Items members, Children(item));
        out->insert(out->end(), members.begin(), members.end());
        return Status::OK();
      }
      case Kind::kAnyItem: {
        if (item.type != JsonType::kArray) {
          out->push_back(item);
          return Status::OK();
        }
        ARROW_ASSIGN_OR_RAISE(Items items, Children(item));
        out->insert(out->end(), items.begin(), items.end());
        return Status::OK();
      }
      case Kind::kIndexes:
        return TakeIndexes(step, item, out);
      case Kind::kRecursive:
        return TakeRecursive(step, item, 0, out);
      case Kind::kFilter: {
        ARROW_ASSIGN_OR_RAISE(Tri answer, Test(*step.filter, item));
        if (answer == Tri::kTrue) out->push_back(item);
        return Status::OK();
      }
    }
    return Status::OK();
  }

  Status TakeIndexes(const JsonPathStep& step, const JsonItem& item, Items* out) const {
    if (item.type != JsonType::kArray) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(Items items, Children(item));
    auto size = static_cast<int64_t>(items.size());
    auto place = [size](const JsonPathStep::Index& index) {
      return index.from_end ? size - 1 + index.offset : index.offset;
    };
    for (const JsonPathStep::Range& range : step.ranges) {
      int64_t first = place(range.from);
      int64_t last = range.to ? place(*range.to) : first;
      if (range.to) first = std::max<int64_t>(first, 0);
      last = std::min(last, size - 1);
      for (int64_t i = first; i >= 0 && i <= last; ++i) {
        out->push_back(items[static_cast<size_t>(i)]);
      }
    }
    return Status::OK();
  }

  Status TakeRecursive(const JsonPathStep& step, const JsonItem& item, uint32_t level, Items* out) {
    if (level >= step.least_level) out->push_back(item);
    if (level >= step.most_level || level > kMaxNesting) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(Items children, Children(item));
    for (const JsonItem& child : children) {
      ARROW_RETURN_NOT_OK(TakeRecursive(step, child, level + 1, out));
    }
    return Status::OK();
  }

  // ---- predicates ----

  Result<Tri> Test(const JsonPathExpr& expr, const JsonItem& item) {
    if (expr.op == Op::kAnd || expr.op == Op::kOr) {
      ARROW_ASSIGN_OR_RAISE(Tri left, Test(*expr.args[0], item));
      ARROW_ASSIGN_OR_RAISE(Tri right, Test(*expr.args[1], item));
      if (left == Tri::kUndefined || right == Tri::kUndefined) return Tri::kUndefined;
      bool is_true = expr.op == Op::kAnd ? left == Tri::kTrue && right == Tri::kTrue
                                         : left == Tri::kTrue || right == Tri::kTrue;
      return is_true ? Tri::kTrue : Tri::kFalse;
    }
    if (expr.op == Op::kExists) {
      ARROW_ASSIGN_OR_RAISE(Items found, Operand(*expr.args[0], item));
      return found.empty() ? Tri::kFalse : Tri::kTrue;
    }
    if (expr.op < Op::kEqual || expr.op > Op::kStartsWith) return Tri::kUndefined;
    ARROW_ASSIGN_OR_RAISE(Items left, Expanded(*expr.args[0], item));
    ARROW_ASSIGN_OR_RAISE(Items right, Expanded(*expr.args[1], item));
    for (const JsonItem& a : left) {
      for (const JsonItem& b : right) {
        Tri answer = Compare(expr.op, a, b);
        if (answer != Tri::kFalse) return answer;
      }
    }
    return Tri::kFalse;
  }

  Result<Items> Operand(const JsonPathExpr& expr, const JsonItem& item) {
    if (expr.op == Op::kLiteral) return Items{expr.value};
    return Follow(expr.steps, expr.from_root ? root_ : item);
  }

  /// The operand's values, with the items of arrays in their place.
  Result<Items> Expanded(const JsonPathExpr& expr, const JsonItem& item) {
    ARROW_ASSIGN_OR_RAISE(Items found, Operand(expr, item));
    Items expanded;
    for (const JsonItem& value : found) {
      if (value.type == JsonType::kExtension) continue;  // compares with nothing
      if (value.type != JsonType::kArray) {
        expanded.push_back(value);
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(Items items, Children(value));
      expanded.insert(expanded.end(), items.begin(), items.end());
    }
    return expanded;
  }

  static Tri Compare(Op op, const JsonItem& a, const JsonItem& b) {
    if (a.is_container() || b.is_container()) return Tri::kUndefined;
    bool same_kind = a.type == b.type || (a.is_boolean() && b.is_boolean());
    if (!same_kind) return op == Op::kNotEqual ? Tri::kTrue : Tri::kUndefined;
    if (op == Op::kStartsWith) {
      if (a.type != JsonType::kString) return Tri::kUndefined;
      return a.bytes.starts_with(b.bytes) ? Tri::kTrue : Tri::kFalse;
    }
    return Holds(op, Order(a, b)) ? Tri::kTrue : Tri::kFalse;
  }

  static int Order(const JsonItem& a, const JsonItem& b) {
    if (a.type == JsonType::kString) return a.bytes.compare(b.bytes);
    if (a.is_boolean()) {
      return static_cast<int>(a.type == JsonType::kTrue) -
             static_cast<int>(b.type == JsonType::kTrue);
    }
    if (a.type != JsonType::kNumber) return 0;
    JsonNumber x = a.number().value_or(0.0);
    JsonNumber y = b.number().value_or(0.0);
    if (!std::holds_alternative<double>(x) && !std::holds_alternative<double>(y)) {
      auto wide = [](auto value) { return static_cast<__int128>(value); };
      __int128 left = std::visit(wide, x);
      __int128 right = std::visit(wide, y);
      return left < right ? -1 : left > right ? 1 : 0;
    }
    double left = AsDouble(x);
    double right = AsDouble(y);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  static bool Holds(Op op, int order) {
    switch (op) {
      case Op::kEqual:
        return order == 0;
      case Op::kNotEqual:
        return order != 0;
      case Op::kLess:
        return order < 0;
      case Op::kLessEqual:
        return order <= 0;
      case Op::kGreater:
        return order > 0;
      default:
        return order >= 0;
    }
  }

  // ---- arithmetic ----

  JsonItem Number(const JsonNumber& number) {
    made_->push_back(EncodeNumber(number));
    return {JsonType::kNumber, made_->back()};
  }

  Result<JsonNumber> NumberOf(const JsonItem& item) const {
    if (item.type != JsonType::kNumber) return Failed("InvalidJsonPath");
    return item.number().value_or(0.0);
  }

  Result<Items> Arithmetic(const JsonPathExpr& expr, const JsonItem& item) {
    ARROW_ASSIGN_OR_RAISE(Items left, Operand(*expr.args[0], item));
    if (expr.args.size() == 1) {
      Items results;
      for (const JsonItem& value : left) {
        ARROW_ASSIGN_OR_RAISE(JsonNumber number, NumberOf(value));
        JsonNumber zero = int64_t{0};
        if (std::holds_alternative<double>(number)) zero = -0.0;
        ARROW_ASSIGN_OR_RAISE(number, Apply(expr.op, zero, number));
        results.push_back(Number(number));
      }
      return results;
    }
    ARROW_ASSIGN_OR_RAISE(Items right, Operand(*expr.args[1], item));
    if (left.size() != 1 || right.size() != 1) return Failed("InvalidJsonPath");
    ARROW_ASSIGN_OR_RAISE(JsonNumber a, NumberOf(left[0]));
    ARROW_ASSIGN_OR_RAISE(JsonNumber b, NumberOf(right[0]));
    ARROW_ASSIGN_OR_RAISE(JsonNumber result, Apply(expr.op, a, b));
    return Items{Number(result)};
  }

  Result<JsonNumber> Apply(Op op, const JsonNumber& a, const JsonNumber& b) const {
    bool is_division = op == Op::kDivide || op == Op::kModulo;
    if (is_division && AsDouble(b) == 0) return Failed("Division by zero");
    bool in_double =
        std::holds_alternative<double>(a) || std::holds_alternative<double>(b) || op == Op::kDivide;
    if (in_double) return JsonNumber(ApplyDouble(op, AsDouble(a), AsDouble(b)));
    auto wide = [](auto value) { return static_cast<__int128>(value); };
    __int128 result = ApplyWide(op, std::visit(wide, a), std::visit(wide, b));
    if (result >= 0 && result <= std::numeric_limits<uint64_t>::max()) {
      return JsonNumber(static_cast<uint64_t>(result));
    }
    if (result < 0 && result >= std::numeric_limits<int64_t>::min()) {
      return JsonNumber(static_cast<int64_t>(result));
    }
    return Failed(result < 0 ? "Int64 overflow" : "UInt64 overflow");
  }

  static double ApplyDouble(Op op, double a, double b) {
    switch (op) {
      case Op::kPlus:
        return a + b;
      case Op::kMinus:
        return a - b;
      case Op::kMultiply:
        return a * b;
      case Op::kDivide:
        return a / b;
      default:
        return std::fmod(a, b);
    }
  }

  static __int128 ApplyWide(Op op, __int128 a, __int128 b) {
    switch (op) {
      case Op::kPlus:
        return a + b;
      case Op::kMinus:
        return a - b;
      case Op::kMultiply:
        return a * b;
      default:
        return a % b;
    }
  }

  const JsonItem& root_;
  std::string_view path_;
  std::deque<std::string>* made_;
};

}  // namespace

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  auto parsed = ParseJsonPath(text);
  if (!parsed) return UserError("Invalid JSONPath '", text, "': InvalidJsonPath");
  JsonPath path;
  path.text_ = text;
  path.steps_ = std::move(parsed->steps);
  path.computed_ = std::move(parsed->computed);
  return path;
}

Result<std::vector<JsonItem>> JsonPath::Select(const JsonItem& root,
                                               std::deque<std::string>* made) const {
  Selector selector(root, text_, made);
  return is_computed() ? selector.Compute(*computed_, root) : selector.Follow(steps_, root);
}

}  // namespace lance::query
