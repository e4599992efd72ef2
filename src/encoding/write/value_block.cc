#include "encoding/write/value_block.h"

#include <cstring>
#include <utility>

#include "arrow/array/data.h"
#include "arrow/buffer.h"
#include "arrow/type.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "base/byte_reader.h"
#include "encoding/write/only_nulls.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

using arrow::bit_util::GetBit;

class Gatherer {
 public:
  Gatherer(const ShreddedRows& rows, const std::vector<LeafSlice>& leaves, arrow::MemoryPool* pool,
           LeafBlock* out)
      : rows_(rows), leaves_(leaves), pool_(pool), out_(out) {}

  Status Fixed(uint64_t bits) { return Fixed(bits, leaves_); }

  Status Fixed(uint64_t bits, const std::vector<LeafSlice>& slices) {
    uint64_t count = 0;
    for (const LeafSlice& slice : slices) count += static_cast<uint64_t>(slice.length);
    out_->fixed.bits = bits;
    out_->fixed.count = count;
    if (slices.size() == 1 && static_cast<uint64_t>(slices[0].offset) * bits % 8 == 0) {
      const auto& buffer = slices[0].array->buffers[1];
      const uint8_t* data = buffer == nullptr ? nullptr : buffer->data();
      if (data != nullptr) {
        out_->fixed.data = data + static_cast<uint64_t>(slices[0].offset) * bits / 8;
        return Status::OK();
      }
    }
    ARROW_ASSIGN_OR_RAISE(uint8_t * to, Own((count * bits + 7) / 8));
    out_->fixed.data = to;
    if (bits % 8 == 0) {
      const uint64_t width = bits / 8;
      for (const LeafSlice& slice : slices) {
        const uint64_t size = static_cast<uint64_t>(slice.length) * width;
        std::memcpy(to, BufferData(slice, 1) + static_cast<uint64_t>(slice.offset) * width, size);
        to += size;
      }
      return Status::OK();
    }
    CopyBits(slices, 1, to);
    return Status::OK();
  }

