#include "file/file_reader.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "base/executor.h"
#include "encoding/read/page_reader.h"
#include "encodings21.pb.h"
#include "file/assemble.h"
#include "file/file_metadata.h"
#include "file/leaf_column.h"
#include "io/read_batch.h"
#include "proto/parse.h"

namespace lance {
namespace {

using encoding::LeafShape;
using encoding::LeafSink;
using encoding::NeededBytes;
using encoding::PageBuffer;
using encoding::PageCursor;
using encoding::PageReader;

// Reads of at most so many ranges and rows are decoded on the caller's thread.
constexpr size_t kInlineRequests = 64;
constexpr uint64_t kInlineRows = 16 * 1024;

constexpr char kPageLayoutType[] = "lance.encodings21.PageLayout";
constexpr char kColumnEncodingType[] = "lance.encodings.ColumnEncoding";

ErrorPlace Place(const std::string& path, int64_t column, std::optional<int64_t> page = {}) {
  ErrorPlace place;
  place.path = path;
  place.column = column;
  place.page = page;
  return place;
}

/// The pages of a column as compiled for one shape, opened on first use and kept.
class ColumnView {
 public:
  ColumnView(const FileMetadata& file, const ColumnMetadata& metadata, const LeafShape& shape)
      : file_(file), metadata_(metadata), shape_(shape), pages_(metadata.pages.size()) {}
  ~ColumnView() {
    for (auto& page : pages_) delete page.load();
  }

  const LeafShape& shape() const { return shape_; }

  /// A page whose index is loaded, or null.
  const PageReader* page(size_t i) const { return pages_[i].load(std::memory_order_acquire); }

  Result<std::unique_ptr<PageReader>> OpenPage(size_t i) const {
    const PageMetadata& metadata = metadata_.pages[i];
    if (metadata.encoding_type != kPageLayoutType) {
      return Unsupported("page description '", metadata.encoding_type, "'");
    }
    encodings21::PageLayout layout;
    if (!ParseMessage(metadata.encoding, &layout)) {
      return Corrupt("page description is not a valid message");
    }
    std::vector<PageBuffer> buffers;
    for (const ByteRange& range : metadata.buffers) buffers.push_back({range.offset, range.size});
    return PageReader::Make(layout, shape_, std::move(buffers), metadata.num_rows,
                            file_.version() == FileVersion::kV2_1);
  }

  /// Two threads may open the same page; the first one's is kept.
  const PageReader* Keep(size_t i, std::unique_ptr<PageReader> page) const {
    PageReader* expected = nullptr;
    if (pages_[i].compare_exchange_strong(expected, page.get(), std::memory_order_acq_rel)) {
      return page.release();
    }
    return expected;
  }

 private:
  const FileMetadata& file_;
  const ColumnMetadata& metadata_;
  const LeafShape shape_;
  mutable std::vector<std::atomic<PageReader*>> pages_;
};

/// One column of the file: its metadata, loaded on first use and kept, and what it is read as.
class Column {
 public:
  explicit Column(const FileMetadata& file) : file_(file) {}

  ~Column() { delete metadata_.load(); }

  /// Null until the metadata is loaded.
  const ColumnMetadata* metadata() const { return metadata_.load(std::memory_order_acquire); }

  /// Two threads may load the same column; the first one's metadata is kept.
  Status Keep(ColumnMetadata metadata) const {
    if (metadata.encoding_type != kColumnEncodingType) {
      return Corrupt("column is described by a '", metadata.encoding_type, "'");
    }
    auto loaded = std::make_unique<ColumnMetadata>(std::move(metadata));
    ColumnMetadata* expected = nullptr;
    if (metadata_.compare_exchange_strong(expected, loaded.get(), std::memory_order_acq_rel)) {
      loaded.release();
    }
    return Status::OK();
  }

  /// The pages compiled for a shape, once the metadata is loaded. Columns are read as one shape,
  /// blobs as their bytes or as their places.
  Result<const ColumnView*> View(const LeafShape& shape) const {
    std::lock_guard lock(views_mutex_);
    for (const auto& view : views_) {
      if (view->shape() == shape) return view.get();
    }
    if (views_.size() == kMaxViews) return Corrupt("one column is read as different types");
    views_.push_back(std::make_unique<ColumnView>(file_, *metadata(), shape));
    return views_.back().get();
  }

