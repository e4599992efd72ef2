#include "dataset/value_layout.h"

#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/binary_view_util.h"
#include "base/compute_kernels.h"
#include "dataset/copy_validity.h"
#include "dataset/dictionary_keys.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using BufferPtr = std::shared_ptr<arrow::Buffer>;
using TypePtr = std::shared_ptr<arrow::DataType>;
using View = arrow::BinaryViewType::c_type;

constexpr auto kMaxViewBytes = static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
constexpr int64_t kNull = -1;
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max();

bool IsView(const arrow::DataType& type) {
  return type.id() == Type::STRING_VIEW || type.id() == Type::BINARY_VIEW;
}
bool HasSmallOffsets(const arrow::DataType& type) {
  return type.id() == Type::STRING || type.id() == Type::BINARY;
}
bool HasLargeOffsets(const arrow::DataType& type) {
  return type.id() == Type::LARGE_STRING || type.id() == Type::LARGE_BINARY;
}
bool IsPlain(const arrow::DataType& type) { return HasSmallOffsets(type) || HasLargeOffsets(type); }

std::string EncodingName(const arrow::DataType& type) {
  return EncodingOfInput(*arrow::field("", type.GetSharedPtr()));
}

/// Of what doesn't fit, without the name of the layout that was asked for.
Status Overflow(std::string what) {
  return Status(arrow::StatusCode::CapacityError, std::move(what),
                std::make_shared<ErrorDetail>(ErrorCode::kUserInput, ErrorPlace()));
}

Status TooManyBytes(uint64_t bytes) {
  return Overflow(internal::Concat(bytes, " bytes of values"));
}

Result<ArrayPtr> Convert(const ArrayPtr& values, const TypePtr& type, arrow::MemoryPool* pool);

Status NoLayout(const arrow::DataType& from, const arrow::DataType& to) {
  return Corrupt("values of ", from.ToString(), " have no layout ", to.ToString());
}

template <typename T>
Result<BufferPtr> Allocate(int64_t count, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(T)), pool));
  return BufferPtr(std::move(buffer));
}

template <typename T>
T* Values(const BufferPtr& buffer) {
  return reinterpret_cast<T*>(buffer->mutable_data());
}

Result<ArrayPtr> MakeStrings(const TypePtr& type, const arrow::Array& shape, BufferPtr offsets,
                             BufferPtr bytes, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(shape, pool));
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, shape.length(), {std::move(validity), std::move(offsets), std::move(bytes)}));
}

/// Strings whose values end where offsets say, of either width.
struct Strings {
  explicit Strings(const arrow::Array& array)
      : is_large(HasLargeOffsets(*array.type())),
        small(is_large || array.length() == 0 ? nullptr : array.data()->GetValues<int32_t>(1)),
        large(!is_large || array.length() == 0 ? nullptr : array.data()->GetValues<int64_t>(1)),
        bytes(array.data()->buffers[2]),
        length(array.length()) {}

  int64_t offset(int64_t i) const {
    if (length == 0) return 0;
    return is_large ? large[i] : small[i];
  }
  const uint8_t* data() const { return bytes == nullptr ? nullptr : bytes->data(); }

  bool is_large;
  const int32_t* small;
  const int64_t* large;
  BufferPtr bytes;
  int64_t length;
};

template <typename Offset>
Result<ArrayPtr> ChangeOffsets(const arrow::Array& array, const TypePtr& type,
                               arrow::MemoryPool* pool) {
  const Strings strings(array);
  const int64_t first = strings.offset(0);
  const auto total = static_cast<uint64_t>(strings.offset(strings.length) - first);
  if (total > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
    return TooManyBytes(total);
  }
  ARROW_ASSIGN_OR_RAISE(auto offsets, Allocate<Offset>(strings.length + 1, pool));
  auto* out = Values<Offset>(offsets);
  for (int64_t i = 0; i <= strings.length; ++i) {
    out[i] = static_cast<Offset>(strings.offset(i) - first);
  }
  BufferPtr bytes = strings.bytes;
  if (bytes != nullptr) bytes = arrow::SliceBuffer(bytes, first, static_cast<int64_t>(total));
  return MakeStrings(type, array, std::move(offsets), std::move(bytes), pool);
}

