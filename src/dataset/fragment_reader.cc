#include "dataset/fragment_reader.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "arrow/api.h"
#include "dataset/array_types.h"
#include "dataset/blob_columns.h"
#include "dataset/check_stored_types.h"
#include "dataset/field_layout.h"
#include "dataset/leaf_changes.h"
#include "dataset/merge_columns.h"
#include "dataset/packed_members.h"
#include "dataset/stored_layouts.h"
#include "dataset/value_layout.h"
#include "file/leaf_column.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/packed_struct.h"
#include "schema/semantic_type.h"
#include "schema/structure_fields.h"
#include "table/deletion_file.h"
#include "table/row_words.h"

namespace lance {
namespace {

// Ids under which data files list spilled lineage columns.
constexpr int32_t kSpilledRowIdField = -3;
constexpr int32_t kSpilledCreatedAtField = -4;
constexpr int32_t kSpilledLastUpdatedAtField = -5;

int64_t CountRows(std::span<const RowRange> rows) {
  uint64_t count = 0;
  for (const RowRange& range : rows) count += range.count;
  return static_cast<int64_t>(count);
}

std::span<const int32_t> SpanOf(const google::protobuf::RepeatedField<int32_t>& values) {
  return {values.data(), static_cast<size_t>(values.size())};
}

bool Lists(const table::DataFile& file, int32_t id) {
  return std::find(file.fields().begin(), file.fields().end(), id) != file.fields().end();
}

bool HasNoLevels(const table::DataFile& file) {
  return file.file_major_version() < 2 || file.file_minor_version() == 0;
}

Result<std::shared_ptr<FileReader>> OpenFile(const Context& context, const TableSession& session,
                                             const TableLocation& table, const Manifest& manifest,
                                             const table::DataFile& file, uint64_t physical_rows,
                                             bool with_schema) {
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, LocateDataFile(table, manifest, file));
  const std::string key = with_schema ? location.path + "#schema" : location.path;
  if (auto reader = session.files().Get(key)) return reader;
  ARROW_ASSIGN_OR_RAISE(FileVersion version, FileVersionFromNumbers(file.file_major_version(),
                                                                    file.file_minor_version()));
  std::optional<uint64_t> size;
  // 7.0.0 recorded the size of files of 0.1 before they were finished.
  const bool size_is_true = file.file_size_bytes() != 0 && version != FileVersion::kV0_1;
  if (size_is_true) size = file.file_size_bytes();
  std::optional<uint64_t> rows;
  if (physical_rows != 0) rows = physical_rows;
  ARROW_ASSIGN_OR_RAISE(auto object, location.store->OpenReader(context, location.path, size));
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        FileReader::Open(context, std::move(object), rows, with_schema));
  return session.files().Put(key, std::move(reader));
}

Result<std::shared_ptr<FileReader>> OpenFile(const Context& context, const TableSession& session,
                                             const TableLocation& table, const Manifest& manifest,
                                             const table::DataFile& file, uint64_t physical_rows) {
  // With semantic types the file's own schema says how it holds its columns.
  return OpenFile(context, session, table, manifest, file, physical_rows,
                  /*with_schema=*/manifest.has_semantic_types());
}

Result<std::shared_ptr<const DeletionVector>> OpenDeletions(
    const Context& context, const TableSession& session, const TableLocation& table,
    const Manifest& manifest, uint64_t fragment_id, const table::DeletionFile& file,
    uint64_t physical_rows) {
  ARROW_ASSIGN_OR_RAISE(StoreLocation location,
                        LocateDeletionFile(table, manifest, fragment_id, file));
  if (auto deletions = session.deletions().Get(location.path)) {
    if (deletions->physical_rows() == physical_rows) return deletions;
  }
  ARROW_ASSIGN_OR_RAISE(auto deletions, ReadDeletionFile(context, *location.store, location.path,
                                                         file, physical_rows));
  return session.deletions().Put(location.path, std::move(deletions));
}

