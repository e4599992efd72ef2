#include "encoding/v20/dictionary_page.h"

#include <algorithm>
#include <cstring>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "encoding/read/bit_copy.h"
#include "encoding/v20/decode_block.h"
#include "encoding/v20/encoding_kind.h"
#include "encoding/v20/fixed_page.h"
#include "encoding/v20/make_page.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {
namespace {

// Items may have no bytes that would bound their number: nulls (of which writers make one), or
// numbers packed into 0 bits.
constexpr uint64_t kMaxItemsWithoutBytes = 1024;
constexpr uint64_t kMaxItemsOfAByte = 1024;

// Adds the buffers that an encoding of items names.
Status CollectBuffers(const encodings::ArrayEncoding& encoding, const BufferTable& buffers,
                      std::vector<PageBuffer>* out) {
  const auto add = [&](const encodings::Buffer& name) -> Status {
    ARROW_ASSIGN_OR_RAISE(PageBuffer buffer, buffers.Find(name));
    out->push_back(buffer);
    return Status::OK();
  };
  using Kind = encodings::ArrayEncoding::ArrayEncodingCase;
  switch (encoding.array_encoding_case()) {
    case Kind::kFlat:
      return add(encoding.flat().buffer());
    case Kind::kBitpacked:
      return add(encoding.bitpacked().buffer());
    case Kind::kBitpackedForNonNeg:
      return add(encoding.bitpacked_for_non_neg().buffer());
    case Kind::kNullable: {
      const auto& nullable = encoding.nullable();
      if (nullable.has_no_nulls()) {
        return CollectBuffers(nullable.no_nulls().values(), buffers, out);
      }
      if (!nullable.has_some_nulls()) return Status::OK();
      ARROW_RETURN_NOT_OK(CollectBuffers(nullable.some_nulls().validity(), buffers, out));
      return CollectBuffers(nullable.some_nulls().values(), buffers, out);
    }
    case Kind::kBinary:
      ARROW_RETURN_NOT_OK(CollectBuffers(encoding.binary().indices(), buffers, out));
      return CollectBuffers(encoding.binary().bytes(), buffers, out);
    case Kind::kFsst:
      return CollectBuffers(encoding.fsst().binary(), buffers, out);
    case Kind::kFixedSizeBinary:
      return CollectBuffers(encoding.fixed_size_binary().bytes(), buffers, out);
    default:
      return Unsupported("dictionary items with a '", KindName(encoding), "' encoding");
  }
}

// The bits of a key of a column of strings, as the page says.
Result<uint64_t> KeyBits(const encodings::ArrayEncoding& encoding) {
  ARROW_ASSIGN_OR_RAISE(const auto* keys, WithoutNulls(encoding));
  uint64_t bits = keys->flat().bits_per_value();
  if (keys->has_bitpacked()) bits = keys->bitpacked().uncompressed_bits_per_value();
  if (keys->has_bitpacked_for_non_neg()) {
    bits = keys->bitpacked_for_non_neg().uncompressed_bits_per_value();
  }
  if (bits == 8 || bits == 16 || bits == 32 || bits == 64) return bits;
  return Corrupt("dictionary keys of ", bits, " bits");
}

uint64_t KeyAt(const uint8_t* keys, uint64_t i, uint64_t bits) {
  switch (bits) {
    case 8:
      return keys[i];
    case 16:
      return LoadLittleEndian<uint16_t>(keys + i * 2);
    case 32:
      return LoadLittleEndian<uint32_t>(keys + i * 4);
    default:
      return LoadLittleEndian<uint64_t>(keys + i * 8);
  }
}

bool ItemIsValid(const DecodedBlock& items, uint64_t item) {
  return items.validity == nullptr ||
         arrow::bit_util::GetBit(items.validity->data(), static_cast<int64_t>(item));
}

}  // namespace

class TypedDictionaryCursor final : public PageCursor {
 public:
  TypedDictionaryCursor(const DictionaryPage& page, std::vector<RowRange> rows)
      : page_(page), count_(CountRows(rows)), keys_(page.keys_->Start(std::move(rows))) {}

  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override {
    return keys_->Needs(sink, at, needs);
  }
  Status Feed(std::span<const Bytes> bytes) override { return keys_->Feed(bytes); }
  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    sink.StartDictionary(page_.items_, at);
    ARROW_RETURN_NOT_OK(keys_->DecodeInto(sink, at));
    const DecodedBlock& items = *page_.items_;
    if (items.validity == nullptr) return Status::OK();
    // A row is null by its item.
    for (uint64_t row = at; row < at + count_; ++row) {
      const uint64_t key = KeyAt(sink.fixed_data(), row, sink.shape().value_bits);
      if (key < items.num_values && !ItemIsValid(items, key))
        ARROW_RETURN_NOT_OK(sink.SetNull(row));
    }
    return Status::OK();
  }

 private:
  const DictionaryPage& page_;
  uint64_t count_;
  std::unique_ptr<PageCursor> keys_;
};

class StringDictionaryCursor final : public PageCursor {
 public:
  StringDictionaryCursor(const DictionaryPage& page, std::vector<RowRange> rows)
      : page_(page), count_(CountRows(rows)), keys_(page.keys_->Start(std::move(rows))) {}

  Status Needs(LeafSink& sink, uint64_t, std::vector<NeededBytes>* needs) override {
    if (key_sink_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(key_sink_, LeafSink::Make(page_.keys_shape_, count_, sink.pool()));
      ARROW_RETURN_NOT_OK(key_sink_->AppendFixed(count_).status());
    }
    return keys_->Needs(*key_sink_, 0, needs);
  }
  Status Feed(std::span<const Bytes> bytes) override { return keys_->Feed(bytes); }

