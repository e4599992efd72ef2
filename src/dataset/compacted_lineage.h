#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/snapshot.h"
#include "table/row_id_sequence.h"
#include "table/version_sequence.h"

namespace lance {

/// What rows keep when they are compacted: their ids, and the versions that created and last
/// updated them. Runs stay runs, however many rows they have.
class CompactedLineage {
 public:
  /// Of the live rows of these fragments, in their order.
  static Result<CompactedLineage> Read(const std::shared_ptr<const Snapshot>& snapshot,
                                       const std::vector<uint64_t>& fragment_ids);

  /// Gives new fragments, which have these rows one after the other, their parts.
  void SetOn(std::vector<table::DataFragment>* fragments) const;

 private:
  Status AddFragment(const Snapshot& snapshot, const table::DataFragment& fragment);
  /// Of a fragment that has some of it in a data file.
  Status AddStored(const std::shared_ptr<const Snapshot>& snapshot, uint64_t fragment_id);

  std::vector<IdRun> ids_;
  VersionSequence created_;
  VersionSequence updated_;
};

}  // namespace lance
