// Strings and binaries of 2.0 (spec/file-format.md §9.5 to §9.7).
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/buffer.h"
#include "base/byte_reader.h"
#include "encoding/write/array_tree.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

using encodings::ArrayEncoding;

constexpr uint64_t kWordBits = 64;
constexpr uint64_t kByteBits = 8;
/// Strings with fewer distinct values than this, in no fewer rows, are stored as a dictionary.
constexpr uint64_t kDictionaryThreshold = 100;

}  // namespace

// Without the 0 before the first; those of nulls are marked by an adjustment.
Result<std::shared_ptr<arrow::Buffer>> ArrayTree::Ends(const VariableBlock& block,
                                                       const SlotNulls& nulls) const {
  ARROW_ASSIGN_OR_RAISE(auto ends, ScratchArray<uint64_t>::Allocate(block.count, pool_));
  const uint64_t start = block.offset(0);
  const uint64_t adjustment = block.num_bytes() + 1;
  for (uint64_t i = 0; i < block.count; ++i) ends[i] = block.offset(i + 1) - start;
  for (uint64_t i = 0; nulls.count > 0 && i < block.count; ++i) {
    if (nulls.is_null(i)) ends[i] += adjustment;
  }
  return ends.buffer();
}

Status ArrayTree::AddBinary(const VariableBlock& block, const SlotNulls& nulls,
                            const std::optional<GeneralScheme>& scheme, encodings::Binary* out) {
  ARROW_ASSIGN_OR_RAISE(auto ends, Ends(block, nulls));
  AddFlat(kWordBits, std::move(ends), NoNulls(out->mutable_indices()));
  const uint64_t size = block.num_bytes();
  auto bytes = std::make_shared<arrow::Buffer>(size == 0 ? nullptr : block.bytes + block.offset(0),
                                               static_cast<int64_t>(size));
  if (scheme) {
    const Bytes plain(bytes->data(), static_cast<size_t>(bytes->size()));
    ARROW_ASSIGN_OR_RAISE(bytes, scheme->Compress(plain, pool_));
    scheme->Describe(out->mutable_bytes()->mutable_flat()->mutable_compression());
  }
  AddFlat(kByteBits, std::move(bytes), out->mutable_bytes());
  out->set_null_adjustment(block.count == 0 ? 0 : size + 1);
  return Status::OK();
}

Status ArrayTree::AddStrings(const VariableBlock& block, const SlotNulls& nulls,
                             const EncodingHints& hints, ArrayEncoding* out) {
  if (hints.compression == EncodingHints::Compression::kFsst && block.offset_bits == 32) {
    ARROW_ASSIGN_OR_RAISE(auto fsst, FsstLearner(hints.fsst_effort()).Compress(block, pool_));
    if (fsst != nullptr) {
      out->mutable_fsst()->set_symbol_table(fsst->symbol_table);
      Keep({fsst->codes});
      return AddBinary(fsst->block, nulls, std::nullopt,
                       out->mutable_fsst()->mutable_binary()->mutable_binary());
    }
  }
  return AddBinary(block, nulls, GeneralScheme::Of(hints.compression, hints.compression_level),
                   out->mutable_binary());
}

// Index 0 is null, k is item k - 1.
Result<bool> ArrayTree::AddFewStrings(const VariableBlock& block, const SlotNulls& nulls,
                                      ArrayEncoding* out) {
  if (block.count < kDictionaryThreshold) return false;
  ARROW_ASSIGN_OR_RAISE(auto indices, ScratchArray<uint8_t>::Allocate(block.count, pool_));
  std::unordered_map<std::string_view, uint8_t> known;
  std::vector<uint64_t> firsts;
  for (uint64_t i = 0; i < block.count; ++i) {
    indices[i] = 0;
    if (nulls.is_null(i)) continue;
    const std::string_view value(reinterpret_cast<const char*>(block.bytes) + block.offset(i),
                                 block.length(i));
    const auto [at, added] = known.try_emplace(value, static_cast<uint8_t>(known.size() + 1));
    if (added) firsts.push_back(i);
    if (known.size() >= kDictionaryThreshold) return false;
    indices[i] = at->second;
  }
  auto* dictionary = out->mutable_dictionary();
  AddFlat(kByteBits, indices.buffer(), dictionary->mutable_indices());
  // There has to be an item: where all rows are null, a null one.
  const bool none = firsts.empty();
  dictionary->set_num_dictionary_items(static_cast<uint32_t>(none ? 1 : firsts.size()));
  ARROW_ASSIGN_OR_RAISE(VariableBlock items, Pick(block, firsts));
  SlotNulls null_items;
  if (none) {
    ARROW_ASSIGN_OR_RAISE(items, WithNullString(items));
    ARROW_ASSIGN_OR_RAISE(null_items, SlotNulls::Last(items.count, pool_));
  }
  ARROW_RETURN_NOT_OK(
      AddBinary(items, null_items, std::nullopt, dictionary->mutable_items()->mutable_binary()));
  return true;
}

Result<VariableBlock> ArrayTree::Pick(const VariableBlock& block,
                                      const std::vector<uint64_t>& slots) {
  uint64_t size = 0;
  for (uint64_t slot : slots) size += block.length(slot);
  ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<uint64_t>::Allocate(slots.size() + 1, pool_));
  ARROW_ASSIGN_OR_RAISE(auto bytes, ScratchArray<uint8_t>::Allocate(size, pool_));
  uint64_t at = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    offsets[i] = at;
    std::copy_n(block.bytes + block.offset(slots[i]), block.length(slots[i]), bytes.data() + at);
    at += block.length(slots[i]);
  }
  offsets[slots.size()] = at;
  Keep({offsets.buffer(), bytes.buffer()});
  return VariableBlock{slots.size(), kWordBits, reinterpret_cast<const uint8_t*>(offsets.data()),
                       bytes.data()};
}

// The strings and an empty one.
Result<VariableBlock> ArrayTree::WithNullString(const VariableBlock& block) {
  ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<uint64_t>::Allocate(block.count + 2, pool_));
  for (uint64_t i = 0; i <= block.count; ++i) offsets[i] = block.offset(i);
  offsets[block.count + 1] = offsets[block.count];
  Keep({offsets.buffer()});
  return VariableBlock{block.count + 1, kWordBits, reinterpret_cast<const uint8_t*>(offsets.data()),
                       block.bytes};
}

}  // namespace lance::encoding
