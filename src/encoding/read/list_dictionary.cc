#include "encoding/read/list_dictionary.h"

#include "arrow/buffer.h"
#include "encoding/read/bit_copy.h"
#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {

Result<std::unique_ptr<ListDictionary>> ListDictionary::Make(
    const encodings21::CompressiveEncoding& encoding, const LeafShape& shape) {
  std::optional<CompressionScheme> scheme;
  const encodings21::CompressiveEncoding* items = &encoding;
  if (encoding.has_general()) {
    ARROW_ASSIGN_OR_RAISE(scheme, SchemeOf(encoding.general()));
    items = &encoding.general().values();
  }
  if (!items->has_fixed_size_list()) {
    return Unsupported("dictionary of fixed-size lists encoded as ", EncodingName(encoding));
  }
  ARROW_ASSIGN_OR_RAISE(auto decoder, FixedValueDecoder::Make(*items, shape));
  std::unique_ptr<ListDictionary> out(new ListDictionary(std::move(decoder)));
  out->scheme_ = scheme;
  out->shape_ = shape;
  out->shape_.layers = {{LayerKind::kItem}};
  return out;
}

Status ListDictionary::Load(Bytes bytes, uint64_t num_items, arrow::MemoryPool* pool) {
  std::shared_ptr<arrow::Buffer> plain;
  if (scheme_) {
    ARROW_ASSIGN_OR_RAISE(plain, Decompress(*scheme_, bytes, pool));
    bytes = {plain->data(), static_cast<size_t>(plain->size())};
  }
  const uint64_t width = decoder_.stored_bytes();
  if (width == 0 || bytes.size() / width != num_items || bytes.size() % width != 0) {
    return Corrupt("dictionary of ", num_items, " fixed-size lists of ", width, " bytes has ",
                   bytes.size(), " bytes");
  }
  num_items_ = num_items;
  ARROW_ASSIGN_OR_RAISE(items_, LeafSink::Make(shape_, num_items, pool));
  ARROW_RETURN_NOT_OK(items_->AppendFixed(num_items).status());
  for (uint64_t i = 0; i < num_items; ++i) {
    ARROW_RETURN_NOT_OK(decoder_.Decode(bytes.data() + i * width, i, *items_));
  }
  return Status::OK();
}

Status ListDictionary::Gather(const uint32_t* indices, uint64_t count, uint64_t at,
                              LeafSink& sink) const {
  const uint64_t bits = shape_.value_bits;
  for (uint64_t i = 0; i < count; ++i) {
    if (indices[i] >= num_items_) {
      return Corrupt("dictionary index ", indices[i], ", with ", num_items_, " items present");
    }
    CopyBits(items_->fixed_data(), indices[i] * bits, bits, sink.fixed_data(), (at + i) * bits);
  }
  uint64_t items = 1;
  for (size_t depth = 0; depth < shape_.dimensions.size(); ++depth) {
    items *= shape_.dimensions[depth];
    if (!items_->has_item_validity(depth)) continue;
    ARROW_ASSIGN_OR_RAISE(const uint8_t* from, items_->ItemValidity(depth));
    ARROW_ASSIGN_OR_RAISE(uint8_t * to, sink.ItemValidity(depth));
    for (uint64_t i = 0; i < count; ++i) {
      CopyBits(from, indices[i] * items, items, to, (at + i) * items);
    }
  }
  return Status::OK();
}

}  // namespace lance::encoding
