#pragma once

#include <cstdint>
#include <memory>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance::encoding {

/// Makes many zstd frames (u64 uncompressed length, then one zstd frame; nothing at all for empty
/// input) with one compression context. Not thread-safe.
class ZstdFrameWriter {
 public:
  explicit ZstdFrameWriter(int32_t level);
  ~ZstdFrameWriter();

  /// Most bytes that `size` bytes can become.
  static uint64_t MaxFrameSize(uint64_t size);
  /// Writes a frame to `out`, which has room for MaxFrameSize(bytes.size()); returns its size.
  Result<uint64_t> Write(Bytes bytes, uint8_t* out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance::encoding
