#include "dataset/row_address_index.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/array.h"
#include "arrow/type.h"
#include "dataset/column_selection.h"
#include "query/expr/kernel/compare.h"
#include "query/expr/kernel/value_set.h"
#include "table/row_words.h"

namespace lance {
namespace {

using query::Comparison;
using query::Expr;
using query::ExprKind;
using query::OffsetSet;
using query::RowSet;

constexpr uint64_t kMaxAddress = std::numeric_limits<uint64_t>::max();

/// Addresses from `first` up to and with `last`.
struct AddressRange {
  uint64_t first = 0;
  uint64_t last = kMaxAddress;
};

std::optional<uint64_t> AddressLiteral(const Expr& expr) {
  if (!expr.IsLiteral() || expr.type->id() != arrow::Type::UINT64 || expr.IsNullLiteral()) {
    return std::nullopt;
  }
  return static_cast<const arrow::UInt64Array&>(*expr.value).Value(0);
}

/// Where a comparison with an address is true; nullopt for other expressions.
std::optional<std::vector<AddressRange>> RangesOf(const Expr& expr) {
  if (expr.kind != ExprKind::kCall || expr.args.size() != 2) return std::nullopt;
  auto value = AddressLiteral(*expr.args[1]);
  if (!value) return std::nullopt;
  std::vector<AddressRange> ranges;
  auto below = [&] {
    if (*value > 0) ranges.push_back({0, *value - 1});
  };
  auto above = [&] {
    if (*value < kMaxAddress) ranges.push_back({*value + 1, kMaxAddress});
  };
  auto is = [&](Comparison comparison) { return expr.name == ComparisonName(comparison); };
  if (is(Comparison::kEqual)) {
    ranges.push_back({*value, *value});
  } else if (is(Comparison::kNotEqual)) {
    below();
    above();
  } else if (is(Comparison::kLess)) {
    below();
  } else if (is(Comparison::kLessEqual)) {
    ranges.push_back({0, *value});
  } else if (is(Comparison::kGreater)) {
    above();
  } else if (is(Comparison::kGreaterEqual)) {
    ranges.push_back({*value, kMaxAddress});
  } else {
    return std::nullopt;
  }
  return ranges;
}

class RowAddressIndex final : public query::PredicateIndex {
 public:
  explicit RowAddressIndex(const Manifest& manifest)
      : ids_are_addresses_(!manifest.has_stable_row_ids()) {
    for (const FragmentSummary& fragment : manifest.fragments) {
      if (fragment.id <= std::numeric_limits<uint32_t>::max()) {
        ids_.push_back(static_cast<uint32_t>(fragment.id));
        coverage_.add(ids_.back());
      }
    }
  }

  std::optional<query::IndexOffer> Accepts(const Expr& condition) const override {
    if (condition.args.empty() || !IsAddress(*condition.args[0])) return std::nullopt;
    const bool is_list = condition.kind == ExprKind::kIn && !condition.set->has_null() &&
                         condition.set->values()->type_id() == arrow::Type::UINT64;
    if (!is_list && !RangesOf(condition)) return std::nullopt;
    return query::IndexOffer{.cost = 0, .is_exact = true};  // addresses are never null
  }

  Result<query::IndexAnswer> Search(const Context& context, const Expr& condition) const override {
    RowSet rows = RowSet::None();
    if (condition.kind == ExprKind::kIn) {
      const auto& list = static_cast<const arrow::UInt64Array&>(*condition.set->values());
      for (int64_t i = 0; i < list.length(); ++i) {
        RowAddress address{list.Value(i)};
        rows.Add(FragmentIdOf(address), OffsetOf(address));
      }
      return query::IndexAnswer::Exact(rows);
    }
    const auto ranges = RangesOf(condition);
    for (const AddressRange& range : *ranges) AddRange(range, &rows);
    return query::IndexAnswer::Exact(rows);
  }

  const RoaringBitmap& coverage() const override { return coverage_; }
  std::string_view name() const override { return "row_address"; }

 private:
  bool IsAddress(const Expr& expr) const {
    if (expr.kind != ExprKind::kColumn || expr.column.indexes.size() != 1) return false;
    auto column = VirtualColumnFromName(expr.name);
    return column == VirtualColumn::kRowAddress ||
           (column == VirtualColumn::kRowId && ids_are_addresses_);
  }

  void AddRange(const AddressRange& range, RowSet* rows) const {
    const uint32_t first_fragment = FragmentIdOf(RowAddress{range.first});
    const uint32_t last_fragment = FragmentIdOf(RowAddress{range.last});
    auto at = std::lower_bound(ids_.begin(), ids_.end(), first_fragment);
    for (; at != ids_.end() && *at <= last_fragment; ++at) {
      const uint64_t first = *at == first_fragment ? OffsetOf(RowAddress{range.first}) : 0;
      const uint64_t end =
          *at == last_fragment ? uint64_t{OffsetOf(RowAddress{range.last})} + 1 : kMaxFragmentRows;
      rows->Set(*at, Or(rows->Of(*at), OffsetSet::Range(first, end)));
    }
  }

  bool ids_are_addresses_;
  std::vector<uint32_t> ids_;  // ascending
  RoaringBitmap coverage_;
};

}  // namespace

query::IndexPtr MakeRowAddressIndex(const Manifest& manifest) {
  return std::make_shared<RowAddressIndex>(manifest);
}

}  // namespace lance