  template <typename Offset>
  Status Variable(uint32_t offset_bits) {
    VariableBlock& block = out_->variable;
    block.count = rows_.num_values;
    block.offset_bits = offset_bits;
    if (leaves_.size() == 1 && !HasBytesUnderNulls<Offset>()) {
      const LeafSlice& slice = leaves_[0];
      block.offsets = BufferData(slice, 1) + static_cast<uint64_t>(slice.offset) * sizeof(Offset);
      block.bytes = BufferData(slice, 2);
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(uint8_t * offsets, Own((block.count + 1) * sizeof(Offset)));
    uint64_t total = 0;
    for (const LeafSlice& slice : leaves_) {
      const Offset* from = OffsetsOf<Offset>(slice);
      total += from[slice.length] - from[0];
    }
    ARROW_ASSIGN_OR_RAISE(uint8_t * bytes, Own(total));
    block.offsets = offsets;
    block.bytes = bytes;
    CopyStrings(reinterpret_cast<Offset*>(offsets), bytes);
    return Status::OK();
  }

  Status FixedSizeList(const arrow::DataType& type) {
    const bool only_nulls = IsListWithoutWidth(type);
    const arrow::DataType* level = &type;
    std::vector<LeafSlice> slices = leaves_;
    bool first = true;
    while (level->id() == arrow::Type::FIXED_SIZE_LIST) {
      const auto& list = static_cast<const arrow::FixedSizeListType&>(*level);
      const int64_t dimension = list.list_size();
      std::vector<LeafSlice> below;
      for (const LeafSlice& slice : slices) {
        const arrow::ArrayData* child = slice.array->child_data[0].get();
        below.push_back(
            {child, child->offset + slice.offset * dimension, slice.length * dimension});
      }
      ListDimension out;
      out.size = static_cast<uint64_t>(dimension);
      level = list.value_type().get();
      if (only_nulls && level->id() != arrow::Type::FIXED_SIZE_LIST) {
        return AddNullItems(below, out);
      }
      ARROW_RETURN_NOT_OK(AddValidity(below, first, &out));
      out_->dimensions.push_back(out);
      slices = std::move(below);
      first = false;
    }
    return Fixed(static_cast<uint64_t>(level->bit_width()), slices);
  }

 private:
  static const uint8_t* BufferData(const LeafSlice& slice, size_t index) {
    const auto& buffer = slice.array->buffers[index];
    return buffer == nullptr ? nullptr : buffer->data();
  }

  template <typename Offset>
  static const Offset* OffsetsOf(const LeafSlice& slice) {
    return reinterpret_cast<const Offset*>(BufferData(slice, 1)) + slice.offset;
  }

  Result<uint8_t*> Own(uint64_t size) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(static_cast<int64_t>(size), pool_));
    out_->owned.push_back(buffer);
    return buffer->mutable_data();
  }

  static void CopyBits(const std::vector<LeafSlice>& slices, size_t buffer, uint8_t* to) {
    int64_t done = 0;
    for (const LeafSlice& slice : slices) {
      if (const uint8_t* bits = BufferData(slice, buffer)) {
        arrow::internal::CopyBitmap(bits, slice.offset, slice.length, to, done);
      } else {
        arrow::bit_util::SetBitsTo(to, done, slice.length, true);
      }
      done += slice.length;
    }
    arrow::bit_util::SetBitsTo(to, done, (8 - done % 8) % 8, false);
  }

  template <typename Offset>
  bool HasBytesUnderNulls() const {
    const Offset* offsets = OffsetsOf<Offset>(leaves_[0]);
    bool found = false;
    ForEachNullLeaf(rows_, [&](uint64_t slot) { found |= offsets[slot] != offsets[slot + 1]; });
    return found;
  }

  // Visits runs of slots of one slice: (slice, first slot in it, count, whether they are null).
  template <typename Visit>
  void ForEachRun(Visit&& visit) const {
    uint64_t item = 0;
    const bool nulls = rows_.has_null_leaves();
    for (const LeafSlice& slice : leaves_) {
      int64_t start = 0;
      bool null = false;
      for (int64_t i = 0; nulls && i < slice.length; ++i, ++item) {
        while (!rows_.is_visible(item)) ++item;
        const bool now = rows_.definition[item] != 0;
        if (now == null) continue;
        if (i > start) visit(slice, start, i - start, null);
        start = i;
        null = now;
      }
      if (slice.length > start) visit(slice, start, slice.length - start, null);
    }
  }

  template <typename Offset>
  void CopyStrings(Offset* offsets, uint8_t* bytes) const {
    Offset at = 0;
    ForEachRun([&](const LeafSlice& slice, int64_t first, int64_t count, bool null) {
      const Offset* from = OffsetsOf<Offset>(slice) + first;
      if (null) {
        for (int64_t i = 0; i < count; ++i) *offsets++ = at;
        return;
      }
      const Offset shift = at - from[0];
      for (int64_t i = 0; i < count; ++i) *offsets++ = from[i] + shift;
      const Offset size = from[count] - from[0];
      if (size > 0) std::memcpy(bytes + at, BufferData(slice, 2) + from[0], size);
      at += size;
    });
    *offsets = at;
  }

  Status AddNullItems(const std::vector<LeafSlice>& items, ListDimension dimension) {
    uint64_t count = 0;
    for (const LeafSlice& slice : items) count += static_cast<uint64_t>(slice.length);
    ARROW_ASSIGN_OR_RAISE(uint8_t * bits, Own((count + 7) / 8));
    std::memset(bits, 0, (count + 7) / 8);
    dimension.child_validity = bits;
    dimension.all_null = true;
    out_->dimensions.push_back(dimension);
    return Status::OK();
  }

  // Validity of the children of one level, unless all children that matter are valid. The children
  // of a null list don't matter (known for the outermost level only).
  Status AddValidity(const std::vector<LeafSlice>& children, bool outermost, ListDimension* out) {
    int64_t total = 0;
    int64_t valid = 0;
    for (const LeafSlice& slice : children) {
      const uint8_t* bits = BufferData(slice, 0);
      total += slice.length;
      valid += bits == nullptr || slice.array->null_count.load() == 0
                   ? slice.length
                   : arrow::internal::CountSetBits(bits, slice.offset, slice.length);
    }
    if (valid == total) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(uint8_t * bits, Own(static_cast<uint64_t>(total + 7) / 8));
    CopyBits(children, 0, bits);
    out->child_validity = bits;
    out->all_null = valid == 0;
    if (!outermost || out->all_null) return Status::OK();
    const auto size = static_cast<int64_t>(out->size);
    ForEachNullLeaf(rows_, [&](uint64_t slot) {
      arrow::bit_util::SetBitsTo(bits, static_cast<int64_t>(slot) * size, size, true);
    });
    if (arrow::internal::CountSetBits(bits, 0, total) == total) out->child_validity = nullptr;
    return Status::OK();
  }

  const ShreddedRows& rows_;
  const std::vector<LeafSlice>& leaves_;
  arrow::MemoryPool* const pool_;
  LeafBlock* const out_;
};

}  // namespace