  Status DecodeInto(LeafSink& sink, uint64_t) override {
    ARROW_RETURN_NOT_OK(keys_->DecodeInto(*key_sink_, 0));
    const uint64_t bits = page_.keys_shape_.value_bits;
    const uint8_t* keys = key_sink_->fixed_data();
    const DecodedBlock& items = *page_.items_;
    const int64_t* offsets = items.offset_data();
    uint64_t total = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      const uint64_t key = KeyAt(keys, i, bits);
      if (key > items.num_values) {
        return Corrupt("dictionary key ", key, ", with ", items.num_values, " items present");
      }
      if (key != 0) total += static_cast<uint64_t>(offsets[key] - offsets[key - 1]);
    }
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(count_, total));
    std::vector<uint8_t> validity(BytesForBits(count_), 0xff);
    bool has_nulls = false;
    for (uint64_t i = 0; i < count_; ++i) {
      const uint64_t key = KeyAt(keys, i, bits);
      const bool valid = key != 0 && ItemIsValid(items, key - 1);
      uint64_t size = 0;
      if (valid) {
        size = static_cast<uint64_t>(offsets[key] - offsets[key - 1]);
        if (size > 0)
          std::memcpy(sink.variable_end(), items.values->data() + offsets[key - 1], size);
      } else {
        has_nulls = true;
        arrow::bit_util::ClearBit(validity.data(), static_cast<int64_t>(i));
      }
      sink.EndValue(size);
    }
    return sink.AppendValidity(has_nulls ? validity.data() : nullptr, 0, count_);
  }

 private:
  const DictionaryPage& page_;
  uint64_t count_;
  std::unique_ptr<PageCursor> keys_;
  std::unique_ptr<LeafSink> key_sink_;
};

Result<std::unique_ptr<PageReader>> DictionaryPage::Make(const encodings::Dictionary& encoding,
                                                         const LeafShape& shape,
                                                         const BufferTable& buffers,
                                                         uint64_t num_rows) {
  std::unique_ptr<DictionaryPage> page(new DictionaryPage(shape, num_rows));
  const bool strings = shape.values == LeafShape::Values::kVariable;
  if (!strings && !shape.is_dictionary) {
    return Corrupt("page holds a 'dictionary' encoding, which is not the column's type");
  }
  page->keys_shape_.layers = {{LayerKind::kItem}};
  page->keys_shape_.value_bits = shape.value_bits;
  if (strings) {
    ARROW_ASSIGN_OR_RAISE(page->keys_shape_.value_bits, KeyBits(encoding.indices()));
    ARROW_ASSIGN_OR_RAISE(const auto* keys, WithoutNulls(encoding.indices()));
    ARROW_ASSIGN_OR_RAISE(page->keys_,
                          FixedPage::Make(*keys, page->keys_shape_, buffers, num_rows));
  } else {
    ARROW_ASSIGN_OR_RAISE(
        page->keys_, FixedPage::Make(encoding.indices(), page->keys_shape_, buffers, num_rows));
  }
  page->items_shape_ =
      ItemsShape(strings || shape.dictionary_variable, shape.dictionary_value_bits);
  const uint64_t num_items = encoding.num_dictionary_items();
  ARROW_RETURN_NOT_OK(CollectBuffers(encoding.items(), buffers, &page->items_buffers_));
  uint64_t bytes = 0;
  for (const PageBuffer& buffer : page->items_buffers_) bytes += buffer.size;
  if (num_items > kMaxItemsWithoutBytes + kMaxItemsOfAByte * bytes) {
    return Corrupt("dictionary of ", num_items, " items in ", bytes, " bytes");
  }
  ARROW_ASSIGN_OR_RAISE(page->items_page_,
                        MakePage(encoding.items(), page->items_shape_, buffers, num_items));
  return std::unique_ptr<PageReader>(std::move(page));
}

Result<std::unique_ptr<PageReader>> DictionaryPage::MakePlain(
    const LeafShape& shape, PageBuffer keys, std::shared_ptr<const DecodedBlock> items,
    uint64_t num_rows) {
  std::unique_ptr<DictionaryPage> page(new DictionaryPage(shape, num_rows));
  page->keys_shape_.layers = {{LayerKind::kItem}};
  page->keys_shape_.value_bits = shape.value_bits;
  ARROW_ASSIGN_OR_RAISE(page->keys_, FixedPage::MakePlain(page->keys_shape_, keys, num_rows));
  page->items_ = std::move(items);
  return std::unique_ptr<PageReader>(std::move(page));
}

std::vector<NeededBytes> DictionaryPage::IndexNeeds() const {
  std::vector<NeededBytes> needs = keys_->IndexNeeds();
  if (items_page_ == nullptr) return needs;
  for (const PageBuffer& buffer : items_buffers_) needs.push_back({buffer.offset, buffer.size});
  return needs;
}

Status DictionaryPage::LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) {
  const size_t key_needs = keys_->IndexNeeds().size();
  ARROW_RETURN_NOT_OK(keys_->LoadIndex(bytes.first(key_needs), pool));
  if (items_page_ == nullptr) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(items_,
                        DecodeBlock(*items_page_, items_buffers_, bytes.subspan(key_needs), pool));
  items_page_.reset();
  return Status::OK();
}

std::unique_ptr<PageCursor> DictionaryPage::Start(std::vector<RowRange> rows) const {
  if (shape_->is_dictionary) {
    return std::make_unique<TypedDictionaryCursor>(*this, std::move(rows));
  }
  return std::make_unique<StringDictionaryCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v20
