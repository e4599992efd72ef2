#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/leaf_path.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {

/// Slots [offset, offset + length) of a leaf array. `offset` counts from the start of the array's
/// buffers, so ArrayData::offset is already in it.
struct LeafSlice {
  const arrow::ArrayData* array = nullptr;
  int64_t offset = 0;
  int64_t length = 0;
};

/// What a page says about one layer of nesting (spec/encodings.md §2.1).
struct LayerInfo {
  bool is_list = false;
  bool has_nulls = false;
  /// Lists only: some valid list is empty.
  bool has_empty = false;
  /// A layer further out has nulls; for items, one below the nearest list. The reference pushes
  /// nulls down and expects the layer to be declared nullable: else it miscounts the values of
  /// lists, and takes members of a null struct for values when it reads them alone.
  bool null_above = false;

  bool declared_nullable() const { return has_nulls || null_above; }
};

/// Rows of one leaf column taken apart: structure as levels, values as slices of the leaf arrays.
///
/// An item is an entry of the level arrays (a leaf slot if there are none). An item is visible if
/// it owns a leaf slot: `definition <= max_visible_definition`. Null or empty lists, and null
/// structs above lists, are invisible items.
struct ShreddedRows {
  uint64_t num_rows = 0;
  uint64_t num_items = 0;
  /// Visible items = leaf slots.
  uint64_t num_values = 0;
  /// Empty if the column has no lists. `max_repetition` starts a row.
  ScratchArray<uint16_t> repetition;
  /// Empty if nothing is null and no list is empty.
  ScratchArray<uint16_t> definition;
  uint16_t max_repetition = 0;
  uint16_t max_definition = 0;
  uint16_t max_visible_definition = 0;
  /// Innermost (the leaf) first.
  std::vector<LayerInfo> layers;
  std::vector<LeafSlice> leaves;

  bool has_levels() const { return !repetition.empty() || !definition.empty(); }
  bool is_visible(uint64_t item) const {
    return definition.empty() || definition[item] <= max_visible_definition;
  }
  /// Whether all items are visible, so that item i is leaf slot i.
  bool all_visible() const { return num_items == num_values; }
  bool has_null_leaves() const { return !definition.empty() && max_visible_definition > 0; }
};

/// Takes the rows of `arrays` (of the top-level field of `path`, storage types) apart. The slices
/// in the result point into the arrays.
Result<ShreddedRows> Shred(const LeafPath& path,
                           std::span<const std::shared_ptr<arrow::ArrayData>> arrays,
                           arrow::MemoryPool* pool);

}  // namespace lance::encoding
