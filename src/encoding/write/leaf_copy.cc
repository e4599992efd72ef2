#include "encoding/write/leaf_copy.h"

#include <span>
#include <utility>

#include "arrow/array/array_base.h"
#include "arrow/array/concatenate.h"
#include "arrow/array/data.h"
#include "arrow/array/util.h"
#include "arrow/type.h"

namespace lance::encoding {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

ArrayDataPtr WithChild(const arrow::ArrayData& array, std::shared_ptr<arrow::DataType> type,
                       ArrayDataPtr child) {
  return arrow::ArrayData::Make(std::move(type), array.length, array.buffers, {std::move(child)},
                                array.null_count, array.offset);
}

// The lists or structs of a path that ends with them, without what is in them.
ArrayDataPtr WithoutItems(const LeafPath& path, const ArrayDataPtr& array) {
  if (path.is_list()) {
    return WithChild(*array, path.type,
                     arrow::ArrayData::Make(arrow::null(), array->child_data[0]->length, {nullptr},
                                            array->child_data[0]->length));
  }
  if (!path.is_empty_struct()) return array;
  return arrow::ArrayData::Make(path.type, array->length, array->buffers, array->null_count,
                                array->offset);
}

ArrayDataPtr AloneFrom(const LeafPath& path, std::span<const PathStep> steps,
                       const ArrayDataPtr& array) {
  const PathStep& step = steps.front();
  if (step.kind == StepKind::kLeaf) return WithoutItems(path, array);
  const size_t member = step.kind == StepKind::kStruct ? static_cast<size_t>(step.child) : 0;
  ArrayDataPtr child = AloneFrom(path, steps.subspan(1), array->child_data[member]);
  auto field = arrow::field("item", child->type);
  switch (step.kind) {
    case StepKind::kList:
      return WithChild(*array, arrow::list(std::move(field)), std::move(child));
    case StepKind::kLargeList:
      return WithChild(*array, arrow::large_list(std::move(field)), std::move(child));
    case StepKind::kFixedSizeList:
      return WithChild(
          *array, arrow::fixed_size_list(std::move(field), static_cast<int32_t>(step.dimension)),
          std::move(child));
    default:
      return WithChild(*array, arrow::struct_({std::move(field)}), std::move(child));
  }
}

}  // namespace

LeafPath AlonePath(const LeafPath& path) {
  LeafPath alone = path;
  for (PathStep& step : alone.steps) step.child = 0;
  // A leaf that is a packed struct keeps all its members.
  for (LeafPath& member : alone.members) {
    for (size_t i = 0; i + 2 < member.steps.size(); ++i) member.steps[i].child = 0;
  }
  return alone;
}

ArrayDataPtr Alone(const LeafPath& path, const ArrayDataPtr& array) {
  return AloneFrom(path, path.steps, array);
}

Result<ArrayDataPtr> CopyAlone(const LeafPath& path, const ArrayDataPtr& array,
                               arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto copy,
                        arrow::Concatenate({arrow::MakeArray(Alone(path, array))}, pool));
  return copy->data();
}

}  // namespace lance::encoding
