#pragma once

#include <string_view>
#include <unordered_map>

#include "query/expr/kernel/date_format.h"

namespace lance::query {

/// Formats that were read already: few, of which rows have one each.
class FormatCache {
 public:
  /// Lives until the next call.
  Result<const DateFormat*> Get(std::string_view text) {
    auto found = formats_.find(std::string(text));
    if (found != formats_.end()) return &found->second;
    constexpr size_t kMost = 64;
    if (formats_.size() == kMost) formats_.clear();
    ARROW_ASSIGN_OR_RAISE(DateFormat format, DateFormat::Make(text));
    return &formats_.emplace(std::string(text), std::move(format)).first->second;
  }

 private:
  std::unordered_map<std::string, DateFormat> formats_;
};

}  // namespace lance::query