 private:
  static constexpr size_t kMaxViews = 2;

  const FileMetadata& file_;
  mutable std::atomic<ColumnMetadata*> metadata_{nullptr};
  mutable std::mutex views_mutex_;
  mutable std::vector<std::unique_ptr<ColumnView>> views_;
};

/// The read of one page within a batch.
struct PageRead {
  size_t page = 0;
  std::vector<RowRange> rows;  ///< within the page
  uint64_t at = 0;             ///< position of the first row in the sink
  const PageReader* reader = nullptr;
  std::unique_ptr<PageCursor> cursor;
  size_t first_ticket = 0;
  size_t num_tickets = 0;
};

struct LeafRead {
  const ColumnView* column = nullptr;
  uint32_t index = 0;
  const LeafShape* shape = nullptr;
  std::unique_ptr<LeafSink> sink;
  std::vector<PageRead> pages;
  std::vector<encoding::LayerArrays> layers;
};

// Splits rows of the file at the borders of pages. `scale` is the number of page rows for one
// row of the file.
std::vector<PageRead> SplitAtPages(const std::vector<PageMetadata>& pages,
                                   std::span<const RowRange> rows, uint64_t scale) {
  std::vector<PageRead> out;
  size_t page = 0;
  uint64_t done = 0;
  for (const RowRange& range : rows) {
    uint64_t row = range.start * scale;
    const uint64_t end = range.end() * scale;
    while (row < end) {
      if (page >= pages.size() || row < pages[page].first_row ||
          row >= pages[page].first_row + pages[page].num_rows) {
        auto it = std::upper_bound(
            pages.begin(), pages.end(), row,
            [](uint64_t value, const PageMetadata& p) { return value < p.first_row; });
        page = static_cast<size_t>(it - pages.begin()) - 1;
      }
      const uint64_t page_end = pages[page].first_row + pages[page].num_rows;
      if (out.empty() || out.back().page != page) {
        out.emplace_back();
        out.back().page = page;
        out.back().at = done;
      }
      const uint64_t count = std::min(end, page_end) - row;
      out.back().rows.push_back({row - pages[page].first_row, count});
      row += count;
      done += count;
    }
  }
  return out;
}

}  // namespace

struct FileReader::Impl {
  std::shared_ptr<RandomReader> reader;
  FileMetadata metadata;
  std::vector<std::unique_ptr<Column>> columns;
  uint64_t num_rows = 0;

