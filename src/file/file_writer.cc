#include "file/file_writer.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "arrow/array/array_base.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "base/check_offsets.h"
#include "base/executor.h"
#include "base/memory.h"
#include "encoding/write/array_page.h"
#include "encoding/write/column_buffer.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/only_nulls.h"
#include "encoding/write/page_encoder.h"
#include "encoding/write/storage_array.h"
#include "file/blob_columns.h"
#include "file/column_paths.h"
#include "file/container_writer.h"

namespace lance {
namespace {

using encoding::ColumnBuffer;
using encoding::EncodedPage;
using encoding::PageJob;

/// Pages encoded and not yet written, at most; bounds the memory of wide tables.
constexpr size_t kJobsAtOnce = 64;
/// What a page should be worth in tables of many columns.
constexpr uint64_t kLeastPageBytes = 256 << 10;
constexpr uint64_t kGoodPageBytes = 1 << 20;
/// Below so many rows it isn't worth to check columns on several threads.
constexpr int64_t kParallelCheckRows = 4096;

}  // namespace

struct FileWriter::Impl {
  struct ColumnJob {
    size_t column = 0;
    PageJob job;
  };

  Context context;
  FileWriteOptions options;
  Schema schema;
  // One per top-level field: storage type and the first of its columns.
  std::vector<TopLevelField> fields;
  std::vector<ColumnBuffer> columns;
  std::vector<encoding::FsstLearner> learners;
  // Rows of each column that are written; of structs in 2.0, which are written last, counted.
  std::vector<uint64_t> written_rows;
  ContainerWriter container;
  std::unique_ptr<ObjectWriter> writer;
  uint64_t num_rows = 0;
  // The first error; nothing can be written after it.
  Status failed;
  bool finished = false;

  // 2.0: structs and lists have columns of their own.
  bool is_tree() const { return options.version == FileVersion::kV2_0; }
  bool is_struct_header(const encoding::LeafPath& path) const {
    return is_tree() && path.is_empty_struct();
  }

  Status CheckUsable() const {
    if (finished) return UserError("file writer is finished; open a new one to write more");
    return failed;
  }

  Result<std::shared_ptr<arrow::ArrayData>> CheckColumn(const arrow::RecordBatch& batch,
                                                        const TopLevelField& field) const {
    ARROW_ASSIGN_OR_RAISE(int index, FindColumn(*batch.schema(), field.name));
    // Another engine may have handed it over, through an interface that checks nothing.
    ARROW_RETURN_NOT_OK(CheckSound(field.name, *batch.column(index)));
    ARROW_ASSIGN_OR_RAISE(
        auto array, encoding::ToStorageArray(batch.column_data(index), *field.type, field.name,
                                             context.pool()));
    for (size_t i = 0; i < field.num_columns; ++i) {
      const encoding::LeafPath& path = columns[field.first_column + i].path();
      ARROW_RETURN_NOT_OK(CheckNulls(path, array));
      if (path.only_nulls) ARROW_RETURN_NOT_OK(CheckOnlyNulls(path, array));
    }
    return array;
  }

  Status CheckOnlyNulls(const encoding::LeafPath& path,
                        const std::shared_ptr<arrow::ArrayData>& array) const {
    ARROW_ASSIGN_OR_RAISE(const bool values, encoding::HasLeafValues(path, array, context.pool()));
    if (!values) return Status::OK();
    const bool list = path.type->id() == arrow::Type::FIXED_SIZE_LIST;
    return Unsupported("values can't be stored, only nulls: field '", path.name(), "' is ",
                       path.type->ToString(),
                       list ? "; use a list instead of the fixed-size list"
                            : "; write file version 2.2, or binary values");
  }

  Status CheckNulls(const encoding::LeafPath& path,
                    const std::shared_ptr<arrow::ArrayData>& array) const {
    ARROW_ASSIGN_OR_RAISE(const encoding::PathStep* step,
                          encoding::FindForbiddenNull(path, array, context.pool()));
    if (step != nullptr) {
      if (is_tree() && path.type->id() == arrow::Type::STRUCT && step == &path.steps.back()) {
        return UserError("null struct: field '", step->name,
                         "'; file version 2.0 has no place for it, write version 2.1 or later");
      }
      return UserError("null in a field that is not nullable: field '", step->name,
                       "'; fill the nulls or make the field nullable");
    }
    if (path.is_blob) return Status::OK();
    for (const encoding::LeafPath& member : path.members) {
      ARROW_ASSIGN_OR_RAISE(step, encoding::FindForbiddenNull(member, array, context.pool()));
      if (step == nullptr) continue;
      return UserError("null in a packed struct, whose members have no place for nulls: field '",
                       step->name, "'; fill the nulls or store the struct unpacked");
    }
    return Status::OK();
  }