/// Views of strings: each buffer of theirs is a part of the bytes that they can point into.
template <typename Offset>
Result<ArrayPtr> MakeViews(const arrow::Array& array, const TypePtr& type,
                           arrow::MemoryPool* pool) {
  const int64_t length = array.length();
  ARROW_ASSIGN_OR_RAISE(auto views, Allocate<View>(length, pool));
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool));
  auto* out = Values<View>(views);
  std::vector<BufferPtr> buffers = {std::move(validity), std::move(views)};
  const auto finish = [&] {
    return arrow::MakeArray(arrow::ArrayData::Make(type, length, std::move(buffers)));
  };
  if (length == 0) return finish();
  const Offset* offsets = array.data()->GetValues<Offset>(1);
  const BufferPtr& bytes = array.data()->buffers[2];
  const uint8_t* data = bytes == nullptr ? nullptr : bytes->data();
  int64_t base = offsets[0];
  int32_t index = 0;
  for (int64_t i = 0; i < length; ++i) {
    const auto begin = static_cast<int64_t>(offsets[i]);
    const auto end = static_cast<int64_t>(offsets[i + 1]);
    const auto size = static_cast<uint64_t>(end - begin);
    if (size > kMaxViewBytes) return TooManyBytes(size);
    if (static_cast<uint64_t>(end - base) > kMaxViewBytes) {
      buffers.push_back(arrow::SliceBuffer(bytes, base, begin - base));
      base = begin;
      ++index;
    }
    out[i] = arrow::util::ToBinaryView(data + begin, static_cast<int32_t>(size), index,
                                       static_cast<int32_t>(begin - base));
  }
  const auto end = static_cast<int64_t>(offsets[length]);
  if (end > base) buffers.push_back(arrow::SliceBuffer(bytes, base, end - base));
  return finish();
}

/// Copies the values that `value_at` gives, one after the other.
template <typename Offset, typename ValueAt>
Result<ArrayPtr> CopyValues(const arrow::Array& shape, const ValueAt& value_at, const TypePtr& type,
                            arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto offsets, Allocate<Offset>(shape.length() + 1, pool));
  auto* ends = Values<Offset>(offsets);
  uint64_t total = 0;
  ends[0] = 0;
  for (int64_t i = 0; i < shape.length(); ++i) {
    total += value_at(i).size();
    ends[i + 1] = static_cast<Offset>(total);
  }
  if (total > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
    return TooManyBytes(total);
  }
  ARROW_ASSIGN_OR_RAISE(auto bytes, Allocate<uint8_t>(static_cast<int64_t>(total), pool));
  uint8_t* out = bytes->mutable_data();
  for (int64_t i = 0; i < shape.length(); ++i) {
    const std::string_view value = value_at(i);
    if (!value.empty()) std::memcpy(out, value.data(), value.size());
    out += value.size();
  }
  return MakeStrings(type, shape, std::move(offsets), std::move(bytes), pool);
}

template <typename ValueAt>
Result<ArrayPtr> CopyStrings(const arrow::Array& shape, const ValueAt& value_at,
                             const TypePtr& type, arrow::MemoryPool* pool) {
  if (HasLargeOffsets(*type)) return CopyValues<int64_t>(shape, value_at, type, pool);
  return CopyValues<int32_t>(shape, value_at, type, pool);
}

Result<ArrayPtr> CopyViews(const arrow::Array& array, const TypePtr& type,
                           arrow::MemoryPool* pool) {
  const auto& views = static_cast<const arrow::BinaryViewArray&>(array);
  auto value_at = [&](int64_t i) {
    return views.IsValid(i) ? views.GetView(i) : std::string_view();
  };
  return CopyStrings(array, value_at, type, pool);
}

template <typename Key>
void AppendPlaces(const arrow::DictionaryArray& array, std::vector<int64_t>* places) {
  const Key* keys = array.indices()->data()->GetValues<Key>(1);
  for (int64_t i = 0; i < array.length(); ++i) {
    const auto key = static_cast<int64_t>(keys[i]);
    places->push_back(array.IsNull(i) ? kNull : key < 0 ? kNowhere : key);
  }
}

/// Of each value its place in the dictionary, or kNull.
Result<std::vector<int64_t>> PlacesOf(const arrow::DictionaryArray& array) {
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(array.length()));
  switch (array.indices()->type_id()) {
    case Type::INT8:
      AppendPlaces<int8_t>(array, &places);
      break;
    case Type::UINT8:
      AppendPlaces<uint8_t>(array, &places);
      break;
    case Type::INT16:
      AppendPlaces<int16_t>(array, &places);
      break;
    case Type::UINT16:
      AppendPlaces<uint16_t>(array, &places);
      break;
    case Type::INT32:
      AppendPlaces<int32_t>(array, &places);
      break;
    case Type::UINT32:
      AppendPlaces<uint32_t>(array, &places);
      break;
    case Type::INT64:
      AppendPlaces<int64_t>(array, &places);
      break;
    default:
      AppendPlaces<uint64_t>(array, &places);
      break;
  }
  const int64_t items = array.dictionary()->length();
  for (int64_t place : places) {
    if (place >= items) {
      return UserError("key of a dictionary is out of bounds: it has ", items, " values");
    }
  }
  return places;
}

