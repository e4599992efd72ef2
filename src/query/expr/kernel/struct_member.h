#pragma once

#include "query/expr/kernel/operand.h"

namespace lance::query {

/// The member of a struct that a string literal names. Members of a null struct are null.
Kernel StructMemberKernel();

}  // namespace lance::query
