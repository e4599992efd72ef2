#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "dataset/table_session.h"
#include "lance/blob.h"
#include "schema/schema.h"
#include "table/blob_locator.h"

namespace lance {

/// Descriptors v2 that say the same as descriptors v1: the bytes are inline.
Result<std::shared_ptr<arrow::Array>> PromoteDescriptors(const arrow::Array& v1,
                                                         arrow::MemoryPool* pool);

/// The bytes of blobs, as large_binary.
Result<std::shared_ptr<arrow::Array>> ReadBlobBytes(const Context& context,
                                                    const TableSession& session,
                                                    const BlobLocator& locator,
                                                    const arrow::Array& descriptors);

/// The blobs as they can be written again: structs of bytes, or of the references of external ones.
Result<std::shared_ptr<arrow::Array>> ReadBlobValues(const Context& context,
                                                     const TableSession& session,
                                                     const BlobLocator& locator,
                                                     const arrow::Array& descriptors);
/// struct<data: large_binary, uri: string, position: uint64, size: uint64>
std::shared_ptr<arrow::DataType> BlobValueType();

/// The blob that row `row` describes (v1 or v2), or null.
Result<std::shared_ptr<Blob>> OpenBlob(const std::shared_ptr<const TableSession>& session,
                                       const BlobLocator& locator, const arrow::Array& descriptors,
                                       int64_t row);

/// The schema with all blobs replaced by their descriptors, those of version 1 only if `v1` is set.
Schema WithBlobDescriptors(const Schema& schema, bool v1);
/// The schema with all descriptors of version 2 replaced by those of version 1, as in files before
/// 2.2; nothing when there are none.
std::optional<Schema> WithOldBlobDescriptors(const Schema& schema);
/// The schema with blobs of version 2 as plain bytes.
Schema WithBlobBytes(const Schema& schema);
/// The schema with blobs of version 2 as they are given to write.
Schema WithBlobValues(const Schema& schema);
/// Whether a field is or holds blobs of any version.
bool HasAnyBlobs(const Field& field);
/// Bytes that the descriptors in a column, of any version, stand for.
uint64_t DescribedBytes(const Field& field, const arrow::ArrayData& array);

/// The fields with columns marked as blobs of version 1 as those of version 2, as tables of 2.2 and
/// later have them.
std::shared_ptr<arrow::Schema> PromoteBlobFields(const arrow::Schema& schema);

}  // namespace lance
