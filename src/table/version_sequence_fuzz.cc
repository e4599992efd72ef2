// Any bytes as the versions of rows: an error, or a sequence that can be read from everywhere and
// written again with the same versions.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "table/version_sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxRows = 4096;
  auto versions = lance::VersionSequence::Decode({data, size});
  if (!versions.ok()) return 0;
  std::vector<uint64_t> values(std::min(versions->size(), kMaxRows));
  const std::string encoded = versions->Encode();
  auto again = lance::VersionSequence::Decode(lance::AsBytes(encoded));
  if (!again.ok() || again->size() != versions->size()) std::abort();
  for (const uint64_t first : {uint64_t{0}, versions->size() - values.size()}) {
    versions->Read(first, values);
    std::vector<uint64_t> same(values.size());
    again->Read(first, same);
    if (same != values) std::abort();
  }
  return 0;
}
