#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"

namespace lance::encoding {

enum class CompressionScheme : uint8_t { kLz4, kZstd };

// Frames of general compression (spec/encodings.md §4.7):
//   zstd: u64 uncompressed length, one zstd frame; readers also take a bare frame
//   lz4:  u32 uncompressed length, one raw LZ4 block
// Empty input is an empty frame.

/// Bytes that the frame claims to hold, checked against what its size could possibly expand to.
Result<uint64_t> DecompressedSize(CompressionScheme scheme, Bytes frame);

/// Decompresses a frame of exactly DecompressedSize() bytes into `out`.
Status DecompressInto(CompressionScheme scheme, Bytes frame, uint64_t size, uint8_t* out);

Result<std::shared_ptr<arrow::Buffer>> Decompress(CompressionScheme scheme, Bytes frame,
                                                  arrow::MemoryPool* pool);

/// Makes one frame. `level` only matters for zstd; none means the library's default.
Result<std::shared_ptr<arrow::Buffer>> Compress(CompressionScheme scheme, Bytes bytes,
                                                std::optional<int32_t> level,
                                                arrow::MemoryPool* pool);

}  // namespace lance::encoding
