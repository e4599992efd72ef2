#include "dataset/blob_values.h"

#include "arrow/api.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

Result<ArrayPtr> Member(const arrow::StructArray& array, const char* name, arrow::Type::type type) {
  ArrayPtr member = array.GetFieldByName(name);
  if (member == nullptr || member->type_id() == type) return member;
  return UserError("member of a blob has another type: '", name, "' is ",
                   member->type()->ToString());
}

std::optional<uint64_t> NumberAt(const ArrayPtr& numbers, int64_t row) {
  if (numbers == nullptr || numbers->IsNull(row)) return std::nullopt;
  return static_cast<const arrow::UInt64Array&>(*numbers).Value(row);
}

}  // namespace

Result<BlobValues> BlobValues::Of(const Field& field, const ArrayPtr& array) {
  BlobValues values;
  values.field_ = field.name;
  if (array->type_id() == arrow::Type::LARGE_BINARY) {
    values.data_ = array;
    return values;
  }
  if (array->type_id() == arrow::Type::STRUCT) {
    const auto& structs = static_cast<const arrow::StructArray&>(*array);
    ARROW_ASSIGN_OR_RAISE(values.data_, Member(structs, "data", arrow::Type::LARGE_BINARY));
    ARROW_ASSIGN_OR_RAISE(values.uri_, Member(structs, "uri", arrow::Type::STRING));
    ARROW_ASSIGN_OR_RAISE(values.position_, Member(structs, "position", arrow::Type::UINT64));
    ARROW_ASSIGN_OR_RAISE(values.size_, Member(structs, "size", arrow::Type::UINT64));
    if (values.data_ != nullptr && values.uri_ != nullptr) return values;
  }
  return UserError("column has no blobs: field '", field.name, "' is ", array->type()->ToString(),
                   "; make it large_binary or struct<data: large_binary, uri: string>");
}

Result<BlobValue> BlobValues::At(int64_t row) const {
  BlobValue value;
  if (data_->IsValid(row)) {
    value.data = static_cast<const arrow::LargeBinaryArray&>(*data_).GetView(row);
  }
  if (uri_ != nullptr && uri_->IsValid(row)) {
    value.uri = static_cast<const arrow::StringArray&>(*uri_).GetView(row);
  }
  value.position = NumberAt(position_, row);
  value.size = NumberAt(size_, row);
  if (value.data && value.uri) return Wrong(row, "has both data and uri; set one of them");
  if (!value.data && !value.uri) return Wrong(row, "has neither data nor uri; set one of them");
  if (value.uri && value.uri->empty()) return Wrong(row, "has an empty uri");
  if (value.position.has_value() != value.size.has_value()) {
    return Wrong(row, "has only one of position and size; set both or neither");
  }
  if (value.position && !value.uri) return Wrong(row, "has a position in bytes of its own");
  if (value.size && *value.size == 0) return Wrong(row, "refers to a range of no bytes");
  return value;
}

Status BlobValues::Wrong(int64_t row, const char* what) const {
  return UserError("blob ", what, ": field '", field_, "', row ", row, " of the batch");
}

}  // namespace lance
