#include "file/container_writer.h"

#include <array>
#include <string>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "arrow/buffer.h"
#include "arrow/util/key_value_metadata.h"
#include "encodings20.pb.h"
#include "file.pb.h"
#include "wire.pb.h"

namespace lance {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint8_t kPadding = 'H';

// The same bytes for the same message, whatever the order of maps in memory.
std::string Serialize(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  {
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

void SetDirect(const google::protobuf::MessageLite& message, file::v2::Encoding* out) {
  wire::Any any;
  any.set_type_url("/" + std::string(message.GetTypeName()));
  any.set_value(Serialize(message));
  out->mutable_direct()->set_encoding(Serialize(any));
}

template <typename T>
void Append(T number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

ContainerWriter::ContainerWriter(size_t num_columns) : columns_(num_columns) {
  encodings::ColumnEncoding values;
  values.mutable_values();
  for (auto& column : columns_) SetDirect(values, column.mutable_encoding());
}

void ContainerWriter::MarkBlobColumn(size_t column) {
  encodings::ColumnEncoding blobs;
  blobs.mutable_blob()->mutable_inner()->mutable_values();
  SetDirect(blobs, columns_[column].mutable_encoding());
}

Result<ContainerWriter::Extent> ContainerWriter::WritePadded(Bytes bytes, ObjectWriter* writer) {
  const Extent extent = {writer->position(), bytes.size()};
  if (!bytes.empty()) ARROW_RETURN_NOT_OK(writer->Write(bytes));
  static constexpr auto kPaddingBytes = [] {
    std::array<uint8_t, kAlignment> padding{};
    padding.fill(kPadding);
    return padding;
  }();
  if (const uint64_t rest = writer->position() % kAlignment; rest != 0) {
    ARROW_RETURN_NOT_OK(writer->Write(Bytes(kPaddingBytes).first(kAlignment - rest)));
  }
  return extent;
}

Status ContainerWriter::WritePage(size_t column, const encoding::EncodedPage& page,
                                  uint64_t first_row, ObjectWriter* writer) {
  file::v2::ColumnMetadata::Page* out = columns_[column].add_pages();
  for (const auto& buffer : page.buffers) {
    ARROW_ASSIGN_OR_RAISE(
        Extent extent, WritePadded({buffer->data(), static_cast<size_t>(buffer->size())}, writer));
    out->add_buffer_offsets(extent.position);
    out->add_buffer_sizes(extent.size);
  }
  out->set_length(page.length);
  out->set_priority(first_row);
  std::visit([out](const auto& description) { SetDirect(description, out->mutable_encoding()); },
             page.description);
  return Status::OK();
}

Result<uint64_t> ContainerWriter::WriteBlob(Bytes bytes, ObjectWriter* writer) {
  ARROW_ASSIGN_OR_RAISE(Extent extent, WritePadded(bytes, writer));
  return extent.position;
}

Result<uint32_t> ContainerWriter::WriteGlobalBuffer(Bytes bytes, ObjectWriter* writer) {
  ARROW_ASSIGN_OR_RAISE(Extent extent, WritePadded(bytes, writer));
  global_buffers_.push_back(extent);
  return static_cast<uint32_t>(global_buffers_.size());
}

Status ContainerWriter::Finish(const Schema& schema, uint64_t num_rows, FileVersion version,
                               ObjectWriter* writer) const {
  file::FileDescriptor descriptor;
  schema.ToProto(descriptor.mutable_schema()->mutable_fields());
  if (schema.metadata != nullptr) {
    auto* metadata = descriptor.mutable_schema()->mutable_metadata();
    for (int64_t i = 0; i < schema.metadata->size(); ++i) {
      (*metadata)[schema.metadata->key(i)] = schema.metadata->value(i);
    }
  }
  descriptor.set_length(num_rows);

  const uint64_t start = writer->position();
  std::string out = Serialize(descriptor);
  const Extent descriptor_extent = {start, out.size()};
  const uint64_t column_metadata = start + out.size();
  std::vector<Extent> columns;
  columns.reserve(columns_.size());
  for (const auto& column : columns_) {
    const std::string bytes = Serialize(column);
    columns.push_back({start + out.size(), bytes.size()});
    out += bytes;
  }
  auto append_table = [&](const std::vector<Extent>& extents) {
    for (const Extent& extent : extents) {
      Append(extent.position, &out);
      Append(extent.size, &out);
    }
  };
  const uint64_t column_table = start + out.size();
  append_table(columns);
  const uint64_t global_table = start + out.size();
  append_table({descriptor_extent});
  append_table(global_buffers_);
  Append(column_metadata, &out);
  Append(column_table, &out);
  Append(global_table, &out);
  Append(static_cast<uint32_t>(global_buffers_.size() + 1), &out);
  Append(static_cast<uint32_t>(columns_.size()), &out);
  const FileVersionNumbers numbers = FooterVersionNumbers(version);
  Append(numbers.major_version, &out);
  Append(numbers.minor_version, &out);
  out += "LANC";
  return writer->Write(AsBytes(out));
}

}  // namespace lance
