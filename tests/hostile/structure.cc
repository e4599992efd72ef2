#include "structure.h"

#include "arrow/array/data.h"
#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"

namespace lance {
namespace {

using arrow::ArrayData;
using arrow::DataType;

std::shared_ptr<DataType> StorageType(const ArrayData& data,
                                      const std::vector<std::shared_ptr<ArrayData>>& children) {
  auto field = [&](size_t i) {
    return data.type->field(static_cast<int>(i))->WithType(children[i]->type);
  };
  switch (data.type->id()) {
    case arrow::Type::STRING:
      return arrow::binary();
    case arrow::Type::LARGE_STRING:
      return arrow::large_binary();
    case arrow::Type::LIST:
      return arrow::list(field(0));
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(field(0));
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          field(0), static_cast<const arrow::FixedSizeListType&>(*data.type).list_size());
    case arrow::Type::MAP:
      return std::make_shared<arrow::MapType>(field(0));
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (size_t i = 0; i < children.size(); ++i) fields.push_back(field(i));
      return arrow::struct_(fields);
    }
    case arrow::Type::DICTIONARY:
      return arrow::dictionary(static_cast<const arrow::DictionaryType&>(*data.type).index_type(),
                               static_cast<const ArrayData&>(*data.dictionary).type);
    default:
      break;
  }
  const int width = data.type->byte_width();
  return width > 0 ? arrow::fixed_size_binary(width) : data.type;
}

std::shared_ptr<ArrayData> Storage(const ArrayData& data) {
  auto out = data.Copy();
  if (data.type->id() == arrow::Type::EXTENSION) {
    out->type = static_cast<const arrow::ExtensionType&>(*data.type).storage_type();
    return Storage(*out);
  }
  for (auto& child : out->child_data) child = Storage(*child);
  if (out->dictionary != nullptr) out->dictionary = Storage(*out->dictionary);
  out->type = StorageType(*out, out->child_data);
  return out;
}

}  // namespace

std::shared_ptr<arrow::Array> StructureOf(const arrow::Array& array) {
  return arrow::MakeArray(Storage(*array.data()));
}

}  // namespace lance
