#include "encoding/write/array_page.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/array/data.h"
#include "arrow/buffer.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "arrow/util/bit_util.h"
#include "base/byte_reader.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/general_scheme.h"
#include "encoding/write/scratch_array.h"
#include "encoding/write/shredder.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {
namespace {

using encodings::ArrayEncoding;
using Arrays = std::vector<std::shared_ptr<arrow::ArrayData>>;
using Kind = LeafBlock::Kind;

constexpr uint64_t kWordBits = 64;
constexpr uint64_t kByteBits = 8;
/// Strings with fewer distinct values than this, in no fewer rows, are stored as a dictionary
/// (spec/file-format.md §9.6).
constexpr uint64_t kDictionaryThreshold = 100;

/// Which slots of a page are null.
struct Nulls {
  /// One bit a slot, set if it is valid; null if all are.
  std::shared_ptr<arrow::Buffer> validity;
  uint64_t count = 0;

  bool is_null(uint64_t slot) const {
    return validity != nullptr &&
           !arrow::bit_util::GetBit(validity->data(), static_cast<int64_t>(slot));
  }
};

Result<Nulls> NullsOf(const ShreddedRows& rows, arrow::MemoryPool* pool) {
  Nulls nulls;
  ForEachNullLeaf(rows, [&](uint64_t) { ++nulls.count; });
  if (nulls.count == 0) return nulls;
  const auto bits = static_cast<int64_t>(rows.num_values);
  ARROW_ASSIGN_OR_RAISE(auto bitmap,
                        ScratchArray<uint8_t>::Allocate(
                            static_cast<uint64_t>(arrow::bit_util::BytesForBits(bits)), pool));
  std::fill_n(bitmap.data(), bitmap.size(), uint8_t{0});
  arrow::bit_util::SetBitsTo(bitmap.data(), 0, bits, true);
  ForEachNullLeaf(rows, [&](uint64_t slot) {
    arrow::bit_util::ClearBit(bitmap.data(), static_cast<int64_t>(slot));
  });
  nulls.validity = bitmap.buffer();
  return nulls;
}

std::shared_ptr<arrow::Buffer> View(const uint8_t* data, uint64_t size) {
  return std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size));
}

/// Builds the tree of one page. Buffers are numbered in the order in which they are added.
class ArrayPageEncoder {
 public:
  ArrayPageEncoder(const LeafPath& path, arrow::MemoryPool* pool) : path_(path), pool_(pool) {}

