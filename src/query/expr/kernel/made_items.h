#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// Counts what a function makes out of nothing, so that it can't blow up.
class MadeItems {
 public:
  explicit MadeItems(std::string_view function) : function_(function) {}

  /// `count` copies of something of this weight. An error if it becomes too much.
  Status Add(int64_t count, int64_t weight);

 private:
  static constexpr int64_t kMost = int64_t{1} << 24;

  std::string_view function_;
  int64_t made_ = 0;
};

/// How much a value is: itself, what is in it, and the bytes of texts.
int64_t WeightOf(const arrow::Array& array, int64_t at);

}  // namespace lance::query
