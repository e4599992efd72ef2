#include "file/array_columns.h"

#include "encoding/v20/list_page.h"
#include "encoding/v20/make_page.h"
#include "encodings20.pb.h"
#include "proto/parse.h"
#include "schema/logical_type.h"

namespace lance {
namespace {

namespace v20 = encoding::v20;
using encoding::PageBuffer;
using encoding::PageReader;

// Blobs are read as their bytes or as their places, others with offsets of either width.
constexpr size_t kMaxShapes = 8;

constexpr char kArrayEncodingType[] = "lance.encodings.ArrayEncoding";
constexpr char kColumnEncodingType[] = "lance.encodings.ColumnEncoding";

std::vector<PageBuffer> ToPageBuffers(const std::vector<ByteRange>& ranges) {
  std::vector<PageBuffer> out;
  out.reserve(ranges.size());
  for (const ByteRange& range : ranges) out.push_back({range.offset, range.size});
  return out;
}

Result<encodings::ArrayEncoding> ParseArrayEncoding(const PageMetadata& page) {
  if (page.encoding_type != kArrayEncodingType) {
    return Corrupt("page of a file of version 2.0 is described by a '", page.encoding_type, "'");
  }
  encodings::ArrayEncoding encoding;
  if (!ParseMessage(page.encoding, &encoding)) {
    return Corrupt("page description is not a valid message");
  }
  return encoding;
}

/// Whether the pages of a column are of blobs.
Result<bool> HoldsBlobs(const ColumnMetadata& metadata) {
  if (metadata.encoding_type != kColumnEncodingType) {
    return Corrupt("column is described by a '", metadata.encoding_type, "'");
  }
  encodings::ColumnEncoding encoding;
  if (!ParseMessage(metadata.encoding, &encoding)) {
    return Corrupt("column description is not a valid message");
  }
  if (encoding.has_values() || encoding.has_blob()) return encoding.has_blob();
  return Unsupported("column encoding ", static_cast<int>(encoding.column_encoding_case()),
                     " in a file of version 2.0");
}

}  // namespace

class ArrayColumns::Column final : public PagedColumn {
 public:
  Column(ColumnMetadata metadata, const std::vector<ByteRange>& file_buffers,
         const StoredField& stored, bool is_blob)
      : PagedColumn(*stored.shape, metadata.PageStarts()),
        metadata_(std::move(metadata)),
        file_buffers_(file_buffers),
        is_list_(!stored.field->IsLeaf()),
        is_blob_(is_blob) {}

  Result<std::unique_ptr<PageReader>> OpenPage(size_t i) const override {
    const PageMetadata& page = metadata_.pages[i];
    ARROW_ASSIGN_OR_RAISE(auto encoding, ParseArrayEncoding(page));
    v20::BufferTable buffers;
    buffers.page = ToPageBuffers(page.buffers);
    buffers.column = ToPageBuffers(metadata_.buffers);
    buffers.file = ToPageBuffers(file_buffers_);
    if (is_blob_) return v20::MakeBlobPage(encoding, shape(), buffers, page.num_rows);
    if (!is_list_) return v20::MakePage(encoding, shape(), buffers, page.num_rows);
    ARROW_RETURN_NOT_OK(CountItems());
    return v20::ListPage::Make(encoding.list(), shape(), buffers, page.num_rows, first_items_[i]);
  }

 private:
  /// Items before each page: the items of a page follow those of the pages before.
  Status CountItems() const {
    std::call_once(counted_, [this] { count_status_ = SumItems(); });
    return count_status_;
  }

  Status SumItems() const {
    uint64_t items = 0;
    for (const PageMetadata& page : metadata_.pages) {
      ARROW_ASSIGN_OR_RAISE(auto encoding, ParseArrayEncoding(page));
      if (!encoding.has_list()) return Corrupt("page of a list column holds no lists");
      first_items_.push_back(items);
      if (encoding.list().num_items() > (uint64_t{1} << 62) - items) {
        return Corrupt("list pages claim ", encoding.list().num_items(), " items");
      }
      items += encoding.list().num_items();
    }
    return Status::OK();
  }

