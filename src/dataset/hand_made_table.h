#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/writer.h"
#include "dataset/open_table.h"
#include "file/file_writer.h"
#include "table/deletion_file.h"
#include "table/manifest_file.h"
#include "table/unique_names.h"

namespace lance {

/// For tests, where there is no way to go on.
inline void CheckOk(const Status& status) {
  if (!status.ok()) status.Abort();
}

/// For tests: a table in memory whose fragments are put together by hand, so that it may have what
/// only other writers make: several data files per fragment, deletion files, odd field lists.
class HandMadeTable {
 public:
  explicit HandMadeTable(Schema schema) {
    manifest_.SetSchema(std::move(schema));
    manifest_.head.set_version(1);
    manifest_.head.mutable_data_format()->set_version("2.2");
  }

  /// Writes a data file of those fields of the batch that `schema` has.
  table::DataFile WriteFile(const Schema& schema, const arrow::RecordBatch& batch) {
    std::string name = MakeDataFileName();
    auto object = handle_.table.store->OpenWriter(
        context_, OwnDataFolder(handle_.table).location.path + "/" + name);
    auto writer = FileWriter::Open(context_, std::move(object).ValueOrDie(), schema).ValueOrDie();
    CheckOk(writer->WriteBatch(batch));
    FileWriteResult result = writer->Finish().ValueOrDie();
    table::DataFile file;
    file.set_path(name);
    file.mutable_fields()->Add(result.field_ids.begin(), result.field_ids.end());
    file.mutable_column_indices()->Add(result.column_indices.begin(), result.column_indices.end());
    file.set_file_major_version(2);
    file.set_file_minor_version(2);
    file.set_file_size_bytes(result.size_bytes);
    return file;
  }

  /// Deletes rows of a fragment by an Arrow file.
  void Delete(table::DataFragment* fragment, const std::vector<uint32_t>& offsets) {
    auto schema = arrow::schema({arrow::field("row_id", arrow::uint32(), false)});
    arrow::UInt32Builder builder;
    CheckOk(builder.AppendValues(offsets));
    auto array = builder.Finish().ValueOrDie();
    auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
    auto writer = arrow::ipc::MakeFileWriter(sink, schema).ValueOrDie();
    CheckOk(writer->WriteRecordBatch(*arrow::RecordBatch::Make(schema, array->length(), {array})));
    CheckOk(writer->Close());
    auto content = sink->Finish().ValueOrDie();
    fragment->mutable_deletion_file()->set_id(fragment->id() + 1);
    fragment->mutable_deletion_file()->set_num_deleted_rows(offsets.size());
    std::string path = handle_.table.root + "/_deletions/" +
                       DeletionFileName(fragment->id(), fragment->deletion_file());
    Bytes bytes(content->data(), static_cast<size_t>(content->size()));
    CheckOk(handle_.table.store->Put(context_, path, bytes));
  }

  void Add(table::DataFragment fragment) { CheckOk(manifest_.AddFragments({std::move(fragment)})); }
  Manifest& manifest() { return manifest_; }
  const TableHandle& handle() const { return handle_; }

  std::shared_ptr<const Snapshot> Open() {
    ManifestLocation location{1, ManifestNaming::kV2,
                              ManifestPath(handle_.table.root, 1, ManifestNaming::kV2), 0};
    std::string content = EncodeManifestFile(std::nullopt, "", &manifest_);
    CheckOk(handle_.table.store->Put(context_, location.path, AsBytes(content)));
    return handle_.Open(location).ValueOrDie();
  }

 private:
  Context context_;
  Manifest manifest_;
  TableHandle handle_{
      "memory://hand-made", {MakeMemoryStore(), "/hand-made"}, std::make_shared<TableSession>()};
};

}  // namespace lance
