#include "file/verify.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "file/encoding_text.h"
#include "file/file_metadata.h"
#include "file/file_reader.h"
#include "file/leaf_column.h"

namespace lance {
namespace {

constexpr uint64_t kPieceRows = 64 * 1024;
// Pages of other layouts may have an index of their rows, which reading row by row checks as well.
constexpr std::string_view kLayoutsWithoutRowIndex[] = {"miniblock", "constant"};
// No page with chunks or values has more rows for one stored byte. One that claims more repeats a
// constant, of which the first rows are as good as all.
constexpr uint64_t kMaxRowsPerByte = 4096;
// lance.encodings.ColumnEncoding{values: {}}.
constexpr std::string_view kValuesEncoding("\x0a\x00", 2);

using Path = std::vector<const Field*>;

/// One leaf of the schema and the column that holds it.
struct Leaf {
  Path path;
  uint32_t column = 0;
  uint64_t rows_scale = 1;
  bool clean = true;
};

ErrorPlace LeafPlace(const Leaf& leaf) {
  return {.field = PathName(leaf.path), .column = leaf.column};
}

// The field of a leaf's path without any sibling. A map becomes a list: alone neither its key nor
// its value makes one.
Field PrunedField(const Path& path, size_t depth) {
  Field field = *path[depth];
  if (depth + 1 == path.size()) return field;
  field.children = {PrunedField(path, depth + 1)};
  if (field.logical_type == "map") field.logical_type = "list.struct";
  return field;
}

uint64_t StoredBytes(const PageMetadata& page) {
  uint64_t bytes = 0;
  for (const ByteRange& buffer : page.buffers) bytes += buffer.size;
  return bytes;
}

uint64_t RowsWorthReading(const PageMetadata& page) {
  return std::min(page.num_rows, (StoredBytes(page) + 1) * kMaxRowsPerByte);
}

// The only child of an array of a pruned field; nulls of a struct go down to its member.
Result<std::shared_ptr<arrow::Array>> OnlyChild(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::STRUCT:
      return static_cast<const arrow::StructArray&>(array).GetFlattenedField(0);
    case arrow::Type::LIST:
      return static_cast<const arrow::ListArray&>(array).values();
    case arrow::Type::LARGE_LIST:
      return static_cast<const arrow::LargeListArray&>(array).values();
    case arrow::Type::FIXED_SIZE_LIST:
      return static_cast<const arrow::FixedSizeListArray&>(array).values();
    default:
      return Corrupt("column of type ", array.type()->ToString(), " has children");
  }
}

// Nulls that a required field on the path has where its parent has none.
Status CheckRequired(const Path& path, std::shared_ptr<arrow::Array> array) {
  int64_t inherited = 0;
  for (size_t depth = 0; depth < path.size(); ++depth) {
    if (array->type_id() == arrow::Type::NA) return Status::OK();
    const int64_t nulls = array->null_count();
    if (!path[depth]->nullable && nulls > inherited) {
      return Corrupt("field '", path[depth]->name, "' is declared without nulls and has ",
                     nulls - inherited);
    }
    if (depth + 1 == path.size()) return Status::OK();
    const bool is_list = array->type_id() != arrow::Type::STRUCT;
    // Items of a null fixed-size list are there, and mostly null.
    if (array->type_id() == arrow::Type::FIXED_SIZE_LIST && nulls > 0) return Status::OK();
    inherited = is_list ? 0 : nulls;
    ARROW_ASSIGN_OR_RAISE(array, OnlyChild(*array));
  }
  return Status::OK();
}

template <typename ListArray>
bool SameOffsets(const arrow::Array& a, const arrow::Array& b) {
  const auto& left = static_cast<const ListArray&>(a);
  const auto& right = static_cast<const ListArray&>(b);
  return std::equal(left.raw_value_offsets(), left.raw_value_offsets() + a.length() + 1,
                    right.raw_value_offsets());
}

bool SameNulls(const arrow::Array& a, const arrow::Array& b) {
  if (a.null_count() != b.null_count()) return false;
  if (a.null_count() == 0) return true;
  for (int64_t i = 0; i < a.length(); ++i) {
    if (a.IsNull(i) != b.IsNull(i)) return false;
  }
  return true;
}

// Whether two leaves tell the same about the parents that they share.
Status CompareParents(const Leaf& first, std::shared_ptr<arrow::Array> a, const Leaf& second,
                      std::shared_ptr<arrow::Array> b) {
  for (size_t depth = 0; first.path[depth] == second.path[depth]; ++depth) {
    bool same = a->length() == b->length() && SameNulls(*a, *b);
    if (same && a->type_id() == arrow::Type::LIST) same = SameOffsets<arrow::ListArray>(*a, *b);
    if (same && a->type_id() == arrow::Type::LARGE_LIST) {
      same = SameOffsets<arrow::LargeListArray>(*a, *b);
    }
    if (!same) {
      return Corrupt("columns ", first.column, " and ", second.column, " disagree about '",
                     first.path[depth]->name, "', which holds both");
    }
    ARROW_ASSIGN_OR_RAISE(a, OnlyChild(*a));
    ARROW_ASSIGN_OR_RAISE(b, OnlyChild(*b));
  }
  return Status::OK();
}

class Verifier {
 public:
  Verifier(const Context& context, std::shared_ptr<RandomReader> reader)
      : context_(context), reader_(std::move(reader)) {}

