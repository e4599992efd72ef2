#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/type_fwd.h"

namespace lance {

/// Field metadata keys that have a meaning for the schema.
inline constexpr std::string_view kExtensionNameKey = "ARROW:extension:name";
inline constexpr std::string_view kExtensionMetadataKey = "ARROW:extension:metadata";
/// Presets a field's id when a schema is made from Arrow; never stored.
inline constexpr std::string_view kFieldIdKey = "lance:field_id";
inline constexpr std::string_view kPrimaryKeyKey = "lance-schema:unenforced-primary-key";
inline constexpr std::string_view kPrimaryKeyPositionKey =
    "lance-schema:unenforced-primary-key:position";
inline constexpr std::string_view kClusteringKeyPositionKey =
    "lance-schema:unenforced-clustering-key:position";
/// Marks a blob column; its mere presence counts.
inline constexpr std::string_view kBlobKey = "lance-encoding:blob";
inline constexpr std::string_view kPackedKey = "lance-encoding:packed";
inline constexpr std::string_view kOldPackedKey = "packed";

/// In tables with semantic types: the layout that reads return a field in.
inline constexpr std::string_view kOutputEncodingKey = "lance-schema:output-encoding";
/// In tables with semantic types: an extension of a field that has another one in Arrow already.
inline constexpr std::string_view kLanceExtensionNameKey = "lance-schema:extension-name";
inline constexpr std::string_view kLanceExtensionMetadataKey = "lance-schema:extension-metadata";

/// Extension names with a meaning of their own.
inline constexpr std::string_view kArrowJsonName = "arrow.json";
inline constexpr std::string_view kLanceJsonName = "lance.json";
inline constexpr std::string_view kBlobV2Name = "lance.blob.v2";
inline constexpr std::string_view kBFloat16Name = "lance.bfloat16";

/// `1 true on yes y` in any case.
bool IsTruthy(std::string_view text);

/// Whether this metadata asks for a struct to be stored in one column.
bool AsksForPackedStruct(const arrow::KeyValueMetadata* metadata);

/// The value of a key; nothing if it is missing or `metadata` is null. The view lives as long as
/// `metadata`.
std::optional<std::string_view> FindMetadata(const arrow::KeyValueMetadata* metadata,
                                             std::string_view key);
/// A copy with the key set to `value` (or removed, if nothing); null when no key is left.
std::shared_ptr<const arrow::KeyValueMetadata> WithMetadata(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata, std::string_view key,
    std::optional<std::string_view> value);

}  // namespace lance
