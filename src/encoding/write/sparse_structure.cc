#include "encoding/write/sparse_structure.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "arrow/buffer.h"
#include "encoding/write/sequence_encoder.h"
#include "encodings23.pb.h"

namespace lance::encoding {
namespace {

using encodings23::SparseValiditySet;

/// The definition levels of one layer; 0 where it has none.
struct LayerLevels {
  uint16_t null_level = 0;
  uint16_t empty_level = 0;
  /// Of the layers within this one; an item above it has no slot below the layer.
  uint16_t max_inner = 0;

  /// Null here or further out: the reference expects what is below a null to be null as well.
  bool is_null(uint16_t definition) const {
    return (definition != 0 && definition == null_level) ||
           definition > std::max({max_inner, null_level, empty_level});
  }
};

// Outermost first. Levels are numbered from the innermost layer outwards.
std::vector<LayerLevels> LevelsOf(const ShreddedRows& rows) {
  std::vector<LayerLevels> out(rows.layers.size());
  uint16_t next = 1;
  for (size_t i = 0; i < rows.layers.size(); ++i) {
    LayerLevels& levels = out[rows.layers.size() - 1 - i];
    levels.max_inner = static_cast<uint16_t>(next - 1);
    if (rows.layers[i].declared_nullable()) levels.null_level = next++;
    if (rows.layers[i].has_empty) levels.empty_level = next++;
  }
  return out;
}

class StructureEncoder {
 public:
  StructureEncoder(const LeafPath& path, const ShreddedRows& rows, arrow::MemoryPool* pool,
                   encodings23::SparseStructure* out,
                   std::vector<std::shared_ptr<arrow::Buffer>>* buffers)
      : path_(path), rows_(rows), pool_(pool), out_(out), buffers_(buffers) {}

  Status Run() {
    StartWithRows();
    uint64_t stride = path_.slots_per_row;
    // Of the items that start a slot below the lists reached.
    uint16_t list_level = rows_.max_repetition;
    const std::vector<LayerLevels> levels = LevelsOf(rows_);
    for (size_t i = 0; i < path_.steps.size(); ++i) {
      const PathStep& step = path_.steps[i];
      auto* layer = out_->add_layers();
      if (IsList(step.kind)) {
        ARROW_RETURN_NOT_OK(AddList(levels[i], --list_level, layer->mutable_list()));
      } else if (step.kind == StepKind::kFixedSizeList) {
        layer->mutable_fixed_size_list()->set_dimension(step.dimension);
        ARROW_RETURN_NOT_OK(
            AddValidity(levels[i], layer->mutable_fixed_size_list()->mutable_validity()));
        stride /= step.dimension;
        if (path_.structure_apart) {
          FindItems(step.dimension, --list_level);
        } else {
          Multiply(step.dimension, stride);
        }
      } else {
        ARROW_RETURN_NOT_OK(AddValidity(levels[i], layer->mutable_validity()));
      }
    }
    return Status::OK();
  }

 private:
  uint16_t DefinitionOf(uint64_t item) const {
    return rows_.definition.empty() ? uint16_t{0} : rows_.definition[item];
  }

  void StartWithRows() {
    if (rows_.repetition.empty()) {
      for (uint64_t row = 0; row < rows_.num_rows; ++row) {
        slots_.push_back(row * path_.slots_per_row);
      }
      return;
    }
    for (uint64_t item = 0; item < rows_.num_items; ++item) {
      if (rows_.repetition[item] == rows_.max_repetition) slots_.push_back(item);
    }
  }

  void Multiply(uint64_t dimension, uint64_t stride) {
    std::vector<uint64_t> below;
    below.reserve(slots_.size() * dimension);
    for (uint64_t item : slots_) {
      for (uint64_t i = 0; i < dimension; ++i) below.push_back(item + i * stride);
    }
    slots_ = std::move(below);
  }

  // Lists in the items may have continued them with lower levels.
  void FindItems(uint64_t dimension, uint16_t child_level) {
    std::vector<uint64_t> below;
    below.reserve(slots_.size() * dimension);
    for (uint64_t item : slots_) {
      below.push_back(item);
      for (uint64_t found = 1; found < dimension;) {
        if (rows_.repetition[++item] < child_level) continue;
        below.push_back(item);
        ++found;
      }
    }
    slots_ = std::move(below);
  }

