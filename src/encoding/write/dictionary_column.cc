// Columns of Arrow's dictionary type.
#include <algorithm>
#include <cstring>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/array_dict.h"
#include "arrow/array/data.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "encoding/dictionary_keys.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

// The items of a dictionary array, as leaf slots without nulls.
Result<LeafBlock> ItemsOf(const std::shared_ptr<arrow::ArrayData>& dictionary,
                          arrow::MemoryPool* pool) {
  ShreddedRows rows;
  rows.num_values = rows.num_items = rows.num_rows = static_cast<uint64_t>(dictionary->length);
  if (dictionary->length > 0) {
    rows.leaves.push_back({dictionary.get(), dictionary->offset, dictionary->length});
  }
  ARROW_ASSIGN_OR_RAISE(LeafBlock items, GatherLeaves(*dictionary->type, rows, pool));
  for (const auto& buffer : dictionary->buffers) {
    if (buffer != nullptr) items.owned.push_back(buffer);
  }
  return items;
}

bool SameDictionary(const std::shared_ptr<arrow::ArrayData>& a,
                    const std::shared_ptr<arrow::ArrayData>& b) {
  return a == b || arrow::MakeArray(a)->Equals(*arrow::MakeArray(b));
}

Status OutOfRange(uint64_t key, uint64_t items) {
  return UserError("dictionary key is out of range: ", key, " of ", items,
                   " items; repair the column before writing");
}

// A dictionary without items can only have null keys, which no number stands for. Checks those of
// the slots [first, first + count).
Status CheckAllNull(const ShreddedRows& rows, uint64_t first, uint64_t count) {
  uint64_t nulls = 0;
  ForEachNullLeaf(rows, [&](uint64_t slot) { nulls += slot - first < count ? 1 : 0; });
  return nulls == count ? Status::OK() : OutOfRange(0, 0);
}

template <typename Key>
Status TransposeKeys(const ShreddedRows& rows,
                     const std::vector<std::shared_ptr<arrow::Buffer>>& maps,
                     const std::vector<uint64_t>& map_sizes, Key* keys) {
  const Key* const begin = keys;
  for (size_t i = 0; i < rows.leaves.size(); ++i) {
    const auto count = static_cast<uint64_t>(rows.leaves[i].length);
    if (map_sizes[i] == 0) {
      ARROW_RETURN_NOT_OK(CheckAllNull(rows, static_cast<uint64_t>(keys - begin), count));
      keys += count;
      continue;
    }
    const auto* map = reinterpret_cast<const int32_t*>(maps[i]->data());
    for (uint64_t k = 0; k < count; ++k, ++keys) {
      if (static_cast<uint64_t>(*keys) >= map_sizes[i]) {
        return OutOfRange(static_cast<uint64_t>(*keys), map_sizes[i]);
      }
      *keys = static_cast<Key>(map[*keys]);
    }
  }
  return Status::OK();
}

/// Of keys whose nulls are 0.
Status CheckKeys(const arrow::DictionaryType& type, const ShreddedRows& rows,
                 const FixedBlock& keys, uint64_t items) {
  if (items == 0) return CheckAllNull(rows, 0, keys.count);
  const auto width = static_cast<int32_t>(keys.bits / 8);
  // A negative key shows as a large one.
  if (arrow::is_signed_integer(type.index_type()->id())) {
    items = std::min(items, uint64_t{1} << (keys.bits - 1));
  }
  if (AreBelow(items, keys.data, static_cast<int64_t>(keys.count), width)) return Status::OK();
  for (uint64_t i = 0; i < keys.count; ++i) {
    const uint8_t* key = keys.data + i * static_cast<uint64_t>(width);
    if (AreBelow(items, key, 1, width)) continue;
    uint64_t value = 0;
    std::memcpy(&value, key, static_cast<size_t>(width));
    return OutOfRange(value, items);
  }
  return Status::OK();
}

template <typename Key>
void ClearNullKeys(const ShreddedRows& rows, uint8_t* bytes) {
  Key* keys = reinterpret_cast<Key*>(bytes);
  ForEachNullLeaf(rows, [&](uint64_t slot) { keys[slot] = 0; });
}

template <typename Key>
Result<std::optional<DictionaryBlock>> Unify(const arrow::DictionaryType& type,
                                             const LeafBlock& block, const ShreddedRows& rows,
                                             arrow::MemoryPool* pool) {
  DictionaryBlock out;
  // Keys under nulls may be anything in Arrow; in a file they must be in range.
  ARROW_ASSIGN_OR_RAISE(auto keys, ScratchArray<Key>::Allocate(block.count, pool));
  std::memcpy(keys.data(), block.fixed.data, block.count * sizeof(Key));
  ClearNullKeys<Key>(rows, reinterpret_cast<uint8_t*>(keys.data()));
  out.indices = {block.count, sizeof(Key) * 8, reinterpret_cast<const uint8_t*>(keys.data())};
  out.owned.push_back(keys.buffer());

  std::shared_ptr<arrow::ArrayData> dictionary = rows.leaves[0].array->dictionary;
  bool same = true;
  for (const LeafSlice& slice : rows.leaves) {
    same = same && SameDictionary(dictionary, slice.array->dictionary);
  }
  if (same) {
    ARROW_RETURN_NOT_OK(
        CheckKeys(type, rows, out.indices, static_cast<uint64_t>(dictionary->length)));
    ARROW_ASSIGN_OR_RAISE(out.items, ItemsOf(dictionary, pool));
    return out;
  }
  ARROW_ASSIGN_OR_RAISE(auto unifier, arrow::DictionaryUnifier::Make(type.value_type(), pool));
  std::vector<std::shared_ptr<arrow::Buffer>> maps(rows.leaves.size());
  std::vector<uint64_t> map_sizes(rows.leaves.size());
  for (size_t i = 0; i < rows.leaves.size(); ++i) {
    const auto values = arrow::MakeArray(rows.leaves[i].array->dictionary);
    ARROW_RETURN_NOT_OK(unifier->Unify(*values, &maps[i]));
    map_sizes[i] = static_cast<uint64_t>(values->length());
  }
  std::shared_ptr<arrow::Array> unified;
  Status fits = unifier->GetResultWithIndexType(type.index_type(), &unified);
  if (fits.IsInvalid()) return std::nullopt;
  ARROW_RETURN_NOT_OK(fits);
  ARROW_RETURN_NOT_OK(TransposeKeys<Key>(rows, maps, map_sizes, keys.data()));
  ClearNullKeys<Key>(rows, reinterpret_cast<uint8_t*>(keys.data()));
  ARROW_ASSIGN_OR_RAISE(out.items, ItemsOf(unified->data(), pool));
  return out;
}

}  // namespace

Result<std::optional<DictionaryBlock>> UnifyDictionaries(const arrow::DataType& type,
                                                         const LeafBlock& keys,
                                                         const ShreddedRows& rows,
                                                         arrow::MemoryPool* pool) {
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
  switch (keys.fixed.bits) {
    case 8:
      return Unify<uint8_t>(dictionary, keys, rows, pool);
    case 16:
      return Unify<uint16_t>(dictionary, keys, rows, pool);
    case 32:
      return Unify<uint32_t>(dictionary, keys, rows, pool);
    default:
      return Unify<uint64_t>(dictionary, keys, rows, pool);
  }
}

}  // namespace lance::encoding
