#include "encoding/write/page_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "arrow/array/data.h"
#include "arrow/type.h"
#include "encoding/write/array_page.h"
#include "encoding/write/constant_values.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/empty_stretches.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/mini_block_values.h"
#include "encoding/write/page_layouts.h"
#include "encoding/write/planar_page.h"
#include "encoding/write/shredder.h"
#include "encoding/write/slice_rows.h"
#include "encoding/write/small_values.h"
#include "encoding/write/structure_choice.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {
namespace {

using Arrays = std::vector<std::shared_ptr<arrow::ArrayData>>;

/// Values of at least so many bytes are stored one by one.
constexpr uint64_t kWideBytes = 256;
/// Beyond so many items the plain levels of a constant page cost more than packed values.
constexpr uint64_t kMaxPlainLevels = 1024;

bool AllLeavesAreNull(const ShreddedRows& rows) {
  if (rows.num_values == 0) return true;
  if (!rows.has_null_leaves()) return false;
  for (uint16_t level : rows.definition.view()) {
    if (level == 0) return false;
  }
  return true;
}

bool IsWide(const LeafBlock& block, const EncodingHints& hints) {
  switch (block.kind) {
    case LeafBlock::Kind::kFixed:
      return block.fixed.bits / 8 >= kWideBytes;
    case LeafBlock::Kind::kFixedSizeList: {
      const uint64_t bits = block.items_per_list() * block.fixed.bits;
      // Without values only the full-zip layout can be described; lists of booleans are only read
      // from chunks.
      if (block.all_items_null()) return true;
      if (block.fixed.bits == 1) return bits / 8 >= kMaxChunkBytes / 4;
      return bits / 8 >= kWideBytes;
    }
    case LeafBlock::Kind::kVariable:
      return block.count > 0 && block.variable.length(LongestString(block.variable)) >=
                                    (hints.wants_small() ? kSmallChunkedString : kWideBytes);
  }
  return false;
}

class PageEncoder {
 public:
  PageEncoder(const LeafPath& path, const PageEncodeOptions& options)
      : path_(path),
        options_(options),
        own_learner_(path.hints.fsst_effort()),
        learner_(options.fsst != nullptr ? options.fsst : &own_learner_) {}

  Status Encode(Arrays arrays) {
    ARROW_ASSIGN_OR_RAISE(ShreddedRows rows, Shred(path_, arrays, options_.pool));
    if (path_.is_blob) {
      ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodeBlobPage(ContextOf(rows)));
      return Emit(std::move(page), rows, {}, {});
    }
    if (path_.is_empty_struct()) return EncodeEmptyStructs(rows);
    if (AllLeavesAreNull(rows)) {
      const bool apart = is_planar() && (rows.layers.size() > 1 || !rows.layers[0].has_nulls);
      ARROW_ASSIGN_OR_RAISE(EncodedPage page, apart ? EncodeStructurePage(ContextOf(rows), path_)
                                                    : EncodeAllNullPage(ContextOf(rows)));
      return Emit(std::move(page), rows, std::move(arrays), {});
    }
    if (path_.is_packed_struct()) return EncodePackedStructs(rows, std::move(arrays));
    if (has_packed_empty_pages() && path_.slots_per_row == 1) {
      const std::vector<RowRange> parts = CutEmptyStretches(rows);
      if (!parts.empty()) return EncodeParts(parts, arrays);
    }
    ARROW_ASSIGN_OR_RAISE(LeafBlock block, GatherLeaves(*path_.type, rows, options_.pool));
    if (path_.type->id() == arrow::Type::DICTIONARY) {
      ARROW_ASSIGN_OR_RAISE(auto dictionary,
                            UnifyDictionaries(*path_.type, block, rows, options_.pool));
      if (!dictionary) return EncodeHalves(arrays);
      const StructurePlace place = StructurePlaceOf(rows, /*wide=*/false, /*keys=*/true);
      return EncodeIndices(*dictionary, place, rows, std::move(arrays));
    }
    if (options_.minor_version >= kMinorVersion2_2) {
      if (const std::optional<uint64_t> slot = FindConstant(block, rows)) {
        if (!is_planar()) return EncodeConstant(block, *slot, rows, std::move(arrays));
        if (block.kind == LeafBlock::Kind::kFixed && block.fixed.width() <= kMaxInlineBytes) {
          ARROW_ASSIGN_OR_RAISE(EncodedPage page,
                                EncodeScalarPage(ContextOf(rows), path_, block.fixed, *slot));
          return Emit(std::move(page), rows, std::move(arrays), {});
        }
      }
    }
    return EncodeValues(block, rows, std::move(arrays));
  }

