#include "encoding/read/per_value_decoder.h"

#include <cstring>

#include "encoding/read/bit_copy.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/packed_struct.h"
#include "encodings21.pb.h"

namespace lance::encoding {

Result<FixedValueDecoder> FixedValueDecoder::Make(const encodings21::CompressiveEncoding& encoding,
                                                  const LeafShape& shape) {
  FixedValueDecoder out;
  out.value_bits_ = shape.value_bits;
  if (encoding.has_packed_struct()) {
    if (!encoding.packed_struct().values().has_flat()) {
      return Unsupported("full-zip encoding ", EncodingName(encoding));
    }
    ARROW_ASSIGN_OR_RAISE(out.stored_bytes_, PackedRowBytes(encoding.packed_struct(), shape));
    out.is_packed_ = true;
    out.is_plain_ = false;
    return out;
  }
  if (shape.values != LeafShape::Values::kFixed) {
    return Corrupt("page holds ", EncodingName(encoding), ", which is not the column's type");
  }
  ARROW_ASSIGN_OR_RAISE(UnwrappedLists lists, UnwrapFixedSizeLists(encoding, shape));
  const encodings21::CompressiveEncoding* inner = lists.items;
  out.depths_ = std::move(lists.depths);
  for (const ListDepth& depth : out.depths_) {
    if (!depth.has_validity) continue;
    out.is_plain_ = false;
    out.stored_bytes_ += BytesForBits(depth.items_per_value);
  }
  if (inner->has_constant() && !inner->constant().has_value() && !out.depths_.empty()) {
    out.all_items_null_ = true;
    out.is_plain_ = false;
    return out;
  }
  if (!inner->has_flat()) return Unsupported("full-zip encoding ", EncodingName(encoding));
  const uint64_t bits = inner->flat().bits_per_value();
  // Single booleans are widened to a byte; those of a list stay bits.
  if (shape.dimensions.empty() && shape.value_bits == 1 && bits == 8) {
    out.is_plain_ = false;
    out.stored_bytes_ += 1;
    return out;
  }
  if (bits > shape.value_bits || bits * lists.items_per_value != shape.value_bits) {
    return Corrupt("page holds ", EncodingName(encoding), ", the column's values have ",
                   shape.value_bits, " bits");
  }
  if (shape.value_bits % 8 != 0) out.is_plain_ = false;
  out.stored_bytes_ += BytesForBits(shape.value_bits);
  return out;
}

Status FixedValueDecoder::Decode(const uint8_t* stored, uint64_t at, LeafSink& sink) const {
  if (is_packed_) {
    UnpackFixedRow(stored, at, sink);
    return Status::OK();
  }
  for (size_t depth = 0; depth < depths_.size(); ++depth) {
    if (!depths_[depth].has_validity) continue;
    const uint64_t items = depths_[depth].items_per_value;
    ARROW_ASSIGN_OR_RAISE(uint8_t * validity, sink.ItemValidity(depth));
    CopyBits(stored, 0, items, validity, at * items);
    stored += BytesForBits(items);
  }
  if (all_items_null_) {
    return sink.PutEmptyValues(at, 1);
  }
  CopyBits(stored, 0, value_bits_, sink.fixed_data(), at * value_bits_);
  return Status::OK();
}

Result<VariableValueDecoder> VariableValueDecoder::Make(
    const encodings21::CompressiveEncoding& encoding) {
  VariableValueDecoder out;
  const encodings21::CompressiveEncoding* inner = &encoding;
  if (encoding.has_fsst()) {
    ARROW_ASSIGN_OR_RAISE(out.fsst_, FsstDecoder::Parse(AsBytes(encoding.fsst().symbol_table())));
    inner = &encoding.fsst().values();
  } else if (encoding.has_general()) {
    ARROW_ASSIGN_OR_RAISE(out.scheme_, SchemeOf(encoding.general()));
    inner = &encoding.general().values();
  }
  if (!inner->has_variable()) return Unsupported("full-zip encoding ", EncodingName(encoding));
  return out;
}

Status VariableValueDecoder::Decode(Bytes stored, LeafSink& sink) const {
  if (fsst_) {
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(1, FsstDecoder::MaxDecodedBytes(stored.size())));
    uint8_t* const to = sink.variable_end();
    const uint8_t* const done = fsst_->Decode(stored, to);
    if (done == nullptr) return FsstDecoder::BadCodes();
    sink.EndValue(static_cast<uint64_t>(done - to));
    return Status::OK();
  }
  if (scheme_) {
    ARROW_ASSIGN_OR_RAISE(uint64_t size, DecompressedSize(*scheme_, stored));
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(1, size));
    ARROW_RETURN_NOT_OK(DecompressInto(*scheme_, stored, size, sink.variable_end()));
    sink.EndValue(size);
    return Status::OK();
  }
  ARROW_RETURN_NOT_OK(sink.ReserveVariable(1, stored.size()));
  if (!stored.empty()) std::memcpy(sink.variable_end(), stored.data(), stored.size());
  sink.EndValue(stored.size());
  return Status::OK();
}

}  // namespace lance::encoding
