#include "capi/error_out.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace lance::capi {
namespace {

// What the caller sees, with the strings behind its pointers.
struct OwnedError final : LanceError {
  std::string message_text;
  std::string path_text;
  std::string field_text;
  // A static one is given out when there is no memory for another.
  bool is_static = false;
};

LanceErrorCode ToC(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorrupt:
      return LANCE_ERROR_CORRUPT;
    case ErrorCode::kUnsupported:
      return LANCE_ERROR_UNSUPPORTED;
    case ErrorCode::kNotFound:
      return LANCE_ERROR_NOT_FOUND;
    case ErrorCode::kAlreadyExists:
      return LANCE_ERROR_ALREADY_EXISTS;
    case ErrorCode::kRetryableConflict:
      return LANCE_ERROR_RETRYABLE_CONFLICT;
    case ErrorCode::kIncompatibleConflict:
      return LANCE_ERROR_INCOMPATIBLE_CONFLICT;
    case ErrorCode::kCommitUnknown:
      return LANCE_ERROR_COMMIT_UNKNOWN;
    case ErrorCode::kOverBudget:
      return LANCE_ERROR_OVER_BUDGET;
    case ErrorCode::kCancelled:
      return LANCE_ERROR_CANCELLED;
    case ErrorCode::kUserInput:
      return LANCE_ERROR_INVALID_ARGUMENT;
    case ErrorCode::kIo:
      return LANCE_ERROR_IO;
  }
  return LANCE_ERROR_INTERNAL;
}

template <typename Number>
int64_t OrUnknown(const std::optional<Number>& value) {
  if (!value || !std::in_range<int64_t>(*value)) return -1;
  return static_cast<int64_t>(*value);
}

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

LanceError* Publish(std::unique_ptr<OwnedError> owned, LanceErrorCode code) {
  std::replace(owned->message_text.begin(), owned->message_text.end(), '\n', ' ');
  owned->code = code;
  owned->message = owned->message_text.c_str();
  owned->path = OrNull(owned->path_text);
  owned->field = OrNull(owned->field_text);
  return owned.release();
}

LanceError* OutOfMemoryError() {
  static OwnedError shared = {
      {LANCE_ERROR_OVER_BUDGET, "out of memory", nullptr, nullptr, -1, -1, -1, -1, -1},
      {},
      {},
      {},
      /*is_static=*/true};
  return &shared;
}

}  // namespace

LanceErrorCode SetError(const Status& status, LanceError** error) noexcept {
  if (status.ok()) {
    if (error != nullptr) *error = nullptr;
    return LANCE_OK;
  }
  LanceErrorCode code = ToC(GetErrorCode(status));
  if (error == nullptr) return code;
  try {
    auto owned = std::make_unique<OwnedError>();
    ErrorPlace place;
    if (const ErrorDetail* detail = GetErrorDetail(status)) place = detail->place;
    owned->message_text = ErrorText(status);
    owned->path_text = place.path;
    owned->field_text = place.field;
    owned->version = OrUnknown(place.version);
    owned->column = OrUnknown(place.column);
    owned->page = OrUnknown(place.page);
    owned->offset = OrUnknown(place.offset);
    owned->row = OrUnknown(place.row);
    *error = Publish(std::move(owned), code);
    return code;
  } catch (...) {
    return SetOutOfMemory(error);
  }
}

LanceErrorCode SetInternalError(const char* what, LanceError** error) noexcept {
  if (error == nullptr) return LANCE_ERROR_INTERNAL;
  try {
    auto owned = std::make_unique<OwnedError>();
    owned->message_text = std::string("internal error, please report it: ") + what;
    owned->version = owned->column = owned->page = owned->offset = owned->row = -1;
    *error = Publish(std::move(owned), LANCE_ERROR_INTERNAL);
    return LANCE_ERROR_INTERNAL;
  } catch (...) {
    return SetOutOfMemory(error);
  }
}

LanceErrorCode SetOutOfMemory(LanceError** error) noexcept {
  if (error != nullptr) *error = OutOfMemoryError();
  return LANCE_ERROR_OVER_BUDGET;
}

}  // namespace lance::capi

extern "C" void lance_error_free(LanceError* error) {
  if (error == nullptr) return;
  auto* owned = static_cast<lance::capi::OwnedError*>(error);
  if (!owned->is_static) delete owned;
}
