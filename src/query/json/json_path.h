#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "query/json/jsonb.h"

namespace lance::query {

struct JsonPathExpr;

/// One step of a path.
struct JsonPathStep {
  enum class Kind : uint8_t {
    kMember,     ///< .name: of objects
    kAnyMember,  ///< .*
    kAnyItem,    ///< [*]; what is no array is its own item
    kIndexes,    ///< [0, 2 to last]
    kRecursive,  ///< .**{from to to}
    kFilter,     ///< ?(…)
  };
  struct Index {
    bool from_end = false;  ///< `last`, plus `offset`
    int64_t offset = 0;
  };
  struct Range {
    Index from;
    std::optional<Index> to;
  };

  Kind kind = Kind::kMember;
  std::string name{};
  std::vector<Range> ranges{};
  uint32_t least_level = 0;
  uint32_t most_level = 255;
  std::shared_ptr<const JsonPathExpr> filter{};
};

/// A path of the JSON path language (spec/jsonb.md §10), or a predicate or computation over paths.
class JsonPath {
 public:
  /// `Invalid JSONPath '…': InvalidJsonPath` if the text is none.
  static Result<JsonPath> Parse(std::string_view text);

  /// A predicate or computation: always gives one value.
  bool is_computed() const { return computed_ != nullptr; }
  /// Values that the path selects, in order. Computed ones are kept in `made`.
  Result<std::vector<JsonItem>> Select(const JsonItem& root, std::deque<std::string>* made) const;

 private:
  std::string text_;
  std::vector<JsonPathStep> steps_;
  std::shared_ptr<const JsonPathExpr> computed_;
};

}  // namespace lance::query
