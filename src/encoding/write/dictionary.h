#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoding_hints.h"
#include "encoding/write/leaf_path.h"
#include "encoding/write/value_block.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// Leaf slots as indices into distinct items.
struct DictionaryBlock {
  /// Indices under nulls are in range.
  FixedBlock indices;
  LeafBlock items;
  std::vector<std::shared_ptr<arrow::Buffer>> owned;
};

/// A dictionary of the leaf slots if they repeat enough for it to be smaller than other codecs:
/// strings, 128-bit values, (2.2) 64-bit values and (2.3) fixed-size lists. Items in the order of
/// first appearance.
Result<std::optional<DictionaryBlock>> FindDictionary(const LeafBlock& block,
                                                      const ShreddedRows& rows,
                                                      uint32_t minor_version,
                                                      const EncodingHints::Dictionary& hints,
                                                      arrow::MemoryPool* pool);

/// One item, which all leaf slots refer to.
Result<DictionaryBlock> DictionaryOfOne(const LeafBlock& block, uint64_t slot,
                                        arrow::MemoryPool* pool);

/// The dictionary of a column of Arrow's dictionary type `type`. Different dictionaries among the
/// arrays are unified; nothing is returned if the result has too many items for the key type.
Result<std::optional<DictionaryBlock>> UnifyDictionaries(const arrow::DataType& type,
                                                         const LeafBlock& keys,
                                                         const ShreddedRows& rows,
                                                         arrow::MemoryPool* pool);

/// Dictionary items as one buffer, and its description (block context of spec/encodings.md §4.0):
/// packed or (2.2) compressed, with LZ4 unless `hints` ask for something else, if that is smaller.
Result<std::shared_ptr<arrow::Buffer>> EncodeItems(const LeafBlock& items, uint32_t minor_version,
                                                   const EncodingHints::Dictionary& hints,
                                                   arrow::MemoryPool* pool,
                                                   encodings21::CompressiveEncoding* description);

}  // namespace lance::encoding
