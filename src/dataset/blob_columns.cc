#include "dataset/blob_columns.h"

#include <map>
#include <utility>

#include "arrow/api.h"
#include "arrow/buffer_builder.h"
#include "dataset/copy_validity.h"
#include "dataset/leaf_changes.h"
#include "dataset/map_fields.h"
#include "io/read_batch.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

template <typename ArrayType, typename Member>
const ArrayType& MemberOf(const arrow::StructArray& descriptors, Member member) {
  return static_cast<const ArrayType&>(*descriptors.field(static_cast<int>(member)));
}

// Of a valid row, v1 or v2.
BlobDescriptor DescriptorAt(const arrow::StructArray& array, int64_t row) {
  BlobDescriptor out;
  if (array.num_fields() == 2) {
    out.position = MemberOf<arrow::UInt64Array>(array, BlobV1Member::kPosition).Value(row);
    out.size = MemberOf<arrow::UInt64Array>(array, BlobV1Member::kSize).Value(row);
    return out;
  }
  out.kind = MemberOf<arrow::UInt8Array>(array, BlobV2Member::kKind).Value(row);
  out.position = MemberOf<arrow::UInt64Array>(array, BlobV2Member::kPosition).Value(row);
  out.size = MemberOf<arrow::UInt64Array>(array, BlobV2Member::kSize).Value(row);
  out.blob_id = MemberOf<arrow::UInt32Array>(array, BlobV2Member::kBlobId).Value(row);
  out.uri = MemberOf<arrow::StringArray>(array, BlobV2Member::kBlobUri).GetView(row);
  return out;
}

Result<std::shared_ptr<RandomReader>> OpenObject(const Context& context,
                                                 const TableSession& session,
                                                 const StoreLocation& object) {
  if (auto reader = session.blob_files().Get(object.path)) return reader;
  ARROW_ASSIGN_OR_RAISE(auto reader, object.store->OpenReader(context, object.path));
  return session.blob_files().Put(object.path, std::move(reader));
}

struct OpenedBlob {
  std::shared_ptr<RandomReader> object;
  ByteRange range;
};

Result<OpenedBlob> Open(const Context& context, const TableSession& session,
                        const BlobLocator& locator, const BlobDescriptor& descriptor) {
  ARROW_ASSIGN_OR_RAISE(BlobPlace place, locator.Locate(descriptor));
  OpenedBlob blob;
  ARROW_ASSIGN_OR_RAISE(blob.object, OpenObject(context, session, place.object));
  blob.range = {place.position, place.size.value_or(blob.object->size())};
  if (blob.range.offset > blob.object->size() ||
      blob.range.size > blob.object->size() - blob.range.offset) {
    return WithPlace(Corrupt("blob of ", blob.range.size, " bytes at ", blob.range.offset,
                             " is outside of its file of ", blob.object->size(), " bytes"),
                     {.path = place.object.path});
  }
  return blob;
}

// Nothing is opened for values without bytes.
bool IsEmpty(const BlobDescriptor& descriptor) {
  return descriptor.size == 0 &&
         descriptor.kind != static_cast<uint8_t>(BlobDescriptor::Kind::kExternal);
}

class StoredBlob final : public Blob {
 public:
  StoredBlob(std::shared_ptr<const TableSession> session, OpenedBlob blob)
      : Blob(blob.range.size), session_(std::move(session)), blob_(std::move(blob)) {}

  Result<std::shared_ptr<arrow::Buffer>> Read(uint64_t offset, uint64_t length) const override {
    if (offset > size() || length > size() - offset) {
      return UserError("Blob range end ", offset + length, " exceeds blob size ", size());
    }
    const Context context = session_->MakeContext();
    ARROW_ASSIGN_OR_RAISE(auto bytes,
                          arrow::AllocateBuffer(static_cast<int64_t>(length), context.pool()));
    if (length > 0) {
      ARROW_RETURN_NOT_OK(blob_.object->ReadAt(context, blob_.range.offset + offset, length,
                                               bytes->mutable_data()));
    }
    return std::shared_ptr<arrow::Buffer>(std::move(bytes));
  }

