#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/status.h"
#include "lance/export.h"

/// Errors of the C++ API: every failure is an arrow::Status whose detail says what kind of error it
/// is and where it happened.
///
///     auto table = lance::Dataset::Open(uri);
///     if (lance::GetErrorCode(table.status()) == lance::ErrorCode::kNotFound) …
///     std::cerr << lance::ErrorText(table.status());
namespace lance {

/// What went wrong, for callers that must decide (retry? report? fix the input?).
enum class ErrorCode : uint8_t {
  kCorrupt,               ///< stored bytes break the format
  kUnsupported,           ///< valid, but of a kind that this build doesn't read or write
  kNotFound,              ///< dataset, version, tag, file, column
  kAlreadyExists,         ///< create over an existing dataset, tag …
  kRetryableConflict,     ///< another writer won; redo the operation from the new version
  kIncompatibleConflict,  ///< another writer made this operation impossible
  kCommitUnknown,         ///< the store did not say whether the commit happened
  kOverBudget,            ///< a memory budget would be exceeded
  kCancelled,
  kUserInput,  ///< bad argument
  kIo,         ///< the store failed
};

LANCE_EXPORT std::string_view ErrorCodeName(ErrorCode code);

/// Where it went wrong. Each layer adds what it knows; empty members are not printed.
struct ErrorPlace {
  std::string path{};
  std::string field{};
  std::optional<uint64_t> version{};
  std::optional<int64_t> column{};
  std::optional<int64_t> page{};
  std::optional<uint64_t> offset{};
  std::optional<int64_t> row{};
};

/// The one StatusDetail of this library.
class LANCE_EXPORT ErrorDetail final : public arrow::StatusDetail {
 public:
  ErrorDetail(ErrorCode code, ErrorPlace place) : code(code), place(std::move(place)) {}
  const char* type_id() const override { return "lance::ErrorDetail"; }
  /// `column 3, page 0, offset 128, in data/x.lance`; empty when the place is unknown.
  std::string ToString() const override;

  const ErrorCode code;
  const ErrorPlace place;
};

/// The detail of an error, or null for errors that come from Arrow.
LANCE_EXPORT const ErrorDetail* GetErrorDetail(const arrow::Status& status);
/// The code of an error; Arrow's own errors are mapped (Invalid → user input, IOError → I/O …).
LANCE_EXPORT ErrorCode GetErrorCode(const arrow::Status& status);
/// Message and place in one line: `page buffer is cut short: … (column 3, page 0, in x.lance)`.
LANCE_EXPORT std::string ErrorText(const arrow::Status& status);

}  // namespace lance
