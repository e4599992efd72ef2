#include "encoding/write/encoding_hints.h"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "arrow/util/key_value_metadata.h"
#include "encoding/write/leaf_path.h"

namespace lance::encoding {
namespace {

using Compression = EncodingHints::Compression;

constexpr std::string_view kPrefix = "lance-encoding:";

// One hint: its name and value.
struct Hint {
  std::string_view name;
  std::string_view value;

  Status Bad(std::string_view expected) const {
    return UserError("field metadata '", kPrefix, name, "' is '", value, "', expected ", expected);
  }
};

Result<Compression> ParseScheme(const Hint& hint, bool allow_fsst) {
  if (hint.value == "none") return Compression::kNone;
  if (hint.value == "lz4") return Compression::kLz4;
  if (hint.value == "zstd") return Compression::kZstd;
  if (hint.value == "fsst" && allow_fsst) return Compression::kFsst;
  return hint.Bad(allow_fsst ? "none, lz4, zstd or fsst" : "none, lz4 or zstd");
}

Result<int32_t> ParseLevel(const Hint& hint) {
  // The range of zstd.
  constexpr int32_t kMin = -131072;
  constexpr int32_t kMax = 22;
  int32_t level = 0;
  const char* end = hint.value.data() + hint.value.size();
  const auto [stop, error] = std::from_chars(hint.value.data(), end, level);
  if (error != std::errc() || stop != end || level < kMin || level > kMax) {
    return hint.Bad("an integer up to 22");
  }
  return level;
}

Result<uint64_t> ParseCount(const Hint& hint) {
  uint64_t count = 0;
  const char* end = hint.value.data() + hint.value.size();
  const auto [stop, error] = std::from_chars(hint.value.data(), end, count);
  if (error != std::errc() || stop != end || count == 0) return hint.Bad("a positive integer");
  return count;
}

Result<double> ParsePart(const Hint& hint, bool allow_zero) {
  double part = 0;
  const char* end = hint.value.data() + hint.value.size();
  const auto [stop, error] = std::from_chars(hint.value.data(), end, part);
  const bool in_range = part <= 1 && (allow_zero ? part >= 0 : part > 0);
  if (error != std::errc() || stop != end || !in_range) {
    return hint.Bad(allow_zero ? "a number from 0 to 1" : "a number above 0, up to 1");
  }
  return part;
}

Result<EncodingHints::Split> ParseSplit(const Hint& hint) {
  if (hint.value == "on") return EncodingHints::Split::kOn;
  if (hint.value == "off") return EncodingHints::Split::kOff;
  if (hint.value == "auto") return EncodingHints::Split::kAuto;
  return hint.Bad("on, off or auto");
}

Result<EncodingHints::Structure> ParseStructure(const Hint& hint, uint32_t minor_version) {
  if (hint.value == "miniblock") return EncodingHints::Structure::kMiniBlock;
  if (hint.value == "fullzip") return EncodingHints::Structure::kFullZip;
  if (hint.value == "sparse") {
    if (minor_version >= kMinorVersion2_3) return EncodingHints::Structure::kSparse;
    return Unsupported("field metadata '", kPrefix, hint.name,
                       "': sparse pages need file version 2.3");
  }
  return hint.Bad("miniblock, fullzip or sparse");
}

Result<EncodingHints::Profile> ParseProfile(const Hint& hint, uint32_t minor_version) {
  if (hint.value == "fast") return EncodingHints::Profile::kFast;
  if (hint.value != "small") return hint.Bad("fast or small");
  if (minor_version >= kMinorVersion2_1) return EncodingHints::Profile::kSmall;
  return Unsupported("field metadata '", kPrefix, hint.name,
                     "': the profile small needs file version 2.1 or later");
}

Status ApplyLeafHint(const Hint& hint, EncodingHints* out) {
  auto& dictionary = out->dictionary;
  if (hint.name == "compression") return ParseScheme(hint, true).Value(&out->compression);
  if (hint.name == "bss") return ParseSplit(hint).Value(&out->byte_stream_split);
  if (hint.name == "dict-divisor") return ParseCount(hint).Value(&dictionary.divisor);
  if (hint.name == "dict-max-size") return ParseCount(hint).Value(&dictionary.max_bytes);
  if (hint.name == "dict-values-compression") {
    return ParseScheme(hint, false).Value(&dictionary.values);
  }
  if (hint.name == "compression-level") {
    ARROW_ASSIGN_OR_RAISE(out->compression_level, ParseLevel(hint));
  } else if (hint.name == "dict-values-compression-level") {
    ARROW_ASSIGN_OR_RAISE(dictionary.values_level, ParseLevel(hint));
  } else if (hint.name == "rle-threshold") {
    ARROW_ASSIGN_OR_RAISE(out->rle_threshold, ParsePart(hint, true));
  } else if (hint.name == "dict-size-ratio") {
    ARROW_ASSIGN_OR_RAISE(dictionary.size_ratio, ParsePart(hint, false));
  } else if (hint.name == "minichunk-size") {
    ARROW_ASSIGN_OR_RAISE(out->mini_chunk_bytes, ParseCount(hint));
  }
  return Status::OK();
}

template <typename Visit>
Status VisitHints(const arrow::KeyValueMetadata* metadata, Visit&& visit) {
  if (metadata == nullptr) return Status::OK();
  for (int64_t i = 0; i < metadata->size(); ++i) {
    const std::string_view key = metadata->key(i);
    if (!key.starts_with(kPrefix)) continue;
    ARROW_RETURN_NOT_OK(visit(Hint{key.substr(kPrefix.size()), metadata->value(i)}));
  }
  return Status::OK();
}

}  // namespace

Result<EncodingHints> ParseEncodingHints(const arrow::KeyValueMetadata* schema,
                                         const arrow::KeyValueMetadata* top_level,
                                         const arrow::KeyValueMetadata* leaf,
                                         uint32_t minor_version) {
  EncodingHints hints;
  for (const arrow::KeyValueMetadata* metadata : {schema, top_level, leaf}) {
    ARROW_RETURN_NOT_OK(VisitHints(metadata, [&](const Hint& hint) -> Status {
      if (hint.name != "profile") return Status::OK();
      return ParseProfile(hint, minor_version).Value(&hints.profile);
    }));
  }
  ARROW_RETURN_NOT_OK(VisitHints(top_level, [&](const Hint& hint) -> Status {
    if (hint.name != "structural-encoding") return Status::OK();
    return ParseStructure(hint, minor_version).Value(&hints.structure);
  }));
  ARROW_RETURN_NOT_OK(
      VisitHints(leaf, [&](const Hint& hint) { return ApplyLeafHint(hint, &hints); }));
  return hints;
}

}  // namespace lance::encoding