 private:
  std::shared_ptr<const TableSession> session_;
  OpenedBlob blob_;
};

Field MapTree(const Field& field, const std::function<std::optional<Field>(const Field&)>& map) {
  if (auto mapped = map(field)) return *std::move(mapped);
  Field out = field;
  for (Field& child : out.children) child = MapTree(child, map);
  return out;
}

Schema MapSchema(const Schema& schema,
                 const std::function<std::optional<Field>(const Field&)>& map) {
  Schema out = schema;
  for (Field& field : out.fields) field = MapTree(field, map);
  return out;
}

std::vector<Field> BlobValueMembers() {
  std::vector<Field> members;
  for (const auto& [name, type] : {std::pair{"data", "large_binary"}, std::pair{"uri", "string"},
                                   std::pair{"position", "uint64"}, std::pair{"size", "uint64"}}) {
    Field& member = members.emplace_back();
    member.name = name;
    member.logical_type = type;
  }
  return members;
}

std::shared_ptr<arrow::Field> PromoteBlobField(const std::shared_ptr<arrow::Field>& field) {
  if (field->type()->id() != arrow::Type::LARGE_BINARY ||
      !FindMetadata(field->metadata().get(), kBlobKey)) {
    return nullptr;
  }
  auto metadata = WithMetadata(field->metadata(), kBlobKey, std::nullopt);
  metadata = WithMetadata(metadata, kExtensionNameKey, kBlobV2Name);
  return arrow::field(field->name(),
                      arrow::struct_({arrow::field("data", arrow::large_binary()),
                                      arrow::field("uri", arrow::utf8())}),
                      field->nullable(), std::move(metadata));
}

}  // namespace

Schema WithBlobDescriptors(const Schema& schema, bool v1) {
  return MapSchema(schema, [v1](const Field& field) -> std::optional<Field> {
    if (IsBlobV2(field) || (v1 && IsBlobV1(field))) return BlobDescriptorField(field);
    return std::nullopt;
  });
}

std::optional<Schema> WithOldBlobDescriptors(const Schema& schema) {
  bool any = false;
  Schema out = MapSchema(schema, [&any](const Field& field) -> std::optional<Field> {
    if (!IsBlobV2Descriptor(field)) return std::nullopt;
    any = true;
    Field v1 = field;
    v1.logical_type = "large_binary";
    return BlobDescriptorField(v1);
  });
  if (!any) return std::nullopt;
  return out;
}

Schema WithBlobBytes(const Schema& schema) {
  return MapSchema(schema, [](const Field& field) -> std::optional<Field> {
    if (IsBlobV2(field)) return BlobBytesField(field);
    return std::nullopt;
  });
}

Schema WithBlobValues(const Schema& schema) {
  return MapSchema(schema, [](const Field& field) -> std::optional<Field> {
    if (!IsBlobV2(field)) return std::nullopt;
    // Not as an extension type, which another library may have registered.
    Field out = field;
    out.metadata = WithMetadata(field.metadata, kExtensionNameKey, std::nullopt);
    out.children = BlobValueMembers();
    return out;
  });
}

bool HasAnyBlobs(const Field& field) {
  return HoldsLeaf(field, [](const Field& leaf) { return IsBlobV1(leaf) || IsBlobV2(leaf); });
}

uint64_t DescribedBytes(const Field& field, const arrow::ArrayData& array) {
  uint64_t bytes = 0;
  if (IsBlobV1Descriptor(field) || IsBlobV2Descriptor(field)) {
    const auto structs = std::make_shared<arrow::StructArray>(array.Copy());
    for (int64_t i = 0; i < structs->length(); ++i) {
      if (structs->IsValid(i)) bytes += DescriptorAt(*structs, i).size;
    }
    return bytes;
  }
  for (size_t i = 0; i < field.children.size() && i < array.child_data.size(); ++i) {
    bytes += DescribedBytes(field.children[i], *array.child_data[i]);
  }
  return bytes;
}