  Result<FileVerification> Run() {
    report_.path = reader_->path();
    report_.size_bytes = reader_->size();
    auto metadata = FileMetadata::Load(context_, *reader_);
    if (!metadata.ok()) {
      if (GetErrorCode(metadata.status()) == ErrorCode::kUnsupported) {
        return WithPlace(metadata.status(), {.path = reader_->path()});
      }
      ARROW_RETURN_NOT_OK(Note(metadata.status(), {}));
      return std::move(report_);
    }
    metadata_ = *std::move(metadata);
    report_.version = metadata_.version();
    if (report_.version == FileVersion::kV0_1) {
      ARROW_RETURN_NOT_OK(CheckFields());
      return std::move(report_);
    }
    report_.columns = metadata_.num_columns();
    CheckGlobalBuffers();
    ARROW_RETURN_NOT_OK(LoadColumns());
    if (metadata_.version() >= FileVersion::kV2_1) {
      ARROW_RETURN_NOT_OK(FindLeaves());
      CheckRows();
      for (Leaf& leaf : leaves_) ARROW_RETURN_NOT_OK(CheckLeaf(leaf));
      ARROW_RETURN_NOT_OK(CheckSiblings());
    } else {
      ARROW_RETURN_NOT_OK(CheckFields());
    }
    return std::move(report_);
  }

 private:
  // Lists what is wrong. Errors that are not of the file's making end the run.
  Status Note(const Status& status, const ErrorPlace& place) {
    Status placed = WithPlace(status, place);
    const ErrorCode code = GetErrorCode(placed);
    if (code == ErrorCode::kIo || code == ErrorCode::kCancelled) return placed;
    const ErrorDetail* detail = GetErrorDetail(placed);
    Finding finding{detail == nullptr ? place : detail->place, placed.message()};
    finding.place.path.clear();
    auto& list = code == ErrorCode::kUnsupported ? report_.skipped : report_.findings;
    list.push_back(std::move(finding));
    return Status::OK();
  }
  void Find(std::string problem, ErrorPlace place) {
    report_.findings.push_back({std::move(place), std::move(problem)});
  }

  // All data stands before the column metadata.
  void CheckBeforeMetadata(ByteRange range, const char* what, ErrorPlace place) {
    const uint64_t end = metadata_.footer().column_metadata_position;
    if (range.offset + range.size <= end) return;
    place.offset = range.offset;
    Find(internal::Concat(what, " of ", range.size, " bytes reaches into the column metadata at ",
                          end),
         std::move(place));
  }

  void CheckGlobalBuffers() {
    for (const ByteRange& buffer : metadata_.global_buffers()) {
      CheckBeforeMetadata(buffer, "global buffer", {});
    }
  }

  // Each column on its own, so that a damaged one hides no other.
  Status LoadColumns() {
    std::vector<uint32_t> all(metadata_.num_columns());
    std::iota(all.begin(), all.end(), 0);
    columns_.resize(all.size());
    auto loaded = metadata_.LoadColumns(context_, *reader_, all);
    for (uint32_t index : all) {
      if (loaded.ok()) {
        columns_[index] = std::move((*loaded)[index]);
      } else {
        auto one = metadata_.LoadColumns(context_, *reader_, {&index, 1});
        if (!one.ok()) {
          ARROW_RETURN_NOT_OK(Note(one.status(), {.column = index}));
          continue;
        }
        columns_[index] = std::move(one->front());
      }
      CheckColumn(index, *columns_[index]);
    }
    return Status::OK();
  }

