#include "encoding/write/array_page.h"

#include <utility>

#include "arrow/array/data.h"
#include "arrow/buffer.h"
#include "arrow/type.h"
#include "base/byte_reader.h"
#include "encoding/write/array_tree.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/packed_rows.h"
#include "encoding/write/scratch_array.h"
#include "encoding/write/shredder.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {
namespace {

using encodings::ArrayEncoding;
using Arrays = std::vector<std::shared_ptr<arrow::ArrayData>>;

class ArrayPageEncoder {
 public:
  ArrayPageEncoder(const LeafPath& path, arrow::MemoryPool* pool) : path_(path), pool_(pool) {}

  Status Encode(Arrays arrays) {
    ARROW_ASSIGN_OR_RAISE(ShreddedRows rows, Shred(path_, arrays, pool_));
    ARROW_ASSIGN_OR_RAISE(SlotNulls nulls, SlotNulls::Of(rows, pool_));
    ArrayTree tree(pool_);
    ArrayEncoding encoding;
    if (path_.type->id() == arrow::Type::DICTIONARY && rows.num_values > 0) {
      ARROW_ASSIGN_OR_RAISE(LeafBlock keys, GatherLeaves(*path_.type, rows, pool_));
      ARROW_ASSIGN_OR_RAISE(auto dictionary, UnifyDictionaries(*path_.type, keys, rows, pool_));
      if (!dictionary) return EncodeHalves(arrays);
      const auto& type = static_cast<const arrow::DictionaryType&>(*path_.type);
      ARROW_RETURN_NOT_OK(tree.AddDictionary(*dictionary, *type.index_type(), nulls, &encoding));
    } else {
      ARROW_RETURN_NOT_OK(EncodeColumn(rows, nulls, &tree, &encoding));
    }
    EncodedPage& page = tree.page();
    page.num_rows = page.length = rows.num_values;
    page.arrays = std::move(arrays);
    page.description = std::move(encoding);
    pages_.push_back(std::move(page));
    return Status::OK();
  }

  std::vector<EncodedPage> TakePages() { return std::move(pages_); }

 private:
  Status EncodeHalves(const Arrays& arrays) {
    if (arrays.size() < 2) return Unsupported("dictionary has too many items for its keys");
    const auto middle = arrays.begin() + static_cast<ptrdiff_t>(arrays.size() / 2);
    ARROW_RETURN_NOT_OK(Encode(Arrays(arrays.begin(), middle)));
    return Encode(Arrays(middle, arrays.end()));
  }

