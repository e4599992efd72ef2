#include "file/legacy_columns.h"

#include <algorithm>
#include <limits>

#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "encoding/read/bit_copy.h"
#include "encoding/v1/binary_page.h"
#include "encoding/v1/list_page.h"
#include "encoding/v20/decode_block.h"
#include "encoding/v20/dictionary_page.h"
#include "encoding/v20/empty_page.h"
#include "encoding/v20/fixed_page.h"
#include "file/column_read.h"
#include "file/tree_reader.h"
#include "io/read_batch.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

namespace v1 = encoding::v1;
namespace v20 = encoding::v20;
using encoding::DecodedBlock;
using encoding::LeafShape;
using encoding::PageBuffer;
using encoding::PageReader;

// More elements than that are not counted on: sums of them don't overflow.
constexpr uint64_t kMaxElements = uint64_t{1} << 40;

bool IsList(const Field& field) {
  const FieldKind kind = KindOfLogicalType(field.logical_type);
  return kind == FieldKind::kList || kind == FieldKind::kLargeList;
}

bool IsLargeList(const Field& field) {
  return KindOfLogicalType(field.logical_type) == FieldKind::kLargeList;
}

// The first field at or below `field` that has pages.
const Field* FirstStored(const Field& field) {
  const Field* at = &field;
  while (!at->IsLeaf() && !IsList(*at)) {
    if (at->children.empty()) break;
    at = &at->children[0];
  }
  return at;
}

// A struct without members has none, and may even lack its row of the page table.
bool HasPages(const Field& field) {
  return KindOfLogicalType(field.logical_type) != FieldKind::kStruct;
}

// A list has one more offset than there are lists.
Result<std::vector<uint64_t>> RowStarts(const Field& field, const std::vector<LegacyPage>& pages) {
  std::vector<uint64_t> starts = {0};
  for (size_t i = 0; i < pages.size(); ++i) {
    uint64_t rows = pages[i].length;
    if (IsList(field)) {
      if (rows == 0) return Corrupt("list page of batch ", i, " has no offsets");
      --rows;
    }
    starts.push_back(starts.back() + rows);
  }
  return starts;
}

// A stretch of the file, checked.
Result<PageBuffer> Stretch(uint64_t position, uint64_t count, uint64_t bits, uint64_t file_size) {
  if (position > file_size || (bits != 0 && count > (file_size - position) * 8 / bits)) {
    return Corrupt("page at ", position, " with ", count, " elements of ", bits,
                   " bits is outside of the file of ", file_size, " bytes");
  }
  return PageBuffer{position, encoding::BytesForBits(count * bits)};
}

Result<std::unique_ptr<PageReader>> MakeBinaryPage(const LeafShape& shape, uint64_t position,
                                                   uint64_t rows, bool empty_is_null,
                                                   uint64_t file_size) {
  ARROW_ASSIGN_OR_RAISE(PageBuffer offsets, Stretch(position, rows + 1, 64, file_size));
  return v1::BinaryPage::Make(shape, offsets, rows, empty_is_null);
}

Result<std::unique_ptr<PageReader>> MakeFixedPage(const LeafShape& shape, uint64_t position,
                                                  uint64_t rows, uint64_t file_size) {
  ARROW_ASSIGN_OR_RAISE(PageBuffer values, Stretch(position, rows, shape.value_bits, file_size));
  return v20::FixedPage::MakePlain(shape, values, rows);
}

/// The values of a dictionary, as a column of one page.
class DictionaryItems final : public PagedColumn {
 public:
  DictionaryItems(LeafShape shape, LegacyDictionary place, uint64_t file_size)
      : PagedColumn(std::move(shape), {0, place.length}), place_(place), file_size_(file_size) {}

  Result<std::unique_ptr<PageReader>> OpenPage(size_t) const override {
    if (shape().values == LeafShape::Values::kVariable) {
      return MakeBinaryPage(shape(), place_.offset, place_.length, /*empty_is_null=*/false,
                            file_size_);
    }
    return MakeFixedPage(shape(), place_.offset, place_.length, file_size_);
  }

 private:
  LegacyDictionary place_;
  uint64_t file_size_;
};

Result<std::shared_ptr<const DecodedBlock>> ReadDictionary(const Context& context,
                                                           RandomReader& reader,
                                                           const arrow::DictionaryType& type,
                                                           const LegacyDictionary& place) {
  const arrow::DataType& items = *type.value_type();
  const bool variable = !arrow::is_fixed_width(items.id());
  if (variable && !arrow::is_base_binary_like(items.id())) {
    return Unsupported("dictionary of ", items.ToString());
  }
  const auto bits =
      variable
          ? 64
          : static_cast<uint64_t>(static_cast<const arrow::FixedWidthType&>(items).bit_width());
  // Before room is made for the values.
  ARROW_RETURN_NOT_OK(Stretch(place.offset, place.length, bits, reader.size()).status());
  DictionaryItems column(v20::ItemsShape(variable, variable ? 0 : bits), place, reader.size());
  ColumnRead read;
  read.column = &column;
  read.num_values = place.length;
  const RowRange all{0, place.length};
  if (place.length > 0) read.pages = SplitAtPages(column.page_starts(), {&all, 1});
  ColumnRead* const reads[] = {&read};
  ARROW_RETURN_NOT_OK(ReadColumns(context, reader, reads, [](size_t) { return Status::OK(); }));
  return v20::FinishBlock(*read.sink, place.length);
}

}  // namespace

