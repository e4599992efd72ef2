#include "query/expr/kernel/struct_member.h"

#include "arrow/array.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

Result<std::shared_ptr<arrow::Array>> StructMember(const CallContext& context,
                                                   std::span<const Operand> args, int64_t rows) {
  const auto& parent = static_cast<const arrow::StructArray&>(*args[0].array);
  int index = parent.struct_type()->GetFieldIndex(std::string(BytesValues(args[1])[0]));
  ARROW_ASSIGN_OR_RAISE(auto member, parent.GetFlattenedField(index, context.pool));
  return Plain(context.pool, member);
}

}  // namespace

Kernel StructMemberKernel() { return StructMember; }

}  // namespace lance::query
