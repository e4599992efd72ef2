#include "table/manifest_file.h"

#include <algorithm>
#include <limits>

#include "arrow/buffer.h"
#include "base/byte_reader.h"

namespace lance {
namespace {

constexpr uint64_t kFirstReadBytes = 64 * 1024;
constexpr uint64_t kFooterBytes = 16;
constexpr uint64_t kLengthBytes = 4;
constexpr std::string_view kMagic = "LANC";
constexpr uint16_t kMajorVersion = 0;
constexpr uint16_t kMinorVersion = 2;

void AppendNumber(auto value, std::string* out) {
  uint8_t bytes[sizeof(value)];
  StoreLittleEndian(value, bytes);
  out->append(reinterpret_cast<const char*>(bytes), sizeof(value));
}

void AppendSection(std::string_view message, std::string* out) {
  AppendNumber(static_cast<uint32_t>(message.size()), out);
  out->append(message);
}

/// The offset of the manifest, from the end of its file.
Result<uint64_t> ManifestOffset(Bytes tail, uint64_t file_size) {
  if (file_size < kFooterBytes + kLengthBytes || tail.size() < kFooterBytes) {
    return Corrupt("manifest file is too short: ", file_size, " bytes");
  }
  Bytes footer = tail.last(kFooterBytes);
  if (AsText(footer.last(kMagic.size())) != kMagic) {
    return Corrupt("manifest file does not end with its magic word LANC");
  }
  auto offset = LoadLittleEndian<int64_t>(footer.data());
  if (offset < 0 || static_cast<uint64_t>(offset) > file_size - kFooterBytes - kLengthBytes) {
    return Corrupt("manifest position is outside its file: ", offset, " of ", file_size, " bytes");
  }
  return static_cast<uint64_t>(offset);
}

Result<std::shared_ptr<arrow::Buffer>> ReadBuffer(const Context& context, RandomReader& reader,
                                                  uint64_t offset, uint64_t size) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(static_cast<int64_t>(size), context.pool()));
  ARROW_RETURN_NOT_OK(reader.ReadAt(context, offset, size, buffer->mutable_data()));
  return buffer;
}

Bytes BytesOf(const arrow::Buffer& buffer) {
  return {buffer.data(), static_cast<size_t>(buffer.size())};
}

Status CheckVersion(const Manifest& manifest, const ManifestLocation& location) {
  if (manifest.version() == location.version) return Status::OK();
  return Corrupt("manifest holds another version than its name: ", manifest.version(),
                 " instead of ", location.version);
}

/// Takes the manifest out of the end of its file, which reaches back to it at least.
Result<Manifest> DecodeTail(const std::shared_ptr<const arrow::Buffer>& tail, uint64_t tail_offset,
                            uint64_t manifest_offset, const ManifestLocation& location) {
  Bytes bytes = BytesOf(*tail).subspan(manifest_offset - tail_offset);
  uint64_t length = LoadLittleEndian<uint32_t>(bytes.data());
  uint64_t expected = bytes.size() - kFooterBytes - kLengthBytes;
  if (length != expected) {
    return Corrupt("manifest has the wrong length: ", length, " bytes, ", expected, " expected");
  }
  ARROW_ASSIGN_OR_RAISE(auto manifest, Manifest::Decode(bytes.subspan(kLengthBytes, length), tail));
  ARROW_RETURN_NOT_OK(CheckVersion(manifest, location));
  return manifest;
}

}  // namespace

Result<std::shared_ptr<const ManifestFile>> ManifestFile::Read(const Context& context,
                                                               ObjectStore& store,
                                                               ManifestLocation location) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<RandomReader> reader,
                        store.OpenReader(context, location.path));
  uint64_t size = reader->size();
  location.size = size;
  auto read = [&]() -> Result<std::shared_ptr<const ManifestFile>> {
    uint64_t tail_size = std::min(size, kFirstReadBytes);
    uint64_t tail_offset = size - tail_size;
    ARROW_ASSIGN_OR_RAISE(auto tail, ReadBuffer(context, *reader, tail_offset, tail_size));
    ARROW_ASSIGN_OR_RAISE(uint64_t offset, ManifestOffset(BytesOf(*tail), size));
    if (offset < tail_offset) {
      ARROW_ASSIGN_OR_RAISE(
          std::shared_ptr<arrow::Buffer> whole,
          arrow::AllocateBuffer(static_cast<int64_t>(size - offset), context.pool()));
      uint64_t missing = tail_offset - offset;
      ARROW_RETURN_NOT_OK(reader->ReadAt(context, offset, missing, whole->mutable_data()));
      std::copy_n(tail->data(), tail_size, whole->mutable_data() + missing);
      tail = std::move(whole);
      tail_offset = offset;
    }
    std::shared_ptr<ManifestFile> file(new ManifestFile);
    ARROW_ASSIGN_OR_RAISE(file->manifest_, DecodeTail(tail, tail_offset, offset, location));
    file->location_ = location;
    file->manifest_offset_ = offset;
    file->tail_ = std::move(tail);
    file->tail_offset_ = tail_offset;
    return file;
  };
  auto file = read();
  if (!file.ok()) return WithPlace(file.status(), {.path = location.path});
  return file;
}