  void CheckColumn(uint32_t index, const ColumnMetadata& column) {
    report_.pages += column.pages.size();
    const bool structural = metadata_.version() >= FileVersion::kV2_1;
    if (structural && column.encoding != kValuesEncoding) {
      Find("the column's description is not that of plain values", {.column = index});
    }
    for (const ByteRange& buffer : column.buffers) {
      CheckBeforeMetadata(buffer, "column buffer", {.column = index});
    }
    for (size_t i = 0; i < column.pages.size(); ++i) {
      const ErrorPlace place{.column = index, .page = static_cast<int64_t>(i)};
      for (const ByteRange& buffer : column.pages[i].buffers) {
        CheckBeforeMetadata(buffer, "page buffer", place);
      }
    }
  }

  Status FindLeaves() {
    const auto paths = LeafPaths(metadata_.schema());
    if (paths.size() > columns_.size()) {
      Find(internal::Concat("the schema has ", paths.size(), " leaves, the file ", columns_.size(),
                            " columns"),
           {});
    }
    for (size_t i = 0; i < std::min(paths.size(), columns_.size()); ++i) {
      if (!columns_[i]) continue;
      Leaf leaf{paths[i], static_cast<uint32_t>(i)};
      auto scale = RowsScale(paths[i]);
      if (!scale.ok()) {
        ARROW_RETURN_NOT_OK(Note(scale.status(), LeafPlace(leaf)));
        continue;
      }
      leaf.rows_scale = *scale;
      leaves_.push_back(std::move(leaf));
    }
    return Status::OK();
  }

  void CheckRows() {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      const ColumnMetadata& column = *columns_[leaf.column];
      const uint64_t rows = column.num_rows / leaf.rows_scale;
      if (column.num_rows % leaf.rows_scale != 0 || (i > 0 && rows != report_.rows)) {
        Find(internal::Concat("the column has ", column.num_rows, " rows, expected ",
                              report_.rows * leaf.rows_scale),
             LeafPlace(leaf));
      }
      if (i == 0) report_.rows = rows;
      for (size_t k = 0; k < column.pages.size(); ++k) {
        const PageMetadata& page = column.pages[k];
        if (page.priority * leaf.rows_scale == page.first_row) continue;
        ErrorPlace place = PagePlace(leaf, k);
        Find(internal::Concat("the page says that it begins with row ", page.priority,
                              ", those before it have ", page.first_row / leaf.rows_scale),
             std::move(place));
      }
    }
    if (leaves_.empty()) report_.rows = metadata_.declared_rows();
    if (metadata_.declared_rows() != report_.rows) {
      Find(internal::Concat("the file descriptor says ", metadata_.declared_rows(),
                            " rows, the columns have ", report_.rows),
           {.offset = metadata_.global_buffers()[0].offset});
    }
  }

  ErrorPlace PagePlace(const Leaf& leaf, size_t page) const {
    ErrorPlace place = LeafPlace(leaf);
    place.page = static_cast<int64_t>(page);
    const auto& buffers = columns_[leaf.column]->pages[page].buffers;
    if (!buffers.empty()) place.offset = buffers[0].offset;
    return place;
  }

  // A reader that takes the column's number of rows for the file's, so that columns which disagree
  // about it can all be decoded.
  Result<std::shared_ptr<FileReader>> ReaderOf(uint64_t rows) {
    std::shared_ptr<FileReader>& reader = readers_[rows];
    if (reader != nullptr) return reader;
    ARROW_ASSIGN_OR_RAISE(reader, FileReader::Open(context_, reader_, rows));
    return reader;
  }

