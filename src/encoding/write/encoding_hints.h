#pragma once

#include <cstdint>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/codec/fsst_encoder.h"

namespace lance::encoding {

/// What the field metadata `lance-encoding:*` asks of the writer (spec/encodings.md §5.7). What is
/// not asked for is chosen by size.
struct EncodingHints {
  enum class Structure : uint8_t { kChosen, kMiniBlock, kFullZip, kSparse };
  enum class Compression : uint8_t { kChosen, kNone, kLz4, kZstd, kFsst };
  enum class Split : uint8_t { kAuto, kOff, kOn };
  /// What weighs more where nothing else is asked for: the speed of random rows, or bytes.
  enum class Profile : uint8_t { kFast, kSmall };

  /// Of the top-level field.
  Structure structure = Structure::kChosen;
  /// The others are of the leaf.
  Compression compression = Compression::kChosen;
  /// Of zstd; others have no levels.
  std::optional<int32_t> compression_level = {};
  /// Byte stream split of numbers; only together with lz4 or zstd.
  Split byte_stream_split = Split::kAuto;
  /// Run lengths only if there are fewer runs than this part of the values.
  std::optional<double> rle_threshold = {};
  /// Bytes and offsets that a chunk of strings aims to stay within.
  std::optional<uint64_t> mini_chunk_bytes = {};

  struct Dictionary {
    /// At most one item for so many values.
    uint64_t divisor = 2;
    /// Items and indices at 4 bytes each stay below this part of the data.
    std::optional<double> size_ratio = {};
    uint64_t max_bytes = uint64_t{8} << 20;
    Compression values = Compression::kChosen;
    std::optional<int32_t> values_level = {};
  };
  Dictionary dictionary = {};

  Profile profile = Profile::kFast;

  /// Whether the codecs are to be chosen for their size alone.
  bool wants_small() const {
    return profile == Profile::kSmall && compression == Compression::kChosen;
  }
  /// For columns of strings.
  FsstEncoder::Effort fsst_effort() const {
    return profile == Profile::kSmall ? FsstEncoder::Effort::kHigh : FsstEncoder::Effort::kUsual;
  }
  /// Whether values are to be compressed with a general scheme.
  bool wants_general() const {
    return compression == Compression::kLz4 || compression == Compression::kZstd;
  }
};

/// From the metadata (may be null) of the schema, of the top-level field and of the leaf. All may
/// choose the profile; the one nearest to the leaf counts. A value that means nothing is a user
/// error; one that files of version 2.`minor_version` can't follow, Unsupported.
Result<EncodingHints> ParseEncodingHints(const arrow::KeyValueMetadata* schema,
                                         const arrow::KeyValueMetadata* top_level,
                                         const arrow::KeyValueMetadata* leaf,
                                         uint32_t minor_version);

}  // namespace lance::encoding
