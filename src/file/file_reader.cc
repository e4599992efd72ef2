#include "file/file_reader.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "encoding/read/page_reader.h"
#include "encoding/read/planar_layout.h"
#include "encodings21.pb.h"
#include "encodings23.pb.h"
#include "file/array_columns.h"
#include "file/assemble.h"
#include "file/column_read.h"
#include "file/file_metadata.h"
#include "file/leaf_column.h"
#include "file/legacy_columns.h"
#include "file/legacy_metadata.h"
#include "file/tree_reader.h"
#include "proto/parse.h"
#include "schema/packed_struct.h"

namespace lance {
namespace {

using encoding::LeafShape;
using encoding::PageBuffer;
using encoding::PageReader;

constexpr char kPageLayoutType[] = "lance.encodings21.PageLayout";
constexpr char kPlanarLayoutType[] = "lance.encodings23.PlanarLayout";
constexpr char kColumnEncodingType[] = "lance.encodings.ColumnEncoding";

ErrorPlace Place(const std::string& path, int64_t column) {
  ErrorPlace place;
  place.path = path;
  place.column = column;
  return place;
}

/// The pages of a column as compiled for one shape.
class ColumnView final : public PagedColumn {
 public:
  ColumnView(const FileMetadata& file, const ColumnMetadata& metadata, const LeafShape& shape)
      : PagedColumn(shape, metadata.PageStarts()), file_(file), metadata_(metadata) {}

  Result<std::unique_ptr<PageReader>> OpenPage(size_t i) const override {
    const PageMetadata& metadata = metadata_.pages[i];
    const bool planar = file_.version() == FileVersion::kV2_3;
    if (metadata.encoding_type != (planar ? kPlanarLayoutType : kPageLayoutType)) {
      return Unsupported("page description '", metadata.encoding_type, "'");
    }
    std::vector<PageBuffer> buffers;
    for (const ByteRange& range : metadata.buffers) buffers.push_back({range.offset, range.size});
    encodings23::PlanarLayout planar_layout;
    encodings21::PageLayout layout;
    if (!(planar ? ParseMessage(metadata.encoding, &planar_layout)
                 : ParseMessage(metadata.encoding, &layout))) {
      return Corrupt("page description is not a valid message");
    }
    if (planar) {
      return encoding::MakePlanarPage(planar_layout, shape(), std::move(buffers),
                                      metadata.num_rows);
    }
    return PageReader::Make(layout, shape(), std::move(buffers), metadata.num_rows,
                            file_.version() == FileVersion::kV2_1);
  }

 private:
  const FileMetadata& file_;
  const ColumnMetadata& metadata_;
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
      (void)loaded.release();
    }
    return Status::OK();
  }

  /// The pages compiled for a shape, once the metadata is loaded. Columns are mostly read as one
  /// shape, blobs as their bytes or as their places, others with offsets of either width.
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
  static constexpr size_t kMaxViews = 8;

  const FileMetadata& file_;
  mutable std::atomic<ColumnMetadata*> metadata_{nullptr};
  mutable std::mutex views_mutex_;
  mutable std::vector<std::unique_ptr<ColumnView>> views_;
};

}  // namespace

struct FileReader::Impl {
  std::shared_ptr<RandomReader> reader;
  FileMetadata metadata;
  std::vector<std::unique_ptr<Column>> columns;
  /// Of a file of version 0.1, instead of the rest of `metadata`.
  std::optional<LegacyMetadata> legacy;
  /// Of files before 2.1, instead of `columns`.
  std::unique_ptr<TreeColumns> tree;
  uint64_t num_rows = 0;
  /// By column, if the file's own schema is known: the field of it.
  std::vector<const Field*> stored_fields;