  Status WriteBatch(const arrow::RecordBatch& batch) {
    if (batch.num_rows() == 0) return Status::OK();
    if (batch.num_rows() > std::numeric_limits<uint32_t>::max()) {
      return UserError("batch has too many rows: ", batch.num_rows(),
                       " of at most 2^32 - 1; write smaller batches");
    }
    // Nothing is kept before all columns are found good.
    std::vector<std::shared_ptr<arrow::ArrayData>> arrays(fields.size());
    auto check = [&](size_t i) { return CheckColumn(batch, fields[i]).Value(&arrays[i]); };
    if (batch.num_rows() >= kParallelCheckRows) {
      ARROW_RETURN_NOT_OK(ParallelFor(context, fields.size(), check));
    } else {
      for (size_t i = 0; i < fields.size(); ++i) ARROW_RETURN_NOT_OK(check(i));
    }
    failed = Buffer(arrays);
    arrays.clear();
    ARROW_RETURN_NOT_OK(failed);
    num_rows += static_cast<uint64_t>(batch.num_rows());
    failed = Flush(/*all=*/false);
    return failed;
  }

  Status Buffer(const std::vector<std::shared_ptr<arrow::ArrayData>>& arrays) {
    for (size_t i = 0; i < fields.size(); ++i) {
      for (size_t k = 0; k < fields[i].num_columns; ++k) {
        ColumnBuffer& column = columns[fields[i].first_column + k];
        std::shared_ptr<arrow::ArrayData> array = arrays[i];
        if (is_struct_header(column.path())) {
          ARROW_ASSIGN_OR_RAISE(uint64_t count,
                                encoding::CountSlots(column.path(), array, context.pool()));
          written_rows[fields[i].first_column + k] += count;
          continue;
        }
        if (column.path().is_blob) {
          ARROW_ASSIGN_OR_RAISE(array,
                                StoreBlobs(column.path(), *array, writer.get(), context.pool()));
        }
        ARROW_RETURN_NOT_OK(column.Add(array, context.pool()));
      }
    }
    return Status::OK();
  }

  /// Those that are full; and when all together have too much, the largest, which hold half of it,
  /// and others that make a good page: pages are encoded side by side.
  std::vector<bool> DueColumns() const {
    std::vector<bool> due(columns.size());
    std::vector<size_t> others;
    uint64_t buffered = 0;
    for (size_t column = 0; column < columns.size(); ++column) {
      due[column] = columns[column].is_full();
      if (due[column]) continue;
      others.push_back(column);
      buffered += columns[column].buffered_bytes();
    }
    const uint64_t most =
        std::max<uint64_t>(options.buffer_bytes, kLeastPageBytes * columns.size());
    if (buffered <= most) return due;
    std::stable_sort(others.begin(), others.end(), [&](size_t a, size_t b) {
      return columns[a].buffered_bytes() > columns[b].buffered_bytes();
    });
    for (size_t column : others) {
      const uint64_t bytes = columns[column].buffered_bytes();
      if (buffered <= most / 2 && bytes < kGoodPageBytes) break;
      due[column] = true;
      buffered -= bytes;
    }
    return due;
  }

  Status Flush(bool all) {
    std::vector<ColumnJob> jobs;
    const std::vector<bool> due = all ? std::vector<bool>(columns.size(), true) : DueColumns();
    for (size_t column = 0; column < columns.size(); ++column) {
      if (!due[column]) continue;
      for (PageJob& job : columns[column].TakeJobs()) jobs.push_back({column, std::move(job)});
    }
    for (size_t first = 0; first < jobs.size(); first += kJobsAtOnce) {
      const size_t count = std::min(kJobsAtOnce, jobs.size() - first);
      ARROW_RETURN_NOT_OK(EncodeAndWrite({jobs.data() + first, count}));
    }
    return Status::OK();
  }

  // Pages are encoded side by side and written in the order of the jobs: who finishes a job writes
  // what is next, unless somebody else is writing.
  Status EncodeAndWrite(std::span<ColumnJob> jobs) {
    std::mutex mutex;
    std::vector<std::optional<std::vector<EncodedPage>>> done(jobs.size());
    size_t next = 0;
    bool writing = false;
    // All start from what was learnt before, so that what is written doesn't depend on which job is
    // faster.
    std::vector<encoding::FsstLearner> fsst;
    for (const ColumnJob& job : jobs) fsst.push_back(learners[job.column]);
    ARROW_RETURN_NOT_OK(ParallelFor(context, jobs.size(), [&](size_t index) -> Status {
      PageJob job = std::move(jobs[index].job);
      Result<std::vector<EncodedPage>> pages = encoding::EncodePages(
          *job.path, job.arrays, {MinorVersion(options.version), context.pool(), &fsst[index]});
      if (!pages.ok()) {
        return WithPlace(pages.status(), {.field = job.path->name()});
      }
      std::unique_lock lock(mutex);
      done[index] = std::move(*pages);
      if (writing) return Status::OK();
      writing = true;
      while (next < jobs.size() && done[next]) {
        const std::vector<EncodedPage> ready = std::move(*done[next]);
        done[next].reset();
        const size_t column = jobs[next].column;
        lock.unlock();
        for (const EncodedPage& page : ready) ARROW_RETURN_NOT_OK(WritePage(column, page));
        lock.lock();
        ++next;
      }
      writing = false;
      return Status::OK();
    }));
    for (size_t i = 0; i < jobs.size(); ++i) learners[jobs[i].column] = fsst[i];
    return Status::OK();
  }