  Result<std::shared_ptr<arrow::Array>> ReadLeaf(const Leaf& leaf, std::span<const RowRange> rows) {
    ARROW_ASSIGN_OR_RAISE(auto reader, ReaderOf(columns_[leaf.column]->num_rows / leaf.rows_scale));
    Schema schema;
    schema.fields.push_back(PrunedField(leaf.path, 0));
    const auto column = static_cast<int32_t>(leaf.column);
    const int32_t id = leaf.path.back()->id;
    ARROW_ASSIGN_OR_RAISE(auto projection,
                          reader->Project(std::move(schema), {&id, 1}, {&column, 1}));
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(context_, projection, rows));
    return batch->column(0);
  }

  Status CheckLeaf(Leaf& leaf) {
    const ColumnMetadata& column = *columns_[leaf.column];
    if (column.num_rows % leaf.rows_scale != 0) return Status::OK();
    for (size_t i = 0; i < column.pages.size(); ++i) {
      const PageMetadata& page = column.pages[i];
      const uint64_t first = page.first_row / leaf.rows_scale;
      const uint64_t count = RowsWorthReading(page) / leaf.rows_scale;
      auto text = DescribePage(page.encoding_type, page.encoding);
      const bool by_row =
          !text.ok() || std::ranges::count(kLayoutsWithoutRowIndex, text->layout) == 0;
      for (uint64_t done = 0; done < count; done += kPieceRows) {
        const RowRange rows{first + done, std::min(kPieceRows, count - done)};
        Status status = CheckPiece(leaf, rows, by_row);
        if (status.ok()) continue;
        leaf.clean = false;
        ARROW_RETURN_NOT_OK(Note(status, PagePlace(leaf, i)));
        break;
      }
    }
    return Status::OK();
  }

  Status CheckPiece(const Leaf& leaf, RowRange rows, bool by_row) {
    std::vector<RowRange> ranges = {rows};
    if (by_row) {
      ranges.clear();
      for (uint64_t row = rows.start; row < rows.end(); ++row) ranges.push_back({row, 1});
    }
    ARROW_ASSIGN_OR_RAISE(auto array, ReadLeaf(leaf, ranges));
    Status valid = array->ValidateFull();
    if (!valid.ok()) {
      return Corrupt("among the values of rows ", rows.start, " to ", rows.end() - 1, ": ",
                     valid.message());
    }
    return CheckRequired(leaf.path, array);
  }

  Status CheckSiblings() {
    for (size_t i = 1; i < leaves_.size(); ++i) {
      const Leaf& first = leaves_[i - 1];
      const Leaf& second = leaves_[i];
      const bool related = first.path[0] == second.path[0];
      if (!related || !first.clean || !second.clean) continue;
      const ColumnMetadata& column = *columns_[first.column];
      if (column.num_rows / first.rows_scale !=
          columns_[second.column]->num_rows / second.rows_scale) {
        continue;
      }
      uint64_t count = 0;
      for (const PageMetadata& page : column.pages) count += RowsWorthReading(page);
      count /= first.rows_scale;
      for (uint64_t done = 0; done < count; done += kPieceRows) {
        const RowRange rows{done, std::min(kPieceRows, count - done)};
        Status same = CompareRows(first, second, rows);
        if (same.ok()) continue;
        ARROW_RETURN_NOT_OK(Note(same, LeafPlace(second)));
        break;
      }
    }
    return Status::OK();
  }

  Status CompareRows(const Leaf& first, const Leaf& second, RowRange rows) {
    ARROW_ASSIGN_OR_RAISE(auto a, ReadLeaf(first, {&rows, 1}));
    ARROW_ASSIGN_OR_RAISE(auto b, ReadLeaf(second, {&rows, 1}));
    return CompareParents(first, a, second, b);
  }

  // Files before 2.1, whose columns are not the leaves: field by field.
  Status CheckFields() {
    auto opened = FileReader::Open(context_, reader_);
    if (!opened.ok()) return Note(opened.status(), {});
    const std::shared_ptr<FileReader> reader = *std::move(opened);
    report_.rows = reader->num_rows();
    for (const Field& field : reader->schema().fields) {
      auto checked = CheckField(*reader, field);
      if (!checked.ok()) ARROW_RETURN_NOT_OK(Note(checked, {.field = field.name}));
    }
    return Status::OK();
  }

  Status CheckField(const FileReader& reader, const Field& field) {
    ARROW_ASSIGN_OR_RAISE(auto projection, reader.Project({field.name}));
    // Also without rows: columns have to agree about that.
    uint64_t done = 0;
    do {
      const RowRange rows{done, std::min(kPieceRows, report_.rows - done)};
      ARROW_ASSIGN_OR_RAISE(auto batch, reader.Read(context_, projection, {&rows, 1}));
      Status valid = batch->ValidateFull();
      if (!valid.ok()) {
        return Corrupt("among the values of rows ", rows.start, " to ", rows.end() - 1, ": ",
                       valid.message());
      }
      done += rows.count;
    } while (done < report_.rows);
    return Status::OK();
  }

  const Context& context_;
  std::shared_ptr<RandomReader> reader_;
  FileMetadata metadata_;
  /// Empty where the metadata is damaged.
  std::vector<std::optional<ColumnMetadata>> columns_;
  std::vector<Leaf> leaves_;
  std::map<uint64_t, std::shared_ptr<FileReader>> readers_;
  FileVerification report_;
};

}  // namespace

Result<FileVerification> VerifyFile(const Context& context, std::shared_ptr<RandomReader> reader) {
  return Verifier(context, std::move(reader)).Run();
}

}  // namespace lance