uint64_t LongestString(const VariableBlock& block) {
  uint64_t longest = 0;
  for (uint64_t i = 1; i < block.count; ++i) {
    if (block.length(i) > block.length(longest)) longest = i;
  }
  return longest;
}

std::string FixedBlock::value_bytes(uint64_t index) const {
  if (bits == 1) return std::string(1, GetBit(data, static_cast<int64_t>(index)) ? 1 : 0);
  return std::string(AsText({data + index * width(), width()}));
}

uint64_t LeafBlock::items_per_list() const {
  uint64_t items = 1;
  for (const ListDimension& dimension : dimensions) items *= dimension.size;
  return items;
}

namespace {

Result<LeafBlock> Gather(const arrow::DataType& type, const ShreddedRows& rows,
                         const std::vector<LeafSlice>& leaves, arrow::MemoryPool* pool) {
  LeafBlock block;
  block.count = rows.num_values;
  Gatherer gatherer(rows, leaves, pool, &block);
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      block.kind = LeafBlock::Kind::kVariable;
      ARROW_RETURN_NOT_OK(gatherer.Variable<uint32_t>(32));
      return block;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      block.kind = LeafBlock::Kind::kVariable;
      ARROW_RETURN_NOT_OK(gatherer.Variable<uint64_t>(64));
      return block;
    case arrow::Type::FIXED_SIZE_LIST:
      block.kind = LeafBlock::Kind::kFixedSizeList;
      ARROW_RETURN_NOT_OK(gatherer.FixedSizeList(type));
      return block;
    case arrow::Type::DICTIONARY: {
      const auto& index = static_cast<const arrow::DictionaryType&>(type).index_type();
      ARROW_RETURN_NOT_OK(gatherer.Fixed(static_cast<uint64_t>(index->bit_width())));
      return block;
    }
    default:
      ARROW_RETURN_NOT_OK(gatherer.Fixed(static_cast<uint64_t>(type.bit_width())));
      return block;
  }
}

}  // namespace

Result<LeafBlock> GatherLeaves(const arrow::DataType& type, const ShreddedRows& rows,
                               arrow::MemoryPool* pool) {
  return Gather(type, rows, rows.leaves, pool);
}

Result<LeafBlock> GatherMember(const arrow::DataType& type, size_t member, const ShreddedRows& rows,
                               arrow::MemoryPool* pool) {
  std::vector<LeafSlice> slices;
  for (const LeafSlice& slice : rows.leaves) {
    const arrow::ArrayData* array = slice.array->child_data[member].get();
    slices.push_back({array, array->offset + slice.offset, slice.length});
  }
  return Gather(type, rows, slices, pool);
}

}  // namespace lance::encoding
