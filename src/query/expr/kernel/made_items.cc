#include "query/expr/kernel/made_items.h"

#include "arrow/array.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Type;

/// Of the values [begin, end), counted from the start of the buffers' slice.
int64_t WeightOfRange(const arrow::ArrayData& data, int64_t begin, int64_t end) {
  int64_t weight = end - begin;
  auto offset = [&](int64_t at) {
    const Type::type id = data.type->id();
    const bool is_wide =
        id == Type::LARGE_LIST || id == Type::LARGE_STRING || id == Type::LARGE_BINARY;
    return is_wide ? data.GetValues<int64_t>(1)[at] : int64_t{data.GetValues<int32_t>(1)[at]};
  };
  switch (data.type->id()) {
    case Type::STRING:
    case Type::BINARY:
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return weight + offset(end) - offset(begin);
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::MAP:
      return weight + WeightOfRange(*data.child_data[0], offset(begin), offset(end));
    case Type::FIXED_SIZE_LIST: {
      const int64_t size = static_cast<const arrow::FixedSizeListType&>(*data.type).list_size();
      return weight + WeightOfRange(*data.child_data[0], (data.offset + begin) * size,
                                    (data.offset + end) * size);
    }
    case Type::STRUCT:
      for (const auto& child : data.child_data) {
        weight += WeightOfRange(*child, data.offset + begin, data.offset + end);
      }
      return weight;
    default:
      return weight;
  }
}

}  // namespace

Status MadeItems::Add(int64_t count, int64_t weight) {
  int64_t made = 0;
  if (__builtin_mul_overflow(count, weight, &made) || made > kMost - made_) {
    return UserError(function_, "() would make more than ", kMost, " items (or bytes) at once");
  }
  made_ += made;
  return Status::OK();
}

int64_t WeightOf(const arrow::Array& array, int64_t at) {
  return WeightOfRange(*array.data(), at, at + 1);
}

}  // namespace lance::query
