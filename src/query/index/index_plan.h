#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "query/index/predicate_index.h"

namespace lance::query {

/// Conditions that indexes answer, put together by AND, OR and NOT.
struct IndexSearch {
  enum class Kind : uint8_t { kIndex, kAnd, kOr, kNot };

  Kind kind = Kind::kIndex;
  std::vector<std::shared_ptr<const IndexSearch>> args{};
  IndexPtr index{};     ///< kIndex
  ExprPtr condition{};  ///< kIndex

  Result<IndexAnswer> Run(const Context& context) const;
  /// The fragments that all its indexes cover.
  RoaringBitmap Coverage() const;
  /// `name(condition) AND …`
  std::string ToText() const;
};

/// A filter divided between indexes and tests.
struct IndexPlan {
  /// Null: no index is of use.
  std::shared_ptr<const IndexSearch> search;
  /// What has to be tested on the rows that an exact answer leaves, if anything. If the answer
  /// isn't exact, the whole filter has to be.
  ExprPtr rest;
  /// What the indexes promise of their answer.
  bool is_exact = false;
};

/// Gives to `indexes` as much of a filter as they accept.
IndexPlan PlanIndexes(const ExprPtr& filter, std::span<const IndexPtr> indexes);

}  // namespace lance::query