std::shared_ptr<arrow::Schema> PromoteBlobFields(const arrow::Schema& schema) {
  return MapFields(schema, PromoteBlobField);
}

Result<std::shared_ptr<arrow::Array>> PromoteDescriptors(const arrow::Array& v1,
                                                         arrow::MemoryPool* pool) {
  const arrow::ArrayData& old = *v1.data();
  const int64_t length = old.length;
  const int64_t stored = old.offset + length;  // children have no offset of their own
  constexpr auto kInline = static_cast<uint8_t>(BlobDescriptor::Kind::kInline);
  ARROW_ASSIGN_OR_RAISE(auto kinds,
                        arrow::MakeArrayFromScalar(arrow::UInt8Scalar(kInline), stored, pool));
  ARROW_ASSIGN_OR_RAISE(auto ids, arrow::MakeArrayFromScalar(arrow::UInt32Scalar(0), stored, pool));
  ARROW_ASSIGN_OR_RAISE(auto uris,
                        arrow::MakeArrayFromScalar(arrow::StringScalar(""), stored, pool));
  Field blob;
  blob.logical_type = "struct";
  ARROW_ASSIGN_OR_RAISE(auto type, BlobDescriptorField(blob).ArrowType());
  auto data =
      arrow::ArrayData::Make(type, length, {old.buffers[0]}, old.GetNullCount(), old.offset);
  data->child_data = {kinds->data(), old.child_data[0], old.child_data[1], ids->data(),
                      uris->data()};
  return arrow::MakeArray(data);
}

namespace {

// Of each row: whether its bytes are to be read.
using WantsBytes = std::function<bool(const BlobDescriptor&)>;

Result<std::shared_ptr<arrow::Array>> ReadBytesOf(const Context& context,
                                                  const TableSession& session,
                                                  const BlobLocator& locator,
                                                  const arrow::StructArray& array,
                                                  const WantsBytes& wants) {
  const int64_t length = array.length();

  std::vector<OpenedBlob> blobs(static_cast<size_t>(length));
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> offset_buffer,
      arrow::AllocateBuffer((length + 1) * static_cast<int64_t>(sizeof(int64_t)), context.pool()));
  auto* offsets = offset_buffer->mutable_data_as<int64_t>();
  offsets[0] = 0;
  for (int64_t i = 0; i < length; ++i) {
    OpenedBlob& blob = blobs[static_cast<size_t>(i)];
    if (array.IsValid(i)) {
      const BlobDescriptor descriptor = DescriptorAt(array, i);
      if (!IsEmpty(descriptor) && wants(descriptor)) {
        ARROW_ASSIGN_OR_RAISE(blob, Open(context, session, locator, descriptor));
      }
    }
    offsets[i + 1] = offsets[i] + static_cast<int64_t>(blob.range.size);
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                        arrow::AllocateBuffer(offsets[length], context.pool()));
  std::map<RandomReader*, ReadBatch> batches;
  for (int64_t i = 0; i < length; ++i) {
    const OpenedBlob& blob = blobs[static_cast<size_t>(i)];
    if (blob.range.size == 0) continue;
    batches[blob.object.get()].AddInto(blob.range, bytes->mutable_data() + offsets[i]);
  }
  for (auto& [object, batch] : batches) ARROW_RETURN_NOT_OK(batch.Execute(context, *object));
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, context.pool()));
  return std::make_shared<arrow::LargeBinaryArray>(
      length, std::move(offset_buffer), std::move(bytes), std::move(validity), array.null_count());
}

// References that are kept, as full URIs.
class References {
 public:
  References(const BlobLocator& locator, arrow::MemoryPool* pool)
      : locator_(locator), uri_(pool), position_(pool), size_(pool) {}

  static bool IsKept(const BlobDescriptor& descriptor) {
    return descriptor.kind == static_cast<uint8_t>(BlobDescriptor::Kind::kExternal);
  }