Result<std::shared_ptr<const ManifestFile>> ManifestFile::FromBytes(
    std::shared_ptr<const arrow::Buffer> content, ManifestLocation location) {
  auto size = static_cast<uint64_t>(content->size());
  location.size = size;
  ARROW_ASSIGN_OR_RAISE(uint64_t offset, ManifestOffset(BytesOf(*content), size));
  std::shared_ptr<ManifestFile> file(new ManifestFile);
  ARROW_ASSIGN_OR_RAISE(file->manifest_, DecodeTail(content, 0, offset, location));
  file->location_ = std::move(location);
  file->manifest_offset_ = offset;
  file->tail_ = std::move(content);
  return file;
}

Result<bool> ManifestFile::IsThere(const Context& context, ObjectStore& store) const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<RandomReader> reader,
                        store.OpenReader(context, location_.path));
  if (reader->size() != location_.size) return false;
  const Bytes expected =
      BytesOf(*tail_).last(static_cast<size_t>(std::min<int64_t>(tail_->size(), kFirstReadBytes)));
  ARROW_ASSIGN_OR_RAISE(
      auto found, ReadBuffer(context, *reader, reader->size() - expected.size(), expected.size()));
  return std::ranges::equal(BytesOf(*found), expected);
}

Result<std::string> ManifestFile::ReadSection(const Context& context, ObjectStore& store,
                                              uint64_t offset, std::string_view what) const {
  uint64_t limit = manifest_offset_;
  auto check = [&](uint64_t start, uint64_t size) {
    if (start <= limit && size <= limit - start) return Status::OK();
    return WithPlace(Corrupt(what, " lies outside its part of the manifest file: ", size,
                             " bytes at ", start, ", ", limit, " bytes present"),
                     {.path = location_.path});
  };
  ARROW_RETURN_NOT_OK(check(offset, kLengthBytes));
  if (offset >= tail_offset_) {
    Bytes bytes = BytesOf(*tail_).subspan(offset - tail_offset_);
    uint64_t length = LoadLittleEndian<uint32_t>(bytes.data());
    ARROW_RETURN_NOT_OK(check(offset + kLengthBytes, length));
    return std::string(AsText(bytes.subspan(kLengthBytes, length)));
  }
  ARROW_ASSIGN_OR_RAISE(auto reader, store.OpenReader(context, location_.path));
  uint8_t prefix[kLengthBytes];
  ARROW_RETURN_NOT_OK(reader->ReadAt(context, offset, kLengthBytes, prefix));
  uint64_t length = LoadLittleEndian<uint32_t>(prefix);
  ARROW_RETURN_NOT_OK(check(offset + kLengthBytes, length));
  std::string message(length, '\0');
  ARROW_RETURN_NOT_OK(reader->ReadAt(context, offset + kLengthBytes, length,
                                     reinterpret_cast<uint8_t*>(message.data())));
  return message;
}

Result<std::optional<std::string>> ManifestFile::ReadIndexSection(const Context& context,
                                                                  ObjectStore& store) const {
  if (!manifest_.head.has_index_section()) return std::nullopt;
  return ReadSection(context, store, manifest_.head.index_section(), "index section");
}

Result<std::optional<std::string>> ManifestFile::ReadTransactionSection(const Context& context,
                                                                        ObjectStore& store) const {
  if (manifest_.head.has_transaction_section()) {
    return ReadSection(context, store, manifest_.head.transaction_section(), "transaction section");
  }
  if (manifest_.head.has_transaction_section_deprecated()) {
    return ReadSection(context, store, manifest_.head.transaction_section_deprecated(),
                       "transaction section");
  }
  return std::nullopt;
}

std::string EncodeManifestFile(const std::optional<std::string>& index_section,
                               const std::string& transaction, Manifest* manifest) {
  std::string out;
  manifest->head.clear_index_section();
  manifest->head.clear_transaction_section();
  manifest->head.clear_transaction_section_deprecated();
  if (index_section) {
    manifest->head.set_index_section(out.size());
    AppendSection(*index_section, &out);
  }
  if (transaction.size() <= kMaxInlineTransactionBytes) {
    manifest->head.set_transaction_section(out.size());
    AppendSection(transaction, &out);
  }
  auto offset = static_cast<int64_t>(out.size());
  uint64_t size = manifest->EncodedSize();
  out.reserve(out.size() + kLengthBytes + size + kFooterBytes);
  AppendNumber(static_cast<uint32_t>(size), &out);
  manifest->AppendEncoded(&out);
  AppendNumber(offset, &out);
  AppendNumber(kMajorVersion, &out);
  AppendNumber(kMinorVersion, &out);
  out.append(kMagic);
  return out;
}

}  // namespace lance
