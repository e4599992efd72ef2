#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/result.h"
#include "arrow/status.h"
#include "lance/error.h"

namespace lance {

using arrow::Result;
using arrow::Status;

Status MakeError(ErrorCode code, std::string message, ErrorPlace place = {});

namespace internal {
template <typename... Args>
std::string Concat(Args&&... args) {
  std::ostringstream out;
  (out << ... << std::forward<Args>(args));
  return out.str();
}
}  // namespace internal

template <typename... Args>
Status Corrupt(Args&&... args) {
  return MakeError(ErrorCode::kCorrupt, internal::Concat(std::forward<Args>(args)...));
}
template <typename... Args>
Status Unsupported(Args&&... args) {
  return MakeError(ErrorCode::kUnsupported, internal::Concat(std::forward<Args>(args)...));
}
template <typename... Args>
Status NotFound(Args&&... args) {
  return MakeError(ErrorCode::kNotFound, internal::Concat(std::forward<Args>(args)...));
}
template <typename... Args>
Status AlreadyExists(Args&&... args) {
  return MakeError(ErrorCode::kAlreadyExists, internal::Concat(std::forward<Args>(args)...));
}
template <typename... Args>
Status UserError(Args&&... args) {
  return MakeError(ErrorCode::kUserInput, internal::Concat(std::forward<Args>(args)...));
}
template <typename... Args>
Status IoError(Args&&... args) {
  return MakeError(ErrorCode::kIo, internal::Concat(std::forward<Args>(args)...));
}

/// Adds members of `place` that the error does not have yet. Errors of Arrow get a detail.
Status WithPlace(const Status& status, const ErrorPlace& place);

}  // namespace lance