  Status WritePage(size_t column, const EncodedPage& page) {
    const uint64_t first_row = is_tree() ? 0 : written_rows[column];
    ARROW_RETURN_NOT_OK(container.WritePage(column, page, first_row, writer.get()));
    written_rows[column] += page.num_rows;
    return Status::OK();
  }

  Status WriteStructHeaders() {
    for (size_t column = 0; column < columns.size(); ++column) {
      if (!is_struct_header(columns[column].path())) continue;
      ARROW_RETURN_NOT_OK(container.WritePage(
          column, encoding::StructHeaderPage(written_rows[column]), 0, writer.get()));
    }
    return Status::OK();
  }

  Status WriteRest() {
    ARROW_RETURN_NOT_OK(Flush(/*all=*/true));
    ARROW_RETURN_NOT_OK(WriteStructHeaders());
    return container.Finish(schema, num_rows, options.version, writer.get());
  }
};

void FileWriteOptions::ShareCache(uint64_t bytes, size_t fields) {
  page_bytes = std::max<uint64_t>(bytes / std::max<size_t>(fields, 1), 1);
  buffer_bytes = std::max(bytes, buffer_bytes);
}

FileWriter::FileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileWriter::~FileWriter() = default;

Result<std::unique_ptr<FileWriter>> FileWriter::Open(const Context& context,
                                                     std::unique_ptr<ObjectWriter> writer,
                                                     Schema schema, FileWriteOptions options) {
  ARROW_RETURN_NOT_OK(CheckWritable(options.version));
  ARROW_RETURN_NOT_OK(schema.Validate());
  auto impl = std::make_unique<Impl>();
  ARROW_ASSIGN_OR_RAISE(ColumnPaths paths, FindColumnPaths(schema, MinorVersion(options.version)));
  impl->fields = std::move(paths.fields);
  for (encoding::LeafPath& path : paths.columns) {
    impl->learners.emplace_back(path.hints.fsst_effort());
    // Where lists end takes no room to speak of.
    const bool splits = options.version == FileVersion::kV2_0 && !path.is_list();
    impl->columns.emplace_back(std::move(path), options.page_bytes,
                               splits ? options.max_page_bytes : std::nullopt);
  }
  impl->written_rows.resize(impl->columns.size());
  impl->container = ContainerWriter(impl->columns.size());
  for (size_t i = 0; i < impl->columns.size(); ++i) {
    const bool blobs = options.version == FileVersion::kV2_0 && impl->columns[i].path().is_blob;
    if (blobs) impl->container.MarkBlobColumn(i);
  }
  impl->context = context;
  if (context.memory_pool == nullptr) impl->context.memory_pool = WriteMemoryPool();
  impl->options = options;
  impl->schema = std::move(schema);
  impl->writer = std::move(writer);
  return std::unique_ptr<FileWriter>(new FileWriter(std::move(impl)));
}

Status FileWriter::WriteBatch(const arrow::RecordBatch& batch) {
  ARROW_RETURN_NOT_OK(impl_->CheckUsable());
  return impl_->WriteBatch(batch);
}

void FileWriter::AddSchemaMetadata(std::string key, std::string value) {
  auto metadata = impl_->schema.metadata == nullptr ? std::make_shared<arrow::KeyValueMetadata>()
                                                    : impl_->schema.metadata->Copy();
  // Only fails for a key that is there twice.
  static_cast<void>(metadata->Delete(key));
  metadata->Append(std::move(key), std::move(value));
  impl_->schema.metadata = std::move(metadata);
}

Result<uint64_t> FileWriter::WriteBlob(Bytes bytes) {
  ARROW_RETURN_NOT_OK(impl_->CheckUsable());
  return ContainerWriter::WriteBlob(bytes, impl_->writer.get());
}

Result<uint32_t> FileWriter::AddGlobalBuffer(Bytes bytes) {
  ARROW_RETURN_NOT_OK(impl_->CheckUsable());
  return impl_->container.WriteGlobalBuffer(bytes, impl_->writer.get());
}

uint64_t FileWriter::num_rows() const { return impl_->num_rows; }

uint64_t FileWriter::estimated_bytes() const {
  uint64_t bytes = impl_->writer->position();
  for (const ColumnBuffer& column : impl_->columns) bytes += column.buffered_bytes();
  return bytes;
}

Result<FileWriteResult> FileWriter::Finish() {
  ARROW_RETURN_NOT_OK(impl_->CheckUsable());
  impl_->failed = impl_->WriteRest();
  ARROW_RETURN_NOT_OK(impl_->failed);
  impl_->finished = true;
  FileWriteResult result;
  result.num_rows = impl_->num_rows;
  result.size_bytes = impl_->writer->position();
  ARROW_RETURN_NOT_OK(impl_->writer->Finish());
  for (const Field* field :
       FieldsWithColumns(impl_->schema, MinorVersion(impl_->options.version))) {
    result.column_indices.push_back(static_cast<int32_t>(result.field_ids.size()));
    result.field_ids.push_back(field->id);
  }
  return result;
}

}  // namespace lance
