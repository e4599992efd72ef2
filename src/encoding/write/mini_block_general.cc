#include <utility>

#include "arrow/buffer.h"
#include "encoding/codec/general_compression.h"
#include "encoding/write/general_scheme.h"
#include "encoding/write/mini_block_values.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

/// Below so many bytes in all chunks compression is not tried.
constexpr uint64_t kMinBytes = 4096;

// Values of another codec whose first buffers are compressed already.
class CompressedValues final : public MiniBlockValues {
 public:
  CompressedValues(std::unique_ptr<MiniBlockValues> inner, GeneralScheme scheme,
                   std::vector<std::shared_ptr<arrow::Buffer>> frames)
      : inner_(std::move(inner)), scheme_(scheme), frames_(std::move(frames)) {
    chunks_ = inner_->chunks();
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    auto* general = out->mutable_general();
    scheme_.Describe(general->mutable_compression());
    inner_->Describe(general->mutable_values());
  }
  uint32_t num_buffers() const override { return inner_->num_buffers(); }
  uint64_t MaxChunkSize(size_t chunk) const override {
    return static_cast<uint64_t>(frames_[chunk]->size()) + inner_->MaxChunkSize(chunk);
  }
  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t buffer, uint8_t* out) const override {
    if (buffer > 0) return inner_->WriteBuffer(chunk, first, buffer, out);
    const auto size = static_cast<uint64_t>(frames_[chunk]->size());
    if (size > 0) std::memcpy(out, frames_[chunk]->data(), size);
    return size;
  }

 private:
  const std::unique_ptr<MiniBlockValues> inner_;
  const GeneralScheme scheme_;
  // By chunk.
  const std::vector<std::shared_ptr<arrow::Buffer>> frames_;
};

}  // namespace

Result<std::unique_ptr<MiniBlockValues>> CompressChunks(std::unique_ptr<MiniBlockValues> values,
                                                        const EncodingHints& hints,
                                                        arrow::MemoryPool* pool) {
  const std::optional<GeneralScheme> scheme =
      GeneralScheme::Of(hints.compression, hints.compression_level);
  if (!scheme) return values;
  std::vector<std::shared_ptr<arrow::Buffer>> frames;
  std::vector<uint8_t> scratch;
  uint64_t plain_bytes = 0;
  uint64_t frame_bytes = 0;
  uint64_t first = 0;
  for (size_t chunk = 0; chunk < values->chunks().size(); ++chunk) {
    scratch.resize(values->MaxChunkSize(chunk));
    const uint64_t size = values->WriteBuffer(chunk, first, 0, scratch.data());
    ARROW_ASSIGN_OR_RAISE(auto frame, scheme->Compress({scratch.data(), size}, pool));
    plain_bytes += size;
    frame_bytes += static_cast<uint64_t>(frame->size());
    frames.push_back(std::move(frame));
    first += values->chunks()[chunk];
  }
  if (plain_bytes < kMinBytes || frame_bytes >= plain_bytes) return values;
  std::unique_ptr<MiniBlockValues> compressed =
      std::make_unique<CompressedValues>(std::move(values), *scheme, std::move(frames));
  return compressed;
}

}  // namespace lance::encoding
