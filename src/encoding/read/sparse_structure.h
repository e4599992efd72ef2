#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/read/layer_arrays.h"
#include "encoding/read/leaf_shape.h"
#include "encoding/read/sequence.h"
#include "encoding/row_range.h"

namespace lance::encodings23 {
class SparseStructuralLayer;
class SparseStructure;
class SparseValiditySet;
}  // namespace lance::encodings23

namespace lance::encoding {

// The structure of a sparse page (spec/encodings.md §7.2): each layer has slots, and says which of
// them are null and, for lists, which have children and how many. The slots of the last layer are
// those of the leaf. Payloads, layer by layer: positions and counts of a list, then the validity;
// sequences without payload are left out.
class SparseStructure {
 public:
  /// `num_rows` counts as the file does, scaled by fixed-size lists.
  static Result<SparseStructure> Make(const encodings23::SparseStructure& structure,
                                      const LeafShape& shape, uint64_t num_rows);

  size_t num_payloads() const { return num_payloads_; }
  Status Load(std::span<const Bytes> payloads);

  /// Slots of the leaf.
  uint64_t num_slots() const { return num_slots_; }

  /// Slots that no layer makes null, as ranges.
  const std::vector<RowRange>& live() const { return live_; }
  uint64_t num_live() const;

  /// The layers of some top-level rows, outermost first, and the leaf slots that they own.
  Result<std::vector<LayerArrays>> Cut(std::span<const RowRange> rows, arrow::MemoryPool* pool,
                                       std::vector<RowRange>* slots) const;

 private:
  // Null (or valid) slots by their positions.
  struct Validity {
    bool lists_valid = false;
    uint64_t num_positions = 0;
    std::unique_ptr<SequenceDecoder> decoder;
    std::vector<uint64_t> positions;
  };
  struct SparseLayer {
    LayerKind kind = LayerKind::kItem;
    uint64_t dimension = 1;
    bool large_offsets = false;
    uint64_t num_slots = 0;
    Validity validity;
    // lists
    uint64_t num_children = 0;
    uint64_t num_non_empty = 0;
    std::unique_ptr<SequenceDecoder> position_decoder;
    std::unique_ptr<SequenceDecoder> count_decoder;
    std::vector<uint64_t> non_empty;     ///< slots with children
    std::vector<uint64_t> child_starts;  ///< children before each of them; one more at the end
  };

  static Result<Validity> MakeValidity(const encodings23::SparseValiditySet& set);
  static Result<SparseLayer> MakeLayer(const encodings23::SparseStructuralLayer& wire,
                                       const Layer& layer);
  static Status LoadLayer(SparseLayer* layer, std::span<const Bytes>* payloads);
  static uint64_t ChildrenBefore(const SparseLayer& layer, uint64_t slot);
  static std::vector<RowRange> Descend(const SparseLayer& layer, std::span<const RowRange> slots);
  static std::vector<RowRange> OnlyValid(const SparseLayer& layer, std::span<const RowRange> slots);
  static Result<LayerArrays> CutLayer(const SparseLayer& layer, std::span<const RowRange> slots,
                                      arrow::MemoryPool* pool);

  std::vector<SparseLayer> layers_;
  std::vector<RowRange> live_;
  size_t num_payloads_ = 0;
  uint64_t num_slots_ = 0;
};

}  // namespace lance::encoding
