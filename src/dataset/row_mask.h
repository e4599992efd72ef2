#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/context.h"
#include "base/error.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "query/index/row_set.h"

namespace lance {

/// The rows that the lists of a scan's options let through, by their ids. Immutable.
class RowMask {
 public:
  /// Null if there are no lists.
  static Result<std::shared_ptr<const RowMask>> Make(const ScanOptions& options);

  /// The stored rows of a fragment that are let through, deleted or not.
  Result<query::OffsetSet> RowsOf(const Context& context, const Snapshot& snapshot,
                                  size_t fragment_index) const;
  /// For people.
  const std::string& ToText() const { return text_; }

 private:
  query::RowSet ids_ = query::RowSet::None();
  std::string text_;
};

}  // namespace lance
