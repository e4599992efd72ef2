#include "encoding/write/column_buffer.h"

#include <algorithm>
#include <utility>

#include "arrow/array/data.h"
#include "arrow/type.h"
#include "encoding/write/shredder.h"
#include "encoding/write/slice_rows.h"

namespace lance::encoding {
namespace {

// Slots [first, first + count) of an array, counted from the start of its buffers.
struct Slots {
  const arrow::ArrayData* array;
  int64_t first;
  int64_t count;
};

uint64_t ValidityBytes(const Slots& slots) {
  const auto& buffers = slots.array->buffers;
  if (buffers.empty() || buffers[0] == nullptr) return 0;
  return static_cast<uint64_t>(slots.count) / 8;
}

template <typename Offset>
int64_t OffsetSpan(const Slots& slots, int64_t* first) {
  if (slots.count == 0) return 0;
  const auto* offsets =
      reinterpret_cast<const Offset*>(slots.array->buffers[1]->data()) + slots.first;
  *first = static_cast<int64_t>(offsets[0]);
  return static_cast<int64_t>(offsets[slots.count] - offsets[0]);
}

template <typename Offset>
Slots Items(const Slots& slots) {
  const arrow::ArrayData* child = slots.array->child_data[0].get();
  int64_t first = 0;
  const int64_t count = OffsetSpan<Offset>(slots, &first);
  return {child, child->offset + first, count};
}

Slots ListItems(const Slots& slots, int64_t dimension) {
  const arrow::ArrayData* child = slots.array->child_data[0].get();
  return {child, child->offset + slots.first * dimension, slots.count * dimension};
}

template <typename Offset>
uint64_t StringBytes(const Slots& slots) {
  int64_t first = 0;
  const int64_t bytes = OffsetSpan<Offset>(slots, &first);
  return static_cast<uint64_t>(bytes) + static_cast<uint64_t>(slots.count) * sizeof(Offset);
}

uint64_t ValueBytes(const arrow::DataType& type, const Slots& slots) {
  switch (type.id()) {
    case arrow::Type::NA:
    case arrow::Type::STRUCT:
      return 0;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return StringBytes<int32_t>(slots);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return StringBytes<int64_t>(slots);
    case arrow::Type::LIST:
      return static_cast<uint64_t>(slots.count) * sizeof(int32_t);
    case arrow::Type::LARGE_LIST:
      return static_cast<uint64_t>(slots.count) * sizeof(int64_t);
    case arrow::Type::DICTIONARY:
      return ValueBytes(*static_cast<const arrow::DictionaryType&>(type).index_type(), slots);
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
      const Slots items = ListItems(slots, list.list_size());
      return ValidityBytes(items) + ValueBytes(*list.value_type(), items);
    }
    default:
      return static_cast<uint64_t>(slots.count) * static_cast<uint64_t>(type.bit_width()) / 8;
  }
}

// Calls `visit(step, slots)` for each step down the path.
template <typename Visit>
void WalkPath(const LeafPath& path, const arrow::ArrayData& array, Visit&& visit) {
  Slots slots = {&array, array.offset, array.length};
  for (const PathStep& step : path.steps) {
    visit(step, slots);
    switch (step.kind) {
      case StepKind::kStruct: {
        const arrow::ArrayData* child =
            slots.array->child_data[static_cast<size_t>(step.child)].get();
        slots = {child, child->offset + slots.first, slots.count};
        break;
      }
      case StepKind::kList:
        slots = Items<int32_t>(slots);
        break;
      case StepKind::kLargeList:
        slots = Items<int64_t>(slots);
        break;
      case StepKind::kFixedSizeList:
        slots = ListItems(slots, step.dimension);
        break;
      case StepKind::kLeaf:
        break;
    }
  }
}

}  // namespace

uint64_t LeafBytes(const LeafPath& path, const arrow::ArrayData& array) {
  uint64_t bytes = 0;
  WalkPath(path, array, [&](const PathStep& step, const Slots& slots) {
    bytes += ValidityBytes(slots);
    if (step.kind == StepKind::kList) bytes += static_cast<uint64_t>(slots.count) * 4;
    if (step.kind == StepKind::kLargeList) bytes += static_cast<uint64_t>(slots.count) * 8;
    if (step.kind == StepKind::kLeaf) bytes += ValueBytes(*path.type, slots);
  });
  for (const LeafPath& member : path.members) bytes += LeafBytes(member, array);
  return bytes;
}

Status ColumnBuffer::Add(const std::shared_ptr<arrow::ArrayData>& array, arrow::MemoryPool* pool) {
  const uint64_t bytes = LeafBytes(path_, *array);
  if (bytes > page_bytes_) {
    arrays_.push_back(Alone(path_, array));
  } else {
    ARROW_ASSIGN_OR_RAISE(auto copy, CopyAlone(path_, array, pool));
    arrays_.push_back(std::move(copy));
  }
  bytes_ += bytes;
  rows_ += static_cast<uint64_t>(array->length);
  return Status::OK();
}

std::vector<PageJob> ColumnBuffer::TakeJobs() {
  std::vector<PageJob> jobs;
  if (rows_ == 0) return jobs;
  const uint64_t full = bytes_ / max_page_bytes_ + (bytes_ % max_page_bytes_ == 0 ? 0 : 1);
  const uint64_t parts = std::clamp<uint64_t>(full, 1, rows_);
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t first = rows_ * part / parts;
    const uint64_t end = rows_ * (part + 1) / parts;
    jobs.push_back({&alone_path_, SliceRows(arrays_, first, end - first)});
  }
  arrays_.clear();
  rows_ = 0;
  bytes_ = 0;
  return jobs;
}

Result<uint64_t> CountSlots(const LeafPath& path, const std::shared_ptr<arrow::ArrayData>& array,
                            arrow::MemoryPool* pool) {
  const std::shared_ptr<arrow::ArrayData> arrays[] = {array};
  ARROW_ASSIGN_OR_RAISE(ShreddedRows rows, Shred(path, arrays, pool));
  return rows.num_values;
}

Result<const PathStep*> FindForbiddenNull(const LeafPath& path,
                                          const std::shared_ptr<arrow::ArrayData>& array,
                                          arrow::MemoryPool* pool) {
  bool suspect = false;
  WalkPath(path, *array, [&](const PathStep& step, const Slots& slots) {
    if (step.nullable || slots.count == 0) return;
    suspect =
        suspect || slots.array->type->id() == arrow::Type::NA || slots.array->GetNullCount() != 0;
  });
  if (!suspect) return nullptr;
  const std::shared_ptr<arrow::ArrayData> arrays[] = {array};
  ARROW_ASSIGN_OR_RAISE(ShreddedRows rows, Shred(path, arrays, pool));
  for (size_t i = 0; i < path.steps.size(); ++i) {
    const LayerInfo& layer = rows.layers[path.steps.size() - 1 - i];
    if (!path.steps[i].nullable && layer.has_nulls) return &path.steps[i];
  }
  return nullptr;
}

}  // namespace lance::encoding