  const Schema& schema() const { return legacy ? legacy->schema : metadata.schema(); }
  size_t num_columns() const { return tree != nullptr ? tree->num_columns() : columns.size(); }
  /// The fields of a schema that have a column.
  std::vector<const Field*> FieldsWithColumns(const Schema& schema) const {
    return tree != nullptr ? StoredFields(schema) : schema.Leaves();
  }
  /// Where these columns are in a file of just this schema.
  std::vector<uint32_t> ColumnsOf(const Schema& schema) const;
  void ListStoredFields();
  Status LoadColumns(const Context& context, std::span<const uint32_t> indices) const;
  Result<uint64_t> CountRows(const Context& context) const;
  Status CheckRows(std::span<const RowRange> rows) const;
  Result<FileProjection> Complete(FileProjection projection) const;
  /// A schema as this file stores it.
  Schema AsStored(Schema schema) const {
    return legacy ? WithoutPacking(std::move(schema)) : std::move(schema);
  }
  Result<ColumnRead> PlanLeaf(const LeafShape& shape, uint32_t column_index,
                              std::span<const RowRange> rows) const;
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
  if (tree != nullptr) return tree->CountRows(context);
  const auto paths = LeafPaths(metadata.schema());
  if (paths.empty() || columns.empty()) return metadata.declared_rows();
  constexpr uint32_t kFirst = 0;
  ARROW_RETURN_NOT_OK(LoadColumns(context, {&kFirst, 1}));
  ARROW_ASSIGN_OR_RAISE(uint64_t scale, RowsScale(paths[0]));
  return columns[kFirst]->metadata()->num_rows / scale;
}