/// Files before 2.2 have descriptors of fewer members.
bool IsOldDescriptor(const arrow::Array& descriptors) {
  return descriptors.type()->num_fields() <= static_cast<int>(BlobV1Member::kSize) + 1;
}

/// The end of a path, or where it is about items of lists, the innermost one with small offsets.
std::vector<const Field*> OverflowingPath(std::vector<const Field*> path, bool of_list) {
  if (!of_list) return path;
  while (path.size() > 1 && KindOfLogicalType(path.back()->logical_type) != FieldKind::kList) {
    path.pop_back();
  }
  return path;
}

/// An error about more bytes or items than offsets can address, with the field and its output
/// encoding.
Status NameOverflow(const FileProjection& projection, const Status& status) {
  const ErrorDetail* detail = GetErrorDetail(status);
  if (detail == nullptr || detail->code != ErrorCode::kOverBudget || !detail->place.column) {
    return status;
  }
  const auto& columns = projection.columns;
  const auto at =
      std::find(columns.begin(), columns.end(), static_cast<uint32_t>(*detail->place.column));
  const auto paths = LeafPaths(projection.schema);
  const auto index = static_cast<size_t>(at - columns.begin());
  if (index >= paths.size()) return status;
  const bool of_list = status.message().find("list column") != std::string::npos;
  const auto path = OverflowingPath(paths[index], of_list);
  ErrorPlace place = detail->place;
  place.field = PathName(path);
  const auto encoding = OutputEncodingOf(*path.back());
  if (!projection.schema.semantic_types || !encoding) {
    return MakeError(detail->code, status.message(), std::move(place));
  }
  // `a batch of this column has 2202009600 bytes`
  const std::string what = status.message().substr(0, status.message().find_first_of(",;"));
  const SemanticKind kind = SemanticTypeOf(*path.back())->kind;
  const std::string_view alternatives = kind == SemanticKind::kList ? "as large_list"
                                        : kind == SemanticKind::kString
                                            ? "as large_utf8 or a view"
                                            : "as large_binary or a view";
  return WithPlace(LayoutOverflow(what, encoding->name, alternatives), place);
}

}  // namespace

struct FragmentReader::Opener {
  const Context& context;
  const TableSession& session;
  const TableLocation& table;
  const Manifest& manifest;
  table::DataFragment fragment;
  FragmentReader* out;

  Status Run() {
    out->fragment_id_ = static_cast<uint32_t>(fragment.id());
    ARROW_RETURN_NOT_OK(OpenFiles());
    ARROW_RETURN_NOT_OK(CountPhysicalRows());
    if (fragment.has_deletion_file()) {
      ARROW_ASSIGN_OR_RAISE(out->deletions_,
                            OpenDeletions(context, session, table, manifest, fragment.id(),
                                          fragment.deletion_file(), out->physical_rows_));
    }
    ARROW_RETURN_NOT_OK(OpenLineage());
    for (const FileRead& file : out->files_) {
      ARROW_ASSIGN_OR_RAISE(double bytes, file.reader->BytesPerRow(context, file.projection));
      out->bytes_per_row_ += bytes;
    }
    return Status::OK();
  }

