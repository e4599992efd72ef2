#include "file/assemble.h"

#include <algorithm>
#include <span>

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/array/data.h"
#include "arrow/array/util.h"
#include "arrow/buffer.h"
#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "file/check_utf8.h"
#include "file/null_items.h"

namespace lance {
namespace {

using arrow::ArrayData;
using encoding::DecodedBlock;
using encoding::LayerArrays;
using encoding::LeafSink;
using ArrayDataPtr = std::shared_ptr<ArrayData>;

class Assembler {
 public:
  Assembler(std::span<LeafArrays> leaves, arrow::MemoryPool* pool) : leaves_(leaves), pool_(pool) {}

  Result<ArrayDataPtr> Build(const arrow::DataType& type, const Field& field, size_t depth) {
    if (type.id() == arrow::Type::EXTENSION) {
      const auto& extension = static_cast<const arrow::ExtensionType&>(type);
      ARROW_ASSIGN_OR_RAISE(auto data, Build(*extension.storage_type(), field, depth));
      data->type = const_cast<arrow::DataType&>(type).shared_from_this();
      return data;
    }
    if (field.IsLeaf()) return BuildLeaf(type, depth);
    if (next_ >= leaves_.size()) return Corrupt("column is missing");
    const LayerArrays& layer = leaves_[next_].layers[depth];
    switch (type.id()) {
      case arrow::Type::STRUCT:
        return BuildStruct(type, field, layer, depth);
      case arrow::Type::FIXED_SIZE_LIST: {
        auto data = Make(type, layer, {layer.validity});
        const auto size =
            static_cast<uint64_t>(static_cast<const arrow::FixedSizeListType&>(type).list_size());
        return AddChild(std::move(data), type, field, layer.length * size, depth);
      }
      case arrow::Type::LIST:
      case arrow::Type::MAP: {
        auto data = Make(type, layer, {layer.validity, layer.offsets});
        const auto items = reinterpret_cast<const int32_t*>(layer.offsets->data())[layer.length];
        return AddChild(std::move(data), type, field, static_cast<uint64_t>(items), depth);
      }
      case arrow::Type::LARGE_LIST: {
        auto data = Make(type, layer, {layer.validity, layer.offsets});
        const auto items = reinterpret_cast<const int64_t*>(layer.offsets->data())[layer.length];
        return AddChild(std::move(data), type, field, static_cast<uint64_t>(items), depth);
      }
      default:
        return Unsupported("nested column of type ", type.ToString());
    }
  }

 private:
  static ArrayDataPtr Make(const arrow::DataType& type, const LayerArrays& layer,
                           std::vector<std::shared_ptr<arrow::Buffer>> buffers) {
    return ArrayData::Make(const_cast<arrow::DataType&>(type).shared_from_this(),
                           static_cast<int64_t>(layer.length), std::move(buffers),
                           layer.null_count);
  }

  Result<ArrayDataPtr> BuildStruct(const arrow::DataType& type, const Field& field,
                                   const LayerArrays& layer, size_t depth) {
    auto data = Make(type, layer, {layer.validity});
    for (size_t i = 0; i < field.children.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto child, Build(*type.field(static_cast<int>(i))->type(),
                                              field.children[i], depth + 1));
      if (static_cast<uint64_t>(child->length) != layer.length) {
        return Corrupt("struct members have ", child->length, " and ", layer.length, " values");
      }
      data->child_data.push_back(std::move(child));
    }
    return data;
  }

  Result<ArrayDataPtr> AddChild(ArrayDataPtr data, const arrow::DataType& type, const Field& field,
                                uint64_t length, size_t depth) {
    ARROW_ASSIGN_OR_RAISE(auto child, Build(*type.field(0)->type(), field.children[0], depth + 1));
    if (static_cast<uint64_t>(child->length) != length) {
      return Corrupt("list has ", child->length, " items, its offsets say ", length);
    }
    if (type.id() == arrow::Type::MAP &&
        (child->GetNullCount() != 0 || child->child_data[0]->GetNullCount() != 0)) {
      return Corrupt("map has null entries or keys");
    }
    data->child_data.push_back(std::move(child));
    return data;
  }

  Result<ArrayDataPtr> BuildLeaf(const arrow::DataType& type, size_t depth) {
    if (next_ >= leaves_.size()) return Corrupt("column is missing");
    LeafArrays& leaf = leaves_[next_++];
    return BuildValues(type, leaf.layers[depth], *leaf.sink);
  }

