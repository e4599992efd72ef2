#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/codec/fsst_decoder.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/fixed_size_lists.h"
#include "encoding/read/leaf_sink.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// One value of a full-zip page at a time (the per-value context of spec/encodings.md §4), fixed
/// width. Immutable.
class FixedValueDecoder {
 public:
  static Result<FixedValueDecoder> Make(const encodings21::CompressiveEncoding& encoding,
                                        const LeafShape& shape);

  /// Bytes that a value takes in the page.
  uint64_t stored_bytes() const { return stored_bytes_; }
  /// The stored bytes are the values themselves.
  bool is_plain() const { return is_plain_; }
  /// Value number `at` of the sink from stored_bytes() bytes.
  Status Decode(const uint8_t* stored, uint64_t at, LeafSink& sink) const;

 private:
  uint64_t stored_bytes_ = 0;
  uint64_t value_bits_ = 0;
  bool is_plain_ = true;
  bool all_items_null_ = false;
  bool is_packed_ = false;  ///< a row of a packed struct
  std::vector<ListDepth> depths_;
};

/// Byte strings of a full-zip page: stored as they are, as FSST codes, or each compressed.
class VariableValueDecoder {
 public:
  static Result<VariableValueDecoder> Make(const encodings21::CompressiveEncoding& encoding);
  /// Appends one value to the sink.
  Status Decode(Bytes stored, LeafSink& sink) const;

 private:
  std::optional<FsstDecoder> fsst_;
  std::optional<CompressionScheme> scheme_;
};

}  // namespace lance::encoding
