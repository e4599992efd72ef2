#include "query/index/index_answer.h"

#include <utility>

namespace lance::query {

TruthSet::TruthSet(const RowSet& trues, RowSet nulls)
    : trues_(Without(trues, nulls)), nulls_(std::move(nulls)) {}

TruthSet TruthSet::Not() const { return TruthSet(Or(trues_, nulls_).Not(), nulls_); }

TruthSet And(const TruthSet& a, const TruthSet& b) {
  RowSet trues = And(a.trues_, b.trues_);
  RowSet not_false = And(Or(a.trues_, a.nulls_), Or(b.trues_, b.nulls_));
  RowSet nulls = Without(not_false, trues);
  return TruthSet(trues, std::move(nulls));
}

TruthSet Or(const TruthSet& a, const TruthSet& b) {
  RowSet trues = Or(a.trues_, b.trues_);
  RowSet nulls = Without(Or(a.nulls_, b.nulls_), trues);
  return TruthSet(trues, std::move(nulls));
}

IndexAnswer::IndexAnswer(TruthSet lower, TruthSet upper, bool is_exact)
    : lower_(std::move(lower)), upper_(std::move(upper)), is_exact_(is_exact) {}

IndexAnswer IndexAnswer::Exact(const RowSet& trues, RowSet nulls) {
  TruthSet truth(trues, std::move(nulls));
  return {truth, truth, true};
}

IndexAnswer IndexAnswer::AtMost(const RowSet& trues, RowSet nulls) {
  return {TruthSet(RowSet::None()), TruthSet(trues, std::move(nulls)), false};
}

IndexAnswer IndexAnswer::AtLeast(const RowSet& trues) {
  return {TruthSet(trues), TruthSet(RowSet::All()), false};
}

IndexAnswer IndexAnswer::Not() const { return {upper_.Not(), lower_.Not(), is_exact_}; }

IndexAnswer And(const IndexAnswer& a, const IndexAnswer& b) {
  return {And(a.lower_, b.lower_), And(a.upper_, b.upper_), a.is_exact_ && b.is_exact_};
}

IndexAnswer Or(const IndexAnswer& a, const IndexAnswer& b) {
  return {Or(a.lower_, b.lower_), Or(a.upper_, b.upper_), a.is_exact_ && b.is_exact_};
}

}  // namespace lance::query