  Status EncodeColumn(const ShreddedRows& rows, const SlotNulls& nulls, ArrayTree* tree,
                      ArrayEncoding* out) {
    if (path_.is_list()) return EncodeLists(rows, nulls, tree, out);
    if (path_.is_packed_struct()) return EncodePacked(rows, nulls, tree, out);
    // Without rows there is no dictionary to be had.
    const bool nothing = path_.type->id() == arrow::Type::DICTIONARY;
    if (nothing || path_.type->id() == arrow::Type::NA) {
      out->mutable_nullable()->mutable_all_nulls();
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(LeafBlock block, GatherLeaves(*path_.type, rows, pool_));
    tree->Keep(block.owned);
    if (nulls.count == block.count && block.count > 0) {
      out->mutable_nullable()->mutable_all_nulls();
      return Status::OK();
    }
    if (block.kind != LeafBlock::Kind::kVariable) {
      tree->AddFixed(block, nulls, out);
      return Status::OK();
    }
    if (path_.type->id() == arrow::Type::STRING) {
      ARROW_ASSIGN_OR_RAISE(const bool done, tree->AddFewStrings(block.variable, nulls, out));
      if (done) return Status::OK();
    }
    return tree->AddStrings(block.variable, nulls, path_.hints, out);
  }

  template <typename Offset>
  static uint64_t* AppendEnds(const LeafSlice& slice, uint64_t* items, uint64_t* out) {
    const auto* offsets =
        reinterpret_cast<const Offset*>(slice.array->buffers[1]->data()) + slice.offset;
    const uint8_t* bits =
        slice.array->buffers[0] == nullptr ? nullptr : slice.array->buffers[0]->data();
    for (int64_t i = 0; i < slice.length; ++i) {
      const bool valid = bits == nullptr || arrow::bit_util::GetBit(bits, slice.offset + i);
      if (valid) *items += static_cast<uint64_t>(offsets[i + 1] - offsets[i]);
      *out++ = *items;
    }
    return out;
  }

  // Where lists end among the items of this page; those of nulls are marked by an adjustment.
  Status EncodeLists(const ShreddedRows& rows, const SlotNulls& nulls, ArrayTree* tree,
                     ArrayEncoding* out) const {
    ARROW_ASSIGN_OR_RAISE(auto ends, ScratchArray<uint64_t>::Allocate(rows.num_values, pool_));
    uint64_t items = 0;
    uint64_t* at = ends.data();
    for (const LeafSlice& slice : rows.leaves) {
      at = path_.type->id() == arrow::Type::LIST ? AppendEnds<int32_t>(slice, &items, at)
                                                 : AppendEnds<int64_t>(slice, &items, at);
    }
    auto* list = out->mutable_list();
    list->set_num_items(items);
    list->set_null_offset_adjustment(items + 1);
    for (uint64_t i = 0; nulls.count > 0 && i < ends.size(); ++i) {
      if (nulls.is_null(i)) ends[i] += items + 1;
    }
    constexpr uint64_t kWordBits = 64;
    tree->AddFlat(kWordBits, ends.buffer(), ArrayTree::NoNulls(list->mutable_offsets()));
    return Status::OK();
  }

  // One buffer with the members of a row side by side.
  Status EncodePacked(const ShreddedRows& rows, const SlotNulls& nulls, ArrayTree* tree,
                      ArrayEncoding* out) const {
    std::vector<LeafBlock> members;
    for (size_t i = 0; i < path_.members.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(LeafBlock member, GatherMember(*path_.members[i].type, i, rows, pool_));
      ARROW_RETURN_NOT_OK(DescribeMember(i, member, out->mutable_packed_struct()));
      members.push_back(std::move(member));
    }
    ARROW_ASSIGN_OR_RAISE(PackedRows packed, PackedRows::Make(members, rows.num_values, pool_));
    if (path_.is_blob) MarkNullBlobs(nulls, rows.num_values, packed.bytes.data());
    out->mutable_packed_struct()->mutable_buffer()->set_buffer_index(0);
    tree->page().buffers.push_back(packed.bytes.buffer());
    return Status::OK();
  }

  Status DescribeMember(size_t index, const LeafBlock& member, encodings::PackedStruct* out) const {
    ArrayEncoding* values = ArrayTree::NoNulls(out->add_inner());
    for (const ListDimension& dimension : member.dimensions) {
      if (dimension.child_validity != nullptr || dimension.all_null) {
        return UserError("null in a packed struct, whose members have no place for nulls: field '",
                         path_.members[index].name(), "'; fill the nulls");
      }
      auto* list = values->mutable_fixed_size_list();
      list->set_dimension(static_cast<uint32_t>(dimension.size));
      values = ArrayTree::NoNulls(list->mutable_items());
    }
    values->mutable_flat()->set_bits_per_value(member.fixed.bits);
    values->mutable_flat()->mutable_buffer()->set_buffer_index(0);
    return Status::OK();
  }

  // Position 1, size 0: readers can tell it from an empty value at 0.
  static void MarkNullBlobs(const SlotNulls& nulls, uint64_t count, uint8_t* places) {
    constexpr uint64_t kPlaceBytes = 2 * sizeof(uint64_t);
    for (uint64_t i = 0; i < count; ++i) {
      if (!nulls.is_null(i)) continue;
      StoreLittleEndian(uint64_t{1}, places + i * kPlaceBytes);
      StoreLittleEndian(uint64_t{0}, places + i * kPlaceBytes + sizeof(uint64_t));
    }
  }

  const LeafPath& path_;
  arrow::MemoryPool* const pool_;
  std::vector<EncodedPage> pages_;
};

}  // namespace

Result<std::vector<EncodedPage>> EncodeArrayPages(
    const LeafPath& path, std::span<const std::shared_ptr<arrow::ArrayData>> arrays,
    arrow::MemoryPool* pool) {
  ArrayPageEncoder encoder(path, pool);
  ARROW_RETURN_NOT_OK(encoder.Encode(Arrays(arrays.begin(), arrays.end())));
  return encoder.TakePages();
}

EncodedPage StructHeaderPage(uint64_t count) {
  EncodedPage page;
  page.num_rows = page.length = count;
  ArrayEncoding encoding;
  encoding.mutable_simple_struct();
  page.description = std::move(encoding);
  return page;
}

}  // namespace lance::encoding