  Status OpenFiles() {
    ARROW_RETURN_NOT_OK(CheckParents(out->selection_->data));
    ARROW_ASSIGN_OR_RAISE(const auto with_structure, WithStructureOfFiles(out->selection_->data));
    const Schema& data = with_structure ? *with_structure : out->selection_->data;
    std::vector<const Field*> leaves = data.Leaves();
    std::unordered_set<int32_t> missing;
    for (const Field* leaf : leaves) missing.insert(leaf->id);
    for (const auto& file : fragment.files()) {
      if (missing.empty()) break;
      std::vector<int32_t> ids;
      for (int32_t id : file.fields()) {
        if (missing.erase(id) > 0) ids.push_back(id);
      }
      if (ids.empty()) continue;
      Schema part = ids.size() == leaves.size() ? data : data.ProjectByIds(ids);
      ARROW_RETURN_NOT_OK(AddFile(file, std::move(part)));
    }
    if (out->files_.empty() && !leaves.empty()) ARROW_RETURN_NOT_OK(CheckFieldIds());
    bool all_in_one = out->files_.size() == 1 && !out->files_[0].wanted &&
                      leaves.size() == out->selection_->data.Leaves().size() &&
                      out->files_[0].projection.schema.Leaves().size() == leaves.size();
    out->file_is_data_ = all_in_one;
    if (all_in_one && out->selection_->outputs_are_data) {
      // Then its batches need no change at all.
      out->files_[0].projection.arrow_schema = out->selection_->output_schema;
    }
    return Status::OK();
  }

  /// The wanted fields with a stored one beside those of structs and lists that have none, also one
  /// that was dropped; nothing if all of them have some.
  Result<std::optional<Schema>> WithStructureOfFiles(const Schema& wanted) const {
    const auto is_leaf = [](const Field& field) { return field.IsLeaf(); };
    if (std::all_of(wanted.fields.begin(), wanted.fields.end(), is_leaf)) return std::nullopt;
    std::unordered_set<int32_t> stored;
    for (const auto& file : fragment.files()) {
      stored.insert(file.fields().begin(), file.fields().end());
    }
    const auto is_stored = [&stored](int32_t id) { return stored.contains(id); };
    if (FieldsWithoutStructure(wanted, is_stored).empty()) return std::nullopt;
    Schema data =
        WithStructure(WithBlobDescriptors(manifest.schema, /*v1=*/true), is_stored, wanted);
    const auto was_dropped = [this](int32_t id) { return manifest.schema.FindById(id) == nullptr; };
    for (const auto& file : fragment.files()) {
      if (FieldsWithoutStructure(data, is_stored).empty()) break;
      if (std::none_of(file.fields().begin(), file.fields().end(), was_dropped)) continue;
      ARROW_ASSIGN_OR_RAISE(auto reader, OpenFile(context, session, table, manifest, file,
                                                  fragment.physical_rows(), /*with_schema=*/true));
      data = WithStructure(reader->schema(), is_stored, std::move(data));
    }
    return data;
  }

  /// No file has any of the columns: they are null, if the files are of columns that the table has,
  /// or had. Those that were dropped last have ids above all others, and are in the schema of the
  /// file itself.
  Status CheckFieldIds() const {
    const int32_t newest =
        std::max(manifest.schema.MaxFieldId(), manifest.head.max_allocated_field_id());
    // Then no id above was ever given.
    const bool knows_all_ids = manifest.head.has_max_allocated_field_id();
    for (const auto& file : fragment.files()) {
      const auto newer = [newest](int32_t id) { return id > newest; };
      if (std::none_of(file.fields().begin(), file.fields().end(), newer)) continue;
      ARROW_ASSIGN_OR_RAISE(auto reader, OpenFile(context, session, table, manifest, file,
                                                  fragment.physical_rows(), /*with_schema=*/true));
      for (int32_t id : file.fields()) {
        const bool was_dropped = !knows_all_ids && reader->schema().FindById(id) != nullptr;
        if (!newer(id) || was_dropped) continue;
        return WithPlace(
            Corrupt("fragment ", fragment.id(), " has none of the columns, but a field ", id,
                    "; the table has fields up to ", newest),
            {.path = file.path()});
      }
    }
    return Status::OK();
  }

