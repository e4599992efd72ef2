#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "encoding/codec/bitpack.h"
#include "encoding/read/mini_block_page.h"

namespace lance::encoding {

/// Reads scattered rows of a mini-block page whose chunks are bit-packed numbers without levels:
/// the bit width follows from the size of a chunk, and with it the words that hold a value, which
/// alone are read.
class PackedValuesCursor final : public PageCursor {
 public:
  /// Whether so few rows stand together that this reads less than whole chunks.
  static bool IsFor(const std::vector<RowRange>& rows);
  /// The bit width of a chunk of `size` bytes; none if no packed chunk has that size.
  static std::optional<uint32_t> BitWidth(uint64_t size, uint64_t value_bits);

  PackedValuesCursor(const MiniBlockPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}
  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override;
  Status Feed(std::span<const Bytes> bytes) override;
  Status DecodeInto(LeafSink& sink, uint64_t at) override;

 private:
  struct Value {
    /// In what is read for it.
    PackedPlace place;
    uint32_t width = 0;
    uint32_t need = 0;
  };
  template <typename T>
  void Place(std::vector<NeededBytes>* needs);
  // What to read for the values of a chunk, the last `count`; `block` is where its words begin.
  template <typename T>
  void Need(uint64_t block, size_t count, std::vector<NeededBytes>* needs);
  template <typename T>
  void Unpack(uint8_t* out) const;

  const MiniBlockPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Value> values_;
  std::vector<Bytes> bytes_;
  // Where no value has any bits, nothing is asked for and nothing fed.
  bool placed_ = false;
};

}  // namespace lance::encoding
