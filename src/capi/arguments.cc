#include "capi/arguments.h"

namespace lance::capi {
namespace {

// The sizes in the first release (0.1).
constexpr size_t kOldestScanOptions =
    offsetof(LanceScanOptions, with_row_address) + sizeof(LanceScanOptions::with_row_address);
constexpr size_t kOldestWriteOptions = offsetof(LanceWriteOptions, data_storage_version) +
                                       sizeof(LanceWriteOptions::data_storage_version);

Result<WriteMode> CheckWriteMode(LanceWriteMode mode) {
  switch (mode) {
    case LANCE_WRITE_CREATE:
      return WriteMode::kCreate;
    case LANCE_WRITE_APPEND:
      return WriteMode::kAppend;
    case LANCE_WRITE_OVERWRITE:
      return WriteMode::kOverwrite;
    default:
      return UserError("unknown write mode: ", mode, " given, a LANCE_WRITE_… constant expected");
  }
}

}  // namespace

Result<uint64_t> CheckNotNegative(int64_t value, std::string_view name) {
  if (value < 0) return UserError("argument must not be negative: ", name, " is ", value);
  return static_cast<uint64_t>(value);
}

Result<bool> CheckZeroOrOne(int32_t value, std::string_view name) {
  if (value != 0 && value != 1) {
    return UserError("argument must be 0 or 1: ", name, " is ", value);
  }
  return value == 1;
}

Result<std::optional<std::vector<std::string>>> CheckColumns(const char* const* columns,
                                                             int64_t num_columns) {
  ARROW_ASSIGN_OR_RAISE(uint64_t count, CheckNotNegative(num_columns, "num_columns"));
  if (columns == nullptr) {
    if (count != 0) return UserError("columns is NULL, but num_columns is ", count);
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (uint64_t i = 0; i < count; ++i) {
    if (columns[i] == nullptr) return UserError("argument must not be NULL: columns[", i, "]");
    names.emplace_back(columns[i]);
  }
  return names;
}

Result<ScanOptions> ToScanOptions(const LanceScanOptions* options) {
  ScanOptions out;
  if (options == nullptr) return out;
  LanceScanOptions given = LANCE_SCAN_OPTIONS_INIT;
  ARROW_RETURN_NOT_OK(CopyOptions(*options, kOldestScanOptions, "LanceScanOptions", &given));
  ARROW_ASSIGN_OR_RAISE(out.columns, CheckColumns(given.columns, given.num_columns));
  if (given.limit < -1) {
    return UserError("limit must be -1 (no limit) or a number of rows: ", given.limit, " given");
  }
  if (given.limit >= 0) out.limit = static_cast<uint64_t>(given.limit);
  ARROW_ASSIGN_OR_RAISE(out.offset, CheckNotNegative(given.offset, "offset"));
  ARROW_ASSIGN_OR_RAISE(uint64_t batch_size, CheckNotNegative(given.batch_size, "batch_size"));
  if (batch_size > 0) out.batch_size = batch_size;
  ARROW_ASSIGN_OR_RAISE(out.with_row_id, CheckZeroOrOne(given.with_row_id, "with_row_id"));
  ARROW_ASSIGN_OR_RAISE(out.with_row_address,
                        CheckZeroOrOne(given.with_row_address, "with_row_address"));
  if (given.filter != nullptr) out.filter = given.filter;
  return out;
}

Result<WriteOptions> ToWriteOptions(const LanceWriteOptions* options) {
  WriteOptions out;
  if (options == nullptr) return out;
  LanceWriteOptions given = LANCE_WRITE_OPTIONS_INIT;
  ARROW_RETURN_NOT_OK(CopyOptions(*options, kOldestWriteOptions, "LanceWriteOptions", &given));
  ARROW_ASSIGN_OR_RAISE(out.mode, CheckWriteMode(given.mode));
  ARROW_ASSIGN_OR_RAISE(out.enable_stable_row_ids,
                        CheckZeroOrOne(given.enable_stable_row_ids, "enable_stable_row_ids"));
  ARROW_ASSIGN_OR_RAISE(uint64_t rows,
                        CheckNotNegative(given.max_rows_per_file, "max_rows_per_file"));
  if (rows > 0) out.max_rows_per_file = rows;
  ARROW_ASSIGN_OR_RAISE(uint64_t bytes,
                        CheckNotNegative(given.max_bytes_per_file, "max_bytes_per_file"));
  if (bytes > 0) out.max_bytes_per_file = bytes;
  if (given.data_storage_version != nullptr) {
    out.data_storage_version = given.data_storage_version;
  }
  return out;
}

}  // namespace lance::capi