  /// A file that lists a parent itself stores it in a form of its own (blobs), which must not be
  /// taken for missing members.
  Status CheckParents(const Schema& data) const {
    for (const Field* field : data.PreOrder()) {
      if (field->IsLeaf()) continue;
      for (const auto& file : fragment.files()) {
        // Before 2.1 every parent is listed.
        if (HasNoLevels(file) || !Lists(file, field->id)) continue;
        return WithPlace(Unsupported("reading a column stored as one page of descriptors: ",
                                     field->logical_type, " '", field->name, "'"),
                         {.path = file.path(), .field = field->name});
      }
    }
    return Status::OK();
  }

  Status AddFile(const table::DataFile& file, Schema part) {
    ARROW_ASSIGN_OR_RAISE(
        auto reader, OpenFile(context, session, table, manifest, file, fragment.physical_rows()));
    ARROW_RETURN_NOT_OK(CheckRows(*reader));
    for (const Field* leaf : part.Leaves()) {
      if (!IsBlobV1Descriptor(*leaf) && !IsBlobV2Descriptor(*leaf)) continue;
      ARROW_ASSIGN_OR_RAISE(auto locator, BlobLocator::Make(table, manifest, file));
      out->blobs_.emplace(leaf->id, std::move(locator));
    }
    std::optional<WantedColumns> wanted;
    ARROW_ASSIGN_OR_RAISE(auto stored, AsStored(*reader, file, part));
    if (stored) {
      ARROW_ASSIGN_OR_RAISE(auto arrow_schema, part.ToArrow());
      wanted = {std::exchange(part, *std::move(stored)), std::move(arrow_schema)};
    }
    ARROW_ASSIGN_OR_RAISE(auto projection, reader->Project(std::move(part), SpanOf(file.fields()),
                                                           SpanOf(file.column_indices())));
    out->files_.push_back({std::move(reader), std::move(projection), std::move(wanted)});
    return Status::OK();
  }

  /// What is to be read of a file in another form than it is wanted; nothing if all of it can be
  /// decoded to that.
  Result<std::optional<Schema>> AsStored(const FileReader& reader, const table::DataFile& file,
                                         const Schema& part) const {
    std::optional<Schema> stored = WithWholePackedStructs(part, manifest.schema);
    if (reader.version() < FileVersion::kV2_2) {
      if (auto old = WithOldBlobDescriptors(stored ? *stored : part)) stored = std::move(old);
    }
    auto find = [&](int32_t id) {
      return reader.StoredField(id, SpanOf(file.fields()), SpanOf(file.column_indices()));
    };
    ARROW_RETURN_NOT_OK(WithPlace(CheckStoredTypes(part, find), {.path = reader.path()}));
    if (!manifest.has_semantic_types()) return stored;
    const DecodedWidths widths = reader.version() == FileVersion::kV0_1   ? DecodedWidths::kAsStored
                                 : reader.version() == FileVersion::kV2_0 ? DecodedWidths::kOffsets
                                                                          : DecodedWidths::kAll;
    auto layouts = WithStoredLayouts(stored ? *stored : part, find, widths);
    if (!layouts.ok()) return WithPlace(layouts.status(), {.path = reader.path()});
    return *layouts ? *std::move(layouts) : std::move(stored);
  }

  Status CheckRows(const FileReader& reader) {
    uint64_t& rows = out->physical_rows_;
    if (rows == 0)
      rows = fragment.physical_rows() != 0 ? fragment.physical_rows() : reader.num_rows();
    if (rows == reader.num_rows()) return Status::OK();
    return WithPlace(Corrupt("data file has another number of rows than its fragment: ",
                             reader.num_rows(), ", expected ", rows),
                     {.path = reader.path()});
  }