  std::vector<EncodedPage> TakePages() { return std::move(pages_); }

 private:
  /// 2.3 describes structure and values apart.
  bool is_planar() const { return options_.minor_version >= kMinorVersion2_3; }

  /// Before 2.2 the levels of pages without values are stored as they are; 2.3 has sparse pages.
  bool has_packed_empty_pages() const { return options_.minor_version == kMinorVersion2_2; }

  PageContext ContextOf(const ShreddedRows& rows) const {
    return {rows, options_.minor_version, path_.hints, options_.pool};
  }

  StructurePlace StructurePlaceOf(const ShreddedRows& rows, bool wide, bool keys) const {
    return path_.structure_apart ? StructurePlace::kApart : PlaceOf(ContextOf(rows), wide, keys);
  }

  Status Emit(EncodedPage page, const ShreddedRows& rows, Arrays arrays,
              const std::vector<std::shared_ptr<arrow::Buffer>>& owned) {
    page.num_rows = rows.num_rows;
    page.length = rows.num_rows * path_.slots_per_row;
    page.arrays = std::move(arrays);
    page.owned.insert(page.owned.end(), owned.begin(), owned.end());
    if (is_planar() && std::holds_alternative<encodings21::PageLayout>(page.description)) {
      page.description = DensePlanarLayout(page.layout());
    }
    pages_.push_back(std::move(page));
    return Status::OK();
  }

