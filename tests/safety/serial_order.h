#pragma once

#include <map>
#include <vector>

#include "safety/history.h"

namespace lance::safety {

enum class SerialOrder : uint8_t { kFound, kNone, kGaveUp };

/// Whether the rows, columns and config of the last version come about when the operations run one
/// after the other, in some order in which each comes behind those whose effect it saw. `steps`
/// are those that made a version, by version.
SerialOrder FindSerialOrder(const std::vector<const Step*>& steps,
                            const std::vector<ModelVersion>& versions);

}  // namespace lance::safety
