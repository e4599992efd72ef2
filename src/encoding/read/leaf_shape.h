#pragma once

#include <cstdint>
#include <vector>

namespace lance::encoding {

/// What a step of the path from the top-level field down to a leaf adds to the levels.
enum class LayerKind : uint8_t {
  kItem,           ///< struct or leaf: may be null
  kList,           ///< list, large list, map: may be null, may be empty
  kFixedSizeList,  ///< fixed-size list of struct: may be null, multiplies the items below
};

struct Layer {
  LayerKind kind = LayerKind::kItem;
  uint32_t dimension = 1;      ///< of a kFixedSizeList
  bool large_offsets = false;  ///< of a kList: its offsets are 64 bits wide
  bool operator==(const Layer&) const = default;
};

/// What the decoders must know of a leaf column; all else of its type is a matter of Arrow.
struct LeafShape {
  enum class Values : uint8_t {
    kFixed,         ///< values of `value_bits` bits
    kVariable,      ///< byte strings
    kNone,          ///< the null type
    kEmptyStruct,   ///< a struct without members: no values, never null
    kPackedStruct,  ///< rows of a packed struct: one value of each of `members`
  };
  Values values = Values::kFixed;
  /// Bits of one value: 1 for booleans, a whole number of bytes else; for a primitive
  /// fixed-size list, the bits of all its items; for a packed struct, the bits of all members when
  /// they are all of fixed width, 0 else.
  uint64_t value_bits = 0;
  /// Dimensions of a primitive fixed-size list, outermost first.
  std::vector<uint32_t> dimensions;
  /// Strings and binaries with 64-bit offsets.
  bool large_offsets = false;
  /// A blob column of large binaries: read as their bytes (kVariable) or as their positions and
  /// sizes (kPackedStruct).
  bool is_blob = false;
  /// An Arrow dictionary column: pages bring their own dictionaries, the values are indices.
  bool is_dictionary = false;
  /// Of the dictionary's values.
  bool dictionary_variable = false;
  bool dictionary_large_offsets = false;
  uint64_t dictionary_value_bits = 0;
  /// Of a packed struct: kFixed, kVariable or kPackedStruct, without layers of their own.
  std::vector<LeafShape> members;
  /// From the top-level field down to the leaf; the last one is the leaf's own kItem.
  std::vector<Layer> layers;

  bool operator==(const LeafShape&) const = default;

  bool has_lists() const {
    for (const Layer& layer : layers) {
      if (layer.kind == LayerKind::kList) return true;
    }
    return false;
  }
  /// Rows of a page count once for each slot of the fixed-size lists of struct above the leaf.
  uint64_t rows_scale() const {
    uint64_t scale = 1;
    for (const Layer& layer : layers) {
      if (layer.kind == LayerKind::kFixedSizeList) scale *= layer.dimension;
    }
    return scale;
  }
};

}  // namespace lance::encoding