  /// Without any file opened, the manifest's number has to do.
  Status CountPhysicalRows() {
    if (out->physical_rows_ != 0 || !out->files_.empty()) return Status::OK();
    out->physical_rows_ = fragment.physical_rows();
    if (out->physical_rows_ != 0 || fragment.files_size() == 0) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto reader, OpenFile(context, session, table, manifest,
                                                fragment.files(0), fragment.physical_rows()));
    return CheckRows(*reader);
  }

  Status OpenLineage() {
    const ColumnSelection& selection = *out->selection_;
    if (selection.Needs(VirtualColumn::kRowId) && manifest.has_stable_row_ids()) {
      ARROW_RETURN_NOT_OK(OpenRowIds());
    }
    if (selection.Needs(VirtualColumn::kCreatedAtVersion)) {
      ARROW_RETURN_NOT_OK(OpenVersions(
          fragment.has_inline_created_at_versions(), fragment.inline_created_at_versions(),
          fragment.has_column_created_at_versions(), VirtualColumn::kCreatedAtVersion,
          kSpilledCreatedAtField, &out->created_at_));
    }
    if (selection.Needs(VirtualColumn::kLastUpdatedAtVersion)) {
      ARROW_RETURN_NOT_OK(OpenVersions(fragment.has_inline_last_updated_at_versions(),
                                       fragment.inline_last_updated_at_versions(),
                                       fragment.has_column_last_updated_at_versions(),
                                       VirtualColumn::kLastUpdatedAtVersion,
                                       kSpilledLastUpdatedAtField, &out->last_updated_at_));
    }
    return Status::OK();
  }

  Status OpenRowIds() {
    Lineage& lineage = out->row_ids_.emplace();
    if (fragment.has_column_row_ids()) {
      return OpenSpilled(VirtualColumn::kRowId, kSpilledRowIdField, &lineage);
    }
    if (!fragment.has_inline_row_ids()) {
      return Corrupt("fragment ", fragment.id(), " has no row ids in a table with stable row ids");
    }
    ARROW_ASSIGN_OR_RAISE(auto ids, RowIdSequence::Decode(AsBytes(fragment.inline_row_ids())));
    ARROW_RETURN_NOT_OK(CheckLength("row ids", ids.size()));
    lineage.ids = std::make_shared<RowIdSequence>(std::move(ids));
    return Status::OK();
  }

  Status OpenVersions(bool is_inline, const std::string& bytes, bool is_spilled,
                      VirtualColumn column, int32_t field_id, std::optional<Lineage>* lineage) {
    if (!is_inline && !is_spilled) return Status::OK();
    lineage->emplace();
    if (is_spilled) return OpenSpilled(column, field_id, &**lineage);
    ARROW_ASSIGN_OR_RAISE(auto versions, VersionSequence::Decode(AsBytes(bytes)));
    ARROW_RETURN_NOT_OK(CheckLength("row versions", versions.size()));
    (*lineage)->versions = std::make_shared<VersionSequence>(std::move(versions));
    return Status::OK();
  }

  Status CheckLength(std::string_view what, uint64_t size) const {
    if (size == out->physical_rows_) return Status::OK();
    return Corrupt("fragment ", fragment.id(), " has ", what, " for ", size, " rows, expected ",
                   out->physical_rows_);
  }

  Status OpenSpilled(VirtualColumn column, int32_t field_id, Lineage* lineage) {
    Field field;
    field.id = field_id;
    field.name = VirtualColumnName(column);
    field.logical_type = "uint64";
    field.nullable = false;
    Schema schema;
    schema.fields.push_back(std::move(field));
    for (const auto& file : fragment.files()) {
      if (!Lists(file, field_id)) continue;
      ARROW_ASSIGN_OR_RAISE(
          auto reader, OpenFile(context, session, table, manifest, file, fragment.physical_rows()));
      ARROW_RETURN_NOT_OK(CheckRows(*reader));
      ARROW_ASSIGN_OR_RAISE(
          auto projection,
          reader->Project(std::move(schema), SpanOf(file.fields()), SpanOf(file.column_indices())));
      lineage->spilled = FileRead{std::move(reader), std::move(projection), {}};
      return Status::OK();
    }
    return Corrupt("no data file of fragment ", fragment.id(), " has its spilled column ",
                   VirtualColumnName(column));
  }
};

