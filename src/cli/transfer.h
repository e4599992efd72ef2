#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "cli/command.h"

namespace lance::cli {

/// The format that a file's name tells, or a user error that names the known ones.
Result<FileFormat> FormatOf(const std::string& file, const std::optional<FileFormat>& asked);

/// Streams the rows of a Parquet, CSV or Arrow IPC file; memory stays bounded.
Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSource(const std::string& file,
                                                             FileFormat format);

/// Writes all batches of `rows` into a new file. Nothing is left behind on failure.
Status WriteFile(arrow::RecordBatchReader& rows, const std::string& file, FileFormat format,
                 bool overwrite);

/// Passes batches on, counts their rows and shows the count on standard error, if that is a
/// terminal. Errors that name no place get `path`. Not thread-safe.
std::shared_ptr<arrow::RecordBatchReader> CountRows(
    std::shared_ptr<arrow::RecordBatchReader> source, std::string path,
    std::shared_ptr<uint64_t> rows);

}  // namespace lance::cli
