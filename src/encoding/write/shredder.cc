#include "encoding/write/shredder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "arrow/array/data.h"
#include "arrow/type.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"

namespace lance::encoding {
namespace {

using Levels = ScratchArray<uint16_t>;

// While layers are walked from the outside in it isn't known which of them need definition
// numbers, so step j uses two provisional ones: outer layers have the smaller numbers.
constexpr uint16_t NullNumber(size_t step) { return static_cast<uint16_t>(2 * step + 1); }
constexpr uint16_t EmptyNumber(size_t step) { return static_cast<uint16_t>(2 * step + 2); }

// For each byte of a validity bitmap: 0xFFFF where the bit is 0.
constexpr auto kNullMasks = [] {
  std::array<std::array<uint16_t, 8>, 256> masks{};
  for (size_t byte = 0; byte < 256; ++byte) {
    for (size_t bit = 0; bit < 8; ++bit) masks[byte][bit] = (byte >> bit & 1) ? 0 : 0xFFFF;
  }
  return masks;
}();

// levels[i] = number where the bit is 0, else 0.
void ExpandNulls(const uint8_t* bits, int64_t offset, int64_t length, uint16_t number,
                 uint16_t* levels) {
  int64_t i = 0;
  for (; i < length && (offset + i) % 8 != 0; ++i) {
    levels[i] = arrow::bit_util::GetBit(bits, offset + i) ? 0 : number;
  }
  for (; i + 8 <= length; i += 8) {
    const auto& mask = kNullMasks[bits[(offset + i) / 8]];
    for (int k = 0; k < 8; ++k) levels[i + k] = mask[k] & number;
  }
  for (; i < length; ++i) levels[i] = arrow::bit_util::GetBit(bits, offset + i) ? 0 : number;
}

class Shredder {
 public:
  Shredder(const LeafPath& path, arrow::MemoryPool* pool) : path_(path), pool_(pool) {
    info_.resize(path.steps.size());
    for (const PathStep& step : path.steps) out_.max_repetition += HasLevels(step) ? 1 : 0;
    next_repetition_ = out_.max_repetition;
  }

  Result<ShreddedRows> Run(std::span<const std::shared_ptr<arrow::ArrayData>> arrays) {
    for (const auto& array : arrays) {
      Append(&slices_, array.get(), array->offset, array->length);
      out_.num_rows += static_cast<uint64_t>(array->length);
    }
    out_.num_items = out_.num_rows;
    for (size_t step = 0; step < path_.steps.size(); ++step) {
      info_[step].is_list = IsList(path_.steps[step].kind);
      switch (path_.steps[step].kind) {
        case StepKind::kStruct:
          ARROW_RETURN_NOT_OK(ItemLayer(step));
          DescendStruct(path_.steps[step].child);
          break;
        case StepKind::kFixedSizeList:
          ARROW_RETURN_NOT_OK(ItemLayer(step));
          ARROW_RETURN_NOT_OK(ExpandFixedSizeLists(path_.steps[step]));
          break;
        case StepKind::kList:
          ARROW_RETURN_NOT_OK(ListLayer<int32_t>(step));
          break;
        case StepKind::kLargeList:
          ARROW_RETURN_NOT_OK(ListLayer<int64_t>(step));
          break;
        case StepKind::kLeaf:
          ARROW_RETURN_NOT_OK(ItemLayer(step));
          break;
      }
    }
    Finish();
    return std::move(out_);
  }

 private:
  // Fixed-size lists need repetition levels only beside other lists.
  bool HasLevels(const PathStep& step) const {
    return IsList(step.kind) || (step.kind == StepKind::kFixedSizeList && path_.structure_apart);
  }

  static void Append(std::vector<LeafSlice>* slices, const arrow::ArrayData* array, int64_t offset,
                     int64_t length) {
    if (length == 0) return;
    if (!slices->empty()) {
      LeafSlice& last = slices->back();
      if (last.array == array && last.offset + last.length == offset) {
        last.length += length;
        return;
      }
    }
    slices->push_back({array, offset, length});
  }

  // Items that own no slot: nothing below a list layer that made them touches them again.
  bool IsSpecial(uint16_t definition) const {
    return definition != 0 && definition <= last_special_;
  }

