#include "file/file_metadata.h"

#include <algorithm>
#include <cstring>

#include "arrow/buffer.h"
#include "file.pb.h"
#include "file_v2.pb.h"
#include "proto/parse.h"
#include "wire.pb.h"

namespace lance {
namespace {

constexpr uint64_t kTailBytes = 64 * 1024;
constexpr uint64_t kTableEntryBytes = 16;
constexpr uint64_t kBufferAlignment = 64;
constexpr char kMagic[] = "LANC";

Bytes Slice(const arrow::Buffer& buffer, uint64_t offset, uint64_t size) {
  return Bytes(buffer.data(), static_cast<size_t>(buffer.size())).subspan(offset, size);
}

Result<std::vector<ByteRange>> ParseTable(Bytes bytes, uint64_t low, uint64_t high,
                                          const char* what) {
  std::vector<ByteRange> out(bytes.size() / kTableEntryBytes);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].offset = LoadLittleEndian<uint64_t>(bytes.data() + i * kTableEntryBytes);
    out[i].size = LoadLittleEndian<uint64_t>(bytes.data() + i * kTableEntryBytes + 8);
    if (out[i].offset < low || out[i].offset > high || out[i].size > high - out[i].offset) {
      return Corrupt(what, " ", i, " is at ", out[i].offset, " with ", out[i].size,
                     " bytes, outside of ", low, " to ", high);
    }
  }
  return out;
}

// Unwraps Encoding{direct} → Any → (message name, message).
Status UnwrapEncoding(const lance::file::v2::Encoding& encoding, std::string* type,
                      std::string* message) {
  if (!encoding.has_direct()) {
    return Corrupt("an encoding description is ", encoding.has_indirect() ? "indirect" : "missing",
                   ", only direct ones occur");
  }
  lance::wire::Any any;
  if (!ParseMessage(encoding.direct().encoding(), &any)) {
    return Corrupt("an encoding description is not a valid message");
  }
  const size_t slash = any.type_url().rfind('/');
  if (slash == std::string::npos) {
    return Corrupt("type URL '", any.type_url(), "' of an encoding has no slash");
  }
  *type = any.type_url().substr(slash + 1);
  *message = std::move(*any.mutable_value());
  return Status::OK();
}

template <typename Offsets, typename Sizes>
Result<std::vector<ByteRange>> Ranges(const Offsets& offsets, const Sizes& sizes,
                                      uint64_t file_size, bool aligned) {
  if (offsets.size() != sizes.size()) {
    return Corrupt("metadata lists ", offsets.size(), " buffer offsets and ", sizes.size(),
                   " sizes");
  }
  std::vector<ByteRange> out;
  out.reserve(static_cast<size_t>(offsets.size()));
  for (int i = 0; i < offsets.size(); ++i) {
    if (offsets[i] > file_size || sizes[i] > file_size - offsets[i]) {
      return Corrupt("buffer ", i, " at ", offsets[i], " with ", sizes[i],
                     " bytes is outside of the file of ", file_size, " bytes");
    }
    if (aligned && offsets[i] % kBufferAlignment != 0) {
      return Corrupt("buffer ", i, " at ", offsets[i], " is not aligned to 64 bytes");
    }
    out.push_back({offsets[i], sizes[i]});
  }
  return out;
}

}  // namespace

