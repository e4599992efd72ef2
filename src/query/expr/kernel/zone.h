#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"
#include "query/expr/kernel/zone_rule.h"

namespace lance::query {

/// What clocks showed, and will show, in a zone. Arrow's kernels, which know zones as well, don't
/// follow the rules by which the files of zones end: for them there is no daylight saving after
/// 2037.
class Zone {
 public:
  /// The zone `Europe/Paris`, `UTC`, `+02:00`. Files of zones are read once, by any thread.
  static Result<std::shared_ptr<const Zone>> Named(const std::string& name);
  /// Of the bytes of a file of format TZif (RFC 9636), of version 2 and up.
  static Result<Zone> Parse(Bytes file);
  static Zone OfOffset(int64_t seconds);

  ZoneSpan SpanAt(int64_t utc) const;

  /// The instants, in seconds, at which clocks show a local time: mostly the same twice.
  struct Instants {
    int64_t earliest = 0;
    int64_t latest = 0;
    /// Clocks jump over this time: both are the instant when they do.
    bool is_skipped = false;
  };
  Instants InstantsOf(int64_t local) const;

 private:
  /// offsets_[i] holds from starts_[i - 1] to starts_[i].
  std::vector<int64_t> starts_;
  std::vector<int64_t> offsets_;
  /// Holds after the last start.
  std::optional<ZoneRule> rule_;
};

/// The clock of a zone for timestamps of some unit, read at one after the other: most are in the
/// span of the one before. Nothing is the answer where a result doesn't fit.
class ZoneClock {
 public:
  ZoneClock(const Zone& zone, int64_t per_second) : zone_(zone), per_second_(per_second) {
    Move(0);
  }

  /// In units of the timestamps.
  int64_t OffsetAt(int64_t utc) {
    if (!span_.Has(utc)) Move(utc);
    return span_.offset;
  }
  std::optional<int64_t> LocalAt(int64_t utc);
  /// The first instant at which it shows a local time, or, if it skips that, a later one.
  std::optional<int64_t> FirstInstantOf(int64_t local) const;
  /// Of the instants at which it shows a local time the one with this offset, if there is one.
  std::optional<int64_t> InstantOf(int64_t local, int64_t offset);
  /// Nothing also if it shows the time twice or never.
  std::optional<int64_t> OnlyInstantOf(int64_t local) const;

 private:
  void Move(int64_t utc);
  std::optional<int64_t> InUtc(int64_t local, int64_t instant) const;

  const Zone& zone_;
  int64_t per_second_;
  /// In units, too.
  ZoneSpan span_;
};

}  // namespace lance::query