std::vector<uint32_t> FileReader::Impl::ColumnsOf(const Schema& schema) const {
  if (legacy) return LegacyColumnsOf(schema);
  if (tree != nullptr) return ArrayColumnsOf(schema);
  std::vector<uint32_t> out(schema.Leaves().size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

void FileReader::Impl::ListStoredFields() {
  const auto fields = FieldsWithColumns(schema());
  const auto indices = ColumnsOf(schema());
  for (size_t i = 0; i < std::min(fields.size(), indices.size()); ++i) {
    if (indices[i] >= num_columns()) continue;
    stored_fields.resize(num_columns());
    stored_fields[indices[i]] = fields[i];
  }
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
  projection.schema = AsStored(std::move(projection.schema));
  if (tree != nullptr) {
    auto shapes = StoredShapes(projection.schema);
    if (!shapes.ok()) return WithPlace(shapes.status(), {.path = reader->path()});
    projection.shapes = *std::move(shapes);
    return projection;
  }
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

Result<ColumnRead> FileReader::Impl::PlanLeaf(const LeafShape& shape, uint32_t column_index,
                                              std::span<const RowRange> rows) const {
  ColumnRead leaf;
  leaf.index = column_index;
  ARROW_ASSIGN_OR_RAISE(leaf.column, columns[column_index]->View(shape));
  const uint64_t scale = shape.rows_scale();
  const uint64_t found = leaf.column->num_rows();
  if (found % scale != 0 || found / scale != num_rows) {
    return Corrupt("column has ", found, " rows, expected ", num_rows,
                   scale == 1 ? "" : " times the dimensions of its fixed-size lists");
  }
  // Rows as the pages count them.
  std::vector<RowRange> scaled(rows.begin(), rows.end());
  for (RowRange& range : scaled) range = {range.start * scale, range.count * scale};
  leaf.num_values = encoding::CountRows(scaled);
  leaf.pages = SplitAtPages(leaf.column->page_starts(), scaled);
  return leaf;
}

FileReader::FileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileReader::~FileReader() = default;

Result<std::shared_ptr<FileReader>> FileReader::Open(const Context& context,
                                                     std::shared_ptr<RandomReader> reader,
                                                     std::optional<uint64_t> table_rows,
                                                     bool with_schema) {
  with_schema = with_schema || !table_rows;
  ErrorPlace place;
  place.path = reader->path();
  auto impl = std::make_unique<Impl>();
  auto metadata = FileMetadata::Load(context, *reader, with_schema);
  if (!metadata.ok()) return WithPlace(metadata.status(), place);
  impl->metadata = *std::move(metadata);
  impl->reader = std::move(reader);
  if (impl->metadata.version() == FileVersion::kV0_1) {
    auto legacy = LegacyMetadata::Load(context, *impl->reader, impl->metadata.legacy_tail(),
                                       /*needs_schema=*/with_schema);
    if (!legacy.ok()) return WithPlace(legacy.status(), place);
    impl->legacy = *std::move(legacy);
    impl->tree = std::make_unique<LegacyColumns>(*impl->reader, *impl->legacy);
  } else if (impl->metadata.version() == FileVersion::kV2_0) {
    impl->tree = std::make_unique<ArrayColumns>(*impl->reader, impl->metadata);
  }
  for (uint32_t i = 0; impl->tree == nullptr && i < impl->metadata.num_columns(); ++i) {
    impl->columns.push_back(std::make_unique<Column>(impl->metadata));
  }
  if (!impl->legacy) impl->ListStoredFields();
  auto num_rows = table_rows ? Result<uint64_t>(*table_rows) : impl->CountRows(context);
  if (!num_rows.ok()) return WithPlace(num_rows.status(), place);
  impl->num_rows = *num_rows;
  return std::shared_ptr<FileReader>(new FileReader(std::move(impl)));
}

const Schema& FileReader::schema() const { return impl_->schema(); }
const Field* FileReader::StoredField(int32_t field_id, std::span<const int32_t> field_ids,
                                     std::span<const int32_t> column_indices) const {
  // Files of 0.1 have the ids of their table.
  if (impl_->legacy) return schema().FindById(field_id);
  const auto at = std::find(field_ids.begin(), field_ids.end(), field_id);
  const auto index = static_cast<size_t>(at - field_ids.begin());
  if (at == field_ids.end() || index >= column_indices.size()) return nullptr;
  const int32_t column = column_indices[index];
  if (column < 0 || static_cast<size_t>(column) >= impl_->stored_fields.size()) return nullptr;
  return impl_->stored_fields[static_cast<size_t>(column)];
}

FileVersion FileReader::version() const { return impl_->metadata.version(); }
uint64_t FileReader::num_rows() const { return impl_->num_rows; }
const std::string& FileReader::path() const { return impl_->reader->path(); }

Result<FileProjection> FileReader::Project() const {
  FileProjection projection;
  projection.schema = schema();
  projection.columns = impl_->ColumnsOf(impl_->AsStored(projection.schema));
  const size_t end = projection.columns.empty() ? 0 : projection.columns.back() + size_t{1};
  if (end > impl_->num_columns()) {
    ErrorPlace place;
    place.path = path();
    return WithPlace(
        Corrupt("schema has ", end, " columns, the file ", impl_->num_columns(), " columns"),
        place);
  }
  return impl_->Complete(std::move(projection));
}

Result<FileProjection> FileReader::Project(const std::vector<std::string>& columns) const {
  std::vector<int32_t> field_ids;
  std::vector<int32_t> column_indices;
  const Schema stored = impl_->AsStored(schema());
  for (const Field* field : impl_->FieldsWithColumns(stored)) field_ids.push_back(field->id);
  for (uint32_t column : impl_->ColumnsOf(stored)) {
    column_indices.push_back(static_cast<int32_t>(column));
  }
  ARROW_ASSIGN_OR_RAISE(Schema wanted, schema().Project(columns, MemberOrder::kAsked));
  if (WithWholePackedStructs(wanted, schema())) {
    return UserError("members of a packed struct are stored together; select it as a whole");
  }
  return Project(std::move(wanted), field_ids, column_indices);
}

Result<FileProjection> FileReader::Project(Schema schema, std::span<const int32_t> field_ids,
                                           std::span<const int32_t> column_indices) const {
  ErrorPlace place;
  place.path = path();
  std::vector<int32_t> legacy_columns;
  if (impl_->legacy && column_indices.empty()) {
    legacy_columns = LegacyColumnsOf(field_ids);
    column_indices = legacy_columns;
  }
  if (column_indices.size() < field_ids.size()) {
    return WithPlace(Corrupt("manifest lists ", field_ids.size(), " fields and ",
                             column_indices.size(), " column indices for a data file"),
                     place);
  }
  FileProjection projection;
  projection.schema = std::move(schema);
  const Schema stored = impl_->AsStored(projection.schema);
  for (const Field* leaf : impl_->FieldsWithColumns(stored)) {
    const auto it = std::find(field_ids.begin(), field_ids.end(), leaf->id);
    if (it == field_ids.end()) {
      place.field = leaf->name;
      return WithPlace(Corrupt("field ", leaf->id, " is not in the data file"), place);
    }
    const int32_t column = column_indices[static_cast<size_t>(it - field_ids.begin())];
    if (column < 0 || static_cast<size_t>(column) >= impl_->num_columns()) {
      place.field = leaf->name;
      return WithPlace(Corrupt("manifest puts a field into column ", column, ", the file has ",
                               impl_->num_columns()),
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
  if (impl_->tree != nullptr) {
    return ReadTree(context, *impl_->reader, *impl_->tree, num_rows(), projection, rows);
  }
  ARROW_RETURN_NOT_OK(impl_->LoadColumns(context, projection.columns));
  const uint64_t count = encoding::CountRows(rows);
  std::vector<ColumnRead> leaves;
  leaves.reserve(projection.columns.size());
  for (size_t i = 0; i < projection.columns.size(); ++i) {
    auto leaf = impl_->PlanLeaf(projection.shapes[i], projection.columns[i], rows);
    if (!leaf.ok()) return WithPlace(leaf.status(), Place(path(), projection.columns[i]));
    leaves.push_back(*std::move(leaf));
  }
  std::vector<ColumnRead*> reads;
  reads.reserve(leaves.size());
  for (ColumnRead& leaf : leaves) reads.push_back(&leaf);
  std::vector<LeafArrays> arrays(leaves.size());
  ARROW_RETURN_NOT_OK(ReadColumns(context, *impl_->reader, reads, [&](size_t i) -> Status {
    arrays[i].sink = std::move(leaves[i].sink);
    return encoding::Unravel(*arrays[i].sink, count, context.pool()).Value(&arrays[i].layers);
  }));
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

Status FileReader::CheckColumns(const Context& context, const FileProjection& projection) const {
  if (impl_->tree != nullptr) return Status::OK();
  ARROW_RETURN_NOT_OK(impl_->LoadColumns(context, projection.columns));
  for (size_t i = 0; i < projection.columns.size(); ++i) {
    auto leaf = impl_->PlanLeaf(projection.shapes[i], projection.columns[i], {});
    if (!leaf.ok()) return WithPlace(leaf.status(), Place(path(), projection.columns[i]));
  }
  return Status::OK();
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
  if (impl_->tree != nullptr) {
    auto bytes = impl_->tree->StoredBytes(context, projection.columns);
    if (!bytes.ok()) return WithPlace(bytes.status(), {.path = path()});
    return *bytes / static_cast<double>(impl_->num_rows);
  }
  ARROW_RETURN_NOT_OK(impl_->LoadColumns(context, projection.columns));
  double bytes = 0;
  for (size_t i = 0; i < projection.columns.size(); ++i) {
    const uint32_t column = projection.columns[i];
    for (const PageMetadata& page : impl_->columns[column]->metadata()->pages) {
      for (const ByteRange& buffer : page.buffers) bytes += static_cast<double>(buffer.size);
    }
    // The bytes of blobs are in no page.
    const LeafShape& shape = projection.shapes[i];
    if (shape.is_blob && shape.values == LeafShape::Values::kVariable) {
      bytes += static_cast<double>(impl_->reader->size());
    }
  }
  return bytes / static_cast<double>(impl_->num_rows);
}

}  // namespace lance
