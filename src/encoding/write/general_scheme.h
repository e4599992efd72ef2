#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/codec/general_compression.h"
#include "encoding/write/encoding_hints.h"

namespace lance::encodings21 {
class BufferCompression;
}
namespace lance::encodings {
class Compression;
}

namespace lance::encoding {

/// LZ4 or zstd, as a hint asks for it.
class GeneralScheme {
 public:
  /// Nothing for hints that ask for neither.
  static std::optional<GeneralScheme> Of(EncodingHints::Compression compression,
                                         std::optional<int32_t> level);

  Result<std::shared_ptr<arrow::Buffer>> Compress(Bytes bytes, arrow::MemoryPool* pool) const {
    return encoding::Compress(scheme_, bytes, level_, pool);
  }
  void Describe(encodings21::BufferCompression* out) const;
  /// In the terms of 2.0.
  void Describe(encodings::Compression* out) const;

 private:
  GeneralScheme(CompressionScheme scheme, std::optional<int32_t> level)
      : scheme_(scheme), level_(level) {}

  CompressionScheme scheme_;
  std::optional<int32_t> level_;
};

}  // namespace lance::encoding
