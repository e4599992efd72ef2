#include "file/inspect.h"

#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include "file/encoding_text.h"
#include "file/file_metadata.h"
#include "file/legacy_inspect.h"
#include "schema/schema.h"

namespace lance {
namespace {

// What the schema tells about one column.
struct ColumnFacts {
  std::string path;
  std::string logical_type;
  /// Page lengths count this many entries a row: the dimensions of enclosing fixed-size lists of
  /// structs.
  uint64_t entries_per_row = 1;
};

// `fixed_size_list:struct:3` → 3; 1 for other types.
uint64_t StructListDimension(std::string_view logical_type) {
  constexpr std::string_view kPrefix = "fixed_size_list:struct:";
  if (!logical_type.starts_with(kPrefix)) return 1;
  std::string_view digits = logical_type.substr(kPrefix.size());
  uint64_t dimension = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), dimension);
  return dimension == 0 ? 1 : dimension;
}

// Lists the columns that a schema has in a file of the version, in their order.
class ColumnLister {
 public:
  explicit ColumnLister(FileVersion version) : version_(version) {}

  void Add(const Field& field, const std::string& parent, uint64_t entries_per_row) {
    std::string path = parent.empty() ? field.name : parent + "." + field.name;
    uint64_t dimension = StructListDimension(field.logical_type);
    // Up to 2.0 a parent has a column too, and the members of a fixed-size list have none.
    bool before_2_1 = version_ < FileVersion::kV2_1;
    bool ends_here = field.IsLeaf() || (before_2_1 && dimension > 1);
    if (ends_here || before_2_1) columns_.push_back({path, field.logical_type, entries_per_row});
    if (ends_here) return;
    for (const Field& child : field.children) Add(child, path, entries_per_row * dimension);
  }

  std::vector<ColumnFacts> Finish() { return std::move(columns_); }

 private:
  FileVersion version_;
  std::vector<ColumnFacts> columns_;
};

std::vector<ColumnFacts> ListColumns(const FileMetadata& metadata) {
  ColumnLister lister(metadata.version());
  for (const Field& field : metadata.schema().fields) lister.Add(field, "", 1);
  return lister.Finish();
}

Result<FileInspection::Page> InspectPage(PageMetadata page, uint64_t entries_per_row) {
  FileInspection::Page out;
  out.first_row = page.first_row / entries_per_row;
  out.rows = page.num_rows / entries_per_row;
  ARROW_ASSIGN_OR_RAISE(PageText text, DescribePage(page.encoding_type, page.encoding));
  out.layout = std::move(text.layout);
  out.encoding = std::move(text.encoding);
  out.buffers = std::move(page.buffers);
  return out;
}

Status InspectColumn(ColumnMetadata stored, const ColumnFacts& facts,
                     FileInspection::Column* column) {
  column->field = facts.path;
  column->logical_type = facts.logical_type;
  column->buffers = std::move(stored.buffers);
  for (size_t i = 0; i < stored.pages.size(); ++i) {
    auto page = InspectPage(std::move(stored.pages[i]), facts.entries_per_row);
    if (!page.ok()) return WithPlace(page.status(), {.page = static_cast<int64_t>(i)});
    column->pages.push_back(*std::move(page));
  }
  return Status::OK();
}

Result<FileInspection> Inspect(const Context& context, RandomReader& reader) {
  ARROW_ASSIGN_OR_RAISE(FileMetadata metadata, FileMetadata::Load(context, reader));
  if (metadata.version() == FileVersion::kV0_1) {
    return InspectLegacy(context, reader, metadata.legacy_tail());
  }
  FileInspection out;
  out.path = reader.path();
  out.size_bytes = reader.size();
  out.version = metadata.version();
  out.footer_major_version = metadata.footer().major_version;
  out.footer_minor_version = metadata.footer().minor_version;
  out.rows = metadata.declared_rows();
  out.column_metadata_offset = metadata.footer().column_metadata_position;
  out.column_metadata_bytes = metadata.footer().buffer_table_position - out.column_metadata_offset;
  out.global_buffers = metadata.global_buffers();
  std::vector<ColumnFacts> facts = ListColumns(metadata);
  // A schema that doesn't fit the columns tells nothing about them.
  if (facts.size() != metadata.num_columns()) facts.clear();
  std::vector<uint32_t> all(metadata.num_columns());
  std::iota(all.begin(), all.end(), 0);
  ARROW_ASSIGN_OR_RAISE(auto stored, metadata.LoadColumns(context, reader, all));
  for (uint32_t index : all) {
    FileInspection::Column column;
    column.index = index;
    Status status = InspectColumn(std::move(stored[index]),
                                  facts.empty() ? ColumnFacts() : facts[index], &column);
    if (!status.ok()) return WithPlace(status, {.field = column.field, .column = index});
    out.columns.push_back(std::move(column));
  }
  return out;
}

uint64_t Sum(const std::vector<ByteRange>& ranges) {
  uint64_t bytes = 0;
  for (const ByteRange& range : ranges) bytes += range.size;
  return bytes;
}

}  // namespace

uint64_t FileInspection::Page::bytes() const { return Sum(buffers); }

uint64_t FileInspection::Column::bytes() const {
  uint64_t bytes = Sum(buffers);
  for (const Page& page : pages) bytes += page.bytes();
  return bytes;
}

uint64_t FileInspection::num_pages() const {
  uint64_t pages = 0;
  for (const Column& column : columns) pages += column.pages.size();
  return pages;
}

uint64_t FileInspection::data_bytes() const {
  uint64_t bytes = 0;
  for (const Column& column : columns) bytes += column.bytes();
  return bytes;
}

Result<FileInspection> InspectFile(const Context& context, RandomReader& reader) {
  auto out = Inspect(context, reader);
  if (!out.ok()) return WithPlace(out.status(), {.path = reader.path()});
  return out;
}

}  // namespace lance