class LegacyColumns::Column final : public PagedColumn {
 public:
  Column(const StoredField& stored, std::vector<LegacyPage> pages, std::vector<uint64_t> row_starts,
         std::vector<uint64_t> item_starts, std::shared_ptr<const DecodedBlock> items,
         uint64_t file_size)
      : PagedColumn(*stored.shape, std::move(row_starts)),
        is_list_(IsList(*stored.field)),
        large_offsets_(IsLargeList(*stored.field)),
        nullable_(stored.field->nullable),
        pages_(std::move(pages)),
        item_starts_(std::move(item_starts)),
        items_(std::move(items)),
        file_size_(file_size) {}

  Result<std::unique_ptr<PageReader>> OpenPage(size_t i) const override {
    const LegacyPage& page = pages_[i];
    const uint64_t rows = page_starts()[i + 1] - page_starts()[i];
    if (is_list_) {
      ARROW_ASSIGN_OR_RAISE(PageBuffer offsets,
                            Stretch(page.position, rows + 1, large_offsets_ ? 64 : 32, file_size_));
      return v1::ListPage::Make(shape(), offsets, rows, large_offsets_, item_starts_[i],
                                item_starts_[i + 1] - item_starts_[i]);
    }
    switch (shape().values) {
      case LeafShape::Values::kVariable:
        return MakeBinaryPage(shape(), page.position, rows, nullable_, file_size_);
      case LeafShape::Values::kNone:
      case LeafShape::Values::kEmptyStruct:
        return v20::EmptyPage::Make(shape(), rows);
      case LeafShape::Values::kFixed:
        break;
      default:
        return Unsupported("a column of this kind in a file of version 0.1");
    }
    if (!shape().is_dictionary) {
      return MakeFixedPage(shape(), page.position, rows, file_size_);
    }
    ARROW_ASSIGN_OR_RAISE(PageBuffer keys,
                          Stretch(page.position, rows, shape().value_bits, file_size_));
    return v20::DictionaryPage::MakePlain(shape(), keys, items_, rows);
  }

 private:
  bool is_list_;
  bool large_offsets_;
  bool nullable_;
  std::vector<LegacyPage> pages_;
  std::vector<uint64_t> item_starts_;  ///< of lists: rows of the column below before each batch
  std::shared_ptr<const DecodedBlock> items_;
  uint64_t file_size_;
};

LegacyColumns::LegacyColumns(RandomReader& reader, const LegacyMetadata& metadata)
    : reader_(reader), metadata_(metadata) {}

LegacyColumns::~LegacyColumns() = default;

uint32_t LegacyColumns::num_columns() const {
  constexpr uint64_t kMostFieldIds = uint64_t{1} << 31;
  const uint64_t row_bytes = metadata_.num_batches() * kLegacyPageEntryBytes;
  const uint64_t start = metadata_.page_table_position;
  if (row_bytes == 0 || start > reader_.size()) return kMostFieldIds;
  return static_cast<uint32_t>(std::min((reader_.size() - start) / row_bytes, kMostFieldIds));
}

Result<std::vector<std::vector<LegacyPage>>> LegacyColumns::ReadPageTable(
    const Context& context, std::span<const uint32_t> columns) const {
  const uint64_t row_bytes = metadata_.num_batches() * kLegacyPageEntryBytes;
  const uint64_t start = metadata_.page_table_position;
  ReadBatch batch;
  for (uint32_t column : columns) {
    if (start > reader_.size() || column >= num_columns()) {
      return WithPlace(Corrupt("page table at ", start, " is too short"), {.column = column});
    }
    batch.Add({start + column * row_bytes, row_bytes});
  }
  ARROW_RETURN_NOT_OK(batch.Execute(context, reader_));
  std::vector<std::vector<LegacyPage>> out(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    const uint8_t* entry = batch.bytes(static_cast<ReadBatch::Ticket>(i)).data();
    for (uint64_t page = 0; page < metadata_.num_batches(); ++page) {
      const auto position = LoadLittleEndian<uint64_t>(entry);
      const auto length = LoadLittleEndian<uint64_t>(entry + sizeof(uint64_t));
      if (length > kMaxElements) {
        return WithPlace(Corrupt("page at ", position, " claims ", length, " elements"),
                         {.column = columns[i], .page = static_cast<int64_t>(page)});
      }
      out[i].push_back({position, length});
      entry += kLegacyPageEntryBytes;
    }
  }
  return out;
}