Result<std::shared_ptr<FragmentReader>> FragmentReader::Open(
    const Context& context, const TableSession& session, const TableLocation& table,
    const Manifest& manifest, const FragmentSummary& summary,
    std::shared_ptr<const ColumnSelection> selection, uint64_t first_position) {
  if (summary.has_overlays) return Unsupported("reading data overlay files");
  ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
  std::shared_ptr<FragmentReader> reader(new FragmentReader);
  reader->selection_ = std::move(selection);
  reader->session_ = &session;
  reader->first_position_ = first_position;
  Opener opener{context, session, table, manifest, std::move(fragment), reader.get()};
  ARROW_RETURN_NOT_OK(opener.Run());
  return reader;
}

std::optional<uint64_t> FragmentReader::LivePosition(uint64_t physical) const {
  if (deletions_ != nullptr && deletions_->IsDeleted(physical)) return std::nullopt;
  return LiveBefore(physical);
}

uint64_t FragmentReader::LiveBefore(uint64_t physical) const {
  if (deletions_ == nullptr) return physical;
  uint64_t low = 0;
  uint64_t high = deletions_->num_live();
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (deletions_->PhysicalOffset(middle) < physical) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void FragmentReader::AppendPhysicalRanges(RowRange live, std::vector<RowRange>* out) const {
  if (live.count == 0) return;
  if (deletions_ != nullptr) {
    deletions_->AppendPhysicalRanges(live, out);
  } else if (!out->empty() && out->back().end() == live.start) {
    out->back().count += live.count;
  } else {
    out->push_back(live);
  }
}

Result<const BlobLocator*> FragmentReader::BlobsOf(int32_t field_id) const {
  const auto found = blobs_.find(field_id);
  if (found != blobs_.end()) return &found->second;
  return Corrupt("fragment ", fragment_id_, " has no file with the blob column ", field_id);
}

// Old descriptors of blobs become new ones, packed structs lose the members that aren't wanted, and
// layouts become those that are.
Result<arrow::ArrayVector> FragmentReader::ToWanted(const WantedColumns& wanted,
                                                    arrow::ArrayVector columns,
                                                    arrow::MemoryPool* pool) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const Field& field = wanted.schema.fields[i];
    ARROW_ASSIGN_OR_RAISE(
        columns[i], ChangeLeaves(
                        field, columns[i], IsBlobV2Descriptor,
                        [pool](const Field&, const std::shared_ptr<arrow::Array>& descriptors) {
                          return IsOldDescriptor(*descriptors)
                                     ? PromoteDescriptors(*descriptors, pool)
                                     : Result<std::shared_ptr<arrow::Array>>(descriptors);
                        },
                        pool));
    ARROW_ASSIGN_OR_RAISE(columns[i], PickPackedMembers(field, columns[i], pool));
    ARROW_ASSIGN_OR_RAISE(columns[i], ToFieldLayout(field, columns[i], pool));
    columns[i] = Retyped(columns[i], wanted.arrow_schema->field(static_cast<int>(i))->type());
  }
  return columns;
}

Result<arrow::ArrayVector> FragmentReader::ReadFile(const Context& context, const FileRead& file,
                                                    std::span<const RowRange> rows) const {
  auto batch = file.reader->Read(context, file.projection, rows);
  if (!batch.ok()) return NameOverflow(file.projection, batch.status());
  if (!file.wanted) return (*batch)->columns();
  return ToWanted(*file.wanted, (*batch)->columns(), context.pool());
}