  Result<ArrayDataPtr> BuildValues(const arrow::DataType& type, const LayerArrays& layer,
                                   LeafSink& sink) {
    switch (type.id()) {
      case arrow::Type::EXTENSION: {
        const auto& extension = static_cast<const arrow::ExtensionType&>(type);
        ARROW_ASSIGN_OR_RAISE(auto data, BuildValues(*extension.storage_type(), layer, sink));
        data->type = const_cast<arrow::DataType&>(type).shared_from_this();
        return data;
      }
      case arrow::Type::NA: {
        auto data = Make(type, layer, {nullptr});
        data->null_count = data->length;
        return data;
      }
      case arrow::Type::STRUCT:
        return BuildStructLeaf(type, layer, sink);
      case arrow::Type::DICTIONARY:
        return BuildDictionary(type, layer, sink);
      case arrow::Type::FIXED_SIZE_LIST: {
        ARROW_ASSIGN_OR_RAISE(auto values, sink.FinishFixed());
        return BuildFixedSizeList(type, layer, sink, 0, std::move(values));
      }
      default:
        break;
    }
    if (sink.shape().values == encoding::LeafShape::Values::kVariable) {
      ARROW_ASSIGN_OR_RAISE(auto offsets, sink.FinishOffsets());
      ARROW_ASSIGN_OR_RAISE(auto bytes, sink.FinishData());
      auto data = Make(type, layer, {layer.validity, std::move(offsets), std::move(bytes)});
      ARROW_RETURN_NOT_OK(CheckUtf8(*data));
      return data;
    }
    ARROW_ASSIGN_OR_RAISE(auto values, sink.FinishFixed());
    return Make(type, layer, {layer.validity, std::move(values)});
  }

  // A struct without members, which is never null, or a packed one.
  Result<ArrayDataPtr> BuildStructLeaf(const arrow::DataType& type, const LayerArrays& layer,
                                       LeafSink& sink) {
    if (sink.shape().members.empty()) {
      auto data = Make(type, layer, {nullptr});
      data->null_count = 0;
      return data;
    }
    auto data = Make(type, layer, {layer.validity});
    LayerArrays all_valid;
    all_valid.length = layer.length;
    for (size_t i = 0; i < sink.shape().members.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto child, BuildValues(*type.field(static_cast<int>(i))->type(),
                                                    all_valid, sink.member(i)));
      data->child_data.push_back(std::move(child));
    }
    return data;
  }

  Result<ArrayDataPtr> BuildFixedSizeList(const arrow::DataType& type, const LayerArrays& layer,
                                          LeafSink& sink, size_t depth,
                                          std::shared_ptr<arrow::Buffer> values) {
    auto data = Make(type, layer, {layer.validity});
    const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
    LayerArrays items;
    items.length = layer.length * static_cast<uint64_t>(list.list_size());
    items.validity = sink.FinishItemValidity(depth);
    items.null_count = items.validity == nullptr ? 0 : arrow::kUnknownNullCount;
    const arrow::DataType& item = *list.value_type();
    if (item.id() == arrow::Type::FIXED_SIZE_LIST) {
      ARROW_ASSIGN_OR_RAISE(auto child,
                            BuildFixedSizeList(item, items, sink, depth + 1, std::move(values)));
      data->child_data.push_back(std::move(child));
    } else if (!arrow::is_fixed_width(item.id())) {
      ARROW_ASSIGN_OR_RAISE(
          auto nulls,
          arrow::MakeArrayOfNull(list.value_type(), static_cast<int64_t>(items.length), pool_));
      data->child_data.push_back(nulls->data());
    } else {
      data->child_data.push_back(Make(item, items, {items.validity, std::move(values)}));
    }
    return data;
  }

