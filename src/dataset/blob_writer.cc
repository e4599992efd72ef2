#include "dataset/blob_writer.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/buffer_builder.h"
#include "dataset/blob_columns.h"
#include "dataset/blob_values.h"
#include "dataset/leaf_changes.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "table/blob_locator.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Kind = BlobDescriptor::Kind;

constexpr std::string_view kInlineKey = "lance-encoding:blob-inline-size-threshold";
constexpr std::string_view kDedicatedKey = "lance-encoding:blob-dedicated-size-threshold";
constexpr std::string_view kPackKey = "lance-encoding:blob-pack-file-size-threshold";
constexpr uint64_t kInlineBytes = 64 << 10;
constexpr uint64_t kDedicatedBytes = 4 << 20;
constexpr uint64_t kPackBytes = 1 << 30;

// The largest values that go to a place, in bytes.
struct Thresholds {
  uint64_t inline_bytes = kInlineBytes;
  /// Checked first.
  uint64_t dedicated_bytes = kDedicatedBytes;
  uint64_t pack_bytes = kPackBytes;
};

Status ReadThreshold(const Field& field, std::string_view key, uint64_t* bytes) {
  const auto text = FindMetadata(field.metadata.get(), key);
  if (!text) return Status::OK();
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, *bytes);
  if (error == std::errc() && end == last) return Status::OK();
  return UserError("metadata is not a number of bytes: field '", field.name, "', key ", key,
                   ", value '", *text, "'");
}

Result<Thresholds> ThresholdsOf(const Field& field, const BlobWriteOptions& options) {
  Thresholds out;
  out.pack_bytes = options.pack_file_bytes.value_or(kPackBytes);
  ARROW_RETURN_NOT_OK(ReadThreshold(field, kInlineKey, &out.inline_bytes));
  ARROW_RETURN_NOT_OK(ReadThreshold(field, kDedicatedKey, &out.dedicated_bytes));
  ARROW_RETURN_NOT_OK(ReadThreshold(field, kPackKey, &out.pack_bytes));
  return out;
}

// The descriptors of a column, row by row.
class Descriptors {
 public:
  explicit Descriptors(arrow::MemoryPool* pool)
      : validity_(pool), kind_(pool), position_(pool), size_(pool), id_(pool), uri_(pool) {}

  Status AppendNull() {
    ARROW_RETURN_NOT_OK(validity_.Append(false));
    return AppendMembers(Kind::kInline, 0, 0, 0, "");
  }
  Status Append(Kind kind, uint64_t position, uint64_t size, uint32_t id = 0,
                std::string_view uri = "") {
    ARROW_RETURN_NOT_OK(validity_.Append(true));
    return AppendMembers(kind, position, size, id, uri);
  }

  Result<ArrayPtr> Finish(const Field& field) {
    ARROW_ASSIGN_OR_RAISE(auto type, BlobDescriptorField(field).ArrowType());
    const int64_t length = kind_.length();
    const int64_t nulls = validity_.false_count();
    ARROW_ASSIGN_OR_RAISE(auto validity, validity_.Finish());
    arrow::ArrayVector members(5);
    ARROW_RETURN_NOT_OK(kind_.Finish(&members[0]));
    ARROW_RETURN_NOT_OK(position_.Finish(&members[1]));
    ARROW_RETURN_NOT_OK(size_.Finish(&members[2]));
    ARROW_RETURN_NOT_OK(id_.Finish(&members[3]));
    ARROW_RETURN_NOT_OK(uri_.Finish(&members[4]));
    return std::make_shared<arrow::StructArray>(type, length, members, std::move(validity), nulls);
  }

 private:
  Status AppendMembers(Kind kind, uint64_t position, uint64_t size, uint32_t id,
                       std::string_view uri) {
    ARROW_RETURN_NOT_OK(kind_.Append(static_cast<uint8_t>(kind)));
    ARROW_RETURN_NOT_OK(position_.Append(position));
    ARROW_RETURN_NOT_OK(size_.Append(size));
    ARROW_RETURN_NOT_OK(id_.Append(id));
    return uri_.Append(uri);
  }

  arrow::TypedBufferBuilder<bool> validity_;
  arrow::UInt8Builder kind_;
  arrow::UInt64Builder position_;
  arrow::UInt64Builder size_;
  arrow::UInt32Builder id_;
  arrow::StringBuilder uri_;
};

}  // namespace

struct BlobWriter::Impl {
  Context context;
  std::shared_ptr<ObjectStore> store;
  // Of the files beside the data file.
  std::string folder;
  BlobWriteOptions options;
  FileWriter* file;
  NewFiles* files;
  uint32_t next_id = 1;
  // The file that values are packed into, and its id.
  std::unique_ptr<ObjectWriter> pack = nullptr;
  uint32_t pack_id = 0;

  // ---- values ----

  Result<ArrayPtr> StoreValues(const Field& field, const ArrayPtr& array) {
    ARROW_ASSIGN_OR_RAISE(BlobValues values, BlobValues::Of(field, array));
    ARROW_ASSIGN_OR_RAISE(const Thresholds thresholds, ThresholdsOf(field, options));
    Descriptors out(context.pool());
    for (int64_t row = 0; row < array->length(); ++row) {
      ARROW_RETURN_NOT_OK(context.CheckStop());
      if (array->IsNull(row)) {
        ARROW_RETURN_NOT_OK(out.AppendNull());
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const BlobValue value, values.At(row));
      if (value.data) {
        ARROW_RETURN_NOT_OK(StoreBytes(AsBytes(*value.data), thresholds, &out));
      } else if (options.external == ExternalBlobMode::kIngest) {
        ARROW_ASSIGN_OR_RAISE(auto bytes, Fetch(value));
        ARROW_RETURN_NOT_OK(
            StoreBytes({bytes->data(), static_cast<size_t>(bytes->size())}, thresholds, &out));
      } else {
        ARROW_RETURN_NOT_OK(StoreReference(value, &out));
      }
    }
    return out.Finish(field);
  }

