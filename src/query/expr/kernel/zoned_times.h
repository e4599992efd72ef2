#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type.h"

namespace lance::query {

/// Local times that were read together with the name of their zone, to be brought to UTC: zone by
/// zone.
class ZonedTimes {
 public:
  explicit ZonedTimes(arrow::TimeUnit::type unit) : unit_(unit) {}

  void Add(std::string_view zone, int64_t row, int64_t local);
  /// Calls use(row, instant): nothing if there is no such zone, or if its clocks never showed the
  /// time, or did so twice.
  void Resolve(const std::function<void(int64_t, std::optional<int64_t>)>& use) const;

 private:
  struct Times {
    std::vector<int64_t> rows;
    std::vector<int64_t> locals;
  };

  arrow::TimeUnit::type unit_;
  std::map<std::string, Times, std::less<>> by_zone_;
};

/// Whether a text may name a zone: `Europe/Paris`, `CET`, `Etc/GMT+1`.
bool IsZoneName(std::string_view text);

}  // namespace lance::query
