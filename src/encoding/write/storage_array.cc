#include "encoding/write/storage_array.h"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "arrow/array/array_base.h"
#include "arrow/array/array_binary.h"
#include "arrow/array/concatenate.h"
#include "arrow/array/data.h"
#include "arrow/array/util.h"
#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

// A copy that may be changed.
ArrayDataPtr WithType(const arrow::ArrayData& array, std::shared_ptr<arrow::DataType> type) {
  auto copy = std::make_shared<arrow::ArrayData>(array);
  copy->type = std::move(type);
  return copy;
}

Status Mismatch(const arrow::DataType& wanted, const arrow::DataType& got,
                const std::string& field) {
  return UserError("column has another type than the schema: field '", field, "' is ",
                   wanted.ToString(), ", the data is ", got.ToString(),
                   "; cast the column before writing");
}

Result<std::shared_ptr<arrow::Buffer>> AlignedValidity(const arrow::ArrayData& array,
                                                       arrow::MemoryPool* pool) {
  if (array.buffers[0] == nullptr || array.GetNullCount() == 0) return nullptr;
  return arrow::internal::CopyBitmap(pool, array.buffers[0]->data(), array.offset, array.length);
}

Result<ArrayDataPtr> FromView(const arrow::ArrayData& array, std::shared_ptr<arrow::DataType> type,
                              const std::string& field, arrow::MemoryPool* pool) {
  const arrow::BinaryViewArray views(std::make_shared<arrow::ArrayData>(array));
  uint64_t total = 0;
  for (int64_t i = 0; i < views.length(); ++i) {
    if (views.IsValid(i)) total += views.GetView(i).size();
  }
  if (total > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return UserError("column of string views holds more than 2 GiB in one batch: field '", field,
                     "' has ", total, " bytes; write smaller batches");
  }
  const auto count = static_cast<uint64_t>(views.length());
  ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<int32_t>::Allocate(count + 1, pool));
  ARROW_ASSIGN_OR_RAISE(auto bytes, ScratchArray<uint8_t>::Allocate(total, pool));
  int32_t at = 0;
  for (uint64_t i = 0; i < count; ++i) {
    offsets[i] = at;
    if (!views.IsValid(static_cast<int64_t>(i))) continue;
    const std::string_view value = views.GetView(static_cast<int64_t>(i));
    if (!value.empty()) std::memcpy(bytes.data() + at, value.data(), value.size());
    at += static_cast<int32_t>(value.size());
  }
  offsets[count] = at;
  ARROW_ASSIGN_OR_RAISE(auto validity, AlignedValidity(array, pool));
  return arrow::ArrayData::Make(std::move(type), array.length,
                                {std::move(validity), offsets.buffer(), bytes.buffer()});
}

bool IsViewOf(const arrow::DataType& type, const arrow::DataType& wanted) {
  return (type.id() == arrow::Type::STRING_VIEW && wanted.id() == arrow::Type::STRING) ||
         (type.id() == arrow::Type::BINARY_VIEW && wanted.id() == arrow::Type::BINARY);
}

// The valid items of a dictionary, and for each item its new number, or -1 if it was null.
struct ValidItems {
  ArrayDataPtr items;
  std::vector<int64_t> numbers;
};

Result<ValidItems> DropNullItems(const ArrayDataPtr& items, arrow::MemoryPool* pool) {
  ValidItems out;
  const std::shared_ptr<arrow::Array> array = arrow::MakeArray(items);
  arrow::ArrayVector runs;
  int64_t kept = 0;
  for (int64_t i = 0; i < array->length(); ++i) {
    out.numbers.push_back(array->IsValid(i) ? kept++ : -1);
    if (array->IsNull(i)) continue;
    if (i > 0 && array->IsValid(i - 1)) {
      runs.back() = array->Slice(i - runs.back()->length(), runs.back()->length() + 1);
    } else {
      runs.push_back(array->Slice(i, 1));
    }
  }
  if (runs.empty()) runs.push_back(array->Slice(0, 0));
  ARROW_ASSIGN_OR_RAISE(auto valid, arrow::Concatenate(runs, pool));
  out.items = valid->data();
  return out;
}

// Moves the nulls of the dictionary to the keys.
template <typename Key>
Result<ArrayDataPtr> FoldDictionaryNulls(const arrow::ArrayData& array, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(ValidItems valid, DropNullItems(array.dictionary, pool));
  const auto count = static_cast<uint64_t>(array.length);
  ARROW_ASSIGN_OR_RAISE(auto keys, ScratchArray<Key>::Allocate(count, pool));
  ARROW_ASSIGN_OR_RAISE(auto validity, arrow::AllocateEmptyBitmap(array.length, pool));
  for (int64_t i = 0; i < array.length; ++i) {
    const Key key = array.GetValues<Key>(1)[i];
    keys[static_cast<uint64_t>(i)] = 0;
    if (!array.IsValid(i) || key >= valid.numbers.size() || valid.numbers[key] < 0) continue;
    keys[static_cast<uint64_t>(i)] = static_cast<Key>(valid.numbers[key]);
    arrow::bit_util::SetBit(validity->mutable_data(), i);
  }
  ArrayDataPtr out =
      arrow::ArrayData::Make(array.type, array.length, {std::move(validity), keys.buffer()});
  out->dictionary = std::move(valid.items);
  return out;
}