  // Nothing of an empty struct is stored, so there may be no nulls and no lists on the way to it.
  // Its pages look like those of nulls; readers know better.
  Status EncodeEmptyStructs(ShreddedRows& rows) {
    for (const LayerInfo& layer : rows.layers) {
      if (!layer.is_list && !layer.has_nulls) continue;
      return Unsupported(
          "an empty struct that is null, or inside of lists or null structs, can't be stored");
    }
    rows.layers.assign(1, {.has_nulls = true});
    ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodeAllNullPage(ContextOf(rows)));
    return Emit(std::move(page), rows, {}, {});
  }

  Status EncodePackedStructs(const ShreddedRows& rows, Arrays arrays) {
    if (path_.structure_apart) {
      // In chunks all slots have values, else those that are valid.
      const ShreddedRows slots = path_.has_plain_members() ? LeafSlots(rows) : ValidLeafSlots(rows);
      ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodePackedStructPage(ContextOf(slots), path_));
      ARROW_RETURN_NOT_OK(AddStructure(ContextOf(rows), path_, &page));
      return Emit(std::move(page), rows, std::move(arrays), {});
    }
    if (path_.has_plain_members() && !FitsMiniBlocks(rows)) return SplitRows(rows, arrays);
    ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodePackedStructPage(ContextOf(rows), path_));
    return Emit(std::move(page), rows, std::move(arrays), {});
  }

  Status EncodeHalves(const Arrays& arrays) {
    if (arrays.size() < 2) return Unsupported("dictionary has too many items for its keys");
    const auto middle = arrays.begin() + static_cast<ptrdiff_t>(arrays.size() / 2);
    ARROW_RETURN_NOT_OK(Encode(Arrays(arrays.begin(), middle)));
    return Encode(Arrays(middle, arrays.end()));
  }

  Status EncodeParts(const std::vector<RowRange>& parts, const Arrays& arrays) {
    for (const RowRange& part : parts) {
      ARROW_RETURN_NOT_OK(Encode(SliceRows(arrays, part.start, part.count)));
    }
    return Status::OK();
  }

  Result<std::unique_ptr<MiniBlockValues>> IndexValues(const DictionaryBlock& dictionary) const {
    const FixedBlock& indices = dictionary.indices;
    if (path_.hints.wants_general()) {
      return EncodeCompressedIndices(indices, run_lengths(), path_.hints, options_.pool);
    }
    if (!path_.hints.wants_small()) return EncodeFixed(indices, run_lengths(), EncodingHints{});
    // Columns of a dictionary type keep the width of their keys.
    uint64_t bits = indices.bits;
    if (path_.type->id() != arrow::Type::DICTIONARY) {
      while (bits > 8 && dictionary.items.count <= uint64_t{1} << bits / 2) bits /= 2;
    }
    return EncodeSmallIndices(indices, bits, run_lengths(), options_.pool);
  }

  Status EncodeIndices(const DictionaryBlock& dictionary, StructurePlace place,
                       const ShreddedRows& rows, Arrays arrays) {
    if (place == StructurePlace::kLevels && !FitsMiniBlocks(rows)) return SplitRows(rows, arrays);
    ARROW_ASSIGN_OR_RAISE(auto indices, IndexValues(dictionary));
    ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodeChunks(*indices, &dictionary, place, rows));
    return Emit(std::move(page), rows, std::move(arrays), {});
  }

  // Narrow values, of all slots also where the structure stands apart.
  Result<EncodedPage> EncodeChunks(const MiniBlockValues& values, const DictionaryBlock* dictionary,
                                   StructurePlace place, const ShreddedRows& rows) const {
    if (place == StructurePlace::kLevels) {
      return EncodeMiniBlockPage(ContextOf(rows), values, dictionary);
    }
    const ShreddedRows slots = LeafSlots(rows);
    ARROW_ASSIGN_OR_RAISE(EncodedPage apart,
                          EncodeMiniBlockPage(ContextOf(slots), values, dictionary));
    ARROW_RETURN_NOT_OK(AddStructure(ContextOf(rows), path_, &apart));
    if (place == StructurePlace::kApart) return apart;
    ARROW_ASSIGN_OR_RAISE(EncodedPage levels,
                          EncodeMiniBlockPage(ContextOf(rows), values, dictionary));
    return SmallerPage(std::move(levels), std::move(apart));
  }

  Status EncodeConstant(LeafBlock& block, uint64_t slot, const ShreddedRows& rows, Arrays arrays) {
    if (rows.num_items > kMaxPlainLevels && rows.has_levels() && FitsMiniBlocks(rows)) {
      if (block.kind == LeafBlock::Kind::kVariable || block.fixed.bits == 128) {
        ARROW_ASSIGN_OR_RAISE(DictionaryBlock dictionary,
                              DictionaryOfOne(block, slot, options_.pool));
        return EncodeIndices(dictionary, StructurePlace::kLevels, rows, std::move(arrays));
      }
      // Others can't be packed.
      if (block.fixed.bits == 1 || std::has_single_bit(block.fixed.width())) {
        ARROW_RETURN_NOT_OK(FillWith(slot, options_.pool, &block));
        return EncodeValues(block, rows, std::move(arrays));
      }
    }
    ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodeConstantPage(ContextOf(rows), block, slot));
    return Emit(std::move(page), rows, std::move(arrays), {});
  }

  Status EncodeValues(const LeafBlock& block, const ShreddedRows& rows, Arrays arrays) {
    const bool wide = WantsFullZip(block);
    const StructurePlace place = StructurePlaceOf(rows, IsWide(block, path_.hints), /*keys=*/false);
    const bool fits = place != StructurePlace::kLevels || FitsMiniBlocks(rows);
    if (fits || rows.num_rows > 1) {
      ARROW_ASSIGN_OR_RAISE(auto dictionary, FindDictionary(block, rows, options_.minor_version,
                                                            path_.hints.dictionary, options_.pool));
      if (dictionary) return EncodeIndices(*dictionary, place, rows, std::move(arrays));
    }
    if (!wide && !fits && rows.num_rows > 1) return SplitRows(rows, arrays);
    Result<EncodedPage> page =
        wide || !fits ? EncodeWide(block, place, rows) : EncodeNarrow(block, place, rows);
    ARROW_RETURN_NOT_OK(page.status());
    return Emit(std::move(*page), rows, std::move(arrays), block.owned);
  }

  bool WantsFullZip(const LeafBlock& block) const {
    using Structure = EncodingHints::Structure;
    if (block.kind == LeafBlock::Kind::kFixedSizeList) {
      // The first can only be described there, the others are only read from chunks.
      if (block.all_items_null()) return true;
      if (block.fixed.bits == 1) return IsWide(block, path_.hints);
    }
    if (path_.hints.structure == Structure::kFullZip) return true;
    return path_.hints.structure != Structure::kMiniBlock && IsWide(block, path_.hints);
  }

  // Null where strings aren't to be compressed with FSST.
  FsstLearner* AllowedFsst() const {
    const bool is_text =
        path_.type->id() == arrow::Type::STRING || path_.type->id() == arrow::Type::LARGE_STRING;
    switch (path_.hints.compression) {
      case EncodingHints::Compression::kFsst:
        return learner_;
      case EncodingHints::Compression::kChosen:
        return is_text ? learner_ : nullptr;
      default:
        return nullptr;
    }
  }

  Result<EncodedPage> EncodeWide(const LeafBlock& block, const ShreddedRows& rows) const {
    if (block.kind == LeafBlock::Kind::kVariable) {
      return EncodeFullZipVariablePage(ContextOf(rows), block.variable, AllowedFsst());
    }
    return EncodeFullZipFixedPage(ContextOf(rows), block);
  }

  // Wide values, of the valid slots only where the structure stands apart.
  Result<EncodedPage> EncodeWide(const LeafBlock& block, StructurePlace place,
                                 const ShreddedRows& rows) const {
    if (place == StructurePlace::kLevels) return EncodeWide(block, rows);
    const ShreddedRows slots = ValidLeafSlots(rows);
    ARROW_ASSIGN_OR_RAISE(LeafBlock valid, GatherLeaves(*path_.type, slots, options_.pool));
    ARROW_ASSIGN_OR_RAISE(EncodedPage apart, EncodeWide(valid, slots));
    ARROW_RETURN_NOT_OK(AddStructure(ContextOf(rows), path_, &apart));
    apart.owned = std::move(valid.owned);
    if (place == StructurePlace::kApart) return apart;
    ARROW_ASSIGN_OR_RAISE(EncodedPage levels, EncodeWide(block, rows));
    return SmallerPage(std::move(levels), std::move(apart));
  }

  RunLengthForms run_lengths() const {
    return is_planar() ? RunLengthForms::kSmallest : RunLengthForms::kBytes;
  }

  StringEnds string_ends() const { return is_planar() ? StringEnds::kSmallest : StringEnds::kFlat; }

  Result<std::unique_ptr<MiniBlockValues>> NarrowValues(const LeafBlock& block) const {
    switch (block.kind) {
      case LeafBlock::Kind::kFixed:
        return EncodeFixed(block.fixed, run_lengths(), path_.hints);
      case LeafBlock::Kind::kFixedSizeList:
        return EncodeFixedSizeLists(block);
      case LeafBlock::Kind::kVariable:
        break;
    }
    return EncodeVariable(block.variable, AllowedFsst(), string_ends(), path_.hints, options_.pool);
  }

  Result<std::unique_ptr<MiniBlockValues>> CompressedNarrowValues(const LeafBlock& block) const {
    if (path_.hints.wants_small() && block.kind == LeafBlock::Kind::kFixed) {
      return EncodeSmallFixed(block.fixed, run_lengths(), path_.hints, options_.pool);
    }
    if (path_.hints.wants_small() && block.kind == LeafBlock::Kind::kVariable) {
      return EncodeSmallVariable(block.variable, string_ends(), path_.hints, learner_,
                                 options_.pool);
    }
    ARROW_ASSIGN_OR_RAISE(auto values, NarrowValues(block));
    // What is compressed is the first buffer; that of lists with null items holds validity.
    if (block.kind == LeafBlock::Kind::kFixedSizeList && values->num_buffers() > 1) return values;
    return CompressChunks(std::move(values), path_.hints, options_.pool);
  }

  Result<EncodedPage> EncodeNarrow(const LeafBlock& block, StructurePlace place,
                                   const ShreddedRows& rows) const {
    ARROW_ASSIGN_OR_RAISE(auto values, CompressedNarrowValues(block));
    return EncodeChunks(*values, nullptr, place, rows);
  }

  // Groups of rows that stay within the items that a chunk may hold, each a page of its own.
  Status SplitRows(const ShreddedRows& rows, const Arrays& arrays) {
    if (rows.num_rows == 1) {
      return Unsupported("a single row has too many list items to be stored in chunks: ",
                         rows.num_items, " of at most ", MaxChunkItems(rows));
    }
    const uint64_t limit = MaxChunkItems(rows);
    uint64_t group_row = 0;
    uint64_t group_item = 0;
    uint64_t row = 0;
    uint64_t row_item = 0;
    auto close = [&](uint64_t end_row, uint64_t end_item) {
      Status status = Encode(SliceRows(arrays, group_row, end_row - group_row));
      group_row = end_row;
      group_item = end_item;
      return status;
    };
    for (uint64_t item = 1; item <= rows.num_items; ++item) {
      if (item < rows.num_items && rows.repetition[item] != rows.max_repetition) continue;
      // Row `row` holds the items [row_item, item).
      if (item - group_item > limit && row > group_row) ARROW_RETURN_NOT_OK(close(row, row_item));
      ++row;
      row_item = item;
    }
    return close(rows.num_rows, rows.num_items);
  }

  const LeafPath& path_;
  const PageEncodeOptions& options_;
  FsstLearner own_learner_;
  FsstLearner* const learner_;
  std::vector<EncodedPage> pages_;
};

}  // namespace