  Status MaterializeDefinition() {
    if (has_definition_) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(definition_, Levels::Allocate(out_.num_items, pool_));
    std::memset(definition_.data(), 0, out_.num_items * sizeof(uint16_t));
    has_definition_ = true;
    return Status::OK();
  }

  static const uint8_t* ValidityBits(const LeafSlice& slice) {
    if (slice.array->buffers.empty() || slice.array->buffers[0] == nullptr) return nullptr;
    return slice.array->buffers[0]->data();
  }

  static bool HasNulls(const LeafSlice& slice) {
    const uint8_t* bits = ValidityBits(slice);
    if (bits == nullptr) return false;
    if (slice.array->null_count.load() == 0 && slice.offset >= slice.array->offset &&
        slice.offset + slice.length <= slice.array->offset + slice.array->length) {
      return false;
    }
    return arrow::internal::CountSetBits(bits, slice.offset, slice.length) != slice.length;
  }

  bool AllSlotsAreNull(size_t step) const {
    return path_.steps[step].kind == StepKind::kLeaf && path_.type->id() == arrow::Type::NA;
  }

  Status ItemLayer(size_t step) {
    const bool all_null = AllSlotsAreNull(step);
    const bool any = all_null || std::any_of(slices_.begin(), slices_.end(), HasNulls);
    if (!any) return Status::OK();
    const bool fresh = !has_definition_;
    if (fresh && !all_null) return FreshItemLayer(step);
    ARROW_RETURN_NOT_OK(MaterializeDefinition());
    const uint16_t number = NullNumber(step);
    uint16_t* definition = definition_.data();
    bool seen = false;
    uint64_t item = 0;
    for (const LeafSlice& slice : slices_) {
      const uint8_t* bits = all_null ? nullptr : ValidityBits(slice);
      for (int64_t i = 0; i < slice.length; ++i, ++item) {
        while (IsSpecial(definition[item])) ++item;
        const bool null =
            all_null || (bits != nullptr && !arrow::bit_util::GetBit(bits, slice.offset + i));
        if (null && definition[item] == 0) {
          definition[item] = number;
          seen = true;
        }
      }
    }
    info_[step].has_nulls = seen;
    return Status::OK();
  }

  // Without definition levels so far, items and slots run in step.
  Status FreshItemLayer(size_t step) {
    ARROW_ASSIGN_OR_RAISE(definition_, Levels::Allocate(out_.num_items, pool_));
    has_definition_ = true;
    uint16_t* definition = definition_.data();
    for (const LeafSlice& slice : slices_) {
      if (HasNulls(slice)) {
        ExpandNulls(ValidityBits(slice), slice.offset, slice.length, NullNumber(step), definition);
      } else {
        std::memset(definition, 0, static_cast<size_t>(slice.length) * sizeof(uint16_t));
      }
      definition += slice.length;
    }
    info_[step].has_nulls = true;
    return Status::OK();
  }

  void DescendStruct(int child) {
    std::vector<LeafSlice> below;
    for (const LeafSlice& slice : slices_) {
      const arrow::ArrayData* array = slice.array->child_data[static_cast<size_t>(child)].get();
      Append(&below, array, array->offset + slice.offset, slice.length);
    }
    slices_ = std::move(below);
  }

  Status ExpandFixedSizeLists(const PathStep& step) {
    const uint32_t dimension = step.dimension;
    uint64_t lists = 0;
    std::vector<LeafSlice> below;
    for (const LeafSlice& slice : slices_) {
      const arrow::ArrayData* array = slice.array->child_data[0].get();
      Append(&below, array, array->offset + slice.offset * dimension, slice.length * dimension);
      lists += static_cast<uint64_t>(slice.length);
    }
    slices_ = std::move(below);
    return HasLevels(step) ? RepeatWithLevels(lists, dimension) : Repeat(dimension);
  }