Result<ArrayDataPtr> FoldDictionaryNulls(const arrow::ArrayData& array, int64_t key_bits,
                                         arrow::MemoryPool* pool) {
  switch (key_bits) {
    case 8:
      return FoldDictionaryNulls<uint8_t>(array, pool);
    case 16:
      return FoldDictionaryNulls<uint16_t>(array, pool);
    case 32:
      return FoldDictionaryNulls<uint32_t>(array, pool);
    default:
      return FoldDictionaryNulls<uint64_t>(array, pool);
  }
}

class Converter {
 public:
  explicit Converter(arrow::MemoryPool* pool) : pool_(pool) {}

  // The names of struct members must be those wanted, but for the entries of a map.
  Result<ArrayDataPtr> Convert(ArrayDataPtr array, const arrow::DataType& wanted,
                               const std::string& field, bool is_map_entry = false) const {
    if (array->type->id() == arrow::Type::EXTENSION) {
      array =
          WithType(*array, static_cast<const arrow::ExtensionType&>(*array->type).storage_type());
    }
    switch (wanted.id()) {
      case arrow::Type::STRUCT:
      case arrow::Type::MAP:
      case arrow::Type::LIST:
      case arrow::Type::LARGE_LIST:
      case arrow::Type::FIXED_SIZE_LIST:
        return ConvertNested(array, wanted, field, is_map_entry);
      case arrow::Type::DICTIONARY:
        return ConvertDictionary(std::move(array), wanted, field);
      default:
        break;
    }
    if (array->type->Equals(wanted)) return array;
    if (!IsViewOf(*array->type, wanted)) return Mismatch(wanted, *array->type, field);
    return FromView(*array, wanted.GetSharedPtr(), field, pool_);
  }

 private:
  Result<ArrayDataPtr> ConvertNested(const ArrayDataPtr& array, const arrow::DataType& wanted,
                                     const std::string& field, bool is_map_entry) const {
    const arrow::DataType& got = *array->type;
    if (got.id() != wanted.id() || got.num_fields() != wanted.num_fields()) {
      return Mismatch(wanted, got, field);
    }
    if (got.id() == arrow::Type::FIXED_SIZE_LIST &&
        static_cast<const arrow::FixedSizeListType&>(got).list_size() !=
            static_cast<const arrow::FixedSizeListType&>(wanted).list_size()) {
      return Mismatch(wanted, got, field);
    }
    ArrayDataPtr changed;
    for (int i = 0; i < wanted.num_fields(); ++i) {
      const auto& child_field = wanted.field(i);
      if (got.id() == arrow::Type::STRUCT && !is_map_entry &&
          got.field(i)->name() != child_field->name()) {
        return Mismatch(wanted, got, field);
      }
      const ArrayDataPtr& child = array->child_data[static_cast<size_t>(i)];
      ARROW_ASSIGN_OR_RAISE(ArrayDataPtr converted,
                            Convert(child, *child_field->type(), field + "." + child_field->name(),
                                    got.id() == arrow::Type::MAP));
      if (converted == child) continue;
      if (changed == nullptr) changed = WithType(*array, wanted.GetSharedPtr());
      changed->child_data[static_cast<size_t>(i)] = std::move(converted);
    }
    return changed == nullptr ? array : changed;
  }

  Result<ArrayDataPtr> ConvertDictionary(ArrayDataPtr array, const arrow::DataType& wanted,
                                         const std::string& field) const {
    const auto& type = static_cast<const arrow::DictionaryType&>(wanted);
    if (array->type->id() != arrow::Type::DICTIONARY ||
        !static_cast<const arrow::DictionaryType&>(*array->type)
             .index_type()
             ->Equals(type.index_type())) {
      return Mismatch(wanted, *array->type, field);
    }
    Result<ArrayDataPtr> items = Convert(array->dictionary, *type.value_type(), field);
    if (!items.ok()) return Mismatch(wanted, *array->type, field);
    if (*items != array->dictionary) {
      array = WithType(*array, wanted.GetSharedPtr());
      array->dictionary = *items;
    }
    if (array->dictionary->GetNullCount() == 0) return array;
    return FoldDictionaryNulls(*array, type.index_type()->bit_width(), pool_);
  }

  arrow::MemoryPool* const pool_;
};

}  // namespace

Result<std::shared_ptr<arrow::ArrayData>> ToStorageArray(std::shared_ptr<arrow::ArrayData> array,
                                                         const arrow::DataType& wanted,
                                                         const std::string& field,
                                                         arrow::MemoryPool* pool) {
  return Converter(pool).Convert(std::move(array), wanted, field);
}

}  // namespace lance::encoding
