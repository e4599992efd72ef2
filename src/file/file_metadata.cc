#include "file/file_metadata.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/util/key_value_metadata.h"
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

/// Files of one table mostly have the same descriptor: the one that was parsed last.
class DescriptorCache {
 public:
  std::shared_ptr<const Descriptor> Find(Bytes bytes) {
    std::lock_guard lock(mutex_);
    return last_ != nullptr && last_->bytes == AsText(bytes) ? last_ : nullptr;
  }
  void Keep(std::shared_ptr<const Descriptor> descriptor) {
    std::lock_guard lock(mutex_);
    last_ = std::move(descriptor);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Descriptor> last_;
};

DescriptorCache& LastDescriptor() {
  static DescriptorCache cache;
  return cache;
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

std::vector<uint64_t> ColumnMetadata::PageStarts() const {
  std::vector<uint64_t> starts;
  starts.reserve(pages.size() + 1);
  for (const PageMetadata& page : pages) starts.push_back(page.first_row);
  starts.push_back(num_rows);
  return starts;
}

/// Fills a FileMetadata from the end of the file to its front.
struct FileMetadata::Loader {
  const Context& context;
  RandomReader& reader;
  FileMetadata& out;

  uint64_t tail_start = 0;
  std::shared_ptr<arrow::Buffer> tail{};

  Status Run(bool with_schema) {
    ARROW_RETURN_NOT_OK(ReadTail());
    if (out.version_ == FileVersion::kV0_1) {
      out.legacy_tail_ = std::move(tail);
      return Status::OK();
    }
    if (out.footer_.num_global_buffers == 0) {
      return Corrupt("file has no global buffers; its schema was expected in the first one");
    }
    ARROW_RETURN_NOT_OK(ReadTables());
    ARROW_RETURN_NOT_OK(KeepColumns());
    if (!with_schema) return ParseDescriptorAtHand();
    return ReadDescriptor();
  }

  Status ReadTail() {
    out.file_size_ = reader.size();
    if (out.file_size_ < kFooterBytes) return Footer::Parse({}, out.file_size_).status();
    const uint64_t size = std::min(kTailBytes, out.file_size_);
    tail_start = out.file_size_ - size;
    ARROW_ASSIGN_OR_RAISE(tail, arrow::AllocateBuffer(static_cast<int64_t>(size), context.pool()));
    ARROW_RETURN_NOT_OK(reader.ReadAt(context, tail_start, size, tail->mutable_data()));
    ARROW_ASSIGN_OR_RAISE(
        out.footer_,
        Footer::Parse(Slice(*tail, size - kFooterBytes, kFooterBytes), out.file_size_));
    return FileVersionFromNumbers(out.footer_.major_version, out.footer_.minor_version)
        .Value(&out.version_);
  }

  Status ReadTables() {
    const Footer& footer = out.footer_;
    const uint64_t column_bytes = footer.num_columns * kTableEntryBytes;
    const uint64_t size = column_bytes + footer.num_global_buffers * kTableEntryBytes;
    const uint64_t start = footer.column_table_position;
    ReadBatch batch;
    Bytes tables;
    if (start >= tail_start) {
      tables = Slice(*tail, start - tail_start, size);
    } else {
      const ReadBatch::Ticket ticket = batch.Add({start, size});
      ARROW_RETURN_NOT_OK(batch.Execute(context, reader));
      tables = batch.bytes(ticket);
    }
    ARROW_RETURN_NOT_OK(ParseTable(tables.first(column_bytes), footer.column_metadata_position,
                                   footer.column_table_position, "metadata of column")
                            .Value(&out.columns_));
    ARROW_RETURN_NOT_OK(ParseTable(tables.subspan(column_bytes), 0, out.file_size_, "global buffer")
                            .Value(&out.global_buffers_));
    if (out.version_ < FileVersion::kV2_1) return Status::OK();
    for (const ByteRange& buffer : out.global_buffers_) {
      if (buffer.offset % kBufferAlignment != 0) {
        return Corrupt("global buffer at ", buffer.offset, " is not aligned to 64 bytes");
      }
    }
    return Status::OK();
  }

  Status Keep(uint64_t start, Bytes bytes) {
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> copy,
        arrow::AllocateBuffer(static_cast<int64_t>(bytes.size()), context.pool()));
    if (!bytes.empty()) std::memcpy(copy->mutable_data(), bytes.data(), bytes.size());
    out.pieces_.push_back({start, std::move(copy)});
    return Status::OK();
  }

  /// What the tail has of the column metadata.
  Status KeepColumns() {
    const uint64_t end = out.footer_.column_table_position;
    const uint64_t start = std::max(out.footer_.column_metadata_position, tail_start);
    if (start >= end) return Status::OK();
    return Keep(start, Slice(*tail, start - tail_start, end - start));
  }

  /// The table's schema does without it.
  Status ParseDescriptorAtHand() {
    const ByteRange range = out.global_buffers_[0];
    if (range.offset < tail_start) return Status::OK();
    (void)ParseDescriptor(Slice(*tail, range.offset - tail_start, range.size));
    return Status::OK();
  }

  Status ReadDescriptor() {
    const ByteRange range = out.global_buffers_[0];
    if (range.offset >= tail_start) {
      return ParseDescriptor(Slice(*tail, range.offset - tail_start, range.size));
    }
    ReadBatch batch;
    const ReadBatch::Ticket descriptor = batch.Add(range);
    // It is what tells the number of rows.
    const bool with_column = !out.columns_.empty() && out.columns_[0].offset < tail_start;
    const ReadBatch::Ticket column = with_column ? batch.Add(out.columns_[0]) : descriptor;
    ARROW_RETURN_NOT_OK(batch.Execute(context, reader));
    if (with_column) ARROW_RETURN_NOT_OK(Keep(out.columns_[0].offset, batch.bytes(column)));
    return ParseDescriptor(batch.bytes(descriptor));
  }

  Status ParseDescriptor(Bytes bytes) {
    auto descriptor = LastDescriptor().Find(bytes);
    if (descriptor == nullptr) {
      ARROW_ASSIGN_OR_RAISE(descriptor, Decode(bytes));
      LastDescriptor().Keep(descriptor);
    }
    out.descriptor_ = std::move(descriptor);
    return Status::OK();
  }

  Result<std::shared_ptr<const Descriptor>> Decode(Bytes bytes) const {
    lance::file::FileDescriptor descriptor;
    if (!ParseMessage(bytes, &descriptor)) {
      return Corrupt("global buffer 0 at ", out.global_buffers_[0].offset,
                     " is not a valid file descriptor");
    }
    auto parsed = std::make_shared<Descriptor>();
    parsed->bytes = AsText(bytes);
    ARROW_ASSIGN_OR_RAISE(parsed->schema, Schema::FromProto(descriptor.schema().fields()));
    if (descriptor.schema().metadata_size() > 0) {
      std::vector<std::string> keys;
      std::vector<std::string> values;
      for (const auto& [key, value] : descriptor.schema().metadata()) keys.push_back(key);
      std::sort(keys.begin(), keys.end());
      values.reserve(keys.size());
      for (const auto& key : keys) values.push_back(descriptor.schema().metadata().at(key));
      parsed->schema.metadata = arrow::key_value_metadata(std::move(keys), std::move(values));
    }
    parsed->rows = descriptor.length();
    return parsed;
  }
};

Result<FileMetadata> FileMetadata::Load(const Context& context, RandomReader& reader,
                                        bool with_schema) {
  FileMetadata out;
  static const auto kNone = std::make_shared<const Descriptor>();
  out.descriptor_ = kNone;
  Loader loader{context, reader, out};
  ARROW_RETURN_NOT_OK(loader.Run(with_schema));
  return out;
}

Bytes FileMetadata::legacy_tail() const {
  return Slice(*legacy_tail_, 0, static_cast<uint64_t>(legacy_tail_->size()));
}

Result<std::vector<ColumnMetadata>> FileMetadata::LoadColumns(
    const Context& context, RandomReader& reader, std::span<const uint32_t> columns) const {
  std::vector<Bytes> bytes(columns.size());
  std::vector<std::pair<size_t, ReadBatch::Ticket>> tickets;
  ReadBatch batch;
  for (size_t i = 0; i < columns.size(); ++i) {
    const ByteRange range = columns_[columns[i]];
    const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& kept) {
      const auto size = static_cast<uint64_t>(kept.bytes->size());
      return range.offset >= kept.start && range.offset + range.size <= kept.start + size;
    });
    if (piece != pieces_.end()) {
      bytes[i] = Slice(*piece->bytes, range.offset - piece->start, range.size);
    } else {
      tickets.emplace_back(i, batch.Add(range));
    }
  }
  ARROW_RETURN_NOT_OK(batch.Execute(context, reader));
  for (const auto& [i, ticket] : tickets) bytes[i] = batch.bytes(ticket);
  std::vector<ColumnMetadata> out;
  out.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    auto parsed = ParseColumn(columns_[columns[i]], bytes[i]);
    if (!parsed.ok()) return WithPlace(parsed.status(), {.column = columns[i]});
    out.push_back(*std::move(parsed));
  }
  return out;
}

Result<ColumnMetadata> FileMetadata::ParseColumn(ByteRange range, Bytes bytes) const {
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
    page.priority = wire.priority();
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
