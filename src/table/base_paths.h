#pragma once

#include <cstdint>

#include "base/error.h"
#include "table.pb.h"

namespace lance {

using BasePaths = google::protobuf::RepeatedPtrField<table::BasePath>;

/// Registers `added` behind those there are; an id of 0 becomes the smallest unused one from 1.
/// Ids, names and paths must differ from all others.
Status AddBasePaths(const BasePaths& added, BasePaths* bases);

/// Null if there is none.
const table::BasePath* FindBasePath(const BasePaths& bases, uint32_t id);

}  // namespace lance
