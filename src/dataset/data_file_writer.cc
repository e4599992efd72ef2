#include "dataset/data_file_writer.h"

#include "dataset/blob_columns.h"
#include "dataset/leaf_changes.h"
#include "dataset/prepare_batch.h"
#include "schema/blob.h"
#include "table/unique_names.h"

namespace lance {

Result<std::unique_ptr<DataFileWriter>> DataFileWriter::Open(const Context& context,
                                                             const DataFolder& folder,
                                                             const Schema& schema,
                                                             const DataFileOptions& options,
                                                             NewFiles* files) {
  std::unique_ptr<DataFileWriter> out(new DataFileWriter(context));
  out->name_ = MakeDataFileName();
  out->schema_ = schema;
  out->version_ = options.file.version;
  out->json_ = options.json;
  out->base_id_ = folder.base_id;
  ObjectStore& store = *folder.location.store;
  std::string path = folder.location.path + "/" + out->name_;
  files->Add({folder.location.store, path});
  ARROW_ASSIGN_OR_RAISE(auto object, store.OpenWriter(context, path));
  const bool blobs = HoldsLeaf(schema, IsBlobV2);
  ARROW_ASSIGN_OR_RAISE(
      out->file_,
      FileWriter::Open(context, std::move(object),
                       blobs ? WithBlobDescriptors(schema, /*v1=*/false) : schema, options.file));
  if (blobs) {
    out->blobs_ = std::make_unique<BlobWriter>(context, StoreLocation{folder.location.store, path},
                                               options.blobs, out->file_.get(), files);
  }
  return out;
}

Status DataFileWriter::WriteBatch(std::shared_ptr<arrow::RecordBatch> batch, int64_t first_row) {
  ARROW_ASSIGN_OR_RAISE(batch,
                        PrepareBatch(schema_, std::move(batch), first_row, json_, context_.pool()));
  ARROW_RETURN_NOT_OK(CheckDeclared(schema_, *batch));
  if (blobs_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(batch, blobs_->Store(schema_, *batch));
  }
  return file_->WriteBatch(*batch);
}

Result<table::DataFile> DataFileWriter::Finish() {
  if (blobs_ != nullptr) ARROW_RETURN_NOT_OK(blobs_->Finish());
  ARROW_ASSIGN_OR_RAISE(FileWriteResult result, file_->Finish());
  table::DataFile file;
  file.set_path(name_);
  file.mutable_fields()->Add(result.field_ids.begin(), result.field_ids.end());
  file.mutable_column_indices()->Add(result.column_indices.begin(), result.column_indices.end());
  FileVersionNumbers numbers = DataFileVersionNumbers(version_);
  file.set_file_major_version(numbers.major_version);
  file.set_file_minor_version(numbers.minor_version);
  file.set_file_size_bytes(result.size_bytes);
  if (base_id_) file.set_base_id(*base_id_);
  return file;
}

Result<table::DataFragment> DataFileWriter::FinishFragment() {
  table::DataFragment fragment;
  fragment.set_physical_rows(num_rows());
  ARROW_ASSIGN_OR_RAISE(*fragment.add_files(), Finish());
  return fragment;
}

}  // namespace lance
