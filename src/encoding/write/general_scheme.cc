#include "encoding/write/general_scheme.h"

#include "encodings20.pb.h"
#include "encodings21.pb.h"

namespace lance::encoding {

std::optional<GeneralScheme> GeneralScheme::Of(EncodingHints::Compression compression,
                                               std::optional<int32_t> level) {
  switch (compression) {
    case EncodingHints::Compression::kLz4:
      return GeneralScheme(CompressionScheme::kLz4, std::nullopt);
    case EncodingHints::Compression::kZstd:
      return GeneralScheme(CompressionScheme::kZstd, level);
    default:
      return std::nullopt;
  }
}

void GeneralScheme::Describe(encodings21::BufferCompression* out) const {
  out->set_scheme(scheme_ == CompressionScheme::kLz4 ? encodings21::COMPRESSION_ALGORITHM_LZ4
                                                     : encodings21::COMPRESSION_ALGORITHM_ZSTD);
  if (level_) out->set_level(*level_);
}

void GeneralScheme::Describe(encodings::Compression* out) const {
  out->set_scheme(scheme_ == CompressionScheme::kLz4 ? "lz4" : "zstd");
  if (level_) out->set_level(*level_);
}

}  // namespace lance::encoding