Result<Footer> Footer::Parse(Bytes tail, uint64_t file_size) {
  if (file_size < kFooterBytes) {
    return Corrupt("not a Lance file: ", file_size, " bytes are too small for a footer of ",
                   kFooterBytes);
  }
  ByteReader reader(tail);
  Footer footer;
  ARROW_ASSIGN_OR_RAISE(footer.column_metadata_position, reader.Read<uint64_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(footer.column_table_position, reader.Read<uint64_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(footer.buffer_table_position, reader.Read<uint64_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(footer.num_global_buffers, reader.Read<uint32_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(footer.num_columns, reader.Read<uint32_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(footer.major_version, reader.Read<uint16_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(footer.minor_version, reader.Read<uint16_t>("footer"));
  ARROW_ASSIGN_OR_RAISE(Bytes magic, reader.ReadBytes(4, "footer"));
  if (AsText(magic) != kMagic) {
    return Corrupt(
        "not a Lance file: the last four bytes are not LANC (magic mismatch); the file "
        "may be of another format or cut short");
  }
  // Legacy files end in the same magic, with a footer of their own.
  ARROW_ASSIGN_OR_RAISE(FileVersion version,
                        FileVersionFromNumbers(footer.major_version, footer.minor_version));
  if (version == FileVersion::kV0_1) return footer;
  const uint64_t table_end = file_size - kFooterBytes;
  const uint64_t buffers = footer.num_global_buffers * kTableEntryBytes;
  const uint64_t columns = footer.num_columns * kTableEntryBytes;
  if (buffers > table_end || footer.buffer_table_position != table_end - buffers ||
      columns > footer.buffer_table_position ||
      footer.column_table_position != footer.buffer_table_position - columns ||
      footer.column_metadata_position > footer.column_table_position) {
    return Corrupt("footer: column metadata at ", footer.column_metadata_position,
                   ", column table at ", footer.column_table_position, " with ", footer.num_columns,
                   " entries, buffer table at ", footer.buffer_table_position, " with ",
                   footer.num_global_buffers, " entries do not fit a file of ", file_size,
                   " bytes");
  }
  return footer;
}

Result<FileMetadata> FileMetadata::Load(const Context& context, RandomReader& reader) {
  FileMetadata out;
  out.file_size_ = reader.size();
  if (out.file_size_ < kFooterBytes) return Footer::Parse({}, out.file_size_).status();
  const uint64_t tail_size = std::min(kTailBytes, out.file_size_);
  const uint64_t tail_start = out.file_size_ - tail_size;
  ARROW_ASSIGN_OR_RAISE(auto tail, arrow::AllocateBuffer(static_cast<int64_t>(tail_size)));
  ARROW_RETURN_NOT_OK(reader.ReadAt(context, tail_start, tail_size, tail->mutable_data()));
  ARROW_ASSIGN_OR_RAISE(
      out.footer_,
      Footer::Parse(Slice(*tail, tail_size - kFooterBytes, kFooterBytes), out.file_size_));
  const Footer& footer = out.footer_;
  ARROW_ASSIGN_OR_RAISE(out.version_,
                        FileVersionFromNumbers(footer.major_version, footer.minor_version));
  if (out.version_ == FileVersion::kV0_1) {
    return Unsupported("data file of version 0.1 (legacy)");
  }
  if (footer.num_global_buffers == 0) {
    return Corrupt("file has no global buffers; its schema was expected in the first one");
  }

  // The metadata from its start to the end of the file, reading only what the tail lacks.
  const uint64_t start = footer.column_metadata_position;
  ARROW_ASSIGN_OR_RAISE(auto metadata,
                        arrow::AllocateBuffer(static_cast<int64_t>(out.file_size_ - start)));
  if (start < tail_start) {
    ARROW_RETURN_NOT_OK(
        reader.ReadAt(context, start, tail_start - start, metadata->mutable_data()));
    std::memcpy(metadata->mutable_data() + (tail_start - start), tail->data(), tail_size);
  } else {
    std::memcpy(metadata->mutable_data(), tail->data() + (start - tail_start),
                out.file_size_ - start);
  }
  out.metadata_ = std::move(metadata);

  ARROW_ASSIGN_OR_RAISE(out.columns_,
                        ParseTable(Slice(*out.metadata_, footer.column_table_position - start,
                                         footer.num_columns * kTableEntryBytes),
                                   start, footer.column_table_position, "metadata of column"));
  ARROW_ASSIGN_OR_RAISE(out.global_buffers_,
                        ParseTable(Slice(*out.metadata_, footer.buffer_table_position - start,
                                         footer.num_global_buffers * kTableEntryBytes),
                                   0, out.file_size_, "global buffer"));
  if (out.version_ >= FileVersion::kV2_1) {
    for (const ByteRange& buffer : out.global_buffers_) {
      if (buffer.offset % kBufferAlignment != 0) {
        return Corrupt("global buffer at ", buffer.offset, " is not aligned to 64 bytes");
      }
    }
  }

  // The file descriptor mostly stands right before the column metadata, in the tail.
  const ByteRange range = out.global_buffers_[0];
  std::shared_ptr<arrow::Buffer> descriptor_buffer;
  Bytes descriptor_bytes;
  if (range.offset >= tail_start) {
    descriptor_bytes = Slice(*tail, range.offset - tail_start, range.size);
  } else {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(static_cast<int64_t>(range.size)));
    ARROW_RETURN_NOT_OK(reader.ReadAt(context, range.offset, range.size, buffer->mutable_data()));
    descriptor_buffer = std::move(buffer);
    descriptor_bytes = Slice(*descriptor_buffer, 0, range.size);
  }
  lance::file::FileDescriptor descriptor;
  if (!ParseMessage(descriptor_bytes, &descriptor)) {
    return Corrupt("global buffer 0 at ", range.offset, " is not a valid file descriptor");
  }
  ARROW_ASSIGN_OR_RAISE(out.schema_, Schema::FromProto(descriptor.schema().fields()));
  if (descriptor.schema().metadata_size() > 0) {
    std::vector<std::string> keys;
    std::vector<std::string> values;
    for (const auto& [key, value] : descriptor.schema().metadata()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    for (const auto& key : keys) values.push_back(descriptor.schema().metadata().at(key));
    out.schema_.metadata = arrow::key_value_metadata(std::move(keys), std::move(values));
  }
  out.declared_rows_ = descriptor.length();
  return out;
}

Result<ColumnMetadata> FileMetadata::ParseColumn(uint32_t column) const {
  const ByteRange range = columns_[column];
  const Bytes bytes =
      Slice(*metadata_, range.offset - footer_.column_metadata_position, range.size);
  lance::file::v2::ColumnMetadata message;
  if (!ParseMessage(bytes, &message)) {
    return Corrupt("metadata of a column at ", range.offset, " is not a valid message");
  }
  ColumnMetadata out;
  ARROW_RETURN_NOT_OK(UnwrapEncoding(message.encoding(), &out.encoding_type, &out.encoding));
  ARROW_ASSIGN_OR_RAISE(out.buffers, Ranges(message.buffer_offsets(), message.buffer_sizes(),
                                            file_size_, /*aligned=*/false));
  const bool aligned = version_ >= FileVersion::kV2_1;
  out.pages.reserve(static_cast<size_t>(message.pages_size()));
  for (int i = 0; i < message.pages_size(); ++i) {
    const auto& wire = message.pages(i);
    ErrorPlace place;
    place.page = i;
    PageMetadata page;
    page.num_rows = wire.length();
    page.first_row = out.num_rows;
    auto ranges = Ranges(wire.buffer_offsets(), wire.buffer_sizes(), file_size_, aligned);
    if (!ranges.ok()) return WithPlace(ranges.status(), place);
    page.buffers = *std::move(ranges);
    Status unwrapped = UnwrapEncoding(wire.encoding(), &page.encoding_type, &page.encoding);
    if (!unwrapped.ok()) return WithPlace(unwrapped, place);
    if (page.num_rows > (uint64_t{1} << 62) || out.num_rows > (uint64_t{1} << 62)) {
      return WithPlace(Corrupt("page claims ", page.num_rows, " rows"), place);
    }
    out.num_rows += page.num_rows;
    out.pages.push_back(std::move(page));
  }
  return out;
}

}  // namespace lance