  Status AddSequence(const std::vector<uint64_t>& numbers, encodings21::CompressiveEncoding* out) {
    ARROW_ASSIGN_OR_RAISE(auto payload, EncodeSequence(numbers, pool_, out));
    Add(std::move(payload));
    return Status::OK();
  }

  // The null slots or the valid ones, whatever takes less.
  Status AddValidity(const LayerLevels& levels, SparseValiditySet* out) {
    std::vector<uint64_t> nulls;
    std::vector<uint64_t> valid;
    for (uint64_t slot = 0; slot < slots_.size(); ++slot) {
      (levels.is_null(DefinitionOf(slots_[slot])) ? nulls : valid).push_back(slot);
    }
    encodings21::CompressiveEncoding of_nulls;
    encodings21::CompressiveEncoding of_valid;
    ARROW_ASSIGN_OR_RAISE(auto null_payload, EncodeSequence(nulls, pool_, &of_nulls));
    ARROW_ASSIGN_OR_RAISE(auto valid_payload, EncodeSequence(valid, pool_, &of_valid));
    const bool lists_valid = Size(valid_payload) < Size(null_payload);
    out->set_meaning(lists_valid ? SparseValiditySet::VALID_POSITIONS
                                 : SparseValiditySet::NULL_POSITIONS);
    out->set_num_positions(lists_valid ? valid.size() : nulls.size());
    *out->mutable_positions() = lists_valid ? of_valid : of_nulls;
    Add(lists_valid ? std::move(valid_payload) : std::move(null_payload));
    return Status::OK();
  }

  static int64_t Size(const std::shared_ptr<arrow::Buffer>& payload) {
    return payload == nullptr ? 0 : payload->size();
  }

  void Add(std::shared_ptr<arrow::Buffer> payload) {
    if (payload != nullptr) buffers_->push_back(std::move(payload));
  }

  // An item starts a slot below the lists if it has a slot there and its repetition level is
  // `child_level` at least.
  Status AddList(const LayerLevels& levels, uint16_t child_level,
                 encodings23::SparseListLayer* out) {
    std::vector<uint64_t> below;
    std::vector<uint64_t> non_empty;
    std::vector<uint64_t> counts;
    for (uint64_t slot = 0; slot < slots_.size(); ++slot) {
      if (DefinitionOf(slots_[slot]) > levels.max_inner) continue;
      const uint64_t end = slot + 1 < slots_.size() ? slots_[slot + 1] : rows_.num_items;
      const size_t before = below.size();
      for (uint64_t item = slots_[slot]; item < end; ++item) {
        const bool starts = rows_.repetition[item] >= child_level || item == slots_[slot];
        if (starts && DefinitionOf(item) <= levels.max_inner) below.push_back(item);
      }
      non_empty.push_back(slot);
      counts.push_back(below.size() - before);
    }
    out->set_num_child_slots(below.size());
    out->set_num_non_empty_positions(non_empty.size());
    ARROW_RETURN_NOT_OK(AddSequence(non_empty, out->mutable_non_empty_positions()));
    ARROW_RETURN_NOT_OK(AddSequence(counts, out->mutable_counts()));
    ARROW_RETURN_NOT_OK(AddValidity(levels, out->mutable_validity()));
    slots_ = std::move(below);
    return Status::OK();
  }

  const LeafPath& path_;
  const ShreddedRows& rows_;
  arrow::MemoryPool* const pool_;
  encodings23::SparseStructure* const out_;
  std::vector<std::shared_ptr<arrow::Buffer>>* const buffers_;
  /// The item that each slot of the layer reached starts with.
  std::vector<uint64_t> slots_;
};

}  // namespace

Status EncodeSparseStructure(const LeafPath& path, const ShreddedRows& rows,
                             arrow::MemoryPool* pool, encodings23::SparseStructure* out,
                             std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  return StructureEncoder(path, rows, pool, out, buffers).Run();
}

}  // namespace lance::encoding
