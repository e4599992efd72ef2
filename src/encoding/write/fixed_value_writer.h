#pragma once

#include <cstdint>
#include <vector>

#include "encoding/write/value_block.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// Values of fixed width, written one by one. For lists: for each dimension with validity the bits
/// of the children, then the items. The block outlives the writer.
class FixedValueWriter {
 public:
  explicit FixedValueWriter(const LeafBlock& block);

  uint64_t bytes() const { return bytes_; }
  /// Whether the values are whole bytes that stand one after the other.
  bool is_plain() const { return !has_validity_ && parts_[0].bits % 8 == 0; }
  /// Returns the end of what was written.
  uint8_t* Write(uint64_t slot, uint8_t* out) const;

 private:
  struct Part {
    const uint8_t* data;
    uint64_t bits;
  };

  std::vector<Part> parts_;
  bool has_validity_ = false;
  uint64_t bytes_ = 0;
};

/// How such values are described.
void DescribeFixed(const LeafBlock& block, encodings21::CompressiveEncoding* out);

}  // namespace lance::encoding
