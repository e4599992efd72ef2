#pragma once

#include <string>

#include "base/error.h"
#include "encoding/codec/general_compression.h"

namespace lance::encodings21 {
class BufferCompression;
class CompressiveEncoding;
class PageLayout;
}  // namespace lance::encodings21

namespace lance::encoding {

/// `fsst(variable<32>)`, `general<zstd>(flat<32>)` …: the tree of codecs in one line.
std::string EncodingName(const encodings21::CompressiveEncoding& encoding);
/// `miniblock(values=…, def=…, dictionary=…)`, `fullzip(…)`, `constant(…)`.
std::string LayoutName(const encodings21::PageLayout& layout);

Result<CompressionScheme> SchemeOf(const encodings21::BufferCompression& compression);

}  // namespace lance::encoding
