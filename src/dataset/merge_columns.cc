#include "dataset/merge_columns.h"

#include <algorithm>
#include <cstring>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "arrow/extension_type.h"
#include "schema/blob.h"

namespace lance {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

const Field* FindChild(const Field& parent, int32_t id, size_t* index) {
  for (size_t i = 0; i < parent.children.size(); ++i) {
    if (parent.children[i].id != id) continue;
    *index = i;
    return &parent.children[i];
  }
  return nullptr;
}

/// So that children need no offset.
Result<std::shared_ptr<arrow::Array>> WithoutOffset(const std::shared_ptr<arrow::Array>& array,
                                                    arrow::MemoryPool* pool) {
  if (array->offset() == 0) return array;
  return arrow::Concatenate({array}, pool);
}

/// The bytes of the offsets of a list or map array without offset.
Result<std::string_view> OffsetBytes(const arrow::ArrayData& data) {
  int64_t width = data.type->id() == arrow::Type::LARGE_LIST ? 8 : 4;
  int64_t size = (data.length + 1) * width;
  if (data.length == 0) return std::string_view();
  if (data.buffers[1] == nullptr || data.buffers[1]->size() < size) {
    return Corrupt("list array has too few offsets");
  }
  return std::string_view(reinterpret_cast<const char*>(data.buffers[1]->data()),
                          static_cast<size_t>(size));
}

bool HasOffsets(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
         type.id() == arrow::Type::MAP;
}

Status CheckSameLengths(const Field& field, const arrow::ArrayData& first,
                        const arrow::ArrayData& other) {
  bool same = first.length == other.length && first.child_data.size() == other.child_data.size();
  if (same && HasOffsets(*first.type)) {
    ARROW_ASSIGN_OR_RAISE(auto first_offsets, OffsetBytes(first));
    ARROW_ASSIGN_OR_RAISE(auto other_offsets, OffsetBytes(other));
    same = first_offsets == other_offsets;
  }
  if (same) return Status::OK();
  return WithPlace(Corrupt("data files of a fragment disagree about the lengths of a column"),
                   {.field = field.name});
}

/// The child arrays of a parent array without offset, cut to its length.
std::shared_ptr<arrow::Array> ChildOf(const arrow::ArrayData& data, size_t index) {
  ArrayDataPtr child = data.child_data[index];
  if (data.type->id() == arrow::Type::STRUCT && child->length != data.length) {
    child = child->Slice(0, data.length);
  }
  return arrow::MakeArray(child);
}

}  // namespace

bool SameTree(const Field& a, const Field& b) {
  if (a.id != b.id || a.children.size() != b.children.size()) return false;
  return std::equal(a.children.begin(), a.children.end(), b.children.begin(), SameTree);
}

Result<std::shared_ptr<arrow::Array>> MergeColumn(const Field& field,
                                                  const std::shared_ptr<arrow::DataType>& type,
                                                  std::span<const ColumnPart> parts, int64_t length,
                                                  arrow::MemoryPool* pool) {
  if (parts.empty()) return arrow::MakeArrayOfNull(type, length, pool);
  // A blob is one value, whatever its description has for children.
  const bool whole_part =
      parts.size() == 1 && (IsBlobV2(field) || SameTree(field, *parts[0].field));
  if (whole_part) return parts[0].array;
  if (field.IsLeaf()) {
    return WithPlace(Corrupt("column is stored in several data files of a fragment"),
                     {.field = field.name});
  }
  std::vector<ColumnPart> whole;
  for (const ColumnPart& part : parts) {
    ARROW_ASSIGN_OR_RAISE(auto array, WithoutOffset(part.array, pool));
    whole.push_back({part.field, std::move(array)});
  }
  const arrow::ArrayData& first = *whole[0].array->data();
  for (const ColumnPart& part : whole) {
    ARROW_RETURN_NOT_OK(CheckSameLengths(field, first, *part.array->data()));
  }
  const arrow::DataType* storage = type.get();
  if (type->id() == arrow::Type::EXTENSION) {
    storage = static_cast<const arrow::ExtensionType&>(*type).storage_type().get();
  }
  ArrayDataPtr merged = first.Copy();
  merged->type = type;
  merged->child_data.clear();
  for (size_t i = 0; i < field.children.size(); ++i) {
    const Field& child = field.children[i];
    std::vector<ColumnPart> child_parts;
    for (const ColumnPart& part : whole) {
      size_t index = 0;
      if (const Field* found = FindChild(*part.field, child.id, &index)) {
        child_parts.push_back({found, ChildOf(*part.array->data(), index)});
      }
    }
    // Lists have their only child in every part, so that a child without parts is a struct's.
    int64_t child_length = child_parts.empty() ? first.length : child_parts[0].array->length();
    for (const ColumnPart& part : child_parts) {
      if (part.array->length() != child_length) {
        return WithPlace(Corrupt("data files of a fragment disagree about the lengths of a column"),
                         {.field = child.name});
      }
    }
    ARROW_ASSIGN_OR_RAISE(
        auto array, MergeColumn(child, storage->field(static_cast<int>(i))->type(), child_parts,
                                child_length, pool));
    merged->child_data.push_back(array->data());
  }
  return arrow::MakeArray(merged);
}

}  // namespace lance