  ColumnMetadata metadata_;
  const std::vector<ByteRange>& file_buffers_;
  bool is_list_;
  bool is_blob_;
  mutable std::once_flag counted_;
  mutable Status count_status_;
  mutable std::vector<uint64_t> first_items_;
};

ArrayColumns::ArrayColumns(RandomReader& reader, const FileMetadata& metadata)
    : reader_(reader), metadata_(metadata), columns_(metadata.num_columns()) {}

ArrayColumns::~ArrayColumns() = default;

Result<uint64_t> ArrayColumns::CountRows(const Context& context) {
  if (columns_.empty()) return metadata_.declared_rows();
  constexpr uint32_t kFirst = 0;
  ARROW_ASSIGN_OR_RAISE(auto first, metadata_.LoadColumns(context, reader_, {&kFirst, 1}));
  return first[0].num_rows;
}

const ArrayColumns::Column* ArrayColumns::Find(const StoredField& stored) const {
  for (const auto& column : columns_[stored.column]) {
    if (column->shape() == *stored.shape) return column.get();
  }
  return nullptr;
}

Result<std::vector<const PagedColumn*>> ArrayColumns::Load(const Context& context,
                                                           std::span<const StoredField> fields) {
  std::lock_guard lock(mutex_);
  std::vector<const StoredField*> missing;
  std::vector<uint32_t> indices;
  for (const StoredField& stored : fields) {
    if (Find(stored) != nullptr) continue;
    if (columns_[stored.column].size() == kMaxShapes) {
      return WithPlace(Corrupt("one column is read as different types"),
                       {.field = stored.field->name, .column = stored.column});
    }
    missing.push_back(&stored);
    indices.push_back(stored.column);
  }
  if (!missing.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto loaded, metadata_.LoadColumns(context, reader_, indices));
    for (size_t i = 0; i < missing.size(); ++i) {
      const StoredField& stored = *missing[i];
      auto is_blob = HoldsBlobs(loaded[i]);
      if (!is_blob.ok()) {
        return WithPlace(is_blob.status(), {.field = stored.field->name, .column = stored.column});
      }
      columns_[stored.column].push_back(std::make_unique<Column>(
          std::move(loaded[i]), metadata_.global_buffers(), stored, *is_blob));
    }
  }
  std::vector<const PagedColumn*> out;
  out.reserve(fields.size());
  for (const StoredField& stored : fields) out.push_back(Find(stored));
  return out;
}

Result<double> ArrayColumns::StoredBytes(const Context& context,
                                         std::span<const uint32_t> columns) const {
  ARROW_ASSIGN_OR_RAISE(auto loaded, metadata_.LoadColumns(context, reader_, columns));
  double bytes = 0;
  for (const ColumnMetadata& column : loaded) {
    for (const PageMetadata& page : column.pages) {
      for (const ByteRange& buffer : page.buffers) bytes += static_cast<double>(buffer.size);
    }
  }
  return bytes;
}

namespace {

void CountColumns(const Field& field, uint32_t* next, std::vector<uint32_t>* out) {
  const uint32_t column = (*next)++;
  const FieldKind kind = KindOfLogicalType(field.logical_type);
  const bool is_list = kind == FieldKind::kList || kind == FieldKind::kLargeList;
  if (field.IsLeaf() || is_list) out->push_back(column);
  // The members of a fixed-size list have no columns.
  if (field.IsLeaf() || kind == FieldKind::kFixedSizeListOfStruct) return;
  for (const Field& child : field.children) CountColumns(child, next, out);
}

}  // namespace

std::vector<uint32_t> ArrayColumnsOf(const Schema& schema) {
  std::vector<uint32_t> out;
  uint32_t next = 0;
  for (const Field& field : schema.fields) CountColumns(field, &next, &out);
  return out;
}

}  // namespace lance