  Status Encode(Arrays arrays) {
    ARROW_ASSIGN_OR_RAISE(ShreddedRows rows, Shred(path_, arrays, pool_));
    ARROW_ASSIGN_OR_RAISE(Nulls nulls, NullsOf(rows, pool_));
    page_ = EncodedPage();
    ArrayEncoding encoding;
    if (path_.type->id() == arrow::Type::DICTIONARY && rows.num_values > 0) {
      ARROW_ASSIGN_OR_RAISE(LeafBlock keys, GatherLeaves(*path_.type, rows, pool_));
      ARROW_ASSIGN_OR_RAISE(auto dictionary, UnifyDictionaries(*path_.type, keys, rows, pool_));
      if (!dictionary) return EncodeHalves(arrays);
      ARROW_RETURN_NOT_OK(EncodeDictionary(*dictionary, nulls, &encoding));
    } else {
      ARROW_RETURN_NOT_OK(EncodeColumn(rows, nulls, &encoding));
    }
    page_.num_rows = page_.length = rows.num_values;
    page_.arrays = std::move(arrays);
    page_.description = std::move(encoding);
    pages_.push_back(std::move(page_));
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

  Status EncodeColumn(const ShreddedRows& rows, const Nulls& nulls, ArrayEncoding* out) {
    if (path_.is_list()) return EncodeLists(rows, nulls, out);
    if (path_.is_packed_struct()) return EncodePacked(rows, nulls, out);
    // Without rows there is no dictionary to be had.
    const bool nothing = path_.type->id() == arrow::Type::DICTIONARY;
    if (nothing || path_.type->id() == arrow::Type::NA) {
      out->mutable_nullable()->mutable_all_nulls();
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(LeafBlock block, GatherLeaves(*path_.type, rows, pool_));
    page_.owned.insert(page_.owned.end(), block.owned.begin(), block.owned.end());
    if (block.kind != Kind::kVariable) return EncodeFixed(block, nulls, out);
    if (path_.type->id() == arrow::Type::STRING) {
      ARROW_ASSIGN_OR_RAISE(const bool done, EncodeFewStrings(block.variable, nulls, out));
      if (done) return Status::OK();
    }
    return EncodeStrings(block.variable, nulls, out);
  }

  // ---- buffers
  // -----------------------------------------------------------------------------------

  void Flat(uint64_t bits, std::shared_ptr<arrow::Buffer> buffer, ArrayEncoding* out) {
    out->mutable_flat()->set_bits_per_value(bits);
    out->mutable_flat()->mutable_buffer()->set_buffer_index(
        static_cast<uint32_t>(page_.buffers.size()));
    page_.buffers.push_back(std::move(buffer));
  }

  static ArrayEncoding* NoNulls(ArrayEncoding* out) {
    return out->mutable_nullable()->mutable_no_nulls()->mutable_values();
  }

  // Where the values go, behind their validity; null if there are none.
  ArrayEncoding* BehindValidity(const Nulls& nulls, uint64_t count, ArrayEncoding* out) {
    if (nulls.count == count) {
      out->mutable_nullable()->mutable_all_nulls();
      return nullptr;
    }
    if (nulls.count == 0) return NoNulls(out);
    auto* some = out->mutable_nullable()->mutable_some_nulls();
    Flat(1, nulls.validity, some->mutable_validity());
    return some->mutable_values();
  }

  // ---- values of one width
  // -----------------------------------------------------------------------

  Status EncodeFixed(const LeafBlock& block, const Nulls& nulls, ArrayEncoding* out) {
    ArrayEncoding* values = BehindValidity(nulls, block.count, out);
    uint64_t items = block.count;
    for (const ListDimension& dimension : block.dimensions) {
      if (values == nullptr) return Status::OK();
      items *= dimension.size;
      auto* list = values->mutable_fixed_size_list();
      list->set_dimension(static_cast<uint32_t>(dimension.size));
      values = BehindValidity(NullItems(dimension, items), items, list->mutable_items());
    }
    if (values == nullptr) return Status::OK();
    Flat(block.fixed.bits, View(block.fixed.data, block.fixed.num_bytes()), values);
    return Status::OK();
  }

  static Nulls NullItems(const ListDimension& dimension, uint64_t items) {
    if (dimension.all_null) return {nullptr, items};
    if (dimension.child_validity == nullptr) return {};
    // How many are null doesn't matter, as some and not all are.
    return {View(dimension.child_validity, (items + 7) / 8), 1};
  }

  // ---- strings
  // -----------------------------------------------------------------------------------

  Result<std::shared_ptr<arrow::Buffer>> Ends(const VariableBlock& block,
                                              const Nulls& nulls) const {
    ARROW_ASSIGN_OR_RAISE(auto ends, ScratchArray<uint64_t>::Allocate(block.count, pool_));
    const uint64_t start = block.offset(0);
    const uint64_t adjustment = block.num_bytes() + 1;
    for (uint64_t i = 0; i < block.count; ++i) ends[i] = block.offset(i + 1) - start;
    for (uint64_t i = 0; nulls.count > 0 && i < block.count; ++i) {
      if (nulls.is_null(i)) ends[i] += adjustment;
    }
    return ends.buffer();
  }

  Status EncodeBinary(const VariableBlock& block, const Nulls& nulls,
                      const std::optional<GeneralScheme>& scheme, encodings::Binary* out) {
    ARROW_ASSIGN_OR_RAISE(auto ends, Ends(block, nulls));
    Flat(kWordBits, std::move(ends), NoNulls(out->mutable_indices()));
    std::shared_ptr<arrow::Buffer> bytes =
        View(block.num_bytes() == 0 ? nullptr : block.bytes + block.offset(0), block.num_bytes());
    if (scheme) {
      const Bytes plain(bytes->data(), static_cast<size_t>(bytes->size()));
      ARROW_ASSIGN_OR_RAISE(bytes, scheme->Compress(plain, pool_));
      scheme->Describe(out->mutable_bytes()->mutable_flat()->mutable_compression());
    }
    Flat(kByteBits, std::move(bytes), out->mutable_bytes());
    out->set_null_adjustment(block.count == 0 ? 0 : block.num_bytes() + 1);
    return Status::OK();
  }

  Status EncodeStrings(const VariableBlock& block, const Nulls& nulls, ArrayEncoding* out) {
    if (path_.hints.compression == EncodingHints::Compression::kFsst && block.offset_bits == 32) {
      ARROW_ASSIGN_OR_RAISE(auto fsst, CompressWithFsst(block, pool_));
      if (fsst != nullptr) {
        out->mutable_fsst()->set_symbol_table(fsst->symbol_table);
        page_.owned.push_back(fsst->codes);
        return EncodeBinary(fsst->block, nulls, std::nullopt,
                            out->mutable_fsst()->mutable_binary()->mutable_binary());
      }
    }
    const auto scheme = GeneralScheme::Of(path_.hints.compression, path_.hints.compression_level);
    return EncodeBinary(block, nulls, scheme, out->mutable_binary());
  }

  // Index 0 is null, k is item k - 1. Returns whether the strings are few enough.
  Result<bool> EncodeFewStrings(const VariableBlock& block, const Nulls& nulls,
                                ArrayEncoding* out) {
    if (block.count < kDictionaryThreshold) return false;
    ARROW_ASSIGN_OR_RAISE(auto indices, ScratchArray<uint8_t>::Allocate(block.count, pool_));
    std::unordered_map<std::string_view, uint8_t> known;
    std::vector<uint64_t> firsts;
    for (uint64_t i = 0; i < block.count; ++i) {
      indices[i] = 0;
      if (nulls.is_null(i)) continue;
      const std::string_view value(reinterpret_cast<const char*>(block.bytes) + block.offset(i),
                                   block.length(i));
      const auto [at, added] = known.try_emplace(value, static_cast<uint8_t>(known.size() + 1));
      if (added) firsts.push_back(i);
      if (known.size() >= kDictionaryThreshold) return false;
      indices[i] = at->second;
    }
    auto* dictionary = out->mutable_dictionary();
    Flat(kByteBits, indices.buffer(), dictionary->mutable_indices());
    // There has to be an item: where all rows are null, a null one.
    const bool none = firsts.empty();
    dictionary->set_num_dictionary_items(static_cast<uint32_t>(none ? 1 : firsts.size()));
    ARROW_ASSIGN_OR_RAISE(VariableBlock values, Pick(block, firsts));
    ARROW_ASSIGN_OR_RAISE(VariableBlock items, WithNullString(values, none));
    ARROW_ASSIGN_OR_RAISE(Nulls null_items, LastIsNull(items.count, none));
    ARROW_RETURN_NOT_OK(EncodeBinary(items, null_items, std::nullopt,
                                     dictionary->mutable_items()->mutable_binary()));
    return true;
  }

  Result<VariableBlock> Pick(const VariableBlock& block, const std::vector<uint64_t>& slots) {
    uint64_t size = 0;
    for (uint64_t slot : slots) size += block.length(slot);
    ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<uint64_t>::Allocate(slots.size() + 1, pool_));
    ARROW_ASSIGN_OR_RAISE(auto bytes, ScratchArray<uint8_t>::Allocate(size, pool_));
    uint64_t at = 0;
    for (size_t i = 0; i < slots.size(); ++i) {
      offsets[i] = at;
      std::copy_n(block.bytes + block.offset(slots[i]), block.length(slots[i]), bytes.data() + at);
      at += block.length(slots[i]);
    }
    offsets[slots.size()] = at;
    page_.owned.push_back(offsets.buffer());
    page_.owned.push_back(bytes.buffer());
    return VariableBlock{slots.size(), kWordBits, reinterpret_cast<const uint8_t*>(offsets.data()),
                         bytes.data()};
  }

  // ---- columns of the dictionary type -----------------------------------------------------------

  // Nulls refer to a null item at the end.
  Status EncodeDictionary(const DictionaryBlock& dictionary, const Nulls& nulls,
                          ArrayEncoding* out) {
    page_.owned.insert(page_.owned.end(), dictionary.owned.begin(), dictionary.owned.end());
    const auto& owned = dictionary.items.owned;
    page_.owned.insert(page_.owned.end(), owned.begin(), owned.end());
    auto* encoding = out->mutable_dictionary();
    LeafBlock items = dictionary.items;
    // Where all rows are null, the other items are of no use.
    if (nulls.count == dictionary.indices.count) {
      items.count = items.fixed.count = items.variable.count = 0;
    }
    const uint64_t null_item = items.count;
    const bool with_null = nulls.count > 0;
    std::shared_ptr<arrow::Buffer> keys =
        View(dictionary.indices.data, dictionary.indices.num_bytes());
    if (with_null) {
      ARROW_ASSIGN_OR_RAISE(keys, KeysWithNulls(dictionary.indices, nulls, null_item));
    }
    Flat(dictionary.indices.bits, std::move(keys), NoNulls(encoding->mutable_indices()));
    encoding->set_num_dictionary_items(static_cast<uint32_t>(null_item + (with_null ? 1 : 0)));
    return EncodeItems(items, with_null, encoding->mutable_items());
  }

  Result<std::shared_ptr<arrow::Buffer>> KeysWithNulls(const FixedBlock& keys, const Nulls& nulls,
                                                       uint64_t null_item) const {
    const auto& type = *static_cast<const arrow::DictionaryType&>(*path_.type).index_type();
    const bool is_signed = arrow::is_signed_integer(type.id());
    const uint64_t value_bits = keys.bits - (is_signed ? 1 : 0);
    if (value_bits < kWordBits && null_item >> value_bits != 0) {
      return Unsupported("dictionary of ", null_item,
                         " items with nulls among its keys: keys of type ", type.ToString(),
                         " have no room for the null item that file version 2.0 ",
                         "needs; use wider keys");
    }
    ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint8_t>::Allocate(keys.num_bytes(), pool_));
    std::copy_n(keys.data, keys.num_bytes(), out.data());
    for (uint64_t i = 0; i < keys.count; ++i) {
      // Little-endian: the low bytes come first.
      if (nulls.is_null(i)) std::memcpy(out.data() + i * keys.width(), &null_item, keys.width());
    }
    return out.buffer();
  }

