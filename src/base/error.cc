#include "base/error.h"

namespace lance {
namespace {

constexpr char kTypeId[] = "lance::ErrorDetail";

arrow::StatusCode ToArrowCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
    case ErrorCode::kUserInput:
      return arrow::StatusCode::Invalid;
    case ErrorCode::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorCode::kAlreadyExists:
      return arrow::StatusCode::AlreadyExists;
    case ErrorCode::kOverBudget:
      return arrow::StatusCode::OutOfMemory;
    case ErrorCode::kCancelled:
      return arrow::StatusCode::Cancelled;
    case ErrorCode::kCorrupt:
    case ErrorCode::kRetryableConflict:
    case ErrorCode::kIncompatibleConflict:
    case ErrorCode::kCommitUnknown:
    case ErrorCode::kIo:
      return arrow::StatusCode::IOError;
  }
  return arrow::StatusCode::UnknownError;
}

}  // namespace

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorrupt:
      return "Corrupt";
    case ErrorCode::kUnsupported:
      return "Unsupported";
    case ErrorCode::kNotFound:
      return "Not found";
    case ErrorCode::kAlreadyExists:
      return "Already exists";
    case ErrorCode::kRetryableConflict:
      return "Retryable commit conflict";
    case ErrorCode::kIncompatibleConflict:
      return "Incompatible commit conflict";
    case ErrorCode::kCommitUnknown:
      return "Commit status unknown";
    case ErrorCode::kOverBudget:
      return "Over budget";
    case ErrorCode::kCancelled:
      return "Cancelled";
    case ErrorCode::kUserInput:
      return "Invalid user input";
    case ErrorCode::kIo:
      return "I/O error";
  }
  return "Unknown error";
}

std::string ErrorDetail::ToString() const {
  std::string text;
  auto add = [&text](auto&&... parts) {
    if (!text.empty()) text += ", ";
    text += internal::Concat(parts...);
  };
  if (!place.field.empty()) add("field '", place.field, "'");
  if (place.column) add("column ", *place.column);
  if (place.page) add("page ", *place.page);
  if (place.row) add("row ", *place.row);
  if (place.offset) add("offset ", *place.offset);
  if (place.version) add("version ", *place.version);
  if (!place.path.empty()) add("in ", place.path);
  return text;
}

const ErrorDetail* GetErrorDetail(const Status& status) {
  if (status.ok() || status.detail() == nullptr) return nullptr;
  if (std::string_view(status.detail()->type_id()) != kTypeId) return nullptr;
  return static_cast<const ErrorDetail*>(status.detail().get());
}

ErrorCode GetErrorCode(const Status& status) {
  if (const ErrorDetail* detail = GetErrorDetail(status)) return detail->code;
  switch (status.code()) {
    case arrow::StatusCode::NotImplemented:
      return ErrorCode::kUnsupported;
    case arrow::StatusCode::OutOfMemory:
      return ErrorCode::kOverBudget;
    case arrow::StatusCode::Cancelled:
      return ErrorCode::kCancelled;
    case arrow::StatusCode::AlreadyExists:
      return ErrorCode::kAlreadyExists;
    case arrow::StatusCode::IOError:
      return ErrorCode::kIo;
    default:
      return ErrorCode::kUserInput;
  }
}

std::string ErrorText(const Status& status) {
  const ErrorDetail* detail = GetErrorDetail(status);
  if (detail == nullptr) return status.message();
  ErrorPlace shown = detail->place;
  // Not where the message names it already.
  const std::string quoted = "'" + shown.path + "'";
  if (status.message().find(quoted) != std::string::npos) shown.path.clear();
  const std::string place = ErrorDetail(detail->code, std::move(shown)).ToString();
  if (place.empty()) return status.message();
  return status.message() + " (" + place + ")";
}

Status MakeError(ErrorCode code, std::string message, ErrorPlace place) {
  return Status(ToArrowCode(code), std::move(message),
                std::make_shared<ErrorDetail>(code, std::move(place)));
}

Status WithPlace(const Status& status, const ErrorPlace& place) {
  if (status.ok()) return status;
  ErrorPlace merged;
  if (const ErrorDetail* detail = GetErrorDetail(status)) merged = detail->place;
  if (merged.path.empty()) merged.path = place.path;
  if (merged.field.empty()) merged.field = place.field;
  if (!merged.version) merged.version = place.version;
  if (!merged.column) merged.column = place.column;
  if (!merged.page) merged.page = place.page;
  if (!merged.offset) merged.offset = place.offset;
  if (!merged.row) merged.row = place.row;
  // Keeps the kind that the status has in Arrow, which may say more than the code.
  return Status(status.code(), status.message(),
                std::make_shared<ErrorDetail>(GetErrorCode(status), std::move(merged)));
}

}  // namespace lance