  // A null list has its items, too.
  Status RepeatWithLevels(uint64_t lists, uint32_t dimension) {
    const uint64_t count = out_.num_items - lists + lists * dimension;
    ARROW_ASSIGN_OR_RAISE(Levels repetition, Levels::Allocate(count, pool_));
    std::memset(repetition.data(), 0, count * sizeof(uint16_t));
    Levels definition;
    if (has_definition_) {
      ARROW_ASSIGN_OR_RAISE(definition, Levels::Allocate(count, pool_));
    }
    uint64_t made = 0;
    for (uint64_t item = 0; item < out_.num_items; ++item) {
      const bool special = has_definition_ && IsSpecial(definition_[item]);
      const uint32_t copies = special ? 1 : dimension;
      repetition[made] = special ? repetition_[item] : StartLevel(item);
      if (has_definition_) std::fill_n(definition.data() + made, copies, definition_[item]);
      made += copies;
    }
    repetition_ = std::move(repetition);
    definition_ = std::move(definition);
    out_.num_items = count;
    --next_repetition_;
    return Status::OK();
  }

  // Without lists every item owns a slot.
  Status Repeat(uint32_t dimension) {
    const uint64_t count = out_.num_items;
    out_.num_items *= dimension;
    if (!has_definition_) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(Levels repeated, Levels::Allocate(out_.num_items, pool_));
    uint16_t* to = repeated.data();
    for (uint64_t i = 0; i < count; ++i, to += dimension) {
      std::fill_n(to, dimension, definition_[i]);
    }
    definition_ = std::move(repeated);
    return Status::OK();
  }

  template <typename Offset>
  static const Offset* OffsetsOf(const arrow::ArrayData& array) {
    return reinterpret_cast<const Offset*>(array.buffers[1]->data());
  }

  template <typename Offset>
  static bool HasEmptySlots(const LeafSlice& slice) {
    const Offset* offsets = OffsetsOf<Offset>(*slice.array) + slice.offset;
    uint32_t empty = 0;
    for (int64_t i = 0; i < slice.length; ++i) empty |= offsets[i] == offsets[i + 1] ? 1 : 0;
    return empty != 0;
  }

  template <typename Offset>
  Status ListLayer(size_t step) {
    bool specials = has_definition_;
    uint64_t children = 0;
    for (const LeafSlice& slice : slices_) {
      const Offset* offsets = OffsetsOf<Offset>(*slice.array) + slice.offset;
      children += static_cast<uint64_t>(offsets[slice.length] - offsets[0]);
      specials = specials || HasNulls(slice) || HasEmptySlots<Offset>(slice);
    }
    const uint64_t capacity = out_.num_items + children;
    ARROW_ASSIGN_OR_RAISE(Levels repetition, Levels::Allocate(capacity, pool_));
    std::memset(repetition.data(), 0, capacity * sizeof(uint16_t));
    Levels definition;
    if (specials) {
      ARROW_ASSIGN_OR_RAISE(definition, Levels::Allocate(capacity, pool_));
      std::memset(definition.data(), 0, capacity * sizeof(uint16_t));
    }
    const uint64_t made = specials ? ExpandLists<Offset>(step, repetition.data(), definition.data())
                                   : ExpandFullLists<Offset>(repetition.data());
    repetition.set_size(made);
    if (specials) definition.set_size(made);
    repetition_ = std::move(repetition);
    definition_ = std::move(definition);
    has_definition_ = specials;
    out_.num_items = made;
    last_special_ = EmptyNumber(step);
    --next_repetition_;
    return Status::OK();
  }

  uint16_t StartLevel(uint64_t item) const {
    const uint16_t outer = repetition_.empty() ? uint16_t{0} : repetition_[item];
    return outer != 0 ? outer : next_repetition_;
  }

  // No list is null or empty and nothing above is null.
  template <typename Offset>
  uint64_t ExpandFullLists(uint16_t* repetition) {
    std::vector<LeafSlice> below;
    uint64_t item = 0;
    uint64_t made = 0;
    for (const LeafSlice& slice : slices_) {
      const Offset* offsets = OffsetsOf<Offset>(*slice.array) + slice.offset;
      for (int64_t i = 0; i < slice.length; ++i, ++item) {
        repetition[made] = StartLevel(item);
        made += static_cast<uint64_t>(offsets[i + 1] - offsets[i]);
      }
      const arrow::ArrayData* array = slice.array->child_data[0].get();
      Append(&below, array, array->offset + offsets[0], offsets[slice.length] - offsets[0]);
    }
    slices_ = std::move(below);
    return made;
  }