  Status LoadColumns(const Context& context, std::span<const uint32_t> indices) const;
  Result<uint64_t> CountRows(const Context& context) const;
  Status CheckRows(std::span<const RowRange> rows) const;
  Result<FileProjection> Complete(FileProjection projection) const;
  Result<LeafRead> PlanLeaf(const LeafShape& shape, uint32_t column_index,
                            std::span<const RowRange> rows) const;
  Status OpenPages(const Context& context, std::vector<LeafRead>& leaves) const;
  static Result<std::unique_ptr<LeafSink>> MakeSink(const LeafRead& leaf, uint64_t count,
                                                    arrow::MemoryPool* pool);
  Status ReadPages(const Context& context, uint64_t count, std::vector<LeafRead>& leaves) const;
  Status CheckNeeds(std::span<const NeededBytes> needs, const LeafRead& leaf,
                    const PageRead& page) const;
  Status DecodeLeaf(const Context& context, LeafRead& leaf, uint64_t count) const;
};

// One round of reads for the metadata of all of these columns that have none yet.
Status FileReader::Impl::LoadColumns(const Context& context,
                                     std::span<const uint32_t> indices) const {
  std::vector<uint32_t> missing;
  for (uint32_t index : indices) {
    if (columns[index]->metadata() == nullptr) missing.push_back(index);
  }
  if (missing.empty()) return Status::OK();
  auto loaded = metadata.LoadColumns(context, *reader, missing);
  if (!loaded.ok()) return WithPlace(loaded.status(), {.path = reader->path()});
  for (size_t i = 0; i < missing.size(); ++i) {
    Status kept = columns[missing[i]]->Keep(std::move((*loaded)[i]));
    if (!kept.ok()) return WithPlace(kept, Place(reader->path(), missing[i]));
  }
  return Status::OK();
}

// Pages say how many rows there are: those of the first column, against which the others are
// checked when they are read. The number in the file descriptor is only informative.
Result<uint64_t> FileReader::Impl::CountRows(const Context& context) const {
  const auto paths = LeafPaths(metadata.schema());
  if (paths.empty() || columns.empty()) return metadata.declared_rows();
  constexpr uint32_t kFirst = 0;
  ARROW_RETURN_NOT_OK(LoadColumns(context, {&kFirst, 1}));
  ARROW_ASSIGN_OR_RAISE(uint64_t scale, RowsScale(paths[0]));
  return columns[kFirst]->metadata()->num_rows / scale;
}

Status FileReader::Impl::CheckRows(std::span<const RowRange> rows) const {
  uint64_t end = 0;
  for (const RowRange& range : rows) {
    if (range.start < end) return UserError("row ranges overlap or don't ascend");
    if (range.start > num_rows || range.count > num_rows - range.start) {
      return UserError("rows ", range.start, " to ", range.end(), " are outside of the file's ",
                       num_rows, " rows");
    }
    end = range.end();
  }
  return Status::OK();
}

// Fills in what follows from the schema and the columns.
Result<FileProjection> FileReader::Impl::Complete(FileProjection projection) const {
  auto arrow_schema = projection.schema.ToArrow();
  if (!arrow_schema.ok()) return WithPlace(arrow_schema.status(), {.path = reader->path()});
  projection.arrow_schema = *std::move(arrow_schema);
  projection.leaves_of_field.resize(projection.schema.fields.size());
  size_t field = 0;
  for (const auto& path : LeafPaths(projection.schema)) {
    auto shape = MakeLeafShape(path);
    if (!shape.ok()) {
      return WithPlace(shape.status(),
                       Place(reader->path(), projection.columns[projection.shapes.size()]));
    }
    projection.shapes.push_back(*std::move(shape));
    while (path[0] != &projection.schema.fields[field]) ++field;
    ++projection.leaves_of_field[field];
  }
  return projection;
}

Result<LeafRead> FileReader::Impl::PlanLeaf(const LeafShape& shape, uint32_t column_index,
                                            std::span<const RowRange> rows) const {
  LeafRead leaf;
  leaf.index = column_index;
  const ColumnMetadata* column = columns[column_index]->metadata();
  ARROW_ASSIGN_OR_RAISE(leaf.column, columns[column_index]->View(shape));
  leaf.shape = &leaf.column->shape();
  const uint64_t scale = leaf.shape->rows_scale();
  if (column->num_rows % scale != 0 || column->num_rows / scale != num_rows) {
    return Corrupt("column has ", column->num_rows, " rows, expected ", num_rows,
                   scale == 1 ? "" : " times the dimensions of its fixed-size lists");
  }
  leaf.pages = SplitAtPages(column->pages, rows, scale);
  return leaf;
}

// One round of reads for the indexes of all pages that have none yet.
Status FileReader::Impl::OpenPages(const Context& context, std::vector<LeafRead>& leaves) const {
  struct Opening {
    LeafRead* leaf;
    PageRead* page;
    std::unique_ptr<PageReader> reader;
    size_t num_tickets = 0;
  };
  std::vector<Opening> openings;
  ReadBatch batch;
  for (LeafRead& leaf : leaves) {
    for (PageRead& page : leaf.pages) {
      page.reader = leaf.column->page(page.page);
      if (page.reader != nullptr) continue;
      auto reader = leaf.column->OpenPage(page.page);
      if (!reader.ok()) {
        return WithPlace(reader.status(),
                         Place(this->reader->path(), leaf.index, static_cast<int64_t>(page.page)));
      }
      Opening opening{&leaf, &page, *std::move(reader)};
      for (const NeededBytes& need : opening.reader->IndexNeeds()) {
        batch.Add({need.offset, need.size});
        ++opening.num_tickets;
      }
      openings.push_back(std::move(opening));
    }
  }
  if (openings.empty()) return Status::OK();
  ARROW_RETURN_NOT_OK(batch.Execute(context, *reader));
  ReadBatch::Ticket next = 0;
  std::vector<Bytes> bytes;
  for (Opening& opening : openings) {
    bytes.clear();
    for (size_t i = 0; i < opening.num_tickets; ++i) bytes.push_back(batch.bytes(next++));
    Status loaded = opening.reader->LoadIndex(bytes, context.pool());
    if (!loaded.ok()) {
      return WithPlace(loaded, Place(reader->path(), opening.leaf->index,
                                     static_cast<int64_t>(opening.page->page)));
    }
    opening.page->reader =
        opening.leaf->column->Keep(opening.page->page, std::move(opening.reader));
  }
  return Status::OK();
}

// Where the leaf is decoded to, with the place of values whose number is known made beforehand.
Result<std::unique_ptr<LeafSink>> FileReader::Impl::MakeSink(const LeafRead& leaf, uint64_t count,
                                                             arrow::MemoryPool* pool) {
  const LeafShape& shape = *leaf.shape;
  const uint64_t values = count * shape.rows_scale();
  ARROW_ASSIGN_OR_RAISE(auto sink, LeafSink::Make(shape, values, pool));
  if (shape.values != LeafShape::Values::kVariable && !shape.has_lists()) {
    ARROW_RETURN_NOT_OK(sink->AppendFixed(values).status());
  }
  return sink;
}

// Rounds of reads shared by all columns and pages, then decoding.
Status FileReader::Impl::ReadPages(const Context& context, uint64_t count,
                                   std::vector<LeafRead>& leaves) const {
  size_t requests = 0;
  // Bytes of earlier rounds stay alive until the end.
  std::vector<std::unique_ptr<ReadBatch>> rounds;
  std::vector<NeededBytes> needs;
  std::vector<Bytes> bytes;
  for (;;) {
    auto batch = std::make_unique<ReadBatch>();
    for (LeafRead& leaf : leaves) {
      for (PageRead& page : leaf.pages) {
        needs.clear();
        Status status = page.cursor->Needs(*leaf.sink, page.at, &needs);
        if (!status.ok()) {
          return WithPlace(status,
                           Place(reader->path(), leaf.index, static_cast<int64_t>(page.page)));
        }
        ARROW_RETURN_NOT_OK(CheckNeeds(needs, leaf, page));
        page.first_ticket = batch->size();
        page.num_tickets = needs.size();
        for (const NeededBytes& need : needs) {
          if (need.into != nullptr) {
            batch->AddInto({need.offset, need.size}, need.into);
          } else {
            batch->Add({need.offset, need.size});
          }
        }
      }
    }
    if (batch->size() == 0) break;
    requests += batch->size();
    ARROW_RETURN_NOT_OK(batch->Execute(context, *reader));
    for (LeafRead& leaf : leaves) {
      for (PageRead& page : leaf.pages) {
        if (page.num_tickets == 0) continue;
        bytes.clear();
        for (size_t i = 0; i < page.num_tickets; ++i) {
          bytes.push_back(batch->bytes(static_cast<ReadBatch::Ticket>(page.first_ticket + i)));
        }
        ARROW_RETURN_NOT_OK(page.cursor->Feed(bytes));
      }
    }
    rounds.push_back(std::move(batch));
  }
  // A hop to another thread costs more than decoding a few rows.
  if (requests <= kInlineRequests && count <= kInlineRows) {
    for (LeafRead& leaf : leaves) ARROW_RETURN_NOT_OK(DecodeLeaf(context, leaf, count));
    return Status::OK();
  }
  return ParallelFor(context, leaves.size(),
                     [&](size_t i) { return DecodeLeaf(context, leaves[i], count); });
}

// No byte of a page is wanted more than twice, so that made-up places of blobs can't ask for memory
// without end.
Status FileReader::Impl::CheckNeeds(std::span<const NeededBytes> needs, const LeafRead& leaf,
                                    const PageRead& page) const {
  uint64_t left = 2 * reader->size();
  for (const NeededBytes& need : needs) {
    if (need.size > left) {
      return WithPlace(Corrupt("rows of a page take more bytes than the file has"),
                       Place(reader->path(), leaf.index, static_cast<int64_t>(page.page)));
    }
    left -= need.size;
  }
  return Status::OK();
}

Status FileReader::Impl::DecodeLeaf(const Context& context, LeafRead& leaf, uint64_t count) const {
  ARROW_RETURN_NOT_OK(context.CheckStop());
  for (PageRead& page : leaf.pages) {
    Status status = page.cursor->DecodeInto(*leaf.sink, page.at);
    if (!status.ok()) {
      return WithPlace(status, Place(reader->path(), leaf.index, static_cast<int64_t>(page.page)));
    }
  }
  auto layers = encoding::Unravel(*leaf.sink, count, context.pool());
  if (!layers.ok()) return WithPlace(layers.status(), Place(reader->path(), leaf.index));
  leaf.layers = *std::move(layers);
  return Status::OK();
}

FileReader::FileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileReader::~FileReader() = default;

Result<std::shared_ptr<FileReader>> FileReader::Open(const Context& context,
                                                     std::shared_ptr<RandomReader> reader,
                                                     std::optional<uint64_t> table_rows) {
  ErrorPlace place;
  place.path = reader->path();
  auto impl = std::make_unique<Impl>();
  auto metadata = FileMetadata::Load(context, *reader, /*with_schema=*/!table_rows);
  if (!metadata.ok()) return WithPlace(metadata.status(), place);
  impl->metadata = *std::move(metadata);
  if (impl->metadata.version() != FileVersion::kV2_1 &&
      impl->metadata.version() != FileVersion::kV2_2) {
    return WithPlace(Unsupported("data file of version ", FileVersionName(impl->metadata.version()),
                                 "; this build reads 2.1 and 2.2"),
                     place);
  }
  impl->reader = std::move(reader);
  for (uint32_t i = 0; i < impl->metadata.num_columns(); ++i) {
    impl->columns.push_back(std::make_unique<Column>(impl->metadata));
  }
  auto num_rows = table_rows ? Result<uint64_t>(*table_rows) : impl->CountRows(context);
  if (!num_rows.ok()) return WithPlace(num_rows.status(), place);
  impl->num_rows = *num_rows;
  return std::shared_ptr<FileReader>(new FileReader(std::move(impl)));
}

const Schema& FileReader::schema() const { return impl_->metadata.schema(); }
FileVersion FileReader::version() const { return impl_->metadata.version(); }
uint64_t FileReader::num_rows() const { return impl_->num_rows; }
const std::string& FileReader::path() const { return impl_->reader->path(); }

Result<FileProjection> FileReader::Project() const {
  FileProjection projection;
  projection.schema = schema();
  const size_t leaves = projection.schema.Leaves().size();
  if (leaves > impl_->columns.size()) {
    ErrorPlace place;
    place.path = path();
    return WithPlace(
        Corrupt("schema has ", leaves, " leaves, the file ", impl_->columns.size(), " columns"),
        place);
  }
  for (uint32_t i = 0; i < leaves; ++i) projection.columns.push_back(i);
  return impl_->Complete(std::move(projection));
}

Result<FileProjection> FileReader::Project(const std::vector<std::string>& columns) const {
  std::vector<int32_t> field_ids;
  std::vector<int32_t> column_indices;
  for (const Field* leaf : schema().Leaves()) {
    column_indices.push_back(static_cast<int32_t>(field_ids.size()));
    field_ids.push_back(leaf->id);
  }
  ARROW_ASSIGN_OR_RAISE(Schema wanted, schema().Project(columns, MemberOrder::kAsked));
  return Project(std::move(wanted), field_ids, column_indices);
}

Result<FileProjection> FileReader::Project(Schema schema, std::span<const int32_t> field_ids,
                                           std::span<const int32_t> column_indices) const {
  ErrorPlace place;
  place.path = path();
  if (column_indices.size() < field_ids.size()) {
    return WithPlace(Corrupt("manifest lists ", field_ids.size(), " fields and ",
                             column_indices.size(), " column indices for a data file"),
                     place);
  }
  FileProjection projection;
  projection.schema = std::move(schema);
  for (const Field* leaf : projection.schema.Leaves()) {
    const auto it = std::find(field_ids.begin(), field_ids.end(), leaf->id);
    if (it == field_ids.end()) {
      place.field = leaf->name;
      return WithPlace(Corrupt("field ", leaf->id, " is not in the data file"), place);
    }
    const int32_t column = column_indices[static_cast<size_t>(it - field_ids.begin())];
    if (column < 0 || static_cast<size_t>(column) >= impl_->columns.size()) {
      place.field = leaf->name;
      return WithPlace(Corrupt("manifest puts a field into column ", column, ", the file has ",
                               impl_->columns.size()),
                       place);
    }
    projection.columns.push_back(static_cast<uint32_t>(column));
  }
  return impl_->Complete(std::move(projection));
}

Result<std::shared_ptr<arrow::RecordBatch>> FileReader::Read(const Context& context,
                                                             const FileProjection& projection,
                                                             std::span<const RowRange> rows) const {
  ARROW_RETURN_NOT_OK(impl_->CheckRows(rows));
  ARROW_RETURN_NOT_OK(impl_->LoadColumns(context, projection.columns));
  const uint64_t count = encoding::CountRows(rows);
  std::vector<LeafRead> leaves;
  leaves.reserve(projection.columns.size());
  for (size_t i = 0; i < projection.columns.size(); ++i) {
    auto leaf = impl_->PlanLeaf(projection.shapes[i], projection.columns[i], rows);
    if (!leaf.ok()) return WithPlace(leaf.status(), Place(path(), projection.columns[i]));
    leaves.push_back(*std::move(leaf));
  }
  ARROW_RETURN_NOT_OK(impl_->OpenPages(context, leaves));
  for (LeafRead& leaf : leaves) {
    // Only now: the indexes have shown that the pages hold so many rows.
    auto sink = impl_->MakeSink(leaf, count, context.pool());
    if (!sink.ok()) return WithPlace(sink.status(), Place(path(), leaf.index));
    leaf.sink = *std::move(sink);
    for (PageRead& page : leaf.pages) page.cursor = page.reader->Start(std::move(page.rows));
  }
  ARROW_RETURN_NOT_OK(impl_->ReadPages(context, count, leaves));

  std::vector<LeafArrays> arrays;
  arrays.reserve(leaves.size());
  for (LeafRead& leaf : leaves) {
    arrays.push_back({std::move(leaf.sink), std::move(leaf.layers)});
  }
  arrow::ArrayVector columns;
  size_t first = 0;
  for (size_t i = 0; i < projection.schema.fields.size(); ++i) {
    const Field& field = projection.schema.fields[i];
    const size_t num_leaves = projection.leaves_of_field[i];
    auto column = AssembleField(field, projection.arrow_schema->field(static_cast<int>(i))->type(),
                                std::span(arrays).subspan(first, num_leaves), context.pool());
    if (!column.ok()) {
      ErrorPlace place = Place(path(), first < leaves.size() ? leaves[first].index : 0);
      place.field = field.name;
      return WithPlace(column.status(), place);
    }
    columns.push_back(*std::move(column));
    first += num_leaves;
  }
  return arrow::RecordBatch::Make(projection.arrow_schema, static_cast<int64_t>(count),
                                  std::move(columns));
}

Status FileReader::CheckRows(std::span<const RowRange> rows) const {
  return impl_->CheckRows(rows);
}

Result<std::shared_ptr<arrow::Buffer>> FileReader::ReadGlobalBuffer(const Context& context,
                                                                    uint64_t index) const {
  const auto& buffers = impl_->metadata.global_buffers();
  if (index >= buffers.size()) {
    return WithPlace(
        UserError("request for global buffer at index ", index, " but there were only ",
                  buffers.size(), " global buffers in the file"),
        {.path = path()});
  }
  const ByteRange range = buffers[index];
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(static_cast<int64_t>(range.size), context.pool()));
  if (range.size != 0) {
    ARROW_RETURN_NOT_OK(
        impl_->reader->ReadAt(context, range.offset, range.size, buffer->mutable_data()));
  }
  return buffer;
}

Result<double> FileReader::BytesPerRow(const Context& context,
                                       const FileProjection& projection) const {
  if (impl_->num_rows == 0) return 0;
  ARROW_RETURN_NOT_OK(impl_->LoadColumns(context, projection.columns));
  double bytes = 0;
  for (uint32_t column : projection.columns) {
    for (const PageMetadata& page : impl_->columns[column]->metadata()->pages) {
      for (const ByteRange& buffer : page.buffers) bytes += static_cast<double>(buffer.size);
    }
  }
  return bytes / static_cast<double>(impl_->num_rows);
}

}  // namespace lance
