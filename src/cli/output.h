#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lance::cli {

/// To standard output. Failures show in FinishOutput.
void Print(std::string_view text);
/// Flushes; the error of any write that failed (a full disk, say).
Status FinishOutput();

/// Columns of the terminal at standard output; 0 when it is none: then nothing is cut to fit.
int TerminalWidth();
bool ErrorsGoToTerminal();

/// `lance: message (place)` on standard error, in one line; with `json` a second line holds
/// {"error":{"code","message","path","field","version","column","page","offset","row"}}.
void PrintError(const Status& status, bool json);

/// `1.5 MiB`
std::string ByteText(uint64_t bytes);
/// Nanoseconds since the epoch as `2026-09-01T12:00:00.000000000Z`.
std::string IsoTime(int64_t nanoseconds);
/// The same for people: `2026-09-01 12:00:00 UTC`.
std::string TimeText(int64_t nanoseconds);
/// `1 row`, `2 rows`
std::string Counted(uint64_t count, std::string_view noun);

}  // namespace lance::cli
