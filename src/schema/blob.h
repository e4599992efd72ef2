#pragma once

#include "base/error.h"
#include "schema/schema.h"

namespace lance {

// Blob columns (spec/file-format.md §4.5) hold values that are too large for pages.
//   v1: large_binary, marked by a metadata key; its bytes stand in the data file
//   v2: the extension lance.blob.v2; its bytes stand in the data file, in files beside it, or
//       anywhere else
// Both show as structs of numbers that say where the bytes are: descriptors.

bool IsBlobV1(const Field& field);
bool IsBlobV2(const Field& field);
/// A struct<position, size> that stands for a v1 blob.
bool IsBlobV1Descriptor(const Field& field);
/// A struct<kind, position, size, blob_id, blob_uri> that stands for a v2 blob.
bool IsBlobV2Descriptor(const Field& field);

/// That fields which are marked as blobs v2 are structs.
Status CheckBlobMarks(const Schema& schema);

/// The descriptor that stands for a blob column: same name, id and nullability.
Field BlobDescriptorField(const Field& blob);
/// The large_binary column with the bytes of a blob column.
Field BlobBytesField(const Field& blob);

/// Members of descriptors, in order.
enum class BlobV1Member : uint8_t { kPosition, kSize };
enum class BlobV2Member : uint8_t { kKind, kPosition, kSize, kBlobId, kBlobUri };

}  // namespace lance
