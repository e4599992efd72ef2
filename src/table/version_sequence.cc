#include "table/version_sequence.h"

#include <algorithm>
#include <limits>

#include "proto/parse.h"
#include "rowids.pb.h"
#include "table/row_id_sequence.h"

namespace lance {

VersionSequence VersionSequence::Uniform(uint64_t version, uint64_t rows) {
  VersionSequence sequence;
  sequence.ends_.push_back(rows);
  sequence.versions_.push_back(version);
  return sequence;
}

void VersionSequence::AddRun(uint64_t version, uint64_t rows) {
  if (!versions_.empty() && versions_.back() == version) {
    ends_.back() += rows;
  } else {
    ends_.push_back(size() + rows);
    versions_.push_back(version);
  }
}

void VersionSequence::Append(const VersionSequence& other, uint64_t first, uint64_t count) {
  auto run = static_cast<size_t>(std::upper_bound(other.ends_.begin(), other.ends_.end(), first) -
                                 other.ends_.begin());
  for (; count > 0; ++run) {
    uint64_t some = std::min(count, other.ends_[run] - first);
    AddRun(other.versions_[run], some);
    first += some;
    count -= some;
  }
}

VersionSequence VersionSequence::FromValues(std::span<const uint64_t> versions) {
  VersionSequence sequence;
  for (uint64_t version : versions) sequence.AddRun(version, 1);
  return sequence;
}

VersionSequence VersionSequence::WithVersion(uint64_t version,
                                             std::span<const uint32_t> offsets) const {
  VersionSequence changed;
  uint64_t at = 0;
  for (size_t run = 0; run < ends_.size(); ++run) {
    while (at < ends_[run]) {
      bool is_changed = !offsets.empty() && offsets.front() == at;
      uint64_t stop = at + 1;
      if (!is_changed)
        stop = offsets.empty() ? ends_[run] : std::min<uint64_t>(ends_[run], offsets.front());
      changed.AddRun(is_changed ? version : versions_[run], stop - at);
      if (is_changed) offsets = offsets.subspan(1);
      at = stop;
    }
  }
  return changed;
}

Result<VersionSequence> VersionSequence::Decode(Bytes bytes) {
  table::RowDatasetVersionSequence proto;
  if (!ParseMessage(bytes, &proto)) {
    return Corrupt("row version sequence is not a valid message of ", bytes.size(), " bytes");
  }
  VersionSequence sequence;
  for (const auto& run : proto.runs()) {
    // The values of a span are left over from earlier positions; only how many there are counts.
    ARROW_ASSIGN_OR_RAISE(auto span, U64Segment::FromProto(run.span()));
    uint64_t before = sequence.size();
    if (span.size() > std::numeric_limits<uint64_t>::max() - before) {
      return Corrupt("row version sequence has more than 2^64 rows");
    }
    sequence.ends_.push_back(before + span.size());
    sequence.versions_.push_back(run.version());
  }
  return sequence;
}

std::string VersionSequence::Encode() const {
  table::RowDatasetVersionSequence proto;
  uint64_t start = 0;
  for (size_t i = 0; i < ends_.size(); ++i) {
    auto* run = proto.add_runs();
    U64Segment::Range(start, ends_[i] - start).ToProto(run->mutable_span());
    run->set_version(versions_[i]);
    start = ends_[i];
  }
  return proto.SerializeAsString();
}

void VersionSequence::Read(uint64_t first, std::span<uint64_t> out) const {
  if (out.empty()) return;
  auto run =
      static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), first) - ends_.begin());
  for (size_t i = 0; i < out.size(); ++i) {
    while (ends_[run] <= first + i) ++run;
    out[i] = versions_[run];
  }
}

}  // namespace lance
