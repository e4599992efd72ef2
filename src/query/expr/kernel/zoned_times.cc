#include "query/expr/kernel/zoned_times.h"

#include <algorithm>

#include "arrow/array.h"
#include "arrow/compute/api_scalar.h"
#include "arrow/compute/exec.h"
#include "base/compute_kernels.h"

namespace lance::query {
namespace {

using Options = arrow::compute::AssumeTimezoneOptions;

Result<std::shared_ptr<arrow::Array>> InUtc(arrow::MemoryPool* pool,
                                            const std::shared_ptr<arrow::Array>& local,
                                            const Options& options) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(pool);
  ARROW_ASSIGN_OR_RAISE(auto zoned, arrow::compute::AssumeTimezone(local, options, &exec));
  return zoned.make_array();
}

int64_t ValueAt(const arrow::Array& timestamps, size_t at) {
  return static_cast<const arrow::TimestampArray&>(timestamps).Value(static_cast<int64_t>(at));
}

}  // namespace

void ZonedTimes::Add(std::string_view zone, int64_t row, int64_t local) {
  auto found = by_zone_.find(zone);
  if (found == by_zone_.end()) found = by_zone_.emplace(std::string(zone), Times{}).first;
  found->second.rows.push_back(row);
  found->second.locals.push_back(local);
}

Status ZonedTimes::Resolve(arrow::MemoryPool* pool,
                           const std::function<void(int64_t, std::optional<int64_t>)>& use) const {
  for (const auto& [zone, times] : by_zone_) {
    auto local = std::make_shared<arrow::TimestampArray>(arrow::timestamp(unit_),
                                                         static_cast<int64_t>(times.locals.size()),
                                                         arrow::Buffer::Wrap(times.locals));
    const Options early(zone, Options::AMBIGUOUS_EARLIEST, Options::NONEXISTENT_EARLIEST);
    const Options late(zone, Options::AMBIGUOUS_LATEST, Options::NONEXISTENT_LATEST);
    // Fails if there is no such zone.
    auto earliest = InUtc(pool, local, early);
    auto latest = InUtc(pool, local, late);
    const bool is_zone = earliest.ok() && latest.ok();
    for (size_t i = 0; i < times.rows.size(); ++i) {
      const bool is_one = is_zone && ValueAt(**earliest, i) == ValueAt(**latest, i);
      use(times.rows[i], is_one ? std::optional(ValueAt(**earliest, i)) : std::nullopt);
    }
  }
  return Status::OK();
}

bool IsZoneName(std::string_view text) {
  auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("/_+-").find(c) != std::string_view::npos;
  });
}

}  // namespace lance::query
