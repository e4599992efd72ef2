#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/buffer_builder.h"
#include "base/error.h"
#include "encoding/read/layer_arrays.h"
#include "encoding/read/leaf_shape.h"

namespace lance::encoding {

/// Items of a page's dictionary, or any other block of values decoded at once.
struct DecodedBlock {
  uint64_t num_values = 0;
  bool variable = false;
  uint64_t value_bits = 0;                  ///< fixed-width blocks
  std::shared_ptr<arrow::Buffer> values;    ///< fixed: the values; variable: the bytes, followed by
                                            ///< kReadableSlack more that may be read
  std::shared_ptr<arrow::Buffer> offsets;   ///< variable: num_values + 1 int64
  std::shared_ptr<arrow::Buffer> validity;  ///< null when all values are valid; only before 2.1
  uint64_t longest_item = 0;                ///< variable: bytes

  static constexpr uint64_t kReadableSlack = 16;

  const int64_t* offset_data() const;
};

/// Where the pages of one leaf column decode to: values, and the levels from which
/// `unravel.h` makes validity and offsets. Definition levels in the sink use the numbering of
/// CanonicalLevels, whatever each page's own was.
///
/// Columns without lists know their number of values beforehand: room is made once, and pages
/// write at explicit positions, also straight from the store. Columns with lists append.
class LeafSink {
 public:
  /// Room for `num_rows` values is made at once when the column has no lists.
  static Result<std::unique_ptr<LeafSink>> Make(const LeafShape& shape, uint64_t num_rows,
                                                arrow::MemoryPool* pool);

  const LeafShape& shape() const { return *shape_; }
  arrow::MemoryPool* pool() const { return pool_; }

  // ---- fixed-width values
  uint64_t num_values() const { return num_values_; }
  /// The position of the next `count` fixed-width values; bytes (or bits) are uninitialised.
  Result<uint64_t> AppendFixed(uint64_t count);
  uint8_t* fixed_data() { return values_.mutable_data(); }
  /// Validity of the items of a primitive fixed-size list at nesting depth `depth` (0 = items of
  /// the outermost list); made on first use, all valid before. Bits are one per item.
  Result<uint8_t*> ItemValidity(size_t depth);
  bool has_item_validity(size_t depth) const { return item_validity_[depth] != nullptr; }

  /// Writes `count` values without content: strings are appended, fixed-width values zeroed from
  /// position `at` on.
  Status PutEmptyValues(uint64_t at, uint64_t count);

  // ---- packed structs
  /// Where the values of one member go; AppendFixed() of this sink made room in all members of
  /// fixed width.
  LeafSink& member(size_t i) { return *members_[i]; }

  // ---- variable-width values
  /// Makes room for `count` more values and `bytes` more bytes; an error beyond 2 GiB when offsets
  /// are 32 bits wide.
  Status ReserveVariable(uint64_t count, uint64_t bytes);
  /// The writing end of the bytes; ReserveVariable() has made room.
  uint8_t* variable_end() { return data_.mutable_data() + data_.length(); }
  /// Ends one value, `size` bytes of which stand at variable_end().
  void EndValue(uint64_t size) {
    data_.UnsafeAdvance(static_cast<int64_t>(size));
    PushOffset(data_.length());
    ++num_values_;
  }
  /// Ends `count` values at once: the bytes stand at variable_end(); value i ends at
  /// ends[i] - base.
  template <typename T>
  void EndValues(const T* ends, T base, uint64_t count) {
    const int64_t shift = data_.length() - static_cast<int64_t>(base);
    if (shape_->large_offsets) {
      auto* out = reinterpret_cast<int64_t*>(offsets_.mutable_data() + offsets_.length());
      for (uint64_t i = 0; i < count; ++i) out[i] = static_cast<int64_t>(ends[i]) + shift;
      offsets_.UnsafeAdvance(static_cast<int64_t>(count * sizeof(int64_t)));
    } else {
      auto* out = reinterpret_cast<int32_t*>(offsets_.mutable_data() + offsets_.length());
      for (uint64_t i = 0; i < count; ++i) {
        out[i] = static_cast<int32_t>(static_cast<int64_t>(ends[i]) + shift);
      }
      offsets_.UnsafeAdvance(static_cast<int64_t>(count * sizeof(int32_t)));
    }
    if (count > 0) data_.UnsafeAdvance(static_cast<int64_t>(ends[count - 1] - base));
    num_values_ += count;
  }