  Status EncodeItems(const LeafBlock& items, bool with_null, ArrayEncoding* out) {
    if (items.kind == Kind::kVariable) {
      ARROW_ASSIGN_OR_RAISE(VariableBlock block, WithNullString(items.variable, with_null));
      ARROW_ASSIGN_OR_RAISE(Nulls nulls, LastIsNull(block.count, with_null));
      return EncodeBinary(block, nulls, std::nullopt, out->mutable_binary());
    }
    LeafBlock block = items;
    if (with_null) {
      const uint64_t size = items.fixed.num_bytes();
      ARROW_ASSIGN_OR_RAISE(auto bytes,
                            ScratchArray<uint8_t>::Allocate(size + items.fixed.width(), pool_));
      std::copy_n(items.fixed.data, size, bytes.data());
      std::fill_n(bytes.data() + size, items.fixed.width(), uint8_t{0});
      page_.owned.push_back(bytes.buffer());
      block.fixed.data = bytes.data();
      ++block.fixed.count;
      ++block.count;
    }
    ARROW_ASSIGN_OR_RAISE(Nulls nulls, LastIsNull(block.count, with_null));
    return EncodeFixed(block, nulls, out);
  }

  Result<VariableBlock> WithNullString(const VariableBlock& block, bool with_null) {
    if (!with_null) return block;
    ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<uint64_t>::Allocate(block.count + 2, pool_));
    for (uint64_t i = 0; i <= block.count; ++i) offsets[i] = block.offset(i);
    offsets[block.count + 1] = offsets[block.count];
    page_.owned.push_back(offsets.buffer());
    return VariableBlock{block.count + 1, kWordBits,
                         reinterpret_cast<const uint8_t*>(offsets.data()), block.bytes};
  }

  Result<Nulls> LastIsNull(uint64_t count, bool with_null) const {
    if (!with_null) return Nulls();
    const auto bits = static_cast<int64_t>(count);
    ARROW_ASSIGN_OR_RAISE(auto bitmap,
                          ScratchArray<uint8_t>::Allocate(
                              static_cast<uint64_t>(arrow::bit_util::BytesForBits(bits)), pool_));
    std::fill_n(bitmap.data(), bitmap.size(), uint8_t{0});
    arrow::bit_util::SetBitsTo(bitmap.data(), 0, bits - 1, true);
    return Nulls{bitmap.buffer(), 1};
  }

  // ---- lists
  // -------------------------------------------------------------------------------------

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
  Status EncodeLists(const ShreddedRows& rows, const Nulls& nulls, ArrayEncoding* out) {
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
    Flat(kWordBits, ends.buffer(), NoNulls(list->mutable_offsets()));
    return Status::OK();
  }

  // ---- packed structs and the places of blobs
  // -----------------------------------------------------

  // One buffer with the members of a row side by side.
  Status EncodePacked(const ShreddedRows& rows, const Nulls& nulls, ArrayEncoding* out) {
    std::vector<LeafBlock> members;
    uint64_t row_bytes = 0;
    for (size_t i = 0; i < path_.members.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(LeafBlock member, GatherMember(*path_.members[i].type, i, rows, pool_));
      ARROW_RETURN_NOT_OK(DescribeMember(i, member, out->mutable_packed_struct()));
      row_bytes += MemberBytes(member);
      members.push_back(std::move(member));
    }
    ARROW_ASSIGN_OR_RAISE(auto bytes,
                          ScratchArray<uint8_t>::Allocate(rows.num_values * row_bytes, pool_));
    uint64_t first = 0;
    for (const LeafBlock& member : members) {
      const uint64_t size = MemberBytes(member);
      for (uint64_t i = 0; i < rows.num_values; ++i) {
        std::copy_n(member.fixed.data + i * size, size, bytes.data() + i * row_bytes + first);
      }
      first += size;
    }
    if (path_.is_blob) MarkNullBlobs(nulls, rows.num_values, bytes.data());
    out->mutable_packed_struct()->mutable_buffer()->set_buffer_index(0);
    page_.buffers.push_back(bytes.buffer());
    return Status::OK();
  }

  static uint64_t MemberBytes(const LeafBlock& member) {
    return member.items_per_list() * member.fixed.width();
  }

  Status DescribeMember(size_t index, const LeafBlock& member, encodings::PackedStruct* out) const {
    ArrayEncoding* values = NoNulls(out->add_inner());
    for (const ListDimension& dimension : member.dimensions) {
      if (dimension.child_validity != nullptr || dimension.all_null) {
        return UserError("null in a packed struct, whose members have no place for nulls: field '",
                         path_.members[index].name(), "'; fill the nulls");
      }
      auto* list = values->mutable_fixed_size_list();
      list->set_dimension(static_cast<uint32_t>(dimension.size));
      values = NoNulls(list->mutable_items());
    }
    values->mutable_flat()->set_bits_per_value(member.fixed.bits);
    values->mutable_flat()->mutable_buffer()->set_buffer_index(0);
    return Status::OK();
  }

  // Position 1, size 0: readers can tell it from an empty value at 0.
  static void MarkNullBlobs(const Nulls& nulls, uint64_t count, uint8_t* places) {
    constexpr uint64_t kPlaceBytes = 2 * sizeof(uint64_t);
    for (uint64_t i = 0; i < count; ++i) {
      if (!nulls.is_null(i)) continue;
      StoreLittleEndian(uint64_t{1}, places + i * kPlaceBytes);
      StoreLittleEndian(uint64_t{0}, places + i * kPlaceBytes + sizeof(uint64_t));
    }
  }

  const LeafPath& path_;
  arrow::MemoryPool* const pool_;
  EncodedPage page_;
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
