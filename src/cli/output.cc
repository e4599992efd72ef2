#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

namespace lance::cli {
namespace {

// Names of the codes in JSON; they must not change.
std::string_view StableCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kRetryableConflict:
      return "retryable_conflict";
    case ErrorCode::kIncompatibleConflict:
      return "incompatible_conflict";
    case ErrorCode::kCommitUnknown:
      return "commit_unknown";
    case ErrorCode::kOverBudget:
      return "over_budget";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kUserInput:
      return "user_input";
    case ErrorCode::kIo:
      return "io";
  }
  return "internal";
}

nlohmann::ordered_json ErrorToJson(const Status& status) {
  nlohmann::ordered_json error;
  error["code"] = StableCodeName(GetErrorCode(status));
  error["message"] = ErrorText(status);
  const ErrorDetail* detail = GetErrorDetail(status);
  if (detail == nullptr) return error;
  const ErrorPlace& place = detail->place;
  if (!place.path.empty()) error["path"] = place.path;
  if (!place.field.empty()) error["field"] = place.field;
  if (place.version) error["version"] = *place.version;
  if (place.column) error["column"] = *place.column;
  if (place.page) error["page"] = *place.page;
  if (place.offset) error["offset"] = *place.offset;
  if (place.row) error["row"] = *place.row;
  return error;
}

struct SplitTime {
  std::tm calendar{};
  int64_t nanoseconds = 0;
};

SplitTime Split(int64_t nanoseconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  SplitTime out;
  std::time_t seconds = nanoseconds / kSecond;
  out.nanoseconds = nanoseconds % kSecond;
  if (out.nanoseconds < 0) {
    out.nanoseconds += kSecond;
    --seconds;
  }
  gmtime_r(&seconds, &out.calendar);
  return out;
}

std::string FormatCalendar(const std::tm& calendar, const char* format) {
  char text[64];
  return std::string(text, std::strftime(text, sizeof(text), format, &calendar));
}

int first_write_error = 0;

}  // namespace

void Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && first_write_error == 0) {
    first_write_error = errno;
  }
}

Status FinishOutput() {
  if (std::fflush(stdout) != 0 && first_write_error == 0) first_write_error = errno;
  if (first_write_error == 0) return Status::OK();
  return IoError("can't write to standard output: ", std::strerror(first_write_error));
}

int TerminalWidth() {
  if (!isatty(STDOUT_FILENO)) return 0;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool ErrorsGoToTerminal() { return isatty(STDERR_FILENO) != 0; }

void PrintError(const Status& status, bool json) {
  std::string line = ErrorText(status);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::fprintf(stderr, "lance: %s\n", line.c_str());
  if (!json) return;
  nlohmann::ordered_json object = {{"error", ErrorToJson(status)}};
  std::fprintf(
      stderr, "%s\n",
      object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

std::string ByteText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string IsoTime(int64_t nanoseconds) {
  SplitTime time = Split(nanoseconds);
  char fraction[16];
  std::snprintf(fraction, sizeof(fraction), ".%09dZ", static_cast<int>(time.nanoseconds));
  return FormatCalendar(time.calendar, "%Y-%m-%dT%H:%M:%S") + fraction;
}

std::string TimeText(int64_t nanoseconds) {
  return FormatCalendar(Split(nanoseconds).calendar, "%Y-%m-%d %H:%M:%S UTC");
}

std::string Counted(uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count != 1) text += 's';
  return text;
}

}  // namespace lance::cli
