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
#include "encoding/dictionary_keys.h"
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
    const auto width = static_cast<int32_t>(sink.shape().value_bits / 8);
    ARROW_ASSIGN_OR_RAISE(auto keys, sink.FinishFixed());
    std::vector<LeafSink::DictionarySegment> segments = sink.dictionary_segments();
    if (segments.empty()) segments.emplace_back();
    std::vector<ArrayDataPtr> dictionaries;
    std::shared_ptr<arrow::Buffer> validity = layer.validity;
    for (size_t i = 0; i < segments.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          dictionaries.emplace_back(),
          DictionaryItems(dictionary_type.value_type(), segments[i].items.get(), large));
      Keys checked{.begin = static_cast<int64_t>(segments[i].first_value),
                   .end = EndOf(segments, i, layer),
                   .items = static_cast<uint64_t>(dictionaries.back()->length)};
      if (segments[i].items == nullptr) {
        // A page of nulls, also where these are nulls of a struct above.
        ARROW_ASSIGN_OR_RAISE(validity, WithNulls(validity, layer.length, checked));
        std::fill(keys->mutable_data() + checked.begin * width,
                  keys->mutable_data() + checked.end * width, uint8_t{0});
        continue;
      }
      if (arrow::is_signed_integer(dictionary_type.index_type()->id())) {
        // A negative key shows as a large one.
        checked.items = std::min(checked.items, uint64_t{1} << (8 * width - 1));
      }
      if (segments[i].keys_below == static_cast<uint64_t>(checked.end - checked.begin)) continue;
      ARROW_RETURN_NOT_OK(CheckKeys(checked, layer, width, keys->mutable_data()));
    }
    auto data = Make(type, layer, {validity, std::move(keys)});
    data->null_count = arrow::kUnknownNullCount;
    if (segments.size() == 1) {
      data->dictionary = std::move(dictionaries[0]);
      return data;
    }
    arrow::ArrayVector pieces;
    for (size_t i = 0; i < segments.size(); ++i) {
      const auto begin = static_cast<int64_t>(segments[i].first_value);
      auto piece = data->Slice(begin, EndOf(segments, i, layer) - begin);
      piece->dictionary = std::move(dictionaries[i]);
      pieces.push_back(arrow::MakeArray(WithoutNullItems(piece)));
    }
    ARROW_ASSIGN_OR_RAISE(auto unified, arrow::Concatenate(pieces, pool_));
    return unified->data();
  }

  static int64_t EndOf(const std::vector<LeafSink::DictionarySegment>& segments, size_t i,
                       const LayerArrays& layer) {
    return static_cast<int64_t>(i + 1 < segments.size() ? segments[i + 1].first_value
                                                        : layer.length);
  }

  // The keys of one dictionary, which has so many items.
  struct Keys {
    int64_t begin;
    int64_t end;
    uint64_t items;
  };

  // A copy of the validity (null: all are valid) of so many slots, without those of the keys.
  Result<std::shared_ptr<arrow::Buffer>> WithNulls(const std::shared_ptr<arrow::Buffer>& validity,
                                                   int64_t slots, const Keys& keys) {
    if (keys.begin == keys.end) return validity;
    ARROW_ASSIGN_OR_RAISE(auto copy, arrow::AllocateBitmap(slots, pool_));
    std::fill(copy->mutable_data(), copy->mutable_data() + copy->size(), uint8_t{0xFF});
    if (validity != nullptr) {
      std::copy_n(validity->data(), arrow::bit_util::BytesForBits(slots), copy->mutable_data());
    }
    arrow::bit_util::SetBitsTo(copy->mutable_data(), keys.begin, keys.end - keys.begin, false);
    return std::shared_ptr<arrow::Buffer>(std::move(copy));
  }

  // Keys of valid rows must be inside the dictionary; those under nulls are set to 0.
  static Status CheckKeys(const Keys& keys, const LayerArrays& layer, int32_t width,
                          uint8_t* bytes) {
    const int64_t count = keys.end - keys.begin;
    if (encoding::AreBelow(keys.items, bytes + keys.begin * width, count, width))
      return Status::OK();
    switch (width) {
      case 1:
        return CheckKeysAs<uint8_t>(keys, layer, bytes);
      case 2:
        return CheckKeysAs<uint16_t>(keys, layer, bytes);
      case 4:
        return CheckKeysAs<uint32_t>(keys, layer, bytes);
      default:
        return CheckKeysAs<uint64_t>(keys, layer, bytes);
    }
  }

  template <typename Key>
  static Status CheckKeysAs(const Keys& keys, const LayerArrays& layer, uint8_t* bytes) {
    auto* typed = reinterpret_cast<Key*>(bytes);
    const uint8_t* valid = layer.validity == nullptr ? nullptr : layer.validity->data();
    for (int64_t i = keys.begin; i < keys.end; ++i) {
      if (typed[i] < keys.items) continue;
      if (valid == nullptr || arrow::bit_util::GetBit(valid, i)) {
        return Corrupt("dictionary key ", uint64_t{typed[i]}, ", with ", keys.items,
                       " items present");
      }
      typed[i] = 0;
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
