#pragma once

#include <memory>
#include <optional>

#include "arrow/type_fwd.h"
#include "encoding/read/per_value_decoder.h"

namespace lance::encoding {

/// The items of a mini-block page's dictionary when they are primitive fixed-size lists (2.3 only):
/// stored one after the other as full-zip values are, perhaps compressed as a whole.
class ListDictionary {
 public:
  static Result<std::unique_ptr<ListDictionary>> Make(
      const encodings21::CompressiveEncoding& encoding, const LeafShape& shape);

  Status Load(Bytes bytes, uint64_t num_items, arrow::MemoryPool* pool);
  /// Writes items[index] for `count` indices of 32 bits to position `at` of the sink and on.
  Status Gather(const uint32_t* indices, uint64_t count, uint64_t at, LeafSink& sink) const;

 private:
  explicit ListDictionary(FixedValueDecoder decoder) : decoder_(std::move(decoder)) {}

  FixedValueDecoder decoder_;
  std::optional<CompressionScheme> scheme_;
  LeafShape shape_;
  uint64_t num_items_ = 0;
  std::unique_ptr<LeafSink> items_;
};

}  // namespace lance::encoding