  template <typename Offset>
  uint64_t ExpandLists(size_t step, uint16_t* repetition, uint16_t* definition) {
    std::vector<LeafSlice> below;
    LayerInfo& info = info_[step];
    uint64_t item = 0;
    uint64_t made = 0;
    auto outer_definition = [&] { return has_definition_ ? definition_[item] : uint16_t{0}; };
    auto copy_specials = [&] {
      for (; item < out_.num_items && IsSpecial(outer_definition()); ++item, ++made) {
        repetition[made] = repetition_.empty() ? uint16_t{0} : repetition_[item];
        definition[made] = definition_[item];
      }
    };
    for (const LeafSlice& slice : slices_) {
      const Offset* offsets = OffsetsOf<Offset>(*slice.array) + slice.offset;
      const uint8_t* bits = ValidityBits(slice);
      const arrow::ArrayData* array = slice.array->child_data[0].get();
      for (int64_t i = 0; i < slice.length; ++i, ++item) {
        copy_specials();
        repetition[made] = StartLevel(item);
        const Offset length = offsets[i + 1] - offsets[i];
        if (const uint16_t outer = outer_definition(); outer != 0) {
          definition[made++] = outer;
        } else if (bits != nullptr && !arrow::bit_util::GetBit(bits, slice.offset + i)) {
          definition[made++] = NullNumber(step);
          info.has_nulls = true;
        } else if (length == 0) {
          definition[made++] = EmptyNumber(step);
          info.has_empty = true;
        } else {
          made += static_cast<uint64_t>(length);
          Append(&below, array, array->offset + offsets[i], length);
        }
      }
    }
    copy_specials();
    slices_ = std::move(below);
    return made;
  }

  // Replaces the provisional numbers by those of the format: from the innermost layer outwards,
  // only for what occurs; of a list first null, then empty.
  void Finish() {
    std::vector<uint16_t> final_number(2 * path_.steps.size() + 1, 0);
    bool null_above = false;
    bool null_since_list = false;
    for (LayerInfo& info : info_) {
      info.null_above = info.is_list ? null_above : null_since_list;
      null_above = null_above || info.has_nulls;
      null_since_list = !info.is_list && (null_since_list || info.has_nulls);
    }
    uint16_t next = 1;
    bool below_lists = true;
    for (size_t step = path_.steps.size(); step-- > 0;) {
      const LayerInfo& info = info_[step];
      if (info.is_list) below_lists = false;
      if (info.declared_nullable()) final_number[NullNumber(step)] = next++;
      if (info.has_empty) final_number[EmptyNumber(step)] = next++;
      if (below_lists) out_.max_visible_definition = static_cast<uint16_t>(next - 1);
      out_.layers.push_back(info);
    }
    out_.max_definition = static_cast<uint16_t>(next - 1);
    if (out_.max_definition > 0) {
      Renumber(final_number);
      definition_.set_size(out_.num_items);
      out_.definition = std::move(definition_);
    }
    out_.repetition = std::move(repetition_);
    for (const LeafSlice& slice : slices_) out_.num_values += static_cast<uint64_t>(slice.length);
    out_.leaves = std::move(slices_);
  }

  void Renumber(const std::vector<uint16_t>& final_number) {
    bool same = true;
    for (size_t i = 0; i < final_number.size(); ++i) {
      same = same && (final_number[i] == 0 || final_number[i] == i);
    }
    if (same) return;
    uint16_t* definition = definition_.data();
    const uint16_t* table = final_number.data();
    for (uint64_t i = 0; i < out_.num_items; ++i) definition[i] = table[definition[i]];
  }

  const LeafPath& path_;
  arrow::MemoryPool* const pool_;
  ShreddedRows out_;
  // By step, outermost first.
  std::vector<LayerInfo> info_;
  // The slots of the items that own one, in the arrays of the layer reached.
  std::vector<LeafSlice> slices_;
  Levels repetition_;
  Levels definition_;
  bool has_definition_ = false;
  uint16_t last_special_ = 0;
  uint16_t next_repetition_ = 0;
};

}  // namespace

Result<ShreddedRows> Shred(const LeafPath& path,
                           std::span<const std::shared_ptr<arrow::ArrayData>> arrays,
                           arrow::MemoryPool* pool) {
  return Shredder(path, pool).Run(arrays);
}

}  // namespace lance::encoding
