#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/read/per_value_decoder.h"
#include "encoding/read/value_decoder.h"

namespace lance::encodings21 {
class PackedStruct;
class VariablePackedStruct;
class VariablePackedStruct_FieldEncoding;
}  // namespace lance::encodings21

namespace lance::encoding {

// Rows of packed structs (spec/encodings.md §4.9). Members can't be null; the struct can.
//
//   fixed:     the members of a row side by side, without padding
//   variable:  for each member in order its bytes, those of variable width behind a u32 or u64
//              length; each member has its own per-value encoding

/// Rows of members of fixed width, as mini-block chunks hold them. Decodes into the members of the
/// target's sink.
Result<std::unique_ptr<FixedDecoder>> MakePackedStructDecoder(
    const encodings21::PackedStruct& encoding, const LeafShape& shape);

/// Copies one row of members of fixed width to position `at` of each member.
void UnpackFixedRow(const uint8_t* row, uint64_t at, LeafSink& sink);

/// Checks the widths of the members against the column; the bytes of a row.
Result<uint64_t> PackedRowBytes(const encodings21::PackedStruct& encoding, const LeafShape& shape);

/// One row at a time of members of any width. Immutable.
class PackedRowDecoder {
 public:
  static Result<PackedRowDecoder> Make(const encodings21::VariablePackedStruct& encoding,
                                       const LeafShape& shape);
  /// Members of fixed width go to position `at`, the others are appended.
  Status Decode(Bytes row, uint64_t at, LeafSink& sink) const;

 private:
  struct Member;
  static Result<Member> MakeMember(const encodings21::VariablePackedStruct_FieldEncoding& field,
                                   const LeafShape& shape);
  struct Member {
    std::optional<FixedValueDecoder> fixed;
    std::optional<VariableValueDecoder> variable;
    std::vector<PackedRowDecoder> rows;  ///< one, of a nested struct of variable width
    uint64_t length_bytes = 0;           ///< before a value of variable width
  };
  std::vector<Member> members_;
};

}  // namespace lance::encoding
