#include "file/array_encoding_text.h"

#include <string>
#include <vector>

#include "encoding/v20/encoding_kind.h"
#include "encodings20.pb.h"
#include "proto/parse.h"

namespace lance {
namespace {

std::string Call(std::string_view name, const std::vector<std::string>& parts) {
  std::string text = internal::Concat(name, "(");
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ", ") + parts[i];
  return text + ")";
}

std::string EncodingText(const encodings::ArrayEncoding& encoding);

std::string Named(std::string_view name, const encodings::ArrayEncoding& encoding) {
  return internal::Concat(name, "=", EncodingText(encoding));
}

std::string FlatText(const encodings::Flat& flat) {
  std::string text = internal::Concat("flat<", flat.bits_per_value(), ">");
  if (!flat.has_compression() || flat.compression().scheme().empty()) return text;
  std::string scheme = flat.compression().scheme();
  if (flat.compression().has_level()) {
    scheme += internal::Concat("<", flat.compression().level(), ">");
  }
  return Call(scheme, {text});
}

std::string NullableText(const encodings::Nullable& nullable) {
  if (nullable.has_no_nulls())
    return Call("no_nulls", {EncodingText(nullable.no_nulls().values())});
  if (nullable.has_all_nulls()) return "all_nulls";
  if (!nullable.has_some_nulls()) return "unknown";
  return Call("some_nulls", {Named("validity", nullable.some_nulls().validity()),
                             Named("values", nullable.some_nulls().values())});
}

std::string PackedText(std::string_view name, uint64_t compressed, uint64_t uncompressed) {
  return internal::Concat(name, "<", compressed, ",", uncompressed, ">");
}

// Recursion is bounded: the parser of messages refuses more than 100 levels.
std::string EncodingText(const encodings::ArrayEncoding& encoding) {
  using Kind = encodings::ArrayEncoding::ArrayEncodingCase;
  std::string name = encoding::v20::KindName(encoding);
  switch (encoding.array_encoding_case()) {
    case Kind::kFlat:
      return FlatText(encoding.flat());
    case Kind::kNullable:
      return NullableText(encoding.nullable());
    case Kind::kFixedSizeList: {
      const auto& list = encoding.fixed_size_list();
      return Call(internal::Concat(name, "<", list.dimension(), ">"), {EncodingText(list.items())});
    }
    case Kind::kList:
      return Call(name, {Named("offsets", encoding.list().offsets()),
                         internal::Concat("items=", encoding.list().num_items())});
    case Kind::kBinary:
      return Call(name, {Named("indices", encoding.binary().indices()),
                         Named("bytes", encoding.binary().bytes())});
    case Kind::kDictionary:
      return Call(name, {Named("indices", encoding.dictionary().indices()),
                         Named("items", encoding.dictionary().items()),
                         internal::Concat("count=", encoding.dictionary().num_dictionary_items())});
    case Kind::kFsst:
      return Call(name, {EncodingText(encoding.fsst().binary())});
    case Kind::kPackedStruct: {
      std::vector<std::string> members;
      for (const auto& inner : encoding.packed_struct().inner()) {
        members.push_back(EncodingText(inner));
      }
      return Call(name, members);
    }
    case Kind::kBitpacked:
      return PackedText(name, encoding.bitpacked().compressed_bits_per_value(),
                        encoding.bitpacked().uncompressed_bits_per_value());
    case Kind::kBitpackedForNonNeg:
      return PackedText(name, encoding.bitpacked_for_non_neg().compressed_bits_per_value(),
                        encoding.bitpacked_for_non_neg().uncompressed_bits_per_value());
    case Kind::kFixedSizeBinary:
      return Call(internal::Concat(name, "<", encoding.fixed_size_binary().byte_width(), ">"),
                  {EncodingText(encoding.fixed_size_binary().bytes())});
    default:
      return name;
  }
}

}  // namespace

Result<PageText> DescribeArrayEncoding(std::string_view message) {
  encodings::ArrayEncoding encoding;
  if (!ParseMessage(message, &encoding)) {
    return Corrupt("description of a page is not a valid message of ", message.size(), " bytes");
  }
  const encodings::ArrayEncoding* values = &encoding;
  if (encoding.nullable().has_no_nulls()) values = &encoding.nullable().no_nulls().values();
  if (encoding.nullable().has_some_nulls()) values = &encoding.nullable().some_nulls().values();
  return PageText{encoding::v20::KindName(*values), EncodingText(encoding)};
}

}  // namespace lance
