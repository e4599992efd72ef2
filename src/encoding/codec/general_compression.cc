#include "encoding/codec/general_compression.h"

#include <lz4.h>
#include <zstd.h>

#include <limits>
#include <memory>

#include "arrow/buffer.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kZstdPrefixBytes = 8;
constexpr uint64_t kLz4PrefixBytes = 4;
// A zstd block holds at most 128 KiB and takes at least 4 bytes; LZ4 gains at most 255 to 1.
constexpr uint64_t kZstdMaxRatio = (128 * 1024) / 4;
constexpr uint64_t kLz4MaxRatio = 255;

// Files of early writers hold the zstd frame without the length before it.
bool IsBareZstdFrame(Bytes frame) {
  if (frame.size() < kZstdPrefixBytes) return true;
  static constexpr uint8_t kMagic[4] = {0x28, 0xb5, 0x2f, 0xfd};
  return std::memcmp(frame.data(), kMagic, sizeof(kMagic)) == 0 && (frame[4] & 0x10) == 0;
}

// Made once a thread: a context is larger than most frames.
ZSTD_DCtx* DecompressionContext() {
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  &ZSTD_freeDCtx);
  return context.get();
}
ZSTD_CCtx* CompressionContext() {
  thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                                  &ZSTD_freeCCtx);
  return context.get();
}

Result<Bytes> ZstdBody(Bytes frame) {
  return IsBareZstdFrame(frame) ? frame : frame.subspan(kZstdPrefixBytes);
}

}  // namespace

Result<uint64_t> DecompressedSize(CompressionScheme scheme, Bytes frame) {
  if (frame.empty()) return 0;
  uint64_t size = 0;
  uint64_t limit = 0;
  if (scheme == CompressionScheme::kLz4) {
    if (frame.size() < kLz4PrefixBytes) {
      return Corrupt("LZ4 frame of ", frame.size(), " bytes is too short for its length prefix");
    }
    size = LoadLittleEndian<uint32_t>(frame.data());
    limit = (frame.size() - kLz4PrefixBytes) * kLz4MaxRatio + 64;
  } else {
    limit = frame.size() * kZstdMaxRatio;
    ARROW_ASSIGN_OR_RAISE(Bytes body, ZstdBody(frame));
    const uint64_t content = ZSTD_getFrameContentSize(body.data(), body.size());
    const bool known = content != ZSTD_CONTENTSIZE_UNKNOWN && content != ZSTD_CONTENTSIZE_ERROR;
    const bool bare = IsBareZstdFrame(frame);
    if (bare && !known) {
      return Corrupt("zstd frame of ", frame.size(), " bytes has no content size");
    }
    size = bare ? content : LoadLittleEndian<uint64_t>(frame.data());
    if (known && size != content) {
      return Corrupt("zstd frame holds ", content, " bytes, the length before it says ", size);
    }
  }
  if (size > limit) {
    return Corrupt("compressed frame of ", frame.size(), " bytes claims to hold ", size, " bytes");
  }
  return size;
}

Status DecompressInto(CompressionScheme scheme, Bytes frame, uint64_t size, uint8_t* out) {
  if (frame.empty()) return Status::OK();
  if (scheme == CompressionScheme::kLz4) {
    const uint64_t body = frame.size() - kLz4PrefixBytes;
    if (body > LZ4_MAX_INPUT_SIZE ||
        size > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
      return Corrupt("LZ4 frame of ", frame.size(), " bytes is larger than LZ4 allows");
    }
    const int got = LZ4_decompress_safe(
        reinterpret_cast<const char*>(frame.data()) + kLz4PrefixBytes, reinterpret_cast<char*>(out),
        static_cast<int>(body), static_cast<int>(size));
    if (got < 0 || static_cast<uint64_t>(got) != size) {
      return Corrupt("LZ4 frame of ", frame.size(), " bytes does not decompress to ", size,
                     " bytes");
    }
    return Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(Bytes body, ZstdBody(frame));
  ZSTD_DCtx* context = DecompressionContext();
  if (context == nullptr) return Status::OutOfMemory("no memory for a zstd context");
  const size_t got = ZSTD_decompressDCtx(context, out, size, body.data(), body.size());
  if (ZSTD_isError(got)) {
    return Corrupt("zstd frame of ", frame.size(), " bytes is damaged: ", ZSTD_getErrorName(got));
  }
  if (got != size) {
    return Corrupt("zstd frame decompresses to ", got, " bytes, its length says ", size);
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::Buffer>> Decompress(CompressionScheme scheme, Bytes frame,
                                                  arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(uint64_t size, DecompressedSize(scheme, frame));
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(static_cast<int64_t>(size), pool));
  ARROW_RETURN_NOT_OK(DecompressInto(scheme, frame, size, buffer->mutable_data()));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

Result<std::shared_ptr<arrow::Buffer>> Compress(CompressionScheme scheme, Bytes bytes,
                                                std::optional<int32_t> level,
                                                arrow::MemoryPool* pool) {
  if (bytes.empty()) return std::make_shared<arrow::Buffer>(nullptr, 0);
  if (scheme == CompressionScheme::kLz4) {
    if (bytes.size() > LZ4_MAX_INPUT_SIZE) {
      return UserError("a buffer of ", bytes.size(), " bytes is too large for LZ4; use zstd");
    }
    const int bound = LZ4_compressBound(static_cast<int>(bytes.size()));
    ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateResizableBuffer(kLz4PrefixBytes + bound, pool));
    StoreLittleEndian(static_cast<uint32_t>(bytes.size()), out->mutable_data());
    const int size =
        LZ4_compress_default(reinterpret_cast<const char*>(bytes.data()),
                             reinterpret_cast<char*>(out->mutable_data()) + kLz4PrefixBytes,
                             static_cast<int>(bytes.size()), bound);
    if (size <= 0) return IoError("LZ4 failed to compress ", bytes.size(), " bytes");
    ARROW_RETURN_NOT_OK(out->Resize(kLz4PrefixBytes + size));
    return std::shared_ptr<arrow::Buffer>(std::move(out));
  }
  const size_t bound = ZSTD_compressBound(bytes.size());
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateResizableBuffer(
                                      static_cast<int64_t>(kZstdPrefixBytes + bound), pool));
  StoreLittleEndian(static_cast<uint64_t>(bytes.size()), out->mutable_data());
  ZSTD_CCtx* context = CompressionContext();
  if (context == nullptr) return Status::OutOfMemory("no memory for a zstd context");
  const size_t size =
      ZSTD_compressCCtx(context, out->mutable_data() + kZstdPrefixBytes, bound, bytes.data(),
                        bytes.size(), level.value_or(ZSTD_CLEVEL_DEFAULT));
  if (ZSTD_isError(size)) {
    return IoError("zstd failed to compress ", bytes.size(), " bytes: ", ZSTD_getErrorName(size));
  }
  ARROW_RETURN_NOT_OK(out->Resize(static_cast<int64_t>(kZstdPrefixBytes + size)));
  return std::shared_ptr<arrow::Buffer>(std::move(out));
}

}  // namespace lance::encoding