// Puts the bytes or values of blobs in the place of their descriptors.
Status FragmentReader::ReadBlobs(const Context& context, arrow::ArrayVector* columns) const {
  for (size_t i = 0; i < columns->size(); ++i) {
    auto read = [&](const Field& blob, const std::shared_ptr<arrow::Array>& descriptors)
        -> Result<std::shared_ptr<arrow::Array>> {
      const bool bytes = selection_->blob_handling == BlobHandling::kBytes;
      if (descriptors->null_count() == descriptors->length()) {
        return arrow::MakeArrayOfNull(bytes ? arrow::large_binary() : BlobValueType(),
                                      descriptors->length(), context.pool());
      }
      ARROW_ASSIGN_OR_RAISE(const BlobLocator* locator, BlobsOf(blob.id));
      return bytes ? ReadBlobBytes(context, *session_, *locator, *descriptors)
                   : ReadBlobValues(context, *session_, *locator, *descriptors);
    };
    ARROW_ASSIGN_OR_RAISE((*columns)[i], ChangeLeaves(selection_->data.fields[i], (*columns)[i],
                                                      IsBlobV2Descriptor, read, context.pool()));
  }
  return Status::OK();
}

Result<arrow::ArrayVector> FragmentReader::ReadData(const Context& context,
                                                    std::span<const RowRange> rows,
                                                    int64_t count) const {
  std::vector<arrow::ArrayVector> batches;
  for (const FileRead& file : files_) {
    ARROW_ASSIGN_OR_RAISE(batches.emplace_back(), ReadFile(context, file, rows));
  }
  if (file_is_data_) return batches[0];
  const Schema& data = selection_->data;
  arrow::ArrayVector columns;
  for (size_t i = 0; i < data.fields.size(); ++i) {
    std::vector<ColumnPart> parts;
    for (size_t k = 0; k < files_.size(); ++k) {
      const FileRead& file = files_[k];
      const auto& fields = (file.wanted ? file.wanted->schema : file.projection.schema).fields;
      for (size_t c = 0; c < fields.size(); ++c) {
        if (fields[c].id != data.fields[i].id) continue;
        parts.push_back({&fields[c], batches[k][c]});
      }
    }
    ARROW_ASSIGN_OR_RAISE(
        auto column,
        MergeColumn(data.fields[i], selection_->data_schema->field(static_cast<int>(i))->type(),
                    parts, count, context.pool()));
    columns.push_back(std::move(column));
  }
  return columns;
}

const FragmentReader::Lineage* FragmentReader::LineageOf(VirtualColumn column) const {
  const std::optional<Lineage>* lineage = nullptr;
  switch (column) {
    case VirtualColumn::kRowId:
      lineage = &row_ids_;
      break;
    case VirtualColumn::kCreatedAtVersion:
      lineage = &created_at_;
      break;
    case VirtualColumn::kLastUpdatedAtVersion:
      lineage = &last_updated_at_;
      break;
    case VirtualColumn::kRowAddress:
    case VirtualColumn::kRowOffset:
      return nullptr;
  }
  return *lineage ? &**lineage : nullptr;
}

uint64_t FragmentReader::FirstValue(VirtualColumn column, const RowRange& live_rows) const {
  if (column == VirtualColumn::kRowOffset) {
    return first_position_ + LivePosition(live_rows.start).value_or(0);
  }
  return static_cast<uint64_t>(
      MakeRowAddress(fragment_id_, static_cast<uint32_t>(live_rows.start)));
}

// A deleted row has the position of the next live one.
void FragmentReader::FillPositions(const RowRange& rows, std::span<uint64_t> positions) const {
  uint64_t position = first_position_ + LiveBefore(rows.start);
  for (uint64_t i = 0; i < rows.count; ++i) {
    positions[i] = position;
    if (!deletions_->IsDeleted(rows.start + i)) ++position;
  }
}

Result<std::shared_ptr<arrow::Array>> FragmentReader::WithoutDeleted(
    const std::shared_ptr<arrow::Array>& values, std::span<const RowRange> rows,
    arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity,
                        arrow::AllocateEmptyBitmap(values->length(), pool));
  int64_t at = 0;
  for (const RowRange& range : rows) {
    for (uint64_t row = range.start; row < range.end(); ++row, ++at) {
      if (!deletions_->IsDeleted(row)) arrow::bit_util::SetBit(validity->mutable_data(), at);
    }
  }
  auto data = arrow::ArrayData::Make(values->type(), values->length(),
                                     {std::move(validity), values->data()->buffers[1]},
                                     arrow::kUnknownNullCount, values->offset());
  return arrow::MakeArray(data);
}

