#include "query/expr/kernel/moment.h"

#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {

using arrow::TimeUnit;
using arrow::Type;

int64_t UnitOf(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::TIME32:
    case Type::TIME64:
      return UnitsPerSecond(static_cast<const arrow::TimeType&>(type).unit());
    case Type::DURATION:
      return UnitsPerSecond(static_cast<const arrow::DurationType&>(type).unit());
    default:
      return UnitsPerSecond(static_cast<const arrow::TimestampType&>(type).unit());
  }
}

Result<Operand> Local(const CallContext& context, const Operand& operand) {
  if (operand.array->type_id() == Type::TIME64) {
    const auto unit = static_cast<const arrow::TimeType&>(*operand.array->type()).unit();
    return Operand{WithType(operand.array, arrow::timestamp(unit)), operand.is_constant};
  }
  ARROW_ASSIGN_OR_RAISE(auto local, ToLocalTime(context.pool, operand.array));
  return Operand{std::move(local), operand.is_constant};
}

std::shared_ptr<arrow::DataType> InstantType(const Expr& expr) {
  switch (expr.type->id()) {
    case Type::TIMESTAMP:
      return expr.type;
    case Type::DATE32:
      return arrow::timestamp(TimeUnit::SECOND);
    case Type::DATE64:
      return arrow::timestamp(TimeUnit::MILLI);
    case Type::TIME32:
      return arrow::time64(TimeUnit::MICRO);
    case Type::TIME64:
      return expr.type;
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::NA:
      return arrow::timestamp(TimeUnit::NANO);
    default:
      return nullptr;
  }
}

}  // namespace lance::query