/// Views of the values of a dictionary, at the places of its keys.
Result<ArrayPtr> ViewsOfDictionary(const arrow::DictionaryArray& array, const TypePtr& type,
                                   arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto items, Convert(array.dictionary(), type, pool));
  const View* item_views = items->data()->GetValues<View>(1);
  ARROW_ASSIGN_OR_RAISE(auto views, Allocate<View>(array.length(), pool));
  auto* out = Values<View>(views);
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> places, PlacesOf(array));
  for (size_t i = 0; i < places.size(); ++i) {
    out[i] = places[i] == kNull ? View{} : item_views[places[i]];
  }
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool));
  auto buffers = items->data()->buffers;
  buffers[0] = std::move(validity);
  buffers[1] = std::move(views);
  return arrow::MakeArray(arrow::ArrayData::Make(type, array.length(), std::move(buffers)));
}

/// Nulls among the values become nulls of the keys.
Result<ArrayPtr> WithoutNullItems(const arrow::DictionaryArray& array, arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(pool);
  ARROW_ASSIGN_OR_RAISE(auto plain,
                        arrow::compute::Take(*array.dictionary(), *array.indices(),
                                             arrow::compute::TakeOptions::Defaults(), &exec));
  return plain;
}

Result<ArrayPtr> DecodeDictionary(const arrow::DictionaryArray& array, const TypePtr& type,
                                  arrow::MemoryPool* pool) {
  if (array.dictionary()->null_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(auto plain, WithoutNullItems(array, pool));
    return Convert(plain, type, pool);
  }
  if (IsView(*type)) return ViewsOfDictionary(array, type, pool);
  const Strings items(*array.dictionary());
  ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> places, PlacesOf(array));
  const auto* bytes = reinterpret_cast<const char*>(items.data());
  auto value_at = [&](int64_t i) {
    const int64_t place = places[static_cast<size_t>(i)];
    if (place == kNull) return std::string_view();
    const int64_t begin = items.offset(place);
    return std::string_view(bytes + begin, static_cast<size_t>(items.offset(place + 1) - begin));
  };
  return CopyStrings(array, value_at, type, pool);
}

/// The dictionary with the keys and the values of another type of dictionary.
Result<ArrayPtr> ChangeDictionary(const arrow::DictionaryArray& array,
                                  const arrow::DictionaryType& type, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto items, Convert(array.dictionary(), type.value_type(), pool));
  ArrayPtr keys = array.indices();
  if (!keys->type()->Equals(*type.index_type())) {
    const auto count = static_cast<uint64_t>(array.dictionary()->length());
    ARROW_ASSIGN_OR_RAISE(keys, ChangeKeys(keys, count, type.index_type(), pool));
  }
  return std::make_shared<arrow::DictionaryArray>(type.GetSharedPtr(), std::move(keys),
                                                  std::move(items));
}

Result<ArrayPtr> EncodeDictionary(const ArrayPtr& values, const arrow::DictionaryType& type,
                                  arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(pool);
  ARROW_ASSIGN_OR_RAISE(auto encoded,
                        arrow::compute::DictionaryEncode(
                            values, arrow::compute::DictionaryEncodeOptions::Defaults(), &exec));
  auto array = std::static_pointer_cast<arrow::DictionaryArray>(encoded.make_array());
  const auto items = static_cast<uint64_t>(array->dictionary()->length());
  if (items > KeyCapacity(*type.index_type())) {
    return Overflow(internal::Concat(items, " different values"));
  }
  return ChangeDictionary(*array, type, pool);
}

TypePtr LargeTypeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      return arrow::large_utf8();
    default:
      return arrow::large_binary();
  }
}

Result<ArrayPtr> ToDictionary(const ArrayPtr& values, const TypePtr& type,
                              arrow::MemoryPool* pool) {
  const auto& wanted = static_cast<const arrow::DictionaryType&>(*type);
  if (values->type_id() != Type::DICTIONARY) {
    if (!IsView(*values->type())) return EncodeDictionary(values, wanted, pool);
    ARROW_ASSIGN_OR_RAISE(auto plain, Convert(values, LargeTypeOf(*values->type()), pool));
    return EncodeDictionary(plain, wanted, pool);
  }
  const auto& array = static_cast<const arrow::DictionaryArray&>(*values);
  const auto items = static_cast<uint64_t>(array.dictionary()->length());
  if (items <= KeyCapacity(*wanted.index_type())) return ChangeDictionary(array, wanted, pool);
  // Few of them may be in use.
  ARROW_ASSIGN_OR_RAISE(auto plain,
                        Convert(values, LargeTypeOf(*array.dictionary()->type()), pool));
  return EncodeDictionary(plain, wanted, pool);
}

