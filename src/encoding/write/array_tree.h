#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/type_fwd.h"
#include "arrow/util/bit_util.h"
#include "base/error.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/encoded_page.h"
#include "encoding/write/encoding_hints.h"
#include "encoding/write/general_scheme.h"
#include "encoding/write/shredder.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

/// Which slots of a page are null.
struct SlotNulls {
  /// One bit a slot, set if it is valid; null if all are.
  std::shared_ptr<arrow::Buffer> validity;
  uint64_t count = 0;

  static Result<SlotNulls> Of(const ShreddedRows& rows, arrow::MemoryPool* pool);
  /// Of `count` slots the last one.
  static Result<SlotNulls> Last(uint64_t count, arrow::MemoryPool* pool);

  bool is_null(uint64_t slot) const {
    return validity != nullptr &&
           !arrow::bit_util::GetBit(validity->data(), static_cast<int64_t>(slot));
  }
};

/// Builds the tree of array encodings of one page of 2.0 (spec/file-format.md §9). Buffers are
/// numbered in the order in which they are added. Each function puts values into `out`, a place in
/// the tree.
class ArrayTree {
 public:
  explicit ArrayTree(arrow::MemoryPool* pool) : pool_(pool) {}

  arrow::MemoryPool* pool() const { return pool_; }
  EncodedPage& page() { return page_; }
  void Keep(const std::vector<std::shared_ptr<arrow::Buffer>>& owned);

  /// A buffer as it is.
  void AddFlat(uint64_t bits, std::shared_ptr<arrow::Buffer> buffer, encodings::ArrayEncoding* out);
  /// The place inside of a Nullable that says there are no nulls.
  static encodings::ArrayEncoding* NoNulls(encodings::ArrayEncoding* out) {
    return out->mutable_nullable()->mutable_no_nulls()->mutable_values();
  }

  /// Values of one width, also those of fixed-size lists.
  void AddFixed(const LeafBlock& block, const SlotNulls& nulls, encodings::ArrayEncoding* out);
  /// Where strings end, then their bytes, perhaps compressed.
  Status AddBinary(const VariableBlock& block, const SlotNulls& nulls,
                   const std::optional<GeneralScheme>& scheme, encodings::Binary* out);
  /// Strings as the hints ask for them.
  Status AddStrings(const VariableBlock& block, const SlotNulls& nulls, const EncodingHints& hints,
                    encodings::ArrayEncoding* out);
  /// Strings as a dictionary, if they are few; returns whether they are.
  Result<bool> AddFewStrings(const VariableBlock& block, const SlotNulls& nulls,
                             encodings::ArrayEncoding* out);
  /// A column of Arrow's dictionary type, whose keys have the type `keys`.
  Status AddDictionary(const DictionaryBlock& dictionary, const arrow::DataType& keys,
                       const SlotNulls& nulls, encodings::ArrayEncoding* out);

 private:
  encodings::ArrayEncoding* BehindValidity(const SlotNulls& nulls, uint64_t count,
                                           encodings::ArrayEncoding* out);
  Result<std::shared_ptr<arrow::Buffer>> Ends(const VariableBlock& block,
                                              const SlotNulls& nulls) const;
  Result<VariableBlock> Pick(const VariableBlock& block, const std::vector<uint64_t>& slots);
  Result<VariableBlock> WithNullString(const VariableBlock& block);
  Result<std::shared_ptr<arrow::Buffer>> KeysWithNulls(const FixedBlock& keys,
                                                       const arrow::DataType& type,
                                                       const SlotNulls& nulls,
                                                       uint64_t null_item) const;
  Status AddItems(const LeafBlock& items, bool with_null, encodings::ArrayEncoding* out);

  arrow::MemoryPool* const pool_;
  EncodedPage page_;
};

}  // namespace lance::encoding
