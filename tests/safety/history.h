#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataset/open_table.h"
#include "safety/model_table.h"
#include "safety/operation.h"

namespace lance::safety {

/// An operation and how it went.
struct Step {
  const Operation* operation = nullptr;
  Outcome outcome = {};
};

/// The manifests that were ever created, by version: some may have been cleaned up since.
using Manifests = std::map<uint64_t, std::shared_ptr<const ManifestFile>>;

/// Holds a table against what its writers say that they did, version by version: every version is
/// what the operation that made it makes of the one before; operations that failed made none; and
/// the last version could have come about by running the operations one after the other.
class History {
 public:
  History(const TableLocation& table, const Program& program, const Manifests& manifests,
          std::vector<Step> steps);

  Status Check();

 private:
  Status CheckOutcomes();
  /// What the model makes of the manifest's version; the versions before are there already.
  Result<ModelVersion> Expect(const ManifestFile& manifest) const;
  Status CheckContents(const std::shared_ptr<const Snapshot>& snapshot) const;
  Status CheckSerialOrder() const;
  Status CheckTags() const;

  TableHandle handle_;
  const Program& program_;
  const Manifests& manifests_;
  std::vector<Step> steps_;
  std::map<uint64_t, Step*> makers_;
  /// By version; the one before the first is empty.
  std::vector<ModelVersion> versions_ = {{}};
};

}  // namespace lance::safety
