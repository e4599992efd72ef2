#include "file/legacy_metadata.h"

#include <algorithm>

#include "arrow/util/key_value_metadata.h"
#include "file.pb.h"
#include "io/read_batch.h"
#include "proto/parse.h"
#include "table.pb.h"

namespace lance {
namespace {

constexpr uint64_t kLengthBytes = 4;

/// Reads messages of a file of which the end is known.
class MessageReader {
 public:
  MessageReader(const Context& context, RandomReader& reader, Bytes tail)
      : context_(context), reader_(reader), tail_(tail) {}

  Status Read(uint64_t position, const char* what, google::protobuf::MessageLite* message) {
    ARROW_ASSIGN_OR_RAISE(Bytes prefix, ReadBytes(position, kLengthBytes, what));
    const uint64_t size = LoadLittleEndian<uint32_t>(prefix.data());
    ARROW_ASSIGN_OR_RAISE(Bytes bytes, ReadBytes(position + kLengthBytes, size, what));
    if (ParseMessage(bytes, message)) return Status::OK();
    return Corrupt(what, " at ", position, " is not a valid message of ", size, " bytes");
  }

 private:
  Result<Bytes> ReadBytes(uint64_t offset, uint64_t size, const char* what) {
    if (offset > reader_.size() || size > reader_.size() - offset) {
      return Corrupt(what, " at ", offset, " with ", size, " bytes is outside of the file of ",
                     reader_.size(), " bytes");
    }
    const uint64_t tail_start = reader_.size() - tail_.size();
    if (offset >= tail_start) return tail_.subspan(offset - tail_start, size);
    batch_ = ReadBatch();
    const ReadBatch::Ticket ticket = batch_.Add({offset, size});
    ARROW_RETURN_NOT_OK(batch_.Execute(context_, reader_));
    return batch_.bytes(ticket);
  }

  const Context& context_;
  RandomReader& reader_;
  Bytes tail_;
  ReadBatch batch_;
};

Result<std::vector<uint64_t>> BatchStarts(const lance::file::Metadata& metadata) {
  std::vector<uint64_t> starts = {0};
  for (int i = 0; i < metadata.batch_offsets_size(); ++i) {
    const int32_t offset = metadata.batch_offsets(i);
    const bool first = i == 0;
    if (offset < 0 || (first && offset != 0) || static_cast<uint64_t>(offset) < starts.back()) {
      return Corrupt("batch ", i, " starts at row ", offset, ", after row ", starts.back());
    }
    if (!first) starts.push_back(static_cast<uint64_t>(offset));
  }
  return starts;
}

Status AddSchema(const lance::table::Manifest& manifest, LegacyMetadata* out) {
  ARROW_ASSIGN_OR_RAISE(out->schema, Schema::FromProto(manifest.fields()));
  if (manifest.schema_metadata_size() > 0) {
    std::vector<std::pair<std::string, std::string>> entries(manifest.schema_metadata().begin(),
                                                             manifest.schema_metadata().end());
    std::sort(entries.begin(), entries.end());
    auto metadata = std::make_shared<arrow::KeyValueMetadata>();
    for (auto& [key, value] : entries) metadata->Append(std::move(key), std::move(value));
    out->schema.metadata = std::move(metadata);
  }
  for (const auto& field : manifest.fields()) {
    if (!field.has_dictionary()) continue;
    const auto& dictionary = field.dictionary();
    if (dictionary.offset() < 0 || dictionary.length() < 0) {
      return WithPlace(
          Corrupt("dictionary at ", dictionary.offset(), " with ", dictionary.length(), " values"),
          {.field = field.name()});
    }
    out->dictionaries[field.id()] = {static_cast<uint64_t>(dictionary.offset()),
                                     static_cast<uint64_t>(dictionary.length())};
  }
  return Status::OK();
}

}  // namespace

Result<LegacyMetadata> LegacyMetadata::Load(const Context& context, RandomReader& reader,
                                            Bytes tail, bool needs_schema) {
  if (tail.size() < kLegacyFooterBytes) {
    return Corrupt("file of version 0.1 does not have sufficient data: ", tail.size(), " bytes");
  }
  const auto position = LoadLittleEndian<uint64_t>(tail.data() + tail.size() - kLegacyFooterBytes);
  MessageReader messages(context, reader, tail);
  lance::file::Metadata metadata;
  ARROW_RETURN_NOT_OK(messages.Read(position, "file metadata", &metadata));
  LegacyMetadata out;
  ARROW_ASSIGN_OR_RAISE(out.batch_starts, BatchStarts(metadata));
  out.page_table_position = metadata.page_table_position();
  if (metadata.manifest_position() == 0) {
    if (needs_schema) return Unsupported("a file of version 0.1 without its schema");
    return out;
  }
  lance::table::Manifest manifest;
  ARROW_RETURN_NOT_OK(messages.Read(metadata.manifest_position(), "schema of the file", &manifest));
  ARROW_RETURN_NOT_OK(AddSchema(manifest, &out));
  return out;
}

}  // namespace lance