  // An Arrow array of the items of a page's dictionary.
  Result<ArrayDataPtr> DictionaryItems(const std::shared_ptr<arrow::DataType>& type,
                                       const DecodedBlock* items, bool large_offsets) {
    if (items == nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto empty, arrow::MakeEmptyArray(type, pool_));
      return empty->data();
    }
    const auto length = static_cast<int64_t>(items->num_values);
    if (!items->variable) return ArrayData::Make(type, length, {items->validity, items->values});
    if (large_offsets) {
      auto data = ArrayData::Make(type, length, {items->validity, items->offsets, items->values});
      ARROW_RETURN_NOT_OK(CheckUtf8(*data));
      return data;
    }
    const int64_t* wide = items->offset_data();
    if (wide[length] > std::numeric_limits<int32_t>::max()) {
      return MakeError(ErrorCode::kOverBudget, "dictionary of strings exceeds 2 GiB");
    }
    ARROW_ASSIGN_OR_RAISE(auto narrow, arrow::AllocateBuffer((length + 1) * 4, pool_));
    auto* out = reinterpret_cast<int32_t*>(narrow->mutable_data());
    for (int64_t i = 0; i <= length; ++i) out[i] = static_cast<int32_t>(wide[i]);
    auto data = ArrayData::Make(type, length, {items->validity, std::move(narrow), items->values});
    ARROW_RETURN_NOT_OK(CheckUtf8(*data));
    return data;
  }

  // Each page brought its own dictionary: one array a page, then unified.
  Result<ArrayDataPtr> BuildDictionary(const arrow::DataType& type, const LayerArrays& layer,
                                       LeafSink& sink) {
    const auto& dictionary_type = static_cast<const arrow::DictionaryType&>(type);
    const bool large = sink.shape().dictionary_large_offsets;
    ARROW_ASSIGN_OR_RAISE(auto indices, sink.FinishFixed());
    auto data = Make(type, layer, {layer.validity, std::move(indices)});
    std::vector<LeafSink::DictionarySegment> segments = sink.dictionary_segments();
    if (segments.empty()) segments.push_back({0, nullptr});
    arrow::ArrayVector pieces;
    for (size_t i = 0; i < segments.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto items, DictionaryItems(dictionary_type.value_type(),
                                                        segments[i].items.get(), large));
      const auto begin = static_cast<int64_t>(segments[i].first_value);
      const int64_t end = i + 1 < segments.size()
                              ? static_cast<int64_t>(segments[i + 1].first_value)
                              : data->length;
      if (segments.size() == 1) {
        data->dictionary = std::move(items);
        ARROW_RETURN_NOT_OK(CheckIndices(*data));
        return data;
      }
      auto piece = data->Slice(begin, end - begin);
      piece->dictionary = std::move(items);
      ARROW_RETURN_NOT_OK(CheckIndices(*piece));
      pieces.push_back(arrow::MakeArray(WithoutNullItems(piece)));
    }
    ARROW_ASSIGN_OR_RAISE(auto unified, arrow::Concatenate(pieces, pool_));
    return unified->data();
  }

  // Keys of valid rows must be inside the dictionary; those under nulls are set to 0.
  static Status CheckIndices(ArrayData& data) {
    const arrow::DataType& keys =
        *static_cast<const arrow::DictionaryType&>(*data.type).index_type();
    const int32_t bits = static_cast<const arrow::FixedWidthType&>(keys).bit_width();
    auto items = static_cast<uint64_t>(data.dictionary->length);
    // A negative key shows as a large one.
    if (arrow::is_signed_integer(keys.id())) items = std::min(items, uint64_t{1} << (bits - 1));
    switch (bits) {
      case 8:
        return CheckIndicesAs<uint8_t>(data, items);
      case 16:
        return CheckIndicesAs<uint16_t>(data, items);
      case 32:
        return CheckIndicesAs<uint32_t>(data, items);
      default:
        return CheckIndicesAs<uint64_t>(data, items);
    }
  }

  template <typename Index>
  static Status CheckIndicesAs(ArrayData& data, uint64_t items) {
    auto* indices = reinterpret_cast<Index*>(data.buffers[1]->mutable_data()) + data.offset;
    const uint8_t* valid = data.buffers[0] == nullptr ? nullptr : data.buffers[0]->data();
    for (int64_t i = 0; i < data.length; ++i) {
      if (indices[i] < items) continue;
      if (valid == nullptr || arrow::bit_util::GetBit(valid, data.offset + i)) {
        return Corrupt("dictionary key ", uint64_t{indices[i]}, ", with ", items, " items present");
      }
      indices[i] = 0;
    }
    return Status::OK();
  }

  std::span<LeafArrays> leaves_;
  arrow::MemoryPool* pool_;
  size_t next_ = 0;
};

}  // namespace

Result<std::shared_ptr<arrow::Array>> AssembleField(const Field& field,
                                                    const std::shared_ptr<arrow::DataType>& type,
                                                    std::span<LeafArrays> leaves,
                                                    arrow::MemoryPool* pool) {
  Assembler assembler(leaves, pool);
  ARROW_ASSIGN_OR_RAISE(auto data, assembler.Build(*type, field, 0));
  return arrow::MakeArray(data);
}

}  // namespace lance
