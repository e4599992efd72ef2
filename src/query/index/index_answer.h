#pragma once

#include "query/index/row_set.h"

namespace lance::query {

/// A condition's value for every row of a table: true, null, or else false.
class TruthSet {
 public:
  /// A row of `nulls` is null even if it is in `trues` too.
  explicit TruthSet(const RowSet& trues, RowSet nulls = RowSet::None());

  const RowSet& trues() const { return trues_; }
  const RowSet& nulls() const { return nulls_; }

  TruthSet Not() const;
  friend TruthSet And(const TruthSet& a, const TruthSet& b);
  friend TruthSet Or(const TruthSet& a, const TruthSet& b);

 private:
  RowSet trues_;  // without those in nulls_
  RowSet nulls_;
};

/// What an index knows about a condition: for each row a lower and an upper bound of its value, in
/// the order false, null, true. AND, OR and NOT of three-valued logic are the minimum, the maximum
/// and the reversal in that order, so that they can be done on the bounds.
class IndexAnswer {
 public:
  /// The condition is true for these rows and null for those.
  static IndexAnswer Exact(const RowSet& trues, RowSet nulls = RowSet::None());
  /// For other rows than these it is false, or null for `nulls`.
  static IndexAnswer AtMost(const RowSet& trues, RowSet nulls = RowSet::None());
  /// For these it is true; of the others nothing is known.
  static IndexAnswer AtLeast(const RowSet& trues);

  /// Rows for which the condition is surely true.
  const RowSet& surely() const { return lower_.trues(); }
  /// Rows for which it may be true: all others can be left out.
  const RowSet& possibly() const { return upper_.trues(); }
  /// Both are the same; nothing has to be tested again.
  bool is_exact() const { return is_exact_; }
  const TruthSet& lower() const { return lower_; }
  const TruthSet& upper() const { return upper_; }

  IndexAnswer Not() const;
  friend IndexAnswer And(const IndexAnswer& a, const IndexAnswer& b);
  friend IndexAnswer Or(const IndexAnswer& a, const IndexAnswer& b);

 private:
  IndexAnswer(TruthSet lower, TruthSet upper, bool is_exact);

  TruthSet lower_;
  TruthSet upper_;
  bool is_exact_;
};

}  // namespace lance::query
