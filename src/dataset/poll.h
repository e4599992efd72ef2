#pragma once

#include "base/error.h"
#include "lance/dataset.h"

namespace lance {

inline Status CallPoll(const Poll& poll) { return poll ? poll() : Status::OK(); }

}  // namespace lance