  Status StoreBytes(Bytes bytes, const Thresholds& thresholds, Descriptors* out) {
    if (bytes.empty()) return out->Append(Kind::kInline, 0, 0);
    if (bytes.size() > thresholds.dedicated_bytes) {
      uint32_t id = 0;
      ARROW_ASSIGN_OR_RAISE(auto object, OpenBeside(&id));
      ARROW_RETURN_NOT_OK(object->Write(bytes));
      ARROW_RETURN_NOT_OK(object->Finish());
      return out->Append(Kind::kDedicated, 0, bytes.size(), id);
    }
    if (bytes.size() > thresholds.inline_bytes) return Pack(bytes, thresholds.pack_bytes, out);
    ARROW_ASSIGN_OR_RAISE(uint64_t position, file->WriteBlob(bytes));
    return out->Append(Kind::kInline, position, bytes.size());
  }

  Status Pack(Bytes bytes, uint64_t pack_bytes, Descriptors* out) {
    if (pack != nullptr && pack->position() + bytes.size() > pack_bytes) {
      ARROW_RETURN_NOT_OK(ClosePack());
    }
    if (pack == nullptr) {
      ARROW_ASSIGN_OR_RAISE(pack, OpenBeside(&pack_id));
    }
    const uint64_t position = pack->position();
    ARROW_RETURN_NOT_OK(pack->Write(bytes));
    return out->Append(Kind::kPacked, position, bytes.size(), pack_id);
  }

  Status ClosePack() {
    if (pack == nullptr) return Status::OK();
    Status status = pack->Finish();
    pack.reset();
    return status;
  }

  Result<std::unique_ptr<ObjectWriter>> OpenBeside(uint32_t* id) {
    *id = next_id++;
    std::string path = folder + "/" + BlobFileName(*id);
    files->Add({store, path});
    return store->OpenWriter(context, path);
  }

  // ---- references ----

  Status StoreReference(const BlobValue& value, Descriptors* out) const {
    const uint64_t position = value.position.value_or(0);
    const uint64_t size = value.size.value_or(0);
    for (const auto& [id, base] : options.bases) {
      const std::string prefix = base.ends_with('/') ? base : base + "/";
      if (!value.uri->starts_with(prefix)) continue;
      const std::string_view relative = value.uri->substr(prefix.size());
      ARROW_RETURN_NOT_OK(CheckRelativePath(relative));
      return out->Append(Kind::kExternal, position, size, id, relative);
    }
    if (!options.allow_external_outside_bases) {
      return UserError("External blob URI '", *value.uri,
                       "' is outside registered external bases (dataset root is not allowed). Set "
                       "allow_external_blob_outside_bases=true to store it as absolute external "
                       "URI.");
    }
    return out->Append(Kind::kExternal, position, size, 0, *value.uri);
  }

  Result<std::shared_ptr<arrow::Buffer>> Fetch(const BlobValue& value) const {
    ARROW_ASSIGN_OR_RAISE(StoreLocation place, ResolveUri(std::string(*value.uri)));
    ARROW_ASSIGN_OR_RAISE(auto object, place.store->OpenReader(context, place.path));
    const uint64_t position = value.position.value_or(0);
    const uint64_t size = value.size.value_or(object->size());
    if (position > object->size() || size > object->size() - position) {
      return UserError("External blob range of ", size, " bytes at ", position,
                       " is outside of its object of ", object->size(), " bytes: '", *value.uri,
                       "'");
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes,
                          arrow::AllocateBuffer(static_cast<int64_t>(size), context.pool()));
    if (size > 0) {
      ARROW_RETURN_NOT_OK(object->ReadAt(context, position, size, bytes->mutable_data()));
    }
    return bytes;
  }
};

BlobWriter::BlobWriter(const Context& context, const StoreLocation& data_file,
                       BlobWriteOptions options, FileWriter* file, NewFiles* files)
    : impl_(new Impl{.context = context,
                     .store = data_file.store,
                     .folder = BlobFolder(data_file.path),
                     .options = std::move(options),
                     .file = file,
                     .files = files}) {}

BlobWriter::~BlobWriter() = default;

Result<std::shared_ptr<arrow::RecordBatch>> BlobWriter::Store(const Schema& schema,
                                                              const arrow::RecordBatch& batch) {
  return ChangeLeaves(
      schema, batch, IsBlobV2,
      [this](const Field& field, const ArrayPtr& values) {
        return impl_->StoreValues(field, values);
      },
      impl_->context.pool());
}

Status BlobWriter::Finish() { return impl_->ClosePack(); }

BlobWriteOptions RewriteBlobs(const BasePaths& bases) {
  BlobWriteOptions options;
  options.allow_external_outside_bases = true;
  for (const auto& base : bases) options.bases.emplace(base.id(), base.path());
  return options;
}

}  // namespace lance
