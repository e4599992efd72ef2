#pragma once

#include <optional>

#include "base/context.h"
#include "base/roaring_bitmap.h"
#include "query/expr/expr.h"
#include "query/index/index_answer.h"

namespace lance::query {

/// What an index could do about a condition.
struct IndexOffer {
  /// About as much work as testing so many rows; of several indexes the cheapest is asked.
  double cost = 0;
  /// Its answers are exact, and list all rows for which the condition is null: only then can they
  /// be negated.
  bool is_exact = false;
};

/// An index that finds the rows for which conditions are true. Immutable, thread-safe.
class PredicateIndex {
 public:
  virtual ~PredicateIndex() = default;

  /// Nothing if it can't tell anything about this condition. Conditions are bound; comparisons have
  /// their literal on the right. They may be any part of a filter, and the AND of all the parts
  /// that are about one column.
  virtual std::optional<IndexOffer> Accepts(const Expr& condition) const = 0;
  /// The answer for an accepted condition. Rows of fragments that it doesn't cover, and rows that
  /// don't exist any more, may be in it or not.
  virtual Result<IndexAnswer> Search(const Context& context, const Expr& condition) const = 0;
  /// Ids of the fragments that its answers are about.
  virtual const RoaringBitmap& coverage() const = 0;
  /// For people.
  virtual std::string_view name() const = 0;
};

using IndexPtr = std::shared_ptr<const PredicateIndex>;

}  // namespace lance::query
