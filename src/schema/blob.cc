#include "schema/blob.h"

#include <string>

#include "arrow/util/key_value_metadata.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

bool IsStruct(const Field& field) {
  return KindOfLogicalType(field.logical_type) == FieldKind::kStruct;
}

bool HasBlobKey(const Field& field) {
  return FindMetadata(field.metadata.get(), kBlobKey).has_value();
}

Field Member(const char* name, const char* logical_type, bool nullable) {
  Field member;
  member.name = name;
  member.logical_type = logical_type;
  member.nullable = nullable;
  return member;
}

Status CheckMarks(const Field& field, const std::string& path) {
  if (!IsStruct(field) && FindMetadata(field.metadata.get(), kExtensionNameKey) == kBlobV2Name) {
    return WithPlace(
        UserError("blob has an unrecognized layout: ", field.logical_type, ", but its extension ",
                  kBlobV2Name,
                  " stands for a struct; make it with blob_array, or take the extension off"),
        {.field = path});
  }
  for (const Field& child : field.children) {
    ARROW_RETURN_NOT_OK(CheckMarks(child, path + "." + child.name));
  }
  return Status::OK();
}

}  // namespace

bool IsBlobV1(const Field& field) { return HasBlobKey(field) && !IsStruct(field); }

bool IsBlobV2(const Field& field) {
  return IsStruct(field) && FindMetadata(field.metadata.get(), kExtensionNameKey) == kBlobV2Name;
}

bool IsBlobV1Descriptor(const Field& field) {
  return HasBlobKey(field) && IsStruct(field) && !field.IsPackedStruct();
}

bool IsBlobV2Descriptor(const Field& field) { return HasBlobKey(field) && field.IsPackedStruct(); }

Status CheckBlobMarks(const Schema& schema) {
  for (const Field& field : schema.fields) ARROW_RETURN_NOT_OK(CheckMarks(field, field.name));
  return Status::OK();
}

Field BlobDescriptorField(const Field& blob) {
  Field out = blob;
  out.logical_type = "struct";
  out.unenforced_primary_key = false;
  if (IsBlobV1(blob)) {
    out.metadata = arrow::key_value_metadata({std::string(kBlobKey)}, {"true"});
    out.children = {Member("position", "uint64", true), Member("size", "uint64", true)};
  } else {
    out.metadata = arrow::key_value_metadata({std::string(kBlobKey), std::string(kPackedKey)},
                                             {"true", "true"});
    out.children = {Member("kind", "uint8", false), Member("position", "uint64", false),
                    Member("size", "uint64", false), Member("blob_id", "uint32", false),
                    Member("blob_uri", "string", false)};
  }
  return out;
}

Field BlobBytesField(const Field& blob) {
  Field out = blob;
  out.logical_type = "large_binary";
  out.children.clear();
  out.metadata = WithMetadata(blob.metadata, kExtensionNameKey, std::nullopt);
  return out;
}

}  // namespace lance
