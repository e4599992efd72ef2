#include "file/blob_columns.h"

#include <span>
#include <utility>

#include "arrow/array/data.h"
#include "arrow/type.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "encoding/write/scratch_array.h"
#include "file/container_writer.h"

namespace lance {
namespace {

using arrow::ArrayData;
using encoding::PathStep;
using encoding::ScratchArray;
using ArrayDataPtr = std::shared_ptr<ArrayData>;

class BlobStorer {
 public:
  BlobStorer(const encoding::LeafPath& path, ObjectWriter* writer, arrow::MemoryPool* pool)
      : path_(path), writer_(writer), pool_(pool) {}

  // Slots [first, first + count) of an array, counted from the start of its buffers. Blobs of rows
  // that are null further out are not written.
  Result<ArrayDataPtr> Store(std::span<const PathStep> steps, const ArrayData& array, int64_t first,
                             int64_t count) {
    ARROW_ASSIGN_OR_RAISE(auto validity, Validity(array, first, count));
    if (steps.size() == 1) {
      ARROW_RETURN_NOT_OK(Narrow(validity, count));
      ARROW_ASSIGN_OR_RAISE(auto members, StoreLeaf(array, first, count));
      return ArrayData::Make(path_.type, count, {std::move(validity)}, std::move(members));
    }
    ARROW_RETURN_NOT_OK(Narrow(validity, count));
    const ArrayData& child = *array.child_data[static_cast<size_t>(steps[0].child)];
    ARROW_ASSIGN_OR_RAISE(ArrayDataPtr stored,
                          Store(steps.subspan(1), child, child.offset + first, count));
    auto type = arrow::struct_({arrow::field("item", stored->type)});
    return ArrayData::Make(std::move(type), count, {std::move(validity)}, {std::move(stored)});
  }

 private:
  Result<std::shared_ptr<arrow::Buffer>> Validity(const ArrayData& array, int64_t first,
                                                  int64_t count) const {
    if (array.buffers[0] == nullptr) return nullptr;
    return arrow::internal::CopyBitmap(pool_, array.buffers[0]->data(), first, count);
  }

  // Leaves only those rows that are valid here too.
  Status Narrow(const std::shared_ptr<arrow::Buffer>& validity, int64_t count) {
    if (validity == nullptr) return Status::OK();
    if (visible_ == nullptr) {
      visible_ = validity;
      return Status::OK();
    }
    return arrow::internal::BitmapAnd(pool_, visible_->data(), 0, validity->data(), 0, count, 0)
        .Value(&visible_);
  }

  bool IsVisible(int64_t row) const {
    return visible_ == nullptr || arrow::bit_util::GetBit(visible_->data(), row);
  }

  Result<std::vector<ArrayDataPtr>> StoreLeaf(const ArrayData& array, int64_t first,
                                              int64_t count) const {
    const auto rows = static_cast<uint64_t>(count);
    ARROW_ASSIGN_OR_RAISE(auto positions, ScratchArray<uint64_t>::Allocate(rows, pool_));
    ARROW_ASSIGN_OR_RAISE(auto sizes, ScratchArray<uint64_t>::Allocate(rows, pool_));
    const auto* offsets = reinterpret_cast<const int64_t*>(array.buffers[1]->data()) + first;
    for (int64_t i = 0; i < count; ++i) {
      const auto row = static_cast<uint64_t>(i);
      positions[row] = sizes[row] = 0;
      const auto size = static_cast<uint64_t>(offsets[i + 1] - offsets[i]);
      if (size == 0 || !IsVisible(i)) continue;
      ARROW_ASSIGN_OR_RAISE(
          positions[row],
          ContainerWriter::WriteBlob({array.buffers[2]->data() + offsets[i], size}, writer_));
      sizes[row] = size;
    }
    return std::vector<ArrayDataPtr>{
        ArrayData::Make(arrow::uint64(), count, {nullptr, positions.buffer()}, 0),
        ArrayData::Make(arrow::uint64(), count, {nullptr, sizes.buffer()}, 0)};
  }

  const encoding::LeafPath& path_;
  ObjectWriter* const writer_;
  arrow::MemoryPool* const pool_;
  std::shared_ptr<arrow::Buffer> visible_;
};

}  // namespace

Result<ArrayDataPtr> StoreBlobs(const encoding::LeafPath& path, const ArrayData& column,
                                ObjectWriter* writer, arrow::MemoryPool* pool) {
  return BlobStorer(path, writer, pool).Store(path.steps, column, column.offset, column.length);
}

}  // namespace lance