Result<std::vector<EncodedPage>> EncodePages(
    const LeafPath& path, std::span<const std::shared_ptr<arrow::ArrayData>> arrays,
    const PageEncodeOptions& options) {
  if (options.minor_version == kMinorVersion2_0) {
    return EncodeArrayPages(path, arrays, options.pool);
  }
  PageEncoder encoder(path, options);
  ARROW_RETURN_NOT_OK(encoder.Encode(Arrays(arrays.begin(), arrays.end())));
  return encoder.TakePages();
}

void DescribeLayers(const ShreddedRows& rows, google::protobuf::RepeatedField<int>* out) {
  for (const LayerInfo& layer : rows.layers) {
    if (!layer.is_list) {
      out->Add(layer.declared_nullable() ? encodings21::REPDEF_NULLABLE_ITEM
                                         : encodings21::REPDEF_ALL_VALID_ITEM);
    } else if (layer.declared_nullable()) {
      out->Add(layer.has_empty ? encodings21::REPDEF_NULL_AND_EMPTY_LIST
                               : encodings21::REPDEF_NULLABLE_LIST);
    } else {
      out->Add(layer.has_empty ? encodings21::REPDEF_EMPTYABLE_LIST
                               : encodings21::REPDEF_ALL_VALID_LIST);
    }
  }
}

}  // namespace lance::encoding