Result<std::shared_ptr<arrow::Array>> FragmentReader::ReadVirtual(const Context& context,
                                                                  VirtualColumn column,
                                                                  std::span<const RowRange> rows,
                                                                  int64_t count) const {
  const Lineage* lineage = LineageOf(column);
  if (lineage != nullptr && lineage->spilled) {
    const FileRead& file = *lineage->spilled;
    ARROW_ASSIGN_OR_RAISE(auto batch, file.reader->Read(context, file.projection, rows));
    return batch->column(0);
  }
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> buffer,
      arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(uint64_t)), context.pool()));
  std::span<uint64_t> left(buffer->mutable_data_as<uint64_t>(), static_cast<size_t>(count));
  // Rows of tables that keep no versions count as made by the first one.
  constexpr uint64_t kUnknownVersion = 1;
  bool is_version =
      column == VirtualColumn::kCreatedAtVersion || column == VirtualColumn::kLastUpdatedAtVersion;
  for (const RowRange& range : rows) {
    std::span<uint64_t> values = left.first(range.count);
    left = left.subspan(range.count);
    if (lineage != nullptr && lineage->ids != nullptr) {
      lineage->ids->Read(range.start, values);
    } else if (lineage != nullptr) {
      lineage->versions->Read(range.start, values);
    } else if (is_version) {
      std::fill(values.begin(), values.end(), kUnknownVersion);
    } else if (column == VirtualColumn::kRowOffset && selection_->deleted_are_null &&
               deletions_ != nullptr) {
      FillPositions(range, values);
    } else {
      std::iota(values.begin(), values.end(), FirstValue(column, range));
    }
  }
  return std::make_shared<arrow::UInt64Array>(count, std::move(buffer));
}

Result<std::shared_ptr<arrow::RecordBatch>> FragmentReader::Read(
    const Context& context, std::span<const RowRange> rows) const {
  if (file_is_data_ && selection_->outputs_are_data) {
    auto batch = files_[0].reader->Read(context, files_[0].projection, rows);
    if (!batch.ok()) return NameOverflow(files_[0].projection, batch.status());
    return batch;
  }
  int64_t count = CountRows(rows);
  ARROW_ASSIGN_OR_RAISE(auto data, ReadData(context, rows, count));
  if (selection_->data_with_blobs != nullptr) {
    ARROW_RETURN_NOT_OK(ReadBlobs(context, &data));
  }
  arrow::ArrayVector columns;
  for (const OutputColumn& output : selection_->outputs) {
    if (output.virtual_column) {
      const VirtualColumn which = *output.virtual_column;
      ARROW_ASSIGN_OR_RAISE(auto column, ReadVirtual(context, which, rows, count));
      const bool names_row = which == VirtualColumn::kRowId || which == VirtualColumn::kRowAddress;
      if (names_row && selection_->deleted_are_null && deletions_ != nullptr) {
        ARROW_ASSIGN_OR_RAISE(column, WithoutDeleted(column, rows, context.pool()));
      }
      columns.push_back(std::move(column));
      continue;
    }
    std::shared_ptr<arrow::Array> column = data[static_cast<size_t>(output.path[0])];
    for (size_t i = 1; i < output.path.size(); ++i) {
      // Members of a null struct are null.
      const auto& parent = static_cast<const arrow::StructArray&>(*column);
      ARROW_ASSIGN_OR_RAISE(column, parent.GetFlattenedField(output.path[i], context.pool()));
    }
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(selection_->output_schema, count, std::move(columns));
}

}  // namespace lance