bool SameDomain(const arrow::DataType& a, const arrow::DataType& b) {
  return LargeTypeOf(a)->id() == LargeTypeOf(b)->id();
}

const arrow::DataType& ItemType(const arrow::DataType& type) {
  if (type.id() != Type::DICTIONARY) return type;
  return *static_cast<const arrow::DictionaryType&>(type).value_type();
}

bool IsStrings(const arrow::DataType& type) {
  const arrow::DataType& items = ItemType(type);
  return IsPlain(items) || IsView(items);
}

/// The dictionary with plain strings in the place of views.
Result<ArrayPtr> WithPlainItems(const ArrayPtr& values, arrow::MemoryPool* pool) {
  const auto& array = static_cast<const arrow::DictionaryArray&>(*values);
  const auto& type = static_cast<const arrow::DictionaryType&>(*values->type());
  ARROW_ASSIGN_OR_RAISE(
      auto items, Convert(array.dictionary(), LargeTypeOf(*array.dictionary()->type()), pool));
  return std::make_shared<arrow::DictionaryArray>(
      arrow::dictionary(type.index_type(), items->type(), type.ordered()), array.indices(), items);
}

bool IsDecimalOf(const arrow::DataType& a, const arrow::DataType& b) {
  if (!arrow::is_decimal(a.id()) || !arrow::is_decimal(b.id())) return false;
  const auto& one = static_cast<const arrow::DecimalType&>(a);
  const auto& other = static_cast<const arrow::DecimalType&>(b);
  return one.precision() == other.precision() && one.scale() == other.scale();
}

Result<ArrayPtr> Convert(const ArrayPtr& values, const TypePtr& type, arrow::MemoryPool* pool) {
  const arrow::DataType& from = *values->type();
  if (from.Equals(*type)) return values;
  if (IsDecimalOf(from, *type)) {
    ARROW_RETURN_NOT_OK(InitializeComputeKernels());
    arrow::compute::ExecContext exec(pool);
    return arrow::compute::Cast(*values, type, arrow::compute::CastOptions::Safe(), &exec);
  }
  const bool has_layout =
      IsStrings(from) && IsStrings(*type) && SameDomain(ItemType(from), ItemType(*type));
  if (!has_layout) return NoLayout(from, *type);
  if (from.id() == Type::DICTIONARY && IsView(ItemType(from))) {
    ARROW_ASSIGN_OR_RAISE(auto plain, WithPlainItems(values, pool));
    return Convert(plain, type, pool);
  }
  if (type->id() == Type::DICTIONARY) return ToDictionary(values, type, pool);
  if (from.id() == Type::DICTIONARY) {
    return DecodeDictionary(static_cast<const arrow::DictionaryArray&>(*values), type, pool);
  }
  if (IsView(from)) return CopyViews(*values, type, pool);
  if (IsView(*type)) {
    return HasLargeOffsets(from) ? MakeViews<int64_t>(*values, type, pool)
                                 : MakeViews<int32_t>(*values, type, pool);
  }
  return HasLargeOffsets(*type) ? ChangeOffsets<int64_t>(*values, type, pool)
                                : ChangeOffsets<int32_t>(*values, type, pool);
}

/// What else the values may be read as.
std::string Alternatives(const arrow::DataType& type) {
  const std::string large = EncodingName(*LargeTypeOf(ItemType(type)));
  if (type.id() == Type::DICTIONARY) return "with larger keys, or as " + large;
  return IsView(type) ? "as " + large : "as " + large + " or a view";
}

}  // namespace

Status LayoutOverflow(std::string_view what, std::string_view encoding,
                      std::string_view alternatives) {
  return Overflow(internal::Concat(what, ": more than the output encoding ", encoding,
                                   " can hold; read fewer rows at a time, or ", alternatives));
}

bool IsLayoutOverflow(const Status& status) { return status.IsCapacityError(); }

Result<ArrayPtr> ToLayout(const ArrayPtr& values, const TypePtr& type, arrow::MemoryPool* pool) {
  auto converted = Convert(values, type, pool);
  if (!IsLayoutOverflow(converted.status())) return converted;
  return LayoutOverflow(converted.status().message(), EncodingName(*type), Alternatives(*type));
}

}  // namespace lance
