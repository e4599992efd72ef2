#include "encoding/codec/zstd_frames.h"

#include <zstd.h>

namespace lance::encoding {
namespace {

constexpr uint64_t kLengthBytes = 8;

}  // namespace

struct ZstdFrameWriter::Impl {
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, FreeContext> context;
  int32_t level;
};

ZstdFrameWriter::ZstdFrameWriter(int32_t level) : impl_(std::make_unique<Impl>()) {
  impl_->context.reset(ZSTD_createCCtx());
  impl_->level = level;
}

ZstdFrameWriter::~ZstdFrameWriter() = default;

uint64_t ZstdFrameWriter::MaxFrameSize(uint64_t size) {
  return kLengthBytes + ZSTD_compressBound(size);
}

Result<uint64_t> ZstdFrameWriter::Write(Bytes bytes, uint8_t* out) {
  if (bytes.empty()) return uint64_t{0};
  if (impl_->context == nullptr) {
    return MakeError(ErrorCode::kOverBudget, "out of memory for a zstd context");
  }
  StoreLittleEndian<uint64_t>(bytes.size(), out);
  const size_t size =
      ZSTD_compressCCtx(impl_->context.get(), out + kLengthBytes, ZSTD_compressBound(bytes.size()),
                        bytes.data(), bytes.size(), impl_->level);
  if (ZSTD_isError(size)) {
    return IoError("zstd failed to compress ", bytes.size(), " bytes: ", ZSTD_getErrorName(size));
  }
  return kLengthBytes + size;
}

}  // namespace lance::encoding
