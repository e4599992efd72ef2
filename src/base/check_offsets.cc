#include "base/check_offsets.h"

#include <string>

#include "arrow/array.h"
#include "arrow/extension_type.h"
#include "arrow/record_batch.h"
#include "arrow/util/bit_util.h"

namespace lance {
namespace {

using arrow::Type;

template <typename Offset>
Status CheckAscending(const arrow::ArrayData& data) {
  if (data.length == 0) return Status::OK();
  const Offset* offsets = data.GetValues<Offset>(1);
  bool ascending = offsets[0] >= 0;
  for (int64_t i = 0; i < data.length; ++i) ascending &= offsets[i] <= offsets[i + 1];
  if (ascending) return Status::OK();
  int64_t at = 0;
  while (offsets[at] >= 0 && offsets[at] <= offsets[at + 1]) ++at;
  return UserError("offset ", at + 1, " is ", offsets[at + 1], ", after ", offsets[at]);
}

Status CheckViews(const arrow::ArrayData& data) {
  using View = arrow::BinaryViewType::c_type;
  const View* views = data.GetValues<View>(1);
  const uint8_t* validity = data.buffers[0] == nullptr ? nullptr : data.buffers[0]->data();
  const auto num_buffers = static_cast<int64_t>(data.buffers.size()) - 2;
  for (int64_t i = 0; i < data.length; ++i) {
    if (validity != nullptr && !arrow::bit_util::GetBit(validity, data.offset + i)) continue;
    const View& view = views[i];
    const int64_t size = view.size();
    if (size < 0) return UserError("view ", i, " has ", size, " bytes");
    if (view.is_inline()) continue;
    const int64_t index = view.ref.buffer_index;
    if (index < 0 || index >= num_buffers) {
      return UserError("view ", i, " is in buffer ", index, ", with ", num_buffers, " present");
    }
    const auto& buffer = data.buffers[static_cast<size_t>(index) + 2];
    const int64_t available = buffer == nullptr ? 0 : buffer->size();
    if (view.ref.offset < 0 || view.ref.offset > available - size) {
      return UserError("view ", i, " ends at byte ", view.ref.offset + size, ", with ", available,
                       " present");
    }
  }
  return Status::OK();
}

Status CheckOwn(const arrow::ArrayData& data) {
  const arrow::DataType* type = data.type.get();
  while (type->id() == Type::EXTENSION) {
    type = static_cast<const arrow::ExtensionType*>(type)->storage_type().get();
  }
  switch (type->id()) {
    case Type::STRING:
    case Type::BINARY:
    case Type::LIST:
    case Type::MAP:
      return CheckAscending<int32_t>(data);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
    case Type::LARGE_LIST:
      return CheckAscending<int64_t>(data);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return CheckViews(data);
    default:
      return Status::OK();
  }
}

}  // namespace

Status CheckOffsets(const arrow::ArrayData& data) {
  ARROW_RETURN_NOT_OK(CheckOwn(data));
  for (const auto& child : data.child_data) ARROW_RETURN_NOT_OK(CheckOffsets(*child));
  return data.dictionary == nullptr ? Status::OK() : CheckOffsets(*data.dictionary);
}

Status CheckSound(const std::string& name, const arrow::Array& column) {
  Status sound = column.Validate();
  if (sound.ok()) sound = CheckOffsets(*column.data());
  if (sound.ok()) return sound;
  return UserError("column '", name, "' is no sound Arrow array: ", sound.message());
}

Status CheckSound(const arrow::RecordBatch& batch) {
  for (int i = 0; i < batch.num_columns(); ++i) {
    ARROW_RETURN_NOT_OK(CheckSound(batch.column_name(i), *batch.column(i)));
  }
  return Status::OK();
}

}  // namespace lance