  Status AppendNull() {
    ARROW_RETURN_NOT_OK(uri_.AppendNull());
    ARROW_RETURN_NOT_OK(position_.AppendNull());
    return size_.AppendNull();
  }

  Status Append(const BlobDescriptor& descriptor) {
    ARROW_ASSIGN_OR_RAISE(std::string uri, locator_.UriOf(descriptor));
    ARROW_RETURN_NOT_OK(uri_.Append(uri));
    if (descriptor.position == 0 && descriptor.size == 0) {
      ARROW_RETURN_NOT_OK(position_.AppendNull());
      return size_.AppendNull();
    }
    ARROW_RETURN_NOT_OK(position_.Append(descriptor.position));
    return size_.Append(descriptor.size);
  }

  Result<arrow::ArrayVector> Finish() {
    arrow::ArrayVector out(3);
    ARROW_RETURN_NOT_OK(uri_.Finish(&out[0]));
    ARROW_RETURN_NOT_OK(position_.Finish(&out[1]));
    ARROW_RETURN_NOT_OK(size_.Finish(&out[2]));
    return out;
  }

 private:
  const BlobLocator& locator_;
  arrow::StringBuilder uri_;
  arrow::UInt64Builder position_;
  arrow::UInt64Builder size_;
};

}  // namespace

Result<std::shared_ptr<arrow::Array>> ReadBlobBytes(const Context& context,
                                                    const TableSession& session,
                                                    const BlobLocator& locator,
                                                    const arrow::Array& descriptors) {
  return ReadBytesOf(context, session, locator, static_cast<const arrow::StructArray&>(descriptors),
                     [](const BlobDescriptor&) { return true; });
}

std::shared_ptr<arrow::DataType> BlobValueType() {
  return arrow::struct_(
      {arrow::field("data", arrow::large_binary()), arrow::field("uri", arrow::utf8()),
       arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
}

Result<std::shared_ptr<arrow::Array>> ReadBlobValues(const Context& context,
                                                     const TableSession& session,
                                                     const BlobLocator& locator,
                                                     const arrow::Array& descriptors) {
  const auto& array = static_cast<const arrow::StructArray&>(descriptors);
  ARROW_ASSIGN_OR_RAISE(auto bytes, ReadBytesOf(context, session, locator, array,
                                                [](const BlobDescriptor& descriptor) {
                                                  return !References::IsKept(descriptor);
                                                }));
  References references(locator, context.pool());
  arrow::TypedBufferBuilder<bool> has_bytes(context.pool());
  for (int64_t i = 0; i < array.length(); ++i) {
    const bool kept = array.IsValid(i) && References::IsKept(DescriptorAt(array, i));
    ARROW_RETURN_NOT_OK(has_bytes.Append(array.IsValid(i) && !kept));
    ARROW_RETURN_NOT_OK(kept ? references.Append(DescriptorAt(array, i)) : references.AppendNull());
  }
  auto data = bytes->data()->Copy();
  ARROW_ASSIGN_OR_RAISE(data->buffers[0], has_bytes.Finish());
  data->null_count = arrow::kUnknownNullCount;
  ARROW_ASSIGN_OR_RAISE(auto members, references.Finish());
  members.insert(members.begin(), arrow::MakeArray(data));
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, context.pool()));
  return std::make_shared<arrow::StructArray>(BlobValueType(), array.length(), members,
                                              std::move(validity), array.null_count());
}

Result<std::shared_ptr<Blob>> OpenBlob(const std::shared_ptr<const TableSession>& session,
                                       const BlobLocator& locator, const arrow::Array& descriptors,
                                       int64_t row) {
  const auto& array = static_cast<const arrow::StructArray&>(descriptors);
  if (array.IsNull(row)) return nullptr;
  const BlobDescriptor descriptor = DescriptorAt(array, row);
  OpenedBlob blob;
  if (!IsEmpty(descriptor)) {
    ARROW_ASSIGN_OR_RAISE(blob, Open(session->MakeContext(), *session, locator, descriptor));
  }
  return std::make_shared<StoredBlob>(session, std::move(blob));
}

}  // namespace lance
