#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

struct Dataset::Impl {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<arrow::Schema> arrow_schema;
  mutable std::once_flag described;
  mutable std::vector<FragmentInfo> fragments;

  const Manifest& manifest() const { return snapshot->manifest(); }
};

}  // namespace lance
