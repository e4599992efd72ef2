#pragma once

#include <string>

#include "base/error.h"
#include "encoding/codec/general_compression.h"

namespace lance::encodings21 {
class CompressiveEncoding;
class General;
class PageLayout;
}  // namespace lance::encodings21

namespace lance::encoding {

/// `fsst(variable<32>)`, `general<zstd>(flat<32>)` …: the tree of codecs in one line.
std::string EncodingName(const encodings21::CompressiveEncoding& encoding);
/// `miniblock(values=…, def=…, dictionary=…)`, `fullzip(…)`, `constant(…)`.
std::string LayoutName(const encodings21::PageLayout& layout);

/// The scheme of general compression. That of compressed bytes again, which no writer does and
/// which multiplies what few bytes can claim to hold, is Unsupported.
Result<CompressionScheme> SchemeOf(const encodings21::General& general);

}  // namespace lance::encoding