  // ---- levels
  /// Makes room for about `count` more items and their values.
  Status ReserveItems(uint64_t count);
  uint64_t num_items() const { return num_items_; }
  /// Adds `count` items with the given levels; null pointers mean all zero. `rep` is required when
  /// the column has lists, and refused else. `to_canonical` maps the page's definition levels,
  /// all of which are below its size.
  Status AppendLevels(const uint16_t* rep, const uint16_t* def,
                      const std::vector<uint16_t>& to_canonical, uint64_t count);

  // ---- validity of columns whose pages have bitmaps instead of levels (before 2.1)
  /// Adds `count` items: valid where the bit from `first_bit` on is set, all of them if `bits` is
  /// null.
  Status AppendValidity(const uint8_t* bits, uint64_t first_bit, uint64_t count);
  Status AppendNulls(uint64_t count);
  /// Makes an item null that was added before.
  Status SetNull(uint64_t item);
  /// Null when all items are valid.
  std::shared_ptr<arrow::Buffer> FinishValidity(int64_t* null_count);

  /// Drops the levels of what is decoded next: the structure is known already.
  void IgnoreLevels(bool ignore) { ignore_levels_ = ignore; }
  /// The structure of some rows as it will be in the result, in place of levels; outermost first.
  void AppendLayers(std::vector<LayerArrays> layers) {
    ready_layers_.push_back({num_items_, std::move(layers)});
  }
  struct ReadyLayers {
    uint64_t items_before = 0;  ///< items whose levels were added before
    std::vector<LayerArrays> layers;
  };
  const std::vector<ReadyLayers>& ready_layers() const { return ready_layers_; }

  // ---- Arrow dictionary columns
  struct DictionarySegment {
    uint64_t first_value = 0;
    std::shared_ptr<const DecodedBlock> items;  ///< null: all values of the segment are null
    uint64_t keys_below = 0;  ///< keys that were found to be below the number of items
  };
  /// From the next value on, indices refer to `items`.
  void StartDictionary(std::shared_ptr<const DecodedBlock> items, uint64_t first_value);
  /// That many of the keys that follow were looked at when they were decoded.
  void NoteKeysBelow(uint64_t count) { dictionaries_.back().keys_below += count; }

  // ---- results
  bool has_def() const { return has_def_; }
  const uint16_t* rep_data() const { return reinterpret_cast<const uint16_t*>(rep_.data()); }
  const uint16_t* def_data() const { return reinterpret_cast<const uint16_t*>(def_.data()); }
  Result<std::shared_ptr<arrow::Buffer>> FinishFixed();
  Result<std::shared_ptr<arrow::Buffer>> FinishOffsets();
  Result<std::shared_ptr<arrow::Buffer>> FinishData();
  /// Null when all items are valid.
  std::shared_ptr<arrow::Buffer> FinishItemValidity(size_t depth) {
    return std::move(item_validity_[depth]);
  }
  const std::vector<DictionarySegment>& dictionary_segments() const { return dictionaries_; }

 private:
  LeafSink(const LeafShape& shape, arrow::MemoryPool* pool);
  /// What the bytes of all values may take, going by those that are there, and `next_bytes` more:
  /// room made once costs less than room that is moved each time it has doubled.
  uint64_t ExpectedBytes(uint64_t next_bytes) const;
  Status MakeValidity();
  void PushOffset(int64_t offset) {
    if (shape_->large_offsets) {
      offsets_.UnsafeAppend(&offset, sizeof(offset));
    } else {
      const auto narrow = static_cast<int32_t>(offset);
      offsets_.UnsafeAppend(&narrow, sizeof(narrow));
    }
  }

  const LeafShape* shape_;
  arrow::MemoryPool* pool_;
  uint64_t num_values_ = 0;
  /// Variable-width values there will be; 0: unknown.
  uint64_t expected_values_ = 0;
  uint64_t num_items_ = 0;
  uint64_t max_items_ = 0;  ///< of columns without lists
  bool has_def_ = false;
  bool ignore_levels_ = false;
  arrow::BufferBuilder values_;
  arrow::BufferBuilder offsets_;
  arrow::BufferBuilder data_;
  arrow::BufferBuilder rep_;
  arrow::BufferBuilder def_;
  std::shared_ptr<arrow::Buffer> validity_;
  std::vector<std::shared_ptr<arrow::Buffer>> item_validity_;
  std::vector<uint64_t> items_per_value_;  ///< by depth, parallel to item_validity_
  std::vector<ReadyLayers> ready_layers_;
  std::vector<DictionarySegment> dictionaries_;
  std::vector<std::unique_ptr<LeafSink>> members_;
};

}  // namespace lance::encoding