Result<std::vector<const PagedColumn*>> LegacyColumns::Load(const Context& context,
                                                            std::span<const StoredField> fields) {
  std::lock_guard lock(mutex_);
  // What is missing: pages of the fields, and of the items of lists.
  std::vector<const StoredField*> missing;
  std::vector<uint32_t> rows;
  for (const StoredField& stored : fields) {
    if (columns_.contains(stored.column)) continue;
    missing.push_back(&stored);
    if (HasPages(*stored.field)) rows.push_back(stored.column);
    if (!IsList(*stored.field)) continue;
    const Field* items = FirstStored(stored.field->children[0]);
    const int64_t smallest_id = int64_t{stored.field->id} - stored.column;
    const int64_t item_column = items->id - smallest_id;
    if (item_column < 0 || item_column >= num_columns()) {
      return WithPlace(Corrupt("items of a list are not in the data file"),
                       {.field = stored.field->name, .column = stored.column});
    }
    rows.push_back(static_cast<uint32_t>(item_column));
  }
  ARROW_ASSIGN_OR_RAISE(auto pages, ReadPageTable(context, rows));
  size_t next = 0;
  for (const StoredField* stored : missing) {
    std::vector<LegacyPage> own;
    if (HasPages(*stored->field)) own = std::move(pages[next++]);
    const bool is_list = IsList(*stored->field);
    auto column = MakeColumn(context, *stored, std::move(own),
                             is_list ? std::move(pages[next++]) : std::vector<LegacyPage>());
    if (!column.ok()) {
      return WithPlace(column.status(), {.field = stored->field->name, .column = stored->column});
    }
    columns_[stored->column] = *std::move(column);
  }
  std::vector<const PagedColumn*> out;
  for (const StoredField& stored : fields) {
    out.push_back(columns_.at(stored.column).get());
    if (out.back()->shape() == *stored.shape) continue;
    return WithPlace(Corrupt("one column is read as different types"),
                     {.field = stored.field->name, .column = stored.column});
  }
  return out;
}

Result<std::unique_ptr<LegacyColumns::Column>> LegacyColumns::MakeColumn(
    const Context& context, const StoredField& stored, std::vector<LegacyPage> pages,
    const std::vector<LegacyPage>& item_pages) const {
  const Field& field = *stored.field;
  std::vector<uint64_t> item_starts;
  if (IsList(field)) {
    ARROW_ASSIGN_OR_RAISE(item_starts, RowStarts(*FirstStored(field.children[0]), item_pages));
  }
  std::shared_ptr<const DecodedBlock> items;
  ARROW_ASSIGN_OR_RAISE(auto type, field.ArrowType());
  if (type->id() == arrow::Type::DICTIONARY) {
    const auto place = metadata_.dictionaries.find(field.id);
    if (place == metadata_.dictionaries.end()) {
      return Corrupt("dictionary column has no values in the schema of its file");
    }
    ARROW_ASSIGN_OR_RAISE(
        items, ReadDictionary(context, reader_, static_cast<const arrow::DictionaryType&>(*type),
                              place->second));
  }
  std::vector<uint64_t> row_starts = metadata_.batch_starts;
  if (HasPages(field)) {
    ARROW_ASSIGN_OR_RAISE(row_starts, RowStarts(field, pages));
  }
  return std::make_unique<Column>(stored, std::move(pages), std::move(row_starts),
                                  std::move(item_starts), std::move(items), reader_.size());
}

// The page table doesn't tell the bytes of strings: all columns count the same.
Result<double> LegacyColumns::StoredBytes(const Context&, std::span<const uint32_t> columns) const {
  const size_t all = metadata_.schema.Leaves().size();
  if (all == 0) return 0;
  return static_cast<double>(reader_.size()) * static_cast<double>(columns.size()) /
         static_cast<double>(all);
}

namespace {

void RemovePacking(std::vector<Field>& fields) {
  for (Field& field : fields) {
    field.metadata = WithMetadata(field.metadata, kPackedKey, std::nullopt);
    field.metadata = WithMetadata(field.metadata, kOldPackedKey, std::nullopt);
    RemovePacking(field.children);
  }
}

}  // namespace

Schema WithoutPacking(Schema schema) {
  RemovePacking(schema.fields);
  return schema;
}

std::vector<uint32_t> LegacyColumnsOf(const Schema& schema) {
  int32_t smallest = std::numeric_limits<int32_t>::max();
  for (const Field* field : schema.PreOrder()) smallest = std::min(smallest, field->id);
  std::vector<uint32_t> out;
  for (const Field* field : StoredFields(schema)) {
    out.push_back(static_cast<uint32_t>(int64_t{field->id} - smallest));
  }
  return out;
}

std::vector<int32_t> LegacyColumnsOf(std::span<const int32_t> field_ids) {
  int32_t smallest = std::numeric_limits<int32_t>::max();
  for (int32_t id : field_ids) {
    if (id >= 0) smallest = std::min(smallest, id);
  }
  std::vector<int32_t> out;
  for (int32_t id : field_ids) out.push_back(id < 0 ? -1 : id - smallest);
  return out;
}

}  // namespace lance
