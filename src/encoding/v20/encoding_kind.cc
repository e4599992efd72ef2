#include "encoding/v20/encoding_kind.h"

#include "encodings20.pb.h"

namespace lance::encoding::v20 {

const char* KindName(const encodings::ArrayEncoding& encoding) {
  using Kind = encodings::ArrayEncoding::ArrayEncodingCase;
  switch (encoding.array_encoding_case()) {
    case Kind::kFlat:
      return "flat";
    case Kind::kNullable:
      return "nullable";
    case Kind::kFixedSizeList:
      return "fixed_size_list";
    case Kind::kList:
      return "list";
    case Kind::kSimpleStruct:
      return "struct";
    case Kind::kBinary:
      return "binary";
    case Kind::kDictionary:
      return "dictionary";
    case Kind::kFsst:
      return "fsst";
    case Kind::kPackedStruct:
      return "packed_struct";
    case Kind::kBitpacked:
      return "bitpacked";
    case Kind::kFixedSizeBinary:
      return "fixed_size_binary";
    case Kind::kBitpackedForNonNeg:
      return "bitpacked_for_non_neg";
    case Kind::kConstant:
      return "constant";
    case Kind::ARRAY_ENCODING_NOT_SET:
      break;
  }
  return "unknown";
}

Status NotOfTheType(const encodings::ArrayEncoding& encoding) {
  using Kind = encodings::ArrayEncoding::ArrayEncodingCase;
  const Kind kind = encoding.array_encoding_case();
  if (kind == Kind::ARRAY_ENCODING_NOT_SET || kind == Kind::kConstant) {
    return Unsupported("array encoding '", KindName(encoding), "' in a file of version 2.0");
  }
  return Corrupt("page holds a '", KindName(encoding),
                 "' encoding, which is not the column's type");
}

Result<const encodings::ArrayEncoding*> WithoutNulls(const encodings::ArrayEncoding& encoding) {
  if (!encoding.has_nullable()) return &encoding;
  if (!encoding.nullable().has_no_nulls()) {
    return Corrupt("offsets, keys or bytes of a page are nullable");
  }
  return &encoding.nullable().no_nulls().values();
}

}  // namespace lance::encoding::v20
